"""Start-up is what a pre-commit hook feels: nothing is imported before it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM

HEAVY = ("jsonschema", "referencing", "ruamel", "rich")
_PROBE = """
import sys
from dralint.cli.main import dralint
try:
    dralint({arguments!r}, prog_name="dralint")
except SystemExit as end:
    assert end.code in (0, 1), end.code
print(*sorted({{name.partition(".")[0] for name in sys.modules}}), file=sys.stderr)
print(*sorted(sys.modules), file=sys.stderr)
"""
_RECORDS = """
import sys
from dralint.cli.main import dralint
try:
    dralint(["check", sys.argv[1]], prog_name="dralint")
except SystemExit as end:
    assert end.code == 0, end.code
for name, module in sorted(sys.modules.items()):
    for each in vars(module).values() if name.startswith("dralint.") else ():
        if isinstance(each, type) and issubclass(each, tuple) and each.__module__ == name and hasattr(each, "_fields"):
            print(each.__mro__[1].__module__, name, each.__name__, file=sys.stderr)
"""


def modules(*arguments: str) -> tuple[set[str], set[str]]:
    """Return packages and modules imported by a run."""
    probe = _PROBE.format(arguments=list(arguments))
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    packages, names = done.stderr.splitlines()
    return set(packages.split()), set(names.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["rules"],
        ["explain", "DRA101"],
        ["explain", "capacity"],
        ["completion", "bash"],
        ["check", "--help"],
    ],
)
@pytest.mark.slow
def test_help_and_catalogue_import_click_alone(arguments: list[str]) -> None:
    packages, names = modules(*arguments)

    assert packages.isdisjoint([*HEAVY, "pathspec", "multiprocessing", "concurrent"])
    assert "dralint.lint.linter" not in names


def test_help_reads_no_catalogue() -> None:
    assert "dralint.finding.catalogue" not in modules("--help")[1]


@pytest.mark.parametrize("format_", ["json", "text"])
@pytest.mark.slow
def test_a_good_file_needs_no_heavy_library(tmp_path: Path, format_: str) -> None:
    file = tmp_path / "good.yaml"
    file.write_text(GOOD_CLAIM)
    packages, names = modules("check", "--format", format_, str(file))

    assert packages.isdisjoint([*HEAVY, "pathspec", "multiprocessing", "concurrent"])
    assert "dralint.lint.release_judge" in names
    assert names.isdisjoint(["yaml", "dralint.yaml.composer", "difflib"])


@pytest.mark.slow
def test_a_good_file_defines_no_named_tuple_of_typing(tmp_path: Path) -> None:
    file = tmp_path / "good.yaml"
    file.write_text(GOOD_CLAIM)
    done = subprocess.run([sys.executable, "-c", _RECORDS, str(file)], capture_output=True, text=True, check=True)
    records = done.stderr.splitlines()

    assert "dralint.records dralint.files.source Source" in records
    assert [record for record in records if not record.startswith("dralint.records ")] == [
        "builtins dralint.records _Record"
    ]


@pytest.mark.slow
def test_findings_in_plain_text_need_no_heavy_library(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD_CLAIM)

    assert modules("check", str(file))[0].isdisjoint(HEAVY)
