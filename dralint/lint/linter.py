"""Lints the text of one file: reads documents, finds the objects, judges them and turns problems into findings."""

from __future__ import annotations

import re
from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from dralint import work
from dralint.config.settings import settings_of
from dralint.finding import catalogue
from dralint.finding.report import Failure, Report, Skipped, internal_error, not_compiled
from dralint.finding.rule_ids import UNKNOWN_POD_CLAIM, UNKNOWN_REQUEST
from dralint.lint import report_builder
from dralint.lint.passes import MOST_OF_A_RULE, bounded, is_shortened
from dralint.lint.placeholders import Remainder, mark_template, without
from dralint.lint.release_judge import DESCRIBED, Releases, judge_object, use_workloads
from dralint.lint.report_builder import in_order, unrepaired
from dralint.lint.run_files import (
    LARGEST_KEPT,
    NOTHING,
    SOURCE,
    CrossFileFacts,
    FilesJudged,
    may_have,
    needs_no_comparison,
)
from dralint.manifest.objects import Place, is_passed_over, objects, relevance_of, type_meta
from dralint.records import NamedTuple
from dralint.references.collect import all_facts
from dralint.references.facts import QuotaFacts, WorkloadFacts
from dralint.yaml import ReadingProblem, Span, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.config.settings import Settings
    from dralint.finding.problem import ByRelease
    from dralint.lint.report_builder import Pending, ReportBuilder
    from dralint.manifest.objects import ApiObject, Relevance
    from dralint.opaque.parameters import DriverSchemas
    from dralint.validate.cascade import Telling
    from dralint.yaml import Document, Path


CUT_OBJECT = "cut-object"
_META = r"(?mi)^[\"']?(?:apiVersion|kind)[\"']?[ \t]*:"
_FIRST = r"(?m)^[ \t]*(?![ \t\r\n#]).*$"
_SECTION = r"(?:spec|status|metadata|data)[ \t]*:"


def object_cut_in_two(document: Document, following: Document) -> ReadingProblem | None:
    """Return the problem that the separator between two documents cuts an object in two; None where it does not.

    It does if the first document ends in a block scalar, and the second is not an object but begins like the rest of
    one.
    """
    if following.state == "empty":
        return None
    text = following.text
    if re.search(_META, text) is not None:  # as nearly every document has it, this is asked first
        return None
    first = re.search(_FIRST, text)
    if first is None or not (first[0].startswith((" ", "\t")) or re.match(_SECTION, first[0])):
        return None
    if not document.ends_in_block:
        return None
    line = following.first_line if text.startswith("---") else following.first_line - 1
    return ReadingProblem(
        CUT_OBJECT,
        "`---` in the first column ends the document here, within a block of text: the object loses what follows",
        Span(line, 1, line, 4),
        (),
        "indent the line like the rest of the text, or write the text in double quotes",
        (),
    )


_SPEAKS_OF_CLAIMS = (
    r"resource\.k8s\.io|resource[cC]laims|Resource(?:Claim|Slice|Class|PoolStatus)|Device(?:Class|TaintRule)"
    r"|(?<![A-Za-z_-])claims[\"']?[ \t]*:"
)
"""Fields of a template that may become an object to judge; `persistentvolumeclaims` in a role does not count."""
_MOST_DOCUMENTS = 200
"""To look for repairs, dralint keeps at most this many documents with findings until the end of a file. If a file has
more, it keeps none."""
_SUPPRESSED = b"dralint"
"""A file without these bytes has no suppression."""


class Objects(NamedTuple):
    """The objects of a document that others may be compared with, and what some of them become with guesses.

    `judged` has those that were judged alone.
    """

    document: Document
    items: list[ApiObject]
    guessed: list[ApiObject]
    judged: list[ApiObject]


