"""Checks an expression with correct types before it is planned.

It checks literal durations, timestamps and patterns, lists and maps of one type, and format strings, like the
validators that k8s.io/apiserver pkg/cel/environment/base.go adds (cel-go cel/validator.go, ext/formatting.go).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.cel.issue import REJECTED, Issue, place
from dralint.cel.regex.parse import RegexError, parse
from dralint.cel.syntax.tree import Call, ListLiteral, Literal, MapLiteral, Node
from dralint.cel.values import types
from dralint.cel.values.types import Type, a_type, is_dyn, is_optional
from dralint.cel.values.values import UInt, parse_duration, parse_timestamp, timestamp_of

if TYPE_CHECKING:
    from dralint.cel.check.declarations import Declarations


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
        line, column = place(self.expression, node.at, late_lines=self.environment.dialect.late_lines)
        self.issues.append(Issue(code, REJECTED, message, node.start, node.end, "Invalid", hint, line, column))

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
                if isinstance(value, str):
                    self.pattern(arg, value)
            elif isinstance(value, str):
                _ = parse_duration(value) if node.function == "duration" else parse_timestamp(value)
            elif node.function == "timestamp" and isinstance(value, int) and not isinstance(value, bool | UInt):
                timestamp_of(value)
            else:
                raise ValueError(f"is not something {node.function}() can read")
        except ValueError as error:
            hint = _instead_of_literal(node.function, value)
            self.complain(f"literal-{node.function}", arg, f"{_quoted(value)} {error}", hint)

    def pattern(self, arg: Literal, value: str) -> None:

        try:
            parse(value, self.environment.patterns)
        except RegexError as error:
            message = f"the pattern {_quoted(value)} {error}"
            self.complain("literal-regex", arg, message, error.hint)

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
        types_found = f"the first is {a_type(first)}, this is {a_type(other)}"
        message = f"{what} must have one type: {types_found}"
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
        used, i = 0, 0
        elements = args.elements
        while i < len(octets):
            if octets[i] != "%":
                i += 1
                continue
            if octets[i + 1 : i + 2] == "%":
                i += 2
                continue
            if i + 1 >= len(octets):
                self.complain("format", node, 'the format ends in a single "%"', 'write "%%" for a percent sign')
                return
            if used >= len(elements):
                self.complain("format", node, f"the format needs more than the {len(elements)} values given")
                return
            i += 1
            if octets[i] == ".":
                i += 1
                begin = i
                while i < len(octets) and octets[i] in "0123456789":
                    i += 1
                if i >= len(octets) or not octets[begin:i] or int(octets[begin:i][:25]) >= 2**63:
                    self.complain("format", node, 'the format has a "." without a precision and a letter')
                    return
            verb = octets[i]
            i += 1
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
