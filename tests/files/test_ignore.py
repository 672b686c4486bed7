"""Patterns of .gitignore: they match as in pathspec, and hostile ones do not take longer."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from dralint.files.discover import discover, patterns_of, read_patterns, spec_of
from tests.conftest import BAD_CLAIM, Run

PIECES = ("*", "*", "a", "b", "ab", "?", "[ab]", "**", "/", "/**/", "**/", "\\*", ".")


@pytest.mark.slow
def test_the_same_matches_as_with_pathspec() -> None:
    chance = random.Random(9)
    paths = ["".join(chance.choice("aab/.*c") for _ in range(chance.randint(1, 14))).strip("/") for _ in range(400)]
    paths = sorted({path for path in paths if path and "//" not in path})
    for _ in range(1500):
        line = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 9)))
        patterns = patterns_of(line)
        if patterns is None:
            continue
        plain, tied = GitIgnoreSpec.from_lines([line], backend="simple"), spec_of([line])

        assert [(p, tied.check_file(p).include) for p in paths] == [(p, plain.check_file(p).include) for p in paths], (
            line
        )


def test_a_set_of_characters_does_not_reach_into_another_folder() -> None:
    spec = spec_of(["/a[!b]c", "x*[+-9]*y"])

    assert [name for name in ("a/c", "adc", "abc", "x/y", "x1y") if spec.match_file(name)] == ["adc", "x1y"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("*a" * 40 + "x", "a" * 250),
        ("*a" * 40 + "x/**/" + "*b" * 20, "/".join(["a" * 250] * 10)),
        ("**/a/**/" * 10 + "x", "/".join("a" * 2000)),
        ("x/**/a?/**/?a/**/[a]a/**/b", "x/" + "/".join(["aa"] * 1300)),
        ("**/*a*/**/*a*/**/*a*/**/*a*b", "/".join(["aaaa"] * 800)),
        ("*?*?*?*?*?*[b]", "a" * 250),
    ],
    ids=["stars", "stars and folders", "folders", "rooted", "both", "any"],
)
def test_no_pattern_takes_long(line: str, name: str) -> None:
    spec = spec_of([line])
    started = time.process_time()

    assert spec.match_file(name) is False
    assert time.process_time() - started < 2  # milliseconds; without care, longer than anybody waits


@pytest.mark.parametrize("line", ["[z-a]", "a[b-a]c", "x" * 5000])
def test_a_line_that_is_no_pattern_is_passed_over(tmp_path: Path, line: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text(f"{line}\nskip.yaml\n")
    (tmp_path / "below").mkdir()
    for name in ("below/keep.yaml", "below/skip.yaml"):
        (tmp_path / name).write_text(BAD_CLAIM)

    assert [source.name for source in discover([str(tmp_path)]).sources] == [str(tmp_path / "below/keep.yaml")]
    assert [source.name for source in discover([str(tmp_path / "below")]).sources] == [
        str(tmp_path / "below/keep.yaml")
    ]


def test_a_pattern_of_exclude_with_a_range_turned_round_is_wrong_usage(run: Run) -> None:
    for command in (["check"], ["diff", ".", "."], ["diff", "--git", "HEAD"]):
        outcome = run(*command, "--exclude", "[z-a]")

        assert (outcome.status, outcome.stdout) == (2, "")
    assert "'[z-a]' is not a pattern; write one as in .gitignore" in run("check", "--exclude", "[z-a]").stderr


def test_a_gitignore_that_is_no_plain_file_is_passed_over(tmp_path: Path) -> None:
    for folder in ("pipe", "device", "folder"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.yaml").write_text(BAD_CLAIM)
    os.mkfifo(tmp_path / "pipe/.gitignore")
    (tmp_path / "device/.gitignore").symlink_to("/dev/zero")
    (tmp_path / "folder/.gitignore").mkdir()
    found = discover([str(tmp_path)])

    assert [Path(source.name).parent.name for source in found.sources] == ["device", "folder", "pipe"]
    assert found.failures == []


def test_a_gitignore_of_more_than_a_megabyte_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.yaml\n" * 200_000)

    assert read_patterns(str(tmp_path / ".gitignore")) is None
