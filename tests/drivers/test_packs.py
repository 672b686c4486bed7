"""The form of packs, the commands about them, and the options that choose versions and gates."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dralint.drivers.pack import Pack, shipped
from dralint.drivers.pack_file import mistakes, read_pack
from dralint.drivers.shipped import CLASSES, DRIVERS
from tests.conftest import Run
from tests.drivers.inputs import NVIDIA, claim, device_class, gpu_config
from tests.objects import slice_of

ROOT = Path(__file__).parents[2]
PACK = """\
pack: 1
driver: gpu.acme.example
versions: [v1.0.0, v1.1.0, v0.2.0]
gates:
  Slicing: {since: v1.1.0, default: false}
kinds:
  gpu: {where: {gpu.acme.example/type: gpu}}
attributes:
- {name: type, type: string, always: true, values: [gpu], closed: true}
parameters:
  apiVersion: gpu.acme.example/v1
  strict: {value: true, since: v1.1.0}
  kinds:
  - kind: GpuConfig
    devices: [gpu]
    fields:
      since: {type: string}
      mode: {type: string, enum: [A, {value: B, since: v0.2.0}]}
"""


def test_the_packs_of_the_documentation_have_the_form() -> None:
    page = (ROOT / "docs" / "drivers.md").read_text("utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    shown = [text for text in blocks if re.match(r"(# .*\n)?pack: 1\n", text)]

    assert [mistakes(text.encode()) for text in shown] == [[], []]


@pytest.mark.parametrize("driver", sorted(DRIVERS))
def test_each_shipped_pack_has_the_form(driver: str) -> None:
    assert mistakes((ROOT / "drivers" / f"{driver}.yaml").read_bytes()) == []


@pytest.mark.slow
def test_what_the_program_reads_is_compiled_from_the_packs() -> None:
    done = subprocess.run([sys.executable, ROOT / "drivers" / "generate.py", "--check"], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "")


def test_the_packs_in_the_wheel_are_small() -> None:
    assert sum(file.stat().st_size for file in (ROOT / "dralint" / "drivers" / "packs").iterdir()) < 300_000


def test_a_class_leads_to_the_pack_that_has_it() -> None:
    for name, driver in CLASSES.items():
        pack = shipped(driver)
        assert pack is not None
        assert name in [row["name"] for row in pack.data["classes"]]


def test_a_driver_without_a_pack_has_none() -> None:
    assert shipped("other.example.org") is None


def test_versions_are_ordered_by_their_list() -> None:
    pack = Pack(read_pack(PACK.encode()))

    assert [pack.at(version)["parameters"].get("strict") for version in pack.versions] == [None, True, True]
    assert [field["enum"] for version in pack.versions for field in [_fields(pack, version)["mode"]]] == [
        ["A"],
        ["A"],
        ["A", "B"],
    ]
    assert pack.newest == "v0.2.0"


def test_a_field_can_be_called_like_a_key_of_the_form() -> None:
    assert "since" in _fields(Pack(read_pack(PACK.encode())), "v1.0.0")


def _fields(pack: Pack, version: str) -> dict[str, dict[str, object]]:
    fields: dict[str, dict[str, object]] = pack.at(version)["parameters"]["kinds"][0]["fields"]
    return fields


@pytest.mark.parametrize(
    ("before", "after", "line", "text"),
    [
        ("closed: true", "close: true", 9, "attributes.0: Additional properties are not allowed"),
        ("type: string, always", "type: text, always", 9, "attributes.0.type: 'text' is not one of"),
        (
            "since: v1.1.0, default",
            "since: v1.2.0, default",
            5,
            "gates.Slicing.since: the pack has no version 'v1.2.0'",
        ),
        ("devices: [gpu]", "devices: [gpus]", 15, "parameters.kinds.0.devices: the pack has no kind of device 'gpus'"),
        ("pack: 1", "pack: 2", 1, "pack: 1 was expected"),
        ("pack: 1", "- 1", 2, "expected `- ` for the next item"),
    ],
)
def test_a_mistake_in_a_pack_has_its_line(before: str, after: str, line: int, text: str) -> None:
    found = mistakes(PACK.replace(before, after, 1).encode())

    assert found[0].line == line
    assert found[0].text.startswith(text)


EXTENDS = """\
pack: 1
driver: gpu.nvidia.com
extends: gpu.nvidia.com
versions: [v0.5]
attributes:
- {name: rack, type: string, since: v0.5}
- {name: brand, type: int}
gates:
  Racks: {since: v0.5, default: true}
parameters:
  kinds:
  - {kind: RackConfig, since: v0.5, fields: {rack: {type: string}}}
