"""Complete replacements for an operation or call that does not fit, in the words of the expression.

A proposal is a guess from the types; dralint compiles it before it shows it (`check.check`).
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from dralint.cel import types
from dralint.cel.tree import Call, Ident, Literal, Node, Select, lookup_of, walk
from dralint.cel.types import Type, is_dyn
from dralint.cel.values import UInt, normalize_semver, parse_quantity, parse_semver
from dralint.kubernetes.quantity import is_few_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST = 200
"""The longest replacement to show, in characters."""

_METHODS = {"<": "isLessThan", ">": "isGreaterThan", "+": "add", "-": "sub"}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "+": "+"}
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]*", re.ASCII)
"""A list entry that is written inside of one text."""
_BREAK = re.compile(r"\s*\n\s*")


def text_of(node: Node, expression: str) -> str:
    """Return the source of a node on one line."""
    return _BREAK.sub(" ", expression[node.start : node.end])


def receiver(node: Node, expression: str) -> str:
    """Return the source of a node so that `.name()` can follow it."""
    text = text_of(node, expression)
    bare = isinstance(node, Call) and not node.function[0].isalpha() and node.function[:2] not in ("_[", "_?.")
    negative = isinstance(node, Literal) and text.startswith("-")
    return f"({text})" if (bare and not text.startswith("(")) or negative else text


def operand(node: Node, expression: str) -> str:
    """Return the source of a node so that a comparison can follow it."""
    return (
        receiver(node, expression) if isinstance(node, Call) and node.function == "_?_:_" else text_of(node, expression)
    )


def made(kind: Type, node: Node) -> str | None:
    """Return the call that makes a Quantity or Semver of a constant, None where there is none."""
    if not isinstance(node, Literal) or isinstance(node.value, bool) or not isinstance(node.value, str | int | float):
        return None
    value = str(node.value)
    if kind is types.SEMVER:
        version = _version(value) if isinstance(node.value, str) else None
        return None if version is None else f'semver("{version}")'
    return f'quantity("{value}")' if _is_quantity(value) else None


def _is_quantity(value: str) -> bool:
    """Say whether quantity() accepts a text; blanks around it are only allowed in a manifest."""
    try:
        parse_quantity(value)
    except ValueError:
        return False
    return True


def _version(value: str) -> str | None:
    """Return the value as a strict version: `1.2.0` for v1.2."""
    if not value[:2].lstrip("v")[:1].isdigit():
        return None
    try:
        parse_semver(value)
    except ValueError:
        try:
            value = normalize_semver(value)
            parse_semver(value)
        except ValueError:
            return None
    return value


def is_one_of(which: str, node: Node) -> bool:
    """Say whether the node is one of the `attributes` of the device, or one of its `capacity`."""
    lookup = lookup_of(node)
    return lookup is not None and len(lookup.parts) == 3 and lookup.parts[0] == which


is_attribute = partial(is_one_of, "attributes")
"""Says whether a node is one attribute of the device."""


def _is_misplaced(node: Node) -> bool:
    """Say whether the node looks up an attribute by a domain with a "/", which no driver has."""
    lookup = lookup_of(node)
    return lookup is not None and len(lookup.parts) == 3 and "/" in (lookup.parts[1] or "")


def is_few_bytes_of(node: Node, other: Node) -> bool:
    """Say whether a capacity in bytes is compared with a number that lacks its unit."""
    lookup = lookup_of(node)
    name = lookup.parts[-1] if lookup is not None and len(lookup.parts) == 3 else None
    return name is not None and isinstance(other, Literal) and is_few_bytes(name, str(other.value))


def looked_up_in(kind: str, node: Node, expression: str) -> str:
    """Return the source of an attribute or capacity, as that of the one of the same name in the other map."""
    inner: Node = node
    while isinstance(inner, Select | Call):
        if isinstance(inner, Select) and isinstance(inner.operand, Ident):
            at = inner.field_start
            text = expression[node.start : at] + kind + expression[at + len(inner.field) : node.end]
            return _BREAK.sub(" ", text)
        inner = inner.operand if isinstance(inner, Select) else inner.args[0]
    return text_of(node, expression)


def _is_made(node: Node) -> bool:
    return isinstance(node, Literal) or (isinstance(node, Call) and node.function in ("quantity", "semver"))


class Comparison:
    """An operator with a Quantity or Semver on one side.

    `mark` is the operator with `subject` on its left; a function is to be called on `subject`. `call` is the text to
    write after the subject, `whole` the full replacement; each is None where there is none.
    """

    def __init__(self, mark: str, operands: list[Node], given: list[Type], expression: str) -> None:
        self.kind = types.QUANTITY if types.QUANTITY in given else types.SEMVER
        flip = _is_made(operands[0]) and not _is_made(operands[1]) and mark in _FLIPPED
        self.subject, self.other = reversed(operands) if flip else operands
        subject_type, self.other_type = reversed(given) if flip else given
        self.mark = _FLIPPED[mark] if flip else mark
        self.is_kind = subject_type is self.kind
        self.on_attribute = self.kind is types.QUANTITY and any(map(is_attribute, operands))
        self.call: str | None = None
        self.whole: str | None = None
        argument: str | None
        # What is wrong already may be anything.
        if self.other_type is self.kind or is_dyn(self.other_type) or self.other_type is types.ERROR:
            argument = self._text(self.other, expression)
        else:
            argument = made(self.kind, self.other)
        self.misplaced = self.on_attribute and mark not in ("+", "-") and any(map(_is_misplaced, operands))
        if self.misplaced:
            self.call = None if argument is None else f"compareTo({argument}) {self.mark} 0"
            return
        subject = self._text(self.subject, expression, of=receiver)
        if argument is not None and (self.is_kind or is_dyn(subject_type) or subject_type is types.ERROR):
            # For `!=` between Quantities, the cost counts as unlimited.
            if self.mark == "==":
                self.call = f"{self.mark} {argument}"
                self.whole = f"{subject} {self.call}"
                return
            function = _METHODS.get(self.mark)
            self.call = f"{function}({argument})" if function else f"compareTo({argument}) {self.mark} 0"
            self.whole = f"{subject}.{self.call}"
        elif self.is_kind and self.kind is types.QUANTITY and self.other_type is types.INT:
            self.whole = f"{subject}.asInteger() {self.mark} {text_of(self.other, expression)}"

    def _text(self, node: Node, expression: str, of: Callable[[Node, str], str] = text_of) -> str:
        if self.kind is types.QUANTITY and is_attribute(node):
            return looked_up_in("capacity", node, expression)
        return of(node, expression)


def argument_kind(target: Type, node: Node, argument: Node, kinds: list[Type]) -> Type | None:
    """Return the type that the argument of a function was meant to have; None where unknown."""
    if target in kinds:
        return target
    if len(kinds) == 1:
        return kinds[0]
    fitting = [kind for kind in kinds if made(kind, argument) is not None]
    if len(fitting) > 1 and is_attribute(node):
        return types.SEMVER if types.SEMVER in fitting else None
    if len(fitting) == 1 and not (is_attribute(node) and isinstance(argument, Literal) and _plain(argument.value)):
        return fitting[0]
    return None


def _plain(value: object) -> bool:
    return isinstance(value, int | float)


def plain_comparison(node: Node, function: str, argument: Node, expression: str) -> str | None:
    """Return an operator in place of isGreaterThan() and the like, for an attribute and a number."""
    mark = {"isGreaterThan": ">", "isLessThan": "<"}.get(function)
    if mark is None or not is_attribute(node) or not isinstance(argument, Literal) or not _plain(argument.value):
        return None
    return f"{text_of(node, expression)} {mark} {text_of(argument, expression)}"


_CONVERSIONS = {types.DOUBLE: "double", types.INT: "int", types.UINT: "uint"}


def one_number_type(mark: str, operands: list[Node], given: list[Type], expression: str) -> str | None:
    """Return an operation on two kinds of numbers with one of them made the other's."""
    wanted = types.DOUBLE if types.DOUBLE in given else types.INT
    texts = []
    for node, t in zip(operands, given, strict=True):
        text = text_of(node, expression)
        if t is not wanted:
            value = node.value if isinstance(node, Literal) else None
            if isinstance(value, int):
                text = f"{int(value)}.0" if wanted is types.DOUBLE else str(int(value))
            else:
                text = f"{_CONVERSIONS[wanted]}({text})"
        texts.append(text)
    return f" {mark} ".join(texts)


