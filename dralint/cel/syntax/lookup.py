"""The lookups of an expression in `device`: chains of fields and keys, such as `device.attributes["d"].model`."""

from __future__ import annotations

import re

from dralint.cel.syntax.lexer import KEYWORDS
from dralint.cel.syntax.tree import Call, Ident, Literal, Node, Select
from dralint.records import NamedTuple

Parts = tuple[str | None, ...]
"""`attributes` or `capacity`, domain, name; None where it is not a literal."""

OF_DRIVER = ", with the name of the driver"
"""The end of a hint with an expression that has DRIVER in place of a domain."""
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Lookup(NamedTuple):
    """A chain from `device` on: its parts, and the node of the last key if that is a literal."""

    parts: Parts
    key: Node | None


def lookup_of(node: Node, names: dict[str, Parts] | None = None) -> Lookup | None:
    """Return what a node looks up in `device`; None for any other node; `names` are variables of cel.bind."""
    keys: list[tuple[str | None, Node | None]] = []
    while True:
        if isinstance(node, Select) and node.qualified is None and not node.test:
            field = Literal(node.field_start, node.field_start, node.end, node.field)
            keys.append((node.field, field))
            node = node.operand
        elif isinstance(node, Call) and node.function == "_[_]":
            key = node.args[1]
            literal = isinstance(key, Literal) and isinstance(key.value, str)
            keys.append((key.value if isinstance(key, Literal) and literal else None, key if literal else None))
            node = node.args[0]
        elif isinstance(node, Ident):
            break
        else:
            return None
    keys.reverse()
    start: Parts
    if names and node.name in names and node.local:
        start = names[node.name]
    elif node.name.removeprefix(".") == "device" and not node.local:
        start = ()
    else:
        return None
    parts = (*start, *(k for k, _ in keys))
    if not parts or parts[0] not in ("attributes", "capacity"):
        return None
    return Lookup(parts, keys[-1][1] if keys else None)


def name_within(key: str) -> tuple[str | None, str] | None:
    """Return domain and name of a text in place of a domain; None where it is only a domain.

    The name begins after a "/", or has upper-case letters after the last "."; a word without a "." is only a name.
    """
    first, slash, name = key.partition("/")
    if slash:
        return first, name
    first, _, last = key.rpartition(".")
    is_name = not first or (first == first.lower() and last != last.lower())
    return (first or None, last) if is_name and last.isidentifier() else None


def presence_of(index: Call, expression: str) -> tuple[str, bool]:
    """Return how to test whether the entry of an index exists, and whether the test is complete."""
    container, key = index.args
    inside, asked = (expression[node.start : node.end] for node in (container, key))
    value = key.value if isinstance(key, Literal) and isinstance(key.value, str) else None
    lookup, known = lookup_of(container), True
    if value is not None and lookup is not None and len(lookup.parts) == 1:
        within = name_within(value)
        if within is not None:
            domain, value = within
            known, quote = domain is not None, asked[-1]
            inside, asked = f"{inside}[{quote}{domain or 'DRIVER'}{quote}]", f"{quote}{value}{quote}"
    if value is not None and _FIELD.fullmatch(value) and value not in KEYWORDS:
        return f"has({inside}.{value})", known  # in YAML, an expression cannot have quotes around it
    return f"{asked} in {inside}", known
