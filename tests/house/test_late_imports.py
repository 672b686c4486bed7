"""An import within a function keeps a module out of a run that starts faster without it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dralint.cli.main import COMMANDS
from tests.conftest import BAD_CLAIM, GOOD_CLAIM

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  containers: [{name: train, image: train, resources: {claims: [{name: gpu}]}}]
"""
PARAMETERS = (
    GOOD_CLAIM
    + """\
    config:
    - opaque:
        driver: gpu.example.com
        parameters: {apiVersion: gpu.resource.example.com/v1alpha1, kind: GpuConfig}
"""
)
TEXTS = {
    "good.yaml": GOOD_CLAIM,
    "bad.yaml": BAD_CLAIM,
    "pod.yaml": f"{GOOD_CLAIM}---\n{POD}",
    "alone.yaml": POD,
    "parameters.yaml": PARAMETERS,
    "driver.yaml": GOOD_CLAIM.replace("gpu.example.com", "gpu.nvidia.com"),
}
STARTS = (
    ["--help"],
    *([command, "--help"] for command in COMMANDS),
    ["rules"],
    ["explain", "DRA101"],
    ["cel", "true"],
    *(["check", name] for name in TEXTS),
    ["check", "--slices", str(ROOT / "examples/simulate/inventory.yaml"), "good.yaml"],
    ["check", str(ROOT / "examples/good")],
    ["fix", "--check", "bad.yaml"],
    ["migrate", "--to", "v1", "--check", "good.yaml"],
    ["upgrade", "--from", "1.33", "--to", "1.34", "good.yaml"],
    ["baseline", "write", "--output", "baseline.json", "good.yaml"],
    [
        "simulate",
        "--inventory",
        str(ROOT / "examples/simulate/inventory.yaml"),
        str(ROOT / "examples/simulate/works.yaml"),
    ],
)
"""Runs whose start people wait for."""
_PROBE = """
import sys
from dralint.cli.main import dralint
try:
    dralint(sys.argv[1:], prog_name="dralint")
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""
LIBRARIES = {"jsonschema", "pathspec", "referencing", "rich", "ruamel", "yaml"}
"""They take 15 to 100 ms, and few runs need them."""
REASONS = {
    "dralint.api": "a program that imports dralint waits only for what it calls",
    "dralint.__main__": "a process that ends early must not load the commands",
    "dralint.cli.completion": "the command belongs to the group that it imports",
    "dralint.cli.output": "the group imports this module",
    "dralint.opaque.schema_file": "needs the engine of patterns only if a schema has one",
    "dralint.files.ignore": "the file is read only if there is one",
    "dralint.files.walk": "few directories have a .gitignore",
    "dralint.edit.second_reader": "stands beside the import of ruamel.yaml",
    "dralint.report.sarif": "the package imports the reports",
    "dralint.simulate.node_resources": "the module that it imports also imports it",
    "dralint.simulate.server": "the module that it imports also imports it",
    "dralint.drivers.pack": "the packs are read only if a driver has one",
    "dralint.lint.across_objects": "few runs get to these rules",
    "dralint.lint.driver_packs": "the versions in charts and the slices of a driver are read only if there are some",
    "dralint.lint.unschedulable": "the simulation is needed only if the devices of a claim are known",
    "dralint.lint.pool": "the linter is imported by the processes that judge",
    "dralint.lint.release_judge": "the types of Pods are needed only for Pods",
    "dralint.lint.text_hints": "is needed only for a text with findings",
}
"""Modules whose late imports have another reason."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> list[set[str]]:
    """The modules that each start loads."""
    folder = tmp_path_factory.mktemp("starts")
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return [
        set(done.stderr.splitlines()[-1].split())
        for start in STARTS
        for done in [
            subprocess.run(
                [sys.executable, "-c", _PROBE, *start], cwd=folder, env=environment, capture_output=True, text=True
            )
        ]
    ]


@pytest.mark.slow
def test_a_late_import_keeps_its_module_out_of_a_start(loaded: list[set[str]]) -> None:
    needless = {
        f"{module}:{line} imports {target}"
        for module, line, target in _late_imports()
        if not any(module in modules and target not in modules for modules in loaded)
    }

    assert needless == set()


@pytest.mark.slow
def test_each_module_with_another_reason_needs_it(loaded: list[set[str]]) -> None:
    modules = {module for module, _, _ in _late_imports(reasons=False)}

    assert set(REASONS) <= modules


def _late_imports(*, reasons: bool = True) -> Iterator[tuple[str, int, str]]:
    files = {_name(file): file for file in sorted((ROOT / "dralint").rglob("*.py"))}
    for module, file in files.items():
        if reasons and module in REASONS:
            continue
        functions = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
        if any(function.name == "__getattr__" for function in functions):
            continue  # a package whose names are imported when they are first used
        for node in (node for function in functions for node in ast.walk(function)):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [name if name in files else node.module for name in whole]
            elif isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            else:
                continue
            yield from (
                (module, node.lineno, target) for target in targets if target.partition(".")[0] not in LIBRARIES
            )


def _name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
