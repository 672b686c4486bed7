"""What other programs import from `dralint`."""

from __future__ import annotations

import datetime
import json
import runpy
import subprocess
import sys
from collections import UserDict
from pathlib import Path
from typing import Any

import pytest

import dralint
from tests import objects
from tests.conftest import BAD_CLAIM, GOOD_CLAIM
from tests.newest import NEWEST

UNKNOWN_FIELD = ("DRA101", "spec.devices.requests[0].exactly.deviceClasName", 11)


def rows(report: dralint.Report) -> list[tuple[str, str, int]]:
    return [(finding.rule, finding.path, finding.line) for finding in report.findings]


def test_a_text_gives_its_findings() -> None:
    report: dralint.Report = dralint.lint_text(BAD_CLAIM, name="claims.yaml", select=["unknown-field"])
    finding: dralint.Finding = report.findings[0]

    assert rows(report) == [UNKNOWN_FIELD]
    assert (finding.file, finding.releases) == ("claims.yaml", (NEWEST,))
    assert dralint.lint_text(GOOD_CLAIM.encode()).findings == []


def test_releases_and_gates_are_chosen_as_on_the_command_line() -> None:
    claim = GOOD_CLAIM.replace("/v1", "/v1beta2") + "        adminAccess: true\n"

    def dropped(**gates: bool) -> list[str]:
        report = dralint.lint_text(claim, kubernetes_version=["1.33"], feature_gates=gates, select=["DRA502"])
        return [finding.path for finding in report.findings]

    assert dropped() == ["spec.devices.requests[0].exactly.adminAccess"]
    assert dropped(DRAAdminAccess=True) == []


def test_a_text_that_is_no_unicode_is_a_finding() -> None:
    assert [row[0] for row in rows(dralint.lint_text("# ResourceClaim\nkind: \ud800"))] == ["DRA001"]


def test_paths_are_discovered_and_judged(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD_CLAIM)
    (tmp_path / "b.yaml").write_text(GOOD_CLAIM)
    report = dralint.lint_paths([tmp_path], exclude=["b.*"], ignore=["DRA2"])

    assert UNKNOWN_FIELD in rows(report)
    assert (report.files, report.failures) == (1, [])


def test_wrong_arguments_are_raised(tmp_path: Path) -> None:
    with pytest.raises(dralint.ChoiceError, match=r"release 1\.99 is not known"):
        dralint.lint_text("", kubernetes_version=["1.99"])
    with pytest.raises(dralint.ChoiceError, match="no rule has the id, prefix or name 'DRA9x9'"):
        dralint.lint_text("", select=["DRA9x9"])
    with pytest.raises(FileNotFoundError, match="nix"):
        dralint.lint_paths([tmp_path / "nix"])
    with pytest.raises(ValueError, match="is not a pattern"):
        dralint.lint_paths([tmp_path], exclude=["!"])


@pytest.mark.parametrize(
    ("choice", "error", "message"),
    [
        ({"kubernetes_version": ["1.99"]}, dralint.ChoiceError, "kubernetes_version: release 1.99 is not known; "),
        (
            {"kubernetes_version": ["x"]},
            dralint.ChoiceError,
            "kubernetes_version: 'x' is not a release of Kubernetes: ",
        ),
        ({"feature_gates": {"Nix": True}}, dralint.ChoiceError, "feature_gates: the releases 1.26 to "),
        ({"select": ["nix"]}, dralint.ChoiceError, "select: no rule has the id, prefix or name 'nix'; "),
        ({"ignore": ["nix"]}, dralint.ChoiceError, "ignore: no rule has the id, prefix or name 'nix'; "),
        ({"select": b"DRA1"}, TypeError, "select: a text or a list of texts is wanted, not bytes"),
        (
            {"feature_gates": ["DRADeviceTaints=true"]},
            TypeError,
            'feature_gates: a mapping is wanted, such as {"DRADeviceTaints": True}, not list',
        ),
    ],
)
def test_an_error_names_the_argument(choice: dict[str, Any], error: type[Exception], message: str) -> None:
    for ask in (dralint.settings, dralint.Linter):
        with pytest.raises(error) as raised:
            ask(**choice)
        assert str(raised.value).startswith(message)


