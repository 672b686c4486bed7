"""One side of an update: its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Text(NamedTuple):
    """A file of one side: the name in findings, the name that pairs it with the other side, and how to read it.

    A file that is not `reported` only matters for objects that have moved from or to it.
    """

    name: str
    key: str
    read: Callable[[], bytes]
    reported: bool = True
