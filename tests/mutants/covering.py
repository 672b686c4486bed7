"""Which tests run which function of dralint, recorded once and kept outside the repository."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType

import pytest

ROOT = Path(__file__).parents[2]
COPY_OF = "MUTANTS_COPY_OF"
"""Environment variable: the checkout that this one is a copy of."""


def store() -> Path:
    """Return the file that keeps the record of this checkout."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return (
        cache
        / "dralint-mutants"
        / f"{hashlib.sha256(os.environ.get(COPY_OF, str(ROOT)).encode()).hexdigest()[:16]}.json"
    )


class Record:
    """What ran in each test: `{test: {"seconds": float, "ran": {module: [qualified name, ...]}}}`."""

    def __init__(self, tests: dict[str, dict[str, object]]) -> None:
        """Take the record as it is stored."""
        self.seconds: dict[str, float] = {name: float(str(row["seconds"])) for name, row in tests.items()}
        self._ran: dict[str, dict[str, list[str]]] = {name: row["ran"] for name, row in tests.items()}  # type: ignore[misc]

    @classmethod
    def load(cls) -> Record:
        """Read what is stored; nothing where nothing is."""
        return cls(json.loads(store().read_text(encoding="utf-8")) if store().is_file() else {})

    def tests(self, module: str, function: str | None = None) -> list[str]:
        """Return the tests that ran the function, then those that ran others of its module.

        A function behind a cache is recorded with the first test alone that called it: hence the others. Each file of
        tests comes in turn, so that those which judge the same examples again and again do not take all the time.
        """
        of_module = {test: ran[module] for test, ran in self._ran.items() if module in ran}
        ran_it = {test for test, functions in of_module.items() if function in functions}
        breadth = {test: len(functions) for test, functions in of_module.items()}
        return [*self._in_turn(ran_it, breadth), *self._in_turn(of_module.keys() - ran_it, breadth)]

    def _in_turn(self, tests: Collection[str], breadth: Mapping[str, int]) -> list[str]:
        """Order tests so that their files take the same time as far as one has come, first those that run the most."""
        files: dict[str, float] = {}
        taken: list[tuple[float, str]] = []
        for test in sorted(tests, key=lambda test: (-breadth[test], self.seconds[test], test)):
            file = test.partition("::")[0]
            files[file] = files.get(file, 0) + self.seconds[test]
            taken.append((files[file], test))
        return [test for _, test in sorted(taken)]


class Recorder:
    """A plugin of pytest that notes the functions of dralint which each test calls."""

    def __init__(self) -> None:
        """Start with an empty record."""
        self.tests: dict[str, dict[str, object]] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run one test while every call is noted."""
        seen: set[CodeType] = set()

        def called(frame: FrameType, _event: str, _arg: object) -> None:
            seen.add(frame.f_code)

        began = time.process_time()
        sys.settrace(called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            ran: dict[str, list[str]] = {}
            for code in seen:
                if code.co_filename.startswith(f"{ROOT}/dralint/"):
                    ran.setdefault(os.path.relpath(code.co_filename, ROOT), []).append(code.co_qualname)
            if item.nodeid not in self._failed:
                seconds = round(time.process_time() - began, 3)
                self.tests[item.nodeid] = {"seconds": seconds, "ran": {key: sorted(set(ran[key])) for key in ran}}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out the tests that fail or are skipped: they would notice every change, or none."""
        if not report.passed:
            self._failed.add(report.nodeid)


def record(arguments: list[str]) -> int:
    """Run tests and add what they call to the stored record. Return how many have been recorded."""
    recorder = Recorder()
    os.chdir(ROOT)
    pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments], plugins=[recorder])
    old = json.loads(store().read_text(encoding="utf-8")) if store().is_file() else {}
    store().parent.mkdir(parents=True, exist_ok=True)
    files = {test.partition("::")[0] for test in recorder.tests}
    kept = {test: row for test, row in old.items() if test.partition("::")[0] not in files}
    store().write_text(json.dumps(kept | recorder.tests), encoding="utf-8")
    return len(recorder.tests)
