"""The conversions int(), uint(), double(), string(), bytes(), bool(), duration(), timestamp(), type() and dyn().

The planner folds them where the argument is a constant, the evaluator runs them.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dralint.cel.values import literals
from dralint.cel.values.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelError,
    CelMap,
    Duration,
    OptionalValue,
    QuantityValue,
    Semver,
    Timestamp,
    TypeValue,
    UInt,
)

if TYPE_CHECKING:
    from collections.abc import Callable

CONVERSIONS = frozenset({"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"})


def type_name(value: Any) -> str:
    """Return the name of a value's type at run time."""
    if value is None:
        return "null_type"
    if isinstance(value, UInt):
        return "uint"
    if isinstance(value, list):
        return "list"
    return _NAMES.get(type(value), "dyn")


_NAMES: dict[type, str] = {
    bool: "bool",
    int: "int",
    float: "double",
    str: "string",
    bytes: "bytes",
    CelMap: "map",
    TypeValue: "type",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    QuantityValue: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    OptionalValue: "optional_type",
}


def convert(function: str, value: Any) -> Any:
    """Return the converted value or a CelError."""
    if function == "dyn" or isinstance(value, CelError):
        return value
    if function == "type":
        return TypeValue(type_name(value))
    try:
        result = _CONVERTERS[function](value)
    except ValueError as error:
        shown = f'"{value[:60]}"' if isinstance(value, str) else repr(value)
        return CelError(f"{shown} {error}")
    if result is NotImplemented:
        return CelError(f"{function}() cannot convert a {type_name(value)}")
    return result


def _int(value: Any) -> Any:
    if isinstance(value, bool):
        return NotImplemented
    if isinstance(value, int):
        if value > INT_MAX:
            raise ValueError("does not fit int")
        return int(value)
    if isinstance(value, float):
        # The bounds themselves are refused, because they equal their neighbours.
        if not -(2.0**63) < value < 2.0**63:
            raise ValueError("does not fit int")
        return int(value)
    if isinstance(value, str):
        return literals.parse_int(value)
    if isinstance(value, Timestamp):
        return value.nanos // 10**9
    if isinstance(value, Duration):
        return value.nanos
    return NotImplemented


def _uint(value: Any) -> Any:
    if isinstance(value, bool):
        return NotImplemented
    if isinstance(value, int):
        if value < 0:
            raise ValueError("is negative")
        return UInt(value)
    if isinstance(value, float):
        if not 0 <= value < 2.0**64:
            raise ValueError("does not fit uint")
        return UInt(value)
    return literals.parse_uint(value) if isinstance(value, str) else NotImplemented


def _double(value: Any) -> Any:
    if isinstance(value, bool):
        return NotImplemented
    if isinstance(value, int | float):
        return float(value)
    return literals.parse_double(value) if isinstance(value, str) else NotImplemented


def spell_double(value: float) -> str:
    """Write a double as Go's %g does."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    from decimal import Decimal  # few expressions print doubles

    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) + int(exponent) - 1 if any(digits) else 0
    if power < -4 or power >= 6:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        written = f"{text[0]}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
    elif power < 0:
        written = f"0.{'0' * (-power - 1)}{text}"
    else:
        whole = text.ljust(power + 1, "0")
        written = whole[: power + 1] + (f".{whole[power + 1 :]}" if len(whole) > power + 1 else "")
    return f"-{written}" if sign else written


def spell_duration(value: Duration) -> str:
    """Write a duration in seconds, as CEL's string() does."""
    whole, rest = divmod(abs(value.nanos), 10**9)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if value.nanos < 0 else ''}{whole}{fraction}s"


def spell_timestamp(value: Timestamp) -> str:
    """Write a moment in RFC 3339, in UTC."""
    seconds, nanos = divmod(value.nanos, 10**9)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}"[-19:].rjust(19, "0") + fraction + "Z"


def _string(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return spell_double(value)
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("is not UTF-8") from None
    if isinstance(value, Duration):
        return spell_duration(value)
    return spell_timestamp(value) if isinstance(value, Timestamp) else NotImplemented


def _read(kind: type, reader: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Return the conversion to a type that only a text of it has, besides the type itself."""

    def apply(value: Any) -> Any:
        if isinstance(value, kind):
            return value
        return reader(value) if isinstance(value, str) else NotImplemented

    return apply


def _timestamp(value: Any) -> Any:
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, str):
        return literals.parse_timestamp(value)
    if isinstance(value, int) and not isinstance(value, bool | UInt):
        return literals.timestamp_of(value)
    return NotImplemented


_CONVERTERS = {
    "int": _int,
    "uint": _uint,
    "double": _double,
    "string": _string,
    "bytes": _read(bytes, lambda text: text.encode("utf-8", "surrogatepass")),
    "bool": _read(bool, literals.parse_bool),
    "duration": _read(Duration, literals.parse_duration),
    "timestamp": _timestamp,
}
assert INT_MIN < 0 < UINT_MAX
