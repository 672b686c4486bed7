"""Pods and everything that embeds a Pod spec: what concerns resource claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.engine import Engine
    from dralint.identify import ApiObject
    from dralint.problem import Problem
    from dralint.release import Release


def judge_workload(engine: Engine, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    """Return the problems of an object that embeds Pod specs with resource claims; None when it has none."""
    return None
