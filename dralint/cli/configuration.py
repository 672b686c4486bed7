"""A configuration file behind the options: what it says is the default of the command line, which has the last word."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from dralint.config.file import WRITING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.config.file import Configuration, ConfigurationError
    from dralint.config.settings import Settings

NOT_CONFIGURED = WRITING | frozenset(
    {"config", "no-config", "help", "show-settings", "stdin-filename", "git", "changed", "driver-schema"}
)
"""Options that are about one call, not about a repository."""

_META = "dralint.configuration"


class RefusedConfiguration(click.ClickException):
    """A configuration with mistakes: wrong usage, told with file, line and column, a line each."""

    exit_code = 2

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__(str(error))
        self.lines = error.lines


class ConfiguredCommand(click.Command):
    """A command whose options a configuration file may set, but for those that are about one call (`of_a_call`)."""

    of_a_call: frozenset[str] = frozenset()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the configuration before the options, which may then be anything that is not in it."""
        from dralint.config.file import ConfigurationError

        try:
            configuration = _chosen(args)
            if configuration is not None:
                ctx.meta[_META] = configuration
                ctx.default_map = {**(ctx.default_map or {}), **_defaults(self, configuration)}
        except ConfigurationError as error:
            raise RefusedConfiguration(error) from error
        try:
            left = super().parse_args(ctx, args)
        except click.BadParameter as error:
            raise _with_place(ctx, error) from error
        if configuration is not None and ctx.get_parameter_source("exclude") is click.core.ParameterSource.DEFAULT_MAP:
            from dralint.files.discover import Rooted

            folder = os.path.abspath(configuration.folder)
            ctx.params["exclude"] = tuple(Rooted(pattern, folder) for pattern in ctx.params["exclude"])
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a wrong value is told where it was given, on the command line or in the configuration."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _with_place(ctx, error) from error


def options(command: Any) -> Any:
    """Give a command --config and --no-config."""
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


def configured(settings: Settings) -> Settings:
    """Return the settings of a run with what the configuration says besides options.

    Raises:
        click.ClickException: a release, gate or rule in it does not exist.
    """
    context = click.get_current_context(silent=True)
    configuration = None if context is None else context.meta.get(_META)
    if configuration is None:
        return settings
    from dralint.config.file import ConfigurationError
    from dralint.config.overlay import overlay

    try:
        return overlay(settings, configuration)
    except ConfigurationError as error:
        raise RefusedConfiguration(error) from error


def _with_place(ctx: click.Context, error: click.UsageError) -> click.ClickException:
    """Return the error as it is, or with file, line and key where the configuration gave the value it is about."""
    found: Configuration | None = ctx.meta.get(_META)
    if found is None:
        return error
    known = dict(_keys(ctx.command))
    if isinstance(error, click.BadParameter):
        key = next((key for key, option in known.items() if option is error.param), "")
        wrong = error.message[:1].lower() + error.message[1:].removesuffix(".")
    else:
        option, _, wrong = error.message.partition(": ")
        key = option.removeprefix("--")
    name = known[key].name if key in known and key in found.values else None
    if name is None or ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT_MAP:
        return error
    return RefusedConfiguration(found.refusal((key, *_first_wrong(ctx, known[key])), f"`{key}`: {wrong}"))


def _first_wrong(ctx: click.Context, option: click.Option) -> tuple[int, ...]:
    """Return the position of the first item of a list that an option does not take; nothing where it takes all."""
    values = (ctx.default_map or {}).get(option.name)
    for number, value in enumerate(values if isinstance(values, list | tuple) else ()):
        try:
            option.type.convert(value, option, ctx)
        except click.BadParameter:
            return (number,)
    return ()


def refused_schema(key: str, file: str, wrong: str) -> click.ClickException:
    """Return what refuses the schema of a driver: with its place where the configuration names it."""
    from dralint.config.schema import DRIVER_SCHEMAS

    found = configuration()
    context = click.get_current_context(silent=True)
    named = () if context is None else context.params.get("driver_schema") or ()
    if found is None or key not in found.values.get(DRIVER_SCHEMAS, {}) or f"{key}={file}" in named:
        return click.UsageError(f"--driver-schema: {wrong}")
    return RefusedConfiguration(found.refusal((DRIVER_SCHEMAS, key), f"`{DRIVER_SCHEMAS}`: {wrong}"))


def configuration() -> Configuration | None:
    """Return the configuration of the running command, None where there is none."""
    context = click.get_current_context(silent=True)
    found: Configuration | None = None if context is None else context.meta.get(_META)
    return found


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration file, from the options of all commands that are configured."""
    from dralint.cli.main import COMMANDS, command
    from dralint.config.schema import schema as whole

    known: dict[str, dict[str, Any]] = {}
    for name in COMMANDS:
        found = command(name)
        if isinstance(found, ConfiguredCommand):
            known = {key: _schema_of(option) for key, option in _keys(found)} | known
    return whole(known)


def _keys(command: click.Command) -> Iterable[tuple[str, click.Option]]:
    left_out = NOT_CONFIGURED | getattr(command, "of_a_call", frozenset())
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            long = next((name[2:] for name in parameter.opts if name.startswith("--")), None)
            if long is not None and long not in left_out:
                yield long, parameter


def _schema_of(option: click.Option) -> dict[str, Any]:
    from dralint.config.schema import GATES, VERSIONS

    long = next(name for name in option.opts if name.startswith("--"))
    described = {"description": (option.help or "").strip()}
    special = {"--kubernetes-version": VERSIONS, "--feature-gates": GATES}.get(long)
    if special is not None:
        return special
    if option.is_flag:
        return {**described, "type": "boolean"}
    kind: dict[str, Any] = {"type": "string"}
    if isinstance(option.type, click.Choice):
        kind = {"enum": list(option.type.choices)}
    elif isinstance(option.type, click.types.IntParamType):
        kind = {"type": "integer"}
    elif isinstance(option.type, click.types.FloatParamType):
        kind = {"type": "number"}
    if option.multiple:
        return {**described, "anyOf": [kind, {"type": "array", "items": kind}]}
    return {**described, **kind}


def _chosen(args: Sequence[str]) -> Configuration | None:
    """Return the configuration that the arguments ask for: the one named, none, or the nearest."""
    from dralint.config.file import ConfigurationError, Mistake, checked, find, read, shipped_schema
    from dralint.files.bounds import working_directory

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
    if named is None:
        file = find(working_directory())
        if file is None:
            return None
    else:
        from pathlib import Path

        file = Path(named)
        if not file.is_file():
            raise ConfigurationError(file, [Mistake("there is no such configuration file", 0, 0)])
    found = read(file)
    checked(found, shipped_schema())
    return found


def _defaults(command: click.Command, configuration: Configuration) -> dict[str, Any]:
    """Return what the configuration says as click takes it: name of the parameter → value."""
    from dralint.config.file import within
    from dralint.config.overlay import gate_texts, version_texts
    from dralint.config.schema import texts

    out: dict[str, Any] = {}
    for key, option in _keys(command):
        if key not in configuration.values or option.name is None:
            continue
        value = configuration.values[key]
        if key == "kubernetes-version":
            value = version_texts(configuration, (key,))
        elif key == "feature-gates":
            value = gate_texts(value)
        elif option.multiple:
            value = texts(value) if isinstance(value, str | list) else [value]
        if key in ("schemas", "baseline", "slices"):
            paths = within(configuration, key, [value] if isinstance(value, str) else value)
            value = paths[0] if isinstance(value, str) else paths
        out[option.name] = value
    return out
