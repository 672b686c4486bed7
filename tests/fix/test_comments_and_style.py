"""Repaired random manifests with mistakes: they have the intended meaning, and keep their style (see damaged.py)."""

from __future__ import annotations

import random

import pytest

from tests.fix.damaged import faults


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.slow
def test_fix_keeps_comments_and_style_and_restores_the_meaning(seed: int) -> None:
    wrong = [fault for number in range(20) for fault in faults(random.Random(20 * seed + number))]

    assert [fault for fault in wrong if not fault.startswith("not repaired")] == []
    assert len(wrong) <= 3, wrong
