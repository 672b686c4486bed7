"""dralint says what the record says; `python -m tests.baseline compare` shows a difference, `record` accepts it."""

from __future__ import annotations

import pytest

from tests.baseline.__main__ import GROUPS, differences, recorded


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_dralint_says_what_was_recorded(group: str) -> None:
    found = list(differences(recorded(), [group]))

    assert found == [], f"python -m tests.baseline compare {group}"


def test_each_recorded_case_is_in_one_group() -> None:
    strange = [name for name in recorded() if sum(name.startswith(group) for group in GROUPS) != 1]

    assert strange == []
