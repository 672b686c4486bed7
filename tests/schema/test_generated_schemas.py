"""The committed schemas: up to date, valid by the meta-schema, self-contained and complete."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.kubernetes import shipped
from dralint.schema import schemas

FOLDER = Path(__file__).parents[2] / "schemas"
INDEX: dict[str, dict[str, dict[str, str]]] = json.loads((FOLDER / "index.json").read_bytes())
PLACES = [
    (release, api_version, kind, place)
    for release, versions in INDEX.items()
    for api_version, kinds in versions.items()
    for kind, place in kinds.items()
]


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("generate_schemas", FOLDER / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_regenerating_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    status = generator().main(["--check"])

    assert capsys.readouterr().out == ""
    assert status == 0


def test_check_names_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "upstream").mkdir()
    (tmp_path / "upstream" / "1.31.json").write_bytes((FOLDER / "upstream" / "1.31.json").read_bytes())
    module = generator()
    assert module.main([str(tmp_path)]) == 0
    assert module.main([str(tmp_path), "--check"]) == 0
    (tmp_path / "1.31" / "resource.k8s.io_v1alpha3_DeviceClass.json").write_text("{}\n")
    (tmp_path / "1.31" / "resource.k8s.io_v1alpha3_Gone.json").write_text("{}\n")

    assert module.main([str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "1.31/resource.k8s.io_v1alpha3_DeviceClass.json is stale: run python schemas/generate.py",
        "1.31/resource.k8s.io_v1alpha3_Gone.json is stale: run python schemas/generate.py",
    ]


def test_index_lists_every_served_kind() -> None:
    served = {
        release: {
            version: {row["kind"] for row in kinds} for version, kinds in shipped.openapi(release)["kinds"].items()
        }
        for release in shipped.index()["releases"]["releases"]
    }

    assert {r: {v: set(kinds) for v, kinds in versions.items()} for r, versions in INDEX.items()} == served


@pytest.mark.parametrize("release", INDEX)
@pytest.mark.slow
def test_schemas_are_valid_and_self_contained(release: str) -> None:
    for _, api_version, kind, place in (row for row in PLACES if row[0] == release):
        raw = (FOLDER / place).read_text("utf-8")
        schema = json.loads(raw)

        Draft202012Validator.check_schema(schema)
        assert raw == schemas.text(schema), place
        assert schema["$schema"] == schemas.DIALECT
        assert set(schemas.references(schema)) == set(schema["$defs"]), place
        assert schema["properties"]["kind"] == {"const": kind}
        assert schema["properties"]["apiVersion"] == {"const": api_version}
