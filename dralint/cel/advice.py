"""Advice on accepted expressions: what can never work, what can fail, and what can be written better."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from dralint.cel import table, types
from dralint.cel.compile import in_release
from dralint.cel.issue import ADVICE, BROKEN, NOT_DECIDED, Instead, Issue, issue_of
from dralint.cel.machine import Device, Undecided, evaluate
from dralint.cel.parser import parse
from dralint.cel.syntax_errors import FOREIGN_OPERATORS, FOREIGN_QUOTES, look_alike, unescaped
from dralint.cel.tree import (
    OF_DRIVER,
    Call,
    Comprehension,
    Ident,
    Literal,
    Lookup,
    Node,
    Parts,
    Select,
    is_driver,
    lookup_of,
    walk,
)
from dralint.cel.type_errors import TRUTH_VALUES
from dralint.cel.values import normalize_semver, parse_quantity, parse_semver
from dralint.kubernetes.near import did_you_mean, listed
from dralint.kubernetes.near import is_certain as is_certain_word
from dralint.kubernetes.quantity import amounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.cel.issue import Compilation, Hint


_ALL: Parts = ()
"""The guard that covers everything: the driver is known."""


def unguarded(root: Node) -> Iterator[tuple[Node, Lookup]]:
    """Yield each attribute or capacity that is looked up without a guard, once."""
    said: set[Parts] = set()
    todo: list[tuple[Node, frozenset[Parts], dict[str, Parts]]] = [(root, frozenset(), {})]
    while todo:
        node, guards, names = todo.pop()
        lookup = lookup_of(node, names) if isinstance(node, Select | Call) else None
        if lookup is not None and len(lookup.parts) == 3:
            covered = _ALL in guards or lookup.parts in guards or None in lookup.parts
            if not covered and lookup.parts not in said:
                said.add(lookup.parts)
                yield node, lookup
            if isinstance(node, Call):
                todo.append((node.args[1], guards, names))
            continue
        if isinstance(node, Call) and node.function in ("_&&_", "_||_"):
            terms = _terms(node, node.function)
            positive = node.function == "_&&_"
            found = frozenset(g for term in terms for g in _guards_of(term, names, positive=positive))
            todo.extend((term, guards | found, names) for term in reversed(terms))
        elif isinstance(node, Call) and node.function == "_?_:_":
            condition, then, other = node.args
            # Both operands of a macro's `?:` are reached through its own test.
            todo.append((other, guards | frozenset(_guards_of(condition, names, positive=False)), names))
            todo.append((then, guards | frozenset(_guards_of(condition, names, positive=True)), names))
            todo.append((condition, guards, names))
        elif isinstance(node, Comprehension):
            inner = names
            if node.is_bind:
                bound = lookup_of(node.accu_init, names)
                inner = {k: v for k, v in names.items() if k != node.accu}
                if bound is not None:
                    inner[node.accu] = bound.parts
                    if len(bound.parts) == 3:
                        todo.append((node.accu_init, guards, names))
                    todo.append((node.result, guards, inner))
                    continue
            todo.extend((child, guards, inner) for child in reversed(node.children()))
        elif isinstance(node, Call) and node.function in ("_?._", "_[?_]"):
            # The last step cannot fail, and neither can the lookup of a domain before it.
            inner_lookup = lookup_of(node.args[0], names)
            if inner_lookup is None or len(inner_lookup.parts) == 3:
                todo.append((node.args[0], guards, names))
        else:
            todo.extend((child, guards, names) for child in reversed(node.children()))


def _terms(root: Node, function: str) -> list[Node]:
    """Return the terms of a chain of one operator, in order; the node itself where it is something else."""
    terms: list[Node] = []
    todo = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, Call) and item.function == function:
            todo.extend(reversed(item.args))
        else:
            terms.append(item)
    return terms


def _guards_of(node: Node, names: dict[str, Parts], *, positive: bool) -> Iterator[Parts]:
    """Yield what certainly exists where the node is true (`positive`) or false."""
    while isinstance(node, Call) and node.function == "!_":
        node, positive = node.args[0], not positive
    if isinstance(node, Call) and node.function == ("_&&_" if positive else "_||_"):
        for term in _terms(node, node.function):
            yield from _guards_of(term, names, positive=positive)
        return
    if isinstance(node, Call) and node.function == ("_!=_" if positive else "_==_"):
        return
    if isinstance(node, Select) and node.test:
        if positive:
            plain = lookup_of(node.operand, names)
            if plain is not None:
                yield (*plain.parts, node.field)
    elif isinstance(node, Call) and node.function == "@in" and positive:
        container = lookup_of(node.args[1], names)
        key = node.args[0]
        if container is not None and isinstance(key, Literal) and isinstance(key.value, str):
            yield (*container.parts, key.value)
    if positive and isinstance(node, Call) and any(map(is_driver, node.children())):
        yield _ALL
    if not positive and isinstance(node, Call) and node.function == "_!=_" and any(map(is_driver, node.args)):
        yield _ALL


_MOST_DIGITS = 18
"""The most digits of a number in a version that a hint repeats; each such number is in range."""
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_MAX_DOMAIN, _MAX_IDENTIFIER = 63, 32
_QUANTITY_METHODS = frozenset(
    {"isGreaterThan", "isLessThan", "compareTo", "add", "sub", "asInteger", "isInteger", "asApproximateFloat"}
)


def advice(compilation: Compilation) -> tuple[Issue, ...]:
    """Return findings of effect `broken` or `advice` on an accepted expression; none on a refused one."""
    root = compilation.root
    if root is None:
        return ()
    found = [*_literals(root), *_invisible(root, compilation.expression)]
    if compilation.environment.kind != "named-resources":
        found += _names(root)
        constant = list(_constant(compilation, root))
        found += constant
        if not constant and compilation.environment.kind == "device":
            # A lookup that can never succeed, or that needs another test, needs no guard.
            said = tuple(found)
            found += [i for i in _guards(root) if not any(b.start < i.end and i.start < b.end for b in said)]
    found += _newer(compilation)
    return tuple(sorted(found, key=lambda i: (i.start, i.end, i.code)))


def _say(code: str, effect: str, node: Node, message: str, hint: Hint) -> Issue:
    return issue_of(code, effect, message, node.start, node.end, hint)


def _literals(root: Node) -> Iterator[Issue]:
    for node in walk(root):
        if not isinstance(node, Call) or node.target is not None or not node.args:
            continue
        arg = node.args[0]
        if (
            node.function not in ("quantity", "semver")
            or not isinstance(arg, Literal)
            or not isinstance(arg.value, str)
        ):
            continue
        try:
            if node.function == "quantity":
                parse_quantity(arg.value)
                continue
            second = node.args[1] if len(node.args) > 1 else None
            normalize = isinstance(second, Literal) and second.value is True
            parse_semver(normalize_semver(arg.value) if normalize else arg.value)
        except ValueError as error:
            message = f'the selector fails whenever it reaches this part: "{arg.value[:60]}" {error}'
            yield _say(f"literal-{node.function}", BROKEN, arg, message, _example(node.function, arg))


def _example(function: str, arg: Literal) -> Hint:
    """Return what to write for the text of a quantity or a version."""
    value: str = arg.value
    if function == "semver":
        numbers = re.findall(r"\d+", value)[:3]
        if numbers and max(map(len, numbers)) <= _MOST_DIGITS:
            version = ".".join(str(int(n)) for n in [*numbers, "0", "0"][:3])
            return Instead(f'write semver("{version}")', arg.start, arg.end, f'"{version}"')
        return 'write three numbers: semver("MAJOR.MINOR.PATCH")'
    meant = amounts(value).values
    if not meant:
        return "write a number with a suffix that Kubernetes knows, such as M or Gi, without a space"
    if len(meant) == 1:
        return Instead(f'write quantity("{meant[0]}")', arg.start, arg.end, f'"{meant[0]}"')
    return f'write quantity("{meant[0]}") for powers of 1000, quantity("{meant[1]}") for powers of 1024'


def _names(root: Node) -> Iterator[Issue]:
    dotted: set[Node] = set()
    typed: set[Node] = set()
    behind: dict[Node, str] = {}
    for node in walk(root):
        if isinstance(node, Select) and node not in dotted:
            yield from _beyond(node, dotted)
            yield from _typed(node, typed)
            if node.test:
                yield from _tested_domain(node)
        lookup = lookup_of(node)
        if lookup is None or lookup.key is None or node in typed:
            continue
        if len(lookup.parts) == 2:
            yield from _domain(lookup.key, lookup, behind.get(node, ""))
        elif len(lookup.parts) == 3:
            if isinstance(node, Select):
                behind[node.operand] = node.field
            yield from _identifier(lookup.key, lookup)
    for node in walk(root):
        if isinstance(node, Call) and node.target is not None and node.function in _QUANTITY_METHODS:
            yield from _attribute_as_quantity(node)
        elif isinstance(node, Call) and node.function in ("_==_", "_!=_"):
            yield from _unequal(node)
            yield from _driver_name(node, root)
        elif isinstance(node, Call) and node.function in _ORDERS:
            yield from _amount_in_text(node)
    yield from _asked_for(root)


_SIZES = ("length", "size", "len")


def _beyond(node: Select, seen: set[Node]) -> Iterator[Issue]:
    """Find selections from an attribute, which has no fields: mostly, a domain lacks its quotes."""
    parts: list[str] = []
    inner: Node = node
    chain: list[Node] = []
    while isinstance(inner, Select):
        parts.append(inner.field)
        chain.append(inner)
        inner = inner.operand
    base = lookup_of(inner) if not isinstance(inner, Ident) else None
    parts.reverse()
    if base is None:
        if not (isinstance(inner, Ident) and inner.name == "device") or len(parts) < 4:
            return
        kind, names = parts[0], parts[1:]
    elif len(base.parts) >= 2 and base.parts[0] == "attributes" and len(base.parts) - 1 + len(parts) > 2:
        kind, names = "", parts
    else:
        return
    seen.update(chain)
    if kind == "attributes":
        if len(names) > 3 and _is_type(names[-1]):
            names = names[:-1]
        domain, name = ".".join(names[:-1]), names[-1]
        message = (
            f'the domain needs quotes: without them this looks for "{names[2]}" inside of the attribute "{names[1]}"'
        )
        text = _asked(f'device.attributes["{domain}"].{name}', test=node.test)
        yield _say("unquoted-domain", BROKEN, node, message, Instead(f"write {text}", node.start, node.end, text))
    elif kind == "":
        message = f'attributes have no fields, so there is never a "{names[-1]}" inside of one'
        hint = "call size(): x.size()" if names[-1] in _SIZES else "compare the attribute itself"
        if base is not None and base.parts[1] is not None and len(base.parts) == len(parts) == 2:
            text = _asked(f'device.attributes["{base.parts[1]}"].{names[0]}', test=node.test)
            hint = hint if names[-1] in _SIZES else f"write {text}"
        yield _say("attribute-field", BROKEN, node, message, hint)


def _asked(text: str, *, test: bool) -> str:
    """Return a lookup, inside of has() if that tests it."""
    return f"has({text})" if test else text


_TYPED = frozenset({"string", "bool", "int", "version", "stringValue", "boolValue", "intValue", "versionValue"})
"""Words next to the value of an attribute in a ResourceSlice, or in an early API, but never in an expression."""


def _written(kind: str, domain: str, name: str, *, test: bool = False) -> str:
    """Return the hint how to write a lookup; for an impossible name, that the driver has the right one."""
    if _IDENTIFIER.fullmatch(name):
        text = f'device.{kind}["{domain}"].{name}'
        return f"write {_asked(text, test=test)}"
    return (
        f'write device.{kind}["DOMAIN"].NAME as the driver publishes them: "{name}" is not a name, which has letters, '
        'digits and "_" only'
    )


def _is_type(field: str) -> bool:
    return field[:1].lower() + field[1:] in _TYPED


def _typed(node: Select, seen: set[Node]) -> Iterator[Issue]:
    """Find an attribute name in place of its domain, followed by the type of its value."""
    inner = lookup_of(node.operand)
    if inner is None or len(inner.parts) != 2 or inner.parts[0] != "attributes" or inner.parts[1] is None:
        return
    domain, slash, name = inner.parts[1].partition("/")
    if not _is_type(node.field) or (not slash and ("." in domain or node.field == "version")):
        return
    seen.update((node, node.operand))
    if not slash:
        domain, name = "DOMAIN", domain
    message = (
        f'this looks up "{inner.parts[1]}" as a domain and "{node.field}" as the name of an attribute; an expression '
        "does not write the type of a value"
    )
    hint = _written("attributes", domain, name, test=node.test)
    if not slash:
        hint += ", where DOMAIN is mostly the name of the driver"
    yield _say("attribute-type", BROKEN, node, message, hint)


def _tested_domain(node: Select) -> Iterator[Issue]:
    """Find has() of a domain, most often the name of an attribute without one.

    To look up a domain never fails: of one that a device does not have there is an empty map.
    Source: k8s.io/dynamic-resource-allocation v0.37.1 cel/compile.go (mapper.Find).
    """
    container = lookup_of(node.operand)
    if container is None or len(container.parts) != 1:
        return
    kind = container.parts[0]
    message = f'this is always true: "{node.field}" is a domain here, and a device without it has an empty map there'
    hint = f'write has(device.{kind}["DRIVER"].{node.field}){OF_DRIVER}'
    yield _say("tested-domain", ADVICE, node, message, hint)


def _domain(key: Node, lookup: Lookup, name: str) -> Iterator[Issue]:
    """Find a domain that no driver can have; `name` is what follows it."""
    domain = lookup.parts[1]
    assert domain is not None
    if "/" in domain:
        first, _, rest = domain.partition("/")
        if name and first.count(".") == 1 and _DOMAIN.fullmatch(f"{rest}.{first}"):  # the form of nvidia.com/gpu
            message = f'"{domain}" is not a domain: a domain has no "/"'
            forward = " or ".join(f'device.{kind}["{rest}.{first}"].{name}' for kind in ("attributes", "capacity"))
            yield _say("qualified-domain", BROKEN, key, message, f"if the driver is {rest}.{first}, write {forward}")
            return
        message = f'"{domain}" is not a domain: the part after the "/" is the name of the {lookup.noun}'
        yield _say("qualified-domain", BROKEN, key, message, _written(str(lookup.parts[0]), first, rest))
        return
    if len(domain) > _MAX_DOMAIN:
        message = f"the domain has {len(domain)} characters, so it can never exist; at most {_MAX_DOMAIN} are allowed"
        yield _say("impossible-domain", BROKEN, key, message, "write the domain that the driver publishes")
    elif _DOMAIN.fullmatch(domain) is None:
        message = f'"{domain}" can never exist: a domain has lower-case letters, digits, "-" and "." only'
        first, _, rest = domain.rpartition(".")
        lower = _plain(domain).lower().replace("_", "-")
        hint: Hint = None
        if "." in first and _DOMAIN.fullmatch(first) and _IDENTIFIER.fullmatch(rest) and len(lookup.parts) == 2:
            hint = f'if "{rest}" is the name of the {lookup.noun}: device.{lookup.parts[0]}["{first}"].{rest}'
        elif _DOMAIN.fullmatch(lower):
            hint = Instead(f'did you mean "{lower}"?', key.start, key.end, f'"{lower}"')
        yield _say("impossible-domain", BROKEN, key, message, hint)


def _asked_for(root: Node) -> Iterator[Issue]:
    """Find a domain with a name after it that must exist for the expression to be true, and never does."""
    for node in _terms(root, "_&&_"):  # each must be true for the expression to be true
        if isinstance(node, Call) and node.function == "@in":
            key, container = node.args[0], lookup_of(node.args[1])
            if container is None or not isinstance(key, Literal) or not isinstance(key.value, str):
                continue
            domain, slash, name = key.value.partition("/")
            if slash and len(container.parts) == 1:
                message = f'"{key.value}" is not a domain, so this is never true'
                hint = f'write "{name}" in device.{container.parts[0]}["{domain}"]'
                yield _say("qualified-domain", BROKEN, key, message, hint)
            elif slash and len(container.parts) == 2:
                message = f'"{key.value}" can never exist: a name has no "/", so this is never true'
                yield _say("impossible-name", BROKEN, key, message, f'write "{name}"')


_NO_DRIVER = re.compile(r"[A-Za-z0-9.-]+/[A-Za-z0-9./_-]+", re.ASCII)
"""The name of an extended resource, or of a device with its driver, in place of that of a driver."""


def _driver_name(node: Call, root: Node) -> Iterator[Issue]:
    """Find a comparison of the driver with a text that no driver has as its name, which is a DNS subdomain."""
    for operand, other in (node.args, reversed(node.args)) if node.function == "_==_" else ():
        value = other.value if isinstance(other, Literal) else None
        if not is_driver(operand) or not isinstance(value, str) or not _NO_DRIVER.fullmatch(value):
            continue
        first, _, rest = value.partition("/")
        hint = "write the name that the driver has in its ResourceSlices"
        if first.count(".") == 1 and _DOMAIN.fullmatch(f"{rest}.{first}"):  # the form of nvidia.com/gpu
            hint = f'if the driver is {rest}.{first}, write "{rest}.{first}"'
        message = f'"{value}" is never the name of a driver, which has no "/": this is never true'
        yield _say("impossible-driver", BROKEN if node in _terms(root, "_&&_") else ADVICE, other, message, hint)


def _plain(text: str) -> str:
    """Return the text without invisible characters, and with ASCII letters for similar ones."""
    return "".join(c if (like := look_alike(c)) is None else like for c in text)


def _invisible(root: Node, expression: str) -> Iterator[Issue]:
    """Find invisible characters in texts."""
    for node in walk(root):
        if not isinstance(node, Literal) or not isinstance(node.value, str) or node.value.isascii():
            continue
        source = expression[node.start : node.end]
        hidden = [c for c in source if not c.isascii() and look_alike(c) == ""]
        if hidden and hidden[0] in node.value:
            name = unicodedata.name(hidden[0], "").lower()
            message = f"the text has an invisible character: U+{ord(hidden[0]):04X}{', ' if name else ''}{name}"
            text = "".join(c for c in source if c not in hidden)
            hint = Instead(f"write {text}", node.start, node.end, text)
            yield _say("invisible-character", ADVICE, node, message, hint)


def _identifier(key: Node, lookup: Lookup) -> Iterator[Issue]:
    name = lookup.parts[2]
    assert name is not None
    if len(name) > _MAX_IDENTIFIER:
        message = f"the name has {len(name)} characters, so it can never exist; at most {_MAX_IDENTIFIER} are allowed"
        yield _say("impossible-name", BROKEN, key, message, "write the name that the driver publishes")
    elif _IDENTIFIER.fullmatch(name) is None:
        message = f'"{name}" can never exist: a name has letters, digits and "_" only and does not begin with a digit'
        hint: Hint = None
        if "/" in name:
            hint = "the domain belongs into the brackets before"
        elif _IDENTIFIER.fullmatch(name.replace("-", "_").replace(".", "_")):
            near = name.replace("-", "_").replace(".", "_")
            hint = did_you_mean([near])
            if "-" in name:  # the driver has chosen the name
                camel = re.sub(r"-+(\w)", lambda found: found[1].upper(), name).replace(".", "_")
                hint = f"write it as the driver publishes it: {listed(dict.fromkeys((camel, near)), 'or')}"
            elif isinstance(lookup.key, Literal) and lookup.key.end > lookup.key.start + len(name):
                hint = Instead(f'did you mean "{near}"?', key.start, key.end, f'"{near}"')
        yield _say("impossible-name", BROKEN, key, message, hint)


def _presence(where: str, name: str) -> str:
    """Return the test whether a device has an attribute or capacity of a domain."""
    return f"has({where}.{name})" if _IDENTIFIER.fullmatch(name) else f'"{name}" in {where}'


def _as_capacity(lookup: Lookup) -> str:
    """Return the lookup of the capacity in place of that of the attribute."""
    return f'device.capacity["{lookup.parts[1] or "domain"}"].{lookup.parts[2] or "name"}'


def _attribute_as_quantity(node: Call) -> Iterator[Issue]:
    assert node.target is not None
    lookup = lookup_of(node.target)
    if lookup is None or len(lookup.parts) != 3 or lookup.parts[0] != "attributes":
        return
    if node.function in ("asInteger", "isInteger", "asApproximateFloat") or (
        node.args and node.args[0].type is types.QUANTITY
    ):
        message = f"{node.function}() requires a Quantity; attributes are never a Quantity, capacities are"
        hint = f"if it is a capacity, write {_as_capacity(lookup)}"
        yield _say("attribute-is-no-quantity", BROKEN, node.target, message, hint)


_ORDERS = {"_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_AMOUNT = re.compile(r"[0-9.]+(?:[KMGTPE]i|[kMGTPE])")


def _amount_in_text(node: Call) -> Iterator[Issue]:
    """Find an attribute that is ordered by a text that stands for an amount, such as "16Gi"."""
    lookup, other = lookup_of(node.args[0]), node.args[1]
    if lookup is None or len(lookup.parts) != 3 or lookup.parts[0] != "attributes" or "/" in (lookup.parts[1] or ""):
        return
    if isinstance(other, Literal) and isinstance(other.value, str) and _AMOUNT.fullmatch(other.value):
        message = 'texts are compared letter by letter ("9Gi" is more than "16Gi"), and no attribute is a Quantity'
        hint = f'write {_as_capacity(lookup)}.compareTo(quantity("{other.value}")) {_ORDERS[node.function]} 0'
        yield _say("attribute-is-no-quantity", BROKEN, node.args[0], message, hint)


def _unequal(node: Call) -> Iterator[Issue]:
    """Find comparisons of one attribute or capacity with a value that it never has."""
    for operand, other in (node.args, reversed(node.args)):
        lookup = lookup_of(operand)
        if lookup is None or len(lookup.parts) != 3:
            continue
        kind, domain, name = lookup.parts
        if other.type is types.QUANTITY and kind == "attributes":
            message = "attributes are never a Quantity, capacities are: the two are never equal"
            hint = f"if it is a capacity, write {_as_capacity(lookup)}"
            yield _say("attribute-is-no-quantity", BROKEN, operand, message, hint)
        elif isinstance(other, Literal) and other.value is None:
            message = f"this is never null: the selector fails on a device without the {lookup.noun}"
            has = None
            if domain is not None and name is not None:
                has = _presence(f'device.{kind}["{domain}"]', name)
                if node.function == "_==_":
                    has = f"!{has}" if has.startswith("has") else f"!({has})"
                has = f"test whether it exists: {has}"
            yield _say("null-comparison", ADVICE, operand, message, has)


def _constant(compilation: Compilation, root: Node) -> Iterator[Issue]:
    if uses_device(root):
        return
    outcome = evaluate(compilation, Device(""))
    if isinstance(outcome, Undecided):
        if outcome.limited:
            message = f"not decided whether this is always true or false: {outcome.why}"
            yield _say(NOT_DECIDED, ADVICE, root, message, "use something of device, or shorter lists")
    elif compilation.environment.kind == "derived":
        message = "the value is the same for every device: nothing of device is used"
        yield _say("constant-result", ADVICE, root, message, "use something of device")
    elif outcome.matches is True:
        message = "this is always true: it selects every device"
        yield _say("constant-result", ADVICE, root, message, "leave the selector out")
    elif outcome.matches is False:
        message = "this is always false: no device can ever be selected"
        yield _say("constant-result", BROKEN, root, message, "use something of device")
    elif outcome.error is not None:
        hint = "write a condition on device that gives true or false"
        yield _say("constant-result", BROKEN, root, f"the selector always fails: {outcome.error}", hint)


def uses_device(root: Node) -> bool:
    """Say whether an expression names the device, so that its value can differ between devices."""
    return any(isinstance(node, Ident) and node.name.removeprefix(".") == "device" for node in walk(root))


def _guards(root: Node) -> Iterator[Issue]:
    for node, lookup in unguarded(root):
        kind, domain, name = map(str, lookup.parts)
        message = (
            f'the selector fails on a device without the {lookup.noun} "{name}", and the allocation of the claim fails '
            "with it"
        )
        guard = _presence(f'device.{kind}["{domain}"]', name)
        hint = f'write {guard} && ... before it, or device.driver == "..." && ...'
        yield _say("unguarded-lookup", ADVICE, node, message, hint)


def _newer(compilation: Compilation) -> Iterator[Issue]:
    """Report the first later release that refuses what this one accepts."""
    judge = compilation.environment
    later = table.later(judge.release, judge.folder)
    if judge.kind != "device" or not later or compilation.root is None:
        return
    if not in_release(later[-1], judge).compile(compilation.expression).is_refused:
        return
    for release in later:
        refusal = in_release(release, judge).compile(compilation.expression)
        if refusal.is_refused:
            issue = refusal.issues[0]
            message = f"Kubernetes {release} refuses this expression: {issue.message}"
            yield Issue("refused-later", ADVICE, message, issue.start, issue.end, None, issue.hint)
            return


_MOST = 8
"""The most mistakes of one expression that are repaired together."""
_OF_NAMES = ("undeclared-reference", "unknown-field")
_NAMES = re.compile(r"""[\w."'\[\]-]+""")
"""Names and texts without an operator between them."""
_SIGNS = {"=": ("",), ";": ("", "&&"), "<>": ("!=",)}
"""What signs stand for: the third of `===` for nothing, a semicolon for nothing or for the `&&` between conditions."""
_CONSTANT = "constant-result"
_COMPARING = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")


