"""Texts that libyaml reads otherwise than go-yaml v2: dralint reads them as go-yaml does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dralint.yaml import Json
from dralint.yaml.composer import compose
from dralint.yaml.nodes import TextError

ROOT = Path(__file__).parents[2]


def data(text: str) -> Json:
    composition = compose(text)
    assert composition.root is not None
    return composition.root.data


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: \ufeffb\ufeff\n", {"a": "\ufeffb\ufeff"}),
        ("\ufeffa: b\n", {"a": "b"}),
        ("{a:,b: [c:]}", {"a:": None, "b": ["c:"]}),
        ("{a :,b: c}", {"a :": None, "b": "c"}),
        ("'x:,': {a:}", {"x:,": {"a:": None}}),
        (r"""{"a\'b": ["\\'", '\''', \'c]}""", {"a'b": ["\\'", "\\'", "\\'c"]}),
        ("[!t,u a, !t[] b]", ["a", "b"]),
        ("a: ! 12\n", {"a": "12"}),
        ("{?a: b}", {"a": "b"}),
    ],
)
def test_what_only_go_yaml_accepts_is_read(text: str, expected: Json) -> None:
    assert data(text) == expected


@pytest.mark.parametrize(
    ("text", "message", "start"),
    [
        ("[a?b]", "expected `,` or `]`, found `?`", 2),
        ("[a: b?c]", "expected `,` or `]`, found `?`", 5),
        ("{a: http://b/?c}", "expected `,` or `}`, found `?`", 13),
        (r'a: "\/"', r"`\/` is not an escape that YAML knows", 4),
        ("'a'\n" + r'"\/"', r"`\/` is not an escape that YAML knows", 5),
        ("# %YAM\n%YAML 1.2\n---\na\n", "YAML 1.2 is not what Kubernetes reads: it accepts YAML 1.1 only", 7),
        ("a: b\n'", "the quote ' is never closed", 5),
        ("a: \x01\n", "the character U+0001 is not allowed in YAML", 3),
        ("[" * 1001, "more nested levels than dralint reads (1,000)", 1000),
    ],
)
def test_what_only_libyaml_accepts_is_refused(text: str, message: str, start: int) -> None:
    with pytest.raises(TextError) as caught:
        compose(text)

    assert (caught.value.message, caught.value.start) == (message, start)


@pytest.mark.parametrize("style", ["|", ">", "|2", ">-", "|+"])
@pytest.mark.parametrize("behind", ["", "\n\n", "  \n", "    \n\n"])
def test_a_block_scalar_ends_with_its_content(style: str, behind: str) -> None:
    text = f"a: {style}\n\n  b\n   c\n{behind}d: e\n"
    composition = compose(text)

    assert composition.root is not None
    value = composition.root.children[1]
    content = text.index("c\n") + 1 if behind.strip("\n") != "    " else text.index("    \n") + 4
    assert (value.start, value.end) == (3, content)
    assert composition.block_indents == {3: 2}


def test_a_value_begins_after_its_tag_and_its_anchor() -> None:
    text = "- !t # c\n  &a\n  b: c\n- &d !!str 1\n- !t\n"
    composition = compose(text)

    assert composition.root is not None
    assert [text[node.start : node.end] for node in composition.root.children] == ["b: c", "1", "!t"]


def test_a_start_without_libyaml_ends_with_a_sentence(tmp_path: Path) -> None:
    package = tmp_path / "yaml"
    package.mkdir()
    (package / "__init__.py").write_text("")
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path)!r}]; from dralint.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "rules"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "Error: dralint needs PyYAML with libyaml, and this one has none: install a wheel\n"
