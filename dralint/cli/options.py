"""Options that several commands use, how a shell completes them, and the configuration file that can set them."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import click

from dralint.cli.output import RefusedConfiguration, tell_packed, tell_unread
from dralint.config.choices import ChoiceError, releases
from dralint.config.configuration import ConfigurationError, Mistake, find, load
from dralint.config.settings import nearest, resolve, settings_of, with_nearest
from dralint.config.table import KEYS_ALONE, OF_OPTIONS, OPTIONS_ELSEWHERE, SETTINGS, STRICT
from dralint.files.atomic import working_directory
from dralint.files.discover import discover
from dralint.finding import catalogue
from dralint.kubernetes import shipped
from dralint.kubernetes.gates import ALL_ALPHA, ALL_BETA
from dralint.kubernetes.near import closest, near
from dralint.kubernetes.served import known_releases
from dralint.report import FORMATS, by_suffix, is_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.config.configuration import Configuration
    from dralint.config.settings import Settings
    from dralint.drivers.choice import Choice
    from dralint.files.discover import Discovery
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
            meant = closest_word(str(value), list(map(str, self.choices)), _MEANT)
            if meant is None:
                raise
            text = f"{error.message.rstrip('.')}; did you mean {meant!r}?"
            raise click.BadParameter(text, ctx, param) from error


def closest_word(word: str, words: list[str], meant: dict[str, str]) -> str | None:
    """Return the word that a wrong one stands for; None if none is similar."""
    known = meant.get(word.lower())
    if known in words:
        return known
    return next(iter(near(word, words)), None)


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
        found = chosen()
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
        kind = click.Path(exists=True, file_okay=row.path != "folder", dir_okay=row.path != "file", path_type=Path)
    given = {
        "help": row.help,
        "metavar": row.metavar,
        "type": kind,
        "is_flag": row.is_flag or None,  # False lets click take an option without its value
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


def _with_groups(*groups: str) -> Callable[[F], F]:
    def add(command: F) -> F:
        for key, row in reversed(SETTINGS.items()):
            command = option(key)(command) if row.group in groups else command
        return command

    return add


judging, common, whole_input = _with_groups("judging"), _with_groups("judging", "report"), _with_groups("input")
"""Add the options about judging manifests to a command, these and those about reports, or those about the input as a
whole. They become settings, those about reports `Chosen`."""
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
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_report(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_report(file.read(200))
    except OSError:
        return False


_NAMED = "dralint.named-configuration"
"""Whether the command line says which configuration to read."""
ARGUMENTS, MADE_SETTINGS = "dralint.arguments", "dralint.settings"
"""The command line of a command, and its settings."""


class ConfiguredCommand(click.Command):
    """A command whose options a configuration file can set, except for those of a single call (`of_a_call`).

    Its function gets the settings of the run as `settings`, instead of the options that they are made of.
    """

    of_a_call: frozenset[str] = frozenset()
    besides: frozenset[str] = frozenset()
    """Keys of a configuration that the command uses without an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the configuration, which has the defaults of the options that are not settings, then the options."""
        named = dict(keys(self))
        ctx.meta[ARGUMENTS] = [*args]
        try:
            # The options are read twice: the configuration that they choose has the defaults of others.
            given, _, _ = self.make_parser(ctx).parse_args([*args])
            ctx.meta[_NAMED] = not given.keys().isdisjoint({"config", "no_config"})
            help_ = self.get_help_option(ctx)  # click has more than one name for it
            found = None if given.keys() & {"no_config", help_ and help_.name} else chosen(given.get("config"))
            if found is not None:
                known = self.besides.union(named)
                ctx.obj = found.only(known | KEYS_ALONE if "select" in known else known)
                said = ctx.obj.values
                of_reports = [key for key in named if key in said and not SETTINGS[key].fields]
                ctx.default_map = {str(named[key].name): said[key] for key in of_reports}
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            way = OPTIONS_ELSEWHERE.get(str(self.name), {}).get(error.option_name)
            if way is None:
                raise
            raise click.UsageError(f"No such option {error.option_name!r}; {way}", ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error names the source of the wrong value: the command line or the configuration."""
        named = {str(option.name): key for key, option in keys(self) if SETTINGS[key].fields}
        chosen = {key: ctx.params[name] for name, key in named.items() if is_chosen(ctx, name)}
        ctx.params |= profile(ctx) if "strict" in ctx.params else {}
        rest = {name: value for name, value in ctx.params.items() if name not in named}
        configuration: Configuration | None = ctx.obj
        try:
            settings = ctx.meta[MADE_SETTINGS] = resolve(chosen, configuration)
        except ValueError as error:
            raise _refusal(error) from error
        try:
            return ctx.invoke(cast("Callable[..., Any]", self.callback), settings=settings, **rest)
        except click.UsageError as error:
            key, _, wrong = error.message.removeprefix("--").partition(": ")
            if configuration is None or key not in configuration.values or key in chosen:
                raise
            raise RefusedConfiguration(configuration.refusal((key,), f"`{key}`: {wrong}")) from error


def profile(ctx: click.Context) -> dict[str, Any]:
    """Return the options that `strict` sets: what the command line says wins, then what is beside the key."""
    said = {} if ctx.obj is None else ctx.obj.values
    held: dict[str, Any] = {}
    if ctx.params.get("strict"):
        held = {"fail_on": STRICT["fail-on"], "exit_zero": False}
    elif said.get("strict") and "fail-on" not in said:
        held = {"fail_on": STRICT["fail-on"]}
    return {name: value for name, value in held.items() if not is_chosen(ctx, name)}


