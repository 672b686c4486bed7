"""A configuration from anyone: it takes little memory and time to refuse, and one sentence says why."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from dralint.config.file import ConfigurationError, read
from dralint.config.toml_text import too_deep


@pytest.mark.parametrize(
    "text",
    [
        "a." * 30_000 + "a = 1",
        "[" + "a . " * 15_000 + "a]",
        "x = " + "[" * 20_000,
        "x = " + "{a = " * 12_000,
        "x = " + '{"a".' + "'b'." * 15_000,
    ],
)
def test_deep_toml_is_refused_before_it_is_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.dralint]\n{text}\n")
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError) as refused:
            read(file)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert str(refused.value) == f"{file}:2:1: this TOML is nested too deeply"
    assert most < 5_000_000


@pytest.mark.parametrize(
    "text",
    [
        f"a = '{'.' * 100}{'[' * 100}'",
        f'a = "{"." * 100}\\"{"[" * 100}"',
        f'a = """{"[" * 100}\n"\\"""" # {"." * 100}\n"""\nb = 1',
        f"a = '''{'{' * 100}\n''' # {'[' * 100}",
        "a.b.c = [1.5, 2.5, {x.y = [[]]}]\n" * 100,
    ],
)
def test_what_is_text_or_shallow_is_not_deep(text: str) -> None:
    assert too_deep(text) is None


@pytest.mark.parametrize("text", ["tool = 1 # tool.dralint", "[[tool]] # tool.dralint"])
def test_a_tool_that_is_no_table_configures_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text)

    assert read(file).values == {}


@pytest.mark.parametrize("text", ["[" * 60_000, "a: " + "{a: " * 15_000, "- " * 30_000, "? " * 30_000])
@pytest.mark.slow
def test_a_deep_yaml_configuration_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".dralint.yaml"
    file.write_text(text)

    with pytest.raises(ConfigurationError):
        read(file)
