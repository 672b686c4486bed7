"""The generator of the catalogue reports mistakes in a rule, and stale files."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

RULES = Path(__file__).parents[2] / "rules"
RULE = "DRA004-duplicate-key"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A catalogue of one rule."""
    for name in (
        "limits.yaml",
        "gates.yaml",
        "releases.yaml",
        "fields.yaml",
        "workloads.yaml",
        "known-bugs.yaml",
        "topics.yaml",
        f"{RULE}.yaml",
    ):
        shutil.copy(RULES / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def generate(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The main function of rules/generate.py."""
    monkeypatch.syspath_prepend(str(RULES.parent))
    monkeypatch.delitem(sys.modules, "rules.generate", raising=False)
    from rules.generate import main

    return lambda *arguments: main([str(argument) for argument in arguments])


@pytest.mark.slow
def test_generating_twice_changes_nothing_and_removes_a_page_of_no_rule(
    folder: Path, generate: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate("--check", folder) == 1
    assert "index.json is stale: run python rules/generate.py\n" in capsys.readouterr().out
    assert generate(folder) == 0
    text = (folder / f"{RULE}.md").read_text()
    assert text.startswith("# DRA004 duplicate-key\n")
    assert "manifest.yaml:12:9  error  DRA004 duplicate-key\n" in text
    assert "  12 |         count: 2\n     |         ^^^^^\n" in text

    (folder / "DRA001-gone.md").write_text("# gone\n")
    assert generate("--check", folder) == 1
    assert capsys.readouterr().out == "DRA001-gone.md belongs to no rule: run python rules/generate.py\n"
    assert generate(folder) == 0
    assert not (folder / "DRA001-gone.md").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: duplicate-key", "name: twice", "the file of DRA004 is called DRA004-twice.yaml"),
        ("effect: rejected", "effect: refused", "no such effect: refused"),
        ("summary:", "sumary:", "unknown ['sumary'], missing ['summary']"),
        ("  - title: count is", "  - headline: count is", "an example has no headline"),
        ("kinds: [all]", "kinds: all", "kinds is a list, not 'all'"),
        ("    expect:", "    gates: {A: true}\n    expect:", "gates is text, not {'A': True}"),
        ("    manifest: |", "    before: |", "a bad example has a title, a manifest (or files) and what to expect"),
    ],
)
@pytest.mark.slow
def test_a_wrong_rule_is_told(folder: Path, generate: Callable[..., int], old: str, new: str, message: str) -> None:
    file = folder / f"{RULE}.yaml"
    file.write_text(file.read_text().replace(old, new, 1))

    with pytest.raises(SystemExit, match=r"^DRA004-duplicate-key\.yaml: ") as stop:
        generate(folder)
    assert message in str(stop.value)


@pytest.mark.slow
def test_an_example_for_no_release_is_told(folder: Path, generate: Callable[..., int]) -> None:
    file = folder / f"{RULE}.yaml"
    file.write_text(file.read_text().replace("    manifest: |", '    releases: "1.26"\n    manifest: |', 1))

    with pytest.raises(SystemExit, match="'count is written twice' applies to no release"):
        generate(folder)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("as: {}\ngates: {}\nfields: {Device: {name: no stop}}\n", "Device.name has no sentence that ends with a full"),
        ("as: {}\ngates: {A: 1}\nfields: {}\n", "A has no sentence"),
        ("as: {Device: Devise}\ngates: {}\nfields: {}\n", "`as` names types without sentences: Devise"),
    ],
)
@pytest.mark.slow
def test_what_is_no_sentence_is_told(folder: Path, generate: Callable[..., int], wrong: str, said: str) -> None:
    (folder / "fields.yaml").write_text(wrong)

    with pytest.raises(SystemExit, match=said):
        generate(folder)
