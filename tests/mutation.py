"""Try whether the tests notice when one thing in a module is changed.

    python tests/mutation.py dralint/cel/check/unify.py tests/cel [more tests ...] [--most 20] [--seed 1]

Copies the checkout to a temporary folder, changes one place of the module after the other there, and runs the tests.
What no test notices is printed with its line, before and after. Exit status 1 when there is such a survivor.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_TIMEOUT = 600


def changed(node: ast.AST) -> ast.AST | None:
    """Return the node with one thing changed, None where there is nothing to change."""
    new = copy.deepcopy(node)
    if isinstance(new, ast.Compare) and type(new.ops[0]) in _OPPOSITE:
        new.ops[0] = _OPPOSITE[type(new.ops[0])]()
        return new
    if isinstance(new, ast.BoolOp):
        new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        return new
    if isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not):
        return new.operand
    if isinstance(new, ast.Constant) and isinstance(new.value, bool):
        new.value = not new.value
        return new
    if isinstance(new, ast.Constant) and isinstance(new.value, int):
        new.value += 1
        return new
    if isinstance(new, ast.Return) and new.value is not None and not isinstance(new.value, ast.Constant):
        new.value = ast.Constant(None)
        return new
    if isinstance(new, ast.Expr) and isinstance(new.value, ast.Call):
        return ast.Pass()
    return None


def mutants(source: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, text before, text after, and the whole module with one place changed."""
    tree = ast.parse(source)
    lines = source.encode().splitlines(keepends=True)
    skipped = {
        id(child) for node in ast.walk(tree) if isinstance(node, ast.AnnAssign) for child in ast.walk(node.annotation)
    }
    for node in ast.walk(tree):
        new = None if id(node) in skipped else changed(node)
        if new is None or not isinstance(node, ast.expr | ast.stmt):
            continue
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
        octets = source.encode()
        after = ast.unparse(ast.fix_missing_locations(new))
        if isinstance(new, ast.expr):
            after = f"({after})"
        yield node.lineno, octets[begin:end].decode(), after, (octets[:begin] + after.encode() + octets[end:]).decode()


def noticed(tree: Path, tests: list[str]) -> bool:
    """Say whether the tests fail in a copy of the checkout."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=tree, env={"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin"},
                              capture_output=True, check=False, timeout=_TIMEOUT)  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> int:
    """Run the mutants of one module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module")
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--most", type=int, default=20, help="how many places to change at random (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    source = (ROOT / options.module).read_text(encoding="utf-8")
    found = list(mutants(source))
    chosen = random.Random(options.seed).sample(found, min(options.most, len(found)))
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "checkout"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "__pycache__", ".venv", "*_cache"))
        if noticed(tree, options.tests):
            print("the tests fail without any change")
            return 2
        for line, before, after, text in sorted(chosen):
            (tree / options.module).write_text(text, encoding="utf-8")
            if not noticed(tree, options.tests):
                survivors += 1
                print(f"{options.module}:{line}: nobody notices\n  - {before}\n  + {after}", flush=True)
    print(f"{len(chosen)} of {len(found)} changes tried, {survivors} not noticed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