class Linter:
    """Judges texts by the settings; keeps compiled releases from one text to the next.

    Args:
        collects: whether to gather the facts that objects are compared by.
        thorough: whether to report all problems, except those that follow from others.
        offers: whether findings get fixes.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        collects: bool = True,
        thorough: bool = False,
        offers: bool = True,
    ) -> None:
        self.settings = settings
        self._offers = offers
        self._collects = collects
        self.releases = Releases(settings)
        self._thorough = thorough
        self._raw = b""
        self._building: ReportBuilder | None = None
        self._old: dict[tuple[int, Path], Place] = {}
        self._schemas: DriverSchemas | None = None
        self._faulty: list[tuple[Document, int, int]] = []
        self._shortened = False

    def check(self, name: str, raw: bytes, *, alone: bool = False, searching: bool = True) -> FilesJudged:
        """Return the report on one file's bytes; `failures` has the internal errors of documents.

        Args:
            alone: whether the input has no other file and only its objects are to be judged.
            searching: whether to search for repairs that no rule offers.

        Raises Stopped as `work.pause`.
        """
        relevance = relevance_of(raw)
        if is_passed_over(raw, relevance):  # as most files of a repository
            passed = Report(files=1, documents=1, read={name: 0})
            return FilesJudged(passed, CrossFileFacts(name, raw) if any(may_have(raw)) else NOTHING)
        gathered = CrossFileFacts(name, raw)
        # Without offers, it judges parts of another file, and takes from the work of that one.
        with work.begun() if self._offers else nullcontext():
            return self._check(name, raw, relevance, gathered, alone=alone, searching=searching)

    def _check(
        self, name: str, raw: bytes, relevance: Relevance, gathered: CrossFileFacts, *, alone: bool, searching: bool
    ) -> FilesJudged:
        if self.settings.workloads != DESCRIBED[0]:
            use_workloads(self.settings)
        report = Report(files=1, read={name: 0})
        self._raw, self._building = raw, None
        self._faulty, self._shortened = [], False
        pending: Pending = []
        last: tuple[Document, ApiObject] | None = None
        comments: Comments | None = None
        if _SUPPRESSED in raw:
            from dralint.suppress.comments import Comments  # few files have suppressions

            comments = Comments(name, raw)
        before: Objects | None = None
        gathers_all = True
        for document, concerned in self._documents(raw, relevance):
            if before is not None:
                self._gather(before, name, report, gathered)
                before = None
            if comments is not None:
                comments.add(document)
            report.documents += 1
            if last is not None and (problem := object_cut_in_two(last[0], document)) is not None:
                self._builder.stamp_cut(report, Place(name, *last), problem)
            last = None
            if document.state not in ("passed-over", "empty") and not concerned:
                if document.state == "read":
                    items = list(objects(document.data))
                    if any(problem.kind == "duplicate-key" for problem in document.problems):
                        self._builder.finish(report, name, document, items, len(report.findings))
                    before = Objects(document, items, [], []) if self._collects else None
                gathers_all &= before is not None
                continue
            if document.state == "template":
                report.skipped.append(skipped_template(name, document))
            elif document.state in ("read", "unreadable"):
                try:
                    items, before = self._document(name, document, report, pending)
                    report.objects += len(items)
                    last = (document, items[-1]) if items else None
                except Exception as error:  # noqa: BLE001 - the one place where a bug of ours must not end the run
                    report.failures.append(in_document(name, document, error))
            gathers_all &= before is not None or document.state == "empty"
        if gathers_all:
            gathered.running.clear()
        if times := work.current().not_compiled:
            report.failures.append(not_compiled(name, times))
        if 0 < len(self._faulty) <= _MOST_DOCUMENTS:
            wanted = unrepaired(report, self._faulty, self._builder.file.text)
            if wanted and not searching:
                gathered.unsearched.add(name)
            elif wanted:
                from dralint.lint import search_repairs  # for what has no repair

                search_repairs.with_repairs(report, wanted, raw, self._without_selection, self._builder)
        self._faulty = []
        if self._shortened:
            gathered.shortened.add(name)
        if SOURCE in raw:
            gathered.rendered.add(name)
        if pending:
            self._builder.stamp_pending(report, pending)
        if before is not None and not (alone and report.documents == 1 and all(map(needs_no_comparison, before.items))):
            self._gather(before, name, report, gathered)
        report.read[name] = report.objects
        if comments is not None and report.objects:
            gathered.suppressions = comments.suppressions()
        if self._offers and self.releases.chosen and report.findings:
            self._mark_newer(report, raw)
        return FilesJudged(report, gathered)

    def _mark_newer(self, report: Report, raw: bytes) -> None:
        """Give the findings on old API versions the fix that moves their object to a newer one."""
        if any(finding.rule in catalogue.OLD_API_VERSIONS for finding in report.findings):
            from dralint.lint import newer_api_version  # few files have old API versions

            chosen = self.releases.chosen
            newer_api_version.mark(
                report.findings, raw, self.releases.versions, chosen, self.everything, self._everything_served
            )

    def _documents(self, raw: bytes, relevance: Relevance) -> Iterator[tuple[Document, bool]]:
        """Yield the documents of a file, each with whether there may be an object to judge in it."""
        return ((document, document.holds(relevance.judged)) for document in read(raw, relevant=relevance.named))

    def judge(self, place: Place, pending: Pending) -> ByRelease | None:
        """Return the problems of an object with their releases; None where dralint does not judge it.

        Problems that only placeholders cause are left out, and the placeholders are added to `pending`. A placeholder
        in place of a mapping or a list makes the document a template.
        """
        telling: Telling = "all" if self._thorough else "first"
        outcome = self._outcome(place.document, place.item, telling)
        if outcome is None:
            return None
        if outcome.structure is not None:
            mark_template(place.document, outcome.structure)
        if outcome.unreplaced:
            pending += in_order(place, outcome.unreplaced)
        return outcome.found

    def _outcome(self, document: Document, item: ApiObject, telling: Telling) -> Remainder | None:
        """Return the problems of an object that its placeholders do not cause; None where dralint does not judge it."""
        found = self._judged(item, telling)
        if found and telling != "everything":
            found = _without_lost_names(document, found)
        if not found or self.settings.strict_placeholders or not document.may_have_placeholders:
            return None if found is None else Remainder(found, [])
        return without(item, found, lambda item: self._judged(item, telling))

    def everything(self, document: Document, item: ApiObject) -> ByRelease | None:
        """Return all problems of an object, reported or not; None where dralint does not judge it.

        The object is one of the document, or an edited copy of one.
        """
        meta = {key: type_meta(item.data, key) for key in ("apiVersion", "kind")}
        if isinstance(meta["apiVersion"], str) and isinstance(meta["kind"], str):
            item = item._replace(api_version=meta["apiVersion"], kind=meta["kind"])
        outcome = self._outcome(document, item, "everything")
        return None if outcome is None or outcome.structure is not None else outcome.found

    def _everything_served(self, document: Document, item: ApiObject) -> ByRelease | None:
        """Return all problems of an object in the newest release that serves it."""
        return self._of_newest_release.everything(document, item)

    @cached_property
    def _of_newest_release(self) -> Linter:
        return Linter(self.settings._replace(releases=()), collects=False)

    def _judged(self, item: ApiObject, telling: Telling = "first") -> ByRelease | None:
        found = judge_object(self.releases, item, telling)
        if found is None or not self.settings.driver_schemas:
            return found
        return [*found, *self.parameters(item)]

    def parameters(self, item: ApiObject) -> ByRelease:
        """Return what the schemas of drivers report about the opaque parameters of an object, by release."""
        if self._schemas is None:
            from dralint.opaque.parameters import DriverSchemas  # few runs have any

            self._schemas = DriverSchemas(self.settings.driver_schemas)
        problems = self._schemas.check(item)
        releases = self.releases.serving(item.api_version, item.kind) if problems else []
        return [(problem, releases) for problem in problems] if releases else []

    def _gather(self, found: Objects, name: str, report: Report, gathered: CrossFileFacts) -> None:
        """Add the facts of a document's objects that matter to others, and count what only a comparison judges."""
        index, alone = found.document.index, {item.path for item in found.judged}
        try:
            facts = [entry for item in found.items for entry in all_facts(item, name, index)]
            gathered.facts += facts
            if facts and len(self._raw) <= LARGEST_KEPT:
                gathered.documents.setdefault(name, []).append(found.document)
            compared = {entry.path for entry in facts if isinstance(entry.body, (QuotaFacts, WorkloadFacts))}
            report.objects += len(compared - alone)
            gathered.guessed += [entry for item in found.guessed for entry in all_facts(item, name, index)]
        except Exception as error:  # noqa: BLE001 - a bug of ours in one document must not end the run
            report.failures.append(in_document(name, found.document, error))

    def _document(
        self, name: str, document: Document, report: Report, pending: Pending
    ) -> tuple[list[ApiObject], Objects | None]:
        """Report the problems in the objects of a document; return the judged objects, and those to compare."""
        first = len(report.findings)
        covered: list[ApiObject] = []
        own: Pending = []
        items = list(objects(document.data)) if document.state == "read" else []
        said: list[tuple[Place, ByRelease]] = []
        for item in items:
            work.pause()
            place = Place(name, document, item)
            found = self.judge(place, own)
            if found is None:
                continue
            covered.append(item)
            if self._thorough and document.may_have_placeholders:
                self._shortened = True
            if found:
                self._shortened |= self._thorough and is_shortened(found)
                if len(found) > MOST_OF_A_RULE and not self._thorough:
                    found = bounded(found)
                said.append((place, found))
        guessed = self._builder.stamp_all(report, document, said, self.everything) if said else []
        alone = len(covered) == 1 and not covered[0].path
        # nothing shows that it is not a manifest
        plain = alone and not document.problems and document.state == "read" and "$" not in document.text
        if said or not plain:
            self._builder.finish(report, name, document, covered, first)
        # To search for repairs, the document is kept.
        if self._offers and len(report.findings) > first and len(self._faulty) <= _MOST_DOCUMENTS:
            self._faulty.append((document, first, len(report.findings)))
        compared = Objects(document, items, guessed, covered) if document.state == "read" and self._collects else None
        if document.state == "template":
            return [], compared
        pending += own
        return covered, compared

    @property
    def _builder(self) -> ReportBuilder:
        """Return the maker of the findings of the file; most files do not need one."""
        if self._building is None:
            self._building = report_builder.ReportBuilder(
                self.settings, self._raw, self._judged, offers=self._offers, old=self._old
            )
        return self._building

    @cached_property
    def _without_selection(self) -> Linter:
        settings = self.settings._replace(select=(), ignore=())
        return Linter(settings, collects=False, thorough=True, offers=False)


