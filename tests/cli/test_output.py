"""Standard output that cannot be written, and standard input that cannot be read: one line, and exit status 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BAD_CLAIM

DRALINT = f"{sys.executable} -m dralint"
EVERY_COMMAND = [
    "check bad.yaml",
    "check --format json bad.yaml",
    "diff bad.yaml bad.yaml",
    "rules",
    "explain DRA101",
    "explain ResourceClaim.spec",
    "schema list",
    "schema show latest v1/ResourceClaim",
    "cel true",
    "--version",
    "check --help",
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM)


def shell(command: str) -> tuple[int, str]:
    """Return exit status and standard error of a command."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", EVERY_COMMAND)
def test_a_full_disk_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} >/dev/full") == (
        3,
        "dralint: standard output cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("command", ["check bad.yaml", "rules", "cel true", "--help"])
def test_a_closed_standard_output_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} >&-") == (3, "dralint: standard output cannot be written: it is closed\n")


def test_a_reader_that_has_seen_enough_is_not_told_of_findings() -> None:
    command = f"{{ {DRALINT} rules; echo $? >status; }} | true"

    assert shell(command) == (0, "")
    assert Path("status").read_text() == "0\n"


def test_a_reader_that_stops_early_does_not_change_what_was_found() -> None:
    command = f"{{ {DRALINT} check bad.yaml; echo $? >status; }} | true"

    assert shell(command) == (0, "")
    assert Path("status").read_text() == "1\n"


def test_what_cannot_be_said_changes_no_exit_status() -> None:
    assert shell(f"{DRALINT} check bad.yaml 2>&-") == (1, "")
    assert shell(f"{DRALINT} check nix.yaml 2>/dev/full") == (3, "")


@pytest.mark.parametrize("command", ["cel", "schema generate - --output out"])
def test_a_closed_standard_input_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} <&-") == (3, "dralint: standard input: it is closed\n")


def test_a_closed_standard_input_is_a_file_that_cannot_be_opened() -> None:
    done = subprocess.run(["sh", "-c", f"{DRALINT} check - <&-"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (3, "")
    assert "<stdin>:1:1  error  DRA013 unopened-file\n  cannot be read: it is closed\n" in done.stdout