def makes_sense(compilation: Compilation, issue: Issue, compile_again: Callable[[str], Compilation]) -> bool:
    """Say whether an expression is accepted with the replacement of an issue, and those of the remaining issues.

    Then it must not have the same result for all devices, nor compare two literal texts.
    """
    if len(compilation.issues) > _MOST:
        return False
    found = issue.replacement
    current = compilation
    for _ in range(_MOST):
        if found is None:
            return False
        text = current.expression[: found.start] + found.text + current.expression[found.end :]
        current = compile_again(text)
        if current.ok:
            break
        found = next((each.replacement for each in current.issues if each.replacement is not None), None)
    if not current.ok or _compared(current) > _compared(compilation):
        return False
    left = [other.code for other in advice(current)]
    was = [other.code for other in advice(compilation)] if compilation.ok else []
    return left.count(issue.code) < max(was.count(issue.code), 1) and (_CONSTANT not in left or _CONSTANT in was)


def is_certain(issue: Issue, expression: str) -> bool:
    """Say whether the replacement of an issue has one possible meaning.

    This is so for a misspelt name that the compiler knows, for `True`, for a name or text that gets its quotes and
    brackets, and for what other languages and texts write for an operator, for the end or for quotes. It is not so for
    `=`: a letter may be missing from `>=` or `!=`.
    """
    found = issue.replacement
    if found is None:
        return False
    written, meant = expression[found.start : found.end], found.text
    if meant in TRUTH_VALUES:  # a letter is missing: it may be a text without its quotes
        return is_certain_word("truth value", written, meant)
    if _NAMES.fullmatch(written) and is_certain_word("quoted text", written, meant):
        return re.search(rf"\( *{re.escape(written)} *,", expression) is None  # the variable of a misspelt macro
    if issue.code in _OF_NAMES:
        return is_certain_word("name", written, meant)
    return issue.code == "syntax" and is_certain_word("sign", written, meant, _stands_for(written))


def _stands_for(sign: str) -> tuple[str, ...]:
    """Return what a sign of another language can stand for."""
    if sign[:1] in FOREIGN_QUOTES:
        return (f'"{sign[1:-1]}"',)
    return _SIGNS.get(sign) or (FOREIGN_OPERATORS.get(sign.lower(), unescaped(sign)),)


def _compared(compilation: Compilation) -> int:
    """Return how many comparisons of two literals an expression has."""
    root = parse(compilation.expression, compilation.environment.dialect).root
    if root is None:
        return 0
    return sum(
        isinstance(node, Call) and node.function in _COMPARING and all(isinstance(arg, Literal) for arg in node.args)
        for node in walk(root)
    )
