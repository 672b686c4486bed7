"""Records which devices the scheduler of a release gives to the Pod of each case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import modules
from conformance.allocation.cases import cases
from conformance.recording import answers
from dralint.kubernetes.release import Release
from dralint.simulate.behaviours import every_gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.recording import Row

_TOO_LONG = "timed out"
UNORDERED = ("1.34", "1.35")
"""Releases that look at pools in a random order, and so have several answers."""
_FEW, _MANY = 8, 60


def record(judge: str, release: str, seed: str, count: int, _: Iterable[str]) -> Iterator[Row]:
    """Yield verdicts on `count` random clusters; each says which feature gates it needs."""
    minor = modules.minor(release)
    asked = list(cases(minor, seed, count))
    times = _MANY if minor in UNORDERED else _FEW
    for case, verdict in answers(
        judge, release, ["--times", str(times)], [case | {"gates": gates(minor, case)} for case in asked]
    ):
        nodes = verdict["nodes"]
        said = [reason for node in nodes for one in node["outcomes"] for reason in one.get("reasons") or ()]
        if not any(_TOO_LONG in reason for reason in said):
            kept = {key: value for key, value in case.items() if key != "gates"}
            yield kept | {"expect": nodes}


def gates(release: str, case: Row) -> dict[str, bool]:
    """Return the feature gates that a case switches."""
    every = every_gate(Release.parse(release))
    chosen = every if case["profile"] == "all" else {}
    return chosen | {gate: on for gate, on in case["features"].items() if gate in every}
