"""No pattern of Python's `re` is built from input: such a pattern can take for ever on a small text.

What strangers write is matched by parts (`finding.words.fits`) or by dralint's own engine (`cel.regex`). The source
is read here; `tests/fuzz/test_small_texts.py` and `tests/opaque/test_hostile_schemas.py` have patterns and names that
take for ever where this is not so.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dralint"
FUNCTIONS = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "finditer", "findall"}
    | {"glob", "iglob", "fnmatch", "fnmatchcase", "filter", "translate"}
)
MODULES = frozenset({"re", "glob", "fnmatch"})

LITERAL = "a literal that is escaped, beside constants"
CHOSEN = "a choice between constants"
ALLOWED = {
    ("cel/advice.py", "is_certain"): LITERAL,
    ("cel/type_errors.py", "_asked_as_attribute"): LITERAL,
    ("cel/syntax_errors.py", "_of_string"): "one quote, beside constants",
    ("cel/lexer.py", "_string_part"): "one quote, beside constants",
    ("drivers/choice.py", "_pattern"): LITERAL,
    ("files/code_blocks.py", "_has_manifests"): "a run of spaces, beside constants",
    ("files/code_blocks.py", "placed"): "one number, beside constants",
    ("files/discover.py", "_expand"): "a path of the command line; a stranger writes none",
    ("files/discover.py", "patterns_of"): "rewritten without backtracking",
    ("kubernetes/formats.py", "_propose"): CHOSEN,
    ("lint/search_repairs.py", "_is_lacked_before"): LITERAL,
    ("lint/across_objects.py", "_named_by_others"): LITERAL,
    ("lint/unschedulable.py", "_extended"): CHOSEN,
    ("manifest/objects.py", "_with_resources_of_pods"): "constants of the function",
    ("manifest/pod_parts.py", "unjudged"): CHOSEN,
    ("report/__init__.py", "is_report"): CHOSEN,
    ("yaml/syntax_errors.py", "_token"): CHOSEN,
    ("simulate/placing.py", "__init__"): "a node of the command line; fnmatch writes atomic groups",
    ("simulate/text.py", "_alike"): LITERAL,
    ("yaml/fast_path.py", "flow_patterns"): "constants of the function",
    ("yaml/scalars.py", "_pieces"): "constants of the module",
}
"""The functions that build a pattern while dralint runs, each with the reason why it takes no longer with more text."""
SEVERAL = {
    ("manifest/objects.py", "_with_resources_of_pods"): 2,
    ("yaml/fast_path.py", "flow_patterns"): 4,
    ("yaml/syntax_errors.py", "_token"): 2,
}
"""How many patterns such a function builds, if more than one."""


def is_constant(node: ast.expr | None) -> bool:
    """Say whether a pattern is a literal, or a constant of a module, or is put together from these alone."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return node.id.isupper()
    if isinstance(node, ast.Attribute):
        return node.attr == "pattern" and is_constant(node.value)
    if isinstance(node, ast.FormattedValue):
        return is_constant(node.value)
    if isinstance(node, ast.JoinedStr):
        return all(map(is_constant, node.values))
    return isinstance(node, ast.BinOp) and is_constant(node.left) and is_constant(node.right)


MAKERS = dict.fromkeys(MODULES, FUNCTIONS)
NAMED = re.compile(r"\b(?:re|glob|fnmatch)\b")
"""What a file that makes patterns names."""
PATTERN = {"fnmatch": 1, "fnmatchcase": 1}
"""Function → the position of its pattern, if that is not the first argument."""


def imported(tree: ast.Module) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names under which a file has modules that make patterns, and their functions."""
    modules = {name: name for name in MODULES}
    functions: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {one.asname or one.name: one.name for one in node.names if one.name in MAKERS}
        elif isinstance(node, ast.ImportFrom) and node.module in MAKERS:
            made = MAKERS[node.module]
            functions |= {one.asname or one.name: one.name for one in node.names if one.name in made}
        elif isinstance(node, ast.ImportFrom):
            whole = {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
            modules |= {name: module for name, module in whole.items() if module in MAKERS}
    return modules, functions


def built(tree: ast.Module) -> Iterator[str]:
    """Yield the function of each place that makes a pattern of something else than constants, or hands on what does."""
    modules, functions = imported(tree)

    def maker(node: ast.AST) -> str | None:
        if isinstance(node, ast.Name):
            return functions.get(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            return node.attr if node.attr in MAKERS[modules[node.value.id]] else None
        return None

    def walk(node: ast.AST, function: str | None) -> Iterator[str]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            function = getattr(node, "name", "lambda")
        inside = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call) and (name := maker(node.func)) is not None:
            inside.remove(node.func)
            by_name = [word.value for word in node.keywords if word.arg in ("pattern", "pat", "pathname", None)]
            given = [*node.args[PATTERN.get(name, 0) :][:1], *by_name]
            # What a module builds at its import, it builds of its own constants.
            if function is not None and not all(map(is_constant, given)):
                yield function
        elif function is not None and isinstance(node, ast.expr) and maker(node) is not None:
            yield function
            return
        for one in inside:
            yield from walk(one, function)

    return walk(tree, None)


def test_every_pattern_that_is_built_in_a_function_is_known() -> None:
    found = Counter(
        (file.relative_to(PACKAGE).as_posix(), name)
        for file in sorted(PACKAGE.rglob("*.py"))
        for text in [file.read_text("utf-8")]
        if NAMED.search(text)
        for name in built(ast.parse(text))
    )

    assert found == {place: SEVERAL.get(place, 1) for place in ALLOWED}


@pytest.mark.parametrize(
    "text",
    [
        "def f(name):\n    return re.match(name, 'x')\n",
        "def f(name):\n    return re.compile(f'{_A}{name}')\n",
        "def f(name):\n    return re.search(pattern=name, string='x')\n",
        "def f(name):\n    return re.search(**name)\n",
        "def f(name):\n    return re.search(*name)\n",
        "import re as r\ndef f(name):\n    return r.search(name, 'x')\n",
        "from re import search\ndef f(name):\n    return search(name, 'x')\n",
        "from re import search as found\ndef f(name):\n    return found(pattern=name, string='x')\n",
        "def f(names):\n    return [*map(re.compile, names)]\n",
        "import fnmatch as fn\ndef f(name):\n    return fn.fnmatch('x', pat=name)\n",
        "from fnmatch import fnmatchcase\ndef f(name):\n    return fnmatchcase('x', name)\n",
    ],
)
def test_a_new_one_is_seen(text: str) -> None:
    assert list(built(ast.parse(text))) == ["f"]


def test_each_one_of_a_function_counts() -> None:
    tree = ast.parse("def f(x):\n    def g():\n        re.match(x, x)\n    re.match(x, x), re.sub(x, '', x)\n")

    assert list(built(tree)) == ["g", "f", "f"]


def test_constants_are_not_input() -> None:
    tree = ast.parse("def f(x):\n    re.match(_A, x), re.sub(r'a', x, x), re.compile(f'{_A.pattern}b' + _B)\n")

    assert list(built(tree)) == []
