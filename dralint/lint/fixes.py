"""What a repair means as edits of the file: the fix that a finding offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.finding import Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.edit.file_text import FileText
    from dralint.finding.repair import Repair
    from dralint.lint.locate import Place
    from dralint.lint.mended import Judged
    from dralint.yaml import Document
    from dralint.yaml.place import ReadingProblem

MOST = 300_000
"""Characters of a file that are read again to prove its fixes; beyond that, repairs of it are not placed."""
MOST_THOROUGH = 10_000_000
"""The same where all fixes are wanted: those beyond it come in a later round."""


class Fixes:
    """Places the repairs of one file after the other.

    Args:
        judged: returns the problems of an object with the releases that have them; None where nothing judges it.
        thorough: whether to place as many as can be, however long that takes.
    """

    def __init__(self, judged: Judged, *, thorough: bool = False) -> None:
        self._judged = judged
        self._thorough = thorough
        self._raw = b""
        self._text: FileText | None = None
        self._known: tuple[int, int] | None = None
        self._spent = 0

    def begin(self, raw: bytes) -> None:
        """Take the bytes of the next file, in which the edits are to count."""
        self._raw = raw
        self._text = None
        self._known = None
        self._spent = 0

    def fix(self, place: Place, repair: Repair | None) -> Fix | None:
        """Return a repair as edits of the file; None where the text has no place for them, or would mean another."""
        if repair is None:
            return None
        import dralint.edit.repairs as repairs  # only where there is something to place

        document = place.document
        return self._placed(
            document, lambda: repairs.edits(document, place.item.path, repair.changes), safe=repair.safe
        )

    def reading_fix(self, document: Document, problem: ReadingProblem) -> Fix | None:
        """Return what mends a problem of reading as edits of the file; None where it would not.

        The second of two equal entries is removed; a text that cannot be read has to be readable afterwards.
        """
        if problem.edits:
            from dralint.lint.mended import readable  # only where there is one

            return self._placed(document, lambda: readable(document, problem, self._judged), safe=problem.sure)
        if problem.kind != "duplicate-key" or document.state != "read":
            return None
        from dralint.edit.duplicates import without_second  # only where there is one

        return self._placed(document, lambda: without_second(document, problem.path), safe=True)

    def _placed(self, document: Document, make: Callable[[], Sequence[Edit]], *, safe: bool) -> Fix | None:
        """Return edits of a document as those of the file; None where there are none, or too much was read for them."""
        if "\ufffd" in document.text:
            return None
        self._spent += len(document.text)
        if self._spent > (MOST_THOROUGH if self._thorough else MOST):
            return None
        try:
            made = make()
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            return None
        if self._text is None:
            from dralint.edit.file_text import FileText

            self._text = FileText(self._raw)
        if self._known is not None and self._known[0] > document.start:
            self._known = None
        start = self._text.offsets([document], self._known)[0]
        self._known = document.start, start
        placed = tuple(Edit(start + edit.start, start + edit.end, edit.text) for edit in made)
        if not placed or placed[-1].end > len(self._text.text):
            return None
        return Fix(placed, safe)
