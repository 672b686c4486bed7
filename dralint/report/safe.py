"""Makes text of the input safe to show: it cannot control a terminal or a CI system."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.finding.report import Excerpt, LeftOut, Report, Skipped

if TYPE_CHECKING:
    from dralint.finding.finding import Finding, Related


_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_COMMAND = r"(?<![^\r\n])([^!-~\r\n]*):(?=[^\x00-\x7f]*:)|#(?=[^\x00-\x7f]*#(?:[A-Za-z]|[^\x00-\x7f])*\[)"
"""How a command for a CI system begins: `::error` at the start of a line (GitHub; actions/runner v2.319.1,
src/Runner.Common/ActionCommand.cs, after Trim), `##[error]` anywhere (GitHub, Azure), `##vso[` (Azure), `##teamcity[`.
.NET compares by culture there, so characters without a width can be in between."""
IN_TEXT = ("\u2236", "\u266f")
"""Signs in place of `:` and `#` that are as wide; the next ones mean the same in JSON, and in XML and Markdown."""
IN_JSON = (r"\u003a", r"\u0023")
IN_MARKUP = ("&#58;", "&#35;")


def without_commands(text: str, signs: tuple[str, str] = IN_TEXT) -> str:
    """Return text of one or more lines in which no CI system finds a command: `##[error]` becomes `♯#[error]`.

    Args:
        text: the text as it reaches the log. Colours are left as they are.
        signs: what stands for the colon and the number sign that begin a command.
    """
    if text.isascii() and "::" not in text and "##" not in text:
        return text
    return re.sub(_COMMAND, lambda match: signs[1] if match[1] is None else match[1] + signs[0], text)


def printable(text: str) -> str:
    """Return the text on one line, as long as before; control characters become pictures (ESC is ␛) or U+FFFD."""
    if text.isprintable():
        return text
    text = text.replace("\n", "\u240a")  # the most frequent one; there may be a million
    return text if text.isprintable() else re.sub(_UNSAFE, _picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


_STEERING = "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"


def safe_report(report: Report) -> Report:
    """Return a copy in which each string is printable and on one line, except for hints that show several lines to
    write.

    One character replaces each one, so columns stay correct. Excerpts keep their tabs. A fix that would write unsafe
    text is left out.
    """
    return report.but(
        findings=[_finding(finding) for finding in report.findings],
        skipped=[
            Skipped(printable(s.file), s.document, printable(s.reason), s.kind, s.relevant) for s in report.skipped
        ],
        left_out=[LeftOut(printable(left_out.file), printable(left_out.reason)) for left_out in report.left_out],
        failures=[
            failure._replace(file=printable(failure.file), message=printable(failure.message))
            for failure in report.failures
        ],
        charts=[printable(chart) for chart in report.charts],
        read={printable(name): count for name, count in report.read.items()},
        excerpts={
            (printable(file), line, column): excerpt
            if excerpt.text.isprintable()
            else Excerpt(_keeping(excerpt.text, "\t"), excerpt.column, excerpt.cut)
            for (file, line, column), excerpt in report.excerpts.items()
        },
    )


def escape_json(text: str) -> str:
    """Return JSON with all characters escaped that could control a terminal or a CI; the values do not change."""
    return without_commands(re.sub(_STEERING, lambda match: f"\\u{ord(match[0]):04x}", text), IN_JSON)


def _finding(finding: Finding) -> Finding:
    return finding._replace(
        message=printable(finding.message),
        hint=None if finding.hint is None else _keeping(finding.hint, "\n"),
        file=printable(finding.file),
        path=printable(finding.path),
        object=None
        if finding.object is None
        else {key: None if value is None else printable(value) for key, value in finding.object.items()},
        related=tuple(_related(related) for related in finding.related),
        fix=None
        if finding.fix is None or any(_keeping(edit.text, "\t\r\n") != edit.text for edit in finding.fix.edits)
        else finding.fix,
        parent=None if finding.parent is None else _related(finding.parent),
    )


def _related(related: Related) -> Related:
    return related._replace(message=printable(related.message), file=printable(related.file))


def _keeping(text: str, kept: str) -> str:
    return text if text.isprintable() else "".join(char if char in kept else printable(char) for char in text)
