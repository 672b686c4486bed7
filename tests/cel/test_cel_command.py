"""`dralint cel`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dralint.cli.cel import cel
from tests.newest import NEWEST

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {model: {string: A100}, example.net/numa: {int: 1}}
  - name: gpu-1
    attributes: {size: {int: 3}}
  - name: gpu-2
    attributes: {model: {string: H100}}
"""


def run(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cel, list(args), input=stdin)


@pytest.fixture
def slices(tmp_path: Path) -> str:
    """Return the path of a file with three devices."""
    path = tmp_path / "slices.yaml"
    path.write_text(SLICE)
    return str(path)


def test_an_accepted_expression_has_its_type_and_its_cost() -> None:
    result = run('device.driver == "gpu.example.com"')

    assert result.output == f"accepted by Kubernetes {NEWEST}: type bool, estimated cost 4 of 1,000,000\n"


IN_LIST = 'device.attributes["d"].x.exists(v, v == 1)'
LISTS = "DRAListTypeAttributes=true"


@pytest.mark.parametrize(
    ("arguments", "stdin", "status"),
    [
        ([], "device.driver == 'x'\n", 0),
        (["-"], "device.driver\n", 1),
        (["--file", "selector.cel"], None, 0),
        (["--file", "-"], "1 +", 1),
        ([IN_LIST, "--kubernetes-version", "1.36"], None, 1),
        ([IN_LIST, "--kubernetes-version", "1.36", "--feature-gates", LISTS], None, 0),
        (["device.driver", "--kind", "derived"], None, 0),
        (["device.driver", "--kind", "derived", "--kubernetes-version", "1.36"], None, 2),
        (['attributes.bool["a"]', "--kubernetes-version", "1.30"], None, 0),
    ],
)
def test_the_status_says_whether_it_is_accepted(
    workdir: Path, arguments: list[str], stdin: str | None, status: int
) -> None:
    (workdir / "selector.cel").write_text("device.driver ==\n  'x'\n")

    assert run(*arguments, stdin=stdin).exit_code == status


NO_STRING = "each line must be a JSON string"


@pytest.mark.parametrize(
    ("arguments", "content", "said"),
    [
        (["true", "--kubernetes-version", "1.20"], "", "release 1.20 is not known; known are 1.26, "),
        (["true", "--feature-gates", "DRAListTypeAttribute=true"], "", "DRAListTypeAttributes"),
        (["true", "--slices", "many.jsonl"], "kind: Pod\n", "has no ResourceSlice with devices"),
        (["--file", "many.jsonl"], '"true"\n7\n', f"many.jsonl:2: {NO_STRING}"),
        (["--file", "many.jsonl"], "[" * 100_000 + "]" * 100_000, f"many.jsonl:1: {NO_STRING}"),
        (["--file", "many.jsonl"], '"true"\n' + '{"a":' * 50_000, f"many.jsonl:2: {NO_STRING}"),
    ],
)
def test_wrong_usage(workdir: Path, arguments: list[str], content: str, said: str) -> None:
    (workdir / "many.jsonl").write_text(content)
    result = run(*arguments)

    assert result.exit_code == 2
    assert said in result.output


def test_a_rejected_expression_has_carets() -> None:
    result = run('device.driver == "a" &&\n  device.attribute["x"] == 1', "--kubernetes-version", "v1.34.4")

    assert result.exit_code == 1
    assert result.output == (
        "rejected by Kubernetes 1.34 (Invalid)\n"
        "\n"
        '    device.attribute["x"] == 1\n'
        "          ^^^^^^^^^^\n"
        'error DRA302: device has no field "attribute"; it has driver, attributes, capacity\n'
        '  hint: did you mean "attributes"?\n'
    )


