"""Notes files that a user has named and that are not text, so that no user believes that dralint has judged them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from dralint.finding.report import NO_TEXT, Skipped
from dralint.manifest.objects import speaks

if TYPE_CHECKING:
    from dralint.files.source import Source

_PACKED = (
    rb"(?P<gzip>\x1f\x8b)|(?P<zip>PK\x03\x04)|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\0)|(?P<zstd>\x28\xb5\x2f\xfd)"
    rb"|[^\0]{1,100}+\0[^\n]{156,255}(?P<tar>ustar)"
)
"""The first bytes of files that contain other files."""
_BEGINNINGS = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
"""The first bytes of binary files that may have no zero byte."""
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
"""Byte order marks of text that has zero bytes."""
_LOOKED_AT = 1024
"""dralint looks for zero bytes in this many bytes of a file."""


def without_text(source: Source, raw: bytes) -> Skipped | None:
    """Return the note on a named file that is not text; None for text, and for a file that mentions claims anyway."""
    zero = b"\0" in raw[:_LOOKED_AT]
    if not zero and not raw.startswith(_BEGINNINGS):
        return None
    packed = _packed().match(raw)
    if packed is None and (not zero or raw.startswith(_MARKS)):
        return None
    if not source.named or (packed is None and speaks(raw)):
        return None
    what = "zero bytes; text is UTF-8" if packed is None else f"{packed.lastgroup}; unpack it first"
    return Skipped(source.name, 0, f"it is not text ({what})", NO_TEXT)


@cache
def _packed() -> re.Pattern[bytes]:
    """Return the compiled pattern; few runs need it."""
    return re.compile(_PACKED)
