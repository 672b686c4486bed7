"""A program that uses dralint, for a type checker; mypy reads it, and a test runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import dralint


def findings_of(slices: list[dict[str, Any]]) -> list[dralint.Finding]:
    """Return what two releases say of slices that a driver has made."""
    chosen: dralint.Settings = dralint.settings(kubernetes_version=["1.34..1.35"], ignore=["DRA7"])
    linter = dralint.Linter(chosen)
    report = linter.check_objects(slices, name="driver")
    assert_type(report, dralint.Report)
    return report.findings


def lines_of(text: str, folder: Path) -> list[tuple[int, str, str | None]]:
    """Return the findings of a text and a folder, in short."""
    linter = dralint.Linter(kubernetes_version=["1.34"], feature_gates={"DRADeviceTaints": True})
    both = linter.check_text(text, name="a.yaml").findings
    both += linter.check_paths([folder], exclude=["*.json"]).findings
    for finding in both:
        assert_type(finding.path, str)
        assert_type(finding.releases, tuple[str, ...])
        assert_type(finding.related, tuple[dralint.Related, ...])
    return [(finding.line, finding.rule, finding.hint) for finding in both]
