"""The nodes of a parsed expression, and its lookups in `device`; `run` follows nodes without Python's call stack.

Parser, checker, cost estimate and evaluator are written as generators: `result = yield other(...)` is a call. However
deeply an expression nests, `run` needs one Python frame.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeVar

from dralint.cel.lexer import KEYWORDS
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.cel.types import Type


T = TypeVar("T")

Steps = Generator[Any, Any, T]
"""A suspended computation that ends with a T; it yields the computations whose results it needs."""


def run(steps: Steps[T]) -> T:
    """Run the computation, and each computation that it yields, to the end; return its result."""
    stack: list[Steps[Any]] = [steps]
    value: Any = None
    failure: Exception | None = None
    while stack:
        try:
            if failure is None:
                wanted = stack[-1].send(value)
            else:
                wanted = stack[-1].throw(failure)
        except StopIteration as end:
            stack.pop()
            value, failure = end.value, None
        except Exception as error:  # noqa: BLE001 - it is the caller's to handle, as with any call
            stack.pop()
            failure = error
        else:
            stack.append(wanted)
            value = failure = None
    if failure is not None:
        raise failure
    result: T = value
    return result


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
    """A constant; `value` as in `dralint.cel.values`."""

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


Parts = tuple[str | None, ...]
"""`attributes` or `capacity`, domain, name; None where it is not a literal."""

OF_DRIVER = ", with the name of the driver"
"""The end of a hint with an expression that has DRIVER in place of a domain."""
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Lookup(NamedTuple):
    """A chain from `device` on: its parts, and the node of the last key if that is a literal."""

    parts: Parts
    key: Node | None

    @property
    def noun(self) -> str:
        """What one entry of the map is called."""
        return "attribute" if self.parts[0] == "attributes" else "capacity"


def is_device(node: Node) -> bool:
    """Say whether a node is the variable `device`."""
    return isinstance(node, Ident) and not node.local and node.name.removeprefix(".") == "device"


def is_driver(node: Node) -> bool:
    """Say whether a node is `device.driver`."""
    return isinstance(node, Select) and node.field == "driver" and not node.test and is_device(node.operand)


def _keys(node: Node, functions: tuple[str, ...]) -> tuple[Ident, list[Literal | None]] | None:
    """Return the name with which a chain of fields and indices begins, and its keys; None for one that is no literal.

    `functions` are those that go one step further. None for a node that is no such chain.
    """
    keys: list[Literal | None] = []
    while not isinstance(node, Ident):
        key: Node
        if isinstance(node, Select):
            key, node = Literal(node.field_start, node.field_start, node.end, node.field), node.operand
        elif isinstance(node, Call) and node.function in functions:
            node, key = node.args
        else:
            return None
        keys.append(key if isinstance(key, Literal) and isinstance(key.value, str) else None)
    return node, keys[::-1]


def lookup_of(node: Node, names: dict[str, Parts] | None = None) -> Lookup | None:
    """Return what a node looks up in `device`; None for any other node; `names` are variables of cel.bind."""
    found = None if isinstance(node, Select) and node.test else _keys(node, ("_[_]",))
    if found is None:
        return None
    first, keys = found
    start = (names or {}).get(first.name) if first.local else () if is_device(first) else None
    if start is None:
        return None
    parts = (*start, *(None if key is None else str(key.value) for key in keys))
    return Lookup(parts, keys[-1] if keys else None) if parts[:1] in (("attributes",), ("capacity",)) else None


def named(node: Node) -> tuple[str, str, str] | None:
    """Return (`attributes` or `capacity`, domain, name) of what a node looks up in `device` by literal names.

    `has`, `in` and question marks look up as well; None for any other node.
    """
    last: list[Node] = []
    if isinstance(node, Call) and node.function == "@in":
        *last, node = node.args
    found = _keys(node, ("_[_]", "_[?_]", "_?._"))
    if found is None or not is_device(found[0]):
        return None
    parts = [str(key.value) for key in (*found[1], *last) if isinstance(key, Literal) and isinstance(key.value, str)]
    if len(parts) != 3 or len(found[1]) + len(last) != 3 or parts[0] not in ("attributes", "capacity"):
        return None
    return parts[0], parts[1], parts[2]


def names_in(root: Node, start: int = 0, end: int = sys.maxsize) -> list[tuple[str, str, str]]:
    """Return what an expression, or the part from `start` to `end`, looks up by literal names: `named`, each once."""
    found = [(node, named(node)) for node in walk(root)]
    return list(dict.fromkeys(name for node, name in found if name and start <= node.start and node.end <= end))


def name_within(key: str) -> tuple[str | None, str] | None:
    """Return domain and name of a text in place of a domain; None where it is only a domain.

    The name begins after a "/", or has upper-case letters after the last "."; a word without a "." is only a name.
    """
    first, slash, name = key.partition("/")
    if slash:
        return first, name
    first, _, last = key.rpartition(".")
    is_name = not first or (first == first.lower() and last != last.lower())
    return (first or None, last) if is_name and last.isidentifier() else None


def presence_of(index: Call, expression: str) -> tuple[str, str]:
    """Return how to test whether the entry of an index exists, and what to say after that: what the test lacks."""
    container, key = index.args
    inside, asked = (expression[node.start : node.end] for node in (container, key))
    value = key.value if isinstance(key, Literal) and isinstance(key.value, str) else None
    lookup, lacking = lookup_of(container), ""
    if value is not None and lookup is not None and len(lookup.parts) == 1:
        within = name_within(value)
        if within is not None:
            domain, value = within
            lacking, quote = OF_DRIVER if domain is None else "", asked[-1]
            inside, asked = f"{inside}[{quote}{domain or 'DRIVER'}{quote}]", f"{quote}{value}{quote}"
    if value is not None and _FIELD.fullmatch(value) and value not in KEYWORDS:
        return f"has({inside}.{value})", lacking  # in YAML, an expression cannot have quotes around it
    return f"{asked} in {inside}", lacking
