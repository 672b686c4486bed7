"""Values of CEL in Python, and how texts become durations, quantities, versions and other values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.quantity import strict_quantity

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


@dataclass(slots=True, unsafe_hash=True)
class CelError:
    """The result of an expression that fails. It is a value, because `||` and `&&` can absorb it.

    `start` and `end` are its place in the expression (code points), once known. Values never change.
    """

    message: str
    start: int = -1
    end: int = -1


@dataclass(slots=True, unsafe_hash=True)
class Duration:
    """A span of time in nanoseconds."""

    nanos: int


@dataclass(slots=True, unsafe_hash=True)
class Timestamp:
    """A moment, in nanoseconds since 1970."""

    nanos: int


@dataclass(slots=True, unsafe_hash=True)
class QuantityValue:
    """A Kubernetes quantity; quantities are equal by number, whatever their suffix.

    Nothing equals a `computed` one, from add() or sub(), on the right side: the equality of k8s.io/apiserver
    (pkg/cel/quantity.go) does not know its type.

    `digits` is how many digits behind the point its integer form has (less than 0: how many zeros it leaves out), None
    for one that is kept as a decimal number.
    """

    value: Fraction
    digits: int | None = field(compare=False)
    computed: bool = field(default=False, kw_only=True)

    @classmethod
    def of(cls, quantity: Quantity) -> QuantityValue:
        """Return the value of a quantity that was read."""
        return cls(quantity.exact, None if quantity.decimal else quantity.scale)


@dataclass(slots=True, unsafe_hash=True)
class Semver:
    """A semantic version (semver.org): three numbers, pre-release identifiers, build metadata."""

    major: int
    minor: int
    patch: int
    pre: tuple[int | str, ...] = ()
    build: tuple[str, ...] = ()

    def __str__(self) -> str:
        pre = f"-{'.'.join(map(str, self.pre))}" if self.pre else ""
        build = f"+{'.'.join(self.build)}" if self.build else ""
        return f"{self.major}.{self.minor}.{self.patch}{pre}{build}"


@dataclass(slots=True, unsafe_hash=True)
class TypeValue:
    """A type as a value: `type(1)`, `int`."""

    name: str


@dataclass(slots=True, unsafe_hash=True, kw_only=True)
class OptionalValue:
    """A value that may be missing."""

    present: bool
    value: Any = None


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


def type_name(value: object) -> str:
    """Return the name of a value's type."""
    return _NAMES.get(type(value), "dyn")


DURATION, TIMESTAMP = "google.protobuf.Duration", "google.protobuf.Timestamp"
_NAMES: dict[type, str] = {
    type(None): "null_type",
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    list: "list",
    CelMap: "map",
    TypeValue: "type",
    Duration: DURATION,
    Timestamp: TIMESTAMP,
    QuantityValue: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    OptionalValue: "optional_type",
}


