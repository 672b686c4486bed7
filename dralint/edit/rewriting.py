"""The text of a file after several edits, and what they are together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import apply, composed
from dralint.edit.file_text import FileText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit


class Rewriting(NamedTuple):
    """The bytes of a file after edits of its text, and the edits that lead there from the text as it was read."""

    raw: bytes
    edits: Sequence[Edit] = ()

    def then(self, edits: Sequence[Edit]) -> Rewriting:
        """Return the file after further edits, which count in the text as it is now."""
        file = FileText(self.raw)
        return Rewriting(file.encode(apply(file.text, edits)), composed(self.edits, file.text, edits))
