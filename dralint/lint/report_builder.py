"""Puts problems into a report: selects the wanted rules, and finds the place and the fix of each problem."""

from __future__ import annotations

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any

from dralint.config.settings import wanted
from dralint.edit.apply import FileText
from dralint.finding import catalogue, rule_ids
from dralint.finding.finding import Edit, Fix, Related, of_rule
from dralint.finding.problem import Problem, at, position
from dralint.finding.report import Skipped
from dralint.finding.rule_ids import NO_JSON_FORM, NOT_SERVED, UNREPLACED_PLACEHOLDER
from dralint.finding.words import some_of
from dralint.kubernetes import shipped
from dralint.manifest.objects import DIRECTIVES, is_patch
from dralint.yaml import Span
from dralint.yaml.template import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding
    from dralint.finding.problem import ByRelease, Repair
    from dralint.finding.report import Failure, Report
    from dralint.kubernetes.release import Release
    from dralint.lint.proven_repairs import AllProblems
    from dralint.manifest.objects import ApiObject, Place
    from dralint.yaml import Document, Path, ReadingProblem

    Everything = Callable[[Document, ApiObject], ByRelease | None]


READING_RULES = {
    "invalid-utf8": rule_ids.INVALID_UTF8,
    "yaml-syntax": rule_ids.YAML_SYNTAX,
    "json-syntax": rule_ids.JSON_SYNTAX,
    "duplicate-key": rule_ids.DUPLICATE_KEY,
    "missing-separator": rule_ids.DUPLICATE_KEY,
    "no-object": rule_ids.NOT_A_MANIFEST,
    "bad-key": rule_ids.BAD_KEY,
    "no-json-form": rule_ids.NO_JSON_FORM,
    "excessive-aliasing": rule_ids.EXCESSIVE_ALIASING,
    "too-deep": rule_ids.TOO_DEEP,
    "bad-separator": rule_ids.BAD_SEPARATOR,
    "ignored-after-document-end": rule_ids.IGNORED_AFTER_DOCUMENT_END,
    "too-large": rule_ids.TOO_LARGE,
    "cut-object": rule_ids.CUT_OBJECT,
    "only-yaml": rule_ids.ONLY_YAML,
}
_READING_REASONS = {
    rule_ids.DUPLICATE_KEY: "DuplicateKey",
    rule_ids.BAD_KEY: "Decode",
    rule_ids.NO_JSON_FORM: "Decode",
    rule_ids.TOO_LARGE: "TooLong",
    rule_ids.NOT_A_MANIFEST: "TypeInvalid",
}
_MISPLACED = frozenset({rule_ids.DISPLACED_FIELD, rule_ids.OTHER_SHAPE})
STATUS_NOTE = " (judged as if written to the status subresource)"


def finding_of(
    place: Place, rule: Rule, problem: Problem, releases: tuple[str, ...], note: str = "", fix: Fix | None = None
) -> Finding:
    """Return the finding of a problem of an object; `note` follows its message, `fix` repairs it."""
    return of_rule(
        rule,
        place.file,
        place.document.index,
        locate(place.document, place.item.path, problem),
        reason=problem.reason,
        message=problem.message + note,
        hint=problem.hint,
        object=describe(place.item),
        path=problem.path,
        releases=releases,
        related=tuple([_related(place, text, path, problem.target) for text, path in problem.related]),
        parent=_parent(place, rule, problem.path),
        fix=fix,
    )


def _related(place: Place, text: str, path: Path, target: str) -> Related:
    """Return a related place of the object; for a problem of a key, this is a key too."""
    span_of = place.document.key_span if target == "key" else place.document.span
    return related_place(text, place.file, span_of((*place.item.path, *path)))


def _parent(place: Place, rule: Rule, path: Path) -> Related | None:
    """Return the path of the field that contains a misplaced field; None at the top or for other rules."""
    if rule.id not in _MISPLACED:
        return None
    names = [depth for depth, part in enumerate(path[:-1], 1) if isinstance(part, str)]
    if not names:
        return None
    text = "has no such field" if names[-1] == len(path) - 1 else "its entries have no such field"
    return related_place(text, place.file, place.document.key_span((*place.item.path, *path[: names[-1]])))


def reading_finding(
    rule: Rule, problem: ReadingProblem, file: str, document: Document, item: ApiObject | None, fix: Fix | None = None
) -> Finding:
    """Return the finding of a reading problem; inside of an object, its path starts at the object."""
    return of_rule(
        rule,
        file,
        document.index,
        problem.span,
        reason=_READING_REASONS.get(rule.id),
        message=problem.message,
        hint=problem.hint,
        object=None if item is None else describe(item),
        path=problem.path if item is None else problem.path[len(item.path) :],
        related=tuple(related_place(text, file, at) for text, at in problem.related),
        fix=fix,
    )


