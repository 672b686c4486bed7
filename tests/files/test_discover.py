"""Which files are read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dralint.files.discover import discover
from dralint.finding.report import LEADS_OUT, LeftOut


def write(root: Path, *names: str) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a: 1\n")


def names(root: Path, *paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    os.chdir(root)
    found = discover(paths or (".",), exclude)
    assert found.failures == []
    assert found.missing == []
    return [source.name for source in found.sources]


pytestmark = pytest.mark.usefixtures("workdir")


def test_a_directory_gives_yaml_and_json_files_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b/z.yaml", "b/a.yml", "a.json", "c.txt", "d.YAML", "Makefile")

    assert names(tmp_path) == ["a.json", "b/a.yml", "b/z.yaml", "d.YAML"]


def test_names_begin_with_the_path_as_given(tmp_path: Path) -> None:
    write(tmp_path, "deploy/x.yaml")

    assert names(tmp_path, "deploy") == ["deploy/x.yaml"]
    assert names(tmp_path, "./deploy/") == ["./deploy/x.yaml"]
    assert names(tmp_path, str(tmp_path)) == [f"{tmp_path}/deploy/x.yaml"]


def test_a_named_file_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    write(tmp_path, "manifest.txt", ".hidden/x.yaml")

    assert names(tmp_path, "manifest.txt", ".hidden/x.yaml") == ["manifest.txt", ".hidden/x.yaml"]


def test_hidden_directories_are_left_out_but_hidden_files_are_not(tmp_path: Path) -> None:
    write(tmp_path, ".github/w.yaml", ".git/x.yaml", ".claims.yaml", "a/.cache/y.yaml")

    assert names(tmp_path) == [".claims.yaml"]


def test_each_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path, "a/x.yaml")

    assert names(tmp_path, "a", "a/x.yaml", "./a") == ["a/x.yaml"]


def test_globs_find_files_and_directories(tmp_path: Path) -> None:
    write(tmp_path, "a/x.yaml", "a/b/y.txt", "c/z.json")

    assert names(tmp_path, "**/*.txt") == ["a/b/y.txt"]
    assert names(tmp_path, "[ac]") == ["a/x.yaml", "c/z.json"]


def test_a_file_whose_name_looks_like_a_glob_is_taken_literally(tmp_path: Path) -> None:
    write(tmp_path, "a[1].yaml", "a1.yaml")

    assert names(tmp_path, "a[1].yaml") == ["a[1].yaml"]


def test_gitignore_files_are_nested_and_the_nearest_one_wins(tmp_path: Path) -> None:
    write(tmp_path, "a/gen.yaml", "a/keep.yaml", "b/gen.yaml", "build/x.yaml", "b/build.yaml", "b/c/only.yaml")
    (tmp_path / ".gitignore").write_text("gen.yaml\nbuild/\n")
    (tmp_path / "b/.gitignore").write_text("!gen.yaml\n/c/*.yaml\n")

    assert names(tmp_path) == ["a/keep.yaml", "b/build.yaml", "b/gen.yaml"]


def test_gitignore_files_above_hold_within_a_repository(tmp_path: Path) -> None:
    write(tmp_path, "a/b/gen.yaml", "a/b/x.yaml")
    (tmp_path / ".gitignore").write_text("gen.yaml\n")

    assert names(tmp_path, "a/b") == ["a/b/gen.yaml", "a/b/x.yaml"]
    (tmp_path / ".git").mkdir()
    assert names(tmp_path, "a/b") == ["a/b/x.yaml"]


def test_an_ignored_directory_or_file_that_is_named_is_read(tmp_path: Path) -> None:
    write(tmp_path, "build/x.yaml")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("build/\n")

    assert names(tmp_path) == []
    assert names(tmp_path, "build") == ["build/x.yaml"]
    assert names(tmp_path, "build/x.yaml") == ["build/x.yaml"]


def test_a_malformed_line_of_gitignore_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "b.yaml")
    (tmp_path / ".gitignore").write_bytes(b"!\n\xff\xfe[\na.yaml\n")

    assert names(tmp_path) == ["b.yaml"]


def test_exclude_takes_patterns_of_gitignore(tmp_path: Path) -> None:
    write(tmp_path, "deploy/charts/x.yaml", "deploy/y.gen.yaml", "deploy/z.yaml", "other/charts.yaml")

    assert names(tmp_path, exclude=("charts/", "*.gen.yaml")) == ["deploy/z.yaml", "other/charts.yaml"]
    assert names(tmp_path, exclude=("deploy/charts/**", "./other")) == ["deploy/y.gen.yaml", "deploy/z.yaml"]
    assert names(tmp_path, str(tmp_path), exclude=("/deploy", "other")) == []


def test_exclude_leaves_out_named_files_as_well(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "b.yaml")

    assert names(tmp_path, "a.yaml", "b.yaml", exclude=("b.*",)) == ["a.yaml"]


@pytest.mark.parametrize("pattern", ["", "!", "  "])
def test_a_malformed_exclude_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"is not a pattern; write one as in \.gitignore"):
        discover((".",), (pattern,))


@pytest.mark.parametrize("pattern", ["[", "charts/[a-", "[]", "x[!]", "a[^"])
def test_a_set_of_characters_without_end_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"has a `\[` without its `\]`; for the character itself write `\\\["):
        discover((".",), (pattern,))


def test_brackets_in_exclude_are_sets_or_characters(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "b.yaml", "[.yaml", "].yaml")

    assert names(tmp_path, exclude=("[ab].yaml", "\\[.yaml")) == ["].yaml"]
    assert names(tmp_path, exclude=("[]].yaml", "[!]a].yaml")) == ["a.yaml"]


def test_a_loop_of_links_ends_and_real_names_win(tmp_path: Path) -> None:
    write(tmp_path, "z/real.yaml")
    (tmp_path / "z/loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a").symlink_to(tmp_path / "z", target_is_directory=True)
    (tmp_path / "self.yaml").symlink_to(tmp_path / "self.yaml")
    (tmp_path / "nowhere.yaml").symlink_to(tmp_path / "missing")

    assert names(tmp_path) == ["z/real.yaml"]


def test_links_out_of_the_directory_are_followed_where_they_stay_in_its_repository(tmp_path: Path) -> None:
    write(tmp_path, "there/x.yaml", "here/y.yaml")
    (tmp_path / "here/linked").symlink_to(tmp_path / "there", target_is_directory=True)
    (tmp_path / "here/file.yaml").symlink_to(tmp_path / "there/x.yaml")

    assert names(tmp_path, "here") == ["here/y.yaml"]
    assert discover((str(tmp_path / "here"),)).left_out == [
        LeftOut(f"{tmp_path}/here/{name}", LEADS_OUT) for name in ("file.yaml", "linked/")
    ]
    (tmp_path / ".git").mkdir()

    assert names(tmp_path, "here") == ["here/file.yaml", "here/linked/x.yaml", "here/y.yaml"]


def test_missing_paths_are_named(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml")
    found = discover(("nix", "a.yaml", "*.json", "", "a.yaml/b", "x\0y"))

    assert found.missing == ["nix", "*.json", "", "a.yaml/b", "x\0y"]
    assert [source.name for source in found.sources] == ["a.yaml"]


def test_a_name_that_is_not_utf8_is_shown_with_replacement(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text("a: 1\n")
    found = discover((".",))

    assert [source.name for source in found.sources] == ["\ufffd.yaml"]
    assert found.sources[0].read() == b"a: 1\n"


@pytest.mark.slow
def test_ten_thousand_files_are_found_each_once_and_in_order(tmp_path: Path) -> None:
    expected = [f"d{folder:03}/f{file:03}.yaml" for folder in range(100) for file in range(100)]
    for folder in range(100):
        (tmp_path / f"d{folder:03}").mkdir()
    for name in expected:
        (tmp_path / name).touch()

    assert names(tmp_path, ".", "d007", "d0*") == expected
