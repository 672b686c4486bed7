"""The formats of a report; dralint imports each only when it needs it.

A format is a function of a report and a style. It does not decide anything: it shows what the report has. Before a
format sees the report, dralint removes what a manifest or a file name could do to a terminal, an annotation or a page.
`render` here changes what would be a command for a CI system, in the syntax of the format.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

from dralint.records import NamedTuple
from dralint.report.safe import IN_JSON, IN_MARKUP, IN_TEXT, escape_json, safe_report, without_commands

if TYPE_CHECKING:
    from dralint.finding.report import Report


class Format(NamedTuple):
    """What the rest of dralint needs to know of a format.

    Attributes:
        name: as in --format and --output-file.
        function: the module of dralint.report, and its function that lays the report out.
        suffixes: file suffixes that select the format in --output-file.
        utf8: whether it is UTF-8 in every locale (others escape what the encoding of standard output lacks).
        excerpts: whether it shows lines of the manifests.
        raw: whether it takes the report as it is, and escapes control characters by its own syntax.
        placed: whether it names files from the top of their repository.
        append: whether it adds to an existing file and does not replace it.
        signs: what stands for the signs that would begin a command for a CI system; see `without_commands`.
        beginning: a pattern of how every report begins; dralint may replace such a file even if it is an input.
    """

    name: str
    function: tuple[str, str]
    suffixes: tuple[str, ...] = ()
    utf8: bool = False
    excerpts: bool = False
    raw: bool = False
    placed: bool = False
    append: bool = False
    signs: tuple[str, str] = IN_TEXT
    beginning: bytes = b""


_TABLE = (
    Format("text", ("text", "render"), (".txt",), excerpts=True),
    Format("concise", ("text", "concise")),
    Format("json", ("json", "render"), (".json",), utf8=True, raw=True, signs=IN_JSON, beginning=rb'\{\n "version": '),
    Format(
        "sarif",
        ("ci", "sarif"),
        (".sarif", ".sarif.json"),
        utf8=True,
        placed=True,
        signs=IN_JSON,
        beginning=rb'\{\n "\$schema": "[^"\n]*/sarif-',
    ),
    Format("github", ("ci", "github"), placed=True, signs=(":", IN_TEXT[1])),
    Format(
        "gitlab",
        ("ci", "gitlab"),
        utf8=True,
        placed=True,
        signs=IN_JSON,
        beginning=rb'\[\n \{\n  "type": "issue",\n  "check_name": "DRA|\[\]\n\Z',
    ),
    Format("junit", ("ci", "junit"), (".xml",), utf8=True, placed=True, signs=IN_MARKUP),
    Format("markdown", ("text", "markdown"), (".md", ".markdown"), append=True, placed=True, signs=IN_MARKUP),
)
FORMATS = {row.name: row for row in _TABLE}
"""Name → format, in the order of the help."""


class Style(NamedTuple):
    """How to lay out a report, and from where to name its files; each format uses what it needs.

    Attributes:
        width: columns of the terminal; None to neither wrap nor cut.
        color: whether to colour text with ANSI sequences.
        links: whether rule ids are links of a terminal (OSC 8).
        quiet: leaves the summary out.
        verbose: adds what was skipped or not read, and why.
        show_all: whether to show repeated findings each time.
        statistics: adds how many findings each rule has.
        show_files: adds which files were read, which not, and why.
        failing: severities and effects that make the exit status 1.
        below: the folder that file names start from, relative to the top of its repository; empty for the top.
        top: absolute path of the repository, for files with absolute names.
        previews: the full names of the judging releases that are not final; `render` takes them from the report.
    """

    width: int | None = None
    color: bool = False
    links: bool = False
    quiet: bool = False
    verbose: bool = False
    show_all: bool = False
    statistics: bool = False
    show_files: bool = False
    failing: tuple[str, ...] = ("error",)
    below: str = ""
    top: str = ""
    previews: tuple[str, ...] = ()


def render(format_: str, report: Report, style: Style) -> str:
    """Return the report in a format of FORMATS."""
    row = FORMATS[format_]
    module, function = row.function
    lay_out = getattr(import_module(f"dralint.report.{module}"), function)
    named = style._replace(previews=tuple(report.previews))
    text: str = lay_out(report if row.raw else safe_report(report), named)
    return escape_json(text) if row.raw else without_commands(text, row.signs)


def by_suffix(name: str) -> str | None:
    """Return the format for a file name by its suffix; None where there is none."""
    lower = name.lower()
    named = [(suffix, row.name) for row in _TABLE for suffix in row.suffixes if lower.endswith(suffix)]
    return max(named, key=lambda pair: len(pair[0]))[1] if named else None


def is_report(content: bytes) -> bool:
    """Say whether a file begins like a report of dralint."""
    return any(row.beginning and re.match(row.beginning, content) for row in _TABLE)
