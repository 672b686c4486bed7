"""Selectors as trees, by the newest release whose CEL is known; what that refuses says nothing here."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.cel import environment
from dralint.cel.check.table import releases

if TYPE_CHECKING:
    from dralint.cel import Compilation


@lru_cache(maxsize=512)
def compiled(expression: str) -> Compilation | None:
    """Return a selector, compiled; None for one that is refused."""
    compilation = environment(releases()[-1]).compile(expression)
    return compilation if compilation.ok and compilation.root is not None else None
