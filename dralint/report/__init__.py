"""The formats of a report; each is imported when it is asked for.

A format is a module with `render(report, ...)`: it decides nothing, it shows what the report holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.finding.report import Report

FORMATS = {"text": "text", "json": "json"}
"""Format → module of dralint.report."""

NEEDS_EXCERPTS = frozenset({"text"})
"""Formats that show the lines of findings."""


@dataclass(frozen=True, slots=True)
class Style:
    """How text is laid out: the other formats take no notice of it."""

    width: int = 80
    color: bool = False
    quiet: bool = False
    verbose: bool = False


def render(format_: str, report: Report, style: Style) -> str:
    """Return the report in a format of FORMATS."""
    module = import_module(f"dralint.report.{FORMATS[format_]}")
    if format_ == "text":
        text: str = module.render(
            report, width=style.width, color=style.color, quiet=style.quiet, verbose=style.verbose
        )
    else:
        text = module.render(report)
    return text