def list_of(node: Node, expression: str) -> str:
    """Return a string as a list, split at its commas if it has some."""
    text = text_of(node, expression)
    value = node.value if isinstance(node, Literal) else None
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) else []
    if len(parts) < 2 or not all(_PLAIN.fullmatch(part) for part in parts):
        return f"[{text}]"
    return "[" + ", ".join(f"{text[-1]}{part}{text[-1]}" for part in parts) + "]"


def one_text_type(mark: str, operands: list[Node], given: list[Type], expression: str) -> str | None:
    """Return an operation on a string and a constant of another type (or the reverse) with quotes set right."""
    texts = [text_of(node, expression) for node in operands]
    for i, (node, other) in enumerate(zip(operands, reversed(given), strict=True)):
        if not isinstance(node, Literal):
            continue
        value = node.value
        if isinstance(value, str):
            fits = (other is types.INT and _NUMBER.fullmatch(value)) or (
                other is types.BOOL and value in ("true", "false")
            )
            if not fits:
                continue
            texts[i] = value
        elif isinstance(value, UInt) or not isinstance(value, bool | int | float):
            continue
        else:
            texts[i] = f'"{texts[i]}"'
        return f" {mark} ".join(texts)
    return None


def dotted(node: Node, expression: str) -> str:
    """Return the words that begin with a name in their probable quotes: `gpu.example.com`."""
    match = _WORDS.match(expression, node.start)
    if match is None:
        return expression[node.start : node.end]
    text = match.group()
    if expression[match.end() : match.end() + 1] == "(":
        text = text.rpartition(".")[0] or text
    return text


