"""Sets of manifests, compared with the results of a control plane: each mistake is found in its place, nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

DATA = json.loads(gzip.decompress((Path(__file__).parents[1] / "data/references.json.gz").read_bytes()))
CASES: list[Any] = [pytest.param(case, id=case["id"]) for case in DATA["cases"]]


def findings(case: dict[str, Any], check: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    for name, number in case["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(DATA["texts"][number], "utf-8")
    monkeypatch.chdir(folder)
    found: list[dict[str, Any]] = check(*case["args"], *case["paths"]).report["findings"]
    return found


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_what_is_wrong_is_found_in_its_place(
    case: dict[str, Any], check: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = findings(case, check, tmp_path, monkeypatch)
    if "clean" in case:
        shown = [f for f in found if f["severity"] != "info" and f["effect"] not in case["clean"]]

        assert [(f["rule"], f["file"], f["line"], f["message"]) for f in shown] == []
    for expected in case["expect"]:
        places = {tuple(place) for place in expected["places"]}
        near = [f for f in found if (f["file"], f["line"]) in places and f["effect"] in expected["effects"]]
        texts = [" ".join([f["message"], f["hint"] or "", *(r["message"] for r in f["related"])]).lower() for f in near]

        assert any(all(_said(word, text) for word in expected["mention"]) for text in texts), near


def _said(word: str | list[str], text: str) -> bool:
    return any(each.lower() in text for each in ([word] if isinstance(word, str) else word))
