"""How much work a text may take. It is counted in steps, so that the same text always ends at the same place.

What costs by the step takes from the `Work` of the moment. Long work calls `pause` now and then: there a language
server that needs an answer to something else gives it up.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

STEPS = 500_000
"""Steps of running expressions for one file, or for all that is compared with each other; about half a second."""
CHARACTERS = 300_000
"""Characters of different expressions that are compiled for one file; one to two seconds."""
STEPS_BETWEEN = 3_000_000
"""Steps of running expressions for all devices of an inventory."""


class Stopped(BaseException):
    """Stops work whose result is not needed any more. No `except Exception` may treat it as a bug in a document."""


class Work:
    """The work of one file, or of one comparison.

    Args:
        steps: how many steps of expressions it may take; None for any number, and for no limit at all.
        files: how many files share what may be compiled.
    """

    def __init__(self, steps: int | None = STEPS, files: int = 1) -> None:
        self.steps = steps
        self.left = float("inf") if steps is None else steps
        self._kept: dict[object, Any] | None = None if steps is None else {}
        self.characters = CHARACTERS * files
        self.not_compiled = 0
        self._compiled: set[tuple[int, str]] = set()

    def may_compile(self, compiler: object, expression: str) -> bool:
        """Say whether a compiler may compile an expression, which counts the first time; count those that it may not.

        Work without an end may compile any.
        """
        key = id(compiler), expression
        if self._kept is None or key in self._compiled:
            return True
        if self.characters < 0:
            self.not_compiled += 1
            return False
        self.characters -= len(expression)
        self._compiled.add(key)
        return True

    def take(self, steps: int) -> None:
        """Take steps."""
        self.left -= steps

    @property
    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return self.left <= 0 or self.characters < 0

    def once(self, key: object, make: Callable[[], T]) -> T:
        """Return the result of `make` for a key; within this work, it is made once."""
        if self._kept is None:
            return make()
        if key not in self._kept:
            self._kept[key] = make()
        made: T = self._kept[key]
        return made


_current: ContextVar[Work] = ContextVar("work", default=Work(None))  # noqa: B039 - it counts nothing
_stopped: ContextVar[Callable[[], bool] | None] = ContextVar("stopped", default=None)


def current() -> Work:
    """Return the work of the moment; outside of `begun`, it has no end."""
    return _current.get()


@contextmanager
def begun(steps: int = STEPS, files: int = 1) -> Iterator[Work]:
    """Begin other work, for so many files together; it ends with the block."""
    token = _current.set(Work(steps, files))
    try:
        yield _current.get()
    finally:
        _current.reset(token)


@contextmanager
def stopping(stopped: Callable[[], bool]) -> Iterator[None]:
    """Give up what runs within the block once the function returns true, at the next `pause`."""
    token = _stopped.set(stopped)
    try:
        yield
    finally:
        _stopped.reset(token)


def spent() -> str:
    """Return the sentence about work without steps left."""
    return f"dralint's limit of {current().steps:,} steps for the expressions of one file or comparison is reached"


def pause() -> None:
    """Go on, or raise Stopped where the result is not needed any more."""
    stopped = _stopped.get()
    if stopped is not None and stopped():
        raise Stopped
