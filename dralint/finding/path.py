"""Field paths: how a check names a field, how Kubernetes writes its path, and which value it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

if TYPE_CHECKING:
    from dralint.yaml import Path


Link = Union[tuple["Link", "str | int"], tuple["Link", str, "int | None"], None]  # noqa: UP007 (it refers to itself)
"""A field path as a chain of (parent, last element); the root is None. A chain is cheap to extend on the way down.

An entry of a map is (parent, key, limit): the API server shortens a key that has more bytes than the limit.
"""


def path_of(link: Link) -> Path:
    """Return the chain as a tuple from the root."""
    parts: list[str | int] = []
    while link is not None:
        parts.append(link[1] if len(link) == 2 else map_key(link[1], link[2]))
        link = link[0]
    parts.reverse()
    return tuple(parts)


class MapKey(str):
    """An element of a field path that is the key of a map, not a field name; Kubernetes writes it in brackets."""

    __slots__ = ("shown",)
    shown: str


def map_key(key: str, limit: int | None = None) -> MapKey:
    """Return the key as an element of a path; the API server shows a long one with `...` in its middle.

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
    """Write a path as Kubernetes does: `spec.devices[0].attributes[gpu.example.com/model]`."""
    out: list[str] = []
    for part in path:
        if isinstance(part, MapKey):
            out.append(f"[{part.shown}]")
        elif isinstance(part, int):
            out.append(f"[{part}]")
        else:
            out.append(f".{part}" if out else str(part))
    return "".join(out)


def at(data: Any, path: Path) -> Any:
    """Return the value at the path; None where the path leads nowhere."""
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def copied(outcome: list[Any], value: Any, path: Path) -> Any:
    """Return what lies at a path in the copy of a value, None where it leads nowhere.

    What leads there is copied where it is not yet; all else is shared.

    Args:
        outcome: the copy, as the only item; the value itself at first.
        value: is left as it is.
    """
    holder: Any = outcome
    shared: Any = [value]
    for part in (0, *path):
        if not (part < len(holder) if isinstance(holder, list) and isinstance(part, int) else part in holder):
            return None
        shared = shared[part]
        if holder[part] is shared and isinstance(shared, dict | list):
            holder[part] = shared.copy()
        holder = holder[part]
        if not isinstance(holder, dict | list):
            return None
    return holder


def text_of(value: object) -> str | None:
    """Return a text that is not empty; None for anything else, because the value may not be validated yet."""
    return value if isinstance(value, str) and value else None


def dict_of(value: object) -> dict[str, Any]:
    """Return a mapping; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def texts_of(value: object) -> tuple[str, ...]:
    """Return the texts in a list."""
    return tuple(entry for entry in list_of(value) if isinstance(entry, str))


def position(value: Any, path: Path, ranks: dict[int, dict[Any, int]]) -> tuple[int, ...]:
    """Return the position of a path in the order of the manifest; a missing field comes last in its parent.

    Args:
        ranks: the order of the fields of each visited mapping, by its identity.
    """
    out: list[int] = []
    for part in path:
        if isinstance(value, dict):
            order = ranks.get(id(value))
            if order is None:
                order = ranks[id(value)] = {key: rank for rank, key in enumerate(value)}
            out.append(order.get(part, len(value)))
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            out.append(part)
            value = value[part]
        else:
            break
    return tuple(out)
