"""Lints both sides of an update: pairs the objects, judges each update, and turns the problems into findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint import work
from dralint.files.git import Text
from dralint.files.source import DOCUMENTS, Source
from dralint.finding.problem import Problem, dict_of
from dralint.finding.report import Failure, Report, unread
from dralint.finding.rule_ids import ANOTHER_OBJECT, INTERNAL_ERROR
from dralint.kubernetes.served import CLUSTER_SCOPED, is_ours
from dralint.lint.linter import Linter
from dralint.lint.passes import conclude
from dralint.lint.placeholders import concerning
from dralint.lint.pool import Task, excerpts_of, judge_together
from dralint.lint.release_judge import by_release
from dralint.lint.report_builder import ReportBuilder, in_order
from dralint.lint.run_files import CrossFileFacts, FilesJudged, RunFiles
from dralint.lint.workloads import judge_old_pods, old_pods
from dralint.manifest.objects import RELEVANT, Place, objects, objects_of, relevance_of, speaks
from dralint.manifest.pod_parts import claim_parts
from dralint.records import grouped
from dralint.references.collect import all_facts
from dralint.references.facts import ClaimFacts, Facts, WorkloadFacts
from dralint.references.world import CLASSIC
from dralint.update.rules import Version, check_update, workload_update
from dralint.yaml import Document, read

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dralint.config.settings import Settings
    from dralint.finding.problem import ByRelease
    from dralint.kubernetes.release import Release
    from dralint.lint.report_builder import Pending
    from dralint.manifest.objects import ApiObject, Relevance
    from dralint.yaml import Path

    Spot = tuple[int, Path]
    """The identity of a document, and the path of an object in it."""


_UNPAIRED = " (in OLD: dralint judges its replacement as a new object)"


class Updates(Linter):
    """Judges the objects of new texts as updates of those of old texts; see `compare`."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._updated: frozenset[Spot] = frozenset()
        self._held: list[Document] = []
        self.unrelated = False
        """Whether the last comparison skipped the check between objects although some refer to others."""

    def compare(
        self, old: Iterable[Text], new: Iterable[Text], *, excerpts: bool = False, together: bool = False
    ) -> Report:
        """Return the sorted report on the new texts; `excerpts` makes it keep the lines of its findings.

        With `together`, the new texts are a whole input, and the objects are also compared with each other. Objects
        without a counterpart are judged as new ones. `failures` has the files that cannot be read.
        """
        report, gathered = whole = FilesJudged(Report(), CrossFileFacts())
        old_raws, new_raws = self._raws(old, report), self._raws(new, report)
        report.files = sum(text.reported for text, _ in new_raws)
        # A Pod that has lost its claims, or did not have them yet, is only found if the whole file is read.
        speaking = {text.key for text, raw in (*old_raws, *new_raws) if raw is not None and speaks(raw)}
        unchanged = {(text.key, raw) for text, raw in new_raws}
        before: list[PlacedObject] = []
        for text, raw in old_raws:
            documents = self._documents_of(text, raw, report) if text.key in speaking else []
            before += _placed(text, documents)
            if text.reported and (text.key, raw) not in unchanged:
                self._unreadable_before(report, text, documents)
        after: list[PlacedObject] = []
        read_as: list[list[Document]] = []
        for text, raw in new_raws:
            documents = self._documents_of(text, raw, report, within=None if text.key in speaking else RELEVANT)
            after += _placed(text, documents)
            read_as.append(documents)
        updated, replaced = pair(before, after)
        self._old, self._updated = {**replaced, **updated}, frozenset(updated)
        for (text, raw), self._held in zip(new_raws, read_as, strict=True):
            if raw is None:
                continue
            here = CrossFileFacts(text.name, raw)
            if text.reported:
                with work.begun():
                    part = self._check(text.name, raw, relevance_of(raw), here, alone=False, searching=False)
                part.report.files = 0
                whole.extend(part)
            else:
                there = (each.place for each in _placed(text, self._held))
                here.facts = [e for one in there for e in all_facts(one.item, one.file, one.document.index)]
                gathered.extend(here)
        gathered.facts = [entry for entry in gathered.facts if not entry.file.lower().endswith(DOCUMENTS)]
        raws = {text.name: raw for text, raw in new_raws if raw is not None}
        if together:
            first = len(report.findings)
            judge_together(
                whole, self.releases, Task(self.settings), {name: Source(name, name, raws[name]) for name in raws}
            )
            report.findings[first:] = [finding for finding in report.findings[first:] if finding.file in report.read]
        else:
            if not self.settings.releases and old_pods(gathered.facts):
                files = RunFiles(raws.get, {})
                judge_old_pods(report, gathered.facts, self.settings, self.releases.versions, files)
            self.unrelated = any(_refers(entry) for entry in gathered.facts if entry.file in report.read)
        conclude(report, self.settings)
        for text, raw in (*old_raws, *new_raws) if excerpts else ():
            if raw is not None:
                report.excerpts.update(excerpts_of(text.name, raw, report.findings))
        return report

    def _raws(self, texts: Iterable[Text], report: Report) -> list[tuple[Text, bytes | None]]:
        out: list[tuple[Text, bytes | None]] = []
        for text in texts:
            raw = None
            try:
                raw = text.read()
            except (OSError, MemoryError) as error:
                if text.reported:
                    report.failures.append(unread(text.name, error))
            out.append((text, raw))
        return out

    def _documents_of(
        self, text: Text, raw: bytes | None, report: Report, within: re.Pattern[bytes] | None = None
    ) -> list[Document]:
        if raw is None:
            return []
        try:
            return list(read(raw, relevant=within))
        except Exception as error:  # noqa: BLE001 - a bug in reading one file must not hide the others
            message = f"could not be read: {type(error).__name__}: {error}"
            report.failures.append(Failure(text.name, message, INTERNAL_ERROR))
            return []

    def _unreadable_before(self, report: Report, text: Text, documents: list[Document]) -> None:
        """Report the unreadable parts of an old file: the comparison lacks their objects."""
        for document in documents:
            if document.state != "unreadable":
                continue
            if len(documents) > 1 and not speaks(document.text.encode("utf-8", "replace")):
                continue
            first = len(report.findings)
            ReportBuilder(self.settings, b"", offers=False).stamp_reading(report, text.name, document, [])
            added = report.findings[first:]
            report.findings[first:] = [finding._replace(message=finding.message + _UNPAIRED) for finding in added]

    def _documents(self, raw: bytes, relevance: Relevance) -> Iterator[tuple[Document, bool]]:
        for document in self._held:
            lost = self._has_lost_claims(document)
            if not lost and not document.holds(relevance.named):
                document.state = "passed-over"  # it was read for its objects, which may have moved
            yield document, lost or document.holds(relevance.judged)

    def _has_lost_claims(self, document: Document) -> bool:
        """Say whether an object of a document had claims before the update."""
        spots = ((id(document), item.path) for item in (objects(document.data) if document.state == "read" else ()))
        return any(bool(claim_parts(self._old[spot].item)) for spot in spots if spot in self._updated)

    def judge(self, place: Place, pending: Pending) -> ByRelease | None:
        """Return the problems of an object of the new side; None where dralint does not judge it."""
        new, spot = place.item, (id(place.document), place.item.path)
        old, ours, updates = self._old.get(spot), is_ours(new.api_version), spot in self._updated
        found: ByRelease | None = None
        if old is not None and updates and ours:
            before = old.item
            stored = before.api_version == new.api_version
            found = by_release(self.releases, new, lambda release: self._changes(before, new, release), stored=stored)
            found += self.parameters(new) if self.settings.driver_schemas else []
        elif old is not None and updates:
            found = workload_update(self.releases, old.item, new)
        if found is None:
            found = super().judge(place, pending)
            if found is not None and old is not None and ours:
                found = [*found, (_another_object(old.item, new), [])]
            return found
        if self.settings.strict_placeholders or not place.document.may_have_placeholders:
            return found
        concerned = [(problem, concerning(new, problem)) for problem, _ in found]
        pending += in_order(place, [(problem.path, name) for problem, names in concerned for name in names])
        return [each for each, (_, names) in zip(found, concerned, strict=True) if not names]

    def _changes(self, old: ApiObject, new: ApiObject, release: Release) -> list[Problem]:
        """Return the problems of an update in a release that serves the new object."""
        versions, key = self.releases.versions, (old.api_version, old.kind)
        before = release if key in versions.served(release) else versions.newest_serving(*key)
        # Objects of the classic API had to be deleted before the upgrade to a release with the next API version.
        apart = old.api_version != new.api_version and old.api_version in CLASSIC
        if before is None or apart:  # no server has the old object and accepts the new one
            return self.releases.judge(release).check(new)
        return check_update(Version(old, self.releases.judge(before)), Version(new, self.releases.judge(release)))


