"""Parses selectors by the newest release that is not a preview; rules here ignore selectors that it refuses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import dralint.work as work
from dralint.cel import environment
from dralint.cel.syntax.parser import parse
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from dralint.cel import Compilation
    from dralint.cel.compile import Environment
    from dralint.cel.syntax.tree import Node

_LONGEST = 10 << 10
"""Bytes of the longest selector that the API server accepts."""


def compiled(expression: str) -> Compilation | None:
    """Return a compiled selector; None for a refused one, and beyond what may be compiled.

    The environment keeps its answers.
    """
    if not work.current().may_compile(_environment(), expression):
        return None
    compilation = _environment().compile(expression)
    return compilation if compilation.ok and compilation.root is not None else None


def refused_tree(expression: str) -> Node | None:
    """Return the tree of a selector whose types are refused; None for any other one, or without a tree."""
    judge = _environment()
    if not work.current().may_compile(judge, expression) or not judge.compile(expression).is_refused:
        return None
    return parse(expression, _environment().declarations.dialect).root


@cache
def _environment() -> Environment:
    return environment(max(shipped.index()["releases"]["releases"], key=Release.parse))
