"""A finding in an object of the inventory has its place there, though the file is none of the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.editor import Folder
from tests.conftest import Run

ASKED = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: dra.memory}
spec: {selectors: [{cel: {expression: 'device.driver == "dra.memory"'}}]}
"""
HELD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: claim, namespace: team}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: dra.memory
        selectors:
        - cel: {expression: 'device.attributes["dra.memory"].socketID == 1'}
"""
FOUND = "no device of the driver has the attribute dra.memory/socketID"


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    (workdir / "asked.yaml").write_text(ASKED)
    (workdir / "held.yaml").write_text(HELD)


@pytest.mark.parametrize("more", [[], ["--complete"], ["--jobs", "2"]])
def test_the_finding_has_its_place_in_the_file_of_the_inventory(check: Run, more: list[str]) -> None:
    outcome = check("--slices", "held.yaml", *more, "asked.yaml")
    (finding,) = outcome.report["findings"]

    assert outcome.status == 0
    assert (finding["file"], finding["line"], finding["rule"]) == ("held.yaml", 11, "DRA810")
    assert finding["message"].startswith(FOUND)


def test_the_text_shows_the_line(run: Run) -> None:
    shown = run("check", "--slices", "held.yaml", "asked.yaml").stdout

    assert "- cel: {expression: 'device.attributes[\"dra.memory\"].socketID == 1'}\n" in shown


def test_fix_does_not_write_the_inventory(run: Run) -> None:
    outcome = run("fix", "--write", "--unsafe-fixes", "--slices", "held.yaml", "asked.yaml")

    assert outcome.status == 0
    assert (Path("asked.yaml").read_text(), Path("held.yaml").read_text()) == (ASKED, HELD)


def test_an_editor_has_the_finding(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/asked.yaml").write_text(ASKED)
    made = Folder(str(tmp_path / "folder"), {"slices": [str(Path("held.yaml").absolute())]})
    made.load()
    findings = made.workspace.findings()

    assert [(Path(name).name, one.line) for name, found in findings.items() for one in found] == [("held.yaml", 11)]