def test_an_argument_beside_a_configuration_is_named_as_such(config: Path) -> None:
    with pytest.raises(dralint.ChoiceError) as raised:
        dralint.Linter(config=config, kubernetes_version=["1.99"])

    assert str(raised.value).startswith("kubernetes_version: release 1.99 is not known; ")
    assert (raised.value.option, raised.value.__cause__) == ("kubernetes_version", None)


def test_every_exported_name_exists() -> None:
    assert [name for name in dralint.__all__ if not hasattr(dralint, name)] == []
    with pytest.raises(AttributeError, match="has no attribute 'nix'"):
        _ = dralint.nix


def test_importing_dralint_imports_next_to_nothing() -> None:
    code = "import sys, dralint; print(*sorted(name for name in sys.modules if name.startswith('dralint')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "dralint dralint.records\n"


def test_claims_are_held_against_slices(tmp_path: Path) -> None:
    kind = "apiVersion: resource.k8s.io/v1\nkind: "
    (tmp_path / "class.yaml").write_text(
        f"{kind}DeviceClass\nmetadata: {{name: gpu.example.com}}\nspec:\n  selectors:\n"
        '  - cel: {expression: device.driver == "gpu.example.com"}\n'
    )
    (tmp_path / "slices.yaml").write_text(
        f"{kind}ResourceSlice\nmetadata: {{name: a}}\nspec: {{driver: nic.example.com, nodeName: a, pool: {{name: a, "
        "generation: 1, resourceSliceCount: 1}, devices: [{name: nic-0}]}\n"
    )

    assert rows(dralint.lint_paths([tmp_path / "class.yaml"])) == []
    assert rows(dralint.lint_paths([tmp_path / "class.yaml"], slices=[tmp_path / "slices.yaml"])) == [
        ("DRA714", "spec.selectors[0].cel.expression", 6)
    ]
    with pytest.raises(FileNotFoundError, match="nosuch"):
        dralint.lint_paths([tmp_path], slices=[tmp_path / "nosuch"])


def claim(**request: Any) -> dict[str, Any]:
    exactly = {"deviceClassName": "gpu.example.com", **request}
    return objects.claim("train", "", {"name": "gpu", "exactly": exactly})


def test_a_linter_is_asked_often_and_says_what_the_functions_say(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM)
    linter = dralint.Linter(kubernetes_version=["1.34"])

    for _ in range(2):
        text = linter.check_text(BAD_CLAIM, name="bad.yaml")
        assert text == dralint.lint_text(BAD_CLAIM, name="bad.yaml", kubernetes_version=["1.34"])
        assert linter.check_text(GOOD_CLAIM).findings == []
        paths = linter.check_paths([tmp_path])
        assert paths == dralint.lint_paths([tmp_path], kubernetes_version=["1.34"])
        assert rows(paths) == rows(text)


def test_objects_are_judged_as_their_text_would_be() -> None:
    linter = dralint.Linter(kubernetes_version=["1.34"])
    bad = claim(count="two")
    before = json.dumps(bad)
    report = linter.check_objects([claim(), bad, {"apiVersion": "v1", "kind": "ConfigMap"}, claim(adminAcess=True)])

    assert [(f.document, f.rule, f.path, f.line, f.column, f.end_line, f.end_column) for f in report.findings] == [
        (1, "DRA102", "spec.devices.requests[0].exactly.count", 1, 1, 1, 1),
        (3, "DRA101", "spec.devices.requests[0].exactly.adminAcess", 1, 1, 1, 1),
    ]
    assert (report.documents, report.objects, report.findings[0].file) == (4, 3, "<objects>")
    assert report.findings[1].object == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "namespace": None,
        "name": "train",
    }
    assert json.dumps(bad) == before


