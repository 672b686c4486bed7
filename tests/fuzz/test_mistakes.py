"""Short runs over slips of people and over rewritten damage; `mistakes.py` and `rewriting.py` are the long ones."""

from __future__ import annotations

from random import Random

import pytest

from dralint.config.settings import Settings
from dralint.lint.linter import Linter
from dralint.migrate.convert import VERSIONS
from dralint.migrate.rewrite import Target
from tests.fuzz import mistakes, rewriting


@pytest.mark.slow
def test_no_safe_fix_of_a_slip_leads_to_something_else_that_is_accepted() -> None:
    outcome = mistakes.run(range(60), seed=18, guesses=False)

    assert outcome.faults == []
    assert sum(outcome.fixed.values()) >= 5


@pytest.mark.parametrize("kind", mistakes.KINDS)
@pytest.mark.slow
def test_each_kind_of_slip_is_made_in_some_manifest(kind: str) -> None:
    texts = [*mistakes.good(), *(f"expression: {selector}\n" for selector in mistakes.SELECTORS)]
    made = (mistakes.KINDS[kind](text, Random(1)) for text in texts)

    assert any(slip is not None for slip in made)


def test_a_fix_of_something_else_is_seen() -> None:
    text = "kind: A\nname: b\n"

    assert mistakes.data(text) != mistakes.data(text.replace("b", "c"))
    assert mistakes.data("a: 1Ki\nb:\n") == mistakes.data("a: '1024'\n")


@pytest.mark.slow
def test_no_rewriting_makes_an_error() -> None:
    texts = [rewriting.text(18, number, []) for number in range(20)]

    assert rewriting.run(texts, Linter(Settings()), Target(VERSIONS[-1])).faults == []


def test_an_error_on_a_line_that_was_written_is_of_our_making() -> None:
    old = b"apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n"
    new = old.replace(b"name: a", b"name: A_")
    linter = Linter(Settings())

    found = rewriting.of_our_making([], rewriting.errors(linter, new), old, new)
    assert [(finding.rule, finding.line) for finding in found] == [("DRA202", 3)]
    assert rewriting.of_our_making([], rewriting.errors(linter, new), new, new) == []


def test_a_hint_leads_where_it_has_the_words_that_the_slip_took_away() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\nspec:\n  devices:\n    requests:\n"
        "    - name: gpu\n      exactly:\n        deviceClassName: gpu.example.com\n"
    )
    at = text.index("exactly")
    outcome = mistakes.Outcome()

    mistakes.judge(outcome, 0, text, [("a letter", (at, at + 7, "exatly"))])
    assert [sum(counter.values()) for counter in (outcome.on_line, outcome.hinted, outcome.led)] == [1, 1, 1]
    assert (outcome.misses, outcome.guessed["a letter"]) == ([], 1)


def test_what_a_repeated_line_hides_was_there_before() -> None:
    """The guess removes the line that is indented wrongly, because the next one says the same."""
    entry = "    - {name: a, exactly: {deviceClassName: c}}\n"
    head = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec:\n  devices:\n    requests:\n"
    )
    text = f"{head}  {entry}{entry}{entry}    - {{name: 1, ly: {{count: 1}}}}\n".encode()

    outcome = rewriting.run([text], Linter(Settings()), Target(VERSIONS[-1]))

    assert (outcome.changed["fix --unsafe-fixes"], outcome.faults) == (1, [])
