"""The folder in which `dralint simulate` is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulate.test_command import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)