def for_files(settings: Settings, found: Discovery) -> Settings:
    """Return the settings of a run with those of the configurations that are nearest to its files.

    The files that one of these excludes are left out. A configuration that the command line names is the only one.
    """
    ctx = click.get_current_context()
    if found.homes <= {""} or ctx.meta.get(_NAMED):
        return settings

    chosen = [key for key, option in keys(ctx.command) if is_chosen(ctx, str(option.name))]
    try:
        judging = with_nearest(settings, found.homes, ctx.obj, chosen)
    except ValueError as error:
        raise _refusal(error) from error
    if added := judging.exclude[len(settings.exclude) :]:
        found.exclude(added)
    return judging


def others(found: Discovery) -> list[Path]:
    """Return the configurations that judge some of the files, besides that of the working directory."""
    ctx = click.get_current_context()
    folders = {os.path.dirname(source.path) for source in found.sources if source.path is not None}
    return [] if ctx.meta.get(_NAMED) else nearest(folders, None if ctx.obj is None else ctx.obj.file)


def is_chosen(ctx: click.Context, name: str) -> bool:
    """Say whether the command line has an option."""
    return ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def _refusal(error: ValueError) -> click.ClickException:
    if isinstance(error, ConfigurationError):
        return RefusedConfiguration(error)
    if not isinstance(error, ChoiceError):
        raise error
    return click.UsageError(f"--{SETTINGS[error.option].option or error.option}: {error.reason}")


def configuration(command: Any) -> Any:
    """Add --config and --no-config to a command."""
    command = click.option("--no-config", is_flag=True, expose_value=False, help="Do not read a configuration file.")(
        command
    )
    return click.option(
        "--config",
        expose_value=False,
        metavar="FILE",
        help="The configuration file. By default, the nearest .dralint.yaml, or pyproject.toml with [tool.dralint],"
        " from the working directory upwards.",
    )(command)


def keys(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """Yield the options of a command that a configuration can set, with their keys."""
    left_out: frozenset[str] = getattr(command, "of_a_call", frozenset())
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            long = next((name[2:] for name in parameter.opts if name.startswith("--")), "")
            if long in OF_OPTIONS and long not in left_out:
                yield OF_OPTIONS[long].key, parameter


def chosen(named: str | None = None) -> Configuration | None:
    """Return the configuration that the command line names, or else the nearest; None where there is none."""
    try:
        file = find(working_directory()) if named is None else Path(named)
        if named is not None and not Path(named).is_file():
            raise ConfigurationError(Path(named), [Mistake("there is no such configuration file", 0, 0)])
        return None if file is None else load(file)
    except ValueError as error:
        raise _refusal(error) from error


def shown(context: click.Context, settings: Settings, file: str, others: Sequence[Path]) -> Iterator[str]:
    """Yield the lines with the settings of a run; for a file, also the settings that differ for it.

    `others` are the configurations that judge some files, besides that of the working directory.
    """
    found: Configuration | None = context.obj
    said = {} if found is None else found.values
    strict = profile(context)
    yield f"configuration: {found.file if found is not None else 'none'}"
    for other in others:
        yield f"configuration for the files below {_short(other.parent)}: {_short(other)}"
    for key, option in keys(context.command):
        if key in KEYS_ALONE or option.name is None:
            continue
        value, origin = context.params.get(option.name), "default"
        if is_chosen(context, option.name):
            origin = "command line"
        elif option.name in strict:
            origin = "strict"
        elif found is not None and key in said:
            value = found.releases(key) if key == "kubernetes-version" else said[key]
            value = [value] if option.multiple and not isinstance(value, list | dict) else value
            origin = f"{found.file}:{found.place((key,), key=True)[0]}"
        yield f"{key}: {_text(value)}  ({origin})"
    if context.params.get("strict") or said.get("strict"):
        yield f"severity: {_text(STRICT['severity'])}  (strict)"
    if found is not None:
        for key in sorted(KEYS_ALONE & said.keys()):
            yield f"{key}: {_text(_with_off(said[key]))}  ({found.file}:{found.place((key,), key=True)[0]})"
    if file:
        yield from _of_file(file, settings, others)


def _of_file(file: str, settings: Settings, others: Sequence[Path]) -> Iterator[str]:
    held = settings_of(file, settings)
    judging = find(os.path.dirname(os.path.abspath(file)))
    origin = f"({_short(judging)})" if judging in others and judging is not None else ""
    yield f"for {file}:"
    for name in ("releases", "gates", "select", "ignore"):
        value = getattr(held, name)
        changed = value != getattr(settings, name)
        plain = [f"{gate}={str(on).lower()}" for gate, on in value] if name == "gates" else list(map(str, value))
        yield f"  {name}: {_text(plain)}  {origin or ('(an override)' if changed else '(as for all files)')}"


def _short(path: Path) -> str:
    """Return a path from the working directory, if it is below that."""
    return str(path.relative_to(path.cwd())) if path.is_relative_to(path.cwd()) else str(path)


def _with_off(value: Any) -> Any:
    """Return a value with `off` for each severity that YAML reads as false."""
    if isinstance(value, list):
        return [_with_off(entry) for entry in value]
    if not isinstance(value, dict):
        return "off" if value is False else value
    return {key: _with_off(member) for key, member in value.items()}


def _text(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_text(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(member)}" for key, member in value.items()) + "}"
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
