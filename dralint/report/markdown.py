"""The markdown format: a summary for a page; text of the input in it stays text."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

from dralint.finding.words import counted
from dralint.report.safe import printable
from dralint.report.text import fold
from dralint.report.words import release_spans, render_first, repository_path, summary, told_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.report import Style


_MARKUP = re.compile(r"[\\`*_\[\]<>#|~&@$]|:(?=//)|(?<=www)\.", re.IGNORECASE)


def literal(text: str) -> str:
    """Return text that Markdown shows as it is, on one line: a character that could be markup is a reference."""
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", printable(text))


def code(text: str) -> str:
    """Return a code span on one line; its fence is longer than any run of backticks in the text."""
    text = printable(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text.strip("` ") != text or not text else ""  # Markdown removes one at each end
    return f"{fence}{space}{text}{space}{fence}"


def without_marks(markdown: str) -> str:
    """Return Markdown as plain text: without code fences and `**`, and with characters in place of references."""
    out: list[str] = []
    fence = ""
    for part in re.split("(`+)", markdown):
        if part.startswith("`") and fence in ("", part):
            fence = "" if fence else part
        else:
            out.append(part if fence else unescape(part.replace("**", "")))
    return "".join(out)


_MOST = 500
"""Rows of the table; GitHub does not show a page that is too long."""


def render(report: Report, style: Style) -> str:
    """Return a heading, a table of the findings and the summary; repeated findings appear once."""
    lines = ["## dralint", "", literal(summary(report)), ""]
    folded = fold(report.findings, show_all=style.show_all)
    rows = [[shown.finding, *shown.more] for shown in folded.rows] + folded.facts
    if rows:
        lines += ["| severity | place | rule | what | Kubernetes |", "|---|---|---|---|---|"]
        lines += [*(_row(row, style) for row in rows[:_MOST]), ""]
        lines += [f"{counted(len(rows) - _MOST, 'further row')}.", ""] if len(rows) > _MOST else []
    for finding in folded.waiting[:3]:
        place = f"{repository_path(finding.file, style)}:{finding.line}"
        lines += [f"Not all is listed, {literal(place)}: {literal(finding.hint or finding.message)}", ""]
    if hint := render_first(report):
        lines += [literal(hint), ""]
    return "\n".join(lines) + "\n"


def _row(findings: Sequence[Finding], style: Style) -> str:
    first = findings[0]
    place = f"{repository_path(first.file, style)}:{first.line}:{first.column}"
    more = f" and {len(findings) - 1:,} more" if len(findings) > 1 else ""
    rule = f"[{first.rule}]({first.url}) {first.name}" if first.url else f"{first.rule} {first.name}"
    cells = (
        first.severity,
        f"{literal(place)}{more}",
        rule,
        literal(told_once(first)),
        release_spans(first.releases, style.previews),
    )
    return f"| {' | '.join(cells)} |"
