"""Files are written whole, and what is no plain file is never replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.files.atomic import write_atomically


def test_replaces_a_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("old", "utf-8")

    write_atomically(file, b"new")

    assert file.read_text("utf-8") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_writes_through_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "a.json", tmp_path / "b.json"
    file.write_text("old", "utf-8")
    link.symlink_to(file)

    write_atomically(link, b"new")

    assert link.is_symlink()
    assert file.read_text("utf-8") == "new"


def test_a_device_is_written_to_not_replaced() -> None:
    write_atomically(Path("/dev/null"), b"gone")

    assert Path("/dev/null").is_char_device()


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "x" / "a.json", b"new")
