"""Recognizes texts that are templates, not manifests yet: Helm's `{{ }}`, Jinja's `{% %}`, `${VAR}` as structure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.yaml.nodes import ALIAS, MAPPING, SCALAR

if TYPE_CHECKING:
    from dralint.yaml.nodes import Node

_MARK = r"\{\{|\{%|\{#|\$\{"
_LINE_VARIABLE = r"(?m)^[ ]*\$\{[^{}\n]+\}[ \t\r]*$"
_BLOCK_START = r"(?:^|[ \t])[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$"
_STRING = r'(?<!\\)"(?:[^"\\]|\\.)*"|' + r"'(?:[^']|'')*'"
_COMMENT = r"(?:^|[ \t])#(?![}]).*$"
_ACTIONS = ((re.compile(r"\{\{.*?\}\}"), "}}"), (re.compile(r"\{%.*?%\}"), "%}"))
"""What templates replace, and how it ends."""
_CODE_LINE = r"\n[ \t]*(\{[{%][^\n]*)"
_ALONE = r"(?m)^[ \t]*(?:\$\{|\{[{%])"
"""The start of a line in each text that `composed_template` recognizes."""
_SHOWN = 40
_OPEN_STRING = r"""(?:^|[:\-\[{,][ \t]*|[ \t])["'][^"']*$"""
_VARIABLE = r"\$\{[A-Za-z_][^{}\n]*\}"


def cut(source: str) -> str:
    """Return a text as a reason shows it, shortened if it is long."""
    return source if len(source) <= _SHOWN else source[: _SHOWN - 1] + "…"


def broken_template(text: str, place: int = 0) -> str | None:
    """Return why a text that cannot be parsed from the offset `place` on is a template; None when it is not one."""
    if not re.search(_MARK, text):
        return None
    # In a flow collection, the brace of a variable opens a mapping.
    if place and (variable := re.compile(_VARIABLE).match(text, place - 1)):
        return f"`{cut(variable[0])}` replaces YAML structure"
    if match := re.search(_LINE_VARIABLE, text):
        return f"`{match[0].strip()}` replaces YAML structure"
    block: int | None = None
    for line in text.splitlines():
        bare = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if block is not None:
            if not bare or indent > block:
                if bare.startswith(("{{-", "{{ -", "{%")) and bare.endswith(("}}", "%}")):
                    return f"`{cut(bare)}` is template code"
                continue
            block = None
        if "{{" in line or "{%" in line:
            rest = re.sub(_COMMENT, "", re.sub(_STRING, '""', line))
            at = rest.find("{{")
            if at < 0:
                at = rest.find("{%")
            if at >= 0 and not re.search(_OPEN_STRING, rest[:at]):
                return f"`{cut(bare)}` is template code"
        for action, end in _ACTIONS:
            head, ending, tail = line.rpartition(end)  # behind the last end, each search would take the whole line
            line = action.sub("", head + ending) + tail
        if re.search(_BLOCK_START, line):
            dashes = re.match(r"(?:[ ]|-[ ])*", line)
            block = indent if dashes is None or "-" not in dashes[0] else len(dashes[0]) - 1
            block = indent if block < indent else block
    return None


def may_be_composed(text: str) -> bool:
    """Say whether `composed_template` may recognize the text."""
    return re.search(_ALONE, text) is not None


def composed_template(text: str, root: Node) -> str | None:
    """Return why a text that can be parsed is a template all the same; None when it is not one."""
    if not may_be_composed(text):
        return None
    stack = [(root, False)]
    while stack:
        node, is_value = stack.pop()
        if node.kind == SCALAR:
            if node.style:
                continue
            source = text[node.start : node.end]
            if "\n" in source and (line := re.search(_CODE_LINE, source)) is not None:
                return f"`{cut(line[1])}` is template code"
            if is_value and source.startswith("${") and re.fullmatch(r"\$\{[^{}\n]+\}", source):
                line_start = text.rfind("\n", 0, node.start) + 1
                if not text[line_start : node.start].strip(" "):
                    return f"`{cut(source)}` replaces YAML structure"
        elif node.kind != ALIAS:
            children = node.children
            stack.extend((child, node.kind == MAPPING and i % 2 == 1) for i, child in enumerate(children))
    return None
