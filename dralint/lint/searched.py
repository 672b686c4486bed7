"""Findings without a repair get the one that a search finds: small edits of the text that validation accepts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dralint.edit.apply import apply
from dralint.finding.compare import UNREADABLE, fresh
from dralint.finding.rule_ids import NOT_A_MANIFEST, NOT_SERVED, UNKNOWN_KIND
from dralint.kubernetes import shipped
from dralint.search.search import LARGEST, Around, Step, Verdict, search
from dralint.validate.served import OLD
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report
    from dralint.lint.fixes import Fixes
    from dralint.lint.linter import Linter
    from dralint.yaml import Document

_ROOM, _SHARE = 400_000, 0.3
"""Characters that the search reads for a file, and beyond that as a share of its length."""
_SEEN = 200_000
"""Bytes of a file in which names are looked for that are known elsewhere in it."""
_STRUCTURE = ("Unknown", "TypeInvalid")
"""Reasons of findings about where something stands, and what it is."""
_STRUCTURAL = 3
"""As how many findings one of these counts."""
_HIDING = (NOT_SERVED, UNKNOWN_KIND, NOT_A_MANIFEST)
"""Rules about what keeps an object from being judged."""
_LONGEST_HINT = 160


def around(raw: bytes) -> Around:
    """Return what the search of a file can see of it, and how much it may read."""
    return Around(raw[:_SEEN].decode("utf-8", "replace"), int(_ROOM + _SHARE * len(raw)))


def with_repairs(report: Report, first: int, document: Document, judge: Linter, fixes: Fixes, around: Around) -> None:
    """Give the findings of a document from `first` on the repairs that a search finds.

    Args:
        judge: reports all that is wrong with a text, and offers no fixes.
        fixes: places edits in the file.
        around: what else the file says, and how much may be read.
    """
    text = document.text
    if document.state not in ("read", "unreadable") or len(text) > LARGEST or "\ufffd" in text:
        return
    before: Report | None = None
    for number in range(first, len(report.findings)):
        finding = report.findings[number]
        if not _is_searched(finding, fixes) or around.left < 0:
            continue
        if before is None:
            before = judge.check("", text.encode("utf-8", "surrogatepass")).report
        line = finding.line - document.first_line
        mine = next((f for f in before.findings if _at(f) == _at(finding)), finding)
        step = Step(finding, line, _Judge(judge, text, before, mine._replace(effect=finding.effect)))
        found = search(text, step, around)
        if found is None:
            continue
        hints = [hint_of(text, edits) for edits in found.choices]
        if len(found.choices) == 1:
            fix = fixes.in_file(document, found.choices[0], safe=False)
            if fix is not None:
                report.findings[number] = finding._replace(fix=fix, hint=_hint(finding.hint, hints[0]))


def _is_searched(finding: Finding, fixes: Fixes) -> bool:
    serious = finding.severity == "error" or (finding.severity == "warning" and finding.effect == "broken")
    if not serious or (finding.rule in OLD and not _is_no_version(finding)):
        return False
    return finding.fix is None or (not finding.fix.safe and _is_removal(finding.fix.edits, fixes.text))


def _is_removal(edits: Sequence[Edit], text: str) -> bool:
    """Say whether edits take words away and write none: what was meant may be to have them elsewhere."""
    gone = any(character.isalnum() for edit in edits for character in text[edit.start : edit.end])
    return gone and not any(edit.text.strip() for edit in edits)


def _is_no_version(finding: Finding) -> bool:
    """Say whether an API version is named that no release has ever served."""
    version = (finding.object or {}).get("apiVersion")
    return finding.rule == NOT_SERVED and not any(
        version == known for release in shipped.index()["releases"]["releases"] for known, _ in shipped.served(release)
    )


class _Judge:
    """Says whether a text is better than the one with a finding, and what it means."""

    def __init__(self, linter: Linter, text: str, before: Report, finding: Finding) -> None:
        self._linter = linter
        self._text = text
        self._before = before
        self._finding = finding
        self._unread = finding.effect == UNREADABLE and not before.objects
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
            if self._is_left(after, new):
                return self._next_in_expression(text, after, new)
            if new and not self._opens(after, new):
                return None
        if any(finding.reason in _STRUCTURE and finding.line in written for finding in new):
            return None
        documents = [document for document in read(raw) if document.state != "empty"]
        parted = self._unread or after.documents > self._before.documents
        if parted and not all(_is_object(document.data) for document in documents):
            return None
        left = sum(_STRUCTURAL if finding.reason in _STRUCTURE else 1 for finding in serious)
        return Verdict(tuple(repr(document.data) for document in documents), left)

    def _is_left(self, after: Report, new: Sequence[Finding]) -> bool:
        """Say whether the finding is still there, at its place or in its words."""
        for way, known in self._ways:
            mine = way(self._finding)
            if sum(way(other) == mine for other in after.findings) >= max(1, known[mine]):
                return True
        return False

    def _next_in_expression(self, text: str, after: Report, new: Sequence[Finding]) -> Verdict | None:
        """Return the step to another finding further on in the same expression, if that is all that is new."""
        finding = self._finding
        if not finding.path.endswith("expression"):
            return None
        there = [other for other in after.findings if other.path == finding.path and other.severity == "error"]
        others = [other for other in new if other.path != finding.path]
        if len(there) != 1 or others or (there[0].line, there[0].column) <= (finding.line, finding.column + 1):
            return None
        return Verdict(None, 0, Step(there[0], there[0].line - 1, _Judge(self._linter, text, after, there[0])))

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
        inside = f"{finding.path.rpartition('.')[0]}."
        return finding.reason in _STRUCTURE and all(other.path.startswith(inside) for other in new)


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


def _hint(old: str | None, new: str) -> str:
    return new or old or ""


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
