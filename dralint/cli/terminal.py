"""What the terminal of a report can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dralint.cli.options import colored, terminal_width
from dralint.report import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "Hyper", "terminology", "ghostty", "Tabby", "zed"})
_LINKING_TERMINALS = frozenset({"xterm-kitty", "alacritty", "alacritty-direct", "foot", "xterm-ghostty", "wezterm"})


def linked(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether the stream is a terminal that can show links (OSC 8); FORCE_HYPERLINK wins."""
    forced = environment.get("FORCE_HYPERLINK", "")
    if forced:
        return forced != "0"
    if not stream.isatty() or environment.get("TERM") == "dumb":
        return False
    program, vte = environment.get("TERM_PROGRAM", ""), environment.get("VTE_VERSION", "")
    return (
        program in _LINKING_PROGRAMS
        or environment.get("TERM", "") in _LINKING_TERMINALS
        or (vte.isdecimal() and int(vte) >= 5000)
        or any(environment.get(name) for name in ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM"))
    )


def report_width(stream: TextIO, environment: Mapping[str, str]) -> int | None:
    """Return the columns of the terminal for a report; None without a terminal: then no line is broken."""
    return terminal_width(stream, environment, most=1000) if stream.isatty() else None


def style(color: str, stream: TextIO, environment: Mapping[str, str]) -> Style:
    """Return the width and the colours for text on the stream; `color` is the value of the option."""
    return Style(report_width(stream, environment), colored(color, stream, environment))
