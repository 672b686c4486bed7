"""The processes of a run: a killed process loses no file, and no process outlives the run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.lint import pool
from dralint.lint.linter import Linter
from dralint.lint.run_files import FilesJudged
from tests.conftest import BAD_CLAIM

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")


@pytest.fixture
def sources(tmp_path: Path) -> list[Source]:
    out = []
    for number in range(300):
        path = tmp_path / f"{number:03}.yaml"
        path.write_text(BAD_CLAIM)
        out.append(Source(path.name, str(path)))
    return out


@pytest.mark.slow
def test_only_the_file_whose_process_is_killed_is_not_judged(
    sources: list[Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, here = pool.judge_file, os.getpid()

    def stumble(linter: Linter, source: Source, task: pool.Task) -> FilesJudged:
        if source.name == "077.yaml" and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(linter, source, task)

    monkeypatch.setattr(pool, "judge_file", stumble)
    report = pool.run(sources, Settings(), jobs=2)

    assert [(failure.file, failure.message) for failure in report.failures] == [
        ("077.yaml", "could not be judged: its process was killed")
    ]
    assert {finding.file for finding in report.findings} == {source.name for source in sources} - {"077.yaml"}
    assert report.files == 300


_PROGRAM = """
import os, signal
from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.finding.report import Report
from dralint.lint import pool
from dralint.lint.linter import Linter

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may ignore it

def stay(linter, source, task):
    if os.getppid() != parent:
        return judge(linter, source, task)
    os.write(1, b"x")
    while True:
        signal.pause()

judge, parent = pool.judge_file, os.getpid()
pool.judge_file = stay
pool.run([Source(name, name) for name in sorted(os.listdir("."))], Settings(), jobs=2)
"""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.slow
def test_workers_end_with_their_parent(sources: list[Source], tmp_path: Path, sign: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.Popen([sys.executable, "-c", _PROGRAM], cwd=tmp_path, env=environment, stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.read(2) == b"xx"  # one of each worker
    run.send_signal(sign)

    run.communicate(timeout=20)  # until nobody has the pipe any more
    assert run.returncode == -sign
