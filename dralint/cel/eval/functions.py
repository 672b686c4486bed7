"""What conversions and functions do when they run: those that selectors use, and their neighbours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.cel.eval import arithmetic, more_functions
from dralint.cel.eval.arithmetic import NoOverloadError, check_list, check_text, compare
from dralint.cel.values import values
from dralint.cel.values.values import (
    ABSENT,
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
        return values.parse_int(value)
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
    return values.parse_uint(value) if isinstance(value, str) else NotImplemented


def _double(value: Any) -> Any:
    if isinstance(value, bool):
        return NotImplemented
    if isinstance(value, int | float):
        return float(value)
    return values.parse_double(value) if isinstance(value, str) else NotImplemented


def spell_double(value: float) -> str:
    """Write a double as Go's %g does."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"

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
        return values.parse_timestamp(value)
    if isinstance(value, int) and not isinstance(value, bool | UInt):
        return values.timestamp_of(value)
    return NotImplemented


_CONVERTERS = {
    "int": _int,
    "uint": _uint,
    "double": _double,
    "string": _string,
    "bytes": _read(bytes, lambda text: text.encode("utf-8", "surrogatepass")),
    "bool": _read(bool, values.parse_bool),
    "duration": _read(Duration, values.parse_duration),
    "timestamp": _timestamp,
}
assert INT_MIN < 0 < UINT_MAX


def _size(value: Any) -> int:
    if not isinstance(value, str | bytes | list | CelMap):
        raise NoOverloadError
    return len(value)


def _parse(reader: Callable[[str], Any], what: str) -> Callable[[Any], Any]:
    def apply(text: Any) -> Any:
        check_text(text)
        try:
            return reader(text)
        except ValueError as error:
            raise ValueError(f'{what}("{text[:60]}"): the text {error}') from None

    return apply


def _check_switch(*values: Any) -> None:
    if not all(isinstance(value, bool) for value in values):
        raise NoOverloadError


def _semver(text: Any, normalize: Any = False) -> Semver:
    check_text(text)
    _check_switch(normalize)
    try:
        return values.parse_semver(values.normalize_semver(text) if normalize is True else text)
    except ValueError as error:
        raise ValueError(f'semver("{text[:60]}"): the text {error}') from None


def _is(reader: Callable[..., Any]) -> Callable[..., bool]:
    def apply(*values: Any) -> bool:
        check_text(values[0])
        _check_switch(*values[1:])
        try:
            reader(*values)
        except ValueError:
            return False
        return True

    return apply


def _quantities(*values: Any) -> None:
    if not all(isinstance(v, QuantityValue) for v in values):
        raise NoOverloadError


def _sum(a: Any, b: Any, sign: int) -> QuantityValue:
    """Add as int64Amount.Add does (apimachinery pkg/api/resource/amount.go): it stays an integer where both are ones.

    That is, with the digits of the one that has more of them, as far as 64 bits hold these numbers.
    """
    if isinstance(b, int) and not isinstance(b, bool):
        b = QuantityValue(Fraction(b), 0)
    _quantities(a, b)
    total = a.value + sign * b.value
    if a.digits is None or b.digits is None:
        digits = None
    elif a.value and b.value:
        digits = max(a.digits, b.digits)
        held = (value * Fraction(10) ** digits for value in (a.value, b.value, total))
        digits = digits if all(INT_MIN <= value <= INT_MAX for value in held) else None
    else:
        digits = a.digits if a.value else b.digits if b.value else a.digits
    return QuantityValue(total, digits, computed=True)


def _is_integer(a: Any) -> bool:
    """Say what Quantity.AsInt64 does: a quantity that is kept as a decimal number, or with digits, is none."""
    _quantities(a)
    return a.digits is not None and a.digits <= 0 and INT_MIN <= a.value <= INT_MAX


def _as_integer(a: Any) -> int:
    if not _is_integer(a):
        raise ValueError("the quantity is not an integer")
    return int(a.value)


def _as_float(a: Any) -> float:
    _quantities(a)
    return float(a.value)


def _sign(a: Any) -> int:
    _quantities(a)
    return int((a.value > 0) - (a.value < 0))


