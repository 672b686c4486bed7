"""One mistake of each kind that other tools know or miss: `dralint fix` makes none of them worse."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

CASES: list[dict[str, Any]] = [
    case
    for case in json.loads(gzip.decompress((Path(__file__).parents[1] / "data/peers.json.gz").read_bytes()))
    if case["args"][0] == "check"
]
RELEASES = ("--kubernetes-version", "1.34..1.37")


def told(run: Run, folder: Path, options: list[str]) -> set[tuple[str, str, str, str]]:
    found = run("check", "--format", "json", *options, folder).report["findings"]
    return {
        (finding["rule"], Path(finding["file"]).name, finding["path"], release)
        for finding in found
        if finding["severity"] != "info"
        for release in finding["releases"] or [""]
    }


@pytest.mark.parametrize("releases", [(), RELEASES], ids=["newest", "range"])
@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
@pytest.mark.slow
def test_nothing_is_made_worse(case: dict[str, Any], releases: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).write_text(text, "utf-8")
    options = [] if releases and "--kubernetes-version" in case["args"] else [*releases]
    options += case["args"][1:]
    before = told(run, tmp_path, options)

    for more in ([], ["--unsafe-fixes"]):
        texts = {name: (tmp_path / name).read_bytes() for name in case["files"]}
        run("fix", "--write", *options, *more, tmp_path)
        if texts == {name: (tmp_path / name).read_bytes() for name in case["files"]}:
            continue
        after = told(run, tmp_path, options)

        assert after <= before, after - before
        before = after
    if case["rule"] is None:
        assert {name: (tmp_path / name).read_text("utf-8") for name in case["files"]} == case["files"]
