"""The verdict on an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.cel.issue import NOT_DECIDED
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.cel.check.declarations import Declarations
    from dralint.cel.issue import Issue
    from dralint.cel.syntax.tree import Node


class Compilation(NamedTuple):
    """The verdict on one expression in one environment.

    `stage` is where the API server stops: None, or `too-long`, `compile`, `output-type`, `plan`, `cost`; or it is
    `not-decided`, where a limit of dralint is reached and the server may have any verdict. The issue names the limit.
    `result_type` is spelled as the compiler does, empty where there is none. `cost` is the estimate, None where the
    release makes none or does not get that far. `issues` are refusals; `advice` finds what the server does not say.
    """

    expression: str
    environment: Declarations
    stage: str | None
    issues: tuple[Issue, ...]
    result_type: str = ""
    cost: int | None = None
    root: Node | None = None

    @property
    def ok(self) -> bool:
        """Whether the API server accepts the expression."""
        return self.stage is None

    @property
    def is_refused(self) -> bool:
        """Whether the API server refuses the expression."""
        return self.stage not in (None, NOT_DECIDED)
