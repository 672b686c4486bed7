"""The formats of a report; each is imported when it is asked for.

A format is a module with `render(report, style)`: it decides nothing, it shows what the report holds. What a manifest
or a file name could do to a terminal, an annotation or a page is made harmless here, before a format sees it.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dralint.finding.report import Report


class Format(NamedTuple):
    """What the rest of the program has to know of a format.

    Attributes:
        name: as in --format and --output-file; the module of dralint.report is called the same.
        suffixes: of a file that is given to --output-file without a format.
        utf8: whether it is UTF-8 whatever the locale (others escape what the encoding of standard output lacks).
        excerpts: whether it shows lines of the manifests.
        raw: whether it takes the report as it is, and escapes by its own syntax what could steer a terminal.
        placed: whether it names files from the top of their repository.
        append: whether a file that exists is added to, not replaced.
        beginning: a pattern of how every report begins; such a file may be replaced although it is among the inputs.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    utf8: bool = False
    excerpts: bool = False
    raw: bool = False
    placed: bool = False
    append: bool = False
    beginning: bytes = b""


_TABLE = (
    Format("text", (".txt",), excerpts=True),
    Format("concise"),
    Format("json", (".json",), utf8=True, raw=True, beginning=rb'\{\n "version": '),
    Format("sarif", (".sarif", ".sarif.json"), utf8=True, placed=True, beginning=rb'\{\n "\$schema": "[^"\n]*/sarif-'),
    Format("github", placed=True),
    Format("gitlab", utf8=True, placed=True, beginning=rb'\[\n \{\n  "type": "issue",\n  "check_name": "DRA|\[\]\n\Z'),
    Format("junit", (".xml",), utf8=True, placed=True),
    Format("markdown", (".md", ".markdown"), append=True, placed=True),
)
FORMATS = {row.name: row for row in _TABLE}
"""Name → format, in the order in which they are offered."""


class Style(NamedTuple):
    """How a report is laid out, and from where its files are seen; a format takes from it what concerns it.

    Attributes:
        width: columns of the terminal; None for what is neither wrapped nor cut.
        color: whether text is coloured with ANSI sequences.
        links: whether rule ids are links of a terminal (OSC 8).
        quiet: leaves the summary out.
        verbose: adds what was skipped or not read, and why.
        show_all: whether what repeats is told each time.
        statistics: adds how often each rule was met.
        show_files: adds which files were read, which not, and why.
        failing: severities and effects that make the exit status 1.
        below: the folder that names of files start from, as seen from the top of its repository; empty for the top.
        top: absolute path of the repository, for files that are named absolutely.
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


def render(format_: str, report: Report, style: Style, safe: Report | None = None) -> str:
    """Return the report in a format of FORMATS; `safe` is what `safe_report` has made of it, where that is known."""
    from dralint.report.safe import escape_json, safe_report

    row = FORMATS[format_]
    module = import_module(f"dralint.report.{row.name}")
    named = style._replace(previews=tuple(report.previews))
    text: str = module.render(report if row.raw else safe or safe_report(report), named)
    return escape_json(text) if row.raw else text


def by_suffix(name: str) -> str | None:
    """Return the format that a file's name stands for, None where it stands for none."""
    lower = name.lower()
    named = [(suffix, row.name) for row in _TABLE for suffix in row.suffixes if lower.endswith(suffix)]
    return max(named, key=lambda pair: len(pair[0]))[1] if named else None


def is_report(content: bytes) -> bool:
    """Say whether a file begins as a report of dralint's own does."""
    return any(row.beginning and re.match(row.beginning, content) for row in _TABLE)
