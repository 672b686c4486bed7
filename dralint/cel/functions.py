"""What the functions and operators do when they run: those that selectors use, and their neighbours.

Behaviour: google/cel-spec doc/langdef.md, cel-go ext/strings.go, ext/lists.go, ext/sets.go, and k8s.io/apiserver
pkg/cel/library (quantity.go, semver.go, lists.go, regex.go).
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dralint.cel import literals
from dralint.cel.goregex import slow, translate
from dralint.cel.values import (
    ABSENT,
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelMap,
    Duration,
    OptionalValue,
    Quantity,
    Semver,
    Timestamp,
    UInt,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class NoOverloadError(Exception):
    """The function does not take values of these types."""


class NotHereError(Exception):
    """dralint cannot run this; the API server can."""

    @classmethod
    def of(cls, what: str) -> NotHereError:
        """Return the refusal to run something."""
        return cls(f"dralint does not run {what}; the compiler's verdict stands, what matches is not known")


_LARGEST = 5_000_000


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(a: Any, b: Any) -> bool:
    """Compare as == does: numbers by value across their types, everything else within its type."""
    todo = [(a, b)]
    while todo:
        x, y = todo.pop()
        if _number(x) and _number(y):
            if x != y:
                return False
        elif isinstance(x, list) and isinstance(y, list):
            if len(x) != len(y):
                return False
            todo.extend(zip(x, y, strict=True))
        elif isinstance(x, CelMap) and isinstance(y, CelMap):
            if len(x) != len(y):
                return False
            for key, value in x.items():
                there, other = y.find(key)
                if not there:
                    return False
                todo.append((value, other))
        elif isinstance(x, Semver) and isinstance(y, Semver):
            if compare(x, y) != 0:
                return False
        elif isinstance(x, OptionalValue) and isinstance(y, OptionalValue):
            if x.present != y.present:
                return False
            todo.append((x.value, y.value))
        elif type(x) is not type(y) or x != y:
            return False
    return True


def compare(a: Any, b: Any) -> int:
    """Return -1, 0 or 1; NoOverloadError where there is no order."""
    if _number(a) and _number(b):
        return int(a > b) - int(a < b)
    if type(a) is not type(b):
        raise NoOverloadError
    if isinstance(a, bool | str | bytes):
        if isinstance(a, str):
            a, b = a.encode("utf-8", "surrogatepass"), b.encode("utf-8", "surrogatepass")
        return int(a > b) - int(a < b)
    if isinstance(a, Duration | Timestamp):
        return int(a.nanos > b.nanos) - int(a.nanos < b.nanos)
    if isinstance(a, Quantity):
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


def _whole(value: int, like: int) -> int:
    if isinstance(like, UInt):
        if not 0 <= value <= UINT_MAX:
            msg = "unsigned integer overflow"
            raise OverflowError(msg)
        return UInt(value)
    if not INT_MIN <= value <= INT_MAX:
        msg = "integer overflow"
        raise OverflowError(msg)
    return value


def _same_numbers(a: Any, b: Any) -> None:
    if not _number(a) or type(a) is not type(b):
        raise NoOverloadError


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, str | bytes | list) and type(a) is type(b):
        _sized(len(a) + len(b))
        return a + b  # type: ignore[operator]  # both are of one type here
    if isinstance(a, Duration) and isinstance(b, Duration):
        return Duration(a.nanos + b.nanos)
    if isinstance(a, Timestamp) and isinstance(b, Duration):
        return Timestamp(a.nanos + b.nanos)
    if isinstance(a, Duration) and isinstance(b, Timestamp):
        return Timestamp(a.nanos + b.nanos)
    _same_numbers(a, b)
    return a + b if isinstance(a, float) else _whole(int(a) + int(b), a)


def _subtract(a: Any, b: Any) -> Any:
    if isinstance(a, Timestamp) and isinstance(b, Timestamp):
        return Duration(a.nanos - b.nanos)
    if isinstance(a, Timestamp | Duration) and isinstance(b, Duration):
        return type(a)(a.nanos - b.nanos)
    _same_numbers(a, b)
    return a - b if isinstance(a, float) else _whole(int(a) - int(b), a)


def _multiply(a: Any, b: Any) -> Any:
    _same_numbers(a, b)
    return a * b if isinstance(a, float) else _whole(int(a) * int(b), a)


def _divide(a: Any, b: Any) -> Any:
    _same_numbers(a, b)
    if isinstance(a, float):
        if b == 0:
            return float("nan") if a == 0 or a != a else float("inf") if a > 0 else float("-inf")
        return a / b
    if b == 0:
        msg = "division by zero"
        raise ZeroDivisionError(msg)
    quotient = abs(int(a)) // abs(int(b))
    return _whole(quotient if (a < 0) == (b < 0) else -quotient, a)


def _modulo(a: Any, b: Any) -> Any:
    _same_numbers(a, b)
    if isinstance(a, float):
        raise NoOverloadError
    if b == 0:
        msg = "modulus by zero"
        raise ZeroDivisionError(msg)
    rest = abs(int(a)) % abs(int(b))
    return _whole(-rest if a < 0 else rest, a)


def _negate(a: Any) -> Any:
    if not _number(a) or isinstance(a, UInt):
        raise NoOverloadError
    return -a if isinstance(a, float) else _whole(-int(a), a)


def _not(a: Any) -> bool:
    if not isinstance(a, bool):
        raise NoOverloadError
    return not a


def _in(a: Any, container: Any) -> bool:
    if isinstance(container, CelMap):
        return any(equal(a, key) for key in container.keys())  # noqa: SIM118 - a CelMap is no dict: unknown keys find a fallback
    if isinstance(container, list):
        return any(equal(a, item) for item in container)
    raise NoOverloadError


def _sized(size: int) -> None:
    if size > _LARGEST:
        msg = "the result becomes too large"
        raise OverflowError(msg)


def _text(*values: Any) -> None:
    if not all(isinstance(v, str) for v in values):
        raise NoOverloadError


def _integers(*values: Any) -> None:
    if not all(isinstance(v, int) and not isinstance(v, bool | UInt) for v in values):
        raise NoOverloadError


def _size(value: Any) -> int:
    if not isinstance(value, str | bytes | list | CelMap):
        raise NoOverloadError
    return len(value)


def _pattern(text: Any, pattern: Any) -> re.Pattern[str]:
    _text(text, pattern)
    translated = translate(pattern)
    if translated is None or (len(text) > _LONG_TEXT and slow(pattern)):
        raise NotHereError.of(f"the pattern {pattern!r}")
    try:
        return re.compile(translated)
    except (re.error, OverflowError):
        raise NotHereError.of(f"the pattern {pattern!r}") from None


def _matches(text: Any, pattern: Any) -> bool:
    return _pattern(text, pattern).search(text) is not None


def _find(text: Any, pattern: Any) -> str:
    found = _pattern(text, pattern).search(text)
    return found[0] if found is not None else ""


def _find_all(text: Any, pattern: Any, limit: Any = -1) -> list[str]:
    _integers(limit)
    found = [m[0] for m in _pattern(text, pattern).finditer(text)]
    return found if limit < 0 else found[:limit]


_LONG_TEXT = 1000
_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _lower(text: Any) -> str:
    _text(text)
    result: str = text.translate(_LOWER)
    return result


def _upper(text: Any) -> str:
    _text(text)
    result: str = text.translate(_UPPER)
    return result


def _substring(text: Any, start: Any, end: Any = None) -> str:
    _text(text)
    _integers(start, 0 if end is None else end)
    stop = len(text) if end is None else end
    if not 0 <= start <= stop <= len(text):
        msg = f"the range {start} to {stop} is outside of the string"
        raise IndexError(msg)
    result: str = text[start:stop]
    return result


def _char_at(text: Any, index: Any) -> str:
    _text(text)
    _integers(index)
    if not 0 <= index <= len(text):
        msg = f"the index {index} is outside of the string"
        raise IndexError(msg)
    result: str = text[index : index + 1]
    return result


def _index_of(value: Any, wanted: Any, start: Any = 0) -> int:
    if isinstance(value, list):
        return next((i for i, item in enumerate(value) if equal(item, wanted)), -1)
    _text(value, wanted)
    _integers(start)
    if not 0 <= start <= len(value):
        msg = f"the index {start} is outside of the string"
        raise IndexError(msg)
    found: int = value.find(wanted, start)
    return found


def _last_index_of(value: Any, wanted: Any, start: Any = None) -> int:
    if isinstance(value, list):
        return next((i for i in reversed(range(len(value))) if equal(value[i], wanted)), -1)
    _text(value, wanted)
    if start is None:
        found: int = value.rfind(wanted)
        return found
    _integers(start)
    if not 0 <= start <= len(value):
        msg = f"the index {start} is outside of the string"
        raise IndexError(msg)
    return int(value.rfind(wanted, 0, start + len(wanted)))


def _replace(text: Any, old: Any, new: Any, count: Any = -1) -> str:
    _text(text, old, new)
    _integers(count)
    _sized(len(text) + (text.count(old) + 1) * len(new))
    result: str = text.replace(old, new, count)
    return result


def _split(text: Any, separator: Any, limit: Any = -1) -> list[str]:
    _text(text, separator)
    _integers(limit)
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1) if limit != 1 else [text]
    characters = list(text)
    if 0 < limit < len(characters):
        return [*characters[: limit - 1], "".join(characters[limit - 1 :])]
    return characters


def _join(items: Any, separator: Any = "") -> str:
    if not isinstance(items, list):
        raise NoOverloadError
    _text(separator, *items)
    _sized(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)  # type: ignore[no-any-return]  # _text made sure


def _boolean_text(name: str) -> Callable[[Any, Any], bool]:
    def apply(text: Any, other: Any) -> bool:
        _text(text, other)
        result: bool = getattr(text, name)(other)
        return result

    return apply


def _parse(reader: Callable[[str], Any], what: str) -> Callable[[Any], Any]:
    def apply(text: Any) -> Any:
        _text(text)
        try:
            return reader(text)
        except ValueError as error:
            msg = f'{what}("{text[:60]}"): the text {error}'
            raise ValueError(msg) from None

    return apply


def _semver(text: Any, normalize: Any = False) -> Semver:
    _text(text)
    try:
        return literals.parse_semver(literals.normalize_semver(text) if normalize is True else text)
    except ValueError as error:
        msg = f'semver("{text[:60]}"): the text {error}'
        raise ValueError(msg) from None


def _is(reader: Callable[..., Any]) -> Callable[..., bool]:
    def apply(*values: Any) -> bool:
        _text(values[0])
        try:
            reader(*values)
        except ValueError:
            return False
        return True

    return apply


def _quantities(*values: Any) -> None:
    if not all(isinstance(v, Quantity) for v in values):
        raise NoOverloadError


def _plus(a: Any, b: Any) -> Quantity:
    _quantities(a)
    if isinstance(b, int) and not isinstance(b, bool):
        return Quantity(a.value + b)
    _quantities(b)
    return Quantity(a.value + b.value)


def _minus(a: Any, b: Any) -> Quantity:
    _quantities(a)
    if isinstance(b, int) and not isinstance(b, bool):
        return Quantity(a.value - b)
    _quantities(b)
    return Quantity(a.value - b.value)


def _is_integer(a: Any) -> bool:
    _quantities(a)
    return a.value.denominator == 1 and INT_MIN <= a.value <= INT_MAX  # type: ignore[no-any-return]  # a Fraction


def _as_integer(a: Any) -> int:
    if not _is_integer(a):
        msg = "the quantity is no integer"
        raise ValueError(msg)
    return int(a.value)


def _as_float(a: Any) -> float:
    _quantities(a)
    return float(a.value)


def _sign(a: Any) -> int:
    _quantities(a)
    return int((a.value > 0) - (a.value < 0))


def _ordered(test: Callable[[int], Any]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if not isinstance(a, Quantity | Semver) or type(a) is not type(b):
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


def _relation(test: Callable[[int], bool]) -> Callable[[Any, Any], bool]:
    def apply(a: Any, b: Any) -> bool:
        if isinstance(a, Quantity | Semver):
            raise NoOverloadError
        if a != a or b != b:
            msg = "NaN cannot be ordered"
            raise ValueError(msg)
        return test(compare(a, b))

    return apply


def _list(*values: Any) -> None:
    if not all(isinstance(v, list) for v in values):
        raise NoOverloadError


def _extreme(sign: int) -> Callable[[Any], Any]:
    def apply(items: Any) -> Any:
        _list(items)
        if not items:
            msg = "the list is empty: it has no smallest and no greatest element"
            raise ValueError(msg)
        best = items[0]
        for item in items[1:]:
            if compare(item, best) == sign:
                best = item
        return best

    return apply


def _sum(items: Any) -> Any:
    _list(items)
    total: Any = items[0] if items else 0
    for item in items[1:]:
        total = _add(total, item)
    return total


def _is_sorted(items: Any) -> bool:
    _list(items)
    return all(compare(a, b) <= 0 for a, b in pairwise(items))


def _sort_by(items: Any, keys: Any) -> list[Any]:
    from functools import cmp_to_key

    _list(items, keys)
    order = sorted(range(len(items)), key=cmp_to_key(lambda i, j: compare(keys[i], keys[j])))
    return [items[i] for i in order]


def _distinct(items: Any) -> list[Any]:
    _list(items)
    kept: list[Any] = []
    for item in items:
        if not any(equal(item, other) for other in kept):
            kept.append(item)
    return kept


def _slice(items: Any, start: Any, end: Any) -> list[Any]:
    _list(items)
    _integers(start, end)
    if not 0 <= start <= end <= len(items):
        msg = f"cannot take elements {start} to {end} of {len(items)}"
        raise IndexError(msg)
    result: list[Any] = items[start:end]
    return result


def _flatten(items: Any, depth: Any = 1) -> list[Any]:
    _list(items)
    _integers(depth)
    if depth < 0:
        msg = "the depth of flatten() is negative"
        raise ValueError(msg)
    flat = items
    for _ in range(min(depth, 300)):
        if not any(isinstance(item, list) for item in flat):
            break
        flat = [inner for item in flat for inner in (item if isinstance(item, list) else [item])]
    return list(flat)


def _range(n: Any) -> list[int]:
    _integers(n)
    if not 0 <= n <= 1_000_000:
        msg = f"lists.range({n}): the size must be between 0 and 1,000,000"
        raise ValueError(msg)
    return list(range(n))


def _reverse(items: Any) -> list[Any]:
    _list(items)
    return list(reversed(items))


def _contains_all(a: Any, b: Any) -> bool:
    _list(a, b)
    return all(_in(item, a) for item in b)


def _share(a: Any, b: Any) -> bool:
    _list(a, b)
    return any(_in(item, b) for item in a)


def _includes(value: Any, wanted: Any) -> bool:
    return any(equal(item, wanted) for item in value) if isinstance(value, list) else equal(value, wanted)


def _optional(value: Any) -> OptionalValue:
    if not isinstance(value, OptionalValue):
        raise NoOverloadError
    return value


def _value(value: Any) -> Any:
    if not _optional(value).present:
        msg = "the optional value is absent"
        raise ValueError(msg)
    return value.value


def _of_non_zero(value: Any) -> OptionalValue:
    zero = value is None or (isinstance(value, bool | int | float | str | bytes | list | CelMap) and not value)
    if isinstance(value, CelMap | list | str | bytes):
        zero = len(value) == 0
    return ABSENT if zero else OptionalValue(present=True, value=value)


def _unwrap(items: Any) -> list[Any]:
    _list(items)
    return [_value(item) for item in items if _optional(item).present]


def _end_of(items: Any, index: int) -> OptionalValue:
    _list(items)
    return OptionalValue(present=True, value=items[index]) if items else ABSENT


def _insert(target: Any, key: Any, value: Any = None) -> CelMap:
    pairs = list(key.items()) if isinstance(key, CelMap) else [(key, value)]
    for new, _ in pairs:
        if target.find(new)[0]:
            msg = f"the key {new!r} occurs twice"
            raise ValueError(msg)
    return CelMap([*target.items(), *pairs])


def _trim(text: Any) -> str:
    _text(text)
    result: str = text.strip()
    return result


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_+_": _add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _divide,
    "_%_": _modulo,
    "-_": _negate,
    "!_": _not,
    "@in": _in,
    "@not_strictly_false": lambda value: value is not False,
    "_<_": _relation(lambda c: c < 0),
    "_<=_": _relation(lambda c: c <= 0),
    "_>_": _relation(lambda c: c > 0),
    "_>=_": _relation(lambda c: c >= 0),
    "size": _size,
    "matches": _matches,
    "find": _find,
    "findAll": _find_all,
    "contains": _boolean_text("__contains__"),
    "startsWith": _boolean_text("startswith"),
    "endsWith": _boolean_text("endswith"),
    "lowerAscii": _lower,
    "upperAscii": _upper,
    "substring": _substring,
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "trim": _trim,
    "quantity": _parse(literals.parse_quantity, "quantity"),
    "isQuantity": _is(literals.parse_quantity),
    "semver": _semver,
    "isSemver": _is(_semver),
    "add": _plus,
    "sub": _minus,
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
    "min": _extreme(-1),
    "max": _extreme(1),
    "sum": _sum,
    "isSorted": _is_sorted,
    "sort": lambda items: _sort_by(items, items),
    "@sortByAssociatedKeys": _sort_by,
    "distinct": _distinct,
    "slice": _slice,
    "flatten": _flatten,
    "lists.range": _range,
    "reverse": _reverse,
    "sets.contains": _contains_all,
    "sets.equivalent": lambda a, b: _contains_all(a, b) and _contains_all(b, a),
    "sets.intersects": _share,
    "includes": _includes,
    "optional.of": lambda value: OptionalValue(present=True, value=value),
    "optional.none": lambda: ABSENT,
    "optional.ofNonZeroValue": _of_non_zero,
    "hasValue": lambda value: _optional(value).present,
    "value": _value,
    "orValue": lambda value, other: value.value if _optional(value).present else other,
    "or": lambda value, other: value if _optional(value).present else other,
    "optional.unwrap": _unwrap,
    "unwrapOpt": _unwrap,
    "first": lambda items: _end_of(items, 0),
    "last": lambda items: _end_of(items, -1),
    "cel.@mapInsert": _insert,
}
"""Function name → what it does; a function that is not here is refused by name."""
