"""Reads dumps of a cluster part by part: notes what cannot be part of one, with its place, and reads the rest."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.config.settings import Settings
from dralint.decode.decoder import Decoded, Decoders
from dralint.files.source import Source
from dralint.files.text_parts import (
    KINDS,
    TextPart,
    appended,
    in_utf8,
    listed,
    only_kinds,
    parts_of,
    whole_items,
    without_item,
)
from dralint.finding.problem import Problem, at, path_of, path_text
from dralint.finding.report import Failure, unread
from dralint.finding.rule_ids import WRONG_TYPE
from dralint.finding.words import counted
from dralint.kubernetes.served import is_ours
from dralint.kubernetes.types import KINDS as TYPED
from dralint.kubernetes.types import cluster_types
from dralint.kubernetes.workloads import GROUP, kinds_with_pods
from dralint.lint.release_judge import Releases
from dralint.lint.report_builder import locate
from dralint.lint.run_files import without_text
from dralint.manifest.objects import objects
from dralint.manifest.pod_parts import unjudged
from dralint.simulate.claims import to_v1
from dralint.validate.served import refusal
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document

_TYPE_ERRORS = {"TypeInvalid", "Decode"}
"""Reasons of problems that no object of a cluster can have. Other findings may be due to an older release."""

_MOST_MENDED = 8
"""In a part of a dump, so many objects that cannot be read are left out one by one: each takes a reading."""

_SPEAKS = re.compile(rb"^[ -]*[\"']?kind[\"']?[ \t]*:|\{\s*\"", re.MULTILINE)
"""What a text of objects has somewhere."""

_OF_DEVICES = frozenset({"DeviceClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate"})
_ASKED_FOR_ALL = 2
_OF_DUMP = re.compile(rb"kind[\"']?\s*:\s*[\"']?(?:List|(?:%s)(?:List)?)\b" % "|".join(sorted(KINDS)).encode())


class InventoryReader:
    """Reads inventories and dumps. What it leaves out is in `faults`, which grow while it reads.

    `incomplete` says whether that is more than a separator.

    Args:
        gates: the feature gates that are switched.
        advance: called with the number of bytes read.
        trims: whether to cut objects that do not matter out of every text, not only of those of a folder.
    """

    def __init__(
        self,
        gates: tuple[tuple[str, bool], ...] = (),
        advance: Callable[[int], None] | None = None,
        *,
        trims: bool = False,
    ) -> None:
        self.releases = _releases(gates)
        self._advance = advance
        self._trims = trims
        self._faults: list[Failure] = []
        self.incomplete = False
        self._live = False
        self._kinds: set[str] = set()
        self._first: dict[tuple[str, str, str | None, str | None], str | dict[str, Any]] = {}
        self._again: dict[str, list[tuple[str, int, str]]] = {"another uid": [], "other values": []}

    @property
    def faults(self) -> list[Failure]:
        """What is left out, and why, in the order of the text."""
        faults = list(self._faults)
        for what, found in self._again.items():
            if not found:
                continue
            file, line, name = next((one for one in found if one[2] == "Namespace kube-system"), found[0])
            whose = "two clusters" if name == "Namespace kube-system" else "two clusters, or of two times"
            more = f" and {counted(len(found) - 1, 'object')} more" if len(found) > 1 else ""
            have = "have" if more else "has"
            text = f"{name}{more} {have} {what} than before: this is a dump of {whose}; the later ones are left out"
            faults.append(Failure(file, text, line=line))
        return faults

    @property
    def absent(self) -> frozenset[str]:
        """The kinds for devices that a dump may not have because nobody asked the cluster for them.

        Who asks for two of classes, slices and claims, asks for all. Manifests, which have no uid, are as they are
        meant. There is no such kind where objects are left out, which can be of any.
        """
        if self.incomplete or not self._live:
            return frozenset()
        there = {kind.removesuffix("Template") for kind in self._kinds & _OF_DEVICES}
        return _OF_DEVICES - self._kinds if len(there) < _ASKED_FOR_ALL else frozenset()

    def objects(self, source: Source) -> Iterator[tuple[ApiObject, int]]:
        """Yield the objects of a source, each with its document; raise OSError where it cannot be read."""
        parts = parts_of(source)
        part = next(parts, None)
        while part is not None:
            following = next(parts, None)
            trims = self._trims or bool(source.folder)
            for piece in self._pieces(source.name, part, trims=trims, last=following is None):
                if not source.folder or _OF_DUMP.search(piece.raw):
                    for document, item in self._objects(source.name, piece):
                        yield item, document.index
            if self._advance is not None:
                self._advance(len(part.raw))
            part = following

    def stocked(self, name: str, raw: bytes) -> Iterator[tuple[Document, ApiObject]]:
        """Yield the objects of a whole text, each with its document."""
        for piece in self._pieces(name, TextPart(raw), trims=False, last=True):
            yield from self._objects(name, piece)

    def _note(self, name: str, line: int, message: str) -> None:
        self._faults.append(Failure(name, message, line=line))
        self.incomplete = True

    def _pieces(self, name: str, part: TextPart, *, trims: bool, last: bool) -> Iterator[TextPart]:
        """Yield a part with the separators and the end of a list that it lacks."""
        if part.line == 0 and (skipped := without_text(Source(name, None, named=True), part.raw)) is not None:
            self._note(name, 1, unread(name, skipped.reason).message)
            return
        pieces = list(appended(part._replace(raw=in_utf8(part.raw))))
        for number, piece in enumerate(pieces):
            if number:
                text = "another object begins here: `---` is missing before it"
                text += "; dralint reads it as if it were there"
                self._faults.append(Failure(name, text, line=piece.line + 1))
            raw = only_kinds(piece.raw, KINDS | kinds_with_pods()) if trims and _SPEAKS.search(piece.raw) else piece.raw
            cut, whole = listed(raw, last=last or number < len(pieces) - 1)
            if cut is not None:
                text = "the list is cut off: it has no `kind: List` at its end; its last object is left out"
                self._note(name, piece.line + cut, text)
            yield piece._replace(raw=whole)

    def _objects(self, name: str, piece: TextPart) -> Iterator[tuple[Document, ApiObject]]:
        documents = self._readable(name, piece)
        for document in documents:
            found = list(objects(document.data))
            if document.state == "template":
                self._note(name, document.first_line + piece.line, f"cannot be read: {document.reason}")
            elif document.data is not None and not isinstance(document.data, dict | list):
                self._note(
                    name, document.first_line + piece.line, "expected objects as `kubectl get -o yaml` writes them"
                )
            elif len(documents) == 1 and any(not item.kind for item in found):
                self._note(name, document.first_line + piece.line, "expected an object with a `kind`")
            for fault in document.problems if document.state == "read" else ():
                self._note(name, fault.span.line + piece.line, fault.message)
            for problem in unjudged(document, found):
                self._note(name, problem.span.line + piece.line, problem.message)
            for item in found:
                if self._fits(name, piece.line, document, item):
                    yield document, item

    def _readable(self, name: str, piece: TextPart) -> list[Document]:
        """Return the documents of a text; of a list, without the objects that cannot be read."""
        documents = list(read(piece.raw))
        for _ in range(_MOST_MENDED):
            mended = next((found for one in documents if (found := self._mended(name, piece, one)) is not None), None)
            if mended is None:
                break
            piece = piece._replace(raw=mended)
            documents = list(read(mended))
        for document in documents:
            if document.state == "unreadable":
                line, message = document.fault
                self._note(name, line + piece.line, f"the inventory cannot be read here: {message}")
        return documents

    def _mended(self, name: str, piece: TextPart, document: Document) -> bytes | None:
        """Return a text without the object that keeps a list from being read; None where none does."""
        if document.state != "unreadable":
            return None
        line, message = document.fault
        found = whole_items(piece.raw) or without_item(piece.raw, document.first_line, line)
        if found is None:
            return None
        left_out = f"the object from line {found[1] + piece.line} on is left out"
        self._note(name, line + piece.line, f"the inventory cannot be read here: {message}; {left_out}")
        return found[0]

    def _fits(self, name: str, before: int, document: Document, item: ApiObject) -> bool:
        """Say whether a cluster can have an object: its values have their types, and a release serves it."""
        fault = fault_of(self.releases, name, document, item)
        if fault is not None:
            self._note(name, fault.line + before, f"{fault.message}; the object is left out")
            return False
        uid = at(item.data, ("metadata", "uid"))
        if item.kind not in KINDS or item.name is None:
            return True
        self._live = self._live or isinstance(uid, str)
        self._kinds.add(item.kind)
        own = uid if isinstance(uid, str) else item.data
        first = self._first.setdefault((item.group, item.kind, item.namespace, item.name), own)
        if type(first) is not type(own) or first == own:
            return True
        path = (*item.path, "metadata", "uid" if isinstance(uid, str) else "name")
        what = "another uid" if isinstance(uid, str) else "other values"
        self._again[what].append((name, document.span(path).line + before, _called(item)))
        return False


def fault_of(releases: Releases, name: str, document: Document, item: ApiObject) -> Failure | None:
    """Return why no cluster can have an object of a file, with its place there; None for one that it can."""
    problem = impossible(releases, item)
    if problem is None:
        return None
    text = f"{_called(item)}: {path_text(problem.path)}: {problem.message}"
    return Failure(name, text, document=document.index, line=locate(document, item.path, problem).line)


def impossible(releases: Releases, item: ApiObject) -> Problem | None:
    """Return why no cluster can have an object; None for one that a cluster can have, and for one of another kind.

    A value has another type, an entry is null, or no release serves its API version.
    """
    if TYPED.get(item.kind) == item.api_version:
        return _misfit(_cluster_decoders(), item.kind, item.data)
    if not (is_ours(item.api_version) and item.kind):
        return None
    serving = releases.serving(item.api_version, item.kind)
    if not serving:
        return refusal(releases.versions, item, releases.known[-1])
    found = _misfit(releases.judge(serving[-1]).api(item.api_version).decoders, item.kind, item.data)
    latest = f"{GROUP}/v1"
    if found is not None or item.api_version == latest or not (now := releases.serving(latest, item.kind)):
        return found
    # What an older version does not have would be read as a field of v1.
    return _misfit(releases.judge(now[-1]).api(latest).decoders, item.kind, to_v1(item.typed))


def _misfit(decoders: Decoders, kind: str, data: dict[str, Any]) -> Problem | None:
    found = Decoded([], [])
    decoders.struct(kind)(data, None, found)
    for problem in found.problems:
        if problem.reason in _TYPE_ERRORS:
            return problem if isinstance(problem, Problem) else problem.told()
    if found.nulls:
        return Problem(WRONG_TYPE, path_of(found.nulls[0]), "expected a value, got null", "TypeInvalid")
    return None


@cache
def _cluster_decoders() -> Decoders:
    # A field that the types do not have is none of the simulation's.
    return Decoders(cluster_types(), {}, lambda: lambda path, _: Problem(WRONG_TYPE, path, "is unknown", "Unknown"))


@cache
def _releases(gates: tuple[tuple[str, bool], ...]) -> Releases:
    return Releases(Settings(gates=gates, ignore_status=False))


def _called(item: ApiObject) -> str:
    return f"{item.kind} {'/'.join(filter(None, (item.namespace, item.name))) or 'without a name'}"
