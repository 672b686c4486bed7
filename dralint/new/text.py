"""Writes new objects as YAML: with comments, in the order of their fields, and with quotes only where needed."""

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString, SingleQuotedScalarString

from dralint.edit.write import stays_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dralint.new.objects import NewObject
    from dralint.yaml import Path


_WIDEST = 116
"""The longest comment above an object, in characters."""


def text(documents: Iterable[NewObject]) -> str:
    """Return objects as a stream of YAML documents."""
    return "---\n".join(_text(document) for document in documents)


def _text(document: NewObject) -> str:
    wrapped = [part for line in document.above for part in textwrap.wrap(line, _WIDEST)]
    above, below = ("".join(f"# {line}".rstrip() + "\n" for line in lines) for lines in (wrapped, document.below))
    return f"{above}{dump(document.data, document.notes)}{below}"


def dump(data: Mapping[str, Any], notes: Mapping[Path, str] | None = None) -> str:
    """Return data as YAML, with a comment above the fields that `notes` names."""
    yaml = YAML()
    yaml.width = 1 << 16  # keeps a line of an expression on one line
    out = io.StringIO()
    yaml.dump(_node(data, (), notes or {}), out)
    return out.getvalue()


def _node(value: Any, path: Path, notes: Mapping[Path, str]) -> Any:
    if isinstance(value, dict):
        node = CommentedMap((key, _node(each, (*path, key), notes)) for key, each in value.items())
        for key in value:
            note = notes.get((*path, key))
            if note is not None:
                node.yaml_set_comment_before_after_key(key, before=note, indent=_indent((*path, key)))
        return node
    if isinstance(value, list):
        return CommentedSeq(_node(each, (*path, number), notes) for number, each in enumerate(value))
    if not isinstance(value, str):
        return value
    if "\n" in value:
        return LiteralScalarString(value)
    if stays_plain(value, flow=False):
        return value
    return (
        SingleQuotedScalarString(value) if value.isprintable() and value.isascii() else DoubleQuotedScalarString(value)
    )


def _indent(path: Path) -> int:
    """Return the column of a key: two for each parent mapping, and two for each item of a list."""
    return 2 * sum(isinstance(step, str) for step in path[:-1])