def test_objects_may_be_any_mappings_and_hold_any_text() -> None:
    linter = dralint.Linter()
    odd = claim(selectors=({"cel": {"expression": 'device.driver == "a\u2028b\\n---\\n"'}},))

    assert linter.check_objects([]).findings == []
    assert linter.check_objects([UserDict(odd)]).findings == []
    # a name that is no Unicode is a finding, as in a file
    lone = claim()
    lone["metadata"]["name"] = "\ud800"
    assert [finding.rule for finding in linter.check_objects([lone]).findings] == ["DRA001"]


@pytest.mark.slow
def test_what_is_no_object_is_raised() -> None:
    linter = dralint.Linter()
    wrong: Any = [[claim()]]
    with pytest.raises(TypeError, match="an object is a mapping, not list"):
        linter.check_objects(wrong)
    with pytest.raises(TypeError, match=r"JSON has no date: datetime\.date\(2026, 11, 22\)"):
        linter.check_objects([claim(count=datetime.date(2026, 11, 22))])
    with pytest.raises(TypeError, match="JSON has no bytes"):
        linter.check_objects([claim(count=b"1")])
    ring: dict[str, Any] = {}
    ring["spec"] = ring
    with pytest.raises(ValueError, match="Circular"):
        linter.check_objects([ring])
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"spec": deep}
    with pytest.raises(ValueError, match="nested too deeply"):
        linter.check_objects([deep])


def test_settings_are_made_once_or_named_but_not_both() -> None:
    chosen: dralint.Settings = dralint.settings(kubernetes_version=["1.33"], ignore=["DRA5"])

    assert dralint.Linter(chosen).settings is chosen
    assert dralint.Linter(kubernetes_version=["1.33"], ignore=["DRA5"]).settings == chosen
    with pytest.raises(TypeError, match="not both: select"):
        dralint.Linter(chosen, select=["DRA1"])
    with pytest.raises(dralint.ChoiceError, match="no rule has"):
        dralint.settings(select=["DRA9x9"])


@pytest.mark.parametrize("name", ["kubernetes_version", "select", "ignore", "known_classes"])
def test_a_text_stands_for_a_list_of_one(name: str) -> None:
    text = {"kubernetes_version": "1.34", "known_classes": "gpu.example.com"}.get(name, "DRA1")
    alone: Any = {name: text}
    listed: Any = {name: [text]}

    assert dralint.settings(**alone) == dralint.settings(**listed)


def test_a_path_stands_for_a_list_of_one(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(BAD_CLAIM)
    (tmp_path / "b.yaml").write_text(BAD_CLAIM)

    for path in (tmp_path, str(tmp_path)):
        report = dralint.lint_paths(path, exclude="b.yaml")
        assert [(finding.rule, finding.file) for finding in report.findings] == [("DRA101", str(tmp_path / "a.yaml"))]


def test_the_typed_example_runs(tmp_path: Path) -> None:
    example = runpy.run_path(str(Path(__file__).with_name("typed.py")))
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM)
    found = example["findings_of"]([objects.item("ResourceSlice", "a", spec={})])

    assert ("driver", ("1.34", "1.35")) in {(finding.file, finding.releases) for finding in found}
    assert example["lines_of"](BAD_CLAIM, tmp_path)[0][:2] == (11, "DRA101")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration file that says something of each kind, in a repository."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "bad.yaml").write_text(BAD_CLAIM)
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "bad.yaml").write_text(BAD_CLAIM)
    file = tmp_path / ".dralint.yaml"
    file.write_text(
        "kubernetes-version: 1.35\nfeature-gates: {DRADeviceTaints: true}\nexclude: vendor/\nformat: sarif\n"
        "severity: {DRA101: warning}\nknown: {classes: [gpu.example.com]}\n"
    )
    return file


