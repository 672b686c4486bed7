"""Options that several commands use, their types (words from a short list, paths), and how a shell completes them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from dralint.cli import configuration
from dralint.cli.output import tell_packed, tell_unread
from dralint.config.choices import releases
from dralint.config.configuration import ChoiceError
from dralint.config.settings import resolve
from dralint.config.table import SETTINGS
from dralint.files.discover import discover
from dralint.finding import catalogue
from dralint.kubernetes import shipped
from dralint.kubernetes.gates import ALL_ALPHA, ALL_BETA
from dralint.kubernetes.near import closest, near
from dralint.kubernetes.served import known_releases
from dralint.report import FORMATS, by_suffix, is_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dralint.drivers.choice import Choice
    from dralint.files.source import Source


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # older releases of click do not support subscripts

_MEANT = {
    "annotations": "github",
    "code-quality": "gitlab",
    "codeclimate": "gitlab",
    "errors": "error",
    "false": "never",
    "html": "markdown",
    "line": "concise",
    "md": "markdown",
    "no": "never",
    "none": "never",
    "off": "never",
    "on": "always",
    "oneline": "concise",
    "plain": "text",
    "short": "concise",
    "summary": "markdown",
    "true": "always",
    "txt": "text",
    "warn": "warning",
    "warnings": "warning",
    "xml": "junit",
    "yes": "always",
}
"""What people write → its name here."""


class OneOf(_Choice):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value; click.BadParameter, with a suggestion, if it is not one of the words."""
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            meant = nearest(str(value), list(map(str, self.choices)), _MEANT)
            if meant is None:
                raise
            text = f"{error.message.rstrip('.')}; did you mean {meant!r}?"
            raise click.BadParameter(text, ctx, param) from error


def nearest(word: str, words: list[str], meant: dict[str, str]) -> str | None:
    """Return the word that a wrong one stands for; None if none is similar."""
    known = meant.get(word.lower())
    if known in words:
        return known
    return next(iter(near(word, words)), None)


class FilePath(click.Path):
    """A path; pathlib, which starts slowly, is only imported when an option is given."""

    def coerce_path_result(self, value: Any) -> Path:
        """Return the path of a value from the command line."""
        return Path(os.fsdecode(value))


# What a shell completes.


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of rules that a text can become: its last part is completed to an id or a name."""
    names = [name for rule in catalogue.rules().values() for name in (rule.id, rule.name)]
    return _last_of_list(incomplete, names)


def complete_releases(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of releases and ranges that a text can become; the end of a range is a later release."""
    known = [*map(str, known_releases()), "latest"]
    before, comma, last = incomplete.rpartition(",")
    first, dots, _ = last.rpartition("..")
    above = known[known.index(first) :] if first in known else known
    return [f"{before}{comma}{word}" for word in _beginning(last, [f"{first}{dots}{name}" for name in above])]


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the targets of a migration: API versions and releases."""
    from dralint.migrate.convert import VERSIONS

    return [*_beginning(incomplete, VERSIONS), *complete_releases(ctx, param, incomplete)]


def complete_gates(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the lists of switched gates that a text can become: `A=true,B=false`."""
    names = [*shipped.index()["gates"], ALL_ALPHA, ALL_BETA]
    return _last_of_list(incomplete, [f"{name}={value}" for name in sorted(names) for value in ("true", "false")])


def complete_topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the topics of `explain`: rules, gates, drivers, and paths of fields one level below the text."""
    from dralint.explain import fields, search

    found = [name for rule in catalogue.rules().values() for name in (rule.id, rule.name)]
    found += [*shipped.index()["gates"], *fields.kinds(), *_packs().names]
    depth = incomplete.count(".") + 2
    found += [place.path for place in search.places() if len(place.path.split(".")) <= depth] if incomplete else []
    return _beginning(incomplete, found)


def complete_drivers(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the drivers that have a pack."""
    return _beginning(incomplete, _packs().drivers)


def _packs() -> Choice:
    """Return the packs of dralint and of the nearest configuration; ignore a configuration with a mistake."""
    from dralint.drivers.choice import known_packs

    try:
        found = configuration.chosen(())
        settings = resolve({}, None if found is None else found.only({"driver-packs"}))
        return known_packs(settings.driver_packs)
    except (click.ClickException, OSError, ValueError):
        return known_packs(())


def _last_of_list(incomplete: str, words: Iterable[str]) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{word}" for word in _beginning(last, words)]


