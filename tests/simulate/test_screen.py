"""An answer is short enough to read without scrolling."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["misspelt", "nine-gpus", "tainted", "same-root", "bandwidth"])
def test_an_answer_fits_on_one_screen(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shown = run("simulate", f"examples/simulate/{name}.yaml", "--inventory", "examples/simulate/inventory.yaml").stdout

    assert 0 < len(shown.splitlines()) <= 24
