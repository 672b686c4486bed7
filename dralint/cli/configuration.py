"""Connects the configuration file with the options, and shows the settings of a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from dralint.cli.output import RefusedConfiguration
from dralint.config.configuration import ChoiceError, ConfigurationError, Mistake, find
from dralint.config.settings import nearest, resolve, settings_of, with_nearest
from dralint.config.table import KEYS_ALONE, OF_OPTIONS, OPTIONS_ELSEWHERE, SETTINGS, STRICT
from dralint.files.atomic import working_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.config.configuration import Configuration
    from dralint.config.settings import Settings
    from dralint.files.discover import Discovery


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
        """Read the configuration before the options. It gives the defaults of the options that are not settings."""
        named = dict(keys(self))
        found = chosen(args)
        ctx.meta[ARGUMENTS] = [*args]
        ctx.meta[_NAMED] = any(one == "--no-config" or one.partition("=")[0] == "--config" for one in args)
        if found is not None:
            known = self.besides.union(named)
            ctx.obj = found.only(known | KEYS_ALONE if "select" in known else known)
            said = ctx.obj.values
            of_reports = [key for key in named if key in said and not SETTINGS[key].fields]
            ctx.default_map = {str(named[key].name): said[key] for key in of_reports}
        try:
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
    folders = {os.path.dirname(source.path) for source in found.sources if source.path is not None}
    if folders <= {""} or ctx.meta.get(_NAMED):
        return settings

    chosen = [key for key, option in keys(ctx.command) if is_chosen(ctx, str(option.name))]
    try:
        judging = with_nearest(settings, folders, ctx.obj, chosen)
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


def options(command: Any) -> Any:
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


def chosen(args: Sequence[str]) -> Configuration | None:
    """Return the configuration that the arguments choose: a named one, none, or the nearest."""
    named: str | None = None
    waiting = False
    for argument in args:
        if argument == "--":
            break
        if waiting:
            named, waiting = argument, False
        elif argument == "--no-config" or argument in ("--help", "-h"):
            return None
        elif argument == "--config":
            waiting = True
        elif argument.startswith("--config="):
            named = argument.partition("=")[2]
    try:
        file = find(working_directory()) if named is None else None
    except ValueError as error:
        raise _refusal(error) from error
    if named is None and file is None:
        return None

    from dralint.config.file import load

    try:
        if file is not None or named is None:
            return None if file is None else load(file)
        if not Path(named).is_file():
            raise ConfigurationError(Path(named), [Mistake("there is no such configuration file", 0, 0)])
        return load(Path(named))
    except ConfigurationError as error:
        raise RefusedConfiguration(error) from error


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