def related_place(message: str, file: str, span: Span) -> Related:
    """Return a place that explains a finding."""
    return Related(message, file, span.line, span.column, span.end_line, span.end_column)


def failure_finding(rule: Rule, failure: Failure) -> Finding:
    """Return the finding of a failure: it has no object, and its place is the start of its text."""
    span = Span(failure.line, 1, failure.line, 1)
    return of_rule(rule, failure.file, failure.document, span, message=failure.message)


def describe(item: ApiObject) -> dict[str, str | None]:
    """Return the object as the JSON contract names it."""
    return {"apiVersion": item.api_version, "kind": item.kind, "namespace": item.namespace, "name": item.name}


def locate(document: Document, base: tuple[str | int, ...], problem: Problem) -> Span:
    """Return where a problem is in the file: at its value, at its key, or where a missing field belongs."""
    path = (*base, *problem.place)
    if problem.target == "key":
        return document.key_span(path)
    if problem.target == "scalar":
        line, column = document.scalar_position(path, problem.start)
        end_line, end_column = document.scalar_position(path, max(problem.end, problem.start + 1))
        return Span(line, column, end_line, end_column)
    if not exists(document.data, path):
        return document.missing_span(path)
    if problem.reason == "Required" and not isinstance(at(document.data, path), str | int):
        return document.key_span(path)  # the missing field belongs to it
    return document.span(path)


def exists(value: object, path: tuple[str | int, ...]) -> bool:
    """Say whether the path leads to a value in the data, even to null."""
    for part in path:
        if isinstance(value, dict) and part in value:  # noqa: SIM114 - mypy follows each type by itself
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return False
    return True


_SHOWN = 5

Pending = list["tuple[Place, Path, str]"]
"""The placeholders of a file that matter, in order: the object, the path of the value, and the placeholder."""


def in_order(place: Place, unreplaced: list[tuple[Path, str]]) -> Pending:
    """Return the placeholders of one object in the order of its text; `unreplaced` has the paths of their values."""
    ranks: dict[int, dict[Any, int]] = {}
    ordered = sorted(unreplaced, key=lambda row: position(place.item.data, row[0], ranks))
    return [(place, path, name) for path, name in ordered]


def unreplaced_problem(pending: Pending) -> Problem:
    """Return the one problem that lists all placeholders; it is at the value of the first."""
    names = [f"`{on_one_line(name)}`" for name in dict.fromkeys(name for _, _, name in pending)]
    listed = some_of(names, _SHOWN)
    message = f"{listed} {'has' if len(names) == 1 else 'have'} not been replaced yet; dralint checked the rest"
    hint = "check the result of the substitution, or check the text as it is with --strict-placeholders"
    return Problem(UNREPLACED_PLACEHOLDER, pending[0][1], message, None, hint)


def on_one_line(name: str) -> str:
    """Return a placeholder as a message shows it: on one line, and not too long."""
    return cut(" ".join(name.split()))


_OF_VALUES = "DRA2"
"""Ids of the rules about values begin with this; rules with lower ids are about what cannot be decoded."""
_OF_THE_SERVER = ("creationTimestamp", "managedFields", "resourceVersion", "selfLink", "uid")
"""Fields of metadata that only an API server writes."""
_MOST_RELATED = 8
"""One finding lists at most this many places where aliases repeat it."""


