"""The text of a file, and the way back to its bytes: byte order mark, encoding, and bytes that are no text."""

from __future__ import annotations

import codecs
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml import Document

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class FileText:
    """The bytes of a file as text; a byte order mark is its first character, and bytes that are not UTF-8 survive."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    @cached_property
    def _encoding(self) -> str:
        return next((encoding for mark, encoding in _MARKS if self.raw.startswith(mark)), "utf-8")

    @cached_property
    def text(self) -> str:
        """The text."""
        return self.raw.decode(self._encoding, "surrogateescape" if self._encoding == "utf-8" else "replace")

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the encoding of this file."""
        return text.encode(self._encoding, "surrogateescape" if self._encoding == "utf-8" else "strict")

    def offsets(self, documents: Iterable[Document]) -> list[int]:
        """Return where in the text each document starts, which have been read from the same bytes, in order."""
        if self.raw.isascii():
            return [document.start for document in documents]
        utf_8 = self._encoding == "utf-8"
        # Of other encodings the reader counts the bytes of the UTF-8 that it has made of the file, without the mark.
        raw = self.raw if utf_8 else self.text[1:].encode("utf-8", "replace")
        out: list[int] = []
        counted, characters = 0, 0 if utf_8 else 1
        for document in documents:
            characters += len(raw[counted : document.start].decode("utf-8", "surrogateescape"))
            counted = document.start
            out.append(characters)
        return out
