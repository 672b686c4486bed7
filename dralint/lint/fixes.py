"""What a repair means as edits of the file: the fix that a finding offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.finding import Edit, Fix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.edit.file_text import FileText
    from dralint.finding.repair import Repair
    from dralint.lint.locate import Place
    from dralint.yaml import Document
    from dralint.yaml.place import ReadingProblem

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
        self._known: tuple[int, int] | None = None
        self._spent: dict[int, int] = {}

    def begin(self, raw: bytes) -> None:
        """Take the bytes of the next file, in which the edits are to count."""
        self._raw = raw
        self._text = None
        self._known = None
        self._spent.clear()

    def fix(self, place: Place, repair: Repair | None) -> Fix | None:
        """Return a repair as edits of the file; None where the text has no place for them, or would mean another."""
        document = place.document
        if repair is None or self._is_spent(document) or "\ufffd" in document.text:
            return None
        from dralint.edit.repairs import edits  # only where there is something to place

        try:
            made = edits(document, place.item.path, repair.changes)
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            return None
        return self._placed(document, made, safe=repair.safe)

    def _is_spent(self, document: Document) -> bool:
        """Say whether enough of a document has been read again, and count this time."""
        spent = self._spent[document.index] = self._spent.get(document.index, 0) + len(document.text)
        return spent > (MOST_THOROUGH if self._thorough else MOST)

    def reading_fix(self, document: Document, problem: ReadingProblem) -> Fix | None:
        """Return what makes a text readable as edits of the file; None where it would not, or is read as no more."""
        if not problem.edits or "\ufffd" in document.text or self._is_spent(document):
            return None
        from dralint.edit.apply import apply
        from dralint.yaml import read

        pieces = [Edit(*edit) for edit in sorted(problem.edits)]
        try:
            after = list(read(apply(document.text, pieces).encode("utf-8", "surrogatepass")))
        except ValueError:
            return None
        left = sum(len(other.problems) for other in after)
        if left >= len(document.problems) or any(other.state == "unreadable" for other in after):
            return None
        return self._placed(document, pieces, safe=problem.sure)

    def _placed(self, document: Document, made: Sequence[Edit], *, safe: bool) -> Fix | None:
        from dralint.edit.file_text import FileText

        if self._text is None:
            self._text = FileText(self._raw)
        if self._known is not None and self._known[0] > document.start:
            self._known = None
        start = self._text.offsets([document], self._known)[0]
        self._known = document.start, start
        placed = tuple(Edit(start + edit.start, start + edit.end, edit.text) for edit in made)
        if not placed or placed[-1].end > len(self._text.text):
            return None
        return Fix(placed, safe)
