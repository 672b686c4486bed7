"""No text that dralint prints controls a terminal or a CI system, whatever names, keys and values are."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import dralint
from dralint.cli.output import safe_lines
from dralint.report import FORMATS
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Run
from tests.report.log import commands

EVIL = "e\x1b]0;x\x07\x9b2J\u2069\ufeff\u202e\u2028\x7f\r"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028\u2069\ufeff]")
QUOTED = json.dumps(EVIL)
COMMAND = "::error file=a,line=1::x ##[stop-commands]y ##vso[task.setvariable variable=a]z"
QUOTED_COMMAND = json.dumps(COMMAND)
OURS = re.compile("::(error|warning|notice) file=%3A%3Aerror file=a%2Cline=1%3A%3Ax [^,]*,line=[0-9]+,[^:]*::")

MANIFEST = f"""\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {{name: {QUOTED}, labels: {{{QUOTED}: {QUOTED}}}}}
spec:
  devices:
    requests:
    - name: {QUOTED}
      deviceClassName: {QUOTED}
      {QUOTED}: 1  # {COMMAND}
      selectors:
      - cel: {{expression: {QUOTED}}}
"""


@pytest.fixture(params=[EVIL, COMMAND], ids=["terminal", "log"])
def evil(request: pytest.FixtureRequest) -> str:
    text: str = request.param
    return text


@pytest.fixture
def folder(workdir: Path, evil: str) -> Path:
    (workdir / f"{evil}.yaml").write_text(MANIFEST.replace(QUOTED, json.dumps(evil)))
    (workdir / "good.yaml").write_text(GOOD_CLAIM)
    (workdir / "b.json").write_text(json.dumps({"version": 1, "findings": [{"rule": evil, "path": evil}]}))
    return workdir


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "."],
        ["check", EVIL],
        ["check", "good.yaml", "--select", EVIL],
        ["check", "good.yaml", f"--{EVIL}"],
        ["check", "good.yaml", "--format", EVIL],
        ["check", "good.yaml", "--output-file", f"json={EVIL}/a"],
        ["check", "good.yaml", "--output-file", EVIL],
        ["check", "good.yaml", "--config", EVIL],
        ["check", "good.yaml", "--driver-schema", f"{EVIL}=good.yaml"],
        ["check", "good.yaml", "--baseline", EVIL],
        ["check", ".", "--show-files", "--statistics", "--verbose", "--format", "json"],
        ["check", "--show-settings", "--exclude", EVIL, "--namespace", EVIL],
        ["check", "--add-ignore=x", "."],
        [EVIL],
        ["fix", ".", "--verbose", "--check"],
        ["fix", ".", "--verbose", "--unsafe-fixes", "--color", "always"],
        ["fix", EVIL],
        ["migrate", "--to", "v1", ".", "--verbose", "--color", "always"],
        ["migrate", "--to", EVIL, "."],
        ["upgrade", "--from", "1.33", "--to", "1.36", ".", EVIL],
        ["simulate", ".", "--inventory", f"{EVIL}.yaml"],
        ["simulate", "--inventory", EVIL, "good.yaml"],
        ["cel", EVIL],
        ["cel", "true", "--slices", f"{EVIL}.yaml"],
        ["explain", EVIL],
        ["rules", EVIL],
        ["schema", "show", "latest", EVIL],
        ["schema", "generate", EVIL, "--output", "out"],
        ["baseline", "show", "b.json"],
        ["baseline", "write", ".", "--output", f"{EVIL}.json"],
        ["baseline", "write", EVIL],
        ["diff", EVIL, "good.yaml"],
        ["diff", "good.yaml", f"{EVIL}.yaml"],
        ["completion", EVIL],
        ["triage", "."],
        ["triage", EVIL],
        ["new", EVIL],
        ["new", "claim", "--driver", EVIL],
        ["new", "claim", "--driver", "gpu.nvidia.com", "--name", EVIL],
        ["new", "claim", "--driver", "gpu.nvidia.com", "--where", EVIL],
        ["new", "claim", "--driver", "gpu.nvidia.com", "--for", EVIL],
        ["pack", "show", EVIL],
        ["pack", "make", EVIL],
        ["pack", "make", f"{EVIL}.yaml"],
        ["pack", "check", EVIL],
        ["pack", "check", f"{EVIL}.yaml"],
    ],
)
@pytest.mark.slow
def test_no_command_lets_a_control_through(
    run: Run, folder: Path, evil: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")  # elsewhere a patch keeps its bytes
    outcome = run(*(argument.replace(EVIL, evil) for argument in arguments))
    text = outcome.stdout + outcome.stderr
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text) if "always" in arguments else text

    assert STEERING.findall(plain) == []
    assert commands(plain) == commands(text) == []


@pytest.mark.parametrize("evil", [COMMAND], indirect=True)
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.slow
def test_no_report_has_a_command_of_its_input(run: Run, folder: Path, evil: str, format_: str) -> None:
    options = ["--show-files", "--statistics", "--verbose", "--show-all"]
    outcome = run("check", ".", *options, "--format", format_, "--output-file", f"{format_}=report")
    written = Path("report").read_text("utf-8")
    expected = outcome.stdout.splitlines() if format_ == "github" else []

    assert "rror" in outcome.stdout
    assert commands(outcome.stdout) == commands(written) == expected
    assert [line for line in expected if not OURS.match(line) or "##" in line] == []
    assert commands(outcome.stderr) == []


@pytest.mark.parametrize("evil", [COMMAND], indirect=True)
def test_json_has_the_names_and_values_of_the_input(run: Run, folder: Path, evil: str) -> None:
    found = run("check", f"{evil}.yaml", "--format", "json").report["findings"]

    assert {finding["file"] for finding in found} == {f"{evil}.yaml"}
    assert any(f'"{evil}"' in finding["message"] for finding in found)


@pytest.mark.parametrize("evil", [COMMAND], indirect=True)
def test_a_patch_changes_only_in_a_log(run: Run, folder: Path, evil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.yaml").write_text(BAD_CLAIM.replace("    - name", f"    # {evil}\n    - name"))
    patch = run("fix", "a.yaml").stdout
    monkeypatch.setenv("TF_BUILD", "True")
    shown = run("fix", "a.yaml").stdout

    assert f"     # {evil}\n" in patch
    assert commands(shown) == []
    assert len(shown) == len(patch)


@pytest.mark.parametrize("evil", [COMMAND], indirect=True)
def test_files_that_dralint_writes_keep_their_text(run: Run, folder: Path, evil: str) -> None:
    text = BAD_CLAIM + f"# {evil}\n# ##[error]\n"
    Path("a.yaml").write_text(text)
    piped = run("fix", "-", stdin=text).stdout
    run("fix", "--write", "a.yaml")

    assert Path("a.yaml").read_text() == piped == text.replace("deviceClasName", "deviceClassName")


@pytest.mark.parametrize(
    "configuration",
    [
        f"{QUOTED}: 1\n",
        f"severity: {{DRA101: {QUOTED}}}\n",
        f"severity: {{{QUOTED}: error}}\n",
        f"ignore: {QUOTED}\n",
        f"format: {QUOTED}\n",
        f"baseline: {QUOTED}\n",
        f"driver-schemas: {{{QUOTED}: good.yaml}}\n",
        "a: \x1b]0;x\x07\n",
        "a: *\u2069\n",
        f"? [{QUOTED}]\n",
        f"known: {{classes: {QUOTED}}}\n",
        f"exclude: [{QUOTED}]\n",
    ],
)
@pytest.mark.slow
def test_mistakes_of_a_configuration_steer_nothing(run: Run, folder: Path, evil: str, configuration: str) -> None:
    Path(".dralint.yaml").write_text(configuration.replace(QUOTED, json.dumps(evil)))
    for arguments in (["check", "good.yaml"], ["check", "--show-settings"], ["fix", "good.yaml"]):
        outcome = run(*arguments)

        assert STEERING.findall(outcome.stdout + outcome.stderr) == []
        assert commands(outcome.stdout) == commands(outcome.stderr) == []


@pytest.mark.parametrize(
    "key",
    [
        f'"{chr(0x2069)}" = 1',
        '"\\u001b]0;x" = 1',
        "a = '\x1b'",
        'format = "\\u009b2J"',
        f"{QUOTED_COMMAND} = 1",
        f"format = {QUOTED_COMMAND}",
    ],
)
def test_mistakes_of_toml_steer_nothing(run: Run, workdir: Path, key: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.dralint]\n{key}\n")
    outcome = run("check", "good.yaml")

    assert outcome.status == 2
    assert STEERING.findall(outcome.stderr) == []
    assert commands(outcome.stderr) == []


def test_a_line_end_in_a_name_makes_no_line(run: Run, workdir: Path) -> None:
    for arguments in (["check", "a\n::error::x"], ["check", "--select", "a\n::error::x"], ["a\n::error::x"]):
        assert not any(line.startswith("::") for line in run(*arguments).stderr.splitlines())


def test_what_goes_through_a_pipe_keeps_its_bytes(run: Run, workdir: Path) -> None:
    text = OLD_CLAIM + "# \x1b]0;x\x07\u2069\n"
    out = run("migrate", "--to", "v1", "-", stdin=text).stdout

    assert out.endswith("# \x1b]0;x\x07\u2069\n")
    assert run("fix", "-", stdin=BAD_CLAIM + "# \x1b\n").stdout.endswith("# \x1b\n")


def test_colours_are_kept_where_they_are_ours() -> None:
    assert safe_lines("\x1b[31ma\x1b[0m\x1b]0;\n\tb", painted=True) == "\x1b[31ma\x1b[0m␛]0;\n\tb"
    assert safe_lines("\x1b[31ma\n") == "␛[31ma\n"


def _may_write(function: ast.expr) -> bool:
    """Say whether a function that is called has a name by which text may leave."""
    name = getattr(function, "id", getattr(function, "attr", ""))
    return name in ("print", "echo", "secho") or "write" in name


@pytest.mark.slow
def test_text_leaves_through_one_module() -> None:
    """The bar of a long run writes numbers alone, the start of dralint a sentence that is always the same.

    Whoever reads standard input or asks for its width writes nothing.
    """
    package = Path(dralint.__file__).parent
    found = []
    for file in package.rglob("*.py"):
        if file.relative_to(package).as_posix() in ("__main__.py", "cli/output.py", "cli/output.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) and _may_write(node.func) else ""
            if called in ("print", "click.echo", "click.secho", "echo") or re.match(
                r"sys\.std(out|err)\..*write", called
            ):
                found.append(f"{file.relative_to(package)}:{getattr(node, 'lineno', 0)}: {called}")

    assert found == []
