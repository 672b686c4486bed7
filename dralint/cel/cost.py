"""Estimates the cost of an expression as the release does."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dralint.cel import types
from dralint.cel.tree import Call, Comprehension, Ident, ListLiteral, Literal, MapLiteral, Node, Select, Steps, run
from dralint.cel.values import UInt
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.cel.declarations import CostModel, Declarations
    from dralint.cel.types import Type


Range = tuple[int, int]

MOST = 2**64 - 1
ZERO: Range = (0, 0)
ONE: Range = (1, 1)
UNKNOWN: Range = (0, MOST)
NOTHING: Range = (MOST, 0)
"""The range that any union replaces."""


def fixed(n: int) -> Range:
    """Return the range of one number."""
    return (n, n)


def add(a: Range, b: Range) -> Range:
    """Add two ranges."""
    return (min(a[0] + b[0], MOST), min(a[1] + b[1], MOST))


def times(a: Range, b: Range) -> Range:
    """Multiply two ranges."""
    return (min(a[0] * b[0], MOST), min(a[1] * b[1], MOST))


def union(a: Range, b: Range) -> Range:
    """Return the range that holds both."""
    return (min(a[0], b[0]), max(a[1], b[1]))


def scale(a: Range, factor: float) -> Range:
    """Multiply by a factor, in floating point and rounded up as the estimator does."""
    return (_scale(a[0], factor), _scale(a[1], factor))


def _scale(n: int, factor: float) -> int:
    number = float(n)
    if number > 0 and factor > 0 and number > MOST / factor:
        return MOST
    rounded = math.ceil(number * factor)
    return MOST if rounded >= 2**64 else rounded


_ENTRIES, _DOMAIN, _ID, _VALUE, _DRIVER = 32, 63, 32, 64, 63


class Path:
    """Field names from a variable on.

    The estimator keeps paths in slices of Go, and two paths that grow from a third may share memory: the later one
    writes over the last name of the earlier one. Estimates depend on it, so it is kept: `_cells` is the shared
    memory, `_length` how much of it belongs to this path.
    """

    __slots__ = ("_cells", "_length")

    def __init__(self, cells: list[str], length: int) -> None:
        self._cells = cells
        self._length = length

    @classmethod
    def extend(cls, path: Path | None, name: str) -> Path:
        """Return the path one name further; None is the empty path, and its name that of a variable."""
        if path is None:
            return cls([name], 1)
        length = path._length
        if length < len(path._cells):
            path._cells[length] = name
            return cls(path._cells, length + 1)
        capacity = 2 * length
        cells = [*path._cells[:length], name]
        return cls(cells + [""] * (capacity - len(cells)), length + 1)

    def names(self) -> Sequence[str]:
        """Return the names as they are now."""
        return self._cells[: self._length]


def size_at(path: Sequence[str], environment: Declarations) -> int | None:
    """Return the greatest size of the value at a path; None where unknown."""
    if path[0] != "device" or environment.kind == "named-resources":
        return None
    where = "device"
    for name in path[1:]:
        within = dict.fromkeys(environment.device_fields) if where == "device" else _WITHIN.get(where, {})
        if name not in within and where != "inner attributes":
            return None
        where = name if where == "device" else within.get(name) or "value"
    return _BOUNDS[where]


_WITHIN = {
    "attributes": {"@items": "inner attributes", "@values": "inner attributes", "@keys": "domain"},
    "capacity": {"@items": "inner capacity", "@values": "inner capacity", "@keys": "domain"},
    "inner attributes": {"@keys": "id"},
    "inner capacity": {"@items": "quantity", "@values": "quantity", "@keys": "id"},
}
"""What is known of a value → what a step of a path leads to; from the attributes of a domain, a name to their values.
"""
_BOUNDS = {
    "device": 0,
    "driver": _DRIVER,
    "attributes": _ENTRIES,
    "capacity": _ENTRIES,
    "allowMultipleAllocations": 1,
    "inner attributes": _ENTRIES,
    "inner capacity": _ENTRIES,
    "domain": _DOMAIN,
    "id": _ID,
    "value": _VALUE,
    "quantity": 0,
}


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


def estimator(
    function: str,
    overload: str,
    target: Operand | None,
    args: list[Operand],
    model: CostModel,
    item_size: Callable[[Operand], Range],
) -> Estimate | None:
    """Return the estimate of the API server's estimators for an overload, operands not counted.

    None where they do not know it: then it is one unit.
    """
    found = _lists(overload, target, args) if model.lists else None
    found = found or _sets(overload, args) or _library(function, overload, target, args, model, item_size)
    return found or _core(overload, target, args, model)


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
    if function in _SCANS and target is not None:
        return _scan(function, target, model, item_size)
    if function in ("semver", "isSemver"):
        return Estimate(scale(args[0].library, _READ)) if model.counts_semver else None
    if overload == "cidr_ip":
        return Estimate(ONE)
    if function in _OF_TEXTS:
        return _OF_TEXTS[function](args[0].library)
    if function in ("containsIP", "containsCIDR"):
        return _contains_address(function, overload, args)
    if function == "_==_":
        return _equality(args)
    return _text(function, target, args, item_size) if target is not None else None


_OF_TEXTS: dict[str, Callable[[Range], Estimate]] = {
    **dict.fromkeys(
        ("fieldSelector", "labelSelector"),
        lambda size: Estimate(add(add(fixed(10), scale(size, _READ)), scale(scale(size, 0.5), 50.0))),
    ),
    "url": lambda size: Estimate(scale(size, _READ), size),
    **dict.fromkeys(
        ("quantity", "isQuantity", "cidr", "isIP", "isCIDR", "ip"), lambda size: Estimate(scale(size, _READ))
    ),
    "ip.isCanonical": lambda size: Estimate(scale(size, 2 * _READ)),
    "validate": lambda size: Estimate(scale(scale(size, _READ), _FORMAT_PATTERN * _PATTERN)),
}
"""Functions of a text → their estimates by its size."""


def _scan(function: str, target: Operand, model: CostModel, item_size: Callable[[Operand], Range]) -> Estimate:
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
    least, most = (
        _replacements(size[0], old[1], old[1] <= new[0]),
        _replacements(size[1], old[0], new[1] <= old[0]),
    )
    return add(times((least[0], most[0]), new), (least[1], most[1]))


def _replacements(size: int, old: int, none: bool) -> tuple[int, int]:
    """Return how often a text of this size has a new one in it, and how much of it is kept."""
    if old == 0:
        return min(size + 1, MOST), size
    if none:
        return 0, size
    # Above 2^64, Go's conversion on amd64 gives 2^63.
    value = math.ceil(float(size) / float(old))
    return value if value < 2**64 else 2**63, 0


# cel-go checker


def _core(overload: str, target: Operand | None, args: list[Operand], model: CostModel) -> Estimate | None:
    if overload == "matches" and not model.counts_global_matches:
        return None
    operands = [*([target] if target is not None else ()), *args]
    cost = _CORE.get(overload)
    return None if cost is None else cost(*(operand.core for operand in operands))


def _matched(text: Range, *patterns: Range) -> Estimate:
    return Estimate(times(scale(add(text, ONE), _READ), scale(patterns[-1], _PATTERN)))


def _ordered(first: Range, second: Range) -> Estimate:
    smaller = min(first[1], second[1])
    return Estimate(scale((1 if smaller > 0 else 0, smaller), _READ))


def _joined(first: Range, second: Range) -> Estimate:
    return Estimate(scale(add(first, second), _READ), add(first, second))


_CORE: dict[str, Callable[..., Estimate]] = {
    "string_format": lambda text, *_: Estimate(scale(text, _READ)),
    "string_to_bytes": lambda text: Estimate(scale(text, _READ), (text[0], (text[1] * 4) & MOST)),
    "bytes_to_string": lambda octets: Estimate(scale(octets, _READ), (octets[0] // 4, octets[1])),
    "strings_quote": lambda text: Estimate(scale(text, _READ), ((text[0] + 2) & MOST, (text[1] * 2 + 2) & MOST)),
    "starts_with_string": lambda _, part: Estimate(scale(part, _READ)),
    "ends_with_string": lambda _, part: Estimate(scale(part, _READ)),
    "in_list": lambda _, items: Estimate(scale(items, 1.0)),
    "matches_string": _matched,
    "matches": _matched,
    "contains_string": lambda text, part: Estimate(times(scale(text, _READ), scale(part, _READ))),
    "add_string": _joined,
    "add_bytes": _joined,
    "add_list": lambda first, second: Estimate(ONE, add(first, second)),
    **dict.fromkeys(_ORDER, _ordered),
}
"""The overload → its estimate from the sizes of its operands."""


_LIST, _MAP, _MESSAGE = fixed(10), fixed(30), fixed(40)


def estimate(root: Node, environment: Declarations) -> int:
    """Return the most that a checked expression may cost."""
    assert environment.cost_model is not None
    return run(_Estimator(environment, environment.cost_model).cost(root))[1]


class _Entry(NamedTuple):
    """Sizes of the entries of a list or map."""

    kind: str
    key: Range
    value: Range


class _Variable(NamedTuple):
    path: Path | None
    size: Range | None
    entry: _Entry | None


class _Estimator:
    def __init__(self, environment: Declarations, model: CostModel) -> None:
        self.environment = environment
        self.model = model
        self.paths: dict[Node, Path | None] = {}
        self.sizes: dict[Node, Range] = {}
        self.entries: dict[Node, _Entry] = {}
        self.variables: dict[str, list[_Variable]] = {}
        self.ranges: dict[str, list[Node]] = {}

    def cost(self, node: Node) -> Steps[Range]:
        if isinstance(node, Literal):
            return ZERO
        if isinstance(node, Ident):
            self.name(node, node.name)
            return ONE
        if isinstance(node, Select):
            if node.qualified is not None:
                self.name(node, node.qualified)
                return ONE
            total: Range = yield self.cost(node.operand)
            if node.test:
                return total
            if _type(node.operand).kind in ("map", "struct", "param"):
                total = add(total, ONE)
            self.paths[node] = Path.extend(self.path(node.operand), node.field)
            return total
        if isinstance(node, Call):
            return (yield from self.call(node))
        if isinstance(node, Comprehension):
            if self.model.tracks_entries:
                # The real test excludes the old name of the accumulator only: no expression can tell the difference.
                return (yield from self.bind(node) if node.is_bind else self.loop(node))
            return (yield from self.plain_loop(node))
        total = _LIST if isinstance(node, ListLiteral) else _MAP if isinstance(node, MapLiteral) else _MESSAGE
        for child in node.children():
            if not isinstance(child, Literal):
                total = add(total, (yield self.cost(child)))
        if self.model.tracks_entries:
            self.note_entries(node)
        return total

    # what is known of a node

    def name(self, node: Node, name: str) -> None:
        if self.model.tracks_entries:
            stack = self.variables.get(name)
            self.paths[node] = stack[-1].path if stack else Path.extend(None, name)
            return
        over = self.ranges.get(name)
        if not over:
            self.paths[node] = Path.extend(None, name)
            return
        kind = _type(over[-1]).kind
        if kind in ("list", "map"):
            self.paths[node] = Path.extend(self.paths.get(over[-1]), "@items" if kind == "list" else "@keys")

    def variable(self, node: Node) -> _Variable | None:
        if isinstance(node, Ident):
            stack = self.variables.get(node.name)
            if stack:
                return stack[-1]
        return None

    def path(self, node: Node) -> Path | None:
        variable = self.variable(node)
        if variable is not None:
            return variable.path
        return self.paths.get(node)

    def at_path(self, path: Path | None) -> Range | None:
        if path is None:
            return None
        most = size_at(path.names(), self.environment)
        return None if most is None else (0, most)

    def size(self, node: Node) -> Range | None:
        """Return the size of a node in the newer model, None if unknown."""
        known = self.sizes.get(node)
        if known is not None:
            return known
        written = _written_size(node)
        if written is not None:
            return written
        at_path = self.at_path(self.path(node))
        if at_path is not None:
            self.sizes[node] = at_path
            return at_path
        if _is_scalar(_type(node)):
            return ONE
        variable = self.variable(node)
        return variable.size if variable is not None else None

    def size_or_unknown(self, node: Node) -> Range:
        size = self.size(node) if self.model.tracks_entries else self.operand(node).core
        return UNKNOWN if size is None else size

    def entry(self, node: Node) -> _Entry | None:
        found = self.entries.get(node)
        if found is not None:
            return found
        variable = self.variable(node)
        return variable.entry if variable is not None else None

    def operand(self, node: Node) -> Operand:
        """Return what the costs of calls need to know of an operand."""
        path = self.path(node)
        if path is not None and path.names()[0] in ("__result__", "@result"):
            path = None
        if self.model.tracks_entries:
            found = size = self.size(node)
        else:
            size = self.sizes.get(node) or _written_size(node)
            found = self.at_path(path) if size is None else size
        library = core = UNKNOWN if found is None else found
        if found is None and not self.model.tracks_entries and _type(node).kind in _SCALARS:
            core = ONE
        return Operand(node, _type(node), path, size, library, core)

    def item_size(self, operand: Operand) -> Range:
        """Return the size of the elements of a list, from its path."""
        path = None if operand.path is None else [*operand.path.names(), "@items"]
        most = None if path is None else size_at(path, self.environment)
        return UNKNOWN if most is None else (0, most)

    def note_entries(self, node: Node) -> None:
        if isinstance(node, ListLiteral):
            sizes = [self.size_or_unknown(element) for element in node.elements]
            self.entries[node] = _Entry("list", ONE, _hull(sizes))
        elif isinstance(node, MapLiteral):
            keys = [self.size_or_unknown(key) for key, _, _ in node.entries]
            values = [self.size_or_unknown(value) for _, value, _ in node.entries]
            self.entries[node] = _Entry("map", _hull(keys), _hull(values))

    # calls

    def call(self, node: Call) -> Steps[Range]:
        if node.function == "dyn" and self.model.tracks_entries:
            inner = yield self.cost(node.args[0])
            self.copy_sizes(node, node.args[0])
            return add(ONE, inner)
        costs: list[Range] = []
        operands: list[Operand] = []
        for arg in node.args:
            costs.append(ZERO if isinstance(arg, Literal) else (yield self.cost(arg)))
            operands.append(self.operand(arg))
        if not node.overloads:
            return ZERO
        total = ZERO
        target = None
        if node.target is not None:
            total = yield self.cost(node.target)
            target = self.operand(node.target)
        spent = ZERO
        for cost in costs:
            spent = add(spent, cost)
        most = NOTHING
        result: Range | None = None
        for overload in node.overloads:
            if overload in ("logical_and", "logical_or"):
                found = Estimate((costs[0][0], add(costs[0], costs[1])[1]))
                whole = found.cost
            elif overload == "conditional":
                found = self.conditional(node, operands, costs)
                whole = found.cost
            else:
                known = estimator(node.function, overload, target, operands, self.model, self.item_size)
                found = known or Estimate(ONE)
                whole = add(found.cost, spent)
                if overload in ("add_string", "add_bytes", "add_list") and self.model.tracks_entries:
                    self.join_entries(node, node.args[0], node.args[1])
            most = union(most, whole)
            if found.size is not None:
                result = found.size if result is None else union(result, found.size)
            if overload in ("index_list", "index_map"):
                if self.model.tracks_entries:
                    entry = self.entry(node.args[0])
                    result = entry.value if entry is not None else None
                step = "@items" if overload == "index_list" else "@values"
                self.paths[node] = Path.extend(self.path(node.args[0]), step)
            if result is None and self.model.tracks_entries:
                result = self.size(node)
        if result is not None:
            self.sizes[node] = result
        return add(total, most)

    def conditional(self, node: Call, operands: list[Operand], costs: list[Range]) -> Estimate:
        size = union(operands[1].core, operands[2].core)
        if self.model.tracks_entries:
            self.join_entries(node, node.args[1], node.args[2])
        return Estimate(add(costs[0], union(costs[1], costs[2])), size)

    def join_entries(self, node: Node, first: Node, second: Node) -> None:
        a, b = self.entry(first), self.entry(second)
        if a is not None and b is not None:
            self.entries[node] = _Entry(a.kind, union(a.key, b.key), union(a.value, b.value))

    def copy_sizes(self, to: Node, source: Node) -> None:
        size = self.size(source)
        if size is not None:
            self.sizes[to] = size
        entry = self.entry(source)
        if entry is not None:
            self.entries[to] = entry

    # macros

    def push(self, name: str, variable: _Variable) -> None:
        self.variables.setdefault(name, []).append(variable)

    def pop(self, name: str) -> None:
        self.variables[name].pop()

    def bind(self, node: Comprehension) -> Steps[Range]:
        total = yield self.cost(node.iter_range)
        total = add(total, (yield self.cost(node.accu_init)))
        init = node.accu_init
        self.push(node.accu, _Variable(self.path(init), self.size(init), self.entry(init)))
        total = add(total, (yield self.cost(node.result)))
        self.pop(node.accu)
        self.copy_sizes(node, node.result)
        return total

    def loop(self, node: Comprehension) -> Steps[Range]:
        total = yield self.cost(node.iter_range)
        init = node.accu_init
        total = add(total, (yield self.cost(init)))
        entry = self.entry(init)
        self.push(node.accu, _Variable(self.path(init), self.size(init), entry))
        self.push_iteration(node)
        condition = yield self.cost(node.condition)
        step = yield self.cost(node.step)
        self.pop(node.iter_var)
        if node.iter_var2:
            self.pop(node.iter_var2)
        total = add(total, (yield self.cost(node.result)))
        self.pop(node.accu)
        turns = self.size_or_unknown(node.iter_range)
        total = add(total, times(turns, add(step, condition)))
        if isinstance(init, Literal):
            size = self.size(init)
            if size is not None:
                self.sizes[node] = size
        elif isinstance(init, ListLiteral | MapLiteral):
            self.sizes[node] = turns
            stepped = self.entry(node.step)
            if stepped is not None:
                self.entries[node] = stepped
        return total

    def push_iteration(self, node: Comprehension) -> None:
        over = node.iter_range
        kinds = ("@indices", "@keys") if node.iter_var2 else ("@items", "@keys")
        self.push(node.iter_var, self.iteration(over, kinds, by_value=not node.iter_var2))
        if node.iter_var2:
            # Computed again: the first variable may hide the range, and its path may share memory with this one.
            self.push(node.iter_var2, self.iteration(over, ("@items", "@values"), by_value=True, of_map="value"))

    def iteration(self, over: Node, steps: tuple[str, str], *, by_value: bool, of_map: str = "key") -> _Variable:
        """Return a variable that goes over a range; `steps` are its path in a list and in a map."""
        entry = self.entry(over)
        is_list = (entry.kind if entry is not None else _type(over).kind) == "list"
        size = None
        if entry is not None:
            size = entry.value if (by_value if is_list else of_map == "value") else entry.key
        return _Variable(Path.extend(self.path(over), steps[0] if is_list else steps[1]), size, None)

    def plain_loop(self, node: Comprehension) -> Steps[Range]:
        """Cost of a loop in the older model, where cel.bind is a loop like any other."""
        total = yield self.cost(node.iter_range)
        total = add(total, (yield self.cost(node.accu_init)))
        stack = self.ranges.setdefault(node.iter_var, [])
        stack.append(node.iter_range)
        condition = yield self.cost(node.condition)
        step = yield self.cost(node.step)
        stack.pop()
        total = add(total, (yield self.cost(node.result)))
        turns = self.operand(node.iter_range).core
        self.sizes[node] = turns
        return add(total, times(turns, add(step, condition)))


def _type(node: Node) -> Type:
    assert node.type is not None
    return node.type


def _hull(sizes: list[Range]) -> Range:
    result = ZERO if not sizes else NOTHING
    for size in sizes:
        result = union(result, size)
    return result


_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


def _is_scalar(t: Type) -> bool:
    while types.is_optional(t):
        t = t.params[0]
    return t.kind in _SCALARS


def _written_size(node: Node) -> Range | None:
    if isinstance(node, Literal):
        return fixed(len(node.value)) if isinstance(node.value, str | bytes) else ONE
    if isinstance(node, ListLiteral):
        return fixed(len(node.elements))
    if isinstance(node, MapLiteral):
        return fixed(len(node.entries))
    return None
