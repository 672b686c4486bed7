"""The answers of the scheduler's own code, recorded for every family of scenarios and release."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from dralint.kubernetes.release import Release
from dralint.simulate.behaviours import behaviour, every_gate
from dralint.simulate.inventory import slices_of
from dralint.simulate.questions import answer
from dralint.simulate.selection import Failed, Selection
from tests.simulate import recorded

SCENARIOS = recorded.scenarios()
FAMILIES = sorted({scenario["family"] for scenario in SCENARIOS})
CASES = [(family, release) for family in FAMILIES for release in ("1.34", "1.35", "1.36", "1.37")]
CASES = [c for c in CASES if any(s["family"] == c[0] and c[1] in s["expect"] for s in SCENARIOS)]


@cache
def answered(ident: str, release: str) -> dict[str, Any]:
    scenario = next(s for s in SCENARIOS if s["id"] == ident)
    found = answer(recorded.question(scenario, release))
    assert "invalid" not in found, found
    return {node["node"]: node for node in found["nodes"]}


def pairs(family: str, release: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    return [
        (f"{s['id']} {release} {node['node']}", node, answered(s["id"], release)[node["node"]])
        for s in SCENARIOS
        if s["family"] == family and release in s["expect"]
        for node in recorded.nodes(s, release)
    ]


@pytest.mark.parametrize(("family", "release"), CASES)
@pytest.mark.slow
def test_every_node_gets_what_the_scheduler_gives_it(family: str, release: str) -> None:
    for where, want, got in pairs(family, release):
        outcomes = [(recorded.verdict(o), recorded.plain(o["allocations"])) for o in want["outcomes"]]
        if any(recorded.missing_class(o) for o in want["outcomes"]):
            outcomes.append(("none", None))
        assert (recorded.verdict(got), recorded.plain(got["allocations"])) in outcomes, where


@pytest.mark.parametrize(("family", "release"), CASES)
@pytest.mark.slow
def test_users_see_the_schedulers_words(family: str, release: str) -> None:
    for where, want, got in pairs(family, release):
        texts = [o["status"].get("reasons", []) for o in want["outcomes"] if "status" in o]
        texts = texts or [[o["error"]] for o in want["outcomes"] if o.get("error")]
        said = got["reasons"] or ([got["error"]] if got.get("error") else [])
        if texts and not any(recorded.missing_class(o) for o in want["outcomes"]):
            assert said in texts, where


@pytest.mark.parametrize(("family", "release"), CASES)
@pytest.mark.slow
def test_scores_and_mappings(family: str, release: str) -> None:
    for where, want, got in pairs(family, release):
        mine = recorded.plain(got["allocations"])
        for outcome in want["outcomes"]:
            if mine is not None and recorded.plain(outcome["allocations"]) == mine:
                assert got["score"] == outcome.get("score"), where
                if "requestMappings" in outcome:
                    assert got["requestMappings"] == outcome["requestMappings"], where


@pytest.mark.parametrize("family", sorted({family for family, release in CASES if release == "1.37"}))
@pytest.mark.slow
def test_reasons_are_the_measured_ones(family: str) -> None:
    for where, want, got in pairs(family, "1.37"):
        if "why" not in want or "why" not in got:
            continue
        for key, facts in got["why"]["requests"].items():
            real = want["why"]["requests"][key]
            for name in ("devices", "class"):
                assert facts[name] == real[name], (where, key, name)
            for name in ("selected", "inUse", "tainted"):
                assert sorted(facts[name]) == sorted(real.get(name) or []), (where, key, name)
        relax = want["why"]["relax"]
        assert [cause for cause in got["why"]["causes"] if not relax[cause]] == [], where
        assert bool(got["why"]["causes"]) == any(relax.values()), where


@pytest.mark.slow
def test_which_implementation_runs() -> None:
    for scenario in SCENARIOS:
        for release, expected in scenario["expect"].items():
            parsed = Release.parse(release)
            gates = every_gate(parsed) if scenario["profile"] == "all" else {}
            how = behaviour(parsed, {**gates, **scenario.get("features", {})})
            assert expected["allocator"] in ("", how.implementation), (scenario["id"], release)


@pytest.mark.slow
def test_selectors_say_of_each_device_what_the_scheduler_says() -> None:
    letters: dict[Any, str] = {True: "T", False: "F"}
    for scenario in SCENARIOS:
        release = Release.parse(max(scenario["expect"]))
        gates = every_gate(release) if scenario["profile"] == "all" else {}
        selection = Selection(behaviour(release, {**gates, **scenario.get("features", {})}))
        # The recorded letters are in the order of the slices as they were given.
        by_name = {s.name: s for s in slices_of(scenario["slices"])}
        devices = [d for item in scenario["slices"] for d in by_name[item["metadata"]["name"]].devices]
        for expression, want in scenario["cel"].get("selectors", {}).items():
            verdicts = [selection.selector(expression).verdict(device) for device in devices]
            got = "".join("E" if isinstance(v, Failed) else letters[v] for v in verdicts)
            assert got == want, (scenario["id"], expression)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        json.dumps({"id": "x", "release": "1.20"}),
        json.dumps({"id": "x", "release": "1.37", "slices": 3}),
        json.dumps({"id": "x", "release": "1.37", "nodes": [{}], "claims": [{"spec": {"devices": {"requests": [1]}}}]}),
    ],
)
def test_an_unreadable_scenario_is_told(line: str) -> None:
    assert answer(line)["invalid"]
