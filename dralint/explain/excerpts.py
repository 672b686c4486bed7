"""Shows how to write a field: a few lines of an example from the catalogue, all of which are tested."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dralint.finding import catalogue
from dralint.manifest.objects import objects_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.yaml import Document, Path

_MOST_LINES, _FEWEST = 14, 2


@dataclass(frozen=True, slots=True)
class ExampleLines:
    """Lines of YAML with the field in them, and the rule whose page has the rest."""

    rule: str
    lines: tuple[str, ...]


def excerpt(kind: str, steps: Sequence[str], api_versions: Sequence[str]) -> ExampleLines | None:
    """Return an example of a field in one of the API versions, preferably one of the first; None without an example.

    Of several examples, it is the first that has more than one line and fits on a screen.
    """
    if not steps:
        return None
    best: tuple[tuple[int, int], ExampleLines] | None = None
    for rule in catalogue.rules().values():
        for example in rule.examples.get("good", ()):
            text = str(example.get("manifest", ""))
            if f"{steps[-1]}:" not in text or kind not in text or "encoding" in example:
                continue
            for api_version, lines in _found(text, kind, steps):
                if api_version not in api_versions or len(lines) > _MOST_LINES:
                    continue
                rank = (api_versions.index(api_version), abs(len(lines) - 2 * _FEWEST) if len(lines) > 1 else 99)
                if best is None or rank < best[0]:
                    best = rank, ExampleLines(rule.id, tuple(lines))
    return None if best is None else best[1]


def _found(text: str, kind: str, steps: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for document, item in objects_of(text.encode()):
        if item.kind == kind:
            for path in _paths(item.data, steps):
                yield item.api_version, _lines(document, text, (*item.path, *path))


def _paths(value: object, steps: Sequence[str]) -> Iterator[Path]:
    """Yield the places of a field in a value: in each item of lists, under each key of maps."""
    if isinstance(value, list):
        for position, item in enumerate(value):
            for path in _paths(item, steps):
                yield (position, *path)
    elif isinstance(value, dict) and steps:
        if steps[0] in value:
            for path in _paths(value[steps[0]], steps[1:]) if len(steps) > 1 else [()]:
                yield (steps[0], *path)
        else:
            for key, inner in value.items():
                if isinstance(inner, dict) and steps[0] in inner:
                    for path in _paths(inner, steps):
                        yield (key, *path)


def _lines(document: Document, text: str, path: Path) -> list[str]:
    """Return the lines from the key of a field to the end of its value, moved to the left."""
    key, value = document.key_span(path), document.span(path)
    lines = text.splitlines()[key.line - 1 : max(key.line, value.end_line - (value.end_column == 1))]
    if lines and key.column > 1:
        lines[0] = " " * (key.column - 1) + lines[0][key.column - 1 :]
    return textwrap.dedent("\n".join(lines)).rstrip().splitlines()
