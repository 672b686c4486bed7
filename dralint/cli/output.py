"""Writes all text of dralint: no input can control a terminal or a CI system."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
import time
from typing import TYPE_CHECKING, NoReturn, TextIO

import click

from dralint.finding.report import PACKED
from dralint.report import Style
from dralint.report.safe import escape_json, printable, without_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.config.configuration import ConfigurationError
    from dralint.finding.report import Failure, LeftOut


_CI = ("GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
"""Variables of the systems that read commands from the log of a job."""
_LINKING_PROGRAMS = frozenset({"iTerm.app", "WezTerm", "vscode", "Hyper", "terminology", "ghostty", "Tabby", "zed"})
_LINKING_TERMINALS = frozenset({"xterm-kitty", "alacritty", "alacritty-direct", "foot", "xterm-ghostty", "wezterm"})
_MOST_TOLD = 20
_COLOUR = r"(\x1b\[[0-9;]*m)"


class RefusedConfiguration(click.ClickException):
    """A configuration with mistakes: wrong usage, with file, line and column of each mistake on a line."""

    exit_code = 2

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__(str(error))
        self.lines = error.lines


@contextlib.contextmanager
def wrong_usage(*kinds: type[Exception], of: str = "") -> Iterator[None]:
    """Make wrong usage of an error of these kinds; `of` names the option at the beginning of the sentence."""
    try:
        yield
    except kinds as error:
        raise click.UsageError(f"{of}{error}") from error


def shown(error: click.ClickException) -> list[str]:
    """Return the lines that click shows for an error, which has one line."""
    if isinstance(error, RefusedConfiguration):
        return error.lines
    message = error.format_message()
    with io.StringIO() as text:
        error.show(text)
        return text.getvalue().removesuffix("\n").replace(message, printable(message)).split("\n")


def silence(stream: TextIO | None) -> None:
    """Discard the buffered output: writing it at the end would fail again and change the exit status."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def tell(*lines: str) -> None:
    """Write lines to standard error; a line end inside of one is shown as a character."""
    for line in lines:
        click.echo(without_commands(printable(line)), err=True)


def give_up(reason: str) -> NoReturn:
    """End a command that cannot finish."""
    tell(f"dralint: {reason}")
    sys.exit(3)


def tell_unread(failures: Iterable[Failure], missing: Iterable[str] = ()) -> None:
    """Tell what could not be read or written, and which paths from the command line do not exist."""
    tell(*(f"dralint: {failure.file}: {failure.message}" for failure in failures))
    tell(*(f"dralint: the path {name!r} does not exist" for name in missing))


def tell_packed(left_out: Iterable[LeftOut]) -> None:
    """Tell which files of a folder are compressed."""
    for one in left_out:
        if one.reason == PACKED:
            tell(f"dralint: {one.file} cannot be read: {one.reason}")


def tell_faults(faults: Sequence[Failure]) -> None:
    """Tell what of an inventory or a dump is left out, with the place of each."""
    for fault in faults[:_MOST_TOLD]:
        tell(f"dralint: {fault.file}:{fault.line}: {fault.message}")
    if len(faults) > _MOST_TOLD:
        tell(f"dralint: and {len(faults) - _MOST_TOLD} more places of the inventory that are left out")


def tell_report(text: str, *, painted: bool) -> None:
    """Write a report of several lines to standard error."""
    click.echo(safe_lines(text, painted=painted), err=True, color=painted)


def show_line(line: str) -> None:
    """Write a line to standard output; a line end inside of it is shown as a character."""
    click.echo(without_commands(printable(line)))


def show_text(text: str = "", *, painted: bool = False) -> None:
    """Write text of several lines and a final line end to standard output.

    Args:
        text: the text; if `painted`, it can have dralint's colours.
        painted: whether to show these.
    """
    click.echo(safe_lines(text, painted=painted), color=painted)


def show_json(text: str) -> None:
    """Write JSON and a line end to standard output."""
    click.echo(escape_json(text))


def show_yaml(text: str) -> None:
    """Write YAML and a line end to standard output."""
    click.echo(for_programs(_printable_lines(text)))


def for_programs(text: str) -> str:
    """Return text of standard output that programs take as it is, such as a patch; in the log of a CI job, without
    commands.

    A file gets the text as it is there, too.
    """
    if not any(map(os.environ.get, _CI)):
        return text
    try:
        is_file = stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        is_file = False
    return text if is_file else without_commands(text)


def safe_lines(text: str, *, painted: bool = False) -> str:
    """Return text that is safe to show: its line ends and tabs stay, and its colours if it is `painted`."""
    parts = re.split(_COLOUR, text) if painted else [text]
    return without_commands("".join(part if n % 2 else _printable_lines(part) for n, part in enumerate(parts)))


def _printable_lines(text: str) -> str:
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def write_bytes(octets: bytes) -> None:
    """Write bytes to standard output; ignore a reader that stops early.

    OSError where it cannot be written for another reason.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(octets)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def colored(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether to colour the output on a stream: by the option, then NO_COLOR, FORCE_COLOR and the terminal."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def terminal_width(stream: TextIO, environment: Mapping[str, str], most: int = 120) -> int:
    """Return the columns for text: COLUMNS, then those of the terminal (at most `most`), then 80."""
    columns = environment.get("COLUMNS", "")
    if columns.isdecimal() and 0 < int(columns) <= 1000:
        return int(columns)
    try:
        return min(os.get_terminal_size(stream.fileno()).columns or 80, most) if stream.isatty() else 80
    except (OSError, ValueError):
        return 80


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


_DELAY, _PAUSE = 0.7, 0.1
_WIDTH = 30


@contextlib.contextmanager
def progress(total: int, *, quiet: bool, noun: str = "files") -> Iterator[Callable[[int], None] | None]:
    """Show a bar while the block runs, from a moment on, and yield what counts steps; None where no bar may be shown.

    A bar is for a terminal, and not for the log of a CI job.
    """
    stream = sys.stderr
    hidden = quiet or os.environ.get("CI") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    if hidden or total <= 1:
        yield None
        return
    done, shown, due = 0, False, time.monotonic() + _DELAY

    def advance(number: int) -> None:
        nonlocal done, shown, due
        done += number
        now = time.monotonic()
        if now < due:
            return
        shown, due = True, now + _PAUSE
        most = max(total, done)  # a workload with many Pods needs several steps per node
        bar = ("#" * (_WIDTH * done // most)).ljust(_WIDTH, ".")
        stream.write(f"\r[{bar}] {done}/{most} {noun}")
        stream.flush()

    try:
        yield advance
    finally:
        if shown:
            stream.write("\r\x1b[2K")
            stream.flush()
