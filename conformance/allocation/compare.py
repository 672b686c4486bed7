"""Compares the devices that `dralint simulate` gives to Pods with a recording."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.differences import Difference
from dralint.simulate.questions import answer
from tests.simulate.recorded import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.recording import Row

_FOR_THE_RECORDING = ("expect", "traits")


def differing(release: str, rows: Sequence[Row]) -> list[Difference]:
    """Return the differences of dralint's answers, the first of each case; a patch is of the release."""
    found = []
    for row in rows:
        one = next(_of(release, row), None)
        if one is not None:
            found.append(Difference("+".join(row["traits"]), one[0], one[1], row["id"], one[2]))
    return found


def _of(release: str, row: Row) -> Iterator[tuple[str, str, str]]:
    """Yield the part of the answer, the cause, and the node of each difference."""
    asked = {key: value for key, value in row.items() if key not in _FOR_THE_RECORDING}
    got = answer(json.dumps(asked | {"release": release}))
    if "invalid" in got:
        yield "scenario", str(got["invalid"]), ""
        return
    mine = {node["node"]: node for node in got["nodes"]}
    for node in row["expect"]:
        outcomes = [one for one in node["outcomes"] if not one.get("panic")]
        if len(outcomes) == len(node["outcomes"]):
            yield from _of_node(outcomes, mine[node["node"]], node["node"])


def _of_node(outcomes: list[dict[str, Any]], mine: dict[str, Any], node: str) -> Iterator[tuple[str, str, str]]:
    theirs = {_verdict(one) for one in outcomes}
    verdict = _verdict(mine)
    text = f"{node}: {json.dumps(outcomes)[:600]}, dralint {json.dumps(mine)[:600]}"
    if verdict not in theirs:
        yield "verdict", f"{' or '.join(sorted(theirs))}, dralint {verdict}", text
        return
    devices = plain(mine["allocations"])
    same = [one for one in outcomes if _verdict(one) == verdict and plain(one.get("allocations")) == devices]
    if not same:
        yield "allocations", "other devices", text
    elif verdict == "fits":
        scores = [one["score"] for one in same if "score" in one]
        if scores and mine["score"] not in (None, *scores):
            yield "score", "another score", text
        mappings = [one["requestMappings"] for one in same if "requestMappings" in one]
        if mappings and mine.get("requestMappings") not in mappings:
            yield "requestMappings", "other mappings", text
    elif sorted(_reasons(mine)) not in [sorted(one.get("reasons") or ()) for one in same]:
        yield "reasons", "other words", text


def _verdict(outcome: dict[str, Any]) -> str:
    if outcome["fits"]:
        return "fits"
    return "error" if outcome.get("code") == "Error" or outcome.get("error") else "does not fit"


def _reasons(mine: dict[str, Any]) -> list[str]:
    return mine["reasons"] or ([mine["error"]] if mine["error"] else [])
