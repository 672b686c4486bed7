"""Estimates the cost of one overload of a function, without its operands, and the size of its result.

Sources: k8s.io/apiserver pkg/cel/library/cost.go (by function), cel-go checker/cost.go (by overload), ext/lists.go and
ext/sets.go. A value is compared or read at a tenth of a unit for each character.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dralint.cel.cost.ranges import MOST, ONE, Range, add, fixed, scale, times
from dralint.cel.syntax.tree import Literal
from dralint.cel.values.values import UInt
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.check.declarations import CostModel
    from dralint.cel.cost.sizes import Path
    from dralint.cel.syntax.tree import Node
    from dralint.cel.values.types import Type

_READ = 0.1
_PATTERN = 0.25
_FORMAT_PATTERN, _FORMAT_SIZE = 128, 64


class Operand(NamedTuple):
    """What is known of an operand: `size` if known, and what library and language assume for an unknown one."""

    node: Node
    type: Type
    path: Path | None
    size: Range | None
    library: Range
    core: Range


class Estimate(NamedTuple):
    """A cost and, where the result is a string, list or map, its size."""

    cost: Range
    size: Range | None = None


_URL_PARTS = ("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery")
_NOMINAL = frozenset(
    """
    serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength
    family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign
    asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub
    """.split()  # noqa: SIM905 - a list of strings would take a line each
).union(_URL_PARTS)
_SCANS = frozenset({"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"})
_ORDER = frozenset(
    f"{op}_{t}" for op in ("less", "greater", "less_equals", "greater_equals") for t in ("string", "bytes")
) | {"equals", "not_equals"}
_CONSTANT_EQUALITY = frozenset(
    """
    kubernetes.Quantity kubernetes.Semver kubernetes.authorization.Authorizer kubernetes.authorization.PathCheck
    kubernetes.authorization.GroupCheck kubernetes.authorization.ResourceCheck kubernetes.authorization.Decision
    net.IP net.CIDR
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)


def call_estimate(
    function: str,
    overload: str,
    target: Operand | None,
    args: list[Operand],
    model: CostModel,
    item_size: Callable[[Operand], Range],
) -> Estimate:
    """Return the estimate for one overload that matched, operands not counted; one unit where no estimator has it."""
    return estimator(function, overload, target, args, model, item_size) or Estimate(ONE)


def estimator(
    function: str,
    overload: str,
    target: Operand | None,
    args: list[Operand],
    model: CostModel,
    item_size: Callable[[Operand], Range],
) -> Estimate | None:
    """Return the estimate of the API server's estimators for an overload; None where they do not know it."""
    found = None
    if overload.startswith(("list_sets_", "list_", "lists_")):
        found = _lists(overload, target, args) if model.lists else None
        found = found or _sets(overload, args)
    if found is None:
        found = _library(function, overload, target, args, model, item_size)
    if found is None:
        found = _core(overload, target, args, model)
    return found


def _int(operand: Operand, default: int) -> int:
    if isinstance(operand.node, Literal):
        value = operand.node.value
        if isinstance(value, int) and not isinstance(value, bool | UInt):
            return max(value, 0)
    return default


# cel-go ext


def _sets(overload: str, args: list[Operand]) -> Estimate | None:
    factor = {"list_sets_contains_list": 1.0, "list_sets_intersects_list": 1.0, "list_sets_equivalent_list": 2.0}
    if overload not in factor or len(args) != 2:
        return None
    return Estimate(add(scale(times(args[0].library, args[1].library), factor[overload]), ONE))


def _lists(overload: str, target: Operand | None, args: list[Operand]) -> Estimate | None:
    factor = 1.0
    if overload == "lists_range":
        size = fixed(_int(args[0], MOST))
    elif target is None:
        return None
    elif overload == "list_slice":
        size = fixed((_int(args[1], target.library[1]) - _int(args[0], 0)) & MOST)
    elif overload == "list_reverse":
        size = target.library
    elif overload in ("list_flatten", "list_flatten_int"):
        size = target.library
        factor = float(_int(args[0], MOST)) if args else 1.0
    elif overload == "list_distinct" or overload.endswith(("_sort", "_sortByAssociatedKeys")):
        keys = args[0] if overload.endswith("Keys") else target
        size = times(keys.library, keys.library)
        element = overload.removeprefix("list_").partition("_")[0]
        factor = 2.1 if element in ("string", "bytes") else 2.0
    else:
        return None
    return Estimate(add(add(scale(size, factor), ONE), fixed(10)), size)


# k8s.io/apiserver pkg/cel/library


def _library(
    function: str,
    overload: str,
    target: Operand | None,
    args: list[Operand],
    model: CostModel,
    item_size: Callable[[Operand], Range],
) -> Estimate | None:
    if function == "check":
        return Estimate(fixed(350_000))
    if function in _URL_PARTS and model.sizes_url_parts and target is not None:
        size = target.library
        return Estimate(ONE, times(size, (1, 3)) if function == "getEscapedPath" else size)
    if function in _NOMINAL or (function in ("major", "minor", "patch") and model.counts_semver):
        return Estimate(ONE)
    if function in ("fieldSelector", "labelSelector"):
        size = args[0].library
        return Estimate(add(add(fixed(10), scale(size, _READ)), scale(scale(size, 0.5), 50.0)))
    if function in _SCANS and target is not None:
        return _scan(function, overload, target, model, item_size)
    if function in ("url", "quantity", "isQuantity", "cidr", "isIP", "isCIDR"):
        size = args[0].library
        return Estimate(scale(size, _READ), size if function == "url" else None)
    if function in ("semver", "isSemver"):
        return Estimate(scale(args[0].library, _READ)) if model.counts_semver else None
    if function == "ip":
        return Estimate(ONE) if overload == "cidr_ip" else Estimate(scale(args[0].library, _READ))
    if function == "ip.isCanonical":
        return Estimate(scale(args[0].library, 2 * _READ))
    if function == "validate":
        return Estimate(scale(scale(args[0].library, _READ), _FORMAT_PATTERN * _PATTERN))
    if function in ("containsIP", "containsCIDR"):
        return _contains_address(function, overload, args)
    if function == "_==_":
        return _equality(args)
    return _text(function, target, args, item_size) if target is not None else None


