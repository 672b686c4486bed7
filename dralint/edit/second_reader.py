"""Compares rewritten files with another reader of YAML (ruamel.yaml), which is independent of dralint's own.

It compares trees, not values: only Kubernetes defines what `yes`, `0o7` or `1:30` mean. The reader is slow, so it reads
a limited amount of text in a run. It is only used if it reads the original text as dralint does.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from dralint.edit.file_text import FileText
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, target

if TYPE_CHECKING:
    from dralint.yaml.nodes import Node

MOST_IN_FILE, MOST_IN_RUN = 65_536, 100_000
"""Limits in characters: the largest file that is read a second time, and the total of a run."""
_MOST_NODES = 100_000
"""At most this many nodes are compared, because aliases repeat their targets."""


class SecondReader:
    """The other reader, for the files of one run, in their order."""

    def __init__(self, most: int = MOST_IN_RUN) -> None:
        self._left = most

    def disagrees(self, before: bytes, after: bytes) -> bool:
        """Say whether the other reader reads a rewritten file differently than dralint's own.

        Args:
            before: the bytes of the file; `after`: its new bytes.
        """
        if len(after) > MOST_IN_FILE or len(before) + len(after) > self._left:
            return False
        self._left -= len(before) + len(after)
        return _is_read_alike(before) and not _is_read_alike(after)


def _is_read_alike(raw: bytes) -> bool:
    documents = [document for document in read(raw) if document.state != "empty"]
    roots = [document.root for document in documents if document.state == "read"]
    theirs = _composed(FileText(raw).text)
    if theirs is None or len(roots) != len(documents) or len(theirs) != len(roots):
        return False
    return all(one is not None and _alike(one, other) for one, other in zip(roots, theirs, strict=True))


def _composed(text: str) -> list[Any] | None:
    """Return the trees of a text by the other reader; None where it cannot read the text."""

    from ruamel.yaml import YAML  # slow to import, and only needed for changed files

    reader = YAML(typ="safe", pure=True)
    reader.allow_duplicate_keys = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is used again
            found = list(reader.compose_all(text))
    except Exception:  # noqa: BLE001 - whatever it stumbles over, it has no say then
        return None
    return [tree for tree in found if tree is not None and not (tree.id == "scalar" and tree.value == "")]


def _alike(one: Node, other: Any) -> bool:
    """Say whether two trees have the same mappings, lists and texts."""
    todo: list[tuple[Node, Any]] = [(one, other)]
    for _ in range(_MOST_NODES):
        if not todo:
            return True
        node, theirs = todo.pop()
        node = target(node)
        if node.kind == SCALAR:
            if theirs.id != "scalar" or (isinstance(node.data, str) and node.data != theirs.value):
                return False
        elif node.kind == SEQUENCE:
            if theirs.id != "sequence" or len(theirs.value) != len(node.children):
                return False
            todo += zip(node.children, theirs.value, strict=True)
        elif node.kind == MAPPING:
            if theirs.id != "mapping" or 2 * len(theirs.value) != len(node.children):
                return False
            for position, (key, value) in enumerate(theirs.value):
                todo += [(node.children[2 * position], key), (node.children[2 * position + 1], value)]
    return True
