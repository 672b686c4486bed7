"""Unusual folders: loops of links, unreadable files, and files that disappear meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyfakefs.fake_filesystem import FakeFilesystem, set_uid

from dralint.files.discover import discover
from dralint.finding.report import Failure


@pytest.fixture(autouse=True)
def _nobody(fs: FakeFilesystem) -> Iterator[None]:
    """Root may read everything; the tests run as somebody else."""
    set_uid(1000)
    fs.create_dir("/work")
    os.chdir("/work")
    yield
    set_uid(0)


def names(*paths: str) -> list[str]:
    found = discover(paths)
    assert (found.failures, found.missing) == ([], [])
    return [source.name for source in found.sources]


def test_a_folder_that_may_not_be_entered_is_a_failure_where_it_is_named(fs: FakeFilesystem) -> None:
    fs.create_file("/work/closed/x.yaml")
    fs.create_file("/work/open/y.yaml")
    Path("/work/closed").chmod(0)

    found = discover(["closed/x.yaml", "open"])

    assert found.failures == [Failure("closed/x.yaml", "cannot be opened: Permission denied")]
    assert [source.name for source in found.sources] == ["open/y.yaml"]


def test_a_file_that_may_not_be_read_is_found_and_refused_when_it_is_read(fs: FakeFilesystem) -> None:
    fs.create_file("/work/x.yaml", st_mode=0o100000)

    (source,) = discover(["."]).sources

    with pytest.raises(PermissionError):
        source.read()


def test_a_folder_that_vanishes_while_others_are_listed_is_a_failure(
    fs: FakeFilesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs.create_file("/work/a/x.yaml")
    fs.create_file("/work/b/y.yaml")
    listing = os.scandir

    def vanish(path: str) -> object:
        entries = listing(path)
        if path == "b" and Path("/work/a").exists():
            fs.remove_object("/work/a")
        return entries

    monkeypatch.setattr("dralint.files.discover.os.scandir", vanish)
    found = discover(["."])

    assert found.failures == [Failure("a", "cannot be listed: No such file or directory")]
    assert [source.name for source in found.sources] == ["b/y.yaml"]


def test_a_gitignore_that_may_not_be_read_excludes_nothing(fs: FakeFilesystem) -> None:
    fs.create_file("/work/.gitignore", contents="x.yaml\n", st_mode=0o100000)
    fs.create_file("/work/x.yaml")

    assert names(".") == ["x.yaml"]