"""


class TestExtends:
    def test_entries_are_added_and_replaced(self) -> None:
        base = shipped("gpu.nvidia.com")
        assert base is not None
        pack = Pack(read_pack(EXTENDS.encode()))

        assert pack.versions == [*base.versions, "v0.5"]
        assert "extends" not in pack.data
        types = {row["name"]: row["type"] for row in pack.at("v0.5")["attributes"]}
        assert (types["rack"], types["brand"], types["architecture"]) == ("string", "int", "string")
        assert "rack" not in {row["name"] for row in pack.at("v0.4.1")["attributes"]}
        assert [row["kind"] for row in pack.at("v0.5")["parameters"]["kinds"]] == [
            *(row["kind"] for row in base.at("v0.4.1")["parameters"]["kinds"]),
            "RackConfig",
        ]
        assert {"Racks", "MPSSupport"} <= set(pack.at("v0.5")["gates"])

    def test_another_driver_has_the_attributes_in_its_domain(self) -> None:
        pack = Pack(read_pack(b"pack: 1\ndriver: gpu.acme.example\nextends: gpu.nvidia.com\n"))

        assert pack.data["kinds"]["mig"]["where"] == {"gpu.acme.example/type": "mig"}
        assert "classes" not in pack.data

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                EXTENDS.replace("s: gpu.nvidia.com", "s: gpu.nvida.com"),
                "extends: dralint has no pack of 'gpu.nvida.com'",
            ),
            (EXTENDS.replace("since: v0.5", "since: v6", 1), "attributes.0.since: the pack has no version 'v6'"),
            ("pack: 1\ndriver: gpu.acme.example\n", "'versions' is a required property"),
        ],
    )
    def test_a_mistake_is_reported(self, text: str, message: str) -> None:
        assert mistakes(text.encode())[0].text.startswith(message)

    def test_the_pack_judges(self, run: Run, workdir: Path) -> None:
        (workdir / "pack.yaml").write_text(EXTENDS)
        (workdir / ".dralint.yaml").write_text("driver-packs: [pack.yaml]\ndriver-versions: {gpu.nvidia.com: v0.5}\n")
        file = workdir / "claim.json"
        file.write_text(json.dumps(claim("gpu.nvidia.com", 'device.attributes["gpu.nvidia.com"].rakc == "a"')))

        found = run("check", "--format", "json", str(file)).report["findings"]

        assert [(each["rule"], each["hint"]) for each in found] == [("DRA810", 'did you mean "rack"?')]


@pytest.mark.slow
def test_a_new_driver_needs_its_file_only(tmp_path: Path) -> None:
    copy = tmp_path / "dralint"
    for folder in ("dralint", "drivers", "rules", "schemas"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "drivers" / "gpu.acme.example.yaml").write_text(PACK)
    wanted = claim("mine", driver="gpu.acme.example", parameters={"apiVersion": "gpu.acme.example/v1", "kind": "Gpu"})
    (tmp_path / "claim.json").write_text(json.dumps(wanted))

    subprocess.run([sys.executable, copy / "drivers" / "generate.py"], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "dralint", "check", "--format", "json", tmp_path / "claim.json"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )

    assert [finding["rule"] for finding in json.loads(done.stdout)["findings"]] == ["DRA801"]


class TestCommands:
    def test_check_says_which_file_is_a_pack(self, run: Run, tmp_path: Path) -> None:
        good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
        good.write_text(PACK)
        bad.write_text(PACK.replace("[gpu]\n", "[gpus]\n"))

        assert run("pack", "check", str(good)).stdout == f"{good}: a pack of gpu.acme.example\n"
        outcome = run("pack", "check", str(good), str(bad))
        assert outcome.status == 1
        assert f"{bad}:15: parameters.kinds.0.devices: " in outcome.stdout

    @pytest.mark.slow
    def test_make_writes_a_pack_that_catches_a_misspelt_attribute(self, run: Run, tmp_path: Path) -> None:
        devices = [
            {
                "name": f"{kind}-{number}",
                "attributes": {
                    "type": {"string": kind},
                    "model": {"string": "A1"},
                    "uuid": {"string": f"{kind}-{number}"},
                    "cores": {"int": 8},
                },
                "capacity": {"memory": {"value": "40Gi"}},
            }
            for kind in ("gpu", "slice")
            for number in range(2)
        ]
        found = slice_of("gpu.acme.example", "node-1", devices)
        expression = 'device.driver == "gpu.acme.example"'
        own = device_class("acme", expression)
        own["spec"]["extendedResourceName"] = "acme.example/gpu"
        (tmp_path / "cluster.json").write_text(f"{json.dumps(found)}\n{json.dumps(own)}\n")
        file = tmp_path / "claim.json"
        file.write_text(json.dumps(claim("acme", 'device.attributes["gpu.acme.example"].modle == "A1"')))

        made = run("pack", "make", str(tmp_path / "cluster.json"), "--driver-version", "v1").stdout
        (tmp_path / "pack.yaml").write_text(made)
        (tmp_path / ".dralint.yaml").write_text("driver-packs: [pack.yaml]\n")

        assert run("pack", "check", str(tmp_path / "pack.yaml")).status == 0
        assert "{name: uuid, type: string, always: true}" in made
        assert made.endswith(
            'name: acme, cel: device.driver == "gpu.acme.example", extendedResource: acme.example/gpu}\n'
        )
        assert "- name: model\n  type: string\n  always: true\n  examples: [A1]\n" in made
        assert _rules(run, file, "--config", str(tmp_path / ".dralint.yaml")) == ["DRA810"]

    def test_show_lists_the_drivers(self, run: Run) -> None:
        assert "gpu.nvidia.com  v25.3.2 to main\n" in run("pack", "show").stdout

    def test_show_has_what_a_version_has(self, run: Run) -> None:
        shown = run("pack", "show", "gpu.nvidia.com", "--driver-version", "v25.3.2").stdout

        assert "  gpu.nvidia.com/index: int; of gpu, mig\n" in shown
        assert "VfioDeviceConfig" not in shown
        assert "VfioDeviceConfig" in run("pack", "show", "gpu.nvidia.com").stdout


MEANT = 'did you mean "gpu.nvidia.com"?'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pack", "check", "nowhere.yaml"], "nowhere.yaml"),
        (["pack", "make", "empty.yaml"], "the files have no devices"),
        (["pack", "show", "gpu.nvida.com"], f"dralint has no pack of 'gpu.nvida.com'; {MEANT}"),
        (["pack", "show", "dra.net", "--driver-version", "v9"], "the pack has no version 'v9'; it has v1.0.1, v1.1.0,"),
        (["check", "--driver-version", NVIDIA], "--driver-version: 'gpu.nvidia.com' is not of the form DRIVER=VERSION"),
        (["check", "--driver-version", "gpu.nvida.com=v1"],
         f"--driver-version: dralint has no pack of the driver 'gpu.nvida.com'; {MEANT}"),
        (["check", "--driver-gates", "gpu.nvidia.com=MPSSupport"],
         "--driver-gates: 'gpu.nvidia.com=MPSSupport' is not of the form DRIVER:GATE=true,GATE=false"),
        (["check", "--driver-gates", "gpu.nvidia.com:MPS=true"],
         "--driver-gates: the driver gpu.nvidia.com has no feature gate 'MPS'; did you mean \"MPSSupport\"?"),
        (["check", "--config", "config.yaml"], "config.yaml:3:"),
    ],
)  # fmt: skip
def test_wrong_usage(run: Run, workdir: Path, arguments: list[str], message: str) -> None:
    (workdir / "empty.yaml").write_text("a: 1\n")
    (workdir / "config.yaml").write_text("driver-gates:\n  gpu.nvidia.com:\n    MPS: true\n")
    outcome = run(*arguments)

    assert outcome.status == 2
    assert message in outcome.stderr


class TestOptions:
    def test_gates_can_be_given_one_by_one(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "claim.json"
        file.write_text(json.dumps(claim(parameters=gpu_config(sharing={"strategy": "MPS"}))))
        gates = ("--driver-gates", "gpu.nvidia.com:TimeSlicingSettings=true")
        on = (*gates, "--driver-gates", "gpu.nvidia.com:MPSSupport=true")
        version = ("--driver-version", "gpu.nvidia.com=v0.4.1")

        assert _rules(run, file, *version, *gates) == ["DRA801"]
        assert _rules(run, file, *version, *on) == []

    def test_the_configuration_names_versions_and_gates(self, run: Run, tmp_path: Path) -> None:
        file = tmp_path / "claim.json"
        file.write_text(json.dumps(claim(parameters=gpu_config(sharing={"strategy": "MPS"}, x=1))))
        (tmp_path / ".dralint.yaml").write_text(
            "driver-versions: {gpu.nvidia.com: v25.3.2}\ndriver-gates: {gpu.nvidia.com: {MPSSupport: true}}\n"
        )
        config = ("--config", str(tmp_path / ".dralint.yaml"))

        assert _rules(run, file, *config) == ["DRA803"]
        assert _rules(run, file, *config, "--driver-version", "gpu.nvidia.com=v0.4.1") == ["DRA801"]

    def test_the_configuration_names_packs_that_go_before_the_shipped(self, run: Run, tmp_path: Path) -> None:
        file, config = tmp_path / "claim.json", tmp_path / ".dralint.yaml"
        file.write_text(json.dumps(claim(parameters=gpu_config(sharing={"strategy": "mps"}))))
        own = {"pack": 1, "driver": "gpu.nvidia.com", "versions": ["v1"], "parameters": {"ignored": True}}
        (tmp_path / "pack.yaml").write_text(json.dumps(own))
        config.write_text("driver-packs: [pack.yaml]\ndriver-versions: {gpu.nvidia.com: v1}\n")

        assert _rules(run, file, "--config", str(config)) == ["DRA803"]
        (tmp_path / "pack.yaml").write_text(json.dumps({**own, "pack": 2}))
        outcome = run("check", str(file), "--config", str(config))
        assert outcome.status == 2
        assert ".dralint.yaml:1:" in outcome.stderr
        assert "pack.yaml: line 1: pack: 1 was expected" in outcome.stderr


def _rules(run: Run, file: Path, *arguments: str) -> list[str]:
    findings = run("check", str(file), "--format", "json", *arguments).report["findings"]
    return [finding["rule"] for finding in findings]
