"""Findings without a repair get the one that a search finds: small edits of the text that validation accepts."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from dralint.edit.apply import apply
from dralint.edit.repairs import disjoint
from dralint.finding.compare import UNREADABLE, fresh
from dralint.finding.rule_ids import DUPLICATE_KEY, NOT_A_MANIFEST, NOT_SERVED, UNKNOWN_KIND
from dralint.search.search import LARGEST, Around, Step, Verdict, search
from dralint.search.text_lines import TextLines
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report
    from dralint.lint.fixes import Fixes
    from dralint.lint.linter import Linter
    from dralint.yaml import Document

_ROOM, _FEW = 150_000, 12
"""Characters that the search reads for a file with few findings; of many findings, it reads the less the more there
are: a file with a thousand is checked almost as fast as without it."""
_SEEN = 200_000
"""Bytes of a file in which names are looked for that are known elsewhere in it."""
_STRUCTURE = ("Unknown", "TypeInvalid")
"""Reasons of findings about where something stands, and what it is."""
_MORE_LINES = 1
"""Lines that an edit adds at most to those below an unknown field."""
_OF_EXPRESSIONS = "DRA3"
_STRUCTURAL = 3
"""As how many findings one of these counts."""
_HIDING = (NOT_SERVED, UNKNOWN_KIND, NOT_A_MANIFEST)
"""Rules about what keeps an object from being judged."""
_WORD = re.compile(r"[\w.-]*\w|[=!<>]=|&&|\|\|")
_LONGEST_HINT = 160


def with_repairs(
    report: Report, wanted: Sequence[tuple[Document, int]], raw: bytes, judge: Linter, fixes: Fixes
) -> None:
    """Give findings of a file the repairs that a search finds.

    Args:
        wanted: the findings, by their number in the report, with their documents.
        raw: the bytes of the file.
        judge: reports all that is wrong with a text, and offers no fixes.
        fixes: places edits in the file.
    """
    around = Around(raw[:_SEEN].decode("utf-8", "replace"), min(_ROOM, _ROOM * _FEW // max(1, len(wanted))))
    known: tuple[Document, Report] | None = None
    for document, number in wanted:
        if around.left < 0:
            break
        text = document.text
        if document.state not in ("read", "unreadable") or len(text) > LARGEST or "\ufffd" in text:
            continue
        twice = any(problem.kind == "duplicate-key" for problem in document.problems)
        if twice and report.findings[number].rule != DUPLICATE_KEY:  # nobody knows which of the two is meant
            continue
        if known is None or known[0] is not document:
            known = document, judge.check("", text.encode("utf-8", "surrogatepass")).report
        try:
            _repair(report, number, document, known[1], judge, fixes, around)
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            continue


def _repair(
    report: Report, number: int, document: Document, before: Report, judge: Linter, fixes: Fixes, around: Around
) -> None:
    """Give one finding of a document its repair, if one is found."""
    finding, text = report.findings[number], document.text
    mine = next((other for other in before.findings if _at(other) == _at(finding)), None)
    if mine is None:  # it lies between documents
        return
    around.begin()
    step = Step(finding, finding.line - document.first_line, _Judge(judge, text, before, mine))
    found = search(text, step, around)
    if found is None or len(found.choices) > 1:
        return
    fix = fixes.in_file(document, found.choices[0], safe=False)
    others = [f.fix.edits for f in report.findings if f.fix is not None and f.document == finding.document]
    if fix is not None and _go_together([fix.edits, *others], fixes.text, judge):
        report.findings[number] = finding._replace(fix=fix, hint=_hint(finding, text, found.choices[0]))


def _go_together(edits: Sequence[Sequence[Edit]], text: str, judge: Linter) -> bool:
    """Say whether the first edits do not write with the others what can stand there only once."""
    if len(edits) == 1 or len(text) > LARGEST:
        return True
    together = [edit for number in disjoint(dict(enumerate(edits))) for edit in edits[number]]
    after = judge.check("", apply(text, together).encode("utf-8", "surrogatepass")).report
    return all(finding.rule != DUPLICATE_KEY for finding in after.findings)


class _Judge:
    """Says whether a text is better than the one with a finding, and what it means."""

    def __init__(self, linter: Linter, text: str, before: Report, finding: Finding) -> None:
        self._linter = linter
        self._text = text
        self._before = before
        self._finding = finding
        self._expression = finding.rule.startswith(_OF_EXPRESSIONS)
        self._unread = finding.effect == UNREADABLE and not before.objects
        data = [document.data for document in read(text.encode("utf-8", "surrogatepass"))]
        self._empty = sum(map(_empty, data))
        self._is_empty = any(_is_without_value(each, finding.path.rpartition(".")[2]) for each in data)
        self._ways = [(way, Counter(map(way, before.findings))) for way in (_at, _saying)]

    def __call__(self, text: str) -> Verdict | None:
        raw = text.encode("utf-8", "surrogatepass")
        after = self._linter.check("", raw).report
        if after.failures or len(after.skipped) > len(self._before.skipped) or after.objects < self._before.objects:
            return None
        serious = [finding for finding in after.findings if finding.severity != "info"]
        written = _written(self._text, text)
        if self._unread:
            stop = next((finding for finding in serious if finding.effect == UNREADABLE), None)
            if stop is not None:
                return self._progress(text, after, stop, written)
            new = serious
        else:
            new = [f for f in fresh(self._before, after, by_release=False) if f.severity != "info"]
            if self._expression:
                there = [f for f in after.findings if f.path == self._finding.path and f.severity == "error"]
                if there:
                    return self._next_in_expression(text, after, there, new)
            if self._is_left(after):
                return None
            if any(finding.rule == DUPLICATE_KEY for finding in new):
                return None
            if new and (not self._opens(after, new) or any(finding.line in written for finding in new)):
                return None
        if any(finding.reason in _STRUCTURE and finding.line in written for finding in new):
            return None
        documents = [document for document in read(raw) if document.state != "empty"]
        parted = self._unread or after.documents > self._before.documents
        if parted and not all(_is_object(document.data) for document in documents):
            return None
        empty = sum(_empty(document.data) for document in documents)
        if not self._unread and empty > self._empty - self._is_empty:
            return None
        left = sum(_STRUCTURAL if finding.reason in _STRUCTURE else 1 for finding in serious) + empty
        return Verdict(tuple(repr(document.data) for document in documents), left)

    def _is_left(self, after: Report) -> bool:
        """Say whether the finding is still there, at its place or in its words."""
        for way, known in self._ways:
            mine = way(self._finding)
            if sum(way(other) == mine for other in after.findings) >= max(1, known[mine]):
                return True
        return False

    def _next_in_expression(
        self, text: str, after: Report, there: Sequence[Finding], new: Sequence[Finding]
    ) -> Verdict | None:
        """Return the step to the next error of the expression, where it stands further on and all else is as before."""
        first = there[0]
        known = [f for f in self._before.findings if f.path == self._finding.path and f.severity == "error"]
        if any(other.path != self._finding.path for other in new) or not known:
            return None
        if (first.line, first.column) <= (known[0].line, known[0].column + 1):
            return None
        return Verdict(None, 0, Step(first, first.line - 1, _Judge(self._linter, text, after, first)))

    def _progress(self, text: str, after: Report, stop: Finding, written: range) -> Verdict | None:
        if stop.line <= self._finding_line or stop.line in written or stop.line < written.start:
            return None
        return Verdict(None, 0, Step(stop, stop.line - 1, _Judge(self._linter, text, after, stop)))

    @property
    def _finding_line(self) -> int:
        return next((f.line for f in self._before.findings if f.effect == UNREADABLE), 0)

    def _opens(self, after: Report, new: Sequence[Finding]) -> bool:
        """Say whether nobody had looked before at what has something wrong now."""
        finding = self._finding
        if after.objects > self._before.objects:
            return True
        if finding.rule in _HIDING:
            return all(other.rule not in _HIDING for other in new)
        lines = TextLines(self._text)
        block = range(finding.line, lines.last_of_block(finding.line - 1) + 2 + _MORE_LINES)
        fits = all(other.line in block and other.reason not in _STRUCTURE for other in new)
        return finding.reason == "Unknown" and fits


def _empty(data: object) -> int:
    """Return how many fields and items have no value."""
    if isinstance(data, dict):
        return sum(map(_empty, data.values()))
    return sum(map(_empty, data)) if isinstance(data, list) else data is None


def _is_without_value(data: object, key: str) -> bool:
    """Say whether a field of this name has no value."""
    if isinstance(data, dict):
        return (key in data and data[key] is None) or any(_is_without_value(each, key) for each in data.values())
    return isinstance(data, list) and any(_is_without_value(each, key) for each in data)


def _is_object(data: object) -> bool:
    return isinstance(data, dict) and all(isinstance(data.get(key), str) for key in ("apiVersion", "kind"))


def _written(old: str, new: str) -> range:
    """Return the lines of a text, from 1, between the first and the last that another text does not have."""
    before, after = old.split("\n"), new.split("\n")
    head = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    tail = next((n for n, (a, b) in enumerate(zip(before[::-1], after[::-1], strict=False)) if a != b), 0)
    return range(head + 1, len(after) - tail + 1)


def _at(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.path


def _saying(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.message


def _hint(finding: Finding, text: str, edits: tuple[Edit, ...]) -> str:
    """Return the hint of a finding where it has all words that the edits write, otherwise what these do."""
    new = Counter(_WORD.findall(apply(text, edits))) - Counter(_WORD.findall(text))
    leads = all(word in finding.hint for word in new) if finding.hint and new else finding.effect != UNREADABLE
    words = hint_of(text, edits)
    says = all(part in (finding.hint or "") for part in words.split("`")[1::2])
    return finding.hint if finding.hint and (leads or says) else words


def hint_of(text: str, edits: tuple[Edit, ...]) -> str:
    """Return what to write, in words: the lines as they are to be, or how far they move."""
    after = apply(text, edits)
    old, new = text.split("\n"), after.split("\n")
    head = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0)
    tail = next((n for n, (a, b) in enumerate(zip(old[::-1], new[::-1], strict=False)) if a != b), 0)
    before, behind = old[head : len(old) - tail], new[head : len(new) - tail]
    if [line.strip() for line in before] == [line.strip() for line in behind]:
        by = {_lead(b) - _lead(a) for a, b in zip(before, behind, strict=True) if a.strip()}
        if len(by) == 1:
            (spaces,) = by
            what = f"`{before[0].strip()[:_LONGEST_HINT]}`" + (" and what is below it" if len(before) > 1 else "")
            unit = "space" if abs(spaces) == 1 else "spaces"
            return f"indent {what} by {abs(spaces)} {unit} {'more' if spaces > 0 else 'less'}"
    shown = [line.strip() for line in behind if line.strip()]
    if not shown:
        return f"remove `{before[0].strip()[:_LONGEST_HINT]}`"
    if len(shown) > 2 or sum(map(len, shown)) > _LONGEST_HINT:
        return f"write `{shown[0][:_LONGEST_HINT]}`"
    return f"write {', below it '.join(f'`{line}`' for line in shown)}"


def _lead(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
