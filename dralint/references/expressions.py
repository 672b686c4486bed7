"""Selectors as trees, by the newest release whose CEL is known; what that refuses says nothing here."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dralint.cel import environment
from dralint.cel.check.table import releases

if TYPE_CHECKING:
    from dralint.cel import Compilation
    from dralint.cel.compile import Environment


def compiled(expression: str) -> Compilation | None:
    """Return a selector, compiled; None for one that is refused. The environment keeps what it has answered."""
    compilation = _environment().compile(expression)
    return compilation if compilation.ok and compilation.root is not None else None


@cache
def _environment() -> Environment:
    return environment(releases()[-1])
