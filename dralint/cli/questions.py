"""Questions of `dralint new` at a terminal; they go to standard error, so that the output stays YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dralint.cli.options import OneOf
from dralint.cli.output import tell
from dralint.drivers.devices import devices
from dralint.new.objects import ConditionError, condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.drivers.pack import Pack


def kind(kinds: Sequence[str]) -> str:
    """Ask what to write."""
    return str(click.prompt("What do you need?", type=OneOf(kinds), err=True))


def driver(drivers: Sequence[str]) -> str:
    """Ask for a driver, and list those that have a pack."""
    tell("drivers:", *(f"  {name}" for name in drivers))
    return str(click.prompt("Which driver?", type=OneOf(drivers), show_choices=False, err=True))


def devices_of(
    pack: Pack, version: str, kind: str, count: int | None, where: tuple[str, ...]
) -> tuple[int | None, tuple[str, ...]]:
    """Ask how many devices, and which ones, unless the options say it."""
    if count is None and kind != "class":
        count = click.prompt("How many devices?", type=click.IntRange(min=1), default=1, err=True)
    return count, where or tuple(_conditions(pack, version))


def _conditions(pack: Pack, version: str) -> list[str]:
    several = devices(pack, version)
    names = dict.fromkeys(name.name for device in several for name in device.known)
    out: list[str] = []
    if names:
        tell(f"attributes and capacities: {', '.join(names)}")
    while names:
        text = str(
            click.prompt("Condition, such as NAME == VALUE (empty: none)", default="", show_default=False, err=True)
        )
        if not text.strip():
            break
        try:
            condition(text, several)
        except ConditionError as error:
            tell(str(error))
        else:
            out.append(text)
    return out
