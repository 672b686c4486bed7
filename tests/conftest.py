"""What all tests share: a clean environment, and dralint run within the test's own process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner

from dralint.cli.main import dralint
from tests.tables import Table

_SCRUBBED = ("CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "TF_BUILD", "TEAMCITY_VERSION")

GOOD_CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
  namespace: team-a
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
"""

BAD_CLAIM = GOOD_CLAIM.replace("deviceClassName", "deviceClasName")

OLD_CLAIM = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata:
  name: a
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
"""

CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: gpu.example.com
spec:
  selectors:
  - cel:
      expression: device.driver == "gpu.example.com"
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of dralint left behind."""

    status: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """Standard output as JSON."""
        value: dict[str, Any] = json.loads(self.stdout)
        return value

    @property
    def findings(self) -> list[tuple[str, str, int, int]]:
        """Rule, path, line and column of each finding of a JSON report."""
        return [(f["rule"], f["path"], f["line"], f["column"]) for f in self.report["findings"]]


Run = Callable[..., Outcome]
_Case = TypeVar("_Case", bound=pytest.Item)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites what is generated instead of comparing it."""
    parser.addoption("--update-golden", action="store_true", help="rewrite outputs that tests compare")


class SaidTable(pytest.File):
    """A table of what dralint says, see `tests/tables.py`."""

    def collect(self) -> Iterator[SaidCase]:
        """Yield its cases; a golden update writes the file as soon as it is collected."""
        table, title = Table(self.path), ""
        if self.config.getoption("--update-golden"):
            for case in table.cases:
                case |= table.judged(case)
            self.path.write_text(table.written(), "utf-8")
        for number, case in enumerate(table.cases):
            title = case.get("case", title)
            yield _marked(SaidCase.from_parent(self, name=f"{number} {title}", table=table, case=case))


class SaidCase(pytest.Item):
    """A case of a table."""

    def __init__(self, *, table: Table, case: dict[str, str], **rest: Any) -> None:
        super().__init__(**rest)
        self.table, self.case = table, case

    def runtest(self) -> None:
        """Compare what is said now."""
        judged = self.table.judged(self.case)

        assert judged
        assert judged == {key: self.case[key] for key in judged}, self.name


class Transcript(pytest.File):
    """A transcript of commands, see `tests/transcripts.py`."""

    def collect(self) -> Iterator[TranscriptCase]:
        """Yield its cases."""
        from tests.transcripts import cases  # it imports this module

        for case in cases(self.path):
            yield _marked(TranscriptCase.from_parent(self, name=case.sentence, hold=case.run))


class TranscriptCase(pytest.Item):
    """A case of a transcript."""

    def __init__(self, *, hold: Callable[[], None], **rest: Any) -> None:
        super().__init__(**rest)
        self.hold = hold

    def runtest(self) -> None:
        """Run its commands in an empty folder."""
        with TemporaryDirectory() as folder, chdir(folder), pytest.MonkeyPatch.context() as patch:
            _scrub(patch)
            self.hold()


def _marked(case: _Case) -> _Case:
    """Return a case with the mark `slow` where its file has that in its name."""
    if "slow" in case.path.name:
        case.add_marker(pytest.mark.slow)
    return case


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Collect the tables of what dralint says, and the transcripts of commands."""
    kinds: dict[str, type[pytest.File]] = {".said.yaml": SaidTable, ".said.txt": Transcript}
    kind = kinds.get("".join(file_path.suffixes[-2:]))
    return None if kind is None else kind.from_parent(parent, path=file_path)


def _scrub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what the developer's terminal or CI sets away from the outcome."""
    for name in list(os.environ):
        if name in _SCRUBBED or name.startswith(("GITHUB_", "DRALINT_")):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    _scrub(monkeypatch)


@pytest.fixture
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: object, stdin: str | bytes = "") -> Outcome:
    """Run dralint with arguments, and text for standard input."""
    result = CliRunner().invoke(dralint, [str(argument) for argument in arguments], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Outcome(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def run() -> Run:
    """Return a function that runs dralint with arguments, and text for standard input."""

    return invoke


Calls = Callable[[object, str], list[tuple[Any, ...]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Return a function that notes the arguments of each call of a function; what it is a part of, and its name."""

    def note(owner: object, name: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        function = getattr(owner, name)

        def noted(*arguments: Any, **options: Any) -> Any:
            found.append(arguments)
            return function(*arguments, **options)

        monkeypatch.setattr(owner, name, noted)
        return found

    return note


@pytest.fixture
def check(run: Run) -> Run:
    """Return a function that runs `dralint check --format json`."""

    def call(*arguments: object, stdin: str | bytes = "") -> Outcome:
        return run("check", "--format", "json", *arguments, stdin=stdin)

    return call
