"""A progress bar on standard error for long runs; only in a terminal, never in CI."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping

_DELAY, _PAUSE = 0.7, 0.1
_WIDTH = 30


def wanted(stream: TextIO, environment: Mapping[str, str], *, quiet: bool) -> bool:
    """Say whether a bar may be shown on the stream."""
    if quiet or environment.get("CI") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


class Progress:
    """A bar for `total` steps that appears after a moment; `finish` removes it."""

    __slots__ = ("_done", "_next", "_noun", "_shown", "_stream", "_total")

    def __init__(self, total: int, stream: TextIO, noun: str = "files") -> None:
        self._total = total
        self._noun = noun
        self._stream = stream
        self._done = 0
        self._shown = False
        self._next = time.monotonic() + _DELAY

    def advance(self, number: int) -> None:
        """Count more steps as done."""
        self._done += number
        self._total = max(self._total, self._done)  # a workload with many Pods needs several steps per node
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE
        filled = _WIDTH * self._done // max(self._total, 1)
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._stream.write(f"\r[{bar}] {self._done}/{self._total} {self._noun}")
        self._stream.flush()
        self._shown = True

    def finish(self) -> None:
        """Clear the line."""
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._shown = False


def for_run(total: int, *, quiet: bool, noun: str = "files") -> Progress | None:
    """Return a bar where one may be shown; None elsewhere."""
    return Progress(total, sys.stderr, noun) if total > 1 and wanted(sys.stderr, os.environ, quiet=quiet) else None
