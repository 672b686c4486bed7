"""A linter for texts that change a little at a time: it reuses the findings of each document whose text is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import dralint.work as work
from dralint.edit.file_text import FileText
from dralint.lint.linter import Linter, Objects
from dralint.yaml import read

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Container, Iterator

    from dralint.config.settings import Settings
    from dralint.finding.finding import Edit, Finding, Related
    from dralint.finding.report import Report
    from dralint.lint.collected import CrossFileFacts, FilesJudged
    from dralint.lint.unreplaced_placeholders import Pending
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts
    from dralint.yaml import Document


class _Judged(NamedTuple):
    """The findings in a document, and where it was: its first line, its number and its first character."""

    covered: list[ApiObject]
    compared: Objects
    findings: list[Finding]
    line: int
    number: int
    start: int


class _File:
    """The judged documents of a file, by their text."""

    def __init__(self, raw: bytes) -> None:
        self.text = FileText(raw)
        self.documents: dict[str, Document] = {}
        self.judged: dict[str, _Judged] = {}
        self.facts: dict[str, tuple[list[Facts], list[Facts]]] = {}
        self.relevant: re.Pattern[bytes] | None = None
        self._counted: tuple[int, int] | None = None

    def start_of(self, document: Document) -> int:
        """Return the number of characters before a document; documents come in their order."""
        start = self.text.offsets([document], self._counted)[0]
        self._counted = document.start, start
        return start


class RememberingLinter(Linter):
    """Judges texts, and remembers the documents of some files until these change.

    Args:
        settings: as of a `Linter`.
        remembered: the names of these files.
    """

    def __init__(self, settings: Settings, remembered: Container[str] = ()) -> None:
        super().__init__(settings)
        self._remembered = remembered
        self._files: dict[str, _File] = {}
        self._before = self._now = _File(b"")

    def forget(self, name: str) -> None:
        """Forget the documents of a file."""
        self._files.pop(name, None)

    def check(self, name: str, raw: bytes, *, alone: bool = False, searching: bool = True) -> FilesJudged:
        """Return the report on one file's bytes, as `Linter.check`."""
        self._before, self._now = self._files.get(name) or _File(b""), _File(raw)
        part = super().check(name, raw, alone=alone, searching=searching)
        if name in self._remembered:
            self._files[name] = self._now
        return part

    def documents(self, name: str, raw: bytes) -> Iterator[Document]:
        """Yield the documents of a file; do not read those again that it had at the last check."""
        file = self._files.get(name)
        return read(raw, known=None if file is None else _known(file))

    def _read(self, raw: bytes, relevant: re.Pattern[bytes]) -> Iterator[Document]:
        if self._before.relevant is not relevant:
            self._before = _File(b"")
        self._now.relevant = relevant
        for document in read(raw, relevant=relevant, known=_known(self._before)):
            work.pause()
            yield document
            if document.state == "read" and not document.problems and not document.is_json:
                self._now.documents[document.text] = document

    def _document(
        self, name: str, document: Document, report: Report, pending: Pending
    ) -> tuple[list[ApiObject], Objects | None]:
        known = None if document.is_json else self._before.judged.get(document.text)
        if known is not None and document.state == "read":
            self._now.judged[document.text] = known
            first = len(report.findings)
            report.findings += _moved(known, document, self._now) if known.findings else ()
            self._keep_faulty(document, report, first)
            return known.covered, known.compared._replace(document=document)
        first, waiting, failed = len(report.findings), len(pending), len(report.failures)
        covered, compared = super()._document(name, document, report, pending)
        own = document.state == "read" and not document.problems and not document.is_json
        if own and compared is not None and len(pending) == waiting and len(report.failures) == failed:
            found = report.findings[first:]
            start = self._now.start_of(document) if any(finding.fix for finding in found) else 0
            line, index = document.first_line, document.index
            self._now.judged[document.text] = _Judged(covered, compared, found, line, index, start)
        return covered, compared

    def _gather(self, found: Objects, name: str, report: Report, gathered: CrossFileFacts) -> None:
        text, index = found.document.text, found.document.index
        known = None if found.document.is_json else self._before.facts.get(text)
        if known is None:
            facts, guessed = len(gathered.facts), len(gathered.guessed)
            super()._gather(found, name, report, gathered)
            gathered.documents.clear()  # a part lives as long as its file is open
            known = gathered.facts[facts:], gathered.guessed[guessed:]
        else:
            known = _numbered(known[0], index), _numbered(known[1], index)
            gathered.facts += known[0]
            gathered.guessed += known[1]
        if not found.document.is_json:
            self._now.facts[text] = known


def _known(file: _File) -> Callable[[Document, str], bool]:
    def fill(document: Document, text: str) -> bool:
        other = file.documents.get(text)
        if other is None:
            return False
        document.take(other)
        return True

    return fill


def _numbered(entries: list[Facts], index: int) -> list[Facts]:
    if not entries or entries[0].document == index:  # they are of one document
        return entries
    return [entry._replace(document=index) for entry in entries]


def _moved(known: _Judged, document: Document, file: _File) -> Iterator[Finding]:
    """Yield the findings of a document at the present place of its text."""
    lines = document.first_line - known.line
    fixed = any(finding.fix for finding in known.findings)
    characters = file.start_of(document) - known.start if fixed else 0

    def place(related: Related) -> Related:
        return related._replace(line=related.line + lines, end_line=related.end_line and related.end_line + lines)

    def edit(one: Edit) -> Edit:
        return one._replace(start=one.start + characters, end=one.end + characters)

    for finding in known.findings:
        if not lines and not characters and document.index == known.number:
            yield finding
            continue
        yield finding._replace(
            document=document.index,
            line=finding.line + lines,
            end_line=finding.end_line + lines,
            related=tuple(map(place, finding.related)),
            parent=None if finding.parent is None else place(finding.parent),
            fix=None if finding.fix is None else finding.fix._replace(edits=tuple(map(edit, finding.fix.edits))),
        )
