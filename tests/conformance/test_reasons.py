"""The reasons of findings against those that the server has given at the same fields."""

from __future__ import annotations

import pytest
import reasons
import verdicts

RELEASES = [f"1.{minor}" for minor in range(26, 38)]
LEAST = 0.998


@pytest.mark.parametrize("release", RELEASES)
def test_the_reasons_are_the_servers(release: str) -> None:
    every = reasons.of_sample(release)
    differing = [(one.case.id, one.path, one.mine, sorted(one.theirs)) for one in every if not one.agrees]

    assert len(every) >= 100
    assert len(differing) <= (1 - LEAST) * len(every), differing


def test_a_reason_that_the_server_does_not_say_is_a_difference() -> None:
    case = next(case for case in verdicts.verdicts("1.37") if case.stage == "validate")
    path = case.causes[0][1]

    assert not reasons.Compared(case, path, "Mistaken", frozenset({case.causes[0][0]})).agrees
