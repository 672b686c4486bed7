"""`check --show-settings`: what is in force, and where each value comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dralint.cli.configuration import NOT_CONFIGURED, configuration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.config.settings import Settings


def shown(context: click.Context, settings: Settings, file: str) -> Iterator[str]:
    """Yield the lines that tell the settings of a run; with a file also what holds for that file instead."""
    found = configuration()
    yield f"configuration: {found.file if found is not None else 'none'}"
    for parameter in context.command.params:
        long = next((name[2:] for name in parameter.opts if name.startswith("--")), None)
        if long is None or long in NOT_CONFIGURED or parameter.name is None:
            continue
        value = context.params.get(parameter.name)
        source = context.get_parameter_source(parameter.name)
        origin = "default"
        if source is click.core.ParameterSource.DEFAULT_MAP and found is not None:
            origin = f"{found.file}:{found.place((long,), key=True)[0]}"
        elif source is click.core.ParameterSource.COMMANDLINE:
            origin = "command line"
        yield f"{long}: {_text(value)}  ({origin})"
    if found is not None:
        for key in ("driver-schemas", "severity", "known", "overrides", "ignores"):
            if key in found.values:
                yield f"{key}: {_text(_with_off(found.values[key]))}  ({found.file}:{found.place((key,), key=True)[0]})"
    if file:
        from dralint.config.paths import settings_of

        held = settings_of(file, settings)
        yield f"for {file}:"
        for name in ("releases", "gates", "select", "ignore"):
            value = getattr(held, name)
            changed = value != getattr(settings, name)
            plain = [f"{gate}={str(on).lower()}" for gate, on in value] if name == "gates" else list(map(str, value))
            yield f"  {name}: {_text(plain)}  ({'an override' if changed else 'as for all files'})"


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
