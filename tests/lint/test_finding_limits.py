"""Texts whose report leaves findings out are marked, so that others need not be judged again."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.lint.linter import Linter
from dralint.lint.passes import MOST_OF_A_RULE

_HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a, labels: {"
_WRONG_LABELS = [f"k{number}: _{number}" for number in range(MOST_OF_A_RULE + 1)]


@pytest.mark.parametrize(
    ("labels", "shortened"),
    [(_WRONG_LABELS[:1], False), (_WRONG_LABELS[:20], False), (_WRONG_LABELS, True), (["k: 1"], True)],
)
def test_a_reader_is_told_all_of_what_is_not_marked_as_shortened(labels: list[str], *, shortened: bool) -> None:
    raw = f"{_HEAD}{', '.join(labels)}}}}}\nspec: {{}}\n".encode()
    told = Linter(Settings()).check("x.yaml", raw)
    every = Linter(Settings(), thorough=True).check("x.yaml", raw)

    assert every.gathered.shortened == ({"x.yaml"} if shortened else set())
    assert told.gathered.shortened == set()
    assert every.report.findings
    assert shortened or told.report.findings == every.report.findings
