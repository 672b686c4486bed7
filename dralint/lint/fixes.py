"""What a repair means as edits of the file: the fix that a finding offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.finding import Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.edit.file_text import FileText
    from dralint.finding.repair import Repair
    from dralint.lint.locate import Place
    from dralint.yaml import Document, ReadingProblem

MOST = 500_000
"""Characters of a document that are read again to prove its fixes; beyond that, repairs of it are not placed."""
MOST_THOROUGH = 10_000_000
"""The same where all fixes are wanted: those beyond it come in a later round."""


class Fixes:
    """Places the repairs of one file after the other.

    Args:
        thorough: whether to place as many as can be, however long that takes.
    """

    def __init__(self, *, thorough: bool = False) -> None:
        self._thorough = thorough
        self._raw = b""
        self._text: FileText | None = None
        self._starts: dict[int, int] = {}
        self._spent: dict[int, int] = {}

    def begin(self, raw: bytes) -> None:
        """Take the bytes of the next file, in which the edits are to count."""
        self._raw = raw
        self._text = None
        self._starts.clear()
        self._spent.clear()

    def fix(self, place: Place, repair: Repair | None) -> Fix | None:
        """Return a repair as edits of the file; None where the text has no place for them, or would mean another."""
        if repair is None:
            return None
        from dralint.edit.repairs import edits  # only where there is something to place

        document = place.document
        return self._placed(document, lambda: edits(document, place.item.path, repair.changes), safe=repair.safe)

    def reading_fix(self, document: Document, problem: ReadingProblem) -> Fix | None:
        """Return what repairs a problem of reading: the second of two equal entries is removed."""
        if problem.kind != "duplicate-key" or document.state != "read":
            return None
        from dralint.edit.duplicates import without_second  # only where there is one

        return self._placed(document, lambda: without_second(document, problem.path), safe=True)

    def _placed(self, document: Document, make: Callable[[], list[Edit]], *, safe: bool) -> Fix | None:
        """Return edits of a document as those of the file; None where there are none, or too much was read for them."""
        if "\ufffd" in document.text:
            return None
        spent = self._spent[document.index] = self._spent.get(document.index, 0) + len(document.text)
        if spent > (MOST_THOROUGH if self._thorough else MOST):
            return None
        from dralint.edit.file_text import FileText

        try:
            made = make()
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            return None
        if self._text is None:
            self._text = FileText(self._raw)
        start = self._starts.get(document.start)
        if start is None:
            start = self._starts[document.start] = self._text.offsets([document])[0]
        placed = tuple(Edit(start + edit.start, start + edit.end, edit.text) for edit in made)
        if not placed or placed[-1].end > len(self._text.text):
            return None
        return Fix(placed, safe)
