"""`--write` over links: nothing outside is written, and two names of one file are one file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dralint.files.atomic import write_atomically
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Run

REWRITING = [["fix", "--kubernetes-version", "1.36", "--write", "-q"], ["migrate", "--to", "v1", "--write", "-q"]]


@pytest.fixture
def home(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file outside of the folder `repo`, which is the working directory."""
    (workdir / "home").mkdir()
    (workdir / "repo").mkdir()
    (workdir / "home/prod.yaml").write_text(OLD_CLAIM)
    monkeypatch.chdir(workdir / "repo")
    return workdir / "home/prod.yaml"


@pytest.mark.parametrize("command", REWRITING)
@pytest.mark.parametrize("link", ["vendor", "x.yaml"])
def test_no_link_leads_out_of_the_repository(run: Run, home: Path, command: list[str], link: str) -> None:
    Path(".git").mkdir()
    Path(link).symlink_to(Path("../home", "" if link == "vendor" else "prod.yaml"))
    name = "vendor/prod.yaml" if link == "vendor" else link
    outcome = run(*command, name)

    assert (outcome.status, home.read_text()) == (3, OLD_CLAIM)
    said = f"left alone: the link {Path.cwd() / link} leads out of the repository"
    assert "".join(said.split()) in "".join(outcome.stderr.split())  # a long path is broken into lines
    assert (run(*command, ".").status, home.read_text()) == (0, OLD_CLAIM)


@pytest.mark.parametrize("command", REWRITING)
def test_without_a_repository_no_link_leads_out_of_the_named_folder(run: Run, home: Path, command: list[str]) -> None:
    Path("x.yaml").symlink_to("../home/prod.yaml")

    assert (run(*command, ".").status, home.read_text()) == (0, OLD_CLAIM)
    assert run(*command, "x.yaml").status == 0  # the user has named it, and there is no bound
    assert home.read_text() != OLD_CLAIM
    assert Path("x.yaml").is_symlink()


def test_comments_are_not_written_through_a_link_that_leads_out(run: Run, home: Path) -> None:
    Path(".git").mkdir()
    home.write_text(BAD_CLAIM)
    Path("x.yaml").symlink_to("../home/prod.yaml")
    outcome = run("check", "--add-ignore=why", "x.yaml")

    assert (outcome.status, home.read_text()) == (3, BAD_CLAIM)
    assert "leads out of the repository" in outcome.stderr


@pytest.mark.parametrize("command", [*REWRITING, ["check", "--add-ignore=why"]])
def test_two_names_of_a_file_are_one_file(run: Run, workdir: Path, command: list[str]) -> None:
    Path("sub").mkdir()
    Path("sub/in.yaml").write_text(OLD_CLAIM.replace("name: a\n", "name: A_\n", 1))
    Path("l.yaml").symlink_to("sub/in.yaml")
    outcome = run(*command, ".")
    once = Path("sub/in.yaml").read_text()

    assert "changed since" not in outcome.stderr
    assert outcome.status < 3
    assert Path("l.yaml").is_symlink()
    assert once.count("dralint: ignore") == (2 if "check" in command else 0)


def test_of_two_names_the_diff_shows_the_one_without_a_link(run: Run, workdir: Path) -> None:
    Path("sub").mkdir()
    Path("sub/in.yaml").write_text(OLD_CLAIM)
    Path("l.yaml").symlink_to("sub/in.yaml")
    outcome = run("migrate", "--to", "v1", "l.yaml", "sub")

    assert [line for line in outcome.stdout.splitlines() if line.startswith("---")] == ["--- a/sub/in.yaml"]


@pytest.mark.parametrize("command", REWRITING)
def test_hard_links_are_files_of_their_own(run: Run, workdir: Path, command: list[str]) -> None:
    Path("a.yaml").write_text(OLD_CLAIM)
    Path("b.yaml").hardlink_to("a.yaml")
    Path("c.txt").hardlink_to("a.yaml")

    assert run(*command, ".").status == 0
    assert Path("a.yaml").read_text() == Path("b.yaml").read_text() != OLD_CLAIM
    assert Path("c.txt").read_text() == OLD_CLAIM


def test_a_file_that_another_process_has_written_alike_is_done(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("new")

    write_atomically(file, b"new", instead_of=b"old")

    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


_KILLED = """
import os, signal, sys
from pathlib import Path
from dralint.files import atomic
signal.signal(int(sys.argv[2]), signal.SIG_DFL)  # whoever runs the tests may ignore it
os.fsync = lambda _: os.kill(os.getpid(), int(sys.argv[2]))
atomic.write_atomically(Path(sys.argv[1]), b"new", instead_of=b"old")
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.slow
def test_a_signal_while_a_file_is_written_leaves_nothing_beside_it(tmp_path: Path, number: int) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("old")
    done = subprocess.run([sys.executable, "-c", _KILLED, str(file), str(int(number))], capture_output=True)

    assert done.returncode in (-number, 128 + number, 1)
    assert done.returncode != 0
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
    assert file.read_text() == "new"


def test_a_good_file_behind_a_link_that_leads_out_is_no_failure(run: Run, home: Path) -> None:
    Path(".git").mkdir()
    home.write_text(GOOD_CLAIM)
    Path("x.yaml").symlink_to("../home/prod.yaml")

    assert run("fix", "--write", "x.yaml").status == 0


@pytest.mark.parametrize("link", ["vendor", "x.yaml"])
def test_what_lies_behind_a_link_that_leads_out_is_not_read(run: Run, home: Path, link: str) -> None:
    Path(".git").mkdir()
    home.write_text(BAD_CLAIM)
    Path("good.yaml").write_text(GOOD_CLAIM)
    Path(link).symlink_to(Path("../home", "" if link == "vendor" else "prod.yaml"))
    outcome = run("check", ".")

    assert outcome.stdout == "1 file, 1 object: no findings; 1 link not followed: it leads outside\n"
    assert "1 link not followed: it leads outside" in run("fix", ".").stderr
    assert "1 link not followed: it leads outside" in run("migrate", "--to", "v1", ".").stderr
    assert run("check", f"{link}/prod.yaml" if link == "vendor" else link).status == 1  # the user has named it
