"""What a check says: where in the object, which rule, and what about it. No file, line or severity yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.yaml import Path


QUOTE_IT = "quote it: "
"""How a hint to quote a number begins; the number follows as it was written."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with one object, by field path.

    `path` is the field that the server blames, `where` the place to underline when that lies deeper (default: the
    same), `target` what of it: the `value`, the `key`, or (`scalar`) the characters `start` to `end` of its string.
    `related` names other places of the same object.
    """

    rule: str
    path: Path
    message: str
    reason: str | None = None
    hint: str | None = None
    where: Path | None = None
    target: str = "value"
    start: int = 0
    end: int = 0
    related: tuple[tuple[str, Path], ...] = field(default=())
