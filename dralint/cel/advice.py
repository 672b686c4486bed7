"""What the API server does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.cel.compilation import Compilation
    from dralint.cel.issues import Issue


def advice(compilation: Compilation) -> tuple[Issue, ...]:
    """Return findings of effect `broken` or `advice`."""
    del compilation
    return ()