_WORDS = re.compile(r"[A-Za-z_]\w*(?:\.\w+|-\w*[A-Za-z]\w*)*", re.ASCII)
_KEY = re.compile(r"\[\s*([a-z0-9][a-z0-9.-]*\.[a-z0-9.-]+)(?:/(\w+))?\s*\]", re.ASCII)
_CHAIN = re.compile(r"(?:\.[A-Za-z_]\w*(?![\w(]))*", re.ASCII)


def quoted_key(node: Node, expression: str) -> str | None:
    """Return `["gpu.example.com"]` for a domain in brackets without quotes that begins with this node."""
    begin = expression.rfind("[", 0, node.start)
    match = _KEY.match(expression, begin) if begin >= 0 else None
    if match is None or match.start(1) != node.start:
        return None
    return f'["{match[1]}"]' + (f".{match[2]}" if match[2] else "")


def quoted_capacity(node: Node, field_end: int, expression: str) -> str | None:
    """Return `device.capacity["gpu.example.com"].memory` for a selection that continues after a capacity."""
    lookup = lookup_of(node)
    if lookup is None or lookup.parts[0] != "capacity" or len(lookup.parts) < 3 or None in lookup.parts:
        return None
    if any(isinstance(inner, Call) for inner in walk(node)):
        return None
    match = _CHAIN.match(expression, field_end)
    rest = match.group() if match is not None else ""
    parts = [
        *(part or "" for part in lookup.parts[1:]),
        expression[node.end : field_end].strip(" .\n"),
        *rest.split(".")[1:],
    ]
    return f'device.capacity["{".".join(parts[:-1])}"].{parts[-1]}'
