"""Try whether the tests notice when one thing in a module is changed.

    python -m tests.mutants.run --record [tests ...]                # once, and for tests that are new since
    python -m tests.mutants.run dralint/cel/values/types.py [more modules, folders ...] [--most 20] [--seed 1]
    python -m tests.mutants.run dralint/cel/values/types.py:133      # every change of that line

Which tests run which function is recorded once, outside the repository; all else goes on in a copy of the checkout. A
change of a function is put into a copy of a process that has collected all the tests, and those that run the function
are run until one fails; where none does, and for what is outside of functions, the module is imported with the change
in a process of its own. What no test notices is printed with its line, before and after. Exit status 1 when there is
such a survivor.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.util
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from functools import _lru_cache_wrapper
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.changes import Change, changes, spread
from tests.mutants.covering import COPY_OF, ROOT, Record, record

Place = tuple[str, str, int]
"""Where a function is written: file, qualified name, first line."""

_NOTICED, _SURVIVED, _NOT_HERE = range(3)
_MEGABYTES = 3000


def places(module: CodeType) -> dict[Place, list[CodeType]]:
    """Return the code of each function of a compiled module; several where lambdas share a line."""
    found: dict[Place, list[CodeType]] = {}
    waiting = [module]
    while waiting:
        for inner in waiting.pop().co_consts:
            if isinstance(inner, CodeType):
                found.setdefault((inner.co_filename, inner.co_qualname, inner.co_firstlineno), []).append(inner)
                waiting.append(inner)
    return found


class Warm:
    """A plugin of pytest that tries changes in copies of the process that has collected the tests."""

    def __init__(self, modules: dict[Path, set[int]], tests: Record, options: argparse.Namespace) -> None:
        """Take the modules to change, each with the lines that are meant, and the record of the tests."""
        self._modules, self._tests, self._options = modules, tests, options
        self._functions: dict[Place, list[FunctionType]] = {}
        self._caches: list[_lru_cache_wrapper[object]] = []
        self._items: dict[str, pytest.Item] = {}
        self._useful: Counter[str] = Counter()
        self._sound: set[str] = set()
        self.table: list[tuple[str, int, int, Counter[str]]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the changes instead of running the tests."""
        self._items = {item.nodeid: item for item in session.items}
        for file in self._modules:
            importlib.import_module(_name(file))
        everything = gc.get_objects()
        self._caches = [each for each in everything if isinstance(each, _lru_cache_wrapper)]
        for each in everything:
            if isinstance(each, FunctionType):
                code = each.__code__
                place = (code.co_filename, code.co_qualname, code.co_firstlineno)
                self._functions.setdefault(place, []).append(each)
        del everything
        gc.freeze()
        for file in self._modules:
            self._module(file)
        return True

    def _module(self, file: Path) -> None:
        """Try changes of one module and say what nobody notices."""
        count = sum(1 for _ in changes(file))
        chosen = set(spread(count, self._options.most, self._options.seed))
        lines = self._modules[file]
        told: Counter[str] = Counter()
        name = str(file.relative_to(ROOT))
        for change in changes(file):
            if change.line not in lines if lines else change.number not in chosen:
                continue
            told["tried"] += 1
            tests = self._chosen(name, change)
            outcome = self._copy(change, tests)
            if outcome != _NOTICED and (outcome == _NOT_HERE or not self._options.quick):
                outcome = _apart(change, tests)
            if outcome == _SURVIVED:
                told["survived"] += 1
                why = "nobody notices" if tests else "no test runs it"
                print(f"{name}:{change.line}: {why}\n  - {change.before}\n  + {change.after}", flush=True)
        self.table.append((name, count, told["tried"], told))
        print(f"{name}: {told['tried']} of {count} changes tried, {told['survived']} not noticed", flush=True)

    def _chosen(self, name: str, change: Change) -> list[str]:
        """Return the tests to run, as many as time allows; first those that have noticed changes of the module."""
        tests = [test for test in self._tests.tests(name, change.function) if test in self._items]
        tests.sort(key=lambda test: -self._useful[name + test] / (0.1 + self._tests.seconds[test]))
        chosen, seconds = [], 0.0
        for test in tests:
            if seconds + self._tests.seconds[test] <= self._options.seconds:
                seconds += self._tests.seconds[test]
                chosen.append(test)
        return chosen

    def _copy(self, change: Change, tests: list[str]) -> int:
        """Run the tests in a copy of this process, with the change put into its functions."""
        while True:
            outcome, name = self._child(change, tests)
            if outcome != _NOTICED or name in self._sound:
                break
            if name and self._child(None, [name])[0] == _NOTICED:  # it fails without any change
                tests.remove(name)
                continue
            self._sound.add(name)
        self._useful[str(change.file.relative_to(ROOT)) + name] += outcome == _NOTICED
        return outcome

    def _child(self, change: Change | None, tests: list[str]) -> tuple[int, str]:
        """Return how the tests end in a copy of this process, and the one that fails, empty where time has run out."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os._exit(self._changed(change, tests, writing))
        os.close(writing)
        with os.fdopen(reading) as pipe:
            name = pipe.read()
        status = os.waitpid(child, 0)[1]
        return (os.WEXITSTATUS(status) if os.WIFEXITED(status) else _NOTICED), name

    def _changed(self, change: Change | None, tests: list[str], writing: int) -> int:
        """Change the functions of this process and run the tests; write the name of the one that fails."""
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        resource.setrlimit(resource.RLIMIT_AS, (_MEGABYTES << 20, _MEGABYTES << 20))
        if change is not None and not self._put(change):
            return _NOT_HERE
        for each in self._caches:
            each.cache_clear()
        items = [self._items[test] for test in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            signal.setitimer(
                signal.ITIMER_PROF, 2 + 3 * self._tests.seconds[item.nodeid]
            )  # its signal ends the process
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                os.write(writing, item.nodeid.encode())
                return _NOTICED
        return _SURVIVED

    def _put(self, change: Change) -> bool:
        """Give the functions that the change touches their new code. Return whether there are such functions."""
        text = change.file.read_text(encoding="utf-8")
        old = places(compile(text, str(change.file), "exec", dont_inherit=True))
        new = places(change.code())
        put = False
        for place, codes in old.items():
            if new.get(place) == codes:
                continue
            if len(codes) > 1 or len(new.get(place, ())) != 1:
                return False
            for function in self._functions.get(place, ()):
                if len(new[place][0].co_freevars) != len(function.__code__.co_freevars):
                    return False
                function.__code__ = new[place][0]
                put = True
        return put


def _apart(change: Change, tests: list[str]) -> int:
    """Run the tests in a process of their own that imports the module with the change."""
    if not tests:
        return _SURVIVED
    file = str(change.file.relative_to(ROOT))
    command = [sys.executable, "-m", "tests.mutants.run", file, "--apart", str(change.number), "--tests", *tests]
    try:
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return _NOTICED
    if ended.returncode == _NOT_HERE:
        raise SystemExit(f"{file}: the tests could not be run:\n{ended.stdout.decode()}")
    return _NOTICED if ended.returncode != _SURVIVED else _SURVIVED


def _name(file: Path) -> str:
    """Return the name that a module is imported by."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class _Changed(MetaPathFinder):
    """Imports one module with a change."""

    def __init__(self, change: Change) -> None:
        self._name, self._file, self._code = _name(change.file), change.file, change.code()

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        """Find the changed module, and no other."""
        if fullname != self._name:
            return None
        loader = _Loader(fullname, str(self._file))
        loader.code = self._code
        return importlib.util.spec_from_file_location(fullname, self._file, loader=loader)


