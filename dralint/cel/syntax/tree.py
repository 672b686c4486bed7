"""The nodes of a parsed expression.

`at` is the code point that the compiler blames for a node (the `.` of a selection, the `(` of a call, the operator);
`start` and `end` are its range in the expression. The checker sets `type` and `overloads`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.cel.values.types import Type


class TooComplexError(Exception):
    """The expression or its types grow beyond a limit of dralint, which the message names."""


class Node:
    """The attributes of all nodes; nodes are compared by identity."""

    __slots__ = ("at", "end", "macro", "overloads", "start", "type")

    def __init__(self, at: int, start: int, end: int) -> None:
        self.at = at
        self.start = start
        self.end = end
        self.type: Type | None = None
        self.overloads: list[str] = []
        self.macro: str = ""
        """Name of the macro that made this node; empty for a written node."""

    def children(self) -> list[Node]:
        """Return the direct children in the order of evaluation."""
        return []


class Literal(Node):
    """A constant; `value` as in `dralint.cel.values.values`."""

    __slots__ = ("value",)

    def __init__(self, at: int, start: int, end: int, value: Any) -> None:
        super().__init__(at, start, end)
        self.value = value


class Ident(Node):
    """A name; `local` once the checker found a variable of a macro."""

    __slots__ = ("local", "name")

    def __init__(self, at: int, start: int, end: int, name: str) -> None:
        super().__init__(at, start, end)
        self.name = name
        self.local = False


class Select(Node):
    """`operand.field`, or with `test` `has(operand.field)`.

    `qualified` is set by the checker where the whole chain is one declared name (`google.protobuf.Timestamp`).
    """

    __slots__ = ("field", "field_start", "operand", "qualified", "test")

    def __init__(self, at: int, start: int, end: int, operand: Node, field: str, *, test: bool = False) -> None:
        super().__init__(at, start, end)
        self.operand = operand
        self.field = field
        self.field_start = at + 1
        self.test = test
        self.qualified: str | None = None

    def children(self) -> list[Node]:
        return [] if self.qualified is not None else [self.operand]


class Call(Node):
    """A call or an operator (`_+_`); `target` is the receiver of `target.function(args)`."""

    __slots__ = ("args", "function", "name_start", "target")

    def __init__(
        self, at: int, start: int, end: int, function: str, args: list[Node], target: Node | None = None
    ) -> None:
        super().__init__(at, start, end)
        self.function = function
        self.args = args
        self.target = target
        self.name_start = at

    def children(self) -> list[Node]:
        return self.args if self.target is None else [self.target, *self.args]


class ListLiteral(Node):
    """`[a, ?b]`; `optional` holds the indices that have a question mark."""

    __slots__ = ("elements", "optional")

    def __init__(self, at: int, start: int, end: int, elements: list[Node], optional: frozenset[int]) -> None:
        super().__init__(at, start, end)
        self.elements = elements
        self.optional = optional

    def children(self) -> list[Node]:
        return self.elements


class MapLiteral(Node):
    """`{key: value}`; entries are (key, value, has a question mark)."""

    __slots__ = ("entries",)

    def __init__(self, at: int, start: int, end: int, entries: list[tuple[Node, Node, bool]]) -> None:
        super().__init__(at, start, end)
        self.entries = entries

    def children(self) -> list[Node]:
        return [node for key, value, _ in self.entries for node in (key, value)]


class Message(Node):
    """`some.Type{field: value}`; fields are (name, value, has a question mark, position of the colon)."""

    __slots__ = ("fields", "name")

    def __init__(self, at: int, start: int, end: int, name: str, fields: list[tuple[str, Node, bool, int]]) -> None:
        super().__init__(at, start, end)
        self.name = name
        self.fields = fields

    def children(self) -> list[Node]:
        return [value for _, value, _, _ in self.fields]


class Comprehension(Node):
    """The loop that the macros expand to (google/cel-spec, doc/langdef.md, "Macros")."""

    __slots__ = ("accu", "accu_init", "condition", "iter_range", "iter_var", "iter_var2", "result", "step")

    def __init__(
        self,
        at: int,
        start: int,
        end: int,
        *,
        iter_range: Node,
        iter_var: str,
        iter_var2: str,
        accu: str,
        accu_init: Node,
        condition: Node,
        step: Node,
        result: Node,
    ) -> None:
        super().__init__(at, start, end)
        self.iter_range = iter_range
        self.iter_var = iter_var
        self.iter_var2 = iter_var2
        self.accu = accu
        self.accu_init = accu_init
        self.condition = condition
        self.step = step
        self.result = result

    def children(self) -> list[Node]:
        return [self.iter_range, self.accu_init, self.condition, self.step, self.result]

    @property
    def is_bind(self) -> bool:
        """Whether the loop only names a value (cel.bind, optMap, sortBy): it never turns."""
        return (
            isinstance(self.iter_range, ListLiteral)
            and not self.iter_range.elements
            and isinstance(self.condition, Literal)
            and self.condition.value is False
            and self.accu not in ("__result__", "@result")
        )


def walk(root: Node) -> Iterator[Node]:
    """Yield the node and all below it, parents first, left to right."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.children()))


def qualified_name(node: Node) -> str | None:
    """Return `a.b.c` for a chain of names that might be one name, else None."""
    parts: list[str] = []
    while isinstance(node, Select) and not node.test:
        parts.append(node.field)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    parts.append(node.name)
    return ".".join(reversed(parts))
