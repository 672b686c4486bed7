"""What the action, a release, the site and CI install: versions with hashes, for all that pyproject.toml requires."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "requirements"
GENERATE: dict[str, Any] = runpy.run_path(str(FOLDER / "generate.py"))
WANTED: dict[str, list[str]] = GENERATE["wanted"](ROOT / "pyproject.toml")
RUN = (FOLDER / "run.txt").read_text("utf-8")


def faults(text: str, requirements: list[str]) -> list[str]:
    return list(GENERATE["faults"](text, requirements))


@pytest.mark.parametrize("name", WANTED)
def test_a_file_has_a_version_in_range_and_hashes_of_all_that_is_needed(name: str) -> None:
    assert faults((FOLDER / name).read_text("utf-8"), WANTED[name]) == [], "run python requirements/generate.py"


def test_what_the_requirements_require_is_needed_on_every_platform() -> None:
    versions = {name: version for name, (version, _) in GENERATE["pinned"](RUN).items()}
    needed = {canonicalize_name(one.name) for one in GENERATE["needed"](WANTED["run.txt"], versions)}

    assert {"click", "jsonschema", "rpds-py", "referencing", "typing-extensions", "mdurl"} <= needed
    assert needed == set(versions)
    assert GENERATE["applies"](Requirement("a; sys_platform == 'win32' and python_version < '3.12'"), "")
    assert not GENERATE["applies"](Requirement("a; python_version < '3.11' or extra == 'b'"), "")


def test_a_package_has_one_version_in_all_files() -> None:
    found: dict[str, set[str]] = {}
    for name in WANTED:
        for package, (version, _) in GENERATE["pinned"]((FOLDER / name).read_text("utf-8")).items():
            found.setdefault(package, set()).add(version)

    assert {package: versions for package, versions in found.items() if len(versions) > 1} == {}


def test_a_new_dependency_asks_for_the_program() -> None:
    assert faults(RUN, [*WANTED["run.txt"], "not-yet-there>=6"]) == [
        "is not made from what pyproject.toml requires",
        "lacks not-yet-there",
    ]


@pytest.mark.parametrize(
    ("pattern", "instead", "fault"),
    [
        (r"(?m)^(rpds-py==\S+) (?:\\\n    --hash=\S+ ?)+", r"\1", "has no hash of rpds-py"),
        (r"(?m)^rpds-py==\S+ (?:\\\n    --hash=\S+ ?)+\n", "", "lacks rpds-py"),
        (r"(?m)^click==\S+", "click==7.0", "has click 7.0, which is not <9,>=8.1"),
        (r"(?m)^click==\S+", "click>=8", r"has a line that is not a version with hashes: click>=8"),
        (r"--hash=sha256:\w", "--hash=sha256:", "has a line that is not a version with hashes: attrs=="),
    ],
)
def test_what_is_wrong_with_a_file_is_said(pattern: str, instead: str, fault: str) -> None:
    text, number = re.subn(pattern, instead, RUN, count=1)

    assert number == 1
    assert [one for one in faults(text, WANTED["run.txt"]) if one.startswith(fault)] != []
