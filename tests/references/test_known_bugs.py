"""Each fault of rules/known-bugs.yaml is reported for the patches that have it, and not for corrected ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import dralint
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions

RULES = Path(__file__).parents[2] / "rules"
BUGS: list[dict[str, Any]] = YAML(typ="safe", pure=True).load((RULES / "known-bugs.yaml").read_text("utf-8"))
VERSIONS = ApiVersions()


def told(bug: dict[str, Any], version: str, folder: Path, example: str = "example") -> list[str]:
    """The rules that name the fault, for a release or a patch of it."""
    release = Release.parse(version)
    switched = gates.parse(bug.get("switched", ""))
    on = {gate: value for gate, value in switched.items() if gates.stage(gate, release) is not None}
    on = {gate: value for gate, value in on.items() if not (stage := gates.stage(gate, release)) or not stage.locked}
    inventory, input_ = folder / "inventory.yaml", folder / "input.yaml"
    inventory.write_text(bug.get("inventory", ""))
    input_.write_text(bug[example])
    stocked = str(inventory) if "inventory" in bug else ()
    report = dralint.lint_paths(str(input_), slices=stocked, kubernetes_version=version, feature_gates=on)
    assert report.failures == []
    name = bug.get("says", bug["issue"] if isinstance(bug["issue"], str) else f"kubernetes#{bug['issue']}")
    return [finding.rule for finding in report.findings if name in finding.message]


def served(bug: dict[str, Any], version: str) -> bool:
    """Whether a release serves what the example has."""
    release = Release.parse(version)
    kinds = re.findall(r"^apiVersion: (resource\.k8s\.io\S+)\nkind: (\w+)", bug["example"], re.MULTILINE)
    return all(kind in VERSIONS.served(release) for kind in kinds)


@pytest.mark.parametrize("bug", [bug for bug in BUGS if "example" in bug], ids=lambda bug: str(bug["issue"]))
@pytest.mark.slow
def test_a_fault_is_told_for_its_patches_only(bug: dict[str, Any], tmp_path: Path) -> None:
    rule = bug.get("by") or ("DRA902" if bug.get("blocks") else "DRA904" if bug.get("rare") else "DRA901")
    judged = [span for span in bug["releases"] if served(bug, span.partition("..")[0])]

    assert judged
    for span in judged:
        first, _, last = span.partition("..")
        minor = ".".join(first.split(".")[:2])
        assert rule in told(bug, first, tmp_path), first
        if last:
            assert rule in told(bug, last, tmp_path), last
            assert told(bug, minor, tmp_path) == ([] if bug.get("every") or bug.get("rare") else ["DRA903"]), minor
        else:
            assert rule in told(bug, f"{minor}.1", tmp_path), minor
        if "good" in bug:
            assert told(bug, first, tmp_path, "good") == []
    for mended in bug.get("fixed", ()):
        assert told(bug, mended, tmp_path) == [], mended


def test_nothing_is_told_where_no_release_is_named(tmp_path: Path) -> None:
    said = [dralint.lint_text(bug["example"]) for bug in BUGS if "example" in bug]

    assert [f.rule for report in said for f in report.findings if f.rule.startswith("DRA90")] == []


def test_faults_of_patches_that_nobody_named_are_one_note_in_a_run() -> None:
    pods = "---\n".join(bug["example"] for bug in BUGS if bug["issue"] in (135901, 129543, 133920))

    found = [f for f in dralint.lint_text(pods, kubernetes_version=["1.32", "1.34"]).findings if f.rule == "DRA903"]

    assert [(f.severity, f.message) for f in found] == [
        (
            "info",
            (
                "some patches have faults that this input meets: 1.32 before 1.32.1: only 32 Pods can use a claim; the "
                "next one stays Pending (kubernetes#129543); 1.34 before 1.34.4: if another Pod of the node uses a "
                "claim, the kubelet prepares no claim after it in the list, and this Pod hangs (kubernetes#135901)"
            ),
        )
    ]
