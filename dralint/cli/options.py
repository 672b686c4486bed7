"""Options that several commands use. A wrong value gives an error of one sentence and exit status 2."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import TYPE_CHECKING, Any, ParamSpec, TextIO, TypedDict, TypeVar

import click

from dralint.cli import candidates
from dralint.cli.choice_option import OneOf
from dralint.cli.exit_status import FAIL_ON
from dralint.cli.file_path import FilePath
from dralint.report import FORMATS, by_suffix, is_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

P = ParamSpec("P")
F = TypeVar("F", bound="Callable[..., Any] | click.Command")
MIN_SEVERITY = {severity: FAIL_ON[severity] for severity in ("error", "warning", "info")}
"""Value of --min-severity → the severities that are reported."""


class Common(TypedDict):
    """The options of `common` that concern the report."""

    fail_on: str
    format_: str
    output_file: tuple[str, ...]
    color: str
    quiet: bool
    verbose: bool
    min_severity: str
    statistics: bool
    show_all: bool
    show_files: bool
    exit_zero: bool


_INPUT = (
    click.option("--namespace", metavar="NS", help="The namespace of objects that have none."),
    click.option(
        "--complete",
        is_flag=True,
        help="The input is everything that exists: report each object that is missing. Objects without a namespace are"
        " in `default`.",
    ),
    click.option(
        "--known-class",
        multiple=True,
        metavar="NAME",
        help="A DeviceClass or ResourceClass that exists outside the input, or a pattern such as *.example.com;"
        " repeatable.",
    ),
    click.option(
        "--slices",
        "--inventory",
        "slices",
        type=FilePath(exists=True),
        multiple=True,
        metavar="PATH",
        help="The inventory: all ResourceSlices of the cluster, from `kubectl get resourceslices -o yaml`. It can also"
        " contain classes, nodes, claims and taint rules; repeatable.",
    ),
)


def whole_input(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options about the input as a whole to a command; they become settings."""
    for option in reversed(_INPUT):
        command = option(command)
    return command


color = click.option(
    "--color", type=OneOf(["auto", "always", "never"]), default="auto", help="When to use colours in text."
)


def feature_gates(help_: str) -> Callable[[F], F]:
    """Return the option --feature-gates of a command; `help` names the owner of the gates."""
    return click.option(
        "--feature-gates", multiple=True, metavar="GATE=BOOL,...", shell_complete=candidates.gates, help=help_
    )


def excluded(what: str) -> Callable[[F], F]:
    """Return the option --exclude of a command that reads such files."""
    return click.option(
        "--exclude",
        multiple=True,
        metavar="GLOB",
        help=f"Skip these {what}; the patterns are those of .gitignore; repeatable.",
    )


def output_format(names: Iterable[str]) -> Callable[[F], F]:
    """Return the option --format of a command with these formats; the default is text."""
    return click.option(
        "--format",
        "format_",
        type=OneOf(list(names)),
        default="text",
        show_default=True,
        help="The format of the output.",
    )


def timeout(seconds: float, help_: str) -> Callable[[F], F]:
    """Return the option --timeout of a command, in seconds."""
    return click.option(
        "--timeout",
        type=click.FloatRange(min=0),
        default=seconds,
        show_default=True,
        metavar="SECONDS",
        help=help_,
    )


