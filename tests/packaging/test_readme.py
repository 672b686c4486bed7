"""What the README shows is what the program prints; `pytest --update-golden tests/packaging` rewrites it."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Run
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_BLOCK = re.compile(r"(<!-- output: dralint (?P<command>[^\n]*) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def test_outputs_in_the_readme_are_real(
    run: Run, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)

    def fresh(match: re.Match[str]) -> str:
        outcome = run(*shlex.split(match["command"]))
        return f"{match[1]}```text\n$ dralint {match['command']}\n{outcome.stdout.rstrip()}\n```\n{match[4]}"

    text = README.read_text("utf-8")
    wanted = _BLOCK.sub(fresh, text)
    if request.config.getoption("--update-golden"):
        README.write_text(wanted, "utf-8")
        text = wanted

    assert text.count("<!-- output: dralint ") == 4
    assert text == wanted


def test_links_in_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text("utf-8"))

    assert [link for link in links if not link.startswith("https://") and not (ROOT / link).exists()] == []


def test_good_examples_are_good_and_bad_ones_are_bad(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    bad = check("examples/bad")

    assert check("examples/good", "--fail-on", "info").findings == []
    assert bad.status == 1
    assert {finding["file"] for finding in bad.report["findings"]} == {
        str(path.relative_to(ROOT)) for path in (ROOT / "examples/bad").iterdir()
    }


_DRIVER = """
def resource_slices(devices):
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "node-1-gpu"},
            "spec": {
                "driver": "gpu.example.com",
                "nodeName": "node-1",
                "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-MARK{number}"} for number in range(devices)],
            },
        }
    ]
"""


@pytest.mark.parametrize(("mark", "status", "said"), [("", 0, "3 passed"), ("_", 1, "2 failed, 1 passed")])
def test_the_tests_of_a_driver_are_real(tmp_path: Path, mark: str, status: int, said: str) -> None:
    block = re.search(r"<!-- test: driver -->\n```python\n(.*?)```\n<!-- end -->", README.read_text("utf-8"), re.DOTALL)
    assert block is not None
    (tmp_path / "test_slices.py").write_text(block[1])
    (tmp_path / "my_driver.py").write_text(_DRIVER.replace("MARK", mark))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slices.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )

    assert (done.returncode, said in done.stdout) == (status, True), done.stdout
    assert ("spec.devices[0].name" in done.stdout) == bool(mark)


def test_hooks_and_inputs_of_the_recipes_exist() -> None:
    blocks = [
        YAML(typ="safe").load(text) for text in re.findall(r"```yaml\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    ]
    hooks = {hook["id"] for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    inputs = set(YAML(typ="safe").load(ROOT / "action.yml")["inputs"])
    named = [hook["id"] for block in blocks if "repos" in (block or {}) for hook in block["repos"][0]["hooks"]]
    (step,) = [step for block in blocks if isinstance(block, list) for step in block if "dralint" in step["uses"]]

    assert (len(named), set(named)) == (3, hooks)
    assert set(step["with"]) <= inputs


def test_the_picture_is_what_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    picture = runpy.run_path(str(ROOT / "examples" / "picture.py"))
    shown, wanted = (
        "".join(ElementTree.fromstring(svg).itertext())
        for svg in ((ROOT / "examples/report.svg").read_text("utf-8"), picture["svg"](picture["report"]()))
    )

    assert "".join(shown.split()) == "".join(wanted.split())
    assert "1\u00a0file,\u00a01\u00a0object:\u00a0" in shown
    assert "http" not in (ROOT / "examples/report.svg").read_text("utf-8").replace(
        "http://www.w3.org/2000/svg", ""
    ).replace("https://www.textualize.io", "")
