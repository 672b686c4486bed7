"""Records the compiler's results for expressions of a release, and their values on two devices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance import modules
from conformance.cel.cases import DEVICES, cases
from conformance.recording import answers
from dralint.cel import table
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.recording import Row

MOST_COST = 1_000_000
"""The most that an expression may cost, in every release with estimates."""

_PLACE = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")
_STAGES = {"panic: ": "panic", "must evaluate to": "output-type", "program instantiation failed": "plan"}


def gates_on(release: str, chosen: str) -> frozenset[str]:
    """Return the feature gates of a set of gates that change expressions: those on by default, or all."""
    stages = {gate: gates.stage(gate, Release.parse(release)) for gate in table.facts()["gates"]}
    return frozenset(gate for gate, stage in stages.items() if stage is not None and (stage.default or chosen == "all"))


def devices(release: str) -> list[Row]:
    """Return the devices that expressions run over, with capacities as the release has them."""
    if modules.minor(release) != "1.31":
        return DEVICES
    return [one | {"capacity": {name: value["value"] for name, value in one["capacity"].items()}} for one in DEVICES]


def record(judge: str, release: str, seed: str, count: int, chosen: Iterable[str]) -> Iterator[Row]:
    """Yield verdicts on `count` random expressions, a part of them with each set of gates."""
    sets = list(chosen)
    for number, name in enumerate(sets):
        part = count // len(sets) + (number < count % len(sets))
        on = gates_on(modules.minor(release), name)
        asked = [case | {"id": f"{name}/{case['id']}"} for case in cases(modules.minor(release), seed, part, on)]
        asked = [case | {"devices": devices(release) if case["kind"] == "device" else []} for case in asked]
        for case, verdict in answers(judge, release, ["--feature-gates", ",".join(sorted(on))], asked):
            kept = {key: case[key] for key in ("id", "kind", "about", "expression")}
            yield kept | {"gates": name, **said(verdict)}


def said(verdict: Row) -> Row:
    """Return whether the API server accepts the expression, and if not, where and why."""
    error = verdict.get("error", "")
    if not error:
        cost = verdict.get("cost")
        if cost is not None and cost > MOST_COST:
            return {"ok": False, "stage": "cost", "cost": cost}
        return {"ok": True} | {key: verdict[key] for key in ("cost", "outcomes") if key in verdict}
    found: Row = {"ok": False, "stage": next((stage for text, stage in _STAGES.items() if text in error), "compile")}
    place = _PLACE.search(error)
    if place is not None:
        found |= {"line": int(place[1]), "column": int(place[2]), "message": place[3]}
    return found