_COMMON = {
    "versions": click.option(
        "--kubernetes-version",
        "versions",
        multiple=True,
        metavar="RELEASE",
        shell_complete=candidates.releases,
        help="The Kubernetes release to check against: 1.34, v1.34.4, latest, or a range such as 1.32..1.36;"
        " repeatable. By default, the newest release that serves the object.",
    ),
    "feature_gates": feature_gates("Switch feature gates on or off; AllAlpha and AllBeta work too."),
    "select": click.option(
        "--select",
        multiple=True,
        metavar="RULE,...",
        shell_complete=candidates.rules,
        help="Report only these rules: ids, beginnings of ids, or names.",
    ),
    "ignore": click.option(
        "--ignore",
        multiple=True,
        metavar="RULE,...",
        shell_complete=candidates.rules,
        help="Do not report these rules.",
    ),
    "fail_on": click.option(
        "--fail-on",
        type=OneOf(list(FAIL_ON)),
        default="error",
        show_default=True,
        help="End with status 1 if a finding has this severity or a higher one; with `broken`, if it is an error, or an"
        " object loses fields or cannot work.",
    ),
    "strict": click.option(
        "--strict",
        is_flag=True,
        help="The profile for CI: --fail-on broken, and claims and requests that no container uses (DRA705, DRA706)"
        " are errors.",
    ),
    "ignore_status": click.option("--ignore-status", is_flag=True, help="Do not check the status of objects."),
    "strict_placeholders": click.option(
        "--strict-placeholders",
        is_flag=True,
        help="Check ${NAME}, $(NAME) and {{ ... }} in values as the text that they are.",
    ),
    "exclude": excluded("files"),
    "format_": output_format(FORMATS),
    "output_file": click.option(
        "--output-file",
        multiple=True,
        metavar="FORMAT=PATH",
        help="Also write a report to this file; repeatable. With PATH alone, the suffix decides the format"
        " (report.sarif). Markdown is appended.",
    ),
    "min_severity": click.option(
        "--min-severity",
        type=OneOf(list(MIN_SEVERITY)),
        default="info",
        show_default=True,
        help="Hide findings below this severity. Hidden findings do not count for --fail-on.",
    ),
    "statistics": click.option("--statistics", is_flag=True, help="Count the findings of each rule."),
    "show_all": click.option(
        "--show-all", is_flag=True, help="In text, show every repeated finding instead of a count."
    ),
    "show_files": click.option(
        "--show-files", is_flag=True, help="List the files that were read, and those that were not, with the reason."
    ),
    "color": color,
    "quiet": click.option("-q", "--quiet", is_flag=True, help="Show findings only, without the summary."),
    "verbose": click.option("-v", "--verbose", is_flag=True, help="List what was skipped, with the reason."),
    "exit_zero": click.option("--exit-zero", is_flag=True, help="The same as --fail-on never."),
    "baseline": click.option(
        "--baseline",
        type=FilePath(exists=True, dir_okay=False),
        metavar="FILE",
        help="Do not report the findings in this file, which `dralint baseline write` has written.",
    ),
    "driver_schema": click.option(
        "--driver-schema",
        multiple=True,
        metavar="DRIVER=FILE",
        help="The JSON Schema or CustomResourceDefinition for the opaque parameters of a driver. With GROUP/KIND=FILE,"
        " for the parameters of that group and kind; repeatable.",
    ),
    "driver_version": click.option(
        "--driver-version",
        multiple=True,
        metavar="DRIVER=VERSION",
        help="The version of a driver that the cluster runs, such as gpu.nvidia.com=v0.4.1; repeatable. By default,"
        " dralint reports what holds in all versions that it knows.",
    ),
    "driver_gates": click.option(
        "--driver-gates",
        multiple=True,
        metavar="DRIVER:GATE=BOOL,...",
        help="Switch feature gates of a driver on or off; repeatable.",
    ),
    "api_versions": click.option(
        "--api-versions",
        type=FilePath(exists=True, dir_okay=False),
        metavar="FILE",
        help="The API versions that the cluster serves: the output of `kubectl api-versions`. By default, each release"
        " serves all that it knows.",
    ),
    "schemas": click.option(
        "--schemas",
        type=FilePath(exists=True, file_okay=False),
        metavar="DIR",
        help="A folder from `dralint schema generate`: also check against its releases.",
    ),
}
"""Name of the option's parameter → the option, in the order of the help."""


_OF_REPORTS = {*Common.__annotations__, "baseline", "strict"}


