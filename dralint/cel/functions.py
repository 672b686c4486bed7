"""What conversions and functions do when they run: those of the language, of cel-go and of Kubernetes."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.cel import values
from dralint.cel.regex import program
from dralint.cel.regex_nodes import LOWER, UPPER, NotRunError, PatternLimitError, RegexError
from dralint.cel.values import (
    ABSENT,
    DURATION,
    INT_MAX,
    INT_MIN,
    TIMESTAMP,
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
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.regex import Program


_LARGEST = 5_000_000
"""The most characters or elements of a value that a function makes."""


class NoOverloadError(Exception):
    """The function does not accept values of these types."""


class NotHereError(Exception):
    """dralint cannot run this; the API server can."""

    words = "dralint does not run {}; the compiler's verdict is valid, but the matching devices are not known"

    def __init__(self, what: str) -> None:
        super().__init__(self.words.format(what))


class LimitError(NotHereError):
    """A limit of dralint ends the run; the API server has other limits."""

    words = "dralint's limit of {} is reached"


def is_number(value: Any) -> bool:
    """Say whether the value is an int, a uint or a double."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(a: Any, b: Any) -> bool:
    """Compare as == does: numbers by value across their types, everything else within its type."""
    todo = [(a, b)]
    while todo:
        x, y = todo.pop()
        if is_number(x) and is_number(y):
            x, y = _as_numbers(x, y)
            same = x == y
        elif type(x) is not type(y):
            same = False
        elif isinstance(x, list):
            same = len(x) == len(y)
            todo.extend(zip(x, y, strict=False))
        elif isinstance(x, CelMap):
            same = len(x) == len(y) and all(y.find(key)[0] for key, _ in x.items())
            todo.extend((value, y.find(key)[1]) for key, value in x.items())
        elif isinstance(x, QuantityValue):
            same = not y.computed and x.value == y.value
        elif isinstance(x, Semver):
            same = compare(x, y) == 0
        elif isinstance(x, OptionalValue):
            same = x.present == y.present
            todo.append((x.value, y.value))
        else:
            same = x == y
        if not same:
            return False
    return True


def _as_numbers(a: Any, b: Any) -> tuple[Any, Any]:
    """Return two numbers as they are compared: next to a double, an integer becomes a double."""
    return (float(a), float(b)) if isinstance(a, float) != isinstance(b, float) else (a, b)


def compare(a: Any, b: Any) -> int:
    """Return -1, 0 or 1; NoOverloadError where there is no order, ValueError for a NaN."""
    if is_number(a) and is_number(b):
        a, b = _as_numbers(a, b)
        if a != a or b != b:
            raise ValueError("NaN cannot be ordered")
    elif type(a) is not type(b):
        raise NoOverloadError
    else:
        a, b = _place_in_order(a), _place_in_order(b)
    return int(a > b) - int(a < b)


