"""Faults of releases (rules/known-bugs.yaml), and the API version in which a kubelet reads claims."""

from __future__ import annotations

import json
from functools import cache

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.workloads import GROUP
from dralint.records import NamedTuple


class Bug(NamedTuple):
    """One fault: `spans` are (release, first patch, last patch), with -1 as last for every patch.

    `name` is its issue, or its place in the table. `simulated` is the allocator's behaviour with the fault, or after a
    `-` the behaviour that it lacks.
    """

    name: str
    trigger: str
    spans: tuple[tuple[Release, int, int], ...]
    fixed: tuple[str, ...]
    gates: tuple[str, ...]
    blocks: bool
    change: bool
    every: bool
    rare: bool
    simulated: str
    effect: str
    until: str

    def span(self, release: Release) -> tuple[int, int] | None:
        """Return the patches of a release that have the fault, the last as -1 for all; None for none."""
        return next(((first, last) for one, first, last in self.spans if one == release), None)

    def mend(self, release: Release) -> str:
        """Return the patch of a release with the correction; empty where none has it."""
        return next((text for text in self.fixed if Release.parse(text) == release), "")


def name_of(issue: int | str) -> str:
    """Return the name of a fault in messages."""
    return f"kubernetes#{issue}" if isinstance(issue, int) else issue


@cache
def bugs() -> tuple[Bug, ...]:
    rows = json.loads((shipped.folder("rules") / "known-bugs.json").read_bytes())
    return tuple(
        Bug(
            name_of(row["issue"]),
            row.get("trigger", ""),
            tuple(_span(text) for text in row["releases"]),
            tuple(row.get("fixed", ())),
            tuple(row.get("gates", ())),
            row.get("blocks", False),
            row.get("change", False),
            row.get("every", False),
            row.get("rare", False),
            row.get("simulated", ""),
            row["effect"],
            row["until"],
        )
        for row in rows
    )


def _span(text: str) -> tuple[Release, int, int]:
    first, _, last = text.partition("..")
    if not last:
        return Release.parse(first), 0, -1
    return Release.parse(first), int(first.rpartition(".")[2]), int(last.rpartition(".")[2])


_ASKED = {Release(1, 31): f"{GROUP}/v1alpha3", Release(1, 32): f"{GROUP}/v1beta1", Release(1, 33): f"{GROUP}/v1beta1"}
"""Source: pkg/kubelet/cm/dra of v1.31.14, v1.32.13 and v1.33.13. Later ones use the newest that the server has."""


def asked_for(kubelet: str | None) -> str | None:
    """Return the one API version in which a kubelet of that version reads claims; None where it can read several."""
    try:
        release = Release.parse(kubelet or "")
    except ValueError:
        return None
    return _ASKED.get(release)
