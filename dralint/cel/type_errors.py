"""The messages of the checker: what was found, what is allowed, what to write instead."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from dralint.cel import replacements, table, types
from dralint.cel.declarations import declarations
from dralint.cel.issue import Instead
from dralint.cel.tree import (
    OF_DRIVER,
    Call,
    Comprehension,
    Ident,
    Literal,
    Message,
    Node,
    Select,
    lookup_of,
    name_within,
    presence_of,
    walk,
)
from dralint.cel.types import Bindings, Type, a_type, is_dyn, spell
from dralint.kubernetes.near import did_you_mean, is_slip, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from dralint.cel.declarations import Declarations, Overload
    from dralint.cel.issue import Hint
    from dralint.cel.tree import Lookup


_CUTOFF = 0.7
"""How similar a name must be: many functions are short, and a wrong suggestion is worse than none."""


class Said(NamedTuple):
    """A message, its hint, and the part to underline (the whole node where `end` is 0).

    `instead` is the replacement of the node: it becomes the hint if it compiles; otherwise `hint` is used.
    """

    message: str
    hint: Hint = None
    start: int = 0
    end: int = 0
    instead: str | None = None
    follows: bool = False
    """Whether it only reports that an operand is already wrong."""


_OTHER_NAMES = {
    "object": "device is the only variable here",
    "self": "device is the only variable here",
    "request": "device is the only variable here",
    "attributes": 'write device.attributes["domain"].name',
    "capacity": 'write device.capacity["domain"].name',
    "driver": "write device.driver",
    "and": 'write "&&" for "and"',
    "or": 'write "||" for "or"',
    "not": 'write "!" for "not"',
    "nil": "write null",
    "None": "write null",
}
_NAMESPACES = {
    "lists": "lists.range() is the only function that begins with lists., from Kubernetes 1.35 on",
    "sets": "there are sets.contains(), sets.equivalent() and sets.intersects()",
    "optional": "there are optional.of(), optional.ofNonZeroValue() and optional.none()",
    "format": "there are format.named(), format.dns1123Label() and others, from Kubernetes 1.32 on",
    "strings": "strings.quote() is the only function that begins with strings.; others are called on the string",
    "cel": "there is cel.bind(name, value, expression)",
    "math": "Kubernetes has no math functions in CEL; min() and max() are called on a list: [1, 2].max()",
    "regex": "Kubernetes has no regex library in CEL; strings have matches(), find() and findAll()",
    "base64": "Kubernetes has no base64 functions in CEL",
}
_OTHER_FIELDS = {
    "name": "the name of a device is not visible to selectors; drivers publish what can be selected as attributes",
    "pool": "the pool of a device is not visible to selectors",
    "taints": "taints are not visible to selectors; use tolerations of the request",
    **dict.fromkeys(
        ("node", "nodeName", "hostname", "nodeSelector"),
        "the node of a device is not visible to selectors; select nodes with the nodeSelector or affinity of the Pod",
    ),
    "labels": 'devices have no labels; use device.attributes["domain"].name',
    "capacities": 'write device.capacity["domain"].name',
    "attribute": 'write device.attributes["domain"].name',
}


def _mark(function: str) -> str:
    """Return an operator as it is written: `_==_` is ==."""
    return "in" if function == "@in" else function.strip("_")


def source_of(node: Node) -> str:
    """Return a short name for what a node is: the field or function it ends in."""
    if isinstance(node, Select):
        return node.field
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Call) and node.function == "_[_]" and isinstance(node.args[1], Literal):
        return str(node.args[1].value)
    if isinstance(node, Call) and node.function[0].isalpha():
        return f"{node.function}()"
    return "this"


def undeclared_variable(node: Ident, environment: Declarations, known: list[str], expression: str) -> Said:
    """An identifier that does not exist."""
    name = node.name.removeprefix(".")
    variables = [v for v in (*known, *environment.variables) if "." not in v]
    if environment.kind == "named-resources":
        allowed = "attributes.<type>, <type> being " + ", ".join(v.partition(".")[2] for v in environment.variables)
        hint = 'for example: attributes.bool["ready"]'
        alone = " alone" if name == "attributes" else ""
        return Said(f'"{name}"{alone} is not a variable; there are {allowed}', hint)
    listed = ", ".join(dict.fromkeys(reversed(variables))) if known else "device"
    message = f'"{name}" is not a variable; there {"are" if "," in listed else "is"} {listed}'
    close = near(name, variables, _CUTOFF)
    if close:
        return Said(message, _renamed(close, node.start, name))
    truth = next((word for word in TRUTH_VALUES if is_slip(name, word)), None)
    if truth is not None:
        hint = f"write {truth}" if name.lower() == truth else f"did you mean {truth}?"
        return Said(message, Instead(hint, node.start, node.start + len(name), truth))
    other = _OTHER_NAMES.get(name) or _NAMESPACES.get(name)
    if other is None and name in environment.function_names:
        other = f'"{name}" is a function: call it with parentheses'
    if other is None:
        key = replacements.quoted_key(node, expression)
        if key is not None:
            end = expression.find("]", node.start) + 1
            begin = expression.rfind("[", 0, node.start)
            return Said(message, Instead(f"put the domain in quotes: {key}", begin, end, key))
        before = expression[max(0, node.start - 2) : node.start]
        if before[-1:] in ("-", "/") and before[0].isalnum():
            return Said(message, None)  # the hint for the text before it covers both
        text = replacements.dotted(node, expression)
        words = f'if it is a text, put it in quotes: "{text}"'
        return Said(message, Instead(words, node.start, node.start + len(text), f'"{text}"'))
    word = _WRITTEN.get(name)
    return Said(message, other if word is None else Instead(other, node.start, node.start + len(name), word))


TRUTH_VALUES = ("true", "false")
_WRITTEN = {"nil": "null", "None": "null", "driver": "device.driver"}


def _renamed(names: list[str], at: int, name: str, *, quote: str = '"', after: str = "") -> Hint:
    """Return the question which of the names is meant; a replacement if there is only one."""
    words = did_you_mean([f"{each}{after}" for each in names], quote)
    return Instead(words, at, at + len(name), names[0]) if words is not None and len(names) == 1 else words


def unknown_field(target: Type, field: str, at: int, fields: dict[str, Type], environment: Declarations) -> Said:
    """A field that the type does not have."""
    owner = "device" if target.name == "kubernetes.DRADevice" else target.name
    message = f'{owner} has no field "{field}"; it has {", ".join(fields)}'
    gate = _gate_of(field, environment)
    if gate is not None:
        return Said(message, f"it needs the feature gate {gate}", at, at + len(field))
    close = near(field, fields, _CUTOFF) or [name for name in fields if field.startswith(name)]
    return Said(message, _renamed(close, at, field) or _OTHER_FIELDS.get(field), at, at + len(field))


_CALLED = {
    types.QUANTITY: "call a function of Quantity instead: isGreaterThan(), isLessThan(), compareTo(), asInteger()",
    types.SEMVER: "call a function of Semver instead: major(), minor(), patch(), isGreaterThan(), isLessThan()",
}


def no_fields(operand: Node, target: Type, field: str, at: int, expression: str) -> Said:
    """A selection from something without fields."""
    message = f'{a_type(target)} has no fields, so "{field}" cannot be selected from it'
    hint = _CALLED.get(target)
    instead = None
    quoted = replacements.quoted_capacity(operand, at + len(field), expression)
    if quoted is not None:
        hint = f'if "{field}" belongs to the domain, the domain needs quotes: {quoted}'
    elif field.lower() in ("length", "size", "len", "count") and target.kind in ("string", "list", "bytes"):
        hint = "call size(): x.size()"
        instead = f"{replacements.receiver(operand, expression)}.size()"
    return Said(message, hint, at, at + len(field), instead)


@lru_cache(maxsize=64)
def _functions_on(t: Type, environment: Declarations) -> list[str]:
    found = []
    for name in environment.function_names:
        for overload in environment.overloads(name) or ():
            if overload.member and overload.args[0].kind != "param" and Bindings().assignable((t, overload.args[0])):
                found.append(name)
                break
    return found


@cache
def gated(name: str, folder: Path) -> str | None:
    """Return the feature gate, and its releases, that a function needs."""
    for release in table.releases(folder):
        for gate, functions in table.functions(release, folder).get("gated", {}).items():
            if name in functions:
                return f"{gate} ({release} and later)"
    return None


def _gate_of(field: str, environment: Declarations) -> str | None:
    """Return the feature gate that gives `device` a field."""
    rows: dict[str, dict[str, str]] = table.facts(environment.folder)["gates"]
    return next((gate for gate, fields in rows.items() if field in fields), None)


@lru_cache(maxsize=256)
def _later(name: str, environment: Declarations) -> str | None:
    """Return the first release with a function or macro; None if no other release has it."""
    for release in table.later(environment.release, environment.folder):
        other = declarations(release, folder=environment.folder)
        if name in other.macro_names or other.overloads(name) is not None:
            return f"{name}() exists from Kubernetes {release} on"
    return None


def _function_hint(node: Call, known: list[str], environment: Declarations) -> Hint:
    name = node.function.removeprefix(".")
    later = _later(name, environment)
    if later is not None:
        return later
    gate = gated(name, environment.folder)
    if gate is not None:
        return f"{name}() needs the feature gate {gate}"
    own = _ELSEWHERE.get(name.lower())
    close = [own] if own in known else near(name, known, _CUTOFF)
    return _renamed(close, node.name_start, name, quote="", after="()")


_ELSEWHERE = {
    **dict.fromkeys(("len", "length", "count", "strlen"), "size"),
    **dict.fromkeys(("lower", "tolower", "tolowercase", "lowercase", "downcase", "casefold"), "lowerAscii"),
    **dict.fromkeys(("upper", "toupper", "touppercase", "uppercase", "upcase"), "upperAscii"),
    **dict.fromkeys(("startwith", "starts_with", "hasprefix", "beginswith"), "startsWith"),
    **dict.fromkeys(("endwith", "ends_with", "hassuffix"), "endsWith"),
    **dict.fromkeys(("includes", "include", "has_substring", "hassubstring", "contain"), "contains"),
    **dict.fromkeys(("match", "regex", "regexmatch", "regexp", "re_match", "test", "search", "like"), "matches"),
    **dict.fromkeys(("strip", "trimspace"), "trim"),
    **dict.fromkeys(("substr", "substring"), "substring"),
    **dict.fromkeys(("str", "tostring", "string"), "string"),
    **dict.fromkeys(("parseint", "toint", "integer", "atoi"), "int"),
    **dict.fromkeys(("float", "parsefloat", "tofloat", "todouble", "number"), "double"),
    **dict.fromkeys(("boolean", "tobool"), "bool"),
    **dict.fromkeys(("any", "some"), "exists"),
    **dict.fromkeys(("every", "foreach"), "all"),
    **dict.fromkeys(("greaterthan", "gt", "isgreater"), "isGreaterThan"),
    **dict.fromkeys(("lessthan", "lt", "isless"), "isLessThan"),
}
"""Names of functions in other languages, in lower case → their names here."""
_ASKING = frozenset({"exists", "isset", "defined", "present", "isdefined", "haskey"})
_EQUAL = frozenset({"equals", "equal", "equalto", "isequal", "isequalto", "eq", "equalsignorecase"})
_GLOBAL = frozenset({"string", "int", "double", "bool"})


def _translated(node: Call, environment: Declarations, expression: str) -> str | None:
    """Return the call with the name that the function has here, None where it is not known by another."""
    name = node.function.removeprefix(".").lower()
    operands = node.args if node.target is None else [node.target, *node.args]
    if not operands:
        return None
    texts = [replacements.text_of(operand, expression) for operand in operands]
    if name in _EQUAL and len(operands) == 2:
        comparison = f"{replacements.operand(operands[0], expression)} == {texts[1]}"
        return f"({comparison})" if expression[: node.start].rstrip().endswith("!") else comparison
    if name in ("attributes", "capacity") and node.target is not None and len(operands) == 2:
        return f"{replacements.receiver(operands[0], expression)}.{name}[{texts[1]}]"
    if name == "get" and node.target is not None and len(operands) == 2:
        return f"{replacements.receiver(operands[0], expression)}[{texts[1]}]"
    own = _ELSEWHERE.get(name)
    if own is None or (environment.overloads(own) is None and own not in environment.macro_names):
        return None
    if own in _GLOBAL:
        return f"{own}({', '.join(texts)})"
    return f"{replacements.receiver(operands[0], expression)}.{own}({', '.join(texts[1:])})"


def unknown_function(node: Call, environment: Declarations, expression: str) -> Said:
    """A global function that does not exist."""
    name = node.function.removeprefix(".")
    span = (node.name_start, node.name_start + len(name))
    known = [*environment.function_names, *environment.macro_names]
    hint = _function_hint(node, known, environment)
    if name.lower() in _ASKING and len(node.args) == 1:
        hint = _presence(node.args[0], expression)
    if name in ("not", "and", "or"):
        hint = 'write "!" for "not": !(...)' if name == "not" else _OTHER_NAMES[name]
    if name == "has":
        return Said(
            "has() takes one argument that ends in a field", 'for example: has(device.attributes["d"].x)', *span
        )
    message = f"there is no function {name}()"
    return Said(message, hint, *span, _translated(node, environment, expression))


def _presence(node: Node, expression: str) -> str:
    """Return the hint how to test whether something exists."""
    if isinstance(node, Call) and node.function == "_[_]":
        return f"write {''.join(presence_of(node, expression))}"
    return f"test with has(): has({replacements.text_of(node, expression)})"


def unknown_method(node: Call, target: Type, environment: Declarations, expression: str) -> Said:
    """A function called on a value that does not exist."""
    name = node.function
    span = (node.name_start, node.name_start + len(name))
    macro_arities = sorted(int(m.split(":")[1]) for m in environment.dialect.macros if m.startswith(f"{name}:"))
    if macro_arities:
        if name == "has":
            asked = None if target.kind == "struct" else _asked_of_map(node, expression)
            example = 'for example: has(device.attributes["d"].x)'
            return Said("has() is not called on a value", example, *span, instead=asked)
        wanted = " or ".join(map(str, macro_arities))
        here = f"but gets {len(node.args)}"
        message = f"{name}() takes {wanted} argument{'' if wanted == '1' else 's'}, {here}"
        return Said(message, "the first is the name of a variable: xs.all(x, x > 0)", *span)
    own = _functions_on(target, environment) if not types.is_dyn(target) and target.kind != "error" else []
    known = own or environment.function_names
    hint = _function_hint(node, [*known, *environment.macro_names], environment)
    if hint is None and own and target.kind == "struct":
        hint = f"{a_type(target)} has: {', '.join(f'{f}()' for f in own)}"
    return Said(f"there is no function {name}()", hint, *span, _translated(node, environment, expression))


def _asked_of_map(node: Call, expression: str) -> str | None:
    """Return the test for a key of a map that other languages write as a method."""
    if node.target is None or len(node.args) != 1:
        return None
    key, owner = node.args[0], replacements.receiver(node.target, expression)
    if isinstance(key, Literal) and isinstance(key.value, str) and key.value.isidentifier():
        return f"has({owner}.{key.value})"
    return f"{replacements.operand(key, expression)} in {owner}"


def compared(node: Node, found: Type, expression: str) -> str | None:
    """Return an example of a condition with a value; None where there is none."""
    if node.macro or node.end - node.start > replacements.LONGEST:
        text = target = "..."
    else:
        text, target = replacements.operand(node, expression), replacements.receiver(node, expression)
    if found.kind == "opaque" and found.name == "optional_type" and is_dyn(found.params[0]):
        return f"take its value: {target}.orValue(false)"
    return {
        types.STRING: f'compare it: {text} == "value"',
        types.INT: f"compare it: {text} > 0",
        types.QUANTITY: f'compare it, for example: {target}.isGreaterThan(quantity("10Gi"))',
        types.SEMVER: f'compare it, for example: {target}.isGreaterThan(semver("1.0.0"))',
    }.get(found)


def not_bool(operand: Node, found: Type, call: Call, expression: str) -> Said:
    """An operand of && or || that is not a bool."""
    mark = _mark(call.function)
    message = f'"{mark}" joins conditions (bool), but this is {a_type(found)}'
    hint = compared(operand, found, expression)
    if hint is None and found.kind == "map":
        hint = 'select one entry: .name or ["name"]'
    first = call.args[0]
    while isinstance(first, Call) and first.function == call.function:
        first = first.args[-1]
    repeats = {"_||_": "_==_", "_&&_": "_!=_"}[call.function]  # `a == 1 || 2`
    if isinstance(operand, Literal) and isinstance(first, Call) and first.function == repeats:
        again = f"{expression[first.start : first.args[1].start]}{expression[operand.start : operand.end]}"
        return Said(message, hint, operand.start, operand.end, again)
    return Said(message, hint, operand.start, operand.end)


_OF_ITERATED = {
    types.ANY: "lists in attributes need the feature gate DRAListTypeAttributes (1.36 and later)",
    types.STRING: "a string has contains(), startsWith(), matches(), split()",
}


def not_iterable(node: Comprehension, over: Type) -> Said:
    """A macro over something that is not a list or map."""
    name = node.macro or "this macro"
    message = f"{name}() iterates over a list or a map, but this is {a_type(over)}"
    hint = _OF_ITERATED.get(over)
    if over is types.ANY:
        message = f"{name}() cannot iterate over an attribute: its type is not known before the expression runs"
    elif over.name == "kubernetes.DRADevice":
        hint = f"a selector runs for one device: write its condition without {name}()"
    return Said(message, hint, node.iter_range.start, node.iter_range.end)


def unknown_message(node: Message) -> Said:
    """`a.b{...}` where a.b is not a type."""
    hint = "a map is written without a name in front of '{'"
    if "{{" in node.name or node.name in ("$",):
        hint = "this looks like a template that was not expanded"
    return Said(f'"{node.name}" is not a type', hint, node.start, node.start + len(node.name))


_NUMERIC = (types.INT, types.UINT, types.DOUBLE)


def no_overload(
    node: Call, operands: list[Node], given: list[Type], overloads: tuple[Overload, ...], expression: str
) -> Said:
    """No signature of the function or operator takes these types."""
    function = node.function
    if "@" in function and function != "@in":
        return Said(f"{node.macro}() cannot work with {a_type(given[0])}", None, node.start, node.end)
    if function[0].isalpha():
        said = _function(node, operands, given, overloads, expression)
    else:
        said = _operator(node, operands, given, expression)
    attribute = None if said.instead is not None else _meant_attribute(node, operands, given, expression)
    if attribute is not None:
        said = said._replace(message=f"{said.message}; every capacity is a Quantity", instead=attribute)
    return said._replace(follows=types.ERROR in given)


_AMOUNTS = frozenset({types.QUANTITY, *_NUMERIC, types.NULL, types.ERROR})


def _meant_attribute(node: Call, operands: list[Node], given: list[Type], expression: str) -> str | None:
    """Return the node with an attribute in place of a capacity that is used as a text, boolean or version."""
    capacity = operands[given.index(types.QUANTITY)] if types.QUANTITY in given else None
    if capacity is None or not replacements.is_one_of("capacity", capacity):
        return None
    others = [(operand, kind) for operand, kind in zip(operands, given, strict=True) if operand is not capacity]
    if any(kind in _AMOUNTS or types.is_dyn(kind) for _, kind in others):
        return None
    if _mark(node.function) in _ORDERS and types.STRING in given:
        return None  # texts in an order are versions, which are compared otherwise
    literals = [part for operand, _ in others for part in walk(operand) if isinstance(part, Literal)]
    if types.SEMVER not in given and any(str(part.value).strip()[:1].isdigit() for part in literals):
        return None  # it can be an amount
    attribute = replacements.looked_up_in("attributes", capacity, expression)
    return replacements.text_of(node, expression).replace(replacements.text_of(capacity, expression), attribute, 1)


_OF_SLICES = ("quantity", "value")
"""What people write behind the name of a capacity, because a ResourceSlice or an early API has it there."""


def _comparison(node: Node, mark: str, operands: list[Node], given: list[Type], expression: str) -> Said:
    """An operator with a Quantity or Semver on one side."""
    found = replacements.Comparison(mark, operands, given, expression)
    kind = "Quantity" if found.kind is types.QUANTITY else "Semver"
    if found.on_attribute:
        what = "attributes hold no quantities, capacities do (device.capacity): compare"
    elif found.is_kind:
        what = f'"{source_of(found.subject)}" is a {kind}: compare'
    else:
        what = f"a {kind} is on one side: compare"
    attribute = _asked_as_attribute(found.subject, expression)
    if attribute is not None:
        message = f'"{source_of(found.subject)}" is an attribute elsewhere in the selector, and a capacity here'
        return Said(message, Instead(f"write {attribute}", found.subject.start, found.subject.end, attribute))
    if found.call is None:
        hint = f'for example: {kind.lower()}("{"10Gi" if kind == "Quantity" else "1.0.0"}")'
        message = f'"{mark}" does not apply to {" and ".join(map(a_type, given))}'
        return Said(message, hint, instead=found.whole)
    if found.whole is not None and replacements.is_few_bytes_of(found.subject, found.other):
        number = replacements.text_of(found.other, expression).strip("\"'")
        more = found.whole.replace(f'"{number}"', f'"{number}Gi"')
        message = f'"{source_of(found.subject)}" is a Quantity, and {number} without a unit is {number} bytes'
        return Said(message, f"write {more} for {number} GiB")
    call = found.call if len(found.call) <= 80 else found.call.partition("(")[0] + "()"
    if found.misplaced:
        hint = f'write device.capacity["DOMAIN"].NAME.{call}, with the domain and name that the driver publishes'
        return Said(f'{what} with {call}, not with "{mark}"', hint)
    inner = found.subject.operand if isinstance(found.subject, Select) else found.subject
    domain = lookup_of(inner)
    is_of_slices = inner is not found.subject and source_of(found.subject) in _OF_SLICES
    if is_of_slices and domain is not None and len(domain.parts) == 2 and name_within(str(domain.parts[1])) is not None:
        behind = f" {found.call}" if found.mark == "==" else f".{found.call}"
        return _whole_map(node, inner, domain, behind, is_amount=True)
    if found.mark == "==":
        return Said(f"{what} with {call}", None, instead=found.whole)
    if found.mark in ("+", "-"):
        return Said(f'{what.removesuffix("compare")}use {call}, not "{mark}"', None, instead=found.whole)
    return Said(f'{what} with {call}, not with "{mark}"', None, instead=found.whole)


def _asked_as_attribute(subject: Node, expression: str) -> str | None:
    """Return a capacity as the attribute that another part of the selector uses; None where none does."""
    lookup = lookup_of(subject) if replacements.is_one_of("capacity", subject) else None
    if lookup is None:
        return None
    domain, name = re.escape(str(lookup.parts[1])), re.escape(str(lookup.parts[2]))
    map_ = rf"device\.attributes\[[\"']{domain}[\"']\]"
    if re.search(rf"{map_}\.{name}\b|[\"']{name}[\"'] +in +{map_}", expression) is None:
        return None
    return replacements.looked_up_in("attributes", subject, expression)


def _operator(node: Call, operands: list[Node], given: list[Type], expression: str) -> Said:
    function = node.function
    mark = _mark(function)
    names = " and ".join(f"{a_type(t)}" for t in given)
    special = [t for t in given if t in (types.QUANTITY, types.SEMVER)]
    for operand in operands if mark in _COMPARISONS else ():
        lookup = lookup_of(operand)
        if lookup is not None and len(lookup.parts) <= 2:
            return _whole_map(node, operand, lookup, *_compared_with(mark, operands, given, expression))
    if len(given) == 2 and len(set(special)) == 1 and types.NULL not in given and mark in _OF_QUANTITIES:
        return _comparison(node, mark, operands, given, expression)
    if function == "_?_:_":
        if given[0] is not types.BOOL and not types.is_dyn(given[0]):
            message = f'the condition before "?" must be a bool, but it is {a_type(given[0])}'
            return Said(message, None, operands[0].start, operands[0].end)
        results = f"{a_type(given[1])} and {a_type(given[2])}"
        return Said(f'both results of "?:" must have one type; here are {results}', None)
    if function in ("_[_]", "_[?_]"):
        return _index(operands, given)
    if function == "@in":
        container = given[1]
        if container.kind in ("list", "map"):
            return Said(f"{a_type(given[0])} cannot be in {a_type(container)}", None)
        hint = None
        if container is types.STRING:
            listed = replacements.list_of(operands[1], expression)
            hint = f"write == to compare it, or a list: {listed}; for part of a string use contains()"
            if "," in listed:
                hint = f"write a list: {listed}"
        message = f'what follows "in" must be a list or a map, but it is {a_type(container)}'
        return Said(message, hint, operands[1].start, operands[1].end)
    if len(given) == 1:
        hint = None
        if function == "!_" and given[0] is types.STRING:
            hint = _negated(node, operands[0], expression)
        return Said(f'"{mark}" does not apply to {a_type(given[0])}', hint)
    hint = instead = None
    if set(given) <= set(_NUMERIC) and len(set(given)) == 2:
        hint = "both sides must have one type: convert one with int() or double()"
        instead = replacements.one_number_type(mark, operands, given, expression)
    elif mark in _ORDERS and types.BOOL in given and _mark(getattr(operands[0], "function", "")) in _ORDERS:
        instead = _chained(mark, operands, expression)
    elif mark in ("==", "!=") and len(given) == 2 and types.is_optional(given[0]) and given[1] is types.STRING:
        optional = replacements.text_of(operands[0], expression)
        hint = f'use its value, with a default for a missing one: {optional}.orValue("")'
    elif types.NULL in given:
        hint = "null is only for optional values; test with has(...) whether an attribute exists"
        if any(source_of(o) == "driver" for o in operands):
            hint = "every device has a driver: leave the comparison out"
    elif types.STRING in given and (types.INT in given or types.BOOL in given or types.DOUBLE in given):
        instead = replacements.one_text_type(mark, operands, given, expression)
    return Said(f'"{mark}" does not apply to {names}', hint, instead=instead)


def _chained(mark: str, operands: list[Node], expression: str) -> str:
    """Return two comparisons for one with three sides: `1 <= x <= 2`."""
    first = operands[0]
    assert isinstance(first, Call)
    middle, right = (replacements.text_of(operand, expression) for operand in (first.args[1], operands[1]))
    return f"{replacements.text_of(first, expression)} && {middle} {mark} {right}"


_COMPARED = re.compile(r"\s*==\s*(\"[^\"\\\n]*\"|'[^'\\\n]*')")


def _negated(node: Call, operand: Node, expression: str) -> str:
    """Suggest how to negate a comparison with a `!` before its left side."""
    match = _COMPARED.match(expression, node.end)
    value = match[1] if match is not None else '"value"'
    return f"compare it: {replacements.operand(operand, expression)} != {value}"


_OF_QUANTITIES = frozenset({"==", "!=", "<", "<=", ">", ">=", "+", "-"})
_ORDERS = frozenset({"<", "<=", ">", ">="})
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def _compared_with(mark: str, operands: list[Node], given: list[Type], expression: str) -> tuple[str, bool]:
    """Return how to compare a capacity with the other operand, or an empty text, and whether that is a Quantity."""
    of_capacity = any(lookup is not None and lookup.parts[0] == "capacity" for lookup in map(lookup_of, operands))
    if types.QUANTITY not in given and not of_capacity:
        return "", False
    meant = [types.QUANTITY if t.kind == "map" else t for t in given]
    call = replacements.Comparison(mark, operands, meant, expression).call
    return "" if call is None else f" {call}" if call.startswith("=") else f".{call}", types.QUANTITY in given


def _whole_map(node: Node, operand: Node, lookup: Lookup, behind: str, is_amount: bool) -> Said:
    """Return the message on a use of all attributes of a domain, or of all domains, as if it were one of them.

    Args:
        node: the comparison or call with the `operand`.
        behind: what follows the lookup in the hint, if there is something to write.
        is_amount: whether it is compared with a Quantity, as only a capacity can be.
    """
    kind = "capacity" if is_amount else lookup.parts[0]
    domain = lookup.parts[1] if len(lookup.parts) == 2 else None
    span = (operand.start, operand.end)
    unknown = f'device.{kind}["DRIVER"].NAME{behind}, with the names that the driver publishes'
    if domain is None:
        return Said(f"these are the {lookup.parts[0]} of all domains", f"select one: {unknown}", *span)
    within = name_within(domain)
    if within is None and "." not in domain:
        message = f'"{domain}" is not a domain, which is mostly the name of a driver'
        return Said(message, f"write {unknown}", *span)
    if within is None:
        hint = f'select one: device.{kind}["{domain}"].NAME{behind}'
        return Said(f'these are all {lookup.parts[0]} of the domain "{domain}"', hint, *span)
    first, name = within
    named = (f".{name}" if name.isidentifier() else f'["{name}"]') + behind
    if first is None:
        what = "an attribute" if lookup.noun == "attribute" else "a capacity"
        message = f'"{domain}" looks like the name of {what}: before it comes its domain, mostly the name of a driver'
        return Said(message, f'write device.{kind}["DRIVER"]{named}{OF_DRIVER}', *span)
    said = 'the part after the "/" is' if "/" in domain else 'the part after the last "." looks like'
    message = f'"{domain}" is not a domain: {said} the name of the {lookup.noun}'
    text = f'device.{kind}["{first}"]{named}'
    return Said(message, f"write {text}", *span, instead=text if behind and operand.start == node.start else None)


def _index(operands: list[Node], given: list[Type]) -> Said:
    container, key = given
    target = container.params[0] if types.is_optional(container) else container
    span = (operands[1].start, operands[1].end)
    if target.kind == "map":
        message = f"the keys of this map are {spell(target.params[0], short=True)}, but this is {a_type(key)}"
        return Said(message, None, *span)
    if target.kind == "list":
        return Said(f"a list is indexed with an int, but this is {a_type(key)}", None, *span)
    if target.name == "kubernetes.DRADevice":
        return Said("device is not a map: its fields are selected with a dot", "for example: device.driver")
    return Said(f"{a_type(target)} cannot be indexed; lists and maps can", None)


def _function(
    node: Call, operands: list[Node], given: list[Type], overloads: tuple[Overload, ...], expression: str
) -> Said:
    name = node.function
    member = node.target is not None
    span = (node.name_start, node.end)
    if "." in name:
        span = (node.start, node.end)
    same_style = [o for o in overloads if o.member == member]
    arguments = given[1:] if member else given
    if not same_style:
        texts = [replacements.text_of(o, expression) for o in operands]
        if member:
            return Said(f"{name}() is not called on a value", None, *span, f"{name}({', '.join(texts)})")
        instead = None
        if operands:
            instead = f"{replacements.receiver(operands[0], expression)}.{name}({', '.join(texts[1:])})"
        return Said(f"{name}() is called on a value: x.{name}()", None, *span, instead)
    counts = sorted({len(o.args) - int(member) for o in same_style})
    if len(arguments) not in counts:
        wanted = " or ".join(map(str, counts))
        plural = "s" if counts != [1] else ""
        here = f"but gets {len(arguments)}"
        return Said(f"{name}() takes {wanted} argument{plural}, {here}", None, *span)
    if member:
        receivers = list(dict.fromkeys(spell(o.args[0], short=True) for o in same_style))
        same_style = [o for o in same_style if Bindings().assignable((given[0], o.args[0]))]
        lookup = None if same_style else lookup_of(operands[0])
        if lookup is not None and len(lookup.parts) <= 2:
            called = f".{replacements.text_of(node, expression)[node.name_start - node.start :]}"
            return _whole_map(node, operands[0], lookup, called, types.QUANTITY in arguments)
        if not same_style:
            said = f"{name}() is a function of {_either(receivers)}, but this is {a_type(given[0])}"
            return Said(said, None, *span)
    same_style = [o for o in same_style if len(o.args) == len(given)]
    if not same_style:
        return Said(f"{name}() of {a_type(given[0])} does not take {len(arguments)} arguments", None, *span)
    shown = list(dict.fromkeys(_signature(o) for o in same_style))
    found = ", ".join(spell(t, short=True) for t in arguments)
    message = f"{name}() does not take ({found}); it takes {_either(shown)}"
    if member and len(arguments) == 1:
        kinds = list(dict.fromkeys(o.args[-1] for o in same_style))
        kinds = [kind for kind in kinds if kind in (types.QUANTITY, types.SEMVER)]
        if kinds and given[-1] not in kinds:
            return _argument(node, operands, given, kinds, Said(message, None, *span), expression)
    if not member and {"quantity": types.QUANTITY, "semver": types.SEMVER}.get(name) == given[0]:
        return Said(message, None, *span, replacements.text_of(operands[0], expression))
    if not member and given[0] in _NUMERIC and name in ("quantity", "semver"):
        return _of_number(name, operands[0], Said(message, None, *span), expression)
    return Said(message, None, *span)


def _of_number(name: str, number: Node, said: Said, expression: str) -> Said:
    """The argument of quantity() or semver() is a number and should be a text."""
    text = replacements.text_of(number, expression)
    if name == "semver":
        return said._replace(hint='write a text of three numbers: semver("MAJOR.MINOR.PATCH")')
    if text.isdecimal() and len(text) < _LEAST_BYTES:
        return said._replace(hint=f'write quantity("{text}Gi") for {text} GiB, or quantity("{text}") for a number')
    return said._replace(instead=replacements.made(types.QUANTITY, number))


_LEAST_BYTES = 7
"""With fewer digits, an amount of memory lacks its unit."""


def _argument(
    node: Call, operands: list[Node], given: list[Type], kinds: list[Type], said: Said, expression: str
) -> Said:
    """The argument should be a Quantity or Semver and is something else, most often a text."""
    target, argument = operands
    plain = replacements.plain_comparison(target, node.function, argument, expression)
    if plain is not None:
        return said._replace(instead=plain)
    kind = replacements.argument_kind(given[0], target, argument, kinds)
    if kind is None:
        return said._replace(hint=f"make it a {' or '.join(_MADE[k] for k in kinds)}")
    call = replacements.made(kind, argument)
    said = said._replace(hint=f"make it a {_MADE[kind]}")
    if kind is types.QUANTITY and replacements.is_few_bytes_of(target, argument):
        number = replacements.text_of(argument, expression).strip("\"'")
        return said._replace(hint=f'write quantity("{number}Gi") for {number} GiB: without a unit, {number} is bytes')
    if call is None:
        return said
    before = replacements.receiver(target, expression)
    if kind is types.QUANTITY and replacements.is_attribute(target):
        before = replacements.looked_up_in("capacity", target, expression)
        message = f"{said.message}; attributes hold no quantities, capacities do (device.capacity)"
        said = said._replace(message=message)
    return said._replace(instead=f"{before}.{node.function}({call})")


_MADE = {types.QUANTITY: 'Quantity: quantity("10Gi")', types.SEMVER: 'Semver: semver("1.0.0")'}


def _signature(overload: Overload) -> str:
    args = overload.args[1:] if overload.member else overload.args
    return f"({', '.join(spell(a, short=True) for a in args)})"


def _either(options: list[str]) -> str:
    if len(options) > 6:
        options = [*options[:6], "..."]
    return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