def _place_in_order(value: Any) -> Any:
    """Return what orders the values of a type; NoOverloadError for a type without an order."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, Duration | Timestamp):
        return value.nanos
    if isinstance(value, QuantityValue):
        return value.value
    if isinstance(value, Semver):  # numbers come before words, and every pre-release before its release
        words = [(isinstance(part, str), part) for part in value.pre]
        return value.major, value.minor, value.patch, not words, words
    if not isinstance(value, bool | bytes):
        raise NoOverloadError
    return value


def check_size(size: int) -> None:
    """Raise LimitError for a useless result that would fill the memory."""
    if size > _LARGEST:
        raise LimitError(f"{_LARGEST:,} characters or elements of a value")


def _whole(value: int, like: int) -> int:
    if isinstance(like, UInt):
        if not 0 <= value <= UINT_MAX:
            raise OverflowError("unsigned integer overflow")
        return UInt(value)
    if not INT_MIN <= value <= INT_MAX:
        raise OverflowError("integer overflow")
    return value


def _same_numbers(a: Any, b: Any) -> None:
    if not is_number(a) or type(a) is not type(b):
        raise NoOverloadError


def add(a: Any, b: Any) -> Any:
    """Add numbers, times, strings, bytes or lists."""
    if isinstance(a, str | bytes | list) and type(a) is type(b):
        check_size(len(a) + len(b))
        return a + b  # type: ignore[operator]  # both are of one type here
    if isinstance(a, Duration) and isinstance(b, Duration):
        return Duration(a.nanos + b.nanos)
    if {type(a), type(b)} == {Timestamp, Duration}:
        return Timestamp(a.nanos + b.nanos)
    _same_numbers(a, b)
    return a + b if isinstance(a, float) else _whole(int(a) + int(b), a)


def subtract(a: Any, b: Any) -> Any:
    """Do what `-` does."""
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        return Duration(a.nanos - b.nanos)
    if isinstance(a, Timestamp | Duration) and isinstance(b, Duration):
        return type(a)(a.nanos - b.nanos)
    _same_numbers(a, b)
    return a - b if isinstance(a, float) else _whole(int(a) - int(b), a)


def multiply(a: Any, b: Any) -> Any:
    """Do what `*` does."""
    _same_numbers(a, b)
    return a * b if isinstance(a, float) else _whole(int(a) * int(b), a)


def divide(a: Any, b: Any) -> Any:
    """Do what `/` does."""
    _same_numbers(a, b)
    if isinstance(a, float):
        if b == 0:
            return float("nan") if a == 0 or a != a else float("inf") if a > 0 else float("-inf")
        return a / b
    if b == 0:
        raise ZeroDivisionError("division by zero")
    quotient = abs(int(a)) // abs(int(b))
    return _whole(quotient if (a < 0) == (b < 0) else -quotient, a)


def modulo(a: Any, b: Any) -> Any:
    """Do what `%` does."""
    _same_numbers(a, b)
    if isinstance(a, float):
        raise NoOverloadError
    if b == 0:
        raise ZeroDivisionError("modulus by zero")
    rest = abs(int(a)) % abs(int(b))
    return _whole(-rest if a < 0 else rest, a)


def negate(a: Any) -> Any:
    """Do what the unary `-` does."""
    if not is_number(a) or isinstance(a, UInt):
        raise NoOverloadError
    return -a if isinstance(a, float) else _whole(-int(a), a)


def _ordered(test: Callable[[int], Any], *, of_kubernetes: bool = False) -> Callable[[Any, Any], Any]:
    """Do what an operator that orders does, or (`of_kubernetes`) a function that orders quantities or versions."""

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, QuantityValue | Semver) is not of_kubernetes:
            raise NoOverloadError
        return test(compare(a, b))

    return apply


T = TypeVar("T")


# Conversions.


def convert(function: str, value: Any) -> Any:
    """Return the converted value or a CelError."""
    if function == "dyn" or isinstance(value, CelError):
        return value
    kind = type_name(value)
    if function == "type":
        return TypeValue(kind)
    converter = _CONVERTERS[function].get(kind)
    if converter is None:
        return value if _RESULTS.get(function, function) == kind else CelError(f"{function}() cannot convert a {kind}")
    try:
        return converter(value)
    except ValueError as error:
        shown = f'"{value[:60]}"' if isinstance(value, str) else repr(value)
        return CelError(f"{shown} {error}")


def _number(kind: type[int], fits: Callable[[Any], bool], otherwise: str) -> Callable[[Any], int]:
    """Return the conversion of a number into another kind of numbers; `otherwise` is said of one that does not fit."""

    def apply(value: Any) -> int:
        if not fits(value):
            raise ValueError(otherwise)
        return kind(value)

    return apply


def _string_of_bytes(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None


def _string_of_double(value: float) -> str:
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


def _string_of_duration(value: Duration) -> str:
    """Write a duration in seconds."""
    whole, rest = divmod(abs(value.nanos), 10**9)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if value.nanos < 0 else ''}{whole}{fraction}s"


def _string_of_timestamp(value: Timestamp) -> str:
    """Write a moment in RFC 3339, in UTC."""
    seconds, nanos = divmod(value.nanos, 10**9)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}"[-19:].rjust(19, "0") + fraction + "Z"


_CONVERTERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "int": {
        "uint": _number(int, lambda value: value <= INT_MAX, "does not fit int"),
        # The bounds themselves are refused, because they equal their neighbours.
        "double": _number(int, lambda value: -(2.0**63) < value < 2.0**63, "does not fit int"),
        "string": values.parse_int,
        TIMESTAMP: lambda value: value.nanos // 10**9,
        DURATION: lambda value: value.nanos,
    },
    "uint": {
        "int": _number(UInt, lambda value: value >= 0, "is negative"),
        "double": _number(UInt, lambda value: 0 <= value < 2.0**64, "does not fit uint"),
        "string": values.parse_uint,
    },
    "double": {"int": float, "uint": float, "string": values.parse_double},
    "string": {
        "bool": lambda value: "true" if value else "false",
        "int": str,
        "uint": lambda value: str(int(value)),
        "double": _string_of_double,
        "bytes": _string_of_bytes,
        DURATION: _string_of_duration,
        TIMESTAMP: _string_of_timestamp,
    },
    "bytes": {"string": lambda text: text.encode("utf-8", "surrogatepass")},
    "bool": {"string": values.parse_bool},
    "duration": {"string": values.parse_duration},
    "timestamp": {"string": values.parse_timestamp, "int": values.timestamp_of},
}
"""The conversion → the type of its argument → what it does. A value of the type itself stays as it is."""
_RESULTS = {"duration": DURATION, "timestamp": TIMESTAMP}
CONVERSIONS = frozenset({"dyn", "type", *_CONVERTERS})


# Functions on texts.


def _ask(ask: Callable[[Program], T], pattern: str, patterns: str) -> T:
    """Return the answer of a pattern about a text; NotHereError where dralint does not run the pattern."""

    try:
        return ask(program(pattern, patterns))
    except RegexError as error:
        raise ValueError(f'the pattern "{pattern[:60]}" {error}') from None
    except PatternLimitError as error:
        raise LimitError(str(error)) from None
    except NotRunError as error:
        raise NotHereError(str(error)) from None


def _matches(patterns: str, text: str, pattern: str) -> bool:
    return _ask(lambda program: program.search(text), pattern, patterns) is not None


def _find(patterns: str, text: str, pattern: str) -> str:
    span = _ask(lambda program: program.search(text), pattern, patterns)
    return text[span[0] : span[1]] if span is not None else ""


def _find_all(patterns: str, text: str, pattern: str, limit: int = -1) -> list[str]:
    found = _ask(lambda program: program.find_all(text), pattern, patterns)
    return found if limit < 0 else found[:limit]


def _substring(text: str, start: int, end: int | None = None) -> str:
    stop = len(text) if end is None else end
    if not 0 <= start <= stop <= len(text):
        raise IndexError(f"the range {start} to {stop} is outside of the string")
    return text[start:stop]


def _check_start(index: int, most: float = math.inf) -> None:
    if not 0 <= index <= most:
        raise IndexError(f"the index {index} is outside of the string")


def _char_at(text: str, index: int) -> str:
    _check_start(index, len(text))
    return text[index : index + 1]


def _index_of(text: str, wanted: str, start: int = 0) -> int:
    _check_start(start)
    return text.find(wanted, start) if wanted else min(start, len(text))


def _last_index_of(text: str, wanted: str, start: int | None = None) -> int:
    if start is None:
        return text.rfind(wanted)
    _check_start(start)
    if not wanted:
        return min(start, len(text))
    return text.rfind(wanted, 0, start + len(wanted)) if start < len(text) else -1


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    check_size(len(text) + (text.count(old) + 1) * len(new))
    return text.replace(old, new, count)


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1) if limit != 1 else [text]
    characters = list(text)
    if 0 < limit < len(characters):
        return [*characters[: limit - 1], "".join(characters[limit - 1 :])]
    return characters


def _join(items: list[Any], separator: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise NoOverloadError
    check_size(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


# Functions on lists and sets.


def _contained(wanted: Any, container: Any) -> bool:
    """Say whether a list has the element or a map the key."""
    if not isinstance(container, CelMap | list):
        raise NoOverloadError
    items = container.keys() if isinstance(container, CelMap) else container
    return any(equal(wanted, item) for item in items)


def _order(a: Any, b: Any) -> int:
    """Compare two elements; those of different types, and a NaN, are equal here."""
    if not all(is_number(one) or isinstance(one, bool | str | bytes | Duration | Timestamp) for one in (a, b)):
        raise NoOverloadError
    try:
        return compare(a, b)
    except (NoOverloadError, ValueError):
        return 0


def _extreme(sign: int, items: list[Any]) -> Any:
    if not items:
        raise ValueError("the list is empty: it has no smallest and no greatest element")
    best = items[0]
    for item in items[1:]:
        if _order(item, best) == sign:
            best = item
    return best


def _sum_of(items: list[Any]) -> Any:
    total: Any = items[0] if items else 0
    if not is_number(total) and not isinstance(total, Duration):
        raise NoOverloadError
    for item in items[1:]:
        total = add(total, item)
    return total


def _sort_by(items: list[Any], keys: list[Any]) -> list[Any]:
    ordered = cmp_to_key(_order)
    return [item for _, item in sorted(zip(keys, items, strict=True), key=lambda pair: ordered(pair[0]))]


def _distinct(items: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        if not any(equal(item, other) for other in kept):
            kept.append(item)
    return kept


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    if not 0 <= start <= end <= len(items):
        raise IndexError(f"cannot take elements {start} to {end} of {len(items)}")
    return items[start:end]


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise ValueError("the depth of flatten() is negative")
    flat = items
    for _ in range(min(depth, 300)):
        if not any(isinstance(item, list) for item in flat):
            break
        flat = [inner for item in flat for inner in (item if isinstance(item, list) else [item])]
    return list(flat)


def _range(n: int) -> list[int]:
    if not 0 <= n <= 1_000_000:
        raise ValueError(f"lists.range({n}): the size must be between 0 and 1,000,000")
    return list(range(n))


def _contains_all(several: list[Any], wanted: list[Any]) -> bool:
    return all(_contained(item, several) for item in wanted)


# Functions on quantities, versions and optional values.


def _read(what: str, reader: Callable[..., Any], text: str, *more: bool) -> Any:
    try:
        return reader(text, *more)
    except ValueError as error:
        raise ValueError(f'{what}("{text[:60]}"): the text {error}') from None


def _can_read(reader: Callable[..., Any], text: str, *more: bool) -> bool:
    try:
        reader(text, *more)
    except ValueError:
        return False
    return True


def _semver(text: str, normalize: bool = False) -> Semver:
    return values.parse_semver(values.normalize_semver(text) if normalize else text)


def _sum(a: QuantityValue, b: Any, sign: int) -> QuantityValue:
    """Add as int64Amount.Add does (apimachinery pkg/api/resource/amount.go): it stays an integer where both are ones.

    That is, with the digits of the one that has more of them, as far as 64 bits hold these numbers.
    """
    if isinstance(b, int) and not isinstance(b, bool):
        b = QuantityValue(Fraction(b), 0)
    if not isinstance(b, QuantityValue):
        raise NoOverloadError
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


def _is_integer(a: QuantityValue) -> bool:
    """Say what Quantity.AsInt64 does: a quantity that is kept as a decimal number, or with digits, is none."""
    return a.digits is not None and a.digits <= 0 and INT_MIN <= a.value <= INT_MAX


def _as_integer(a: QuantityValue) -> int:
    if not _is_integer(a):
        raise ValueError("the quantity is not an integer")
    return int(a.value)


def _value(optional: OptionalValue) -> Any:
    if not optional.present:
        raise ValueError("the optional value is absent")
    return optional.value


def _of_non_zero(value: Any) -> OptionalValue:
    sized = isinstance(value, CelMap | list | str | bytes)
    zero = len(value) == 0 if sized else value is None or (isinstance(value, int | float) and not value)
    return ABSENT if zero else OptionalValue(present=True, value=value)


def _unwrap(items: list[Any]) -> list[Any]:
    if not all(isinstance(item, OptionalValue) for item in items):
        raise NoOverloadError
    return [item.value for item in items if item.present]


def _insert(target: Any, key: Any, value: Any = None) -> CelMap:
    pairs = list(key.items()) if isinstance(key, CelMap) else [(key, value)]
    for new, _ in pairs:
        if target.find(new)[0]:
            raise ValueError(f'the key "{new}" occurs twice')
    return CelMap([*target.items(), *pairs])


# The tables.


_ANY = object


def _on(function: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
    """Return a function that has no overload for values of other types than these; more values may be left out."""

    def apply(*given: Any) -> Any:
        for value, kind in zip(given, kinds, strict=False):
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool | UInt)):
                raise NoOverloadError
        return function(*given)

    return apply


def _either(texts: Callable[..., Any], lists: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *more: (lists if isinstance(value, list) else texts)(value, *more)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_+_": add,
    "_-_": subtract,
    "_*_": multiply,
    "_/_": divide,
    "_%_": modulo,
    "-_": negate,
    "!_": _on(lambda value: not value, bool),
    "@in": _contained,
    "@not_strictly_false": lambda value: value is not False,
    "_<_": _ordered(lambda c: c < 0),
    "_<=_": _ordered(lambda c: c <= 0),
    "_>_": _ordered(lambda c: c > 0),
    "_>=_": _ordered(lambda c: c >= 0),
    "size": _on(len, str | bytes | list | CelMap),
    "contains": _on(lambda text, part: part in text, str, str),
    "startsWith": _on(str.startswith, str, str),
    "endsWith": _on(str.endswith, str, str),
    "lowerAscii": _on(lambda text: text.translate(LOWER), str),
    "upperAscii": _on(lambda text: text.translate(UPPER), str),
    "substring": _on(_substring, str, int, int),
    "charAt": _on(_char_at, str, int),
    "indexOf": _either(
        _on(_index_of, str, str, int),
        lambda items, wanted: next((i for i, item in enumerate(items) if equal(item, wanted)), -1),
    ),
    "lastIndexOf": _either(
        _on(_last_index_of, str, str, int),
        lambda items, wanted: next((i for i in reversed(range(len(items))) if equal(items[i], wanted)), -1),
    ),
    "replace": _on(_replace, str, str, str, int),
    "split": _on(_split, str, str, int),
    "join": _on(_join, list, str),
    "trim": _on(str.strip, str),
    "quantity": _on(partial(_read, "quantity", values.parse_quantity), str),
    "isQuantity": _on(partial(_can_read, values.parse_quantity), str),
    "semver": _on(partial(_read, "semver", _semver), str, bool),
    "isSemver": _on(partial(_can_read, _semver), str, bool),
    "add": _on(partial(_sum, sign=1), QuantityValue),
    "sub": _on(partial(_sum, sign=-1), QuantityValue),
    "sign": _on(lambda amount: int(amount.value > 0) - int(amount.value < 0), QuantityValue),
    "isInteger": _on(_is_integer, QuantityValue),
    "asInteger": _on(_as_integer, QuantityValue),
    "asApproximateFloat": _on(lambda amount: float(amount.value), QuantityValue),
    "isGreaterThan": _ordered(lambda c: c > 0, of_kubernetes=True),
    "isLessThan": _ordered(lambda c: c < 0, of_kubernetes=True),
    "compareTo": _ordered(lambda c: c, of_kubernetes=True),
    "major": _on(lambda version: version.major, Semver),
    "minor": _on(lambda version: version.minor, Semver),
    "patch": _on(lambda version: version.patch, Semver),
    "min": _on(partial(_extreme, -1), list),
    "max": _on(partial(_extreme, 1), list),
    "sum": _on(_sum_of, list),
    "isSorted": _on(lambda items: all(_order(a, b) <= 0 for a, b in pairwise(items)), list),
    "sort": _on(lambda items: _sort_by(items, items), list),
    "@sortByAssociatedKeys": _on(_sort_by, list, list),
    "distinct": _on(_distinct, list),
    "slice": _on(_slice, list, int, int),
    "flatten": _on(_flatten, list, int),
    "lists.range": _on(_range, int),
    "reverse": _on(lambda items: items[::-1], list),
    "sets.contains": _on(_contains_all, list, list),
    "sets.equivalent": _on(lambda a, b: _contains_all(a, b) and _contains_all(b, a), list, list),
    "sets.intersects": _on(lambda a, b: any(_contained(item, b) for item in a), list, list),
    "includes": lambda value, wanted: _contained(wanted, value if isinstance(value, list) else [value]),
    "optional.of": lambda value: OptionalValue(present=True, value=value),
    "optional.none": lambda: ABSENT,
    "optional.ofNonZeroValue": _of_non_zero,
    "hasValue": _on(lambda optional: optional.present, OptionalValue),
    "value": _on(_value, OptionalValue),
    "optional.unwrap": _on(_unwrap, list),
    "unwrapOpt": _on(_unwrap, list),
    "first": _on(lambda items: OptionalValue(present=True, value=items[0]) if items else ABSENT, list),
    "last": _on(lambda items: OptionalValue(present=True, value=items[-1]) if items else ABSENT, list),
    "cel.@mapInsert": _insert,
}
"""Function name → its implementation; a function that is not here is refused by name."""

WITH_PATTERNS: dict[str, Callable[..., Any]] = {
    "matches": _on(_matches, _ANY, str, str),
    "find": _on(_find, _ANY, str, str),
    "findAll": _on(_find_all, _ANY, str, str, int),
}
"""The same for functions whose first argument is the release's reading of patterns."""
