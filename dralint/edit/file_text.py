"""The text of a file, and the way back to its bytes: byte order mark, encoding, and bytes that are not text."""

from __future__ import annotations

import codecs
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml import Document

_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class FileText:
    """The bytes of a file as text. A byte order mark is its first character; bytes that are not UTF-8 are kept."""

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

        If some bytes of the file are not valid UTF-16, such as a single one at its end, return its own bytes: a
        rewriting would lose them.
        """
        if self._encoding == "utf-8":
            return text.encode("utf-8", "surrogateescape")
        return text.encode(self._encoding) if self.text.encode(self._encoding) == self.raw else self.raw

    @cached_property
    def _read(self) -> bytes:
        """The bytes that the reader counts: UTF-8 without a byte order mark, converted from other encodings."""
        return self.raw if self._encoding == "utf-8" else self.text[1:].encode("utf-8", "replace")

    def offsets(self, documents: Iterable[Document], known: tuple[int, int] | None = None) -> list[int]:
        """Return where each document starts in the text; the documents come from the same bytes, in order.

        Args:
            known: where an earlier document starts, in the bytes and in the text.
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
