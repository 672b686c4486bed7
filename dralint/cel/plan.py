"""Checks an expression with correct types before it runs: what the validators refuse, and failures of planning."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.cel import types
from dralint.cel.declarations import CONSTANTS, PLANLESS_TYPES
from dralint.cel.functions import CONVERSIONS, convert
from dralint.cel.issue import REJECTED, Issue, refusal
from dralint.cel.regex import parse
from dralint.cel.regex_nodes import RegexError
from dralint.cel.tree import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    Steps,
    run,
)
from dralint.cel.types import Type, a_type, is_dyn, is_optional
from dralint.cel.values import CelError, CelMap, TypeValue, UInt, parse_duration, parse_timestamp, timestamp_of

if TYPE_CHECKING:
    from dralint.cel.declarations import Declarations


def validate(root: Node, expression: str, environment: Declarations) -> list[Issue]:
    """Return what the validators refuse, in the order of the text."""
    found = _Validator(expression, environment)
    # Children of format() calls are exempt from the rule of one type.
    todo: list[tuple[Node, bool]] = [(root, False)]
    while todo:
        node, exempt = todo.pop()
        if isinstance(node, Call):
            found.call(node)
            exempt = exempt or node.function == "format"
        elif not exempt and isinstance(node, ListLiteral):
            found.same_type(node)
        elif not exempt and isinstance(node, MapLiteral):
            found.same_types(node)
        todo.extend((child, exempt) for child in reversed(node.children()))
    found.issues.sort(key=lambda i: (i.line or 0, i.column or 0))
    return found.issues


class _Validator:
    def __init__(self, expression: str, environment: Declarations) -> None:
        self.expression = expression
        self.environment = environment
        self.issues: list[Issue] = []

    def complain(self, code: str, node: Node, message: str, hint: str | None = None) -> None:
        late = self.environment.dialect.late_lines
        self.issues.append(refusal(code, message, (node.start, node.end), hint, self.expression, node.at, late))

    def call(self, node: Call) -> None:
        arg = node.args[0] if node.args else None
        if node.function in ("duration", "timestamp", "matches") and isinstance(arg, Literal):
            self.literal(node, arg)
        elif self.environment.dialect.format_check == "none":
            return
        elif node.function == "format" and node.target is not None and len(node.args) == 1:
            target = node.target
            if not isinstance(target, Literal) and self.environment.dialect.format_check == "panics":
                message = "the compiler of this release breaks down on format() after anything but a literal string"
                self.issues.append(
                    Issue("format", REJECTED, message, node.start, node.end, "Invalid", "join the parts with +")
                )
            if isinstance(arg, ListLiteral) and isinstance(target, Literal) and isinstance(target.value, str):
                self.format(node, target, arg)

    def literal(self, node: Call, arg: Literal) -> None:
        value = arg.value
        try:
            if node.function == "matches":
                # In matches(text, pattern), the compiler by mistake checks the text.
                _ = isinstance(value, str) and parse(value, self.environment.patterns)
            elif isinstance(value, str):
                _ = parse_duration(value) if node.function == "duration" else parse_timestamp(value)
            elif node.function == "timestamp" and isinstance(value, int) and not isinstance(value, bool | UInt):
                timestamp_of(value)
            else:
                raise ValueError(f"is not something {node.function}() can read")
        except RegexError as error:
            self.complain("literal-regex", arg, f"the pattern {_quoted(value)} {error}", error.hint)
        except ValueError as error:
            hint = _instead_of_literal(node.function, value)
            self.complain(f"literal-{node.function}", arg, f"{_quoted(value)} {error}", hint)

    def same_type(self, node: ListLiteral) -> None:
        first: Type | None = None
        for i, element in enumerate(node.elements):
            t = element.type
            assert t is not None
            if i in node.optional:
                if not is_optional(t):
                    self.unwrapped(element)
                    return
                t = t.params[0]
            if first is None:
                first = t
            elif types.bare(t) is not types.bare(first):
                self.mixed("the elements of a list", element, first, t)
                return

    def same_types(self, node: MapLiteral) -> None:
        first: tuple[Type, Type] | None = None
        for key, value, optional in node.entries:
            assert key.type is not None
            assert value.type is not None
            t = value.type
            if optional:
                if not is_optional(t):
                    self.unwrapped(value)
                    return
                t = t.params[0]
            if first is None:
                first = (key.type, t)
                continue
            if types.bare(key.type) is not types.bare(first[0]):
                self.mixed("the keys of a map", key, first[0], key.type)
            if types.bare(t) is not types.bare(first[1]):
                self.mixed("the values of a map", value, first[1], t)

    def unwrapped(self, node: Node) -> None:
        message = 'the compiler crashes on an entry with "?" of which it does not know that it is optional'
        hint = 'look the value up with .? or [?...], or leave the "?" out'
        self.issues.append(Issue("optional-entry", REJECTED, message, node.start, node.end, "Invalid", hint))

    def mixed(self, what: str, node: Node, first: Type, other: Type) -> None:
        message = f"{what} must have one type: the first is {a_type(first)}, this is {a_type(other)}"
        hint = "write all of them in one type"
        if is_dyn(first) != is_dyn(other):
            known = other if is_dyn(first) else first
            if known.name in ("string", "int", "bool", "double", "uint"):
                hint = f"convert the attribute: {known.name}(...)"
        self.complain("mixed-types", node, message, hint)

    def format(self, node: Call, target: Literal, args: ListLiteral) -> None:
        """Check a format string against its values."""
        text: str = target.value
        octets = text.encode("utf-8", "surrogatepass").decode("latin-1")
        used = 0
        elements = args.elements
        for found in re.finditer(r"%(?:%|(\.[0-9]*)?(.)?)", octets, re.DOTALL):
            precision, verb = found.groups()
            if found[0] == "%%":
                continue
            if found[0] == "%":
                self.complain("format", node, 'the format ends in a single "%"', 'write "%%" for a percent sign')
                return
            if used >= len(elements):
                self.complain("format", node, f"the format needs more than the {len(elements)} values given")
                return
            if precision is not None and (not verb or not precision[1:] or int(precision[1:26]) >= 2**63):
                self.complain("format", node, 'the format has a "." without a precision and a letter')
                return
            wanted = _VERBS.get(verb)
            if wanted is None:
                self.complain(
                    "format",
                    node,
                    f"the format has the unknown verb '%{verb}'; verbs are %s %d %f %e %b %x %X %o",
                    "write %s, which takes values of all types",
                )
                return
            bad = _unsuitable(elements[used], wanted, deep=verb == "s")
            if bad is not None:
                assert bad.type is not None
                message = f"'%{verb}' takes {' or '.join(wanted[:4])}, but this is {a_type(bad.type)}"
                hint = "write %s, which takes values of most types" if verb != "s" else None
                self.complain("format", bad, message, hint)
                return
            used += 1
        if len(elements) > used:
            self.complain("format", node, f"the format uses {used} values, but gets {len(elements)}")


_VERBS = {
    "s": ("string", "int", "uint", "double", "bool", "bytes", "null", "timestamp", "duration", "list", "map", "type"),
    "d": ("int", "uint"),
    "f": ("double", "string"),
    "e": ("double", "string"),
    "b": ("int", "uint", "bool"),
    "x": ("int", "uint", "string", "bytes"),
    "X": ("int", "uint", "string", "bytes"),
    "o": ("int", "uint"),
}


def _unsuitable(node: Node, kinds: tuple[str, ...], *, deep: bool) -> Node | None:
    todo = [node]
    while todo:
        item = todo.pop()
        assert item.type is not None
        if item.type is not types.DYN and item.type.kind not in kinds:
            return item
        if deep and isinstance(item, ListLiteral | MapLiteral):
            todo.extend(reversed(item.children()))
    return None


def _instead_of_literal(function: str, value: object) -> str | None:
    """Return what to write instead of a text that duration() or timestamp() cannot read."""
    if function == "timestamp":
        return 'write date, time and zone, such as timestamp("2026-01-31T12:00:00Z")'
    days = re.fullmatch(r"(\d{1,6})\s*(?:d|days?)", value, re.ASCII) if isinstance(value, str) else None
    if days is not None:
        return f'write duration("{int(days[1]) * 24}h")'
    return 'write numbers with units, such as duration("1h30m")'


def _quoted(value: object) -> str:
    text = repr(value) if not isinstance(value, str) else f'"{value}"'
    return text if len(text) <= 60 else text[:57] + "..."


_VARIES = object()
"""The value of everything that is not constant."""
_A_MAP = CelMap(())
"""The value of every constant map: only its type counts."""


class PlanError(Exception):
    """The program cannot be planned; `node` is the one to blame."""

    def __init__(self, node: Node, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


def plan(root: Node, environment: Declarations) -> None:
    """Fold the constants of a checked tree. Raises PlanError."""
    run(_planned(root, environment))


def _planned(node: Node, environment: Declarations) -> Steps[Any]:
    """Return the value of a constant."""
    if isinstance(node, Literal):
        return node.value
    if isinstance(node, Ident):
        return _constant(node, node.name.removeprefix("."), environment)
    if isinstance(node, Select):
        if node.qualified is not None:
            return _constant(node, node.qualified, environment)
        yield _planned(node.operand, environment)
        return _VARIES
    values = []
    if isinstance(node, Comprehension):
        for child in (node.accu_init, node.iter_range, node.condition, node.step, node.result):
            yield _planned(child, environment)
        return _VARIES
    for child in node.children():
        value = child.value if isinstance(child, Literal) else (yield _planned(child, environment))
        values.append(value)
    if isinstance(node, Call):
        return _called(node, values, environment)
    if any(value is _VARIES for value in values):
        return _VARIES
    if isinstance(node, ListLiteral):
        return _list_of(node, values)
    return _map_of(node, values) if isinstance(node, MapLiteral) else _VARIES


def _constant(node: Node, name: str, environment: Declarations) -> Any:
    if name in CONSTANTS and not getattr(node, "local", False):
        return CONSTANTS[name]
    if node.type is None or node.type.kind != "type":
        return _VARIES
    named = None if name in PLANLESS_TYPES else environment.type_named(name)
    if named is None:
        message = f'"{name}" is a type here, and the compiler does not know it as a value'
        raise PlanError(node, message, "compare with a type by its own name: int, string, bool, ...")
    return TypeValue(named.name)


def _called(node: Call, values: list[Any], environment: Declarations) -> Any:
    function = node.function
    if function in ("_[_]", "_[?_]", "_?._"):
        key = values[1]
        if key is not _VARIES and not isinstance(key, str | int | float):
            message = "a constant index must be a string, a number or a bool"
            raise PlanError(node.args[1], message)
        return _VARIES
    if function in ("matches", "find", "findAll") and len(values) >= 2 and isinstance(values[1], str):
        try:
            parse(values[1], environment.patterns)
        except RegexError as error:
            blamed = node.args[-1] if node.target is None else node.args[0]
            raise PlanError(blamed, f"the pattern {_quoted(values[1])} {error}", error.hint) from None
    if function in CONVERSIONS and len(values) == 1 and values[0] is not _VARIES:
        value = convert(function, values[0])
        if isinstance(value, CelError):
            message = f"{function}() always fails here: {value.message}"
            raise PlanError(node, message, "write the value itself, without a conversion")
        return value
    if function == "@in" and node.overloads == ["in_list"] and values[1] is not _VARIES:
        if isinstance(values[1], CelError):
            raise PlanError(node.args[1], values[1].message)
        if values[1] == []:
            return False
    return _VARIES


def _list_of(node: ListLiteral, values: list[Any]) -> Any:
    for i, value in enumerate(values):
        if isinstance(value, CelError):
            return value
        if i in node.optional:
            return CelError('an entry with "?" is not optional')
    return values


def _map_of(node: MapLiteral, values: list[Any]) -> Any:
    for (key_node, _, optional), key, value in zip(node.entries, values[::2], values[1::2], strict=True):
        if isinstance(key, CelError):
            return key
        if isinstance(value, CelError):
            return value
        if optional:
            return CelError('an entry with "?" is not optional')
        if isinstance(key, bytes):
            message = "bytes cannot be keys of a map: the compiler crashes on them"
            raise PlanError(key_node, message)
    return _A_MAP
