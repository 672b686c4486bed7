"""An update that only changes the API version changes nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dralint.migrate.rewrite import Target, rewrite
from tests.conftest import Run
from tests.migrate.test_convert import GOLDENS, GROUP


@pytest.mark.parametrize("release", ["1.33", "1.34", "1.37"])
@pytest.mark.slow
def test_a_migrated_object_is_no_update(release: str, tmp_path: Path, run: Run) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    with gzip.open(GOLDENS, "rt", encoding="utf-8") as file:
        goldens = [golden for line in file if (golden := json.loads(line))["id"].startswith(f"{release}/")]
    for number, golden in enumerate(goldens):
        source = golden["id"].split("/")[1]
        for target in golden["as"]:
            after = rewrite(golden["yaml"].encode(), Target.parse(GROUP + target)).raw
            if target != source and after is not None:
                name = f"{number}-{target}.yaml"
                (old / name).write_text(golden["yaml"], "utf-8")
                (new / name).write_bytes(after)

    done = run("diff", "--format", "json", "--kubernetes-version", release, old, new)

    found = [(f["rule"], f["path"], f["file"], f["message"]) for f in done.report["findings"]]
    assert [row for row in found if row[0].startswith("DRA6") or row[0] == "DRA101"] == []
    assert len(list(new.iterdir())) > 100
