"""Lints both sides of an update: pairs the objects, judges each update, and turns the problems into findings."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.files.git import Text
from dralint.files.source import DOCUMENTS, Source
from dralint.finding.problem import Problem
from dralint.finding.report import Failure, Report, unread
from dralint.finding.rule_ids import ANOTHER_OBJECT, INTERNAL_ERROR
from dralint.kubernetes.served import CLUSTER_SCOPED, is_ours
from dralint.lint.linter import Linter, in_document, skipped_template
from dralint.lint.passes import conclude
from dralint.lint.placeholders import concerning
from dralint.lint.pool import Task, excerpts_of, judge_together
from dralint.lint.report_builder import ReportBuilder, in_order, locate, related_place
from dralint.lint.run_files import CrossFileFacts, FilesJudged, RunFiles
from dralint.lint.workloads import judge_old_pods, old_pods
from dralint.manifest.objects import RELEVANT, Place, objects, objects_of, speaks
from dralint.references.collect import all_facts
from dralint.references.facts import ClaimFacts, Facts, WorkloadFacts
from dralint.references.world import CLASSIC
from dralint.update.rules import UpdateProblem, Version, check_update, workload_update
from dralint.validate.served import lifecycle, refusal, removed
from dralint.yaml import Document, read

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping

    from dralint.config.settings import Settings
    from dralint.kubernetes.release import Release
    from dralint.lint.proven_repairs import Said
    from dralint.lint.report_builder import Pending
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path


_UNPAIRED = " (in OLD: dralint judges its replacement as a new object)"


class Updates:
    """Judges the objects of new texts as updates of those of old texts; see `compare`."""

    def __init__(self, settings: Settings) -> None:
        self.linter = Linter(settings)
        self.releases = self.linter.releases
        self.pairs = Pairs()
        self._builder = ReportBuilder(settings, b"")
        self.unrelated = False
        """Whether the last comparison skipped the check between objects although some refer to others."""

    def compare(
        self, old: Iterable[Text], new: Iterable[Text], *, excerpts: bool = False, together: bool = False
    ) -> Report:
        """Return the sorted report on the new texts; `excerpts` makes it keep the lines of its findings.

        With `together`, the new texts are a whole input, and the objects are also compared with each other. Objects
        without a counterpart are judged as new ones. `failures` has the files that cannot be read.
        """
        report = Report()
        before, after = Side(), Side()
        old_raws, new_raws = self._raws(old, report), self._raws(new, report)
        report.read = {text.name: 0 for text, raw in new_raws if text.reported and raw is not None}
        report.files = sum(text.reported for text, _ in new_raws)
        # A Pod that has lost its claims, or did not have them yet, is only found if the whole file is read.
        speaking = {text.key for text, raw in (*old_raws, *new_raws) if raw is not None and speaks(raw)}
        unchanged = {(text.key, raw) for text, raw in new_raws}
        for text, raw in old_raws:
            found_here = self._read(text, raw, report) if text.key in speaking else []
            before.add(text, found_here)
            if text.reported and (text.key, raw) not in unchanged:
                self._unreadable_before(report, text, found_here)
        documents: list[tuple[Text, bytes, list[Document]]] = []
        for text, raw in new_raws:
            found_here = self._read(text, raw, report, within=None if text.key in speaking else RELEVANT)
            after.add(text, found_here)
            if text.reported:
                self._count(report, text, found_here)
                documents.append((text, raw or b"", found_here))
        self.pairs = pair(before, after)
        by_document: dict[int, list[PlacedObject]] = {}
        for found in after.objects:
            by_document.setdefault(id(found.document), []).append(found)
        for text, raw, read_documents in documents:
            pending: Pending = []
            self._builder = ReportBuilder(self.linter.settings, raw)
            for document in read_documents:
                try:
                    self._judge_document(report, text, document, by_document.get(id(document), []), pending)
                except Exception as error:  # noqa: BLE001 - a bug of ours must not hide what the other documents meet
                    report.failures.append(in_document(text.name, document, error))
            if pending:
                self._builder.stamp_pending(report, pending)
        facts = [
            entry
            for place in after.objects
            if place.document.state == "read" and not place.file.lower().endswith(DOCUMENTS)
            for entry in all_facts(place.item, place.file, place.document.index)
        ]
        if together:
            self._judge_together(report, facts, new_raws)
        else:
            if not self.linter.settings.releases and old_pods(facts):
                files = RunFiles({text.name: raw for text, raw in new_raws}.get, {})
                judge_old_pods(report, facts, self.linter.settings, self.releases.versions, files)
            self.unrelated = any(_refers(entry) for entry in facts if entry.file in report.read)
        conclude(report, self.linter.settings)
        if excerpts:
            for text, raw in (*old_raws, *new_raws):
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

    def _read(
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
            self._builder.stamp_reading(report, text.name, document, [])
            added = report.findings[first:]
            report.findings[first:] = [finding._replace(message=finding.message + _UNPAIRED) for finding in added]

    def _count(self, report: Report, text: Text, documents: list[Document]) -> None:
        report.documents += len(documents)
        for document in documents:
            if document.state == "template":
                report.skipped.append(skipped_template(text.name, document))

    def _judge_together(self, report: Report, facts: list[Facts], new_raws: list[tuple[Text, bytes | None]]) -> None:
        """Add the findings between the objects of the new side, in the files that are reported."""
        first = len(report.findings)
        gathered = CrossFileFacts()
        gathered.facts = facts
        sources = {text.name: Source(text.name, text.name, raw) for text, raw in new_raws if raw is not None}
        gathered.defining = {name for name, source in sources.items() if b"CustomResourceDefinition" in source.read()}
        judge_together(FilesJudged(report, gathered), self.releases, Task(self.linter.settings), sources)
        reported = {text.name for text, _ in new_raws if text.reported}
        report.findings[first:] = [finding for finding in report.findings[first:] if finding.file in reported]

    def _judge_document(
        self, report: Report, text: Text, document: Document, found: list[PlacedObject], pending: Pending
    ) -> None:
        first = len(report.findings)
        own: Pending = []
        covered = [place.item for place in found if self._judge(report, place, own)]
        readable = document.state in ("read", "unreadable")
        if covered or (readable and speaks(document.text.encode("utf-8", "replace"))):
            count = self._builder.finish(report, text.name, document, covered, first)
            report.objects += count
            report.read[text.name] += count
        if document.state != "template":
            pending += own

    def _judge(self, report: Report, new: PlacedObject, pending: Pending) -> bool:
        """Judge one object of the new side; say whether dralint judges it."""
        place = Place(new.file, new.document, new.item)
        old = self.pairs.old.get(new)
        ours = is_ours(new.item.api_version)
        if old is not None and ours:
            changed = self._update(old, new)
            if self.linter.settings.driver_schemas:
                changed += [
                    (UpdateProblem(problem), releases) for problem, releases in self.linter.parameters(new.item)
                ]
            self._stamp_changes(report, place, changed, old, pending)
            return True
        changes = None if old is None else workload_update(self.releases, old.item, new.item)
        if old is not None and changes is not None:
            self._stamp_changes(report, place, changes, old, pending)
            return True
        found = self.linter.judge(place, pending)
        if found is None:
            return False
        self._builder.stamp_all(report, place.document, [(place, found)], self.linter.everything)
        replaced = self.pairs.replaced.get(new)
        if replaced is not None and ours:
            self._stamp_change(report, place, _another_object(replaced, new), [], replaced)
        return True

    def _update(self, old: PlacedObject, new: PlacedObject) -> list[tuple[UpdateProblem, list[Release]]]:
        versions, key = self.releases.versions, (new.item.api_version, new.item.kind)
        releases = list(self.releases.chosen)
        chosen = bool(releases)
        newest = self.releases.known[-1]
        if not releases:
            release = versions.newest_serving(*key)
            if release is None:
                return [(UpdateProblem(refusal(versions, new.item, newest)), [newest])]
            releases = [release]
        merged: dict[UpdateProblem, list[Release]] = {}
        for release in releases:
            for change in self._update_in(release, old, new, newest, chosen=chosen):
                merged.setdefault(change, []).append(release)
        serving = [release for release in releases if key in versions.served(release) and (chosen or release == newest)]
        notices = [(UpdateProblem(problem), judging) for problem, judging in lifecycle(versions, new.item, serving)]
        return [*merged.items(), *notices]

    def _update_in(
        self, release: Release, old: PlacedObject, new: PlacedObject, newest: Release, *, chosen: bool
    ) -> list[UpdateProblem]:
        versions = self.releases.versions
        if (new.item.api_version, new.item.kind) not in versions.served(release):
            return [UpdateProblem(refusal(versions, new.item, release, self.releases.chosen))]
        key = (old.item.api_version, old.item.kind)
        before = release if key in versions.served(release) else versions.newest_serving(*key)
        # Objects of the classic API had to be deleted before the upgrade to a release with the next API version.
        apart = old.item.api_version != new.item.api_version and old.item.api_version in CLASSIC
        if before is None or apart:  # no server has the old object and accepts the new one
            changes = [UpdateProblem(problem) for problem in self.releases.judge(release).check(new.item)]
        else:
            changes = check_update(
                Version(old.item, self.releases.judge(before)), Version(new.item, self.releases.judge(release))
            )
        if not chosen and release != newest:
            return [*changes, UpdateProblem(removed(versions, new.item, release))]
        return changes

    def _stamp_changes(
        self,
        report: Report,
        place: Place,
        changes: list[tuple[UpdateProblem, list[Release]]],
        old: PlacedObject,
        pending: Pending,
    ) -> None:
        """Stamp the problems of an update, except for those that only a placeholder causes.

        Those of the new object alone are stamped together, because their repairs are proven together.
        """
        strict = self.linter.settings.strict_placeholders or not place.document.may_have_placeholders
        alone: Said = []
        for change, releases in changes:
            names = [] if strict else concerning(place.item, change.problem)
            if names:
                pending += in_order(place, [(change.problem.path, name) for name in names])
            elif change.before is None:
                alone.append((change.problem, releases))
            else:
                self._stamp_change(report, place, change, releases, old)
        self._builder.stamp_all(report, place.document, [(place, alone)], self.linter.everything)

    def _stamp_change(
        self, report: Report, place: Place, change: UpdateProblem, releases: list[Release], old: PlacedObject
    ) -> None:
        count = len(report.findings)
        said = [(place, [(change.problem, releases)])]
        self._builder.stamp_all(report, place.document, said, self.linter.everything)
        if change.before is not None and len(report.findings) > count:
            text, path = change.before
            span = locate(old.document, old.item.path, Problem("", path, ""))
            finding = report.findings[-1]
            related = (*finding.related, related_place(text, old.file, span))
            report.findings[-1] = finding._replace(related=related)


def _refers(facts: Facts) -> bool:
    """Say whether an object names others: a Pod or workload its claims, a claim its classes."""
    if isinstance(facts.body, WorkloadFacts):
        return any(pod.entries for pod in facts.body.pods)
    return isinstance(facts.body, ClaimFacts)


def _another_object(old: PlacedObject, new: PlacedObject) -> UpdateProblem:
    """Return the problem that another object has replaced an old one."""
    kind, name = new.item.kind, new.item.name or ""
    where: Path
    if old.item.kind == kind:
        where = ("metadata", "namespace") if old.item.name == new.item.name else ("metadata", "name")
        moved = where[-1] == "namespace"
        was = (old.item.namespace if moved else old.item.name) or ""
        now = (new.item.namespace if moved else new.item.name) or ""
        text = f'{kind} "{was}" has become "{now}", another object: the old one is deleted, the new one created'
        if moved:
            text = f'{kind} "{name}" has moved from namespace "{was}" to "{now}": it is deleted there and created here'
    else:
        where = ("kind",)
        text = (
            f'{old.item.kind} "{name}" has become a {kind}, another object: the old one is deleted, the new one created'
        )
    hint = "an applied manifest leaves the old object behind unless it is pruned; Pods that refer to it by name follow"
    return UpdateProblem(Problem(ANOTHER_OBJECT, where, text, None, hint), ("the object before the update", where))


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
    metadata = item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
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


@dataclass(frozen=True, slots=True, eq=False)
class PlacedObject:
    """One object of one side, and its place."""

    file: str
    key: str
    document: Document
    item: ApiObject

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


@dataclass(slots=True)
class Side:
    """All objects of one side, in order."""

    objects: list[PlacedObject] = field(default_factory=list)

    def add(self, text: Text, documents: Iterable[Document]) -> None:
        """Add the objects of one file."""
        for document in documents:
            if document.state == "read":
                self.objects += [PlacedObject(text.name, text.key, document, item) for item in objects(document.data)]


@dataclass(slots=True)
class Pairs:
    """The result of pairing: `old` by new object, and `replaced` where another object has the place of an old one."""

    old: dict[PlacedObject, PlacedObject] = field(default_factory=dict)
    replaced: dict[PlacedObject, PlacedObject] = field(default_factory=dict)


def pair(old: Side, new: Side) -> Pairs:
    """Pair the objects with the same identity: first those in files of the same key, then all others.

    A single object left on each side of one file is paired too: it was renamed, or changed its kind. Of several, those
    with the same kind, or else the same name, are paired.
    """
    pairs = Pairs()
    left, unmatched = _match(old.objects, new.objects, pairs, lambda found: (found.key, found.identity))
    left, unmatched = _match(left, unmatched, pairs, lambda found: found.identity)
    by_kind = _match(left, unmatched, pairs, lambda found: (found.key, found.item.group, found.item.kind), renamed=True)
    _match(*by_kind, pairs, lambda found: (found.key, found.item.group, found.item.name), renamed=True)
    return pairs


def _match(
    old: list[PlacedObject],
    new: list[PlacedObject],
    pairs: Pairs,
    key: Callable[[PlacedObject], object],
    *,
    renamed: bool = False,
) -> tuple[list[PlacedObject], list[PlacedObject]]:
    """Pair objects with the same key in their order; return those that are left on both sides."""
    waiting: dict[object, list[PlacedObject]] = {}
    for found in reversed(old):
        if found.named:
            waiting.setdefault(key(found), []).append(found)
    unmatched: list[PlacedObject] = []
    used: set[int] = set()
    for found in new:
        candidates = waiting.get(key(found))
        if not candidates or not found.named:
            unmatched.append(found)
            continue
        before = candidates.pop()
        used.add(id(before))
        (pairs.replaced if renamed else pairs.old)[found] = before
    return [found for found in old if id(found) not in used], unmatched
