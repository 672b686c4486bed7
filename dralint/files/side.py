"""One side of an update: its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Text(NamedTuple):
    """A file of one side: the name that findings use, the name that pairs it with the other side, how to read it.

    One that is not `reported` is looked at only for objects that have moved from or to it.
    """

    name: str
    key: str
    read: Callable[[], bytes]
    reported: bool = True
