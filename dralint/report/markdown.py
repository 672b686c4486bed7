"""The markdown format: a summary for a page, such as that of a job (`$GITHUB_STEP_SUMMARY`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import counted
from dralint.report.fold import fold
from dralint.report.markdown_text import literal
from dralint.report.places import repository_path
from dralint.report.words import release_spans, render_first, summary, told_once

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.report import Style

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
        lines += _rest(len(rows) - _MOST)
    for finding in folded.waiting[:3]:
        place = f"{repository_path(finding.file, style)}:{finding.line}"
        lines += [f"Not all is listed, {literal(place)}: {literal(finding.hint or finding.message)}", ""]
    if hint := render_first(report):
        lines += [literal(hint), ""]
    return "\n".join(lines) + "\n"


def _rest(number: int) -> Iterator[str]:
    if number > 0:
        yield from (f"{counted(number, 'further row')}.", "")


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
