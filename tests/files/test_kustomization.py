"""Files that a kustomization lists as patches."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyfakefs.fake_filesystem import FakeFilesystem, set_uid

from dralint.config.settings import Settings
from dralint.files.kustomize import patched_by, patches
from dralint.files.source import Source
from dralint.lint.pool import run

PATCH = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {resourceClaims: [{name: a}], containers: []}\n"


def judged(file: Path) -> tuple[list[str], list[str]]:
    patches.cache_clear()
    report = run([Source("patch.yaml", str(file))], Settings())
    assert report.failures == []
    return [finding.rule for finding in report.findings], [skipped.reason for skipped in report.skipped]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kustomization.yaml", "patches: [{path: overlay/patch.yaml, target: {kind: Pod}}]"),
        ("kustomization.yml", "patchesStrategicMerge:\n- ./overlay/patch.yaml\n- |-\n  kind: Pod\n"),
        ("Kustomization", "patchesJson6902: [{target: {kind: Pod}, path: overlay/patch.yaml}]"),
    ],
)
def test_a_patch_of_a_kustomization_above_is_skipped(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "overlay").mkdir()
    file = tmp_path / "overlay" / "patch.yaml"
    file.write_text(PATCH)

    assert judged(file) == ([], [f"a patch of {name}"])


@pytest.mark.parametrize(
    "text", ["resources: [patch.yaml]", "patches: [{path: other.yaml}, 5, null]", "patches: 7", "[", "patches: [[]]"]
)
def test_a_file_that_is_no_patch_is_judged(tmp_path: Path, text: str) -> None:
    (tmp_path / "kustomization.yaml").write_text(text)
    file = tmp_path / "patch.yaml"
    file.write_text(PATCH)

    assert judged(file) == (["DRA215"], [])


LISTS_IT = "patches: [{path: overlay/patch.yaml}]"


@pytest.fixture
def folder(fs: FakeFilesystem) -> FakeFilesystem:
    """A folder with a patch, seen by somebody who is not root."""
    patches.cache_clear()
    set_uid(1000)
    fs.create_file("/work/overlay/patch.yaml", contents=PATCH)
    return fs


def test_a_kustomization_that_may_not_be_read_lists_nothing(folder: FakeFilesystem) -> None:
    folder.create_file("/work/kustomization.yaml", contents=LISTS_IT, st_mode=0o100000)

    assert patched_by("/work/overlay/patch.yaml") is None


def test_where_one_may_not_be_read_the_next_name_counts(folder: FakeFilesystem) -> None:
    folder.create_file("/work/kustomization.yaml", contents=LISTS_IT, st_mode=0o100000)
    folder.create_file("/work/kustomization.yml", contents=LISTS_IT)

    assert patched_by("/work/overlay/patch.yaml") == "kustomization.yml"


def test_a_kustomization_that_links_to_itself_lists_nothing(folder: FakeFilesystem) -> None:
    folder.create_symlink("/work/kustomization.yaml", "/work/kustomization.yaml")

    assert patched_by("/work/overlay/patch.yaml") is None


def test_a_kustomization_that_vanishes_before_it_is_read_lists_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patches.cache_clear()
    (tmp_path / "kustomization.yaml").write_text(LISTS_IT)
    is_file = Path.is_file

    def vanish(path: Path) -> bool:
        there = is_file(path)
        if path.name == "kustomization.yaml" and there:
            path.unlink()
        return there

    monkeypatch.setattr("pathlib.Path.is_file", vanish)

    assert patched_by(str(tmp_path / "overlay" / "patch.yaml")) is None
    assert not (tmp_path / "kustomization.yaml").exists()


@pytest.mark.parametrize(("size", "name"), [(1_000_000, "kustomization.yaml"), (1_000_001, None)])
def test_a_kustomization_of_more_than_a_megabyte_lists_nothing(
    folder: FakeFilesystem, size: int, name: str | None
) -> None:
    folder.create_file("/work/kustomization.yaml", contents=f"{LISTS_IT}\n#".ljust(size, "-"))

    assert patched_by("/work/overlay/patch.yaml") == name


def test_one_three_folders_above_is_not_looked_for(folder: FakeFilesystem) -> None:
    folder.create_file("/kustomization.yaml", contents="patches: [{path: work/a/b/patch.yaml}]")
    folder.create_file("/work/a/b/patch.yaml", contents=PATCH)

    assert patched_by("/work/a/b/patch.yaml") is None
