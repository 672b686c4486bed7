"""Expands `has`, `all`, `exists`, `map`, `cel.bind` and the other macros.

Sources: google/cel-spec doc/langdef.md "Macros"; for the extensions cel-go ext/README.md (Bindings, Lists,
TwoVarComprehensions) and cel/library.go (optMap, optFlatMap). Nodes of a macro have the position of its `(`.
"""

from __future__ import annotations

from copy import copy as shallow
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.cel.issue import TooComplexError
from dralint.cel.tree import (
    Call,
    Comprehension,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Message,
    Node,
    Select,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.declarations import Dialect

N = TypeVar("N", bound=Node)

_MAX_COPY = 5_000
_UNUSED = "#unused"
_SORT_INPUT = "@__sortBy_input__"


class MacroError(Exception):
    """The arguments do not fit the macro; `node` is the one to blame."""

    def __init__(self, node: Node, message: str, hint: str | None = None, *, key_in: Call | None = None) -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint
        self.key_in = key_in
        """An index that needs a test for its key instead: `key in map`."""


def expand(
    name: str, at: int, start: int, end: int, args: list[Node], target: Node | None, dialect: Dialect
) -> Node | None:
    """Return the expansion of the macro call; None where it is not a macro; MacroError for bad arguments."""
    maker = _Maker(name, at, start, end, dialect)
    return maker.has(args[0]) if target is None else _MACROS[name](maker, target, args)


class _Maker:
    def __init__(self, name: str, at: int, start: int, end: int, dialect: Dialect) -> None:
        self.name = name
        self.span = (at, start, end)
        self.dialect = dialect

    # pieces

    def mark(self, node: N) -> N:
        node.macro = self.name
        return node

    def literal(self, value: Any) -> Node:
        return self.mark(Literal(*self.span, value))

    def ident(self, name: str) -> Node:
        return self.mark(Ident(*self.span, name))

    def accu(self) -> Node:
        return self.ident(self.dialect.accumulator)

    def call(self, function: str, *args: Node, target: Node | None = None) -> Node:
        return self.mark(Call(*self.span, function, list(args), target))

    def items(self, *elements: Node) -> Node:
        return self.mark(ListLiteral(*self.span, list(elements), frozenset()))

    def loop(
        self,
        over: Node,
        variables: tuple[str, str],
        init: Node,
        condition: Node,
        step: Node,
        result: Node,
        accu: str = "",
    ) -> Node:
        return self.mark(
            Comprehension(
                *self.span,
                iter_range=over,
                iter_var=variables[0],
                iter_var2=variables[1],
                accu=accu or self.dialect.accumulator,
                accu_init=init,
                condition=condition,
                step=step,
                result=result,
            )
        )

    def let(self, variable: str, value: Node, result: Node) -> Node:
        never = self.literal(value=False)
        return self.loop(self.items(), (_UNUSED, ""), value, never, self.ident(variable), result, variable)

    def plain(self, node: Node, what: str, example: str) -> Ident:
        """Return a node that must be a name; `what` goes on with the message, of the first argument or of two."""
        if isinstance(node, Ident):
            return node
        raise MacroError(node, f"the first {what}", f"for example: {example}")

    def variable(self, node: Node) -> str:
        what = f"argument of {self.name}() must be a plain name, the variable that the rest uses"
        node = self.plain(node, what, _EXAMPLE.get(self.name, "xs.all(x, x > 0)"))
        if self.dialect.guards_accumulator and node.name == "__result__":
            message = f'"{node.name}" is the name of a variable that {self.name}() needs itself'
            raise MacroError(node, message, "choose another name")
        return node.name

    def two_variables(self, first: Node, second: Node) -> tuple[str, str]:
        what = f"two arguments of {self.name}() must be plain names: index or key, and value"
        example = _EXAMPLE2.get(self.name, "xs.all(i, x, x > i)")
        names = [self.plain(node, what, example).name for node in (first, second)]
        if names[0] == names[1]:
            raise MacroError(
                second, f'both variables of {self.name}() are named "{names[0]}"', "give the second another name"
            )
        for node, name in ((first, names[0]), (second, names[1])):
            if name == "__result__":
                raise MacroError(node, f'"{name}" is the name of a variable that {self.name}() needs itself')
        return names[0], names[1]

    # macros

    def has(self, arg: Node) -> Node:
        if not isinstance(arg, Select):
            message = "has() tests a field: its argument must end in .name"
            index = arg if isinstance(arg, Call) and arg.function == "_[_]" else None
            hint = 'name the field to test: has(device.attributes["domain"].name)'
            raise MacroError(arg, message, hint if index is None else 'write "name" in map', key_in=index)
        node = Select(*self.span, arg.operand, arg.field, test=True)
        node.field_start = arg.field_start
        return self.mark(node)

    def bind(self, target: Node, args: list[Node]) -> Node | None:
        if not isinstance(target, Ident) or target.name != "cel":
            return None
        example = 'cel.bind(a, device.attributes["gpu.example.com"], a.x == 1)'
        name = self.plain(args[0], "argument of cel.bind() must be a plain name", example)
        return self.let(name.name, args[1], args[2])

    def optional_map(self, target: Node, args: list[Node]) -> Node:
        name = self.plain(args[0], f"argument of {self.name}() must be a plain name", "x.?y.optMap(v, v + 1)")
        again = copy(target) if self.dialect.copies_target else target
        result = self.let(name.name, self.call("value", target=again), args[1])
        if self.name == "optMap":
            result = self.call("optional.of", result)
        return self.call("_?_:_", self.call("hasValue", target=target), result, self.call("optional.none"))

    def quantifier(self, target: Node, args: list[Node]) -> Node:
        variables = self.two_variables(args[0], args[1]) if len(args) == 3 else (self.variable(args[0]), "")
        test = args[-1]
        if self.name == "all":
            condition = self.call("@not_strictly_false", self.accu())
            step = self.call("_&&_", self.accu(), test)
            return self.loop(target, variables, self.literal(value=True), condition, step, self.accu())
        if self.name == "exists":
            condition = self.call("@not_strictly_false", self.call("!_", self.accu()))
            step = self.call("_||_", self.accu(), test)
            return self.loop(target, variables, self.literal(value=False), condition, step, self.accu())
        one_more = self.call("_+_", self.accu(), self.literal(1))
        step = self.call("_?_:_", test, one_more, self.accu())
        result = self.call("_==_", self.accu(), self.literal(1))
        return self.loop(target, variables, self.literal(0), self.literal(value=True), step, result)

    def map_or_filter(self, target: Node, args: list[Node]) -> Node:
        variable = self.variable(args[0])
        keep = self.name == "filter"
        test = args[1] if keep or len(args) == 3 else None
        element = args[0] if keep else args[-1]
        step = self.call("_+_", self.accu(), self.items(element))
        if test is not None:
            step = self.call("_?_:_", test, step, self.accu())
        return self.loop(target, (variable, ""), self.items(), self.literal(value=True), step, self.accu())

    def transform(self, target: Node, args: list[Node]) -> Node:
        variables = self.two_variables(args[0], args[1])
        test = args[2] if len(args) == 4 else None
        value = args[-1]
        init: Node = self.mark(MapLiteral(*self.span, []))
        if self.name == "transformList":
            init = self.items()
            step = self.call("_+_", self.accu(), self.items(value))
        elif self.name == "transformMap":
            step = self.call("cel.@mapInsert", self.accu(), self.ident(variables[0]), value)
        else:
            step = self.call("cel.@mapInsert", self.accu(), value)
        if test is not None:
            step = self.call("_?_:_", test, step, self.accu())
        return self.loop(target, variables, init, self.literal(value=True), step, self.accu())

    def sort_by(self, target: Node, args: list[Node]) -> Node:
        if isinstance(target, Literal | MapLiteral | Message):
            raise MacroError(target, "sortBy() sorts a list", "put it after a list, a name or a call")
        keys = self.map_or_filter(self.ident(_SORT_INPUT), args)
        result = self.call("@sortByAssociatedKeys", keys, target=self.ident(_SORT_INPUT))
        return self.let(_SORT_INPUT, target, result)


_MACROS: dict[str, Callable[[_Maker, Node, list[Node]], Node | None]] = {
    "bind": _Maker.bind,
    **dict.fromkeys(("optMap", "optFlatMap"), _Maker.optional_map),
    **dict.fromkeys(("map", "filter"), _Maker.map_or_filter),
    "sortBy": _Maker.sort_by,
    **dict.fromkeys(("transformList", "transformMap", "transformMapEntry"), _Maker.transform),
    **dict.fromkeys(("all", "exists", "exists_one", "existsOne"), _Maker.quantifier),
}
"""Macro on a value → what expands it."""
_EXAMPLE = {
    "map": "xs.map(x, x + 1)",
    "filter": "xs.filter(x, x > 1)",
    "exists": "xs.exists(x, x == 1)",
    "exists_one": "xs.exists_one(x, x == 1)",
    "sortBy": "xs.sortBy(x, x.size())",
}
_EXAMPLE2 = {
    "transformList": "xs.transformList(i, x, x + i)",
    "transformMap": "m.transformMap(k, v, v + 1)",
    "transformMapEntry": "m.transformMapEntry(k, v, {v: k})",
}


def copy(node: Node) -> Node:
    """Return an equal tree of fresh nodes."""
    # A macro that uses its receiver twice doubles it, and the next one doubles that.
    if sum(1 for _ in zip(walk(node), range(_MAX_COPY + 1), strict=False)) > _MAX_COPY:
        raise TooComplexError(f"{_MAX_COPY:,} nodes that a macro copies")
    made: dict[Node, Node] = {}
    for each in reversed(list(walk(node))):
        made[each] = fresh = shallow(each)
        for name in type(each).__slots__:
            setattr(fresh, name, _with(getattr(each, name), made))
    return made[node]


def _with(value: Any, made: dict[Node, Node]) -> Any:
    """Return the value of an attribute with the fresh nodes in it."""
    if isinstance(value, list | tuple):
        return type(value)(_with(each, made) for each in value)
    return made[value] if isinstance(value, Node) else value