class ReportBuilder:
    """Makes the findings of a file from problems, by the settings of a run.

    Args:
        raw: the bytes of the file with the problems.
        judged: judges an object to prove a fix; the default judges nothing.
        offers: whether findings get fixes.
        old: the objects that others update or replace, by document and path of these.
    """

    def __init__(
        self,
        settings: Settings,
        raw: bytes,
        judged: AllProblems = lambda _: None,
        *,
        offers: bool = True,
        old: Mapping[tuple[int, Path], Place] | None = None,
    ) -> None:
        self.settings = settings
        self._offers = offers
        self._old = old or {}
        self._raw = raw
        self._judged = judged
        self._start: tuple[int, int] | None = None
        self._room = MOST + MOST_TIMES * len(raw)
        self._told: dict[tuple[object, ...], int] = {}
        self._reported: dict[str, bool] = {}
        self._guessed: list[ApiObject] = []

    def worded(self, place: Place, said: ByRelease) -> ByRelease:
        """Return the problems of an object to report, in the words that its text needs."""
        from dralint.lint import text_hints  # only where there are problems

        rules = catalogue.rules()
        return [
            (text_hints.as_written(place.document, place.item, problem), releases)
            for problem, releases in said
            if self._wanted(rules[problem.rule])
            and not (problem.path[:1] == ("status",) and self._is_left_out(place, problem))
        ]

    def _is_left_out(self, place: Place, problem: Problem) -> bool:
        """Say whether a refusal of a status is not reported: the settings ignore it, or an API server wrote it."""
        return catalogue.rules()[problem.rule].effect == "rejected" and (
            self.settings.ignore_status or (problem.rule.startswith(_OF_VALUES) and _is_saved(place))
        )

    def stamp_all(
        self, report: Report, document: Document, said: list[tuple[Place, ByRelease]], everything: Everything
    ) -> list[ApiObject]:
        """Report the problems in the objects of a document, each with the fix that holds for it.

        Args:
            said: the problems by object; the list is empty afterwards, because there may be many.
            everything: returns all problems of an object of the document, or of an edited copy of one.

        Returns:
            The objects with the guesses for their values.
        """
        worded = [(place, self.worded(place, of_object)) for place, of_object in said]
        said.clear()
        fixes: dict[tuple[int, int], Fix | None] = {}
        if self._offers and any(problem.repair is not None for _, of_object in worded for problem, _ in of_object):
            fixes = self._fixed(document, worded, everything)
        for number, (place, of_object) in enumerate(worded):
            of_object.reverse()
            for index in range(len(of_object)):
                self.stamp(report, place, *of_object.pop(), fixes.pop((number, index), None))
        guessed, self._guessed = self._guessed, []  # they are as large as the document
        return guessed

    def _fixed(
        self, document: Document, said: Sequence[tuple[Place, ByRelease]], everything: Everything
    ) -> dict[tuple[int, int], Fix | None]:
        """Return the fixes of a document, by number of the object and of the problem."""
        from dralint.lint import proven_repairs  # only where there is something to repair

        rules, by_release = catalogue.rules(), bool(self.settings.releases)

        wanted: list[tuple[Path, Repair]] = []
        keys: list[tuple[int, int]] = []
        for number, (place, of_object) in enumerate(said):
            if any(problem.repair is not None for problem, _ in of_object):
                proven, guessed = proven_repairs.proven(
                    place.item, of_object, partial(everything, document), rules, by_release=by_release
                )
                self._guessed += [] if guessed is None else [guessed]
                for index in sorted(proven):
                    repair = of_object[index][0].repair
                    assert repair is not None
                    keys.append((number, index))
                    wanted.append((place.item.path, repair))
        return dict(zip(keys, self.fixes(document, wanted), strict=True))

    def fixes(self, document: Document, wanted: Sequence[tuple[Path, Repair]]) -> list[Fix | None]:
        """Return the repairs of a document as edits of the file; None for a repair that has no place in the text.

        Args:
            wanted: the path of the object in the document and the repair, for each problem.
        """
        out: list[Fix | None] = [None] * len(wanted)
        twice = {problem.path for problem in document.problems if problem.kind == "duplicate-key"}
        # dralint does not know which of two values is meant
        able = [n for n, (place, repair) in enumerate(wanted) if repair.safe or not _concerns(place, repair, twice)]
        if not able or "\ufffd" in document.text:
            return out
        from dralint.edit.repairs import edits_together  # only where there is something to place

        made, spent = edits_together(document, [wanted[number] for number in able], self._room)
        self._room -= spent
        for number, edits in zip(able, made, strict=True):
            out[number] = None if edits is None else self.in_file(document, edits, safe=wanted[number][1].safe)
        return out

    def _reading_fix(self, document: Document, problem: ReadingProblem) -> Fix | None:
        """Return the repair of a reading problem as edits of the file; None where it does not help.

        Of two equal keys, the second entry is removed. An unreadable text must be readable with the edits.
        """
        if problem.edits:
            from dralint.lint.proven_repairs import readable  # only where there is one

            return self._placed(document, lambda: (readable(document, problem, self._judged), problem.sure))
        if problem.kind != "duplicate-key" or document.state != "read":
            return None
        from dralint.edit.repairs import without_second  # only where there is one

        return self._placed(document, lambda: without_second(document, problem.path))

    def _placed(self, document: Document, make: Callable[[], tuple[Sequence[Edit], bool]]) -> Fix | None:
        """Return edits of a document, safe or not, as edits of the file.

        None where there are no edits, or where the limit of reading is reached.
        """
        if "\ufffd" in document.text or self._room < 0:
            return None
        self._room -= len(document.text)
        try:
            made, safe = make()
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            return None
        return self.in_file(document, made, safe=safe)

    @cached_property
    def file(self) -> FileText:
        """The text of the file that the edits refer to."""
        return FileText(self._raw)

    def in_file(self, document: Document, made: Sequence[Edit], *, safe: bool) -> Fix | None:
        """Return edits of a document as edits of the file."""
        if self._start is not None and self._start[0] > document.start:
            self._start = None
        start = self.file.offsets([document], self._start)[0]
        self._start = document.start, start
        placed = tuple(Edit(start + edit.start, start + edit.end, edit.text) for edit in made)
        if not placed or placed[-1].end > len(self.file.text):
            return None
        return Fix(placed, safe)

    def stamp(
        self, report: Report, place: Place, problem: Problem, releases: Iterable[Release], fix: Fix | None = None
    ) -> None:
        """Report a problem in its own words (see `worded`)."""
        finding = self.finding(place, problem, releases, fix)
        if not (place.document.may_have_aliases and self._is_repeated(report, place, problem, finding)):
            report.findings.append(finding)

    def finding(self, place: Place, problem: Problem, releases: Iterable[Release], fix: Fix | None = None) -> Finding:
        """Return the finding of a problem in its own words (see `worded`)."""
        rule = catalogue.rules()[problem.rule]
        note = STATUS_NOTE if problem.path[:1] == ("status",) and rule.effect == "rejected" else ""
        finding = finding_of(place, rule, problem, tuple([str(release) for release in releases]), note, fix)
        if problem.before is None:
            return finding
        old, (text, path) = self._old[id(place.document), place.item.path], problem.before
        span = locate(old.document, old.item.path, Problem("", path, ""))
        return finding._replace(related=(*finding.related, related_place(text, old.file, span)))

    def _is_repeated(self, report: Report, place: Place, problem: Problem, finding: Finding) -> bool:
        """Say whether an alias repeats a reported problem; the alias then becomes a related place of that finding."""
        words = (finding.rule, finding.message, finding.releases)
        shown = (finding.file, finding.document, finding.line, finding.column, *words)
        first = self._told.setdefault(shown, len(report.findings))
        alias = place.document.alias_at((*place.item.path, *problem.place))
        if alias is None or first == len(report.findings):
            return False
        earlier = report.findings[first]
        if len(earlier.related) < _MOST_RELATED:
            again = Related(f"used again here ({finding.path})", finding.file, alias.line, alias.column)
            report.findings[first] = earlier._replace(related=(*earlier.related, again))
        return True

    def stamp_pending(self, report: Report, pending: Pending) -> None:
        """Report the placeholders of a file that matter, as one finding."""
        problem = unreplaced_problem(pending)
        rule = catalogue.rules()[problem.rule]
        if self._wanted(rule):
            report.findings.append(finding_of(pending[0][0], rule, problem, ()))

    def stamp_cut(self, report: Report, place: Place, unread: ReadingProblem) -> None:
        """Report an object that a separator has cut in two."""
        rule = catalogue.rules()[READING_RULES[unread.kind]]
        if self._wanted(rule):
            report.findings.append(reading_finding(rule, unread, place.file, place.document, place.item))

    def stamp_reading(self, report: Report, name: str, document: Document, items: list[ApiObject]) -> None:
        from dralint.manifest.pod_parts import MISSING, NO_OBJECT, unjudged  # most documents hold one object

        known = document.problems if items or document.state == "unreadable" else ()
        problems = [*known, *unjudged(document, items)]
        by_path = {item.path: item for item in items} if problems else {}
        for unread in problems:
            rule = catalogue.rules()[READING_RULES[unread.kind]]
            heads = (unread.path[:depth] for depth in range(len(unread.path) + 1))
            inside = next((by_path[head] for head in heads if head in by_path), None)
            # in an item of a list that is not ours
            elsewhere = bool(unread.path and items and inside is None and unread.kind not in (NO_OBJECT, MISSING))
            if self._wanted(rule) and not elsewhere:
                fix = self._reading_fix(document, unread) if self._offers else None
                report.findings.append(reading_finding(rule, unread, name, document, inside, fix))

    def _wanted(self, rule: catalogue.Rule) -> bool:
        known = self._reported.get(rule.id)
        if known is None:
            chosen = self.settings.select or self.settings.ignore
            known = self._reported[rule.id] = not chosen or wanted(rule, self.settings)
        return known

    def finish(self, report: Report, name: str, document: Document, items: list[ApiObject], first: int) -> int:
        """Report the problems of reading too; return how many objects of the document count.

        `items` are the judged objects. The findings from `first` on are removed where the document turns out to be a
        template or a patch.
        """
        self._told.clear()
        text = document.text if items else ""
        marked = "$" in text and any(directive in text for directive in DIRECTIVES)
        patch = marked and is_patch(document.data)
        if patch:
            document.set_template("a strategic merge patch")
        alone = len(items) == 1 and not items[0].path
        if document.problems or not alone:  # otherwise the document consists of one object
            self.stamp_reading(report, name, document, items)
        if document.state != "template":
            return len(items)
        del report.findings[first:]
        report.skipped.append(Skipped(name, document.index, document.reason, "patch" if patch else "template"))
        return 0


