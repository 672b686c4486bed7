"""What the server knows of a client, without a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dralint.server.session import _SETTINGS, Session

ROOT = Path(__file__).parents[2]


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


def test_folders_of_one_window_can_have_settings_of_their_own(tmp_path: Path) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    for folder in (first, second):
        Path(folder).mkdir()
    session = Session()
    session.choose({"kubernetesVersion": "1.34", "namespace": ""}, {second: {"kubernetesVersion": "1.36"}})
    session.open_folders([first, second])
    chosen = {
        Path(root).name: [*map(str, folder.workspace.settings.releases)] for root, folder in session.folders.items()
    }

    assert chosen == {"a": ["1.34"], "b": ["1.36"]}


def test_the_extension_of_vs_code_has_all_settings_of_the_server() -> None:
    manifest = json.loads((ROOT / "editors/vscode/package.json").read_text("utf-8"))
    shown = {name.removeprefix("dralint.") for name in manifest["contributes"]["configuration"]["properties"]}
    page = (ROOT / "docs/editor.md").read_text("utf-8")

    assert {*_SETTINGS, "inlayHints", "codeLens"} == shown - {"enable", "path", "trace.server"}
    assert [name for name in _SETTINGS if f"`{name}`" not in page] == []
