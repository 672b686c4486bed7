"""What each function does when it runs: those that selectors use, and their neighbours.

Behaviour: google/cel-spec doc/langdef.md, cel-go ext, and k8s.io/apiserver pkg/cel/library.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.cel.eval import arithmetic, list_functions, text_functions
from dralint.cel.eval.comparison import NoOverloadError, check_list, check_text, compare
from dralint.cel.values import literals
from dralint.cel.values.values import ABSENT, INT_MAX, INT_MIN, CelMap, OptionalValue, QuantityValue, Semver

if TYPE_CHECKING:
    from collections.abc import Callable


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
        return literals.parse_semver(literals.normalize_semver(text) if normalize is True else text)
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
    "@in": list_functions.contained,
    "@not_strictly_false": lambda value: value is not False,
    "_<_": arithmetic.relation(lambda c: c < 0),
    "_<=_": arithmetic.relation(lambda c: c <= 0),
    "_>_": arithmetic.relation(lambda c: c > 0),
    "_>=_": arithmetic.relation(lambda c: c >= 0),
    "size": _size,
    "contains": text_functions.boolean_text("__contains__"),
    "startsWith": text_functions.boolean_text("startswith"),
    "endsWith": text_functions.boolean_text("endswith"),
    "lowerAscii": text_functions.lower,
    "upperAscii": text_functions.upper,
    "substring": text_functions.substring,
    "charAt": text_functions.char_at,
    "indexOf": list_functions.index_of,
    "lastIndexOf": list_functions.last_index_of,
    "replace": text_functions.replace,
    "split": text_functions.split,
    "join": text_functions.join,
    "trim": text_functions.trim,
    "quantity": _parse(literals.parse_quantity, "quantity"),
    "isQuantity": _is(literals.parse_quantity),
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
    "min": list_functions.extreme(-1),
    "max": list_functions.extreme(1),
    "sum": list_functions.sum_,
    "isSorted": list_functions.is_sorted,
    "sort": lambda items: list_functions.sort_by(items, items),
    "@sortByAssociatedKeys": list_functions.sort_by,
    "distinct": list_functions.distinct,
    "slice": list_functions.slice_,
    "flatten": list_functions.flatten,
    "lists.range": list_functions.range_,
    "reverse": list_functions.reverse_,
    "sets.contains": list_functions.contains_all,
    "sets.equivalent": lambda a, b: list_functions.contains_all(a, b) and list_functions.contains_all(b, a),
    "sets.intersects": list_functions.share,
    "includes": list_functions.includes,
    "optional.of": lambda value: OptionalValue(present=True, value=value),
    "optional.none": lambda: ABSENT,
    "optional.ofNonZeroValue": _of_non_zero,
    "hasValue": lambda value: _optional(value).present,
    "value": _value,
    "optional.unwrap": _unwrap,
    "unwrapOpt": _unwrap,
    "first": lambda items: list_functions.end_of(items, 0),
    "last": lambda items: list_functions.end_of(items, -1),
    "cel.@mapInsert": _insert,
}
"""Function name → its implementation; a function that is not here is refused by name."""

WITH_PATTERNS: dict[str, Callable[..., Any]] = {
    "matches": text_functions.matches,
    "find": text_functions.find,
    "findAll": text_functions.find_all,
}
"""The same for functions whose first argument is the release's reading of patterns."""
