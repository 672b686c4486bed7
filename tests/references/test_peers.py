"""One mistake of each kind that other tools know or miss: found by which rule and on which line; controls are clean."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

CASES: list[dict[str, Any]] = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "data/peers.json.gz").read_bytes())
)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
@pytest.mark.slow
def test_each_mistake_is_found_on_its_line(case: dict[str, Any], run: Run, tmp_path: Path) -> None:
    for name, text in case["files"].items():
        (tmp_path / name).write_text(text, "utf-8")
    command, *options = case["args"]
    found = run(command, "--format", "json", *options, *(tmp_path / name for name in case["files"])).report["findings"]

    if case["rule"] is None:
        assert [(f["rule"], f["message"]) for f in found] == []
    else:
        assert (case["rule"], case["line"]) in [(f["rule"], f["line"]) for f in found]


def test_the_table_is_whole() -> None:
    assert sum(case["rule"] is not None for case in CASES) == 45
    assert [case["name"] for case in CASES if case["rule"] is None] == ["c00-ok-claim.yaml", "c00-ok-bundle.yaml"]
