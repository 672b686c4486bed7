"""Values of CEL in Python: bool, int, float, str, bytes and None are themselves; the rest is here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

INT_MIN, INT_MAX, UINT_MAX = -(2**63), 2**63 - 1, 2**64 - 1


class UInt(int):
    """An unsigned integer; a class of its own because `1u` is not an int to CEL."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)}u"


@dataclass(frozen=True, slots=True)
class CelError:
    """What an expression yields where it cannot go on. A value, because `||` and `&&` may absorb it.

    `start` and `end` tell where in the expression it arose (code points), once known.
    """

    message: str
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time in nanoseconds."""

    nanos: int


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment, in nanoseconds since 1970."""

    nanos: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """A Kubernetes quantity; equal by number, whatever the suffix."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Semver:
    """A semantic version (semver.org): three numbers, pre-release identifiers, build metadata."""

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: `type(1)`, `int`."""

    name: str


@dataclass(frozen=True, slots=True)
class OptionalValue:
    """A value that may be missing."""

    present: bool
    value: Any = None


ABSENT = OptionalValue(present=False)


def map_key(value: Any) -> Any:
    """Return what the value is as a key: numbers of all three types meet when equal, true is not 1."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, float):
        return ("number", int(value)) if value.is_integer() else ("number", value)
    if isinstance(value, int):
        return ("number", int(value))
    if isinstance(value, list | CelMap | OptionalValue):
        # The compiler's maps tell these apart by identity.
        return ("object", id(value))
    return value


class CelMap:
    """A map; `fallback` is what an unknown key yields (the outer maps of a device know every domain)."""

    __slots__ = ("_entries", "fallback")

    def __init__(self, entries: Iterable[tuple[Any, Any]], fallback: Any = None) -> None:
        self._entries = {map_key(key): (key, value) for key, value in entries}
        self.fallback = fallback

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: Any) -> tuple[bool, Any]:
        """Return whether the key is there, and its value."""
        try:
            entry = self._entries.get(map_key(key))
        except TypeError:
            return False, None
        if entry is not None:
            return True, entry[1]
        return (True, self.fallback) if self.fallback is not None else (False, None)

    def keys(self) -> Iterator[Any]:
        """Yield the keys as they were given."""
        return (key for key, _ in self._entries.values())

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Yield the entries as they were given."""
        return iter(self._entries.values())
