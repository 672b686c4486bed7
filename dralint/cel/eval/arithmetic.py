"""The operators on numbers, times and strings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.eval.comparison import NoOverloadError, check_size, compare, is_number
from dralint.cel.values.values import INT_MAX, INT_MIN, UINT_MAX, Duration, QuantityValue, Semver, Timestamp, UInt

if TYPE_CHECKING:
    from collections.abc import Callable


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


def not_(a: Any) -> bool:
    """Do what `!` does."""
    if not isinstance(a, bool):
        raise NoOverloadError
    return not a


def relation(test: Callable[[int], bool]) -> Callable[[Any, Any], bool]:
    """Do what an operator that orders does."""

    def apply(a: Any, b: Any) -> bool:
        if isinstance(a, QuantityValue | Semver):
            raise NoOverloadError
        return test(compare(a, b))

    return apply
