"""The hook that other repositories use."""

from __future__ import annotations

from pathlib import Path

from identify.identify import tags_from_filename
from pre_commit.clientlib import load_manifest

ROOT = Path(__file__).parents[2]


def test_the_hook_is_what_it_is_documented_to_be() -> None:
    (hook,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))

    assert (hook["id"], hook["entry"], hook["language"]) == ("dralint", "dralint check", "python")
    assert hook["require_serial"] is True


def test_the_hook_takes_yaml_and_json_files() -> None:
    (hook,) = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
    types = set(hook["types_or"])

    assert [bool(types & tags_from_filename(name)) for name in ("a.yaml", "b/c.yml", "d.json", "e.py", "f.txt")] == [
        True,
        True,
        True,
        False,
        False,
    ]
