"""What the server knows of a client, without a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dralint.server.session import Session

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("inner_first", [False, True])
def test_a_text_waits_for_the_comparison_of_the_innermost_folder_that_is_open(
    tmp_path: Path, inner_first: bool
) -> None:
    outer, inner = str(tmp_path), str(tmp_path / "team")
    (tmp_path / "team").mkdir()
    session = Session()
    session.open_folders([inner, outer] if inner_first else [outer, inner])
    session.folder(str(tmp_path / "a.yaml")).workspace.comparing = 1.0

    slowly = {name: session.compares_slowly(str(tmp_path / name)) for name in ("a.yaml", "team/b.yaml")}
    assert slowly == {"a.yaml": True, "team/b.yaml": False}
    assert session.compares_slowly("/elsewhere/c.yaml") is False
