"""A folder as an editor has it open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dralint.editor import Folder
from dralint.editor.cursor import LARGEST_TEXT
from dralint.editor.schema import choice_of
from tests.editor.manifests import BROKEN, CLAIM, CLASS, POD, SLICE


def folder(root: Path, **chosen: object) -> Folder:
    made = Folder(str(root), chosen)
    made.load()
    return made


def rules(made: Folder) -> list[str]:
    return [finding.rule for finding in made.workspace.report().findings]


def test_the_manifests_of_a_folder_count_but_for_excluded_ones(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BROKEN)
    (tmp_path / "b.yaml").write_text(BROKEN)
    (tmp_path / ".dralint.yaml").write_text("exclude: [b.yaml]\n")
    made = folder(tmp_path)
    made.workspace.open(str(tmp_path / "b.yaml"), BROKEN)

    assert {finding.file for finding in made.workspace.report().findings} == {str(tmp_path / "a.yaml")}


@pytest.mark.parametrize(("limit", "most"), [("MOST", (1, 9)), ("MOST", (9, 1)), ("MOST_BYTES", 10)])
def test_of_a_folder_that_is_too_large_only_open_texts_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: object
) -> None:
    (tmp_path / "below").mkdir()
    for name in ("a.yaml", "below/b.yaml", "below/c.yaml"):
        (tmp_path / name).write_text(BROKEN)
    monkeypatch.setattr(f"dralint.editor.workspace.{limit}", most)
    made = folder(tmp_path, complete=True)
    made.workspace.open(str(tmp_path / "a.yaml"), BROKEN)
    made.changed([str(tmp_path / "new.yaml")])
    (said,) = made.failures

    assert rules(made) == ["DRA101"]
    assert said.startswith(f"{tmp_path}: dralint reads only the texts that the editor shows, as there are more than")


def test_without_a_file_that_is_too_large_the_input_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "claim.yaml").write_text(CLAIM + "#" * LARGEST_TEXT)
    made = folder(tmp_path, complete=True)

    assert rules(made) == []
    assert [one.partition(" cannot be read: ")[2] for one in made.failures] == [
        "[Errno 27] it has more than 8 MiB; split it into several files"
    ]


def test_without_an_open_text_that_is_too_large_the_input_is_not_complete(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD)
    made = folder(tmp_path, complete=True)
    made.workspace.open(str(tmp_path / "claim.yaml"), CLAIM + "#" * LARGEST_TEXT)
    large = rules(made)
    made.workspace.close(str(tmp_path / "claim.yaml"))

    assert (large, rules(made)) == ([], ["DRA401"])


def test_a_change_on_disk_counts(tmp_path: Path) -> None:
    made = folder(tmp_path)
    file = tmp_path / "a.yaml"
    file.write_text(BROKEN)
    made.changed([str(file)])
    new = rules(made)
    file.write_text(CLAIM)
    made.changed([str(file)])
    mended = rules(made)
    file.write_text(BROKEN)
    made.changed([str(file)])
    file.unlink()
    made.changed([str(file)])

    assert (new, mended, rules(made)) == (["DRA101"], [], [])


def test_while_the_configuration_has_a_mistake_the_settings_before_it_hold(tmp_path: Path) -> None:
    configuration = tmp_path / ".dralint.yaml"
    configuration.write_text("ignore: [DRA101]\n")
    (tmp_path / "a.yaml").write_text(BROKEN)
    made = folder(tmp_path)
    configuration.write_text("ignore: [DRA101]\nselekt: 1\n")
    made.changed([str(configuration)])

    assert [(one.line, one.message) for one in made.mistakes] == [(2, 'unknown key "selekt"')]
    assert rules(made) == []


def test_a_wrong_choice_of_an_editor_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BROKEN)
    made = folder(tmp_path, **{"kubernetes-version": "1.99", "ignore": ["DRA101"]})

    assert made.refused[0].startswith("kubernetes-version: ")
    assert rules(made) == []


def test_slices_outside_of_the_folder_are_the_inventory(tmp_path: Path) -> None:
    (tmp_path / "slices.yaml").write_text(SLICE)
    root = tmp_path / "deploy"
    root.mkdir()
    (root / "a.yaml").write_text(CLASS + "---\n" + CLAIM.replace("a100", "a1000"))
    made = folder(root, slices=[str(tmp_path / "slices.yaml")])

    assert "DRA430" in rules(made)


def test_a_mistake_in_an_unsaved_configuration_is_known(tmp_path: Path) -> None:
    made = folder(tmp_path)
    found = made.mistakes_of(str(tmp_path / ".dralint.yaml"), b'kubernetes-version: "1.99"\n')

    assert [one.line for one in found] == [1]


@pytest.mark.slow
def test_the_functions_need_neither_pygls_nor_processes() -> None:
    program = """
import sys
for name in ("pygls", "lsprotocol", "multiprocessing", "concurrent", "socket"):
    sys.modules[name] = None
from dralint.editor import Span, Workspace, actions, complete, hover
there = Workspace()
there.open("a", "apiVersion: resource.k8s.io/v1\\nkind: ResourceClaim\\nmetadat: {name: a}\\n")
print([finding.rule for finding in there.findings()["a"]], len(actions(there, "a", Span(0, 99))) > 0)
print(hover(there, "a", 3) is not None, complete(there, "a", 50) != [])
"""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)

    assert done.stdout == "['DRA101'] True\nTrue True\n", done.stderr


def test_a_look_at_the_files_returns_those_that_are_other_ones(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CLAIM)
    (tmp_path / "gone.yaml").write_text(CLASS)
    made = folder(tmp_path)
    made.look()
    nothing = made.look()
    (tmp_path / "a.yaml").write_text(BROKEN)
    (tmp_path / "b.yaml").write_text(POD)
    (tmp_path / "gone.yaml").unlink()
    (tmp_path / ".dralint.yaml").write_text("ignore: DRA706\n")
    found = made.look()
    made.changed(found)

    assert nothing == []
    assert sorted(Path(one).name for one in found) == [".dralint.yaml", "a.yaml", "b.yaml", "gone.yaml"]
    assert (rules(made), made.look()) == (["DRA101"], [])


def test_a_pack_that_changes_on_disk_counts(tmp_path: Path) -> None:
    pack = tmp_path / "gpu.yaml"
    pack.write_text("pack: 1\ndriver: gpu.acme.example\nversions: [v1]\nattributes:\n- {name: rack, type: string}\n")
    (tmp_path / ".dralint.yaml").write_text("driver-packs: [gpu.yaml]\nexclude: [gpu.yaml]\n")
    made = folder(tmp_path)
    made.look()
    pack.write_text(pack.read_text() + "- {name: color, type: string}\n")

    assert made.look() == [str(pack)]
    made.changed([str(pack)])

    target = choice_of(made.workspace).target("gpu.acme.example")
    assert target is not None
    assert [one["name"] for one in target.pack.data["attributes"]] == ["rack", "color"]