def _without_lost_names(document: Document, found: ByRelease) -> ByRelease:
    """Leave out the references to an item of a list where one item has two names: the lost one may be the missing."""
    twice = (problem.path for problem in document.problems if problem.kind == "duplicate-key")
    if not any(path[-1:] == ("name",) and isinstance(path[-2], int) for path in twice if len(path) > 1):
        return found
    return [
        (problem, releases) for problem, releases in found if problem.rule not in (UNKNOWN_REQUEST, UNKNOWN_POD_CLAIM)
    ]


def skipped_template(name: str, document: Document) -> Skipped:
    """Return the note that dralint skipped a document because it is a template."""
    relevant = re.search(_SPEAKS_OF_CLAIMS, document.text) is not None
    return Skipped(name, document.index, document.reason or "a template, not a manifest yet", relevant=relevant)


def in_document(name: str, document: Document, error: Exception) -> Failure:
    """Return the failure of dralint in a document."""
    return internal_error(name, error, f"in document {document.index}", document.index, document.first_line)


class Linters:
    """Linters by settings, made when they are first needed. For `collects` and `thorough`, see `Linter`."""

    def __init__(self, settings: Settings, *, collects: bool = True, thorough: bool = False) -> None:
        self.settings = settings
        self._collects = collects
        self._thorough = thorough
        self._linters: dict[Settings, Linter] = {}
        self._only: Linter | None = None

    def of(self, file: str) -> Linter:
        """Return the linter of a file, by its path from the working directory."""
        if self._only is not None:
            return self._only
        settings = self.settings
        if settings.overrides:
            settings = settings_of(file, settings)
        linter = self._linters.get(settings)
        if linter is None:
            linter = self._linters[settings] = Linter(settings, collects=self._collects, thorough=self._thorough)
        if not self.settings.overrides:
            self._only = linter
        return linter