def _is_saved(place: Place) -> bool:
    """Say whether an object comes from a cluster: the API server accepted its status, even if parts are missing now.

    No user writes that status again: when an object is applied, the API server ignores the status.
    """
    holders = [place.item.data, place.document.data if place.item.path else None]
    metadata = [holder.get("metadata") for holder in holders if isinstance(holder, dict)]
    return any(isinstance(each, dict) and each.get(key) is not None for each in metadata for key in _OF_THE_SERVER)


MOST, MOST_TIMES = 300_000, 3
"""Limits for proving the fixes of a file one by one, in characters and in multiples of its length. Beyond them, a
problem gets no fix. Fixes that are proven together cost one reading of their document."""


def _concerns(place: Path, repair: Repair, paths: set[Path]) -> bool:
    """Say whether a repair of an object changes something at one of the paths, or below it."""
    changed = [(*place, *change.path) for change in repair.changes]
    return any(path[:depth] in paths for path in changed for depth in range(1, len(path) + 1))


_ENDS_IN_MARK = ',"'
"""The end of a quoted value with a comma in a message."""
_NAMELESS = "has a name: write `NAME"
"""The words of a hint for a name that only the author knows."""
_SEARCHED = ("DRA0", "DRA1", "DRA3")
"""The start of the ids of rules about text, fields and expressions."""


