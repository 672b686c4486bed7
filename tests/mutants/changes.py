"""Makes one change in a module: the changed syntax tree, and the function that contains it."""

from __future__ import annotations

import ast
import copy
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

MODULE = "<module>"
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_NOT_MEANT = (ast.Assert, ast.Import, ast.ImportFrom)
_SAID_ELSEWHERE = {"TYPE_CHECKING", "dataclass"}


@dataclass(frozen=True, slots=True)
class Change:
    """A place of a module with one thing changed."""

    file: Path
    number: int
    """Which place of the module it is, from 0."""
    line: int
    function: str
    """The qualified name of the function whose body it is in, `<module>` where there is none."""
    before: str
    after: str
    tree: ast.Module

    def code(self) -> CodeType:
        """Compile the changed module: its functions begin at the lines they began at."""
        code: CodeType = compile(self.tree, str(self.file), "exec", dont_inherit=True)
        return code


def _changed(node: ast.AST) -> ast.AST | None:
    """Return the node with one thing changed, None where there is nothing to change."""
    new = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[op, *_]) if type(op) in _OPPOSITE:
            new.ops[0] = _OPPOSITE[type(op)]()
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        case ast.UnaryOp(op=ast.Not()):
            return new.operand
        case ast.Constant(value=bool() as value):
            new.value = not value
        case ast.Constant(value=int() as value):
            new.value = value + 1
        case ast.BinOp(op=ast.Sub()):
            new.op = ast.Add()
        case ast.BinOp(op=ast.Mult()):
            new.op = ast.Add()
        case (
            ast.If(test=ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript())
            | ast.IfExp(test=ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript())
        ):
            new.test = ast.UnaryOp(ast.Not(), new.test)
        case ast.Return(value=ast.expr()) if not isinstance(new.value, ast.Constant):
            new.value = ast.Constant(None)
        case ast.Expr(value=ast.Call()):
            return ast.Pass()
        case ast.Continue():
            return ast.Break()
        case ast.Break():
            return ast.Continue()
        case _:
            return None
    return new


def _places(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, str]]:
    """Yield what could be changed: the parent, its field, the index there, the node, the function around it."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params") or (name == "decorator_list" and _said_elsewhere(value)):
            continue
        inner = function
        if name == "body" and isinstance(node, ast.FunctionDef | ast.ClassDef):
            outer = "" if function == MODULE else function + "."
            inner = outer + node.name + (".<locals>" if isinstance(node, ast.FunctionDef) else "")
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST) and not isinstance(child, _NOT_MEANT) and not _said_elsewhere([child]):
                yield node, name, index, child, inner
                yield from _places(child, inner)


def _said_elsewhere(nodes: list[ast.AST]) -> bool:
    """Say whether it is a condition or a decorator for readers and type checkers."""
    names = (part for node in nodes for part in [getattr(node, "test", getattr(node, "func", node))])
    return any(isinstance(name, ast.Name) and name.id in _SAID_ELSEWHERE for name in names)


def changes(file: Path) -> Iterator[Change]:
    """Yield the module with one place changed, for each place.

    Each tree is the same object, changed for the time until the next one is asked for: compile it before.
    """
    source = file.read_text(encoding="utf-8")
    tree = ast.parse(source)
    places = [(*place, _changed(place[3])) for place in _places(tree, MODULE)]
    number = 0
    for parent, name, index, node, function, new in places:
        if new is None:
            continue
        assert isinstance(node, ast.expr | ast.stmt)
        ast.fix_missing_locations(ast.copy_location(new, node))
        held = getattr(parent, name)
        within = function.removesuffix(".<locals>") if function.endswith(".<locals>") else MODULE
        before, after = (ast.unparse(each).splitlines()[0] for each in (node, new))
        if index is None:
            setattr(parent, name, new)
        else:
            held[index] = new
        yield Change(file, number, node.lineno, within, before, after, tree)
        if index is None:
            setattr(parent, name, node)
        else:
            held[index] = node
        number += 1


def spread(count: int, most: int, seed: int) -> list[int]:
    """Return the numbers of `most` of `count` places, one at random of each part of the module."""
    chance = random.Random(seed)
    if most >= count:
        return list(range(count))
    edges = [count * part // most for part in range(most + 1)]
    return [chance.randrange(*pair) for pair in itertools.pairwise(edges)]
