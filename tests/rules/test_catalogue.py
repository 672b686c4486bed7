"""Every example of the catalogue runs through the whole program, on every release that it applies to."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.finding import catalogue
from dralint.finding.catalogue import Rule
from dralint.finding.problem import path_text
from dralint.finding.rule_ids import MORE_BEHIND_DECODING
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.manifest.objects import objects
from dralint.yaml import read
from rules.examples import Bench, manifest, releases
from tests.rules.held import assert_as_the_catalogue_says

NO_EXAMPLES = {
    "DRA008": "ten thousand brackets are no page to read (tests/cli/test_bad_input.py)",
    "DRA011": "megabytes are no page to read (tests/cli/test_bad_input.py)",
    "DRA013": "a file that cannot be opened has no text (tests/cli/test_bad_input.py)",
    "DRA097": "only `migrate` and `fix` have it (tests/migrate/test_rewrite.py)",
    "DRA098": "dralint knows the CEL of every release that it ships (tests/cel/test_tables.py)",
    "DRA099": "an error of dralint itself (tests/cli/test_bad_input.py)",
    "DRA507": "only `migrate` has it (tests/migrate/test_rewrite.py)",
    "DRA508": "only `migrate` has it (tests/migrate/test_rewrite.py)",
}
"""Rules without examples, and why; where their behaviour is tested instead."""

BENCH = Bench()


def examples(kind: str) -> list[Any]:
    return [
        pytest.param(rule, example, id=f"{rule.id}-{kind}-{number}")
        for rule in catalogue.rules().values()
        for number, example in enumerate(rule.examples.get(kind, []))
    ]


def applies_to(rule: Rule, example: dict[str, Any]) -> list[Release | None]:
    """Return the releases to judge by; the example says `newest: true` where it means a run without a release."""
    if example.get("newest"):
        return [None]
    found: list[Release | None] = list(releases(rule, example))
    assert found, "the example applies to no release"
    return found


def _without_faults(rule: Rule, findings: list[Any]) -> list[Any]:
    """Return the findings without known faults of releases, which are no mistake of an example of another rule."""
    return [finding for finding in findings if finding.rule == rule.id or not finding.rule.startswith("DRA9")]


@pytest.mark.parametrize(("rule", "example"), examples("bad"))
@pytest.mark.slow
def test_a_bad_example_gives_exactly_what_it_expects(rule: Rule, example: dict[str, Any]) -> None:
    expected = sorted((row.get("rule", rule.id), row["path"], row["message"]) for row in example["expect"])
    lines = {(row.get("rule", rule.id), row["path"]): row["line"] for row in example["expect"] if "line" in row}
    files = {(row.get("rule", rule.id), row["path"]): row["file"] for row in example["expect"] if "file" in row}

    for release in applies_to(rule, example):
        findings = _without_faults(rule, BENCH.findings(rule, example, release))

        assert sorted((f.rule, f.path, f.message) for f in findings) == expected, f"in {release}"
        assert {key: line for key, line in lines.items() if key not in {(f.rule, f.path) for f in findings}} == {}
        for finding in findings:
            assert_as_the_catalogue_says(finding)
            assert lines.get((finding.rule, finding.path), finding.line) == finding.line, f"in {release}"
            assert files.get((finding.rule, finding.path), finding.file) == finding.file, f"in {release}"


@pytest.mark.parametrize(("rule", "example"), examples("good"))
@pytest.mark.slow
def test_a_good_example_gives_nothing(rule: Rule, example: dict[str, Any]) -> None:
    for release in applies_to(rule, example):
        findings = _without_faults(rule, BENCH.findings(rule, example, release))

        assert [(f.rule, f.path, f.message) for f in findings] == [], f"in {release}"


@pytest.mark.parametrize("kind", ["bad", "good"])
def test_every_rule_has_examples(kind: str) -> None:
    missing = [
        f"{rule.id} {rule.name}"
        for rule in catalogue.rules().values()
        if not rule.examples.get(kind) and rule.id not in NO_EXAMPLES
    ]

    assert missing == [], f"rules without a {kind} example"


def test_a_bad_example_is_of_its_own_rule() -> None:
    strange = [
        f"{rule.id}: {example['title']}"
        for rule in catalogue.rules().values()
        for example in rule.examples.get("bad", [])
        if all(row.get("rule", rule.id) != rule.id for row in example["expect"])
    ]

    assert strange == []


def test_ids_and_names_are_unique_and_sorted() -> None:
    rules = list(catalogue.rules().values())

    assert [rule.id for rule in rules] == sorted({rule.id for rule in rules})
    assert len({rule.name for rule in rules}) == len(rules)


def test_texts_are_sentences() -> None:
    blunt = [
        rule.id
        for rule in catalogue.rules().values()
        for text in (rule.summary, rule.why, rule.fix)
        if not text.endswith(".") or len(text.split()) < 3
    ]

    assert blunt == []


@pytest.mark.parametrize("topic", ["DRA203", "dra203", "unknown-request", " Unknown-Request "])
def test_a_rule_is_found_by_id_and_name(topic: str) -> None:
    rule = catalogue.find(topic)

    assert rule is not None
    assert (rule.id, rule.severity) == ("DRA203", "error")
    assert rule.url.endswith("/rules/DRA203.html")


def hidden(rule: Rule, example: dict[str, Any]) -> set[tuple[str, str]]:
    """Return rule and path of what DRA109 keeps back in its own examples."""
    if rule.id != MORE_BEHIND_DECODING:
        return set()
    linter = Linter(Settings())
    return {
        (problem.rule, path_text(problem.path))
        for document in read(manifest(example))
        for item in objects(document.data)
        for problem, _ in linter.everything(document, item) or ()
    }


FIXABLE = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for rule in catalogue.rules().values()
    for number, example in enumerate(rule.examples.get("bad", []))
    if "before" not in example
]


@pytest.mark.parametrize(("rule", "example"), FIXABLE)
@pytest.mark.slow
def test_fix_makes_of_a_bad_example_what_the_catalogue_says(rule: Rule, example: dict[str, Any]) -> None:
    release = applies_to(rule, example)[-1]
    before = [(f.rule, f.path, f.message) for f in BENCH.findings(rule, example, release)]
    expected = dict(example["files"]) if "files" in example else {"manifest.yaml": example["manifest"]}

    for key, unsafe in (("fixed", False), ("guessed", True)):
        after, left = BENCH.fixed_files(rule, example, release, unsafe=unsafe)
        shown = example.get(key, {})
        expected |= shown if "files" in example else {"manifest.yaml": shown} if shown else {}

        assert after == expected
        new = [f for f in left if (f.rule, f.path, f.message) not in before and f.severity != "info"]
        assert [f for f in new if (f.rule, f.path) not in hidden(rule, example)] == []
        if key in example:
            assert len(left) < len(before) or any(f.severity == "info" for f in left)


@pytest.mark.slow
def test_every_rule_whose_findings_offer_a_fix_shows_one() -> None:
    offering = {
        finding.rule
        for rule in catalogue.rules().values()
        for example in rule.examples.get("bad", [])
        if "before" not in example
        for finding in BENCH.findings(rule, example, applies_to(rule, example)[-1])
        if finding.fix is not None
    }
    shown = {
        rule.id
        for rule in catalogue.rules().values()
        for example in rule.examples.get("bad", [])
        if {"fixed", "guessed"} & set(example)
    }

    assert offering - shown == set()
