"""`check --show-settings`: shows the settings of a run and the source of each value."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from dralint.cli.configuration import is_chosen, keys, profile
from dralint.config.find_file import find
from dralint.config.paths import settings_of
from dralint.config.table import KEYS_ALONE, STRICT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import click

    from dralint.config.configuration import Configuration
    from dralint.config.settings import Settings


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
    judging = find(os.path.dirname(os.path.abspath(file)))  # noqa: PTH100, PTH120 - a link is not followed
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
