"""Proves edits: which of some repairs hold together, and that a rewritten text means the intended data.

Two independent readers read a rewritten file.
"""

from __future__ import annotations

import marshal
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.edit.apply import FileText
from dralint.finding.problem import path_text
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from dralint.yaml import Document, Json, Path
    from dralint.yaml.nodes import Node


def holding_together(
    groups: Sequence[list[int]], attempt: Callable[[list[int], Collection[int]], tuple[list[int], set[int]]], tries: int
) -> set[int]:
    """Return the repairs that hold: those of the first group, then of the next; the others are left out or halved.

    Args:
        groups: the numbers of repairs, those first that do not give way to others: safe ones before guesses.
        attempt: returns which of some repairs can be made with those kept so far, and which of these are faulty.
        tries: how many attempts there are at most.
    """
    todo = [group for group in reversed(groups) if group]
    kept: set[int] = set()
    while todo and tries:
        group = todo.pop()
        tries -= 1
        made, faulty = attempt(group, kept)
        if not faulty:
            kept.update(made)
        elif len(faulty) < len(made):
            todo.append([number for number in made if number not in faulty])
        elif len(made) > 1:
            todo += [made[len(made) // 2 :], made[: len(made) // 2]]
    return kept


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


_PLAIN = 2
"""The version of the marshal format in which equal values have equal bytes, whatever objects they share."""


class Difference(NamedTuple):
    """A difference between a rewritten text and the intended data: the document, the path in it, and a description."""

    document: int
    path: Path | None
    text: str

    def __str__(self) -> str:
        return self.text


def differences(documents: Sequence[Document], intended: dict[int, Json], raw: bytes) -> Iterator[Difference]:
    """Yield the differences between the bytes of a file and the intended data, at most one per document.

    Args:
        documents: the documents before the rewriting.
        intended: the intended data of documents, by index; all others must stay the same.
        raw: the bytes of the file afterwards.
    """
    after = []
    for document in read(raw):
        document.forget_nodes()  # only the data counts, and it takes far less memory
        after.append(document)
    first = min(intended, default=0)
    if len(after) != len(documents):
        yield Difference(first, None, f"the file would have {len(after)} documents, not {len(documents)}")
        return
    for old, new in zip(documents, after, strict=True):
        if old.index not in intended:
            if old.text != new.text:
                yield Difference(first, None, f"document {old.index} would change")
        elif new.state != "read":
            why = f": {new.problems[0].message}" if new.problems else ""
            yield Difference(old.index, None, f"it could not be read{why}")
        else:
            path = unlike(new.data, intended[old.index])
            if path is not None:
                yield Difference(old.index, path, f"it would differ at {path_text(path) or 'its root'}")


def unlike(one: Json, other: Json) -> Path | None:
    """Return the path of the first difference of two values; None when they are equal. 1 is neither 1.0 nor true."""
    try:
        if marshal.dumps(one, _PLAIN) == marshal.dumps(other, _PLAIN):
            return None  # most are equal, even in the order of their keys
    except ValueError:
        pass  # too deep for marshal
    todo: list[tuple[Json, Json, Path]] = [(one, other, ())]
    while todo:
        left, right, path = todo.pop()
        if left is right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            for key, inner in left.items():  # in their order, so that the result is always the same
                if key not in right:
                    return (*path, key)
                twin = right[key]
                # what is equal anyway need not wait
                if (inner and isinstance(inner, dict | list)) or type(inner) is not type(twin) or inner != twin:
                    todo.append((inner, twin, (*path, key)))
            for key in right:
                if key not in left:
                    return (*path, key)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return path
            todo.extend((a, b, (*path, i)) for i, (a, b) in enumerate(zip(left, right, strict=True)))
        elif type(left) is not type(right) or left != right:
            return path
    return None