def _refers(facts: Facts) -> bool:
    """Say whether an object names others: a Pod or workload its claims, a claim its classes."""
    if isinstance(facts.body, WorkloadFacts):
        return any(pod.entries for pod in facts.body.pods)
    return isinstance(facts.body, ClaimFacts)


def _another_object(old: ApiObject, new: ApiObject) -> Problem:
    """Return the problem that another object has replaced an old one."""
    kind, name = new.kind, new.name or ""
    where: Path
    if old.kind == kind:
        where = ("metadata", "namespace") if old.name == new.name else ("metadata", "name")
        moved = where[-1] == "namespace"
        was = (old.namespace if moved else old.name) or ""
        now = (new.namespace if moved else new.name) or ""
        text = f'{kind} "{was}" has become "{now}", another object: the old one is deleted, the new one created'
        if moved:
            text = f'{kind} "{name}" has moved from namespace "{was}" to "{now}": it is deleted there and created here'
    else:
        where = ("kind",)
        text = f'{old.kind} "{name}" has become a {kind}, another object: the old one is deleted, the new one created'
    hint = "an applied manifest leaves the old object behind unless it is pruned; Pods that refer to it by name follow"
    return Problem(ANOTHER_OBJECT, where, text, None, hint, before=("the object before the update", where))


