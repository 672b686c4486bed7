"""The github format: workflow commands that GitHub Actions shows as annotations in a review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.finding import RENDERED_HERE
from dralint.report.words import repository_path, verdict_and_place

if TYPE_CHECKING:
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.report import Style

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report, style: Style) -> str:
    """Return one workflow command per finding; files have their names in the repository."""
    return "".join(_command(finding, style) + "\n" for finding in report.findings)


def _command(finding: Finding, style: Style) -> str:
    file = repository_path(finding.file, style)
    properties: dict[str, object] = {} if file.startswith("<") else {"file": file}
    template = next((place.file for place in finding.related if place.message == RENDERED_HERE), None)
    output = ""
    if template is not None:
        properties = {"file": repository_path(template, style), "line": 1}
        output = f"line {finding.line} of the output of the template"
    else:
        properties["line"] = finding.line
        properties["endLine"] = max(finding.end_line, finding.line)
        if finding.end_line == finding.line:  # for several lines, GitHub accepts no columns
            properties |= {"col": finding.column, "endColumn": max(finding.end_column, finding.column)}
    properties["title"] = f"{finding.rule} {finding.name}"
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    lines = [finding.message, f"hint: {finding.hint}" if finding.hint else "", verdict_and_place(finding, style)]
    lines.append(output)
    return f"::{_COMMANDS[finding.severity]} {written}::{_data(chr(10).join(filter(None, lines)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