def test_json_of_many(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(json.dumps("device.driver == 'x'") + "\n" + json.dumps("1 +") + "\n")

    result = run("--file", str(path), "--format", "json", "--kubernetes-version", "1.36")
    answer = json.loads(result.output)

    assert result.exit_code == 1
    assert (answer["version"], answer["release"]) == (1, "1.36")
    first, second = answer["results"]
    assert {k: first[k] for k in ("ok", "stage", "type", "cost", "costLimit", "line", "issues")} == {
        "ok": True,
        "stage": None,
        "type": "bool",
        "cost": 3,
        "costLimit": 1_000_000,
        "line": None,
        "issues": [],
    }
    assert (second["ok"], second["stage"], second["line"], second["column"]) == (False, "compile", 1, 4)
    assert second["issues"][0]["message"] == "the expression ends where a value should follow"


def test_devices_of_slices(slices: str) -> None:
    expression = 'device.attributes["gpu.example.com"].model == "A100"'

    result = run(expression, "--slices", slices)
    devices = json.loads(run(expression, "--slices", slices, "--format", "json").output)["results"][0]["devices"]

    assert result.exit_code == 0
    error = 'there is no "model" (in device.attributes["gpu.example.com"].model)'
    assert result.output.splitlines()[-4:] == [
        f"gpu.example.com/p/gpu-0: matches (by {expression})",
        f"gpu.example.com/p/gpu-1: error: {error}",
        f"gpu.example.com/p/gpu-2: does not match (by {expression})",
        "1 of 3 devices match, 1 abort with an error",
    ]
    assert [(d["device"], d["matches"]) for d in devices] == [("gpu-0", True), ("gpu-1", None), ("gpu-2", False)]


@pytest.mark.parametrize(
    ("expression", "why", "hint"),
    [
        (
            'device.attributes["gpu.example.com"].modell == "A100"',
            'the attribute "modell" exists on 0 of 3 devices',
            'did you mean "model"?',
        ),
        (
            'device.attributes["gpu.example.com"].?modell.orValue("") == "A100"',
            'the attribute "modell" exists on 0 of 3 devices',
            'did you mean "model"?',
        ),
        (
            '"model" in device.attributes["gpu.exmple.com"]',
            'no device has an attribute of the domain "gpu.exmple.com" (there are: example.net, gpu.example.com)',
            'did you mean "gpu.example.com"?',
        ),
        (
            'device.attributes["gpu.example.com"].?numa == optional.of(1)',
            'the attribute "numa" exists on 0 of 3 devices',
            'did you mean device.attributes["example.net"].numa?',
        ),
        ('device.driver == "x"', None, None),
        ('has(device.attributes["gpu.example.com"].model) || device.attributes["gpu.example.com"].modell', None, None),
    ],
)
def test_a_name_that_no_device_has_is_told_with_the_nearest(
    slices: str, expression: str, why: str | None, hint: str | None
) -> None:
    text = run(expression, "--slices", slices)
    (answer,) = json.loads(run(expression, "--slices", slices, "--format", "json").output)["results"]

    assert (answer["why"], answer["hint"]) == (why, hint)
    after = text.output.splitlines()[[" devices match" in line for line in text.output.splitlines()].index(True) + 1 :]
    assert after == ([] if why is None else [why, f"  hint: {hint}"])


def test_nobody_is_told_to_ask_first_for_a_name_that_no_device_has(slices: str) -> None:
    wrong, right = ('device.attributes["gpu.example.com"].' + name + ' == "A"' for name in ("modell", "model"))

    def asked(expression: str, *options: str) -> tuple[int, bool]:
        text = run(expression, *options).output
        (answer,) = json.loads(run(expression, *options, "--format", "json").output)["results"]
        return len(answer["issues"]), "write has(" in text

    assert asked(wrong) == asked(right) == asked(right, "--slices", slices) == (1, True)
    assert asked(wrong, "--slices", slices) == (0, False)


HOSTILE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
spec:
  driver: "d\\e]0;OWNED\\a"
  pool: {name: "p\\u202e"}
  devices:
  - name: "gpu\\e[1A\\nforged: matches"
    attributes: {m: {string: a}}
  - name: "bad\\e[31m"
    attributes: {m: {}}
"""


@pytest.mark.parametrize("format_", ["text", "json"])
def test_no_control_character_of_devices_and_expressions_is_printed(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "slices.yaml"
    path.write_text(HOSTILE, encoding="utf-8")

    for expression in ("true", 'device.driver == "\x1b]0;x\x07', "device.\u202efoo", "'a\x9b' == \"\u200b\" + 1"):
        result = run("--slices", str(path), "--format", format_, expression)

        raw = [c for c in result.output if not (c.isprintable() or c == "\n")]
        assert raw == [], (expression, result.output)
        assert "forged: matches" not in [line.strip() for line in result.output.splitlines()]


@pytest.mark.parametrize("format_", ["text", "json"])
def test_half_a_surrogate_pair_is_judged_and_shown(tmp_path: Path, format_: str) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text('"tr\\ud800ue"\n')

    result = run("--file", str(path), "--format", format_)

    assert result.exit_code == 1
    assert "\ud800" not in result.output


def test_only_files_are_read_below_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SLICE)
    os.mkfifo(tmp_path / "b.yaml")
    (tmp_path / "c.yaml").symlink_to("/dev/zero")

    result = run("--slices", str(tmp_path), "true")
    device = run("--slices", "/dev/zero", "true")

    assert "devices match" in result.output
    assert device.exit_code == 2
    assert "/dev/zero:1: cannot be read: it has more than " in device.output


@pytest.mark.parametrize(
    ("expression", "rule"),
    [
        ("1 +", "DRA301"),
        ("device.x", "DRA302"),
        ("1 == ''", "DRA303"),
        ("1", "DRA304"),
        ("", "DRA301"),
        ("1" * 10241, "DRA211"),
    ],
)
def test_each_finding_names_its_rule(expression: str, rule: str) -> None:
    text = run(expression, "--color", "always").output
    (result,) = json.loads(run(expression, "--format", "json").output)["results"]

    assert f"\x1b[1;31merror {rule}\x1b[0m: " in text
    assert result["issues"][0]["rule"] == rule
    assert "\x1b" not in run(expression).output


def test_a_file_of_slices_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dralint.files.source.LARGEST_FILE", 1 << 20)
    path = tmp_path / "slices" / "large.yaml"
    path.parent.mkdir()
    path.write_text(SLICE + "#" * (1 << 20))
    (path.parent / "small.yaml").write_text(SLICE)

    alone = run("true", "--slices", str(path))
    beside = run("true", "--slices", str(path.parent))

    said = "it has more than 1 MiB; split it into several files"
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert f"{path}:1: cannot be read: {said}" in alone.stderr
    assert beside.stderr == f"dralint: {path}:1: cannot be read: {said}\n"
    assert beside.stdout.splitlines()[-1] == "3 of 3 devices match"
