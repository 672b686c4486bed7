"""Expressions that run to their end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dralint.cel import Compilation
from dralint.cel.machine import Device, Evaluation, Undecided, evaluate
from dralint.yaml import read

(_outcomes,) = read(Path(__file__).with_name("outcomes.yaml").read_bytes())  # a browser has no other reader
OUTCOMES: Any = _outcomes.data
"""What expressions yield."""


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
