"""The judges of CEL and of allocations, as far as they need no Go: cases, records, comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance import modules
from conformance.allocation.cases import TRAITS
from conformance.allocation.cases import cases as clusters
from conformance.cel import functions
from conformance.cel.cases import cases as expressions
from conformance.cel.record import gates_on, said
from conformance.differences import compared
from conformance.judges import JUDGES
from conformance.patches import changed
from conformance.recording import Row, read
from dralint.config.settings import Settings
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter

SAMPLES = Path(__file__).parents[1] / "data" / "judges"
KINDS = {"classes": "DeviceClass", "slices": "ResourceSlice", "claims": "ResourceClaim"}


def rows(judge: str) -> list[Row]:
    """Return the recorded sample of a judge."""
    return list(read(SAMPLES / f"{judge}.1.37.jsonl.gz"))


def causes(judge: str, row: Row) -> list[str]:
    """Return the causes of the differences that one row has."""
    return [one.cause for one in JUDGES[judge].differing("1.37", [row])]


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "number"), [("cel", 240), ("allocation", 59), ("control-plane", 60)])
def test_dralint_agrees_with_the_recorded_sample(judge: str, number: int) -> None:
    found = compared(JUDGES[judge].differing, "1.37", rows(judge))

    assert found.total == number
    assert found.differences == []


def test_a_seed_gives_the_same_expressions_and_another_seed_others() -> None:
    on = gates_on("1.37", "default")
    first, again, other = (list(expressions("1.37", seed, 40, on)) for seed in ("a", "a", "b"))

    assert first == again
    assert [case["expression"] for case in first] != [case["expression"] for case in other]


def test_expressions_are_about_every_function_of_the_release() -> None:
    on = gates_on("1.37", "all")
    about = {case["about"].removesuffix(", damaged") for case in expressions("1.37", "a", 600, on)}

    assert {
        "list_includes_dyn_dyn",
        "quantity_add_int",
        "in_map",
        "matches_string",
        "optional_map_optindex_optional_value",
    } <= about


def test_a_seed_gives_the_same_clusters_and_another_seed_others() -> None:
    first, again, other = (list(clusters("1.37", seed, 10)) for seed in ("a", "a", "b"))

    assert first == again
    assert first != other


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_objects_of_clusters_are_accepted_and_have_every_trait(release: str) -> None:
    linter = Linter(Settings(releases=(Release.parse(release),), gates=(("AllAlpha", True), ("AllBeta", True))))
    traits = set()
    for case in clusters(release, "a", 80):
        traits |= set(case["traits"])
        for key, kind in KINDS.items():
            for one in case[key]:
                manifest = json.dumps({"apiVersion": "resource.k8s.io/v1", "kind": kind} | one)
                findings = linter.check("a.json", manifest.encode()).report.findings
                assert [found for found in findings if found.effect in ("rejected", "unreadable")] == [], case["traits"]

    known = {one.name for one in TRAITS if one.since <= Release.parse(release).minor}
    assert traits == known - ({"taint_rules"} if release == "1.34" else set())


@pytest.mark.parametrize(
    ("verdict", "row"),
    [
        ({"cost": 7, "outcomes": ["true"]}, {"ok": True, "cost": 7, "outcomes": ["true"]}),
        ({"cost": 1_000_001, "outcomes": ["true"]}, {"ok": False, "stage": "cost", "cost": 1_000_001}),
        ({}, {"ok": True}),
        (
            {"error": "compilation failed: ERROR: <input>:1:4: no such thing\n | x"},
            {"ok": False, "stage": "compile", "line": 1, "column": 4, "message": "no such thing"},
        ),
        ({"error": "must evaluate to bool or the unknown type, not int"}, {"ok": False, "stage": "output-type"}),
        ({"error": "program instantiation failed: x"}, {"ok": False, "stage": "plan"}),
        ({"error": "panic: x"}, {"ok": False, "stage": "panic"}),
    ],
)
def test_what_the_compiler_says_becomes_a_row(verdict: dict[str, Any], row: Row) -> None:
    assert said(verdict) == row


def test_an_old_release_is_built_with_the_file_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(modules, "build_server_program", lambda *of: asked.append(of))
    monkeypatch.setattr(modules, "build_module_program", lambda *of: asked.append(of))
    for judge, release in (
        ("verdicts", "1.31"),
        ("verdicts", "1.32"),
        ("allocation", "1.34.4"),
        ("cel", "1.37"),
        ("control-plane", "1.34"),
    ):
        JUDGES[judge].build(release)

    assert asked == [
        ("verdicts", "1.31", ["before32"]),
        ("verdicts", "1.32", []),
        ("allocation", "1.34.4", ["before35"]),
        ("cel", "1.37", "k8s.io/dynamic-resource-allocation"),
        ("control-plane", "1.34", []),
    ]


def test_every_judge_has_a_program() -> None:
    assert [name for name in JUDGES if not (modules.program_folder(name) / "main.go").is_file()] == []


def test_functions_are_written_without_and_with_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "output", lambda judge, release, arguments: f"{judge} {release} {arguments[-1]}")
    functions.write("1.37.1", tmp_path)

    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "env-1.37.json": "cel 1.37.1 DRAConsumableCapacity",
        "env-1.37-list.json": "cel 1.37.1 DRAConsumableCapacity,DRAListTypeAttributes",
    }


def test_a_wrong_verdict_on_an_expression_is_a_difference_with_its_cause() -> None:
    every = rows("cel")
    fine = next(row for row in every if row["ok"] and row.get("outcomes") == ["true", "true"])
    refused = next(row for row in every if "line" in row)

    assert causes("cel", fine | {"ok": False, "stage": "compile"}) == ["refused (compile), dralint accepts"]
    assert causes("cel", refused | {"ok": True}) == ["accepted, dralint refuses (compile)"]
    assert causes("cel", refused | {"column": 999}) == ["another place"]
    assert causes("cel", fine | {"cost": 999}) == ["another cost"]
    assert causes("cel", fine | {"outcomes": ["true", "error"]}) == ["error of a device, dralint true"]


def test_a_wrong_verdict_on_a_cluster_is_a_difference_with_its_cause() -> None:
    outcomes = [(row, row["expect"][0]["outcomes"][0]) for row in rows("allocation")]
    fits = next(row for row, one in outcomes if one.get("allocations") and "score" in one)
    refused, why = next((row, one) for row, one in outcomes if not one["fits"])

    def said_otherwise(row: Row, **fields: Any) -> Row:
        node = row["expect"][0]
        return row | {"expect": [node | {"outcomes": [node["outcomes"][0] | fields]}]}

    assert causes("allocation", said_otherwise(fits, allocations=None)) == ["other devices"]
    assert causes("allocation", said_otherwise(fits, score=99)) == ["another score"]
    assert causes("allocation", said_otherwise(fits, fits=False, code="Error")) == ["error, dralint fits"]
    assert causes("allocation", said_otherwise(refused, reasons=["x"])) == ["other words"]
    assert causes("allocation", said_otherwise(refused, **why)) == []
    assert causes("allocation", said_otherwise(refused, reasons=["x"], panic="y")) == []


@pytest.mark.parametrize(
    ("first", "second", "causes"),
    [
        ("1.34.0", "1.34.4", {"other devices"}),
        ("1.37.0", "1.37.1", {"other words", "fits, dralint does not fit"}),
    ],
)
def test_dralint_knows_what_differs_between_two_recorded_patches(first: str, second: str, causes: set[str]) -> None:
    differing = JUDGES["allocation"].differing
    before, after = (list(read(SAMPLES / f"allocation.{release}.jsonl.gz")) for release in (first, second))

    assert len(changed(before, after)) == len(before) >= 3
    assert differing(first, before) == differing(second, after) == []
    assert len(differing(first, after)) == len(after)
    assert {one.cause for one in differing(first, after)} == causes


def test_two_recordings_that_share_an_outcome_of_each_node_do_not_differ() -> None:
    one, other, third = (Row(fits=True, score=score) for score in (1, 2, 3))

    def row(*outcomes: Row) -> Row:
        return {"id": "a", "pod": 1, "expect": [{"node": "n", "outcomes": list(outcomes)}]}

    assert changed([row(one, other)], [row(other, third)]) == []
    assert changed([row(one)], [row(other)]) == [(row(one), row(other))]
    assert changed([{"id": "a", "ok": True}], [{"id": "a", "ok": False}, {"id": "b"}]) != []
    assert changed([{"id": "a", "inventory": [1]}], [{"id": "a", "inventory": [2]}]) == []
