"""The modules of dralint.cel import in one direction; dralint/cel/README.md names them in this order."""

import ast
import re
from pathlib import Path

import pytest

CEL = Path(__file__).parent.parent.parent / "dralint/cel"
ROWS = [line.split("|")[1] for line in (CEL / "README.md").read_text("utf-8").splitlines() if line.startswith("| `")]
STAGES = [re.findall(r"`(\w+)`", row) for row in ROWS]
ORDER = [module for stage in STAGES for module in stage]


def imports_of(text: str) -> list[tuple[int, str]]:
    """Return line and module of every import from dralint.cel that runs, those within functions too."""
    found = []
    tree = ast.parse(text)
    of_types = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    tree.body = [node for node in tree.body if node not in of_types]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dralint.cel"):
            parts = (node.module or "").split(".")[2:]
            found += [(node.lineno, [*parts, alias.name][0]) for alias in node.names]
    return found


def test_the_readme_names_all_modules() -> None:
    assert sorted(ORDER) == sorted(path.stem for path in CEL.glob("*.py") if path.stem != "__init__")


@pytest.mark.parametrize("module", ORDER)
@pytest.mark.slow
def test_a_module_imports_only_what_stands_above_it(module: str) -> None:
    own = ORDER.index(module)
    text = (CEL / f"{module}.py").read_text(encoding="utf-8")
    upward = [f"{module}:{line} imports {other}" for line, other in imports_of(text) if ORDER.index(other) > own]

    assert upward == []


def test_an_import_from_a_later_stage_is_seen() -> None:
    text = "def f():\n    from dralint.cel.compile import environment\n"

    assert imports_of(text) == [(2, "compile")]


def test_an_import_of_types_for_the_type_checker_does_not_count() -> None:
    text = "if TYPE_CHECKING:\n    from dralint.cel.compile import Verdict\n"

    assert imports_of(text) == []
