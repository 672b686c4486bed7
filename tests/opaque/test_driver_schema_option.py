"""Schemas of drivers on the command line and in the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dralint.cli.main import dralint

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  config:
  - opaque:
      driver: gpu.example.com
      parameters: {size: big}
"""
SCHEMA = '{"properties": {"size": {"type": "integer"}}}'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repository"
    (root / ".git").mkdir(parents=True)
    (root / "class.yaml").write_text(CLAIM)
    (root / "schema.json").write_text(SCHEMA)
    (tmp_path / "outside.json").write_text(SCHEMA)
    monkeypatch.chdir(root)
    return root


def run(*arguments: str) -> Result:
    return CliRunner().invoke(dralint, [*arguments])


def rules(result: Result) -> list[tuple[str, int]]:
    return [(finding["rule"], finding["line"]) for finding in json.loads(result.stdout)["findings"]]


def test_check_takes_a_schema(folder: Path) -> None:
    arguments = ("check", "class.yaml", "--format", "json", "--fail-on", "warning")

    assert run(*arguments).exit_code == 0
    result = run(*arguments, "--driver-schema", "gpu.example.com=schema.json")
    assert (rules(result), result.exit_code) == ([("DRA444", 8)], 1)


def test_diff_takes_a_schema(folder: Path) -> None:
    (folder / "old.yaml").write_text(CLAIM.replace("big", "5"))
    option = ("--driver-schema", "gpu.example.com=schema.json")

    result = run("diff", "old.yaml", "class.yaml", "--format", "json", *option)
    assert rules(result) == [("DRA444", 8)]


def test_the_configuration_names_schemas(folder: Path) -> None:
    (folder / ".dralint.yaml").write_text("driver-schemas:\n  gpu.example.com: schema.json\n")
    (folder / "any.json").write_text("{}")

    assert rules(run("check", "class.yaml", "--format", "json")) == [("DRA444", 8)]
    assert rules(run("check", "class.yaml", "--format", "json", "--driver-schema", "gpu.example.com=any.json")) == []
    assert "driver-schemas: {gpu.example.com: schema.json}" in run("check", "--show-settings").stdout


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (
            "../outside.json",
            "is outside of the repository, or is not a regular file; name it on the command line instead",
        ),
        ("missing.json", "missing.json: No such file or directory"),
        ("class.yaml", "class.yaml: it is a DeviceClass, not a JSON Schema or a CustomResourceDefinition"),
    ],
)
def test_a_mistake_in_the_configuration_has_its_place(folder: Path, path: str, message: str) -> None:
    (folder / ".dralint.yaml").write_text(f"driver-schemas:\n  gpu.example.com: {path}\n")
    result = run("check", "class.yaml")

    assert result.exit_code == 2
    assert ".dralint.yaml:2:20: `driver-schemas`: " in result.stderr
    assert result.stderr.rstrip().endswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu.example.com", "'gpu.example.com' is not of the form DRIVER=FILE or GROUP/KIND=FILE"),
        ("a/b/c/d=schema.json", "'a/b/c/d' is neither a driver nor GROUP/KIND nor GROUP/VERSION/KIND"),
        ("gpu.example.com=missing.json", "missing.json: No such file or directory"),
    ],
)
def test_a_wrong_option_is_wrong_usage(folder: Path, text: str, message: str) -> None:
    result = run("check", "class.yaml", "--driver-schema", text)

    assert (result.exit_code, f"--driver-schema: {message}" in result.stderr) == (2, True)