def _ordered(test: Callable[[int], Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if not isinstance(a, QuantityValue | Semver) or type(a) is not type(b):
            raise NoOverloadError
        return test(compare(a, b))

    return apply


def _part(name: str) -> Callable[[Any], int]:
    def apply(a: Any) -> int:
        if not isinstance(a, Semver):
            raise NoOverloadError
        result: int = getattr(a, name)
        return result

    return apply


def _optional(value: Any) -> OptionalValue:
    if not isinstance(value, OptionalValue):
        raise NoOverloadError
    return value


def _value(value: Any) -> Any:
    if not _optional(value).present:
        raise ValueError("the optional value is absent")
    return value.value


def _of_non_zero(value: Any) -> OptionalValue:
    zero = value is None or (isinstance(value, bool | int | float | str | bytes | list | CelMap) and not value)
    if isinstance(value, CelMap | list | str | bytes):
        zero = len(value) == 0
    return ABSENT if zero else OptionalValue(present=True, value=value)


def _unwrap(items: Any) -> list[Any]:
    check_list(items)
    return [_value(item) for item in items if _optional(item).present]


def _insert(target: Any, key: Any, value: Any = None) -> CelMap:
    pairs = list(key.items()) if isinstance(key, CelMap) else [(key, value)]
    for new, _ in pairs:
        if target.find(new)[0]:
            raise ValueError(f'the key "{new}" occurs twice')
    return CelMap([*target.items(), *pairs])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_+_": arithmetic.add,
    "_-_": arithmetic.subtract,
    "_*_": arithmetic.multiply,
    "_/_": arithmetic.divide,
    "_%_": arithmetic.modulo,
    "-_": arithmetic.negate,
    "!_": arithmetic.not_,
    "@in": more_functions.contained,
    "@not_strictly_false": lambda value: value is not False,
    "_<_": arithmetic.relation(lambda c: c < 0),
    "_<=_": arithmetic.relation(lambda c: c <= 0),
    "_>_": arithmetic.relation(lambda c: c > 0),
    "_>=_": arithmetic.relation(lambda c: c >= 0),
    "size": _size,
    "contains": more_functions.boolean_text("__contains__"),
    "startsWith": more_functions.boolean_text("startswith"),
    "endsWith": more_functions.boolean_text("endswith"),
    "lowerAscii": more_functions.lower,
    "upperAscii": more_functions.upper,
    "substring": more_functions.substring,
    "charAt": more_functions.char_at,
    "indexOf": more_functions.index_of,
    "lastIndexOf": more_functions.last_index_of,
    "replace": more_functions.replace,
    "split": more_functions.split,
    "join": more_functions.join,
    "trim": more_functions.trim,
    "quantity": _parse(values.parse_quantity, "quantity"),
    "isQuantity": _is(values.parse_quantity),
    "semver": _semver,
    "isSemver": _is(_semver),
    "add": partial(_sum, sign=1),
    "sub": partial(_sum, sign=-1),
    "sign": _sign,
    "isInteger": _is_integer,
    "asInteger": _as_integer,
    "asApproximateFloat": _as_float,
    "isGreaterThan": _ordered(lambda c: c > 0),
    "isLessThan": _ordered(lambda c: c < 0),
    "compareTo": _ordered(lambda c: c),
    "major": _part("major"),
    "minor": _part("minor"),
    "patch": _part("patch"),
    "min": more_functions.extreme(-1),
    "max": more_functions.extreme(1),
    "sum": more_functions.sum_,
    "isSorted": more_functions.is_sorted,
    "sort": lambda items: more_functions.sort_by(items, items),
    "@sortByAssociatedKeys": more_functions.sort_by,
    "distinct": more_functions.distinct,
    "slice": more_functions.slice_,
    "flatten": more_functions.flatten,
    "lists.range": more_functions.range_,
    "reverse": more_functions.reverse_,
    "sets.contains": more_functions.contains_all,
    "sets.equivalent": lambda a, b: more_functions.contains_all(a, b) and more_functions.contains_all(b, a),
    "sets.intersects": more_functions.share,
    "includes": more_functions.includes,
    "optional.of": lambda value: OptionalValue(present=True, value=value),
    "optional.none": lambda: ABSENT,
    "optional.ofNonZeroValue": _of_non_zero,
    "hasValue": lambda value: _optional(value).present,
    "value": _value,
    "optional.unwrap": _unwrap,
    "unwrapOpt": _unwrap,
    "first": lambda items: more_functions.end_of(items, 0),
    "last": lambda items: more_functions.end_of(items, -1),
    "cel.@mapInsert": _insert,
}
"""Function name → its implementation; a function that is not here is refused by name."""

WITH_PATTERNS: dict[str, Callable[..., Any]] = {
    "matches": more_functions.matches,
    "find": more_functions.find,
    "findAll": more_functions.find_all,
}
"""The same for functions whose first argument is the release's reading of patterns."""
