"""Estimates the cost of an expression as the release does.

A cost, like a size, is a range from least to most; the API server uses the most. There are two models: until 1.32
(cel-go v0.22 checker/cost.go) and since 1.33 (v0.23 to v0.29), which also follows the sizes of entries and variables.
`call_cost` has the costs of calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.cel.cost.calls import Estimate, Operand, call_estimate
from dralint.cel.cost.ranges import NOTHING, ONE, UNKNOWN, ZERO, Range, add, fixed, times, union
from dralint.cel.cost.sizes import Path, size_at
from dralint.cel.generator_calls import Steps, run
from dralint.cel.syntax.tree import Call, Comprehension, Ident, ListLiteral, Literal, MapLiteral, Node, Select
from dralint.cel.values import types
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.cel.check.declarations import CostModel, Declarations
    from dralint.cel.values.types import Type

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
            total = yield self.call(node)
            return total
        if isinstance(node, Comprehension):
            if self.model.tracks_entries:
                # The real test excludes the old name of the accumulator only: no expression can tell the difference.
                total = yield self.bind(node) if node.is_bind else self.loop(node)
            else:
                total = yield self.plain_loop(node)
            return total
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
            self.paths[node] = stack[-1].path if stack else Path.root(name)
            return
        over = self.ranges.get(name)
        if not over:
            self.paths[node] = Path.root(name)
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
        if self.model.tracks_entries:
            path = self.path(node)
            size = self.size(node)
            if path is not None and path.names()[0] in ("__result__", "@result"):
                path = None
            known = UNKNOWN if size is None else size
            return Operand(node, _type(node), path, size, known, known)
        path = self.paths.get(node)
        if path is not None and path.names()[0] == "__result__":
            path = None
        size = self.sizes.get(node)
        if size is None:
            size = _written_size(node)
        found = size if size is not None else self.at_path(path)
        library = UNKNOWN if found is None else found
        core = found if found is not None else ONE if _type(node).kind in _SCALARS else UNKNOWN
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
                found = call_estimate(node.function, overload, target, operands, self.model, self.item_size)
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
