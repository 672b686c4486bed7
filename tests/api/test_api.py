"""What other programs import from `dralint`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BAD_CLAIM, GOOD_CLAIM
from newest import NEWEST

import dralint

UNKNOWN_FIELD = ("DRA101", "spec.devices.requests[0].exactly.deviceClasName", 11)


def rows(report: dralint.Report) -> list[tuple[str, str, int]]:
    return [(finding.rule, finding.path, finding.line) for finding in report.findings]


def test_a_text_gives_its_findings() -> None:
    report: dralint.Report = dralint.lint_text(BAD_CLAIM, name="claims.yaml", select=["unknown-field"])
    finding: dralint.Finding = report.findings[0]

    assert rows(report) == [UNKNOWN_FIELD]
    assert (finding.file, finding.releases) == ("claims.yaml", (NEWEST,))
    assert dralint.lint_text(GOOD_CLAIM.encode()).findings == []


def test_releases_and_gates_are_chosen_as_on_the_command_line() -> None:
    claim = GOOD_CLAIM.replace("/v1", "/v1beta2") + "        adminAccess: true\n"

    def dropped(**gates: bool) -> list[str]:
        report = dralint.lint_text(claim, kubernetes_version=["1.33"], feature_gates=gates, select=["DRA502"])
        return [finding.path for finding in report.findings]

    assert dropped() == ["spec.devices.requests[0].exactly.adminAccess"]
    assert dropped(DRAAdminAccess=True) == []


def test_a_text_that_is_no_unicode_is_a_finding() -> None:
    assert [row[0] for row in rows(dralint.lint_text("# ResourceClaim\nkind: \ud800"))] == ["DRA001"]


def test_paths_are_discovered_and_judged(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD_CLAIM)
    (tmp_path / "b.yaml").write_text(GOOD_CLAIM)
    report = dralint.lint_paths([tmp_path], exclude=["b.*"], ignore=["DRA2"])

    assert UNKNOWN_FIELD in rows(report)
    assert (report.files, report.failures) == (1, [])


def test_wrong_arguments_are_raised(tmp_path: Path) -> None:
    with pytest.raises(dralint.ChoiceError, match=r"release 1\.99 is not known"):
        dralint.lint_text("", kubernetes_version=["1.99"])
    with pytest.raises(dralint.ChoiceError, match="no rule has the id, prefix or name 'DRA9x9'"):
        dralint.lint_text("", select=["DRA9x9"])
    with pytest.raises(FileNotFoundError, match="nix"):
        dralint.lint_paths([tmp_path / "nix"])
    with pytest.raises(ValueError, match="is no pattern"):
        dralint.lint_paths([tmp_path], exclude=["!"])


def test_every_exported_name_exists() -> None:
    assert [name for name in dralint.__all__ if not hasattr(dralint, name)] == []
    with pytest.raises(AttributeError, match="has no attribute 'nix'"):
        _ = dralint.nix


def test_importing_dralint_imports_next_to_nothing() -> None:
    code = "import sys, dralint; print(*sorted(name for name in sys.modules if name.startswith('dralint')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "dralint\n"


def test_claims_are_held_against_slices(tmp_path: Path) -> None:
    kind = "apiVersion: resource.k8s.io/v1\nkind: "
    (tmp_path / "class.yaml").write_text(
        f"{kind}DeviceClass\nmetadata: {{name: gpu.example.com}}\nspec:\n  selectors:\n"
        '  - cel: {expression: device.driver == "gpu.example.com"}\n'
    )
    (tmp_path / "slices.yaml").write_text(
        f"{kind}ResourceSlice\nmetadata: {{name: a}}\nspec: {{driver: nic.example.com, nodeName: a, pool: {{name: a, "
        "generation: 1, resourceSliceCount: 1}, devices: [{name: nic-0}]}\n"
    )

    assert rows(dralint.lint_paths([tmp_path / "class.yaml"])) == []
    assert rows(dralint.lint_paths([tmp_path / "class.yaml"], slices=[tmp_path / "slices.yaml"])) == [
        ("DRA430", "spec.selectors[0].cel.expression", 6)
    ]
    with pytest.raises(FileNotFoundError, match="nosuch"):
        dralint.lint_paths([tmp_path], slices=[tmp_path / "nosuch"])
