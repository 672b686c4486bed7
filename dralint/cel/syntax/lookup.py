"""What an expression looks up in `device`: chains of fields and keys, such as `device.attributes["d"].model`."""

from __future__ import annotations

from typing import NamedTuple

from dralint.cel.syntax.tree import Call, Ident, Literal, Node, Select

Parts = tuple[str | None, ...]
"""`attributes` or `capacity`, domain, name; None where it is not a literal."""


class Lookup(NamedTuple):
    """A chain from `device` on: its parts, and the node that writes the last key where that is a literal."""

    parts: Parts
    key: Node | None


def lookup_of(node: Node, names: dict[str, Parts] | None = None) -> Lookup | None:
    """Return what a node looks up in `device`, None where it is something else; `names` are variables of cel.bind."""
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
