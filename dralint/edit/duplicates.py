"""Removes the second of two equal keys of a mapping that have the same value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.edit import block, flow
from dralint.edit.apply import apply
from dralint.edit.edit import UnplaceableError
from dralint.edit.place import EditPlanner
from dralint.edit.proof import unlike
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, target

if TYPE_CHECKING:
    from dralint.finding.finding import Edit
    from dralint.yaml import Document, Path
    from dralint.yaml.nodes import Node


def without_second(document: Document, path: Path) -> tuple[list[Edit], bool]:
    """Return the proven edits that remove the second of two entries; offsets count in the document.

    Args:
        path: the path of both entries.

    Returns:
        The edits, and whether they are safe: in an item of a list, entries that are apart may be those of two items.

    Raises:
        UnplaceableError: they have different values, or other entries of the mapping do, so that it is two items
            without a dash between them; or the text would not mean the same afterwards.
    """
    planner = EditPlanner(document)
    parent = target(planner.node(path[:-1]))
    if parent.kind != MAPPING:
        raise UnplaceableError("it is not a mapping")
    numbers = [n for n, key in enumerate(parent.children[::2]) if key.key == path[-1] and not key.merge]
    values = [target(parent.children[2 * number + 1]).data for number in numbers]
    if len(numbers) != 2 or unlike(*values) is not None or _is_two_items(parent):
        raise UnplaceableError("the values differ")
    if document.cut_at_comma(path) is not None:
        raise UnplaceableError("it is a part of a value")
    if parent.style == "{":
        edits = flow.remove(document.text, parent, numbers[1])
    else:
        edits = block.remove(document.text, parent, numbers[1], comments=True)
    after = [other for other in read(apply(document.text, edits).encode("utf-8", "replace")) if other.state != "empty"]
    if len(after) != 1 or after[0].state != "read" or unlike(after[0].data, document.data) is not None:
        raise UnplaceableError("the text would not mean the same afterwards")
    if len(after[0].problems) != len(document.problems) - 1:
        raise UnplaceableError("it is another key")
    is_item = len(path) > 1 and isinstance(path[-2], int)
    return edits, not is_item or numbers[1] - numbers[0] == 1


def _is_two_items(mapping: Node) -> bool:
    """Say whether a key of a mapping occurs twice with different values."""
    seen: dict[str, Node] = {}
    for key, value in zip(mapping.children[::2], mapping.children[1::2], strict=True):
        if key.key is None or key.merge:
            continue
        first = seen.setdefault(key.key, target(value))
        if unlike(first.data, target(value).data) is not None:
            return True
    return False
