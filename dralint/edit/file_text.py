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
        self._is_ascii = raw.isascii()
        self._encoding = next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), "utf-8")

    @cached_property
    def text(self) -> str:
        """The text."""
        return self.raw.decode(self._encoding, "surrogateescape" if self._encoding == "utf-8" else "replace")

    def encode(self, text: str) -> bytes:
        """Return the bytes of another text in the encoding of this file.

        The file's own bytes where not all of them are text of UTF-16, such as a single one at its end: they would be
        lost.
        """
        if self._encoding == "utf-8":
            return text.encode("utf-8", "surrogateescape")
        return text.encode(self._encoding) if self.text.encode(self._encoding) == self.raw else self.raw

    @cached_property
    def _read(self) -> bytes:
        """The bytes that the reader counts: of other encodings the UTF-8 that it has made of them, without the mark."""
        return self.raw if self._encoding == "utf-8" else self.text[1:].encode("utf-8", "replace")

    def offsets(self, documents: Iterable[Document], known: tuple[int, int] | None = None) -> list[int]:
        """Return where in the text each document starts, which have been read from the same bytes, in order.

        Args:
            known: where an earlier document starts, in the bytes that were read and in the text.
        """
        if self._is_ascii:
            return [document.start for document in documents]
        out: list[int] = []
        counted, characters = known or (0, 0 if self._encoding == "utf-8" else 1)
        for document in documents:
            characters += len(self._read[counted : document.start].decode("utf-8", "surrogateescape"))
            counted = document.start
            out.append(characters)
        return out
