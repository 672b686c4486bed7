"""Turns the repair of a problem into edits of the file, the fix of a finding; selects findings to search one for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.edit.apply import FileText
from dralint.finding.finding import Edit, Fix
from dralint.finding.rule_ids import NO_JSON_FORM, NOT_SERVED
from dralint.kubernetes import shipped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.problem import Repair
    from dralint.finding.report import Report
    from dralint.lint.proven_repairs import Judge
    from dralint.yaml import Document, Path, ReadingProblem

MOST, MOST_TIMES = 300_000, 3
"""Limits for proving the fixes of a file one by one, in characters and in multiples of its length. Beyond them, a
problem gets no fix. Fixes that are proven together cost one reading of their document."""


class Fixes:
    """Makes fixes of repairs.

    Args:
        raw: the bytes of the file that the fixes edit.
        judged: returns the problems of an object with their releases; None where nothing judges it.
    """

    def __init__(self, raw: bytes, judged: Judge) -> None:
        self._judged = judged
        self._raw = raw
        self._text: FileText | None = None
        self._known: tuple[int, int] | None = None
        self._room = MOST + MOST_TIMES * len(raw)

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

    def reading_fix(self, document: Document, problem: ReadingProblem) -> Fix | None:
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

    @property
    def text(self) -> str:
        """The text of the file that the edits refer to."""
        return self._held().text

    def _held(self) -> FileText:
        if self._text is None:
            self._text = FileText(self._raw)
        return self._text

    def in_file(self, document: Document, made: Sequence[Edit], *, safe: bool) -> Fix | None:
        """Return edits of a document as edits of the file."""
        held = self._held()
        if self._known is not None and self._known[0] > document.start:
            self._known = None
        start = held.offsets([document], self._known)[0]
        self._known = document.start, start
        placed = tuple(Edit(start + edit.start, start + edit.end, edit.text) for edit in made)
        if not placed or placed[-1].end > len(held.text):
            return None
        return Fix(placed, safe)


def _concerns(place: Path, repair: Repair, paths: set[Path]) -> bool:
    """Say whether a repair of an object changes something at one of the paths, or below it."""
    changed = [(*place, *change.path) for change in repair.changes]
    return any(path[:depth] in paths for path in changed for depth in range(1, len(path) + 1))


_OF_VALUES, _ENDS_IN_MARK = "DRA2", ',"'
"""The start of the ids of rules about values, and the end of a quoted value with a comma in a message."""
_NAMELESS = "has a name: write `NAME"
"""The words of a hint for a name that only the author knows."""
_SEARCHED = ("DRA0", "DRA1", "DRA3")
"""The start of the ids of rules about text, fields and expressions."""


def unrepaired(report: Report, faulty: Sequence[tuple[Document, int, int]], fixes: Fixes) -> list[tuple[Document, int]]:
    """Return the findings to search a repair for, by their number in the report, with their documents.

    Args:
        faulty: the documents with findings, each with the range of its findings in the report.
        fixes: places edits in the file.
    """
    return [
        (document, number)
        for document, first, last in faulty
        for number in range(first, min(last, len(report.findings)))
        if _is_searched(report.findings[number], fixes)
    ]


def _is_searched(finding: Finding, fixes: Fixes) -> bool:
    """Say whether to search for a repair of a finding.

    For problems of a value, of several objects or of a release, only the author knows what is meant.
    """
    if finding.rule == NOT_SERVED:
        wanted = _is_no_version(finding)
    elif finding.rule.startswith(_OF_VALUES) or finding.rule == NO_JSON_FORM:
        wanted = _ENDS_IN_MARK in finding.message
    else:
        wanted = finding.rule.startswith(_SEARCHED) and (finding.severity == "error" or finding.effect == "broken")
    if not wanted or not (finding.fix is None or (not finding.fix.safe and _is_removal(finding.fix.edits, fixes.text))):
        return False
    from dralint.yaml.reading_repairs import CUT_AT_COMMA  # few findings have no repair

    said = f"{finding.message} {finding.hint}"
    return CUT_AT_COMMA not in said and _NAMELESS not in said  # the first shows that a value is cut in two


def _is_no_version(finding: Finding) -> bool:
    """Say whether no release has ever served an object's kind in its API version, but in others that are not alpha.

    What stood in an early version had other fields; to name a newer one is for `migrate`.
    """
    version, kind = (str((finding.object or {}).get(key)) for key in ("apiVersion", "kind"))
    releases = shipped.index()["releases"]["releases"]
    pairs = {pair for release in releases for pair in shipped.served(release)}
    served = {each for each, name in pairs if name == kind} or {each for each, _ in pairs}
    return version not in served and any("alpha" not in each for each in served) and "alpha" not in version.lower()


def _is_removal(edits: Sequence[Edit], text: str) -> bool:
    """Say whether edits only remove words: the author may have meant them for another place."""
    gone = any(character.isalnum() for edit in edits for character in text[edit.start : edit.end])
    return gone and not any(edit.text.strip() for edit in edits)
