"""Wheel and source distribution have all the files that they need, and no others."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import dralint

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel of the checkout (without the network) and return it open."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


@pytest.mark.slow
def test_the_source_distribution_has_only_files_of_the_repository(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    assert names - set(listed.stdout.split("\0")) == {"PKG-INFO"}
    assert {"pyproject.toml", "dralint/__init__.py", "rules/index.json", "tests/conftest.py", "LICENSE"} <= names


@pytest.mark.slow
def test_the_wheel_has_every_module_and_data_file(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "dralint").rglob("*.py")}
    schemas = {f"dralint/_shipped/{path.relative_to(ROOT)}" for path in (ROOT / "schemas").rglob("*.json")}

    assert modules <= names
    assert schemas <= names
    wanted = {
        "index.json",
        "rules.json",
        "examples.json",
        "fields.json",
        "workloads.json",
        "known-bugs.json",
        "topics.json",
    }
    assert {f"dralint/_shipped/rules/{name}" for name in wanted} <= names
    assert {"dralint/py.typed", "dralint/report/report.schema.json"} <= names


@pytest.mark.slow
def test_the_wheel_has_nothing_of_development(wheel: zipfile.ZipFile) -> None:
    strange = [name for name in wheel.namelist() if not name.startswith(("dralint/", "dralint-"))]
    sources = [name for name in wheel.namelist() if name.endswith((".yaml", ".md")) and "dist-info" not in name]

    assert strange == []
    assert sources == []


def test_the_version_stands_in_one_place(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))

    assert f"\nVersion: {dralint.__version__}\n" in wheel.read(metadata).decode()


@pytest.mark.slow
def test_the_program_runs_from_the_wheel_alone(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from dralint.__main__ import main; main()"
    good, bad = ROOT / "examples/good/slice.yaml", ROOT / "examples/bad/slice.yaml"

    for file, status in ((good, 0), (bad, 1)):
        command = [sys.executable, "-c", code, "check", str(file)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

        assert (done.returncode, done.stderr) == (status, "")
