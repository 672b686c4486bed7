"""Puts problems into a report: which rules are wanted, what shows a template, and where each problem lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.config.selection import wanted
from dralint.finding import catalogue
from dralint.finding.finding import Related
from dralint.finding.report import Skipped
from dralint.lint.fixes import Fixes
from dralint.lint.locate import READING_RULES, STATUS_NOTE, Place, reading_finding
from dralint.manifest.objects import DIRECTIVES, is_patch
from dralint.manifest.stray_objects import NO_OBJECT, unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding, Fix
    from dralint.finding.problem import Problem
    from dralint.finding.repair import Repair
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release
    from dralint.lint.mended import Judged
    from dralint.lint.pending import Pending
    from dralint.lint.proven import Said
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path, ReadingProblem

    Everything = Callable[[Document, ApiObject], Said | None]


def unjudged_object(_: ApiObject) -> None:
    """Judge nothing."""


_OF_VALUES = "DRA2"
"""Ids of the rules about values begin so; those before them are about what cannot be decoded."""
_OF_THE_SERVER = ("creationTimestamp", "managedFields", "resourceVersion", "selfLink", "uid")
"""Fields of metadata that only an API server writes."""
_MOST_RELATED = 8
"""Places at which one finding is shown, where aliases repeat it."""


class ReportBuilder:
    """Makes findings of problems under the settings of a run.

    Args:
        judged: judges an object, to prove a fix by it; without it, nothing does.
    """

    def __init__(self, settings: Settings, judged: Judged = unjudged_object) -> None:
        self.settings = settings
        self._fixes = Fixes(judged)
        self._told: dict[tuple[object, ...], int] = {}
        self._reported: dict[str, bool] = {}
        self._guessed: list[ApiObject] = []

    def begin(self, raw: bytes) -> None:
        """Take the bytes of the file that the next problems lie in."""
        self._fixes.begin(raw)

    def worded(self, place: Place, said: Said) -> Said:
        """Return what is reported of an object, in the words that its text calls for."""
        import dralint.lint.spelling as spelling  # where there is something to say

        rules = catalogue.rules(self.settings.rules_index)
        return [
            (spelling.as_written(place.document, place.item, problem), releases)
            for problem, releases in said
            if self._wanted(rules[problem.rule]) and not self._is_left_out(place, problem)
        ]

    def _is_status(self, problem: Problem) -> bool:
        """Say whether a problem is that a write of the status would be refused."""
        effect = catalogue.rules(self.settings.rules_index)[problem.rule].effect
        return problem.path[:1] == ("status",) and effect == "rejected"

    def _is_left_out(self, place: Place, problem: Problem) -> bool:
        """Say whether a problem of a status is not reported: nobody asked for it, or a server has written it."""
        return self._is_status(problem) and (
            self.settings.ignore_status or (problem.rule.startswith(_OF_VALUES) and _is_saved(place))
        )

    def stamp_all(
        self, report: Report, document: Document, said: Sequence[tuple[Place, Said]], everything: Everything
    ) -> list[ApiObject]:
        """Report what is said of the objects of a document, each with the fix that holds for it.

        Args:
            everything: says all that is wrong with an object of the document, or with what has become of it.

        Returns:
            What objects would be with the guesses for their values.
        """
        self._guessed = []
        worded = [(place, self.worded(place, of_object)) for place, of_object in said]
        fixes: dict[tuple[int, int], Fix | None] = {}
        if any(problem.repair is not None for _, of_object in worded for problem, _ in of_object):
            fixes = self._fixed(document, worded, everything)
        for number, (place, of_object) in enumerate(worded):
            for position, (problem, releases) in enumerate(of_object):
                self.stamp(report, place, problem, releases, fixes.get((number, position)))
        return self._guessed

    def _fixed(
        self, document: Document, said: Sequence[tuple[Place, Said]], everything: Everything
    ) -> dict[tuple[int, int], Fix | None]:
        """Return the fixes of a document, by number of the object and of what is said of it."""
        import dralint.lint.proven as proven  # only where there is something to repair

        rules, by_release = catalogue.rules(self.settings.rules_index), bool(self.settings.releases)

        def judge(item: ApiObject) -> Said | None:
            return everything(document, item)

        wanted: list[tuple[Path, Repair]] = []
        keys: list[tuple[int, int]] = []
        for number, (place, of_object) in enumerate(said):
            if any(problem.repair is not None for problem, _ in of_object):
                held = sorted(proven.held(place.item, of_object, judge, rules, by_release=by_release))
                guessed = proven.with_guesses(place.item, [of_object[position][0] for position in held])
                self._guessed += [] if guessed is None else [guessed]
                for position in held:
                    repair = of_object[position][0].repair
                    assert repair is not None
                    keys.append((number, position))
                    wanted.append((place.item.path, repair))
        return dict(zip(keys, self._fixes.fixes(document, wanted), strict=True))

    def fix(self, place: Place, repair: Repair) -> Fix | None:
        """Return a repair as edits of the file."""
        return self._fixes.fixes(place.document, [(place.item.path, repair)])[0]

    def stamp(
        self, report: Report, place: Place, problem: Problem, releases: Iterable[Release], fix: Fix | None = None
    ) -> None:
        """Report a problem in its own words (see `worded`)."""
        rule = catalogue.rules(self.settings.rules_index)[problem.rule]
        note = STATUS_NOTE if self._is_status(problem) else ""
        finding = place.finding(rule, problem, tuple([str(release) for release in releases]), note, fix)
        self._tell(report, place, problem, finding)

    def _tell(self, report: Report, place: Place, problem: Problem, finding: Finding) -> None:
        """Report a finding; one that an alias repeats is told once, with the alias as related place."""
        if place.document.may_have_aliases:
            words = (finding.rule, finding.message, finding.releases)
            shown = (finding.file, finding.document, finding.line, finding.column, *words)
            first = self._told.setdefault(shown, len(report.findings))
            alias = place.document.alias_at((*place.item.path, *(problem.where or problem.path)))
            if alias is not None and first < len(report.findings):
                told = report.findings[first]
                if len(told.related) < _MOST_RELATED:
                    again = Related(f"used again here ({finding.path})", finding.file, alias.line, alias.column)
                    report.findings[first] = told._replace(related=(*told.related, again))
                return
        report.findings.append(finding)

    def stamp_pending(self, report: Report, pending: Pending) -> None:
        """Report the placeholders of a file that matter, as one finding."""
        found = pending.problem()
        if found is not None:
            place, problem = found
            rule = catalogue.rules(self.settings.rules_index)[problem.rule]
            if self._wanted(rule):
                report.findings.append(place.finding(rule, problem, ()))

    def stamp_cut(self, report: Report, place: Place, unread: ReadingProblem) -> None:
        """Report an object that a separator has cut in two."""
        rule = catalogue.rules(self.settings.rules_index)[READING_RULES[unread.kind]]
        if self._wanted(rule):
            report.findings.append(reading_finding(rule, unread, place.file, place.document, place.item))

    def stamp_reading(self, report: Report, name: str, document: Document, items: list[ApiObject]) -> None:
        known = document.problems if items or document.state == "unreadable" else ()
        problems = [*known, *unjudged(document, items)]
        by_path = {item.path: item for item in items} if problems else {}
        for unread in problems:
            rule = catalogue.rules(self.settings.rules_index)[READING_RULES[unread.kind]]
            heads = (unread.path[:depth] for depth in range(len(unread.path) + 1))
            inside = next((by_path[head] for head in heads if head in by_path), None)
            # in an item of a list that is not ours
            elsewhere = bool(unread.path and items and inside is None and unread.kind != NO_OBJECT)
            if self._wanted(rule) and not elsewhere:
                fix = self._fixes.reading_fix(document, unread)
                report.findings.append(reading_finding(rule, unread, name, document, inside, fix))

    def _wanted(self, rule: catalogue.Rule) -> bool:
        known = self._reported.get(rule.id)
        if known is None:
            known = self._reported[rule.id] = wanted(rule, self.settings)
        return known

    def finish(self, report: Report, name: str, document: Document, items: list[ApiObject], first: int) -> int:
        """Report what reading has found, too; return how many objects of the document count.

        `items` are those that were judged. The findings from `first` on are taken back where the document turns out
        to be a template or a patch.
        """
        self._told.clear()
        patch = bool(items) and _may_be_patch(document.text) and is_patch(document.data)
        if patch:
            document.state, document.reason = "template", "a strategic merge patch"
        self.stamp_reading(report, name, document, items)
        if document.state != "template":
            return len(items)
        del report.findings[first:]
        report.skipped.append(Skipped(name, document.index, document.reason, "patch" if patch else "template"))
        return 0


def _may_be_patch(text: str) -> bool:
    return "$" in text and any(directive in text for directive in DIRECTIVES)


def _is_saved(place: Place) -> bool:
    """Say whether an object was saved from a cluster: its status was accepted then, whatever was taken out since.

    Nothing writes that status again: of an object that is applied, the server leaves the status out.
    """
    holders = [place.item.data, place.document.data if place.item.path else None]
    metadata = [holder.get("metadata") for holder in holders if isinstance(holder, dict)]
    return any(isinstance(each, dict) and each.get(key) is not None for each in metadata for key in _OF_THE_SERVER)
