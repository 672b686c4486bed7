"""Scenarios with the answers of the scheduler's own code, and how to compare answers with them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dralint.kubernetes.quantity import nano

FILE = Path(__file__).with_name("scenarios.jsonl.gz")
"""One scenario a line: a part of those recorded with Kubernetes 1.34.4, 1.35.4, 1.36.3 and 1.37.0, of every family."""


def scenarios() -> list[dict[str, Any]]:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def question(scenario: dict[str, Any], release: str) -> str:
    left_out = ("expect", "cel", "family")
    return json.dumps({**{k: v for k, v in scenario.items() if k not in left_out}, "release": release})


def nodes(scenario: dict[str, Any], release: str) -> Iterator[dict[str, Any]]:
    """Yield what is expected of each node; where the scheduler itself crashed nothing is."""
    for node in scenario["expect"][release]["nodes"]:
        if not any(outcome.get("panic") for outcome in node["outcomes"]):
            yield node


def plain(allocations: Any) -> Any:
    """Return allocations in a form in which equal ones are equal."""
    return [_stripped(allocation) for allocation in allocations] if allocations else None


def _stripped(value: Any) -> Any:
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if not isinstance(value, dict):
        return value
    made = {k: v for k, item in value.items() if (v := _stripped(item)) not in (None, [], {})}
    if "consumedCapacity" in made:
        made["consumedCapacity"] = {name: nano(amount) for name, amount in made["consumedCapacity"].items()}
    for toleration in made.get("tolerations", []):
        toleration.setdefault("operator", "Equal")
    return made


def verdict(outcome: dict[str, Any]) -> str:
    if outcome.get("allocations"):
        return "allocated"
    if outcome.get("fits"):
        return "fits"
    return "error" if outcome.get("error") and not outcome.get("nodeOnly") else "none"


def missing_class(outcome: dict[str, Any]) -> bool:
    """Say whether the allocator met a class that is not there, which the scheduler finds before it asks it."""
    return "could not retrieve device class" in outcome.get("error", "")
