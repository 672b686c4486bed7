"""Writes the functions that expressions of a release can call, for `python -m conformance.cel.tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import modules
from conformance.recording import output
from dralint.cel.declarations import CAPACITY_GATE, LIST_GATE

if TYPE_CHECKING:
    from pathlib import Path

_GATES = {"": CAPACITY_GATE, "-list": f"{CAPACITY_GATE},{LIST_GATE}"}


def write(release: str, out: Path) -> None:
    """Write the functions and macros of a release, without and with attributes that are lists."""
    out.mkdir(parents=True, exist_ok=True)
    for suffix, gates in _GATES.items():
        text = output("cel", release, ["--functions", "--feature-gates", gates])
        (out / f"env-{modules.minor(release)}{suffix}.json").write_text(text, "utf-8")
