"""An import within a function keeps a module out of a run that starts faster without it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dralint.cli.main import COMMANDS
from tests.conftest import BAD_CLAIM, GOOD_CLAIM

ROOT = Path(__file__).parents[2]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  containers: [{name: train, image: train, resources: {claims: [{name: gpu}]}}]
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1}
spec:
  driver: gpu.nvidia.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
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
    "slice.yaml": SLICE,
    "driver.yaml": GOOD_CLAIM.replace("gpu.example.com", "gpu.nvidia.com"),
}
STARTS = (
    ["--help"],
    *([command, "--help"] for command in COMMANDS),
    ["rules"],
    ["explain", "DRA101"],
    ["cel", "true"],
    *(["check", name] for name in TEXTS),
    ["check", "--kubernetes-version", "1.34", "slice.yaml"],
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
    "dralint.drivers.pack": "the engine of patterns is needed only for a pack that has one",
}
"""Modules whose late imports have another reason."""
_INDENTED = re.compile(r"^ +(?:from|import) ", re.MULTILINE)
MOST = 130
"""So many imports stand within functions; a lighter house lowers the number."""


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
def test_a_late_import_keeps_its_module_out_of_a_start_or_avoids_a_circle(loaded: list[set[str]]) -> None:
    above = _imports_at_the_top()
    needless = {
        f"{module}:{line} imports {target}"
        for module, line, target in _late_imports()
        if not any(module in modules and target not in modules for modules in loaded)
        and module not in _reached(target, above)
    }

    assert needless == set()


def test_few_imports_stand_within_functions() -> None:
    assert len({(module, line) for module, line, _ in _late_imports(all_of_them=True)}) <= MOST


def _late_imports(*, all_of_them: bool = False) -> Iterator[tuple[str, int, str]]:
    """Yield module, line and target of each import within a function.

    One that needs no other reason only if asked for: of a library, of a name that stands for something else beside it,
    in a `try`.
    """
    files = _files()
    for module, file in files.items():
        if module in REASONS and not all_of_them:
            continue
        text = file.read_text("utf-8")
        if not _INDENTED.search(text):
            continue
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        if any(function.name == "__getattr__" for function in functions):
            continue  # a package whose names are imported when they are first used
        within = [node for function in functions for node in ast.walk(function)]
        if all_of_them:
            imports = [node for node in within if isinstance(node, ast.Import | ast.ImportFrom)]
            yield from ((module, node.lineno, target) for node in imports for target in _targets(node, files))
            continue
        local = {node.id for node in within if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        local |= {node.arg for node in within if isinstance(node, ast.arg)} | {function.name for function in functions}
        tried = {id(node) for outer in within if isinstance(outer, ast.Try) for node in outer.body}
        for node in within:
            names = {name.asname or name.name for name in getattr(node, "names", ()) if isinstance(name, ast.alias)}
            for target in _targets(node, files):
                if not (target.partition(".")[0] in LIBRARIES or names & local or id(node) in tried):
                    yield module, getattr(node, "lineno", 0), target


def _imports_at_the_top() -> dict[str, set[str]]:
    """Return for each module those of dralint that it imports when it is imported itself."""
    files = _files()
    return {
        module: {target for node in ast.parse(file.read_text("utf-8")).body for target in _targets(node, files)}
        for module, file in files.items()
    }


def _reached(start: str, above: dict[str, set[str]]) -> set[str]:
    """Return the modules that an import of a module imports."""
    found, open_ = set(), [start]
    while open_:
        module = open_.pop()
        if module not in found:
            found.add(module)
            open_ += above.get(module, set())
    return found


def _targets(node: ast.AST, files: dict[str, Path]) -> list[str]:
    if isinstance(node, ast.ImportFrom) and node.module:
        whole = [f"{node.module}.{alias.name}" for alias in node.names]
        return [name if name in files else node.module for name in whole]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _files() -> dict[str, Path]:
    return {_name(file): file for file in sorted((ROOT / "dralint").rglob("*.py"))}


def _name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