def unrepaired(report: Report, faulty: Sequence[tuple[Document, int, int]], text: str) -> list[tuple[Document, int]]:
    """Return the findings to search a repair for, by their number in the report, with their documents.

    Args:
        faulty: the documents with findings, each with the range of its findings in the report.
        text: the text of the file.
    """
    return [
        (document, number)
        for document, first, last in faulty
        for number in range(first, min(last, len(report.findings)))
        if _is_searched(report.findings[number], text)
    ]


def _is_searched(finding: Finding, text: str) -> bool:
    """Say whether to search for a repair of a finding.

    For problems of a value, of several objects or of a release, only the author knows what is meant.
    """
    if finding.rule == NOT_SERVED:
        wanted = _is_no_version(finding)
    elif finding.rule.startswith(_OF_VALUES) or finding.rule == NO_JSON_FORM:
        wanted = _ENDS_IN_MARK in finding.message
    else:
        wanted = finding.rule.startswith(_SEARCHED) and (finding.severity == "error" or finding.effect == "broken")
    if not wanted or not (finding.fix is None or (not finding.fix.safe and _is_removal(finding.fix.edits, text))):
        return False
    from dralint.yaml.reading_repairs import CUT_AT_COMMA  # few findings have no repair

    said = f"{finding.message} {finding.hint}"
    return CUT_AT_COMMA not in said and _NAMELESS not in said  # the first shows that a value is cut in two


def _is_no_version(finding: Finding) -> bool:
    """Say whether no release has ever served an object's kind in its API version, but in others that are not alpha.

    What stood in an early version had other fields; to name a newer one is for `migrate`.
    """
    version, kind = (str((finding.object or {}).get(key)) for key in ("apiVersion", "kind"))
    served = {each for each, name in _ever_served() if name == kind} or {each for each, _ in _ever_served()}
    return version not in served and any("alpha" not in each for each in served) and "alpha" not in version.lower()


@cache
def _ever_served() -> frozenset[tuple[str, str]]:
    """Return the (apiVersion, kind) pairs that some release serves."""
    return frozenset(pair for release in shipped.index()["releases"]["releases"] for pair in shipped.served(release))


def _is_removal(edits: Sequence[Edit], text: str) -> bool:
    """Say whether edits only remove words: the author may have meant them for another place."""
    gone = any(character.isalnum() for edit in edits for character in text[edit.start : edit.end])
    return gone and not any(edit.text.strip() for edit in edits)
