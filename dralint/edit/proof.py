"""Proves a rewriting: reads the result again and compares it with the intended data."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.problem import path_text
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.yaml import Document, Json, Path


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