def _beginning(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.lower().startswith(start.lower())]


_COMPLETED = {"gates": complete_gates, "releases": complete_releases, "rules": complete_rules}
"""What the table of settings calls the words of an option → the function with them."""

# Options.

F = TypeVar("F", bound="Callable[..., Any] | click.Command")


Chosen: TypeAlias = dict[str, Any]
"""The values of options that are no settings, by keyword; for a report, those of the group `report` of the table."""


def option(key: str, *, words: Sequence[str] = (), **other: Any) -> Callable[[F], F]:
    """Return the option of a setting; a command can have another help or other words for it."""
    row = SETTINGS[key]
    kind: Any = None
    if row.words:
        kind = OneOf(list(words or row.words))
    elif row.least is not None:
        kind = click.IntRange(min=row.least)
    elif row.path and not row.by_driver:
        kind = FilePath(exists=True, file_okay=row.path != "folder", dir_okay=row.path != "file")
    given = {
        "help": row.help,
        "metavar": row.metavar,
        "type": kind,
        "is_flag": row.is_flag,
        "multiple": row.many,
        "shell_complete": _COMPLETED[row.complete] if row.complete else None,
    }
    if row.default is not None:
        given |= {"default": row.default, "show_default": key != "color"}
    name = row.option or key
    flags = sorted((f"--{name}", *row.other_names), key=lambda flag: flag.startswith("--"))
    keyword = "format_" if key == "format" else name.replace("-", "_")
    return click.option(*flags, keyword, **{**given, **other})


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


def judging(command: F) -> F:
    """Add the options about judging manifests to a command; they become settings."""
    return _with_groups(command, "judging")


def common(command: F) -> F:
    """Add the options of all commands that judge manifests: settings, and `Chosen`."""
    return _with_groups(command, "judging", "report")


def whole_input(command: F) -> F:
    """Add the options about the input as a whole to a command; they become settings."""
    return _with_groups(command, "input")


def _with_groups(command: F, *groups: str) -> F:
    for key, row in reversed(SETTINGS.items()):
        command = option(key)(command) if row.group in groups else command
    return command


color = option("color")
stdin_filename = click.option(
    "--stdin-filename", default="<stdin>", metavar="NAME", help="The file name that findings show for standard input."
)


def _one_release(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Refuse a range; the settings refuse everything that is not a release."""
    if value is not None:
        with contextlib.suppress(ChoiceError):
            if len(releases([value])) > 1:
                raise click.UsageError("--kubernetes-version: name one release, not a range")
    return value


one_release = click.option(
    "--kubernetes-version",
    "version",
    metavar="RELEASE",
    shell_complete=complete_releases,
    callback=_one_release,
    help="The Kubernetes release: 1.34, v1.34.4, or latest (the default).",
)
"""The release of a command that uses one; if the configuration has several, the newest counts."""


def sources_of(paths: Sequence[str], exclude: Sequence[str] = ()) -> list[Source]:
    """Return the files at the paths; end the command where one cannot be read."""
    found = discover(paths, exclude, documents=False)
    if found.missing:
        raise click.UsageError(f"the path {found.missing[0]!r} does not exist")
    if found.failures:
        tell_unread(found.failures)
        sys.exit(3)
    tell_packed(found.left_out)
    return found.sources


def wants_excerpts(chosen: Chosen, files: Sequence[tuple[str, Path]]) -> bool:
    """Say whether one of the formats shows lines of the source."""
    return any(FORMATS[name].excerpts for name in (chosen["format_"], *(name for name, _ in files)))


def output_files(texts: Sequence[str], formats: Sequence[str]) -> list[tuple[str, Path]]:
    """Return format and path of each --output-file; without a format, the suffix of the path selects it.

    Raises:
        click.UsageError: an unknown format or suffix, standard output, a folder that does not exist, a repeated file.
    """
    if not texts:
        return []

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
        tip = closest(format_, formats) or f"there are {', '.join(formats)}"
        raise click.UsageError(f"--output-file: no format {format_!r}; {tip}")
    known = by_suffix(text)
    if known is None or known not in formats or (equals and not path):
        wrong = f"--output-file: {text!r} is not of the form FORMAT=PATH, and no format has its suffix"
        raise click.UsageError(f"{wrong}; formats are {', '.join(formats)}")
    return known, text


def refuse_to_overwrite_inputs(files: Sequence[tuple[str, Path]], inputs: Iterable[str]) -> None:
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
