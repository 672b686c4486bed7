"""What a selector certainly requires of a device: its driver, and attributes with one of some values."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Union

from dralint.cel.syntax.lookup import lookup_of
from dralint.cel.syntax.tree import Call, Ident, ListLiteral, Literal, Select
from dralint.references.expressions import compiled
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.cel.syntax.tree import Node
    from dralint.references.facts import Class, SelectorFacts

Key = tuple[str, ...]
Value = Union[str, int, bool]  # noqa: UP007
Demands = dict[Key, frozenset[Value]]
"""The required values of each key: `("driver",)` or ("attributes", DOMAIN, NAME)."""

DRIVER: Key = ("driver",)


@lru_cache(maxsize=4096)
def _demands_of(expression: str) -> tuple[tuple[Key, frozenset[Value]], ...]:
    compilation = compiled(expression)
    if compilation is None or compilation.root is None:
        return ()
    return tuple(_demands(compilation.root, 0).items())


_DEEPEST = 60


def _demands(node: Node, depth: int) -> Demands:
    """Return what an expression requires to be true."""
    if not isinstance(node, Call) or depth > _DEEPEST:
        return {}
    if node.function == "_&&_":
        return joined(_demands(term, depth + 1) for term in node.args)
    if node.function == "_||_":
        sides = [_demands(term, depth + 1) for term in node.args]
        shared = set(sides[0]).intersection(*sides[1:])
        return {key: frozenset().union(*(side[key] for side in sides)) for key in shared}
    if node.function == "_==_":
        for operand, other in (node.args, node.args[::-1]):
            key, value = _asked(operand), _literal(other)
            if key is not None and value is not None:
                return {key: frozenset({value})}
    if node.function == "@in":
        key = _asked(node.args[0])
        values = _literals(node.args[1])
        if key is not None and values is not None:
            return {key: values}
    return {}


def joined(several: Iterable[Demands]) -> Demands:
    """Return the requirements of all together; an empty set is a contradiction."""
    out: Demands = {}
    for demands in several:
        for key, values in demands.items():
            out[key] = out[key] & values if key in out else values
    return out


def _asked(node: Node) -> Key | None:
    if isinstance(node, Select) and node.field == "driver" and not node.test and isinstance(node.operand, Ident):
        return DRIVER if node.operand.name.removeprefix(".") == "device" and not node.operand.local else None
    lookup = lookup_of(node)
    if lookup is None or len(lookup.parts) != 3 or lookup.parts[0] != "attributes" or None in lookup.parts:
        return None
    return tuple(part for part in lookup.parts if part is not None)


def _literal(node: Node) -> Value | None:
    value = node.value if isinstance(node, Literal) else None
    return value if isinstance(value, str | int | bool) else None


def _literals(node: Node) -> frozenset[Value] | None:
    if not isinstance(node, ListLiteral):
        return None
    values = [_literal(item) for item in node.children()]
    return None if None in values else frozenset(value for value in values if value is not None)


def demands(selectors: Iterable[SelectorFacts]) -> Demands:
    """Return what selectors require together."""
    return joined(dict(_demands_of(s.expression)) for s in selectors if not is_open(s.expression))


def drivers_of_class(body: Class) -> frozenset[Value] | None:
    """Return the drivers whose devices a class can select; None where any may be."""
    return demands(body.selectors).get(DRIVER)
