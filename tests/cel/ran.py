"""Expressions that run to their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.cel.machine import Evaluation, Undecided, evaluate

if TYPE_CHECKING:
    from dralint.cel import Compilation
    from dralint.cel.machine import Device


def ran(compilation: Compilation, device: Device) -> Evaluation:
    """Return the result of an expression on a device; there must be one."""
    outcome = evaluate(compilation, device)
    assert isinstance(outcome, Evaluation), outcome
    return outcome


def why_not(compilation: Compilation, device: Device) -> str:
    """Return why dralint has no result of an expression on a device; there must be none."""
    outcome = evaluate(compilation, device)
    assert isinstance(outcome, Undecided), outcome
    return outcome.why
