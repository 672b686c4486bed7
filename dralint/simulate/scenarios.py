"""Answers many independent questions: each line is a scenario, and each answer is a line."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from dralint.kubernetes import gates as gate_table
from dralint.kubernetes.release import Release, patch_of
from dralint.simulate.behaviours import behaviour, every_gate
from dralint.simulate.inventory import InUse, Inventory, slices_of
from dralint.simulate.node_selection import ClusterNode
from dralint.simulate.reasons import reasons
from dralint.simulate.scheduler import PodClaims, RefusedError, Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.scheduler import Filtered


def answers(lines: Iterable[str], advance: Callable[[int], None] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the answer to each scenario (a JSON object a line); one that cannot be read has `invalid`.

    After each, `advance` is called with 1.
    """
    for line in lines:
        if not line.strip():
            continue
        yield answer(line)
        if advance is not None:
            advance(1)


def answer(line: str) -> dict[str, Any]:
    """Return the answer to one scenario."""
    start = time.perf_counter()
    ident: Any = None
    release: Any = None
    try:
        scenario = json.loads(line)
        if not isinstance(scenario, dict):
            raise ValueError("a scenario is a JSON object")
        ident, release = scenario.get("id"), scenario.get("release")
        nodes = _nodes(scenario)
    except Exception as error:  # noqa: BLE001 - objects are not judged here, and one bad scenario must not end the others
        return {"id": ident, "release": release, "invalid": f"{type(error).__name__}: {error}"}
    return {"id": ident, "release": release, "nodes": nodes, "seconds": round(time.perf_counter() - start, 6)}


def _nodes(scenario: Mapping[str, Any]) -> list[dict[str, Any]]:
    release = str(scenario.get("release"))
    named = patch_of(release)
    how = behaviour(release, _gates(scenario), None if named is None else named[1])
    inventory = inventory_of(scenario, how)
    claims = scenario.get("claims") or ()
    pod = scenario.get("pod")
    if pod is None:
        scheduler = Scheduler(inventory, claims, how)
        return [_node(one) for one in scheduler.filter({}, inventory.nodes, PodClaims(wanted=list(claims)))]
    for claim in claims:
        allocation = (claim.get("status") or {}).get("allocation") or {}
        for result in (allocation.get("devices") or {}).get("results") or ():
            inventory.in_use.add(result, claim["metadata"]["name"], capacity=how.capacity)
    scheduler = Scheduler(inventory, claims, how)
    try:
        asked = scheduler.claims_of(pod)
    except RefusedError as refusal:
        return [
            {"node": node.name, "fits": False, "allocations": None, "reasons": [str(refusal)]}
            for node in inventory.nodes
        ]
    return [_node(one) for one in scheduler.filter(pod, inventory.nodes, asked)]


def _gates(scenario: Mapping[str, Any]) -> dict[str, bool]:
    release = Release.parse(str(scenario.get("release")))
    chosen = every_gate(release) if scenario.get("profile") == "all" else {}
    for gate, on in (scenario.get("features") or {}).items():
        if gate_table.stage(gate, release) is not None:
            chosen[gate] = bool(on)
    return chosen


def inventory_of(scenario: Mapping[str, Any], how: Behaviour) -> Inventory:
    """Return the inventory of a scenario."""
    in_use = InUse()
    for entry in scenario.get("allocated") or ():
        if isinstance(entry, str):
            driver, _, rest = entry.partition("/")
            pool, _, device = rest.rpartition("/")
            entry = {"driver": driver, "pool": pool, "device": device}
        in_use.add(entry, "", capacity=how.capacity)
    return Inventory(
        nodes=[
            ClusterNode(
                n.get("name") or "",
                n.get("labels") or {},
                frozenset(n.get("declaredFeatures") or ()),
                n.get("allocatable") or {},
            )
            for n in scenario.get("nodes") or ()
        ],
        classes={c["metadata"]["name"]: c for c in scenario.get("classes") or ()},
        slices=slices_of(scenario.get("slices") or ()),
        taint_rules=[rule.get("spec") or {} for rule in scenario.get("taintRules") or ()],
        in_use=in_use,
    )


def _node(one: Filtered) -> dict[str, Any]:
    made: dict[str, Any] = {
        "node": one.node.name,
        "fits": one.fits,
        "allocations": one.allocations,
        "error": one.error or None,
        "score": one.score,
        "reasons": one.reasons,
    }
    if one.mappings is not None:
        made["requestMappings"] = one.mappings
    if not one.decided:
        made["undecided"] = one.undecided
    why = reasons(one)
    if why is not None:
        made["why"] = why
    return made
