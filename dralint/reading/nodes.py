"""Ways through the nodes of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.reading.composer import ALIAS, MAPPING, SEQUENCE, merge_sources

if TYPE_CHECKING:
    from dralint.reading.composer import Node


def target(node: Node) -> Node:
    """Return the node itself, or what it is an alias of."""
    return node.children[0] if node.kind == ALIAS else node


def child(node: Node, step: str | int) -> tuple[Node | None, Node] | None:
    """Return key (None in a list) and value of the entry `step`, or None when there is no such entry."""
    node = target(node)
    if node.kind == SEQUENCE:
        if isinstance(step, int) and 0 <= step < len(node.children):
            return None, node.children[step]
        return None
    if node.kind == MAPPING:
        return entries(node).get(str(step))
    return None


def entries(node: Node) -> dict[str, tuple[Node, Node]]:
    """Return the entries of a mapping by key, merged ones included, as the server ends up with them."""
    waiting = [node]
    while waiting:
        mapping = waiting[-1]
        if mapping.entries is not None:
            waiting.pop()
            continue
        children = mapping.children
        missing = [
            target(source)
            for i in range(0, len(children), 2)
            if children[i].merge
            for source in merge_sources(children[i + 1])
            if target(source).entries is None
        ]
        if missing:
            waiting.extend(missing)
            continue
        found: dict[str, tuple[Node, Node]] = {}
        for i in range(0, len(children), 2):
            key = children[i]
            if key.merge:
                for source in merge_sources(children[i + 1]):
                    found.update(target(source).entries or {})
            elif key.key is not None:
                found[key.key] = (key, children[i + 1])
        mapping.entries = found
        waiting.pop()
    assert node.entries is not None
    return node.entries
