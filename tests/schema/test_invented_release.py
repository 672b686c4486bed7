"""A release is data: one that does not exist is added to copies of the tables, and dralint judges by it."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from dralint.config.settings import Settings
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.schema.schemas import of_document

RULES = Path(__file__).parents[2] / "rules"
R199 = Release.parse("1.99")
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


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1, (path.name, old)
    path.write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The compiled catalogue and the types of 1.99, which has a new field, a gate for it, and a smaller limit."""
    rules = tmp_path_factory.mktemp("rules")
    for source in RULES.glob("*.yaml"):
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
    rows = [generate.rule(path) for path in generate.rule_files(rules)]
    (rules / "rules.json").write_text(generate.rules(rows), "utf-8")

    schemas = tmp_path_factory.mktemp("schemas")
    document: dict[str, Any] = json.loads(json.dumps(shipped.openapi(newest)))
    document["release"] = "1.99"
    claim = document["schemas"]["resource.k8s.io/v1"]["io.k8s.api.resource.v1.ResourceClaimSpec"]
    claim["properties"]["futureMode"] = {"type": "string"}
    (schemas / "upstream").mkdir()
    (schemas / "upstream" / "1.99.json").write_text(json.dumps(document), "utf-8")
    return rules / "index.json", schemas


def findings(settings: Settings) -> list[tuple[str, str, str]]:
    report = Linter(settings).check("claim.yaml", CLAIM.encode()).report
    assert report.failures == []
    report.sort()
    return [(f.rule, f.effect, f.path) for f in report.findings]


@pytest.mark.slow
def test_new_gate_and_changed_limit_hold_in_it(tables: tuple[Path, Path]) -> None:
    index, schemas = tables
    settings = Settings(releases=(R199,), rules_index=index, schemas=schemas)

    assert findings(settings) == [
        ("DRA502", "dropped", "spec.futureMode"),
        ("DRA210", "rejected", "spec.devices.requests"),
    ]


@pytest.mark.slow
def test_new_gate_can_be_switched_on(tables: tuple[Path, Path]) -> None:
    index, schemas = tables
    settings = Settings(releases=(R199,), gates=(("DRAFutureMode", True),), rules_index=index, schemas=schemas)

    assert findings(settings) == [("DRA210", "rejected", "spec.devices.requests")]


@pytest.mark.slow
def test_it_is_the_newest_that_judges_by_default(tables: tuple[Path, Path]) -> None:
    index, schemas = tables

    assert ("DRA502", "dropped", "spec.futureMode") in findings(Settings(rules_index=index, schemas=schemas))


def test_other_releases_are_as_before(tables: tuple[Path, Path]) -> None:
    index, schemas = tables
    settings = Settings(releases=(Release.parse("1.34"),), rules_index=index, schemas=schemas)

    assert findings(settings) == [("DRA101", "rejected", "spec.futureMode")]


def test_its_schemas_have_the_limit_and_name_the_gate(tables: tuple[Path, Path]) -> None:
    index, schemas = tables
    built = of_document(R199, shipped.openapi("1.99", schemas), index)["resource.k8s.io/v1", "ResourceClaim"]

    assert built["$defs"]["DeviceClaim"]["properties"]["requests"]["maxItems"] == 2
    assert built["$defs"]["ResourceClaimSpec"]["properties"]["futureMode"]["description"] == (
        "The server silently removes this field unless the feature gate DRAFutureMode is on"
        " (alpha, off by default in 1.99)."
    )
