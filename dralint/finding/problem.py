"""What a check says: where in the object, which rule, and what about it. No file, line or severity yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from dralint.yaml import Path

Link = Union[tuple["Link", "str | int"], tuple["Link", str, "int | None"], None]  # noqa: UP007 (it refers to itself)
"""A field path as a chain of (parent, last element); the root is None. Cheap to build on the way down.

An entry of a map is (parent, key, limit): beyond that many bytes the server shows the key shortened.
"""


def path_of(link: Link) -> Path:
    """Return the chain as a tuple from the root."""
    parts: list[str | int] = []
    while link is not None:
        parts.append(link[1] if len(link) == 2 else map_key(link[1], link[2]))
        link = link[0]
    parts.reverse()
    return tuple(parts)


QUOTE_IT = "quote it: "
"""How a hint to quote a number begins; the number follows as it was written."""


class MapKey(str):
    """An element of a field path that is the key of a map, not the name of a field: it is spelled in brackets."""

    __slots__ = ("shown",)
    shown: str


def map_key(key: str, limit: int | None = None) -> MapKey:
    """Return the key as an element of a path; the server shows one that is too long with `...` in its middle.

    Source: truncateIfTooLong in pkg/apis/resource/validation/validation.go (v1.32.13 to v1.37.0).
    """
    element = MapKey(key)
    element.shown = key
    if limit is not None and len(key.encode("utf-8", "surrogatepass")) > limit:
        raw = key.encode("utf-8", "surrogatepass")
        left = limit - 3
        cut = raw[: (left + 1) // 2] + b"..." + raw[len(raw) - left // 2 :]
        element.shown = cut.decode("utf-8", "replace")
    return element


def path_text(path: Path) -> str:
    """Spell a path as Kubernetes does: `spec.devices[0].attributes[gpu.example.com/model]`."""
    out: list[str] = []
    for part in path:
        if isinstance(part, MapKey):
            out.append(f"[{part.shown}]")
        elif isinstance(part, int):
            out.append(f"[{part}]")
        else:
            out.append(f".{part}" if out else str(part))
    return "".join(out)


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
