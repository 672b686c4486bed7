"""Finds failures of planning: conversions of constants, constant patterns, constant indices.

Constants are folded from the leaves up (cel-go interpreter/planner.go and decorators.go with OptOptimize). The compiler
reports these failures without a position; dralint still reports the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.check.declarations import CONSTANTS, PLANLESS_TYPES
from dralint.cel.eval.functions import CONVERSIONS, convert
from dralint.cel.generator_calls import Steps, run
from dralint.cel.regex.parse import RegexError, parse
from dralint.cel.syntax.tree import Call, Comprehension, Ident, ListLiteral, Literal, MapLiteral, Message, Node, Select
from dralint.cel.values.values import CelError, CelMap, TypeValue

if TYPE_CHECKING:
    from dralint.cel.check.declarations import Declarations

_VARIES = object()
"""The value of everything that is not constant."""


class PlanError(Exception):
    """The program cannot be planned; `node` is the one to blame."""

    def __init__(self, node: Node, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.node = node
        self.hint = hint


def plan(root: Node, environment: Declarations) -> Any:
    """Fold the constants of a checked tree; return the value if all of it is constant, else None. Raises PlanError."""
    value = run(_Planner(environment).plan(root))
    return None if value is _VARIES else value


class _Planner:
    def __init__(self, environment: Declarations) -> None:
        self.environment = environment

    def plan(self, node: Node) -> Steps[Any]:
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Ident):
            return self.name(node, node.name.removeprefix("."))
        if isinstance(node, Select):
            if node.qualified is not None:
                return self.name(node, node.qualified)
            yield self.plan(node.operand)
            return _VARIES
        values = []
        if isinstance(node, Comprehension):
            for child in (node.accu_init, node.iter_range, node.condition, node.step, node.result):
                yield self.plan(child)
            return _VARIES
        for child in node.children():
            value = child.value if isinstance(child, Literal) else (yield self.plan(child))
            values.append(value)
        if isinstance(node, Call):
            return self.call(node, values)
        if isinstance(node, ListLiteral):
            return self.list_of(node, values)
        if isinstance(node, MapLiteral):
            return self.map_of(node, values)
        assert isinstance(node, Message)
        return _VARIES

    def name(self, node: Node, name: str) -> Any:
        if name in CONSTANTS and not getattr(node, "local", False):
            return CONSTANTS[name]
        if node.type is None or node.type.kind != "type":
            return _VARIES
        named = None if name in PLANLESS_TYPES else self.environment.type_named(name)
        if named is None:
            message = f'"{name}" is a type here, and the compiler does not know it as a value'
            raise PlanError(node, message, "compare with a type by its own name: int, string, bool, ...")
        return TypeValue(named.name)

    def call(self, node: Call, values: list[Any]) -> Any:
        function = node.function
        if function in ("_[_]", "_[?_]", "_?._"):
            key = values[1]
            if key is not _VARIES and not isinstance(key, str | int | float):
                message = "a constant index must be a string, a number or a bool"
                raise PlanError(node.args[1], message)
            return _VARIES
        if function in ("matches", "find", "findAll") and len(values) >= 2 and isinstance(values[1], str):
            try:
                parse(values[1], self.environment.patterns)
            except RegexError as error:
                blamed = node.args[-1] if node.target is None else node.args[0]
                shown = values[1] if len(values[1]) <= 60 else values[1][:57] + "..."
                raise PlanError(blamed, f'the pattern "{shown}" {error}', error.hint) from None
        if function in CONVERSIONS and len(values) == 1 and values[0] is not _VARIES:
            value = convert(function, values[0])
            if isinstance(value, CelError):
                message = f"{function}() always fails here: {value.message}"
                raise PlanError(node, message, "write the value itself, without a conversion")
            return value
        if function == "@in" and node.overloads == ["in_list"] and values[1] is not _VARIES:
            if isinstance(values[1], CelError):
                raise PlanError(node.args[1], values[1].message)
            if isinstance(values[1], list) and not values[1]:
                return False
        return _VARIES

    def list_of(self, node: ListLiteral, values: list[Any]) -> Any:
        if any(value is _VARIES for value in values):
            return _VARIES
        result: list[Any] = []
        for i, value in enumerate(values):
            if isinstance(value, CelError):
                return value
            if i in node.optional:
                return CelError('an entry with "?" is not optional')
            result.append(value)
        return result

    def map_of(self, node: MapLiteral, values: list[Any]) -> Any:
        if any(value is _VARIES for value in values):
            return _VARIES
        pairs = []
        for (key_node, _, optional), key, value in zip(node.entries, values[::2], values[1::2], strict=True):
            if isinstance(key, CelError):
                return key
            if isinstance(value, CelError):
                return value
            if optional:
                return CelError('an entry with "?" is not optional')
            if isinstance(key, bytes):
                message = "bytes cannot be keys of a map: the compiler crashes on them"
                raise PlanError(key_node, message)
            pairs.append((key if not isinstance(key, list | CelMap) else _Unhashable(), value))
        return CelMap(pairs)


class _Unhashable:
    """Stands for a list or map used as a key: different from every other key."""
