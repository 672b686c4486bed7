"""The stages of dralint.cel import in one direction; dralint/cel/README.md names them in this order."""

import ast
from pathlib import Path

import pytest

CEL = Path(__file__).parent.parent.parent / "dralint/cel"
STAGES = (
    "issue",
    "generator_calls",
    "values",
    "regex",
    "syntax",
    "check",
    "cost",
    "eval",
    "plan",
    "compile",
    "advise",
    "render",
)
WORDS = {"syntax_errors": "syntax", "replacements": "check", "type_errors": "check"}
"""The modules of `advise` with the words for the errors of a stage, which asks them."""
MODULES = sorted(p.relative_to(CEL).as_posix() for p in CEL.rglob("*.py") if p.name != "__init__.py")


def stage_of(path: str) -> str:
    room, _, module = path.removesuffix(".py").partition("/")
    return WORDS.get(module, room) if room == "advise" else room


def imports_of(text: str) -> list[tuple[int, str]]:
    """Return line and stage of every import from dralint.cel that runs, those within functions too."""
    found = []
    tree = ast.parse(text)
    of_types = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    tree.body = [node for node in tree.body if node not in of_types]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dralint.cel"):
            parts = (node.module or "").split(".")[2:]
            found += [(node.lineno, stage_of("/".join([*parts, alias.name][:2]))) for alias in node.names]
    return found


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("tables/")])
@pytest.mark.slow
def test_a_stage_imports_only_what_stands_above_it(module: str) -> None:
    own = STAGES.index(stage_of(module))
    text = (CEL / module).read_text(encoding="utf-8")
    upward = [f"{module}:{line} imports {stage}" for line, stage in imports_of(text) if STAGES.index(stage) > own]

    assert upward == []


def test_the_readme_names_the_stages_in_order() -> None:
    rows = [line for line in (CEL / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]

    assert tuple(row.split("`")[1].rstrip("/") for row in rows) == STAGES


def test_an_import_from_a_later_stage_is_seen() -> None:
    text = "def f():\n    from dralint.cel.compile import environment\n"

    assert imports_of(text) == [(2, "compile")]


def test_an_import_of_types_for_the_type_checker_does_not_count() -> None:
    text = "if TYPE_CHECKING:\n    from dralint.cel.compile import Verdict\n"

    assert imports_of(text) == []
