"""Standard output that cannot be written, and standard input that cannot be read: one line, and exit status 3."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM

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
def _folder(workdir: Path) -> None:
    (workdir / "bad.yaml").write_text(BAD_CLAIM)


def shell(command: str) -> tuple[int, str]:
    """Return exit status and standard error of a command."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", EVERY_COMMAND)
@pytest.mark.slow
def test_a_full_disk_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} >/dev/full") == (
        3,
        "dralint: standard output cannot be written: No space left on device\n",
    )


@pytest.mark.parametrize("command", ["check bad.yaml", "rules", "cel true", "--help"])
@pytest.mark.slow
def test_a_closed_standard_output_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} >&-") == (3, "dralint: standard output cannot be written: it is closed\n")


def test_a_reader_that_has_seen_enough_is_not_told_of_findings() -> None:
    command = f"{{ {DRALINT} rules; echo $? >status; }} | true"

    assert shell(command) == (0, "")
    assert Path("status").read_text() == "0\n"


@pytest.mark.slow
def test_a_reader_that_stops_early_does_not_change_what_was_found() -> None:
    command = f"{{ {DRALINT} check bad.yaml; echo $? >status; }} | true"

    assert shell(command) == (0, "")
    assert Path("status").read_text() == "1\n"


@pytest.mark.slow
def test_what_cannot_be_said_changes_no_exit_status() -> None:
    assert shell(f"{DRALINT} check bad.yaml 2>&-") == (1, "")
    assert shell(f"{DRALINT} check nix.yaml 2>/dev/full") == (3, "")


@pytest.mark.parametrize("command", ["cel", "schema generate - --output out"])
@pytest.mark.slow
def test_a_closed_standard_input_is_told_in_one_line(command: str) -> None:
    assert shell(f"{DRALINT} {command} <&-") == (3, "dralint: standard input: it is closed\n")


def test_a_closed_standard_input_is_a_file_that_cannot_be_opened() -> None:
    done = subprocess.run(["sh", "-c", f"{DRALINT} check - <&-"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (3, "")
    assert "<stdin>:1:1  error  DRA013 unopened-file\n  cannot be read: it is closed\n" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/fd of Linux")
@pytest.mark.slow
def test_a_report_goes_to_where_a_descriptor_leads() -> None:
    command = f"{DRALINT} check -q bad.yaml --output-file json=/dev/stdout"
    shell(
        f"{command} > both.txt; {command} | cat > piped.txt; {command.replace('stdout', 'fd/7')} 7> own.json > text.txt"
    )
    both, text = Path("both.txt").read_text(), Path("text.txt").read_text()

    assert both == Path("own.json").read_text() + text
    assert both == Path("piped.txt").read_text()
    assert both.startswith('{\n "version": 1,')
    assert text.startswith("bad.yaml:")


@pytest.mark.slow
def test_a_report_to_a_link_to_itself_is_wrong_usage() -> None:
    Path("link").symlink_to("link")
    status, error = shell(f"{DRALINT} check bad.yaml --output-file json=link")

    assert status == 2
    assert "--output-file: 'link' is a link to itself" in error


@pytest.mark.slow
def test_memory_that_is_not_enough_is_no_finding() -> None:
    Path("large.yaml").write_text(BAD_CLAIM + "".join(f"zz{number}: 1\n" for number in range(100_000)))
    for memory in (60_000, 100_000):
        status, error = shell(f"ulimit -v {memory}; {DRALINT} check large.yaml > out.txt")

        assert status in (1, 3), memory
        assert "Traceback" not in error
        assert status == 3 or "DRA101" in Path("out.txt").read_text()