_UNITS = {
    "ns": 1,
    "us": 10**3,
    "\u00b5s": 10**3,
    "\u03bcs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_DURATION_PART = r"(?a)(\d*)(?:(\.)(\d*))?([^0-9.]+)"
_TIMESTAMP = r"(?a)(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))"
_MIN_SECONDS, _MAX_SECONDS = -62_135_596_800, 253_402_300_799
_FLOAT = (
    r"(?ai)[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan"
    r"|0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?\d+)"
)
_SEPARATED = r"[^_]*(?:(?<=[0-9])_(?=[0-9])[^_]*)*"
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def parse_duration(text: str) -> Duration:
    """Read `1h30m` as Go's time.ParseDuration does."""
    rest = text
    negative = rest[:1] == "-"
    if rest[:1] in ("-", "+"):
        rest = rest[1:]
    if rest == "0":
        return Duration(0)
    if not rest:
        raise ValueError("is not a duration such as 1h30m or 250ms")
    total, position = 0, 0
    while position < len(rest):
        match = re.compile(_DURATION_PART).match(rest, position)
        if match is None or not (match[1] or match[3]):
            raise ValueError("is not a duration such as 1h30m or 250ms (every number needs a unit)")
        unit = _UNITS.get(match[4])
        if unit is None:
            raise ValueError(f'has the unknown unit "{match[4]}"; units are ns, us, ms, s, m and h')
        whole = int(match[1] or "0") if len(match[1]) < 25 else 2**64
        total += whole * unit
        if match[3]:
            total += int(match[3][:30]) * unit // 10 ** len(match[3][:30])
        position = match.end()
        if total > 2**63:
            break
    if total > 2**63 - (0 if negative else 1):
        raise ValueError("is longer than a duration can be (about 292 years)")
    return Duration(-total if negative else total)


def parse_timestamp(text: str) -> Timestamp:
    """Read an RFC 3339 time with Go's time.Parse."""
    match = re.fullmatch(_TIMESTAMP, text)
    if match is None:
        raise ValueError("is not a time in RFC 3339 form such as 2026-01-31T12:00:00Z")
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    seconds = 0
    if match[8]:
        hours, minutes = int(match[9]), int(match[10])
        if hours > 24 or minutes > 60:
            raise ValueError("has an offset that does not exist")
        seconds = (hours * 3600 + minutes * 60) * (-1 if match[8] == "+" else 1)
    try:
        # Python knows no year 0; Go does, and finds it out of range once the offset is applied.
        moment = datetime(year or 4, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError as error:
        raise ValueError(f"is not a time: {error}") from None
    seconds += (
        int((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1))
        if year
        else _MIN_SECONDS - 31_622_400 + (int((moment - datetime(4, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)))
    )
    return timestamp_of(seconds, int((match[7] or "")[:9].ljust(9, "0")))


def timestamp_of(seconds: int, nanos: int = 0) -> Timestamp:
    """Return a moment by its seconds since 1970."""
    if not _MIN_SECONDS <= seconds <= _MAX_SECONDS:
        raise ValueError("is outside of the years 1 to 9999")
    return Timestamp(seconds * 10**9 + nanos)


def parse_int(text: str) -> int:
    """Read a decimal integer."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return _within(text, digits, "an integer", INT_MIN, INT_MAX, "int")


def parse_uint(text: str) -> UInt:
    """Read a decimal integer without a sign."""
    return UInt(_within(text, text, "an unsigned integer", 0, UINT_MAX, "uint"))


def _within(text: str, digits: str, what: str, least: int, most: int, kind: str) -> int:
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"is not {what}")
    value = int(text) if len(digits.lstrip("0")) < 25 else most + 1
    if not least <= value <= most:
        raise ValueError(f"does not fit {kind}")
    return value


def parse_double(text: str) -> float:
    """Read a floating point number."""
    if "_" in text and re.fullmatch(_SEPARATED, text) is not None:
        text = text.replace("_", "")
    if re.fullmatch(_FLOAT, text) is None:
        raise ValueError("is not a number")
    try:
        value = float.fromhex(text) if "x" in text.lower() else float(text)
    except OverflowError:
        value = float("inf")
    if value in (float("inf"), float("-inf")) and "inf" not in text.lower():
        raise ValueError("does not fit a double")
    return value


def parse_bool(text: str) -> bool:
    """Read true or false in Go's spellings."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("is neither true nor false")


def parse_quantity(text: str) -> QuantityValue:
    """Read a quantity such as `40Gi`."""
    return QuantityValue.of(strict_quantity(text))


_SEMVER = r"(?a)(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]*))?(?:\+([0-9A-Za-z.-]*))?"


def parse_semver(text: str) -> Semver:
    """Read a semantic version strictly: three numbers, no `v` (github.com/blang/semver/v4 Parse)."""
    match = re.fullmatch(_SEMVER, text)
    if match is None:
        raise ValueError("is not a semantic version: three numbers such as 1.2.0, without a leading v")
    numbers = []
    for part in match.groups()[:3]:
        if len(part) > 1 and part[0] == "0":
            raise ValueError(f'is not a semantic version: "{part}" has a leading zero')
        if len(part) > 20 or int(part) > UINT_MAX:
            raise ValueError(f'is not a semantic version: "{part[:60]}" is too large')
        numbers.append(int(part))
    pre: list[int | str] = []
    if match[4] is not None:
        for part in match[4].split("."):
            if not part or (part.isdigit() and len(part) > 1 and part[0] == "0"):
                msg = f'is not a semantic version: the pre-release part "{part}" is empty or has a leading zero'
                raise ValueError(msg)
            pre.append(int(part[:40]) if part.isdigit() else part)
    build = tuple((match[5] or "").split(".")) if match[5] is not None else ()
    if match[5] is not None and not all(build):
        raise ValueError('is not a semantic version: the part after "+" is empty')
    return Semver(numbers[0], numbers[1], numbers[2], tuple(pre), build)


def normalize_semver(text: str) -> str:
    """Make `v1.2` a strict version, as semver() with the second argument `true` does."""
    text = text.removeprefix("v")
    parts = text.split(".", 2)
    for i, part in enumerate(parts):
        if len(part) > 1:
            part = part.lstrip("0")
            if not part or not part[0].isdigit():
                part = "0" + part
            parts[i] = part
    if len(parts) < 3:
        last = parts[-1]
        cut = re.search(r"[+\-]", last)
        if cut is not None:
            raise ValueError('is not a semantic version: a short version cannot have a part after "-" or "+"')
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)
