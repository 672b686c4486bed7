"""Finds lookups that can fail: attributes and capacities without a test that they exist.

A lookup is guarded if the same conjunction tests `has(...)`, whether its name is in the map, or the driver (whose
devices are known to have it). The order does not matter: `false && error` is false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.cel.syntax.lookup import Lookup, Parts, lookup_of
from dralint.cel.syntax.tree import Call, Comprehension, Ident, Literal, Node, Select

if TYPE_CHECKING:
    from collections.abc import Iterator

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
            terms = _terms(node)
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


def _terms(node: Call) -> list[Node]:
    """Return the terms of a chain of one operator, in order."""
    terms: list[Node] = []
    todo: list[Node] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, Call) and item.function == node.function:
            todo.extend(reversed(item.args))
        else:
            terms.append(item)
    return terms


def _guards_of(node: Node, names: dict[str, Parts], *, positive: bool) -> Iterator[Parts]:
    """Yield what certainly exists where the node is true (`positive`) or false."""
    while isinstance(node, Call) and node.function == "!_":
        node, positive = node.args[0], not positive
    if isinstance(node, Call) and node.function == ("_&&_" if positive else "_||_"):
        for term in _terms(node):
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
    if positive and isinstance(node, Call) and any(_is_driver(operand) for operand in node.children()):
        yield _ALL
    if not positive and isinstance(node, Call) and node.function == "_!=_" and any(map(_is_driver, node.args)):
        yield _ALL


def _is_driver(node: Node) -> bool:
    return (
        isinstance(node, Select)
        and node.field == "driver"
        and isinstance(node.operand, Ident)
        and node.operand.name.removeprefix(".") == "device"
    )
