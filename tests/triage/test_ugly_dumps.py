"""`dralint triage` says what it can of a dump that is damaged, and why it cannot say more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run
from tests.triage.ugly import UGLY

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", UGLY)
def test_a_dump_gets_the_right_word(name: str, tmp_path: Path, run: Run) -> None:
    ugly = UGLY[name]
    ugly.write(tmp_path)

    done = run("triage", str(tmp_path))

    said = done.stdout + done.stderr
    assert [words for words in ugly.says if words not in said] == [], said
    assert done.status == ugly.status, said
    assert "c2VjcmV0LXRva2Vu" not in said