Key = tuple[str, str, str]
"""Kind, namespace (empty where there is none) and name."""

_OF_THE_SERVER = ("metadata", "status")
_NAME = "the inventory"


def old_side(live: Iterable[tuple[Key, Mapping[str, Any]]], written: Mapping[Key, str]) -> list[Text]:
    """Return the live objects of manifests as a text, without what the API server keeps whatever a manifest has.

    `written` has the changed objects, each with the namespace that the manifest itself names.
    """
    found = []
    for key, item in live:
        if key in written:
            metadata = {"name": key[2], **({"namespace": written[key]} if written[key] else {})}
            found.append({**{name: item[name] for name in item if name not in _OF_THE_SERVER}, "metadata": metadata})
    raw = json.dumps({"apiVersion": "v1", "kind": "List", "items": found}).encode()
    return [Text(_NAME, _NAME, lambda: raw, reported=False)] if found else []


def key_of(item: Mapping[str, Any]) -> Key:
    """Return under which key a live object is known."""
    metadata = dict_of(item.get("metadata"))
    return str(item.get("kind")), str(metadata.get("namespace") or ""), str(metadata.get("name"))


def written_in(raws: Iterable[bytes], namespace: str) -> dict[Key, str]:
    """Return the objects of manifests, with the namespace that each names; the others are in `namespace` or none."""
    found: dict[Key, str] = {}
    for raw in raws:
        for _, item in objects_of(raw):
            own = item.namespace or ""
            for inside in (own,) if own else (namespace, ""):
                found[item.kind, inside, item.name or ""] = own
    return found


class PlacedObject(NamedTuple):
    """One object of one side: its place, and the name that pairs its file with one of the other side."""

    key: str
    place: Place

    @property
    def item(self) -> ApiObject:
        """The object."""
        return self.place.item

    @property
    def spot(self) -> Spot:
        """The identity of the place."""
        return id(self.place.document), self.place.item.path

    @property
    def named(self) -> bool:
        """Whether it has its own name; an object without one is created again each time."""
        name = self.item.name
        return name is not None and not name.endswith("*")

    @property
    def identity(self) -> tuple[str, str, str, str | None]:
        """The identity of the object in the cluster, whatever its API version is."""
        namespace = "" if self.item.kind in CLUSTER_SCOPED else self.item.namespace or ""
        return (self.item.group, self.item.kind, namespace, self.item.name)


def _placed(text: Text, documents: Iterable[Document]) -> Iterator[PlacedObject]:
    """Yield the objects of one file, in order."""
    for document in documents:
        if document.state == "read":
            yield from (PlacedObject(text.key, Place(text.name, document, item)) for item in objects(document.data))


def pair(old: list[PlacedObject], new: list[PlacedObject]) -> tuple[dict[Spot, Place], dict[Spot, Place]]:
    """Return the old objects by new ones: those with the same identity, and those that another object replaces.

    Of the same identity, those in files of the same key are paired first, then all others. A single object left on
    each side of one file is replaced: it was renamed, or changed its kind. Of several, those with the same kind, or
    else the same name, are paired.
    """
    updated: dict[Spot, Place] = {}
    replaced: dict[Spot, Place] = {}
    left, unmatched = _match(old, new, updated, lambda found: (found.key, found.identity))
    left, unmatched = _match(left, unmatched, updated, lambda found: found.identity)
    by_kind = _match(left, unmatched, replaced, lambda found: (found.key, found.item.group, found.item.kind))
    _match(*by_kind, replaced, lambda found: (found.key, found.item.group, found.item.name))
    return updated, replaced


def _match(
    old: list[PlacedObject],
    new: list[PlacedObject],
    pairs: dict[Spot, Place],
    key: Callable[[PlacedObject], object],
) -> tuple[list[PlacedObject], list[PlacedObject]]:
    """Pair objects with the same key in their order; return those that are left on both sides."""
    waiting = grouped((key(found), found) for found in reversed(old) if found.named)
    unmatched: list[PlacedObject] = []
    used: set[Spot] = set()
    for found in new:
        candidates = waiting.get(key(found))
        if not candidates or not found.named:
            unmatched.append(found)
            continue
        before = candidates.pop()
        used.add(before.spot)
        pairs[found.spot] = before.place
    return [found for found in old if found.spot not in used], unmatched
