"""The files of a run and the objects in them, for the stage over all objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.manifest.objects import Place, objects
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import ObjectPlace
    from dralint.yaml import Document, Path

    Reader = Callable[[str], bytes | None]
    """Returns the bytes of a file; None where it cannot be read any more, or is skipped."""
    Documents = Callable[[bytes], Iterable[Document]]

_MOST_READ = 500
"""So many files that were read again are remembered; with all of them, a large run would take several times the memory.
"""


class RunFiles:
    """Finds objects by their places. A file whose documents a run has not kept is read when it is first needed.

    Args:
        raw: reads a file.
        kept: the documents that the run has kept, by file.
        documents: reads the documents of a text.
    """

    def __init__(self, raw: Reader, kept: Mapping[str, Iterable[Document]], documents: Documents = read) -> None:
        self.raw = raw
        self._kept = kept
        self._documents = documents
        self._places: dict[str, dict[tuple[int, Path], Place]] = {}
        self._whole: set[str] = set()

    def judged(self, name: str) -> Iterable[Place]:
        """Return the objects of a file that have facts, and perhaps others."""
        return self._of(name).values()

    def objects(self, name: str) -> dict[tuple[int, Path], ApiObject]:
        """Return the same objects by their places in the file."""
        return {key: place.item for key, place in self._of(name).items()}

    def place(self, place: ObjectPlace) -> Place | None:
        """Return an object of a file; None where the file can no longer be read."""
        name, here = place[0], place[1:]
        if here not in self._of(name) and name not in self._whole:  # it matters only because another object names it
            self._places[name] = self._read(name)
        return self._places[name].get(here)

    def _of(self, name: str) -> dict[tuple[int, Path], Place]:
        if name not in self._places:
            kept = self._kept.get(name)
            self._places[name] = self._read(name) if kept is None else dict(_placed(name, kept))
        return self._places[name]

    def _read(self, name: str) -> dict[tuple[int, Path], Place]:
        if len(self._whole) >= _MOST_READ:
            self._places.clear()
            self._whole.clear()
        self._whole.add(name)
        raw = self.raw(name)
        return {} if raw is None else dict(_placed(name, self._documents(raw)))


def _placed(name: str, documents: Iterable[Document]) -> Iterator[tuple[tuple[int, Path], Place]]:
    for document in documents:
        if document.state == "read":
            for item in objects(document.data):
                yield (document.index, item.path), Place(name, document, item)
