"""Files that a kustomization lists as patches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dralint.config.settings import Settings
from dralint.files.kustomization import patches
from dralint.files.source import Source
from dralint.lint.pool import run

if TYPE_CHECKING:
    from pathlib import Path

PATCH = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {resourceClaims: [{name: a}], containers: []}\n"


def judged(file: Path) -> tuple[list[str], list[str]]:
    patches.cache_clear()
    report = run([Source("patch.yaml", str(file))], Settings())
    assert report.failures == []
    return [finding.rule for finding in report.findings], [skipped.reason for skipped in report.skipped]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kustomization.yaml", "patches: [{path: overlay/patch.yaml, target: {kind: Pod}}]"),
        ("kustomization.yml", "patchesStrategicMerge:\n- ./overlay/patch.yaml\n- |-\n  kind: Pod\n"),
        ("Kustomization", "patchesJson6902: [{target: {kind: Pod}, path: overlay/patch.yaml}]"),
    ],
)
def test_a_patch_of_a_kustomization_above_is_skipped(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "overlay").mkdir()
    file = tmp_path / "overlay" / "patch.yaml"
    file.write_text(PATCH)

    assert judged(file) == ([], [f"a patch of {name}"])


@pytest.mark.parametrize(
    "text", ["resources: [patch.yaml]", "patches: [{path: other.yaml}, 5, null]", "patches: 7", "[", "patches: [[]]"]
)
def test_a_file_that_is_no_patch_is_judged(tmp_path: Path, text: str) -> None:
    (tmp_path / "kustomization.yaml").write_text(text)
    file = tmp_path / "patch.yaml"
    file.write_text(PATCH)

    assert judged(file) == (["DRA215"], [])
