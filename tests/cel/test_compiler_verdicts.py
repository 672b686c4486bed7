"""dralint against verdicts recorded from the compiler of each release (tests/data/cel; README.md there)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dralint.cel import environment

DATA = Path(__file__).parents[1] / "data" / "cel"
RELEASES = ["1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]

# The compiler of 1.31 has no limit of length (1.32 and later have); whoever recorded this one stopped it all the same.
NOT_THE_COMPILERS = {"1.31": "device.driver == 'xxxxx"}


@cache
def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def cases(release: str) -> list[tuple[str, dict[str, Any]]]:
    own = [(r["expression"], r["verdicts"][release]) for r in rows("selectors.jsonl.gz") if release in r["verdicts"]]
    own = [c for c in own if not (len(c[0]) > 10_240 and c[0].startswith(NOT_THE_COMPILERS.get(release, "\0")))]
    recorded = [*rows(f"random.{release}.jsonl.gz"), *rows(f"mutations.{release}.jsonl.gz")]
    return own + [(r["expression"], r) for r in recorded]


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.slow
def test_verdict_and_cost_are_the_compilers(release: str) -> None:
    judge = environment(release)
    wrong = []
    for expression, want in cases(release):
        got = judge.compile(expression)
        if got.ok != want["ok"] or (want["ok"] and "cost" in want and got.cost != want["cost"]):
            wrong.append((expression, want, got.stage, got.cost, got.issues))

    assert wrong == []


@pytest.mark.parametrize("release", RELEASES[1:])
@pytest.mark.slow
def test_protobuf_wrappers_stand_for_what_they_wrap(release: str) -> None:
    judge = environment(release)
    wrong = []
    for row in rows("wrappers.jsonl.gz"):
        want = row["verdicts"][release]
        got = judge.compile(row["expression"])
        if got.ok != want["ok"] or (want["ok"] and got.cost != want["cost"]):
            wrong.append((row["expression"], want, got.stage, got.cost, got.issues))

    assert wrong == []


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.slow
def test_the_first_error_lies_where_the_compiler_says(release: str) -> None:
    judge = environment(release)
    placed = elsewhere = 0
    for expression, want in cases(release):
        got = judge.compile(expression)
        if got.ok or want["ok"] or "line" not in want:
            continue
        placed += 1
        elsewhere += (got.issues[0].line, got.issues[0].column) != (want["line"], want["column"])

    assert placed > 50
    assert elsewhere <= placed * 0.01 + 1


@pytest.mark.slow
def test_named_resources_of_1_30_are_judged_as_its_compiler_did() -> None:
    judge = environment("1.30", kind="named-resources")
    wrong = []
    for row in rows("named-resources.1.30.jsonl.gz"):
        got = judge.compile(row["expression"])
        if got.ok != row["ok"]:
            wrong.append((row, got.stage, got.issues))

    assert wrong == []


@pytest.mark.parametrize("release", ["1.36", "1.37"])
@pytest.mark.slow
def test_list_attributes_are_judged_as_the_compiler_does(release: str) -> None:
    judge = environment(release, list_attributes=True)
    wrong = []
    for row in rows(f"lists.{release}.jsonl.gz"):
        got = judge.compile(row["expression"])
        if got.ok != row["ok"] or (row["ok"] and got.cost != row["cost"]):
            wrong.append((row, got.stage, got.cost, got.issues))

    assert wrong == []


@pytest.mark.slow
def test_derived_attributes_are_judged_as_the_compiler_does() -> None:
    judge = environment("1.37", kind="derived")
    wrong = []
    for row in rows("derived.1.37.jsonl.gz"):
        got = judge.compile(row["expression"])
        if got.ok != row["ok"] or (row["ok"] and got.cost != row["cost"]):
            wrong.append((row, got.stage, got.cost, got.issues))

    assert wrong == []
