"""A hint that says what to write also has it as data; following it literally gives what was meant."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dralint.cel import Compilation, Issue, environment
from dralint.cel.advice import advice
from dralint.cel.table import releases
from tests.cel.ran import OUTCOMES

DATA = Path(__file__).parents[1] / "data" / "cel"
NEWEST = releases()[-1]


def said(compilation: Compilation) -> Issue:
    return (compilation.issues or advice(compilation))[0]


def followed(expression: str, issue: Issue) -> str:
    assert issue.replacement is not None
    return expression[: issue.replacement.start] + issue.replacement.text + expression[issue.replacement.end :]


@pytest.mark.parametrize(
    ("written", "meant", "hint"),
    [tuple(row.values()) for row in OUTCOMES["followed"]],
)
def test_what_is_followed_is_what_was_meant(written: str, meant: str, hint: str) -> None:
    issue = said(environment(NEWEST).compile(written))

    assert issue.hint == hint
    assert followed(written, issue) == meant


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (
            'device.capacity["d"].m.isGreaterThan(quantity("40GB"))',
            'write quantity("40G") for powers of 1000, quantity("40Gi") for powers of 1024',
        ),
        (
            'device.attributes["resource.kubernetes.io.pcieRoot"].x == 1',
            'if "pcieRoot" is the name of the attribute: device.attributes["resource.kubernetes.io"].pcieRoot',
        ),
        (
            'has(device.attributes["nvlink"])',
            'write has(device.attributes["DRIVER"].nvlink), with the name of the driver',
        ),
        ("[1].all(item_a, [1].all(item_b, item_c == 1))", 'did you mean "item_a" or "item_b"?'),
    ],
)
def test_what_only_the_author_knows_is_not_chosen(written: str, hint: str) -> None:
    compilation = environment(NEWEST).compile(written)
    issues = [issue for issue in (*compilation.issues, *advice(compilation)) if issue.hint == hint]

    assert [issue.replacement for issue in issues] == [None]


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (
            'exists(device.attributes["nvlink"])',
            'write has(device.attributes["DRIVER"].nvlink), with the name of the driver',
        ),
        (
            'exists(device.attributes["gpu.example.com"]["nvlink"])',
            'write has(device.attributes["gpu.example.com"].nvlink)',
        ),
        ('exists(device.attributes["gpu.example.com"])', 'write "gpu.example.com" in device.attributes'),
    ],
)
def test_what_asks_for_an_entry_can_be_followed(written: str, hint: str) -> None:
    issue = said(environment(NEWEST).compile(written))
    text = hint.removeprefix("write ").partition(", with")[0].replace("DRIVER", "gpu.example.com")

    assert issue.hint == hint
    assert environment(NEWEST).compile(text).ok


@pytest.mark.slow
def test_replacements_of_recorded_refusals_mend_what_they_are_about() -> None:
    recorded = next(release for release in reversed(releases()) if (DATA / f"mutations.{release}.jsonl.gz").exists())
    judge = environment(recorded)
    offered, same = 0, []
    with gzip.open(DATA / f"mutations.{recorded}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as file:
        refused = [row["expression"] for row in map(json.loads, file) if not row["ok"]]
    for expression in refused:
        issue = judge.compile(expression).issues[0]
        if issue.replacement is None:
            continue
        offered += 1
        assert 0 <= issue.replacement.start <= issue.replacement.end <= len(expression)
        after = judge.compile(followed(expression, issue))
        if not after.ok and (after.issues[0].start, after.issues[0].message) == (issue.start, issue.message):
            same.append((expression, issue.hint))

    assert same == []
    assert offered > 80
