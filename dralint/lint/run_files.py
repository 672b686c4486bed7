"""The files of a run, and what it keeps of them for the stage over all objects."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from dralint.drivers.shipped import CONCERNED
from dralint.finding.report import NO_TEXT, Skipped
from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import Place, mappings, objects, speaks
from dralint.records import NamedTuple
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from dralint.files.source import Source
    from dralint.finding.finding import Suppression
    from dralint.finding.report import Report
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts, ObjectPlace
    from dralint.yaml import Document, Path

    Reader = Callable[[str], bytes | None]
    """Returns the bytes of a file; None where it cannot be read any more, or is skipped."""
    Documents = Callable[[bytes], Iterable[Document]]


SOURCE = b"# Source: "
"""What `helm template` writes before the name of a template, above each object."""


def may_have(raw: bytes) -> tuple[bool, bool]:
    """Return whether a file may define kinds, and whether it may have Pods; an escape can stand for a letter."""
    return raw.find(b"CustomResourceDefinition") >= 0, raw.find(b"ontainers") >= 0 or raw.find(b"\\") >= 0


class CrossFileFacts:
    """What the stages after the reading of files need.

    Args:
        name: the file that it begins with.
        raw: the bytes of this file.

    Attributes:
        facts: the facts of each object that matter to others.
        documents: the documents with these objects, by file; those of other processes are not kept.
        guessed: the facts that objects have after the guesses for their values.
        defining: the files that may define kinds.
        running: the files that may have Pods in documents whose facts are not gathered.
        suppressions: the comments that suppress findings.
        unsearched: the files with findings for which no search has looked for a repair.
        rendered: the files that name the templates of their objects, as `helm template` does.
        shortened: the files with full reports that a normal report would shorten.
    """

    def __init__(self, name: str = "", raw: bytes = b"") -> None:
        self.facts: list[Facts] = []
        self.documents: dict[str, list[Document]] = {}
        self.guessed: list[Facts] = []
        defines, runs = may_have(raw)
        self.defining = {name} if defines else set()
        self.running = {name} if runs else set()
        self.suppressions: list[Suppression] = []
        self.unsearched: set[str] = set()
        self.rendered: set[str] = set()
        self.shortened: set[str] = set()

    def extend(self, other: CrossFileFacts) -> None:
        """Add what another part of the run has gathered."""
        if other is NOTHING:  # as of most files
            return
        for name, more in vars(other).items():
            if more:
                own = getattr(self, name)
                (own.extend if isinstance(own, list) else own.update)(more)

    def without(self, files: Collection[str]) -> CrossFileFacts:
        """Return a record without these files: lists have what is in a file, sets the names of files."""
        rest = CrossFileFacts()
        for name, kept in vars(self).items():
            if isinstance(kept, list):
                left: Any = [each for each in kept if each.file not in files]
            elif isinstance(kept, set):
                left = kept - set(files)
            else:
                left = {file: value for file, value in kept.items() if file not in files}
            setattr(rest, name, left)
        return rest


NOTHING: Final = CrossFileFacts()
"""What is gathered in a file that holds nothing; nobody adds to it."""


class FilesJudged(NamedTuple):
    """The report on some files, and what was gathered in them."""

    report: Report
    gathered: CrossFileFacts

    def extend(self, other: FilesJudged) -> None:
        """Add another part to this one."""
        self.report.extend(other.report)
        self.gathered.extend(other.gathered)

    def without(self, files: Collection[str]) -> FilesJudged:
        """Return a part without these files."""
        return FilesJudged(self.report.without(files), self.gathered.without(files))


LARGEST_KEPT = 1_000_000
"""In bytes: the documents of a larger file would take ten times as much memory as it, so no run keeps them all."""
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
        """Return the objects of a file that have facts, and perhaps others; a large file is read one by one."""
        if name in self._places or name in self._kept:
            return self._of(name).values()
        raw = self.raw(name)
        if raw is not None and len(raw) > LARGEST_KEPT:
            return (place for _, place in _placed(name, self._documents(raw)))
        self._places[name] = self._read(name, raw)
        return self._places[name].values()

    def item(self, place: ObjectPlace) -> ApiObject | None:
        """Return what `place` does, without the document."""
        found = self.place(place)
        return None if found is None else found.item

    def place(self, place: ObjectPlace) -> Place | None:
        """Return an object of a file; None where the file can no longer be read."""
        name, here = place[0], place[1:]
        if here not in self._of(name) and name not in self._whole:  # it matters only because another object names it
            self._places[name] = self._read(name, self.raw(name))
        return self._places[name].get(here)

    def _of(self, name: str) -> dict[tuple[int, Path], Place]:
        if name not in self._places:
            kept = self._kept.get(name)
            self._places[name] = self._read(name, self.raw(name)) if kept is None else dict(_placed(name, kept))
        return self._places[name]

    def _read(self, name: str, raw: bytes | None) -> dict[tuple[int, Path], Place]:
        if len(self._whole) >= _MOST_READ:
            self._places.clear()
            self._whole.clear()
        self._whole.add(name)
        return {} if raw is None else dict(_placed(name, self._documents(raw)))


def _placed(name: str, documents: Iterable[Document]) -> Iterator[tuple[tuple[int, Path], Place]]:
    for document in documents:
        if document.state == "read":
            for item in objects(document.data):
                yield (document.index, item.path), Place(name, document, item)


_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")
_COMPARED = frozenset({"config", "parametersRef", "selectors"})
"""Fields of claims that rules between objects (`rules`) check even in an input with only one claim."""


def needs_no_comparison(item: ApiObject) -> bool:
    """Say whether neither a rule between objects nor a shipped driver pack checks anything in the object alone."""
    if item.group != GROUP or item.kind not in _CLAIMS:
        return False
    return all(
        _COMPARED.isdisjoint(mapping) and str(mapping.get("deviceClassName")) not in CONCERNED
        for _, mapping in mappings(item.data)
    )


_PACKED = (
    rb"(?P<gzip>\x1f\x8b)|(?P<zip>PK\x03\x04)|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\0)|(?P<zstd>\x28\xb5\x2f\xfd)"
    rb"|[^\0]{1,100}+\0[^\n]{156,255}(?P<tar>ustar)"
)
"""The first bytes of files that contain other files."""
_BEGINNINGS = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
"""The first bytes of binary files that may have no zero byte."""
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
"""Byte order marks of text that has zero bytes."""
_LOOKED_AT = 1024
"""dralint looks for zero bytes in this many bytes of a file."""


def without_text(source: Source, raw: bytes) -> Skipped | None:
    """Return the note on a named file that is not text; None for text, and for a file that mentions claims anyway."""
    zero = b"\0" in raw[:_LOOKED_AT]
    if not zero and not raw.startswith(_BEGINNINGS):
        return None
    packed = _packed().match(raw)
    if packed is None and (not zero or raw.startswith(_MARKS)):
        return None
    if not source.named or (packed is None and speaks(raw)):
        return None
    what = "zero bytes; text is UTF-8" if packed is None else f"{packed.lastgroup}; unpack it first"
    return Skipped(source.name, 0, f"it is not text ({what})", NO_TEXT)


@cache
def _packed() -> re.Pattern[bytes]:
    """Return the compiled pattern; few runs need it."""
    return re.compile(_PACKED)