def test_a_linter_may_be_made_from_a_configuration_file(config: Path) -> None:
    linter = dralint.Linter(config=config)
    (finding,) = linter.check_paths([config.parent]).findings

    assert (finding.file, finding.rule, finding.severity, finding.releases) == (
        str(config.parent / "bad.yaml"),
        "DRA101",
        "warning",
        ("1.35",),
    )
    assert linter.settings.gates == (("DRADeviceTaints", True),)
    assert linter.settings.known_classes == ("gpu.example.com",)
    # arguments have the last word, as options have
    assert dralint.Linter(config=config, kubernetes_version=["1.36"]).check_text(BAD_CLAIM).findings[0].releases == (
        "1.36",
    )


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "hint"),
    [
        ("ignroe: DRA1\n", 1, 1, 'unknown key "ignroe"', 'did you mean "ignore"?'),
        ("\nselect: [DRA1, nosuch]\n", 2, 9, "`select`: no rule has the id, prefix or name 'nosuch'; ", None),
        ("slices:\n- nosuch\n", 2, 3, "`slices`: the path ", None),
        ("driver-schemas:\n  gpu.example.com: x.json\n", 2, 20, "`driver-schemas`: ", None),
    ],
)
def test_a_mistake_in_a_configuration_file_has_a_place(
    config: Path, text: str, line: int, column: int, message: str, hint: str | None
) -> None:
    config.write_text(text)
    with pytest.raises(dralint.ConfigurationError) as raised:
        dralint.settings(config=config)
    (mistake,) = raised.value.mistakes

    assert (mistake.line, mistake.column, mistake.hint) == (line, column, hint)
    assert mistake.message.startswith(message)
    assert str(raised.value).startswith(f"{config}:{line}:{column}: {message}")


def test_an_argument_may_replace_what_is_wrong_in_the_file(config: Path) -> None:
    config.write_text("kubernetes-version: 1.99\n")

    assert [str(release) for release in dralint.settings(config=config, kubernetes_version=["1.36"]).releases] == [
        "1.36"
    ]
    with pytest.raises(dralint.ChoiceError, match=r"release 1\.98 is not known"):
        dralint.settings(config=config, kubernetes_version=["1.98"])


def test_a_choice_that_does_not_exist_is_told() -> None:
    with pytest.raises(TypeError, match="there is no choice 'kubernetes_versions'; there are config, "):
        dralint.lint_text("", kubernetes_versions=["1.34"])  # type: ignore[call-arg]


@pytest.mark.slow
def test_judging_imports_nothing_but_the_reader_of_yaml(tmp_path: Path) -> None:
    code = """
import json, pathlib, sys
before = set(sys.modules)
import dralint
config = pathlib.Path(sys.argv[2], ".dralint.yaml")
config.write_text("kubernetes-version: 1.33..1.35\\nseverity: {DRA1: warning}\\n")
linter = dralint.Linter(config=config, feature_gates={"DRADeviceTaints": True})
linter.check_text(sys.argv[1])
linter.check_objects([{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": 1}])
linter.check_paths([sys.argv[2]])
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(name for name in new - set(sys.stdlib_module_names) if "cython" not in name)))
"""
    for example in (Path(__file__).parents[2] / "examples" / "bad").iterdir():
        (tmp_path / example.name).write_bytes(example.read_bytes())
    done = subprocess.run([sys.executable, "-c", code, BAD_CLAIM, tmp_path], capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == ["dralint", "yaml"]


def test_objects_are_judged_together() -> None:
    pod = objects.item("Pod", "a", spec={"resourceClaims": [{"name": "gpu", "resourceClaimName": "trian"}]})
    linter = dralint.Linter(complete=True, known_classes=["gpu.example.com"], select=["DRA4"])
    (finding,) = linter.check_objects([claim(), pod]).findings

    assert (finding.document, finding.path, finding.line) == (1, "spec.resourceClaims[0].resourceClaimName", 1)
    assert linter.check_objects([claim()]).findings == []


@pytest.mark.parametrize("name", ["missing.json", "list.json"])
def test_a_schema_of_a_driver_that_is_none_is_told_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "list.json").write_text("[]")

    with pytest.raises(ValueError, match=rf"^driver_schemas: .*{name}: "):
        dralint.Linter(driver_schemas={"gpu.example.com": tmp_path / name})


def test_each_choice_is_a_setting() -> None:
    from dralint.api import _KEYS
    from dralint.config.table import SETTINGS

    assert set(_KEYS.values()) <= SETTINGS.keys()
