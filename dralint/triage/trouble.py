"""A trouble of a dump, and the areas of troubles, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

REFUSED, STUCK, PODS, NO_PODS, CLAIMS, DRIVERS, PARAMETERS, POOLS, STATUS, ENDING, CONTROL, FAULTS, VERSIONS = AREAS = (
    "objects that the API server refuses",
    "Pods that do not start or do not end",
    "Pods that wait",
    "Pods that nobody creates",
    "claims that nothing satisfies",
    "drivers on nodes",
    "parameters that a driver refuses",
    "pools",
    "objects that contradict each other",
    "objects that are left over",
    "nodes and control plane",
    "known faults of the release",
    "API versions that end",
)

SHOWN_NODES = 3


class Trouble(NamedTuple):
    """One problem: its area in `AREAS`, what it is, the objects, and what to do."""

    area: str
    text: str
    objects: tuple[str, ...] = ()
    hint: str = ""


def name_of(item: Mapping[str, Any]) -> str:
    """Return the name of an object, with its namespace."""
    metadata = item["metadata"]
    return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))
