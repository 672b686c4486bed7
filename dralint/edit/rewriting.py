"""The text of a file after several edits, and their combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import apply, composed
from dralint.edit.file_text import FileText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit


class Rewriting(NamedTuple):
    """The bytes of a file after edits, and the edits that lead to them from the original text."""

    raw: bytes
    edits: Sequence[Edit] = ()

    def then(self, edits: Sequence[Edit]) -> Rewriting:
        """Return the file after further edits, which refer to the present text."""
        file = FileText(self.raw)
        return Rewriting(file.encode(apply(file.text, edits)), composed(self.edits, file.text, edits))
