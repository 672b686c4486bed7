"""Values of CEL in Python: bool, int, float, str, bytes and None are used directly; this module has the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from dralint.kubernetes.quantity import Quantity

INT_MIN, INT_MAX, UINT_MAX = -(2**63), 2**63 - 1, 2**64 - 1


class UInt(int):
    """An unsigned integer; a separate class because `1u` is not an int in CEL."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{int(self)}u"


class Value:
    """A value that equals another one of its type with the same parts; it never changes."""

    __slots__: tuple[str, ...] = ()

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Value):
            return NotImplemented
        return type(other) is type(self) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), self._parts()))

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({', '.join(parts)})"


class CelError(Value):
    """The result of an expression that fails. It is a value, because `||` and `&&` can absorb it.

    `start` and `end` are its place in the expression (code points), once known.
    """

    __slots__ = ("end", "message", "start")

    def __init__(self, message: str, start: int = -1, end: int = -1) -> None:
        self.message = message
        self.start = start
        self.end = end


class Duration(Value):
    """A span of time in nanoseconds."""

    __slots__ = ("nanos",)

    def __init__(self, nanos: int) -> None:
        self.nanos = nanos


class Timestamp(Value):
    """A moment, in nanoseconds since 1970."""

    __slots__ = ("nanos",)

    def __init__(self, nanos: int) -> None:
        self.nanos = nanos


class QuantityValue(Value):
    """A Kubernetes quantity; quantities are equal by number, whatever their suffix.

    Nothing equals a `computed` one, from add() or sub(), on the right side: the equality of k8s.io/apiserver
    (pkg/cel/quantity.go) does not know its type.

    `digits` is how many digits behind the point its integer form has (less than 0: how many zeros it leaves out), None
    for one that is kept as a decimal number.
    """

    __slots__ = ("computed", "digits", "value")

    def __init__(self, value: Fraction, digits: int | None, *, computed: bool = False) -> None:
        self.value = value
        self.digits = digits
        self.computed = computed

    def _parts(self) -> tuple[object, ...]:
        return self.computed, self.value

    @classmethod
    def of(cls, quantity: Quantity) -> QuantityValue:
        """Return the value of a quantity that was read."""
        return cls(quantity.exact, None if quantity.decimal else quantity.scale)


class Semver(Value):
    """A semantic version (semver.org): three numbers, pre-release identifiers, build metadata."""

    __slots__ = ("build", "major", "minor", "patch", "pre")

    def __init__(
        self, major: int, minor: int, patch: int, pre: tuple[int | str, ...] = (), build: tuple[str, ...] = ()
    ) -> None:
        self.major = major
        self.minor = minor
        self.patch = patch
        self.pre = pre
        self.build = build


class TypeValue(Value):
    """A type as a value: `type(1)`, `int`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class OptionalValue(Value):
    """A value that may be missing."""

    __slots__ = ("present", "value")

    def __init__(self, *, present: bool, value: Any = None) -> None:
        self.present = present
        self.value = value


ABSENT = OptionalValue(present=False)


def map_key(value: Any) -> Any:
    """Return a value as a map key: numbers of all three types are one key if they are equal, and true is not 1."""
    if isinstance(value, str):  # the usual case
        return value
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
    """A map; `fallback` is the value of an unknown key (the outer maps of a device know every domain)."""

    __slots__ = ("_entries", "fallback")

    def __init__(self, entries: Iterable[tuple[Any, Any]], fallback: Any = None) -> None:
        self._entries = {map_key(key): (key, value) for key, value in entries}
        self.fallback = fallback

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: Any) -> tuple[bool, Any]:
        """Return whether the key exists, and its value."""
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