def _scan(
    function: str, overload: str, target: Operand, model: CostModel, item_size: Callable[[Operand], Range]
) -> Estimate:
    if function == "includes" and model.includes == "flat":
        return Estimate((0, 48))
    each = ONE
    if target.type.params:
        if target.type.params[0].kind in ("string", "bytes"):
            each = add(each, scale(item_size(target), _READ))
        return Estimate(times(target.library, each))
    if function == "includes":
        return Estimate(target.library)
    return Estimate(scale(target.library, _READ))


def _contains_address(function: str, overload: str, args: list[Operand]) -> Estimate:
    cost = scale((8, 32), _READ)
    if function == "containsCIDR":
        cost = add(add(cost, scale((4, 16), _READ)), ONE)
    if overload.endswith("_string"):
        cost = add(cost, scale(args[0].library, _READ))
    return Estimate(cost)


def _equality(args: list[Operand]) -> Estimate | None:
    left, right = args
    t = left.type
    if t is not right.type or t.kind not in ("struct", "opaque"):
        return None
    if t.name in _CONSTANT_EQUALITY:
        return Estimate(ONE)
    if t.name == "kubernetes.NamedFormat":
        return Estimate(scale((1, _FORMAT_SIZE), _READ))
    if t.name == "kubernetes.URL":
        size = right.size
        return Estimate(scale((1, 1 if size is None else size[1]), _READ))
    return None


def _text(
    function: str, target: Operand, args: list[Operand], item_size: Callable[[Operand], Range]
) -> Estimate | None:
    size = target.library
    if function in ("lowerAscii", "upperAscii", "substring", "trim"):
        return Estimate(scale(size, _READ), size)
    if function == "replace" and len(args) >= 2:
        return Estimate(scale(size, 2 * _READ), _replaced(size, args[0].library, args[1].library))
    if function == "split":
        most = size[1]
        if len(args) > 1 and isinstance(args[1].node, Literal):
            limit = args[1].node.value
            if isinstance(limit, int) and not isinstance(limit, bool | UInt):
                most = limit & MOST
        return Estimate(scale(size, 2 * _READ), (0, most))
    if function == "join":
        joined = (0, 0)
        if target.type.params:
            joined = times(size, item_size(target))
        if args:
            gaps = (max(size[0] - 1, 0), max(size[1] - 1, 0))
            joined = add(joined, times(args[0].library, gaps))
        return Estimate(scale(joined, _READ), joined)
    if function in ("find", "findAll") and args:
        cost = times(scale(add(size, ONE), _READ), scale(args[0].library, _PATTERN))
        return Estimate(cost, (0, size[1]))
    return None


def _replaced(size: Range, old: Range, new: Range) -> Range:
    """Return the size of a string in which `old` is replaced by `new`."""
    most_count = most_kept = least_count = least_kept = 0
    if old[0] == 0:
        most_count, most_kept = min(size[1] + 1, MOST), size[1]
    elif new[1] <= old[0]:
        most_kept = size[1]
    else:
        most_count = _rounded_up(size[1], old[0])
    if old[1] == 0:
        least_count, least_kept = min(size[0] + 1, MOST), size[0]
    elif old[1] <= new[0]:
        least_kept = size[0]
    else:
        least_count = _rounded_up(size[0], old[1])
    return add(times((least_count, most_count), new), (least_kept, most_kept))


def _rounded_up(a: int, b: int) -> int:
    # Above 2^64, Go's conversion on amd64 gives 2^63.
    value = math.ceil(float(a) / float(b))
    return value if value < 2**64 else 2**63


# cel-go checker


def _core(overload: str, target: Operand | None, args: list[Operand], model: CostModel) -> Estimate | None:
    if overload == "string_format" and target is not None:
        return Estimate(scale(target.core, _READ))
    if overload == "string_to_bytes":
        size = args[0].core
        return Estimate(scale(size, _READ), (size[0], (size[1] * 4) & MOST))
    if overload == "bytes_to_string":
        size = args[0].core
        return Estimate(scale(size, _READ), (size[0] // 4, size[1]))
    if overload == "strings_quote":
        size = args[0].core
        return Estimate(scale(size, _READ), ((size[0] + 2) & MOST, (size[1] * 2 + 2) & MOST))
    if overload in ("starts_with_string", "ends_with_string"):
        return Estimate(scale(args[0].core, _READ))
    if overload == "in_list":
        return Estimate(scale(args[1].core, 1.0))
    if overload in ("matches_string", "matches"):
        text, pattern = (target, args[0]) if target is not None else (args[0], args[-1])
        if overload == "matches" and not model.counts_global_matches:
            return None
        return Estimate(times(scale(add(text.core, ONE), _READ), scale(pattern.core, _PATTERN)))
    if overload == "contains_string" and target is not None:
        return Estimate(times(scale(target.core, _READ), scale(args[0].core, _READ)))
    if overload in ("add_string", "add_bytes", "add_list"):
        size = add(args[0].core, args[1].core)
        return Estimate(ONE if overload == "add_list" else scale(size, _READ), size)
    if overload in _ORDER:
        smaller = min(args[0].core[1], args[1].core[1])
        return Estimate(scale((1 if smaller > 0 else 0, smaller), _READ))
    return None
