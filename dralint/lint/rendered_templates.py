"""Adds to findings in the output of `helm template` the template that the object comes from."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

from dralint.finding.finding import RENDERED, RENDERED_HERE, Related
from dralint.lint.collected import SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.files.source import Source
    from dralint.finding.report import Report

_LONGEST = 4_096


def add_templates(report: Report, sources: Iterable[Source]) -> None:
    """Give each finding below a comment `# Source: CHART/templates/FILE` that template as a related place."""
    for source in sources:
        try:
            templates = _templates(source.read())
        except (OSError, MemoryError):
            continue
        _add(report, source.name, templates)


def _add(report: Report, name: str, templates: Sequence[tuple[int, str]]) -> None:
    lines = [line for line, _ in templates]
    for number, finding in enumerate(report.findings):
        at = bisect_right(lines, finding.line) - 1 if finding.file == name else -1
        template = templates[at][1] if at >= 0 else ""
        if template:
            file = _file(template, name)
            place = Related(RENDERED if file is None else RENDERED_HERE, file or template, 1, 1)
            report.findings[number] = finding._replace(related=(*finding.related, place))


def _templates(raw: bytes) -> list[tuple[int, str]]:
    """Return the lines from which on a template counts, in order; "" for none."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(raw.splitlines(), 1):
        if line.startswith(SOURCE):
            found.append((number, _path(line)))
        elif line.startswith(b"---"):
            found.append((number, ""))
    return found


def _path(line: bytes) -> str:
    """Return the path in a comment; "" for one that cannot be of a file in a chart."""
    path = line[len(SOURCE) :].decode("utf-8", "replace").strip()
    parts = path.split("/")
    plain = len(path) <= _LONGEST and path.isprintable() and "\\" not in path and ":" not in path
    return path if plain and len(parts) > 1 and not {"", ".", ".."}.intersection(parts) else ""


def _file(template: str, name: str) -> str | None:
    """Return the name of the template's file: in the folder that the input is named after, or in this one."""
    inside = template.partition("/")[2]  # the chart's folder can have another name than the chart
    folders = [Path(name), Path()] if Path(name).is_dir() else [Path()]
    several = (folder / path for folder in folders for path in (template, inside))
    return next((str(one) for one in several if one.is_file()), None)
