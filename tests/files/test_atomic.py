"""Files are written completely, and special files are never replaced."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyfakefs.fake_filesystem import FakeFilesystem, set_uid

from dralint.files.atomic import ChangedError, write_atomically


@pytest.fixture(autouse=True)
def _named(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file system of pyfakefs does not have files without a name as Linux has them."""
    if "fs" in request.fixturenames:
        monkeypatch.delattr(os, "O_TMPFILE")


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


def test_a_file_that_is_no_longer_what_was_read_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"newer")

    with pytest.raises(ChangedError, match="it has changed since it was read"):
        write_atomically(file, b"new", instead_of=b"old")

    assert file.read_bytes() == b"newer"
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


def test_a_file_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(ChangedError):
        write_atomically(tmp_path / "a.yaml", b"new", instead_of=b"old")
    assert list(tmp_path.iterdir()) == []


def test_mode_and_owner_are_kept(fs: FakeFilesystem) -> None:
    fs.create_file("/deploy/a.yaml", contents="old", st_mode=0o100604)
    os.chown("/deploy/a.yaml", 1234, 2345)

    write_atomically(Path("/deploy/a.yaml"), b"new", instead_of=b"old")

    status = Path("/deploy/a.yaml").stat()
    assert (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o604, 1234, 2345)
    assert Path("/deploy/a.yaml").read_bytes() == b"new"


def test_a_full_disk_leaves_no_half_of_a_new_file(fs: FakeFilesystem) -> None:
    fs.create_dir("/deploy")
    fs.set_disk_usage(20)

    with pytest.raises(OSError, match="No space left"):
        write_atomically(Path("/deploy/a.yaml"), b"new" * 1000)

    assert list(Path("/deploy").iterdir()) == []


def test_a_file_that_may_not_be_written_is_left_alone(fs: FakeFilesystem) -> None:
    set_uid(1000)
    fs.create_file("/deploy/a.yaml", contents="old", st_mode=0o100444)

    with pytest.raises(PermissionError):
        write_atomically(Path("/deploy/a.yaml"), b"new", instead_of=b"old")

    assert Path("/deploy/a.yaml").read_bytes() == b"old"
    assert [path.name for path in Path("/deploy").iterdir()] == ["a.yaml"]


def test_a_folder_that_may_not_be_written_is_an_error(fs: FakeFilesystem) -> None:
    set_uid(1000)
    fs.create_file("/deploy/a.yaml", contents="old")
    Path("/deploy").chmod(0o555)

    with pytest.raises(PermissionError):
        write_atomically(Path("/deploy/a.yaml"), b"new", instead_of=b"old")

    assert Path("/deploy/a.yaml").read_bytes() == b"old"


def test_a_file_of_another_owner_that_could_not_be_given_back_is_left_alone(
    fs: FakeFilesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    fs.create_file("/deploy/a.yaml", contents="old")
    os.chown("/deploy/a.yaml", 1234, 2345)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("dralint.files.atomic.os.chown", refuse)
    with pytest.raises(PermissionError):
        write_atomically(Path("/deploy/a.yaml"), b"new", instead_of=b"old")

    assert Path("/deploy/a.yaml").read_bytes() == b"old"
    assert [path.name for path in Path("/deploy").iterdir()] == ["a.yaml"]


def test_two_writers_at_once_never_mix(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    contents = [bytes([97 + number]) * 200_000 for number in range(4)]

    def write(content: bytes) -> bool:
        try:
            write_atomically(file, content, instead_of=b"old")
        except ChangedError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(write, contents))

    assert any(written)
    assert file.read_bytes() in [content for content, done in zip(contents, written, strict=True) if done]
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


@pytest.mark.parametrize("step", ["fsync", "chmod", "link"])
def test_a_kill_leaves_nothing_beside_the_file(tmp_path: Path, step: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"old")
    program = f"""
import os, pathlib, signal
from dralint.files.atomic import write_atomically
os.{step} = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(pathlib.Path({str(file)!r}), b"new", instead_of=b"old")
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)

    assert done.returncode == -signal.SIGKILL
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.yaml", b"old")]


def test_where_a_file_needs_a_name_it_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    write_atomically(tmp_path / "a.yaml", b"new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.yaml", b"new")]
