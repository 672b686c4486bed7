"""Run functions that call each other deeply, without Python's call stack.

Parser, checker, cost estimate and evaluator are written as generators: `result = yield other(...)` is a call. However
deeply an expression nests, `run` needs one Python frame.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")

Steps = Generator[Any, Any, T]
"""A suspended computation that ends with a T; what it yields are computations whose results it wants."""


def run(steps: Steps[T]) -> T:
    """Drive the computation, and every computation it asks for, to the end; return its result."""
    stack: list[Steps[Any]] = [steps]
    value: Any = None
    while stack:
        try:
            wanted = stack[-1].send(value)
        except StopIteration as end:
            stack.pop()
            value = end.value
        else:
            stack.append(wanted)
            value = None
    result: T = value
    return result
