"""A release is data: one that does not exist is added to copies of the tables, and dralint beside them judges by it."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rules"
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: a
spec:
  futureMode: Fast
  devices:
    requests:
    - name: a
      exactly: {deviceClassName: gpu.example.com}
    - name: b
      exactly: {deviceClassName: gpu.example.com}
    - name: c
      exactly: {deviceClassName: gpu.example.com}
"""
SCHEMA = """\
import json
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.schema.schemas import of_document
found = of_document(Release.parse("1.99"), shipped.openapi("1.99"))
print(json.dumps(found["resource.k8s.io/v1", "ResourceClaim"]))
"""


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, (path.name, old)
    path.write_text(text.replace(old, new), "utf-8")


Python = Callable[..., str]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Python:
    """What Python prints in a checkout with 1.99, which has a new field, a gate for it, and a smaller limit."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "dralint").symlink_to(ROOT / "dralint")
    (tree / "claim.yaml").write_text(CLAIM, "utf-8")
    rules = tree / "rules"
    rules.mkdir()
    for source in (*RULES.glob("*.yaml"), *RULES.glob("*.json")):
        shutil.copy(source, rules)
    newest = max(shipped.index()["releases"]["releases"], key=Release.parse)
    row = next(line for line in (rules / "releases.yaml").read_text().splitlines() if line.startswith(f'  "{newest}"'))
    replaced(rules / "releases.yaml", row, row + '\n  "1.99": {tag: v1.99.0, default: [resource.k8s.io/v1]}')
    pattern = r"^    requests: .*, unique: \[name\]\}\n"
    (now,) = re.findall(pattern, (rules / "limits.yaml").read_text("utf-8"), re.MULTILINE)
    new = '    requests: {maxItems: {"..1.98": 32, "1.99..": 2}, unique: [name]}\n'
    replaced(rules / "limits.yaml", now, new)
    gate = '  DRAFutureMode:\n    stages: {"1.99..": alpha off}\n'
    fields = '    fields:\n      "1.99..": [ResourceClaimSpec.futureMode]\n'
    replaced(rules / "gates.yaml", "\ngates:\n", f"\ngates:\n{gate}{fields}")
    spec = importlib.util.spec_from_file_location("generate_rules", RULES / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    (rules / "index.json").write_text(generate.index(rules), "utf-8")

    upstream = tree / "schemas" / "upstream"
    shutil.copytree(ROOT / "schemas" / "upstream", upstream)
    document: dict[str, Any] = json.loads(json.dumps(shipped.openapi(newest)))
    document["release"] = "1.99"
    claim = document["schemas"]["resource.k8s.io/v1"]["io.k8s.api.resource.v1.ResourceClaimSpec"]
    claim["properties"]["futureMode"] = {"type": "string"}
    (upstream / "1.99.json").write_text(json.dumps(document), "utf-8")

    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, *arguments], cwd=tree, env={"PYTHONPATH": str(tree)}, capture_output=True, text=True
        ).stdout

    return run


def findings(python: Python, *options: str) -> list[tuple[str, str, str]]:
    report = json.loads(python("-m", "dralint", "check", "--format", "json", *options, "claim.yaml"))
    return [(f["rule"], f["effect"], f["path"]) for f in report["findings"]]


@pytest.mark.slow
def test_new_gate_and_changed_limit_hold_in_it(python: Python) -> None:
    assert findings(python, "--kubernetes-version", "1.99") == [
        ("DRA502", "dropped", "spec.futureMode"),
        ("DRA210", "rejected", "spec.devices.requests"),
    ]


@pytest.mark.slow
def test_new_gate_can_be_switched_on(python: Python) -> None:
    options = ("--kubernetes-version", "1.99", "--feature-gates", "DRAFutureMode=true")

    assert findings(python, *options) == [("DRA210", "rejected", "spec.devices.requests")]


@pytest.mark.slow
def test_it_is_the_newest_that_judges_by_default(python: Python) -> None:
    assert ("DRA502", "dropped", "spec.futureMode") in findings(python)


@pytest.mark.slow
def test_other_releases_are_as_before(python: Python) -> None:
    assert findings(python, "--kubernetes-version", "1.34") == [("DRA101", "rejected", "spec.futureMode")]


@pytest.mark.slow
def test_its_schemas_have_the_limit_and_name_the_gate(python: Python) -> None:
    built = json.loads(python("-c", SCHEMA))

    assert built["$defs"]["DeviceClaim"]["properties"]["requests"]["maxItems"] == 2
    assert built["$defs"]["ResourceClaimSpec"]["properties"]["futureMode"]["description"] == (
        "The server silently removes this field unless the feature gate DRAFutureMode is on"
        " (alpha, off by default in 1.99)."
    )
