"""Runs functions that call each other deeply without Python's call stack.

Parser, checker, cost estimate and evaluator are written as generators: `result = yield other(...)` is a call. However
deeply an expression nests, `run` needs one Python frame.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

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