def judging(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options about judging manifests to a command; they become settings."""
    for name, option in reversed(_COMMON.items()):
        command = option(command) if name not in _OF_REPORTS else command
    return command


def common(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options of all commands that judge manifests: settings, and the keywords of `Common`."""
    for option in reversed(_COMMON.values()):
        command = option(command)
    return command


def _one_release(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Refuse a range; the settings refuse everything that is not a release."""
    if value is not None:
        from dralint.config.choices import ChoiceError, releases

        with contextlib.suppress(ChoiceError):
            if len(releases([value])) > 1:
                raise click.UsageError("--kubernetes-version: name one release, not a range")
    return value


one_release = click.option(
    "--kubernetes-version",
    "version",
    metavar="RELEASE",
    shell_complete=candidates.releases,
    callback=_one_release,
    help="The Kubernetes release: 1.34, v1.34.4, or latest (the default).",
)
"""The release of a command that uses one; if the configuration has several, the newest counts."""

driver_version = _COMMON["driver_version"]


def wants_excerpts(chosen: Common, files: Sequence[tuple[str, Path]]) -> bool:
    """Say whether one of the formats shows lines of the source."""
    return any(FORMATS[name].excerpts for name in (chosen["format_"], *(name for name, _ in files)))


def output_files(texts: Sequence[str], formats: Sequence[str]) -> list[tuple[str, Path]]:
    """Return format and path of each --output-file; without a format, the suffix of the path selects it.

    Raises:
        click.UsageError: an unknown format or suffix, standard output, a folder that does not exist, a repeated file.
    """
    if not texts:
        return []
    from pathlib import Path

    out: list[tuple[str, Path]] = []
    seen: set[Path] = set()
    for text in texts:
        format_, path = _format_and_path(text, formats)
        if path == "-":
            raise click.UsageError(f"--output-file: what goes to standard output is said with --format {format_}")
        file = Path(path)
        if not file.parent.is_dir():
            raise click.UsageError(f"--output-file: the folder {str(file.parent)!r} does not exist")
        if file.is_dir():
            raise click.UsageError(f"--output-file: {path!r} is a folder")
        if _leads_to_itself(file):
            raise click.UsageError(f"--output-file: {path!r} is a link to itself")
        if (target := Path(os.path.realpath(file))) in seen:
            raise click.UsageError(f"--output-file: {path!r} is named twice; a file can hold only one report")
        seen.add(target)
        out.append((format_, file))
    return out


def _leads_to_itself(path: Path) -> bool:
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _format_and_path(text: str, formats: Sequence[str]) -> tuple[str, str]:
    format_, equals, path = text.partition("=")
    if equals and path and format_ in formats:
        return format_, path
    if equals and path and format_.isalnum():
        from dralint.kubernetes.near import closest

        tip = closest(format_, formats) or f"there are {', '.join(formats)}"
        raise click.UsageError(f"--output-file: no format {format_!r}; {tip}")
    known = by_suffix(text)
    if known is None or known not in formats or (equals and not path):
        wrong = f"--output-file: {text!r} is not of the form FORMAT=PATH, and no format has its suffix"
        raise click.UsageError(f"{wrong}; formats are {', '.join(formats)}")
    return known, text


def keep_inputs(files: Sequence[tuple[str, Path]], inputs: Iterable[str]) -> None:
    """Refuse to write a report over an input file; an earlier report of dralint can be replaced.

    Args:
        files: the result of `output_files`.
        inputs: paths of the input; missing ones are skipped.

    Raises:
        click.UsageError: a report would replace one of the inputs.
    """
    outputs = {identity: path for _, path in files if (identity := _identity(path)) is not None}
    for name in inputs if outputs else ():
        path = outputs.get(_identity(name) or (0, 0))
        if path is not None and not _is_report(path):
            raise click.UsageError(
                f"--output-file: {str(path)!r} is one of the files to read; write the report elsewhere, or leave the"
                " file out with --exclude"
            )


def _identity(path: str | Path) -> tuple[int, int] | None:
    """Return the identity that all names of a file share; None if it is not a regular file."""
    try:
        status = os.stat(path)  # noqa: PTH116 - most are plain strings
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_report(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_report(file.read(200))
    except OSError:
        return False


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
