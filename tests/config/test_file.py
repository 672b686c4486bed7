"""The configuration file: finding it, reading it, checking it against its schema, and mistakes with lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import dralint
from dralint.config.configuration import Configuration, mistakes
from dralint.config.table import schema
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run

OLD = GOOD_CLAIM.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta1").replace(
    "      exactly:\n        deviceClassName", "      deviceClassName"
)


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    (workdir / ".git").mkdir()
    Path("bad.yaml").write_text(BAD_CLAIM)


def test_the_nearest_file_upwards_counts(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".dralint.yaml").write_text("ignore: DRA101\n")
    Path("deploy").mkdir()
    monkeypatch.chdir("deploy")
    Path("bad.yaml").write_text(BAD_CLAIM)

    assert check("bad.yaml").status == 0
    Path(".dralint.yaml").write_text("fail-on: never\n")
    assert [rule for rule, *_ in check("bad.yaml").findings] == ["DRA101"]
    assert check("bad.yaml").status == 0
    assert check("--no-config", "bad.yaml").status == 1


def test_the_command_line_has_the_last_word(check: Run) -> None:
    Path(".dralint.yaml").write_text("kubernetes-version: 1.34\nselect: [DRA2]\n")

    assert check("bad.yaml").findings == []
    (finding,) = check("--select", "DRA1", "bad.yaml").report["findings"]
    assert (finding["rule"], finding["releases"]) == ("DRA101", ["1.34"])


def test_pyproject_is_read_too(check: Run) -> None:
    Path("pyproject.toml").write_text('[tool.dralint]\nignore = ["unknown-field"]\n')

    assert check("bad.yaml").status == 0


def test_a_release_without_quotes_is_read_as_it_is_written(check: Run) -> None:
    Path(".dralint.yaml").write_text("kubernetes-version: [1.30]\n")
    Path("claim.yaml").write_text(GOOD_CLAIM)

    assert [f["releases"] for f in check("claim.yaml").report["findings"]] == [["1.30"]]


def test_severities_are_set_by_rule(check: Run) -> None:
    Path(".dralint.yaml").write_text("severity: {DRA1: warning, DRA101: info}\n")
    (finding,) = check("bad.yaml").report["findings"]
    assert (finding["severity"], finding["effect"]) == ("info", "rejected")

    Path(".dralint.yaml").write_text("severity: {unknown-field: off}\n")
    assert check("bad.yaml").findings == []


def test_paths_have_releases_of_their_own(check: Run) -> None:
    for name, text in (("v1beta1", OLD), ("v1", GOOD_CLAIM)):
        Path(name).mkdir()
        Path(name, "claim.yaml").write_text(text)
    Path(".dralint.yaml").write_text(
        "exclude: bad.yaml\n"
        "overrides:\n"
        "- paths: v1beta1/\n  kubernetes-version: 1.32\n  ignore: [DRA505]\n"
        '- paths: [v1/]\n  kubernetes-version: "1.33"\n'
    )
    outcome = check()

    assert [(f["file"], f["rule"], f["releases"]) for f in outcome.report["findings"]] == [
        ("v1/claim.yaml", "DRA501", ["1.33"])
    ]


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [(".", ()), (".", ("deploy/gen/bad.yaml",)), ("deploy", ()), ("deploy/gen", ()), ("deploy", ("../deploy/gen",))],
)
def test_what_is_excluded_counts_from_the_folder_of_the_file(
    check: Run, monkeypatch: pytest.MonkeyPatch, folder: str, arguments: tuple[str, ...]
) -> None:
    Path("bad.yaml").unlink()
    config = Path(".dralint.yaml").absolute()
    config.write_text("exclude: deploy/gen/\n")
    Path("deploy/gen").mkdir(parents=True)
    Path("deploy/gen/bad.yaml").write_text(BAD_CLAIM)
    Path("deploy/good.yaml").write_text(GOOD_CLAIM)
    monkeypatch.chdir(folder)

    assert check(*arguments).findings == []
    assert dralint.Linter(config=config).check_paths(["."]).findings == []


@pytest.mark.parametrize(
    ("entry", "silent"),
    [
        ("rules: DRA101", True),
        ("rules: DRA101\n  paths: '*.yaml'", True),
        ("rules: DRA101\n  paths: other/", False),
        ("rules: DRA101\n  object: team-a/train", True),
        ("rules: DRA101\n  object: ResourceClaim/train", True),
        ("rules: DRA101\n  object: DeviceClass/train", False),
        ("rules: DRA101\n  path: spec.devices.requests", True),
        ("rules: DRA101\n  path: spec.dev", False),
        ("rules: DRA2", False),
    ],
)
def test_an_entry_silences_what_fits_all_of_it(check: Run, entry: str, silent: bool) -> None:
    Path(".dralint.yaml").write_text(f"ignores:\n- {entry}\n  reason: it is known\n")
    outcome = check("bad.yaml")

    assert (outcome.status, outcome.report["summary"]["suppressed"]) == ((0, 1) if silent else (1, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kubernetes-versions: 1.34\n", '.dralint.yaml:1:1: unknown key "kubernetes-versions" (did you mean '),
        (
            "exclude: {a: b}\n",
            ".dralint.yaml:1:10: `exclude`: expected a text, or a list of texts\n",
        ),
        ("feature-gates: 1\n", ".dralint.yaml:1:16: `feature-gates`: expected feature gates as {GATE: true}, or as "),
        ("kubernetes-version: 1.99\n", ".dralint.yaml:1:21: `kubernetes-version`: release 1.99 is not known; known "),
        ("fail-on: errors\n", "not 'errors' (did you mean \"error\"?)\n"),
        ("jobs: many\n", ".dralint.yaml:1:7: `jobs`: expected a whole number"),
        (
            "severity:\n  DRA101: fatal\n",
            ".dralint.yaml:2:11: `DRA101` is one of error, warning, info, off, not 'fatal'",
        ),
        ("overrides:\n- path: x\n", ".dralint.yaml:2:3: `paths` is missing"),
        ("format: xml\n", ".dralint.yaml:1:9: `format` is one of text, "),
        ("ignore: [DRA999]\n", ".dralint.yaml:1:9: `ignore`: no rule has the id, prefix or name "),
        ("overrides:\n- paths: x\n  select: [nosuch]\n", ".dralint.yaml:3:11: `select`: no rule has the id"),
        (
            "overrides:\n- paths: x\n  kubernetes-version: 1.99\n",
            ".dralint.yaml:3:23: `kubernetes-version`: release 1.99",
        ),
        ("known:\n  classes: [1]\n", ".dralint.yaml:2:"),
        ("known:\n  driver: x\n", ".dralint.yaml:2:3: unknown key "),
        ("known: [x]\n", ".dralint.yaml:1:8: `known`: expected keys and values"),
        ("a: [\n", ".dralint.yaml:"),
        ("a: 1\na: 2\n", '.dralint.yaml:2:1: the key "a" occurs twice'),
        ("- a\n", ".dralint.yaml:1:1: expected keys and values"),
        ("ignore: DRA1\nbaseline: nosuch\n", ".dralint.yaml:2:11: `baseline`: nosuch: No such file or directory\n"),
        ("baseline: bad.yaml\n", ".dralint.yaml:1:11: `baseline`: bad.yaml: it is not JSON: "),
        ("slices: nosuch\n", ".dralint.yaml:1:9: `slices`: the path 'nosuch' does not exist\n"),
        ("slices:\n- bad.yaml\n- nosuch\n", ".dralint.yaml:3:3: `slices`: the path 'nosuch' does not exist\n"),
        ("schemas: bad.yaml\n", ".dralint.yaml:1:10: `schemas`: bad.yaml is not a folder\n"),
        ("jobs: 0\n", ".dralint.yaml:1:7: `jobs`: 0 is less than the minimum of 1\n"),
        (
            "quiet: true\noutput-file: json=a.json\n",
            ".dralint.yaml:2:1: `output-file`: a configuration cannot set what dralint writes (write --output-file ",
        ),
        ("baseline: .git/a.json\n", ".dralint.yaml:1:11: `baseline`: '.git/a.json' is outside of the repository"),
        ("exclude: 'a['\n", ".dralint.yaml:1:10: `exclude`: 'a[' has a `[` without its `]`"),
        ("schemas: ../elsewhere\n", ".dralint.yaml:1:10: `schemas`: '../elsewhere' is outside of the repository"),
    ],
)
def test_a_mistake_is_told_with_its_place(run: Run, text: str, message: str) -> None:
    Path(".dralint.yaml").write_text(text)
    outcome = run("check", "bad.yaml")

    assert outcome.status == 2
    assert outcome.stdout == ""
    assert message in outcome.stderr.replace(f"{Path.cwd()}/", "")


def test_pyproject_tells_the_line_of_a_file_that_is_not_there(run: Run) -> None:
    Path("pyproject.toml").write_text('[tool.dralint]\nselect = ["DRA2"]\nbaseline = "nosuch"\n')
    outcome = run("check", "bad.yaml")

    assert outcome.status == 2
    assert "pyproject.toml:3:1: `baseline`: " in outcome.stderr


def test_settings_are_shown_with_their_origin(run: Run) -> None:
    Path(".dralint.yaml").write_text(
        "# ours\nignore: DRA505\nseverity: {DRA101: off}\noverrides:\n- paths: old/\n  kubernetes-version: 1.32\n"
        "known: {classes: x, drivers: [a, b]}\n"
    )
    lines = run("check", "--fail-on", "warning", "--show-settings=old/x.yaml").stdout.splitlines()
    here = Path.cwd() / ".dralint.yaml"

    assert lines[0] == f"configuration: {here}"
    assert f"ignore: [DRA505]  ({here}:2)" in lines
    assert "fail-on: warning  (command line)" in lines
    assert "select: []  (default)" in lines
    assert f"severity: {{DRA101: off}}  ({here}:3)" in lines
    assert f"known: {{classes: x, drivers: [a, b]}}  ({here}:7)" in lines
    assert lines[-5:] == [
        "for old/x.yaml:",
        "  releases: [1.32]  (an override)",
        "  gates: []  (as for all files)",
        "  select: []  (as for all files)",
        "  ignore: [DRA505]  (as for all files)",
    ]


def test_the_schema_is_printed_for_editors(run: Run) -> None:
    assert json.loads(run("schema", "config").stdout) == schema()


def test_the_schema_is_one_and_knows_every_option_of_check() -> None:
    Draft202012Validator.check_schema(schema())

    assert {"kubernetes-version", "feature-gates", "select", "ignore", "exclude", "format", "baseline"} <= set(
        schema()["properties"]
    )


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"select": "DRA1"},
        {"select": ["DRA1", 2]},
        {"kubernetes-version": 1.34},
        {"kubernetes-version": [1.34, "1.35"]},
        {"kubernetes-version": True},
        {"feature-gates": {"A": True}},
        {"feature-gates": {"A": "yes"}},
        {"jobs": 2},
        {"jobs": 2.5},
        {"quiet": "no"},
        {"severity": {"DRA101": "off"}},
        {"severity": {"DRA101": False}},
        {"severity": {"DRA101": True}},
        {"severity": []},
        {"overrides": [{"paths": "a", "select": "DRA1"}]},
        {"overrides": [{"select": "DRA1"}]},
        {"overrides": {"paths": "a"}},
        {"ignores": [{"rules": ["DRA1"], "reason": "x"}]},
        {"ignores": [{"rules": ["DRA1"], "line": 1}]},
        {"known": {"classes": "a", "drivers": ["b"]}},
        {"known": {"classes": 1}},
        {"known": {"driver": "a"}},
        {"nosuch": 1},
    ],
    ids=json.dumps,
)
def test_the_check_agrees_with_the_library(value: Any) -> None:
    found = list(mistakes(Configuration(Path("x.toml")), (), value, schema()))

    assert (not found) == Draft202012Validator(schema()).is_valid(value)
