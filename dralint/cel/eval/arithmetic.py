"""The operators on numbers, times and texts: arithmetic, equality, order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.values.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelMap,
    Duration,
    OptionalValue,
    QuantityValue,
    Semver,
    Timestamp,
    UInt,
)

if TYPE_CHECKING:
    from collections.abc import Callable


_LARGEST = 5_000_000
"""The most characters or elements of a value that a function makes."""


class NoOverloadError(Exception):
    """The function does not accept values of these types."""


class NotHereError(Exception):
    """dralint cannot run this; the API server can."""

    @classmethod
    def of(cls, what: str) -> NotHereError:
        """Return the refusal to run something."""
        return cls(
            f"dralint does not run {what}; the compiler's verdict is valid, but the matching devices are not known"
        )


class LimitError(NotHereError):
    """A limit of dralint ends the run; the API server has other limits."""

    @classmethod
    def of(cls, what: str) -> LimitError:
        """Return the error for a limit."""
        return cls(f"dralint's limit of {what} is reached")


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
        return int(a > b) - int(a < b)
    if type(a) is not type(b):
        raise NoOverloadError
    if isinstance(a, bool | str | bytes):
        if isinstance(a, str):
            a, b = a.encode("utf-8", "surrogatepass"), b.encode("utf-8", "surrogatepass")
        return int(a > b) - int(a < b)
    if isinstance(a, Duration | Timestamp):
        return int(a.nanos > b.nanos) - int(a.nanos < b.nanos)
    if isinstance(a, QuantityValue):
        return int(a.value > b.value) - int(a.value < b.value)
    if isinstance(a, Semver):
        return _compare_semver(a, b)
    raise NoOverloadError


def _compare_semver(a: Semver, b: Semver) -> int:
    x, y = (a.major, a.minor, a.patch), (b.major, b.minor, b.patch)
    if x != y:
        return 1 if x > y else -1
    if not a.pre or not b.pre:
        return bool(b.pre) - bool(a.pre)
    for p, q in zip(a.pre, b.pre, strict=False):
        if p == q:
            continue
        if isinstance(p, int) != isinstance(q, int):
            return -1 if isinstance(p, int) else 1
        return 1 if p > q else -1  # type: ignore[operator]  # both are of one type here
    return (len(a.pre) > len(b.pre)) - (len(a.pre) < len(b.pre))


def check_size(size: int) -> None:
    """Raise LimitError for a useless result that would fill the memory."""
    if size > _LARGEST:
        raise LimitError.of(f"{_LARGEST:,} characters or elements of a value")


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
    if isinstance(a, Timestamp) and isinstance(b, Duration):
        return Timestamp(a.nanos + b.nanos)
    if isinstance(a, Duration) and isinstance(b, Timestamp):
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


def relation(test: Callable[[int], bool]) -> Callable[[Any, Any], bool]:
    """Do what an operator that orders does."""

    def apply(a: Any, b: Any) -> bool:
        if isinstance(a, QuantityValue | Semver):
            raise NoOverloadError
        return test(compare(a, b))

    return apply