class _Loader(SourceFileLoader):
    """Gives a module the code it is told to."""

    code: CodeType

    def get_code(self, _fullname: str) -> CodeType:
        """Return the changed code."""
        return self.code


def _alone(file: Path, number: int, tests: list[str]) -> int:
    """Run the tests with one change, in this process."""
    change = next(change for change in changes(file) if change.number == number)
    sys.meta_path.insert(0, _Changed(change))
    resource.setrlimit(resource.RLIMIT_AS, (_MEGABYTES << 20, _MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    ended = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests])
    if ended == pytest.ExitCode.USAGE_ERROR:
        raise SystemExit(_NOT_HERE)
    return _SURVIVED if ended == pytest.ExitCode.OK else _NOTICED


def _modules(names: list[str]) -> dict[Path, set[int]]:
    """Return the modules that are meant, each with the lines that are, no line for all."""
    found: dict[Path, set[int]] = {}
    for name in names:
        path, _, line = name.partition(":")
        for file in sorted((ROOT / path).rglob("*.py")) if (ROOT / path).is_dir() else [ROOT / path]:
            found.setdefault(file, set()).update([int(line)] if line else [])
    return found


def _in_a_copy() -> int:
    """Run this again in a copy of the checkout, so that one can go on working in it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "checkout"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "__pycache__", ".venv", "*_cache"))
        command = [sys.executable, "-m", "tests.mutants.run", *sys.argv[1:]]
        return subprocess.run(command, cwd=tree, env={**os.environ, COPY_OF: str(ROOT)}, check=False).returncode


def main() -> int:
    """Record, or try the changes of modules."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "modules", nargs="*", help="modules, or folders of them; `:LINE` behind one for that line alone"
    )
    parser.add_argument("--record", action="store_true", help="record what the tests named (default: all) run")
    parser.add_argument("--most", type=int, default=20, help="how many places of a module to change (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20, help="of tests for each change (default: 20)")
    parser.add_argument("--quick", action="store_true", help="do not try survivors once more in a process of their own")
    parser.add_argument("--apart", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tests", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["PYTHONPATH"] = str(ROOT)
    if options.record:
        print(record(options.modules), "tests recorded")
        return 0
    if COPY_OF not in os.environ:
        return _in_a_copy()
    modules = _modules(options.modules)
    if options.apart is not None:
        return _alone(next(iter(modules)), options.apart, options.tests)
    tests = Record.load()
    warm = Warm(modules, tests, options)
    names = {test for file in modules for test in tests.tests(str(file.relative_to(ROOT)))}
    files = sorted({name.partition("::")[0] for name in names})
    if not files:
        parser.error("no test is known to run that; start with --record")
    pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *files], plugins=[warm])
    return int(any(told["survived"] for *_, told in warm.table))


if __name__ == "__main__":
    sys.exit(main())
