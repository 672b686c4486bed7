"""The loads of the benchmark are the same every time, and manifests without a flaw."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def loads() -> Any:
    spec = importlib.util.spec_from_file_location("bench_loads", ROOT / "bench" / "loads.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in folder.rglob("*.yaml")}


@pytest.mark.parametrize(("gitops", "objects"), [(False, 30), (True, 2)])
def test_tree_has_so_many_files_without_findings(loads: Any, tmp_path: Path, gitops: bool, objects: int) -> None:
    count = 30 if not gitops else 100
    loads.tree(tmp_path / "a", count, gitops=gitops)
    loads.tree(tmp_path / "b", count, gitops=gitops)
    made = texts(tmp_path / "a")
    linter = Linter(Settings(releases=(Release.parse("1.34"),)))
    reports = [linter.check(name, text.encode()).report for name, text in made.items()]

    assert made == texts(tmp_path / "b")
    assert len(made) == count
    assert [finding for report in reports for finding in report.findings] == []
    assert [failure for report in reports for failure in report.failures] == []
    assert sum(report.objects for report in reports) == objects


def test_stream_holds_slices_of_128_devices(loads: Any) -> None:
    text = "".join(loads.stream(100_000))
    report = Linter(Settings(releases=(Release.parse("1.34"),))).check("stream.yaml", text.encode()).report

    assert len(text) >= 100_000
    assert (report.objects, report.findings, report.failures) == (2, [], [])
    assert text.count("  - name: gpu-") == 256
