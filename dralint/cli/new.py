"""`dralint new`: writes a claim, template, class, quota or workload for the devices of a driver."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dralint.api import Linter
from dralint.cli import options
from dralint.cli.options import ConfiguredCommand, OneOf
from dralint.cli.output import show_yaml, tell
from dralint.drivers.choice import known_packs
from dralint.drivers.devices import devices
from dralint.kubernetes.near import closest
from dralint.new.from_options import Ask, WantedError, documents, parents, phrase, user_of
from dralint.new.objects import KINDS, ConditionError, condition, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.config.settings import Settings
    from dralint.drivers.choice import Choice
    from dralint.drivers.pack import Pack


def ask_kind(kinds: Sequence[str]) -> str:
    """Ask what to write."""
    return str(click.prompt("What do you need?", type=OneOf(kinds), err=True))


def ask_driver(drivers: Sequence[str]) -> str:
    """Ask for a driver, and list those that have a pack."""
    tell("drivers:", *(f"  {name}" for name in drivers))
    return str(click.prompt("Which driver?", type=OneOf(drivers), show_choices=False, err=True))


def devices_of(
    pack: Pack, version: str, ask_kind: str, count: int | None, where: tuple[str, ...]
) -> tuple[int | None, tuple[str, ...]]:
    """Ask how many devices, and which ones, unless the options say it."""
    if count is None and ask_kind not in ("class", "quota"):
        count = click.prompt("How many devices?", type=click.IntRange(min=1), default=1, err=True)
    return count, where or tuple(_conditions(pack, version))


def _conditions(pack: Pack, version: str) -> Iterator[str]:
    several = devices(pack, version)
    names = dict.fromkeys(name.name for device in several for name in device.known)
    if names:
        tell(f"attributes and capacities: {', '.join(names)}")
    while names:
        text = str(
            click.prompt("Condition, such as NAME == VALUE (empty: none)", default="", show_default=False, err=True)
        )
        if not text.strip():
            return
        try:
            condition(text, several)
        except ConditionError as error:
            tell(str(error))
        else:
            yield text


class _New(ConfiguredCommand):
    of_a_call = frozenset(
        {"class", "count", "driver", "else", "extended-resource", "for", "name", "namespace", "parameter"}
        | {"same", "where", "with"}
    )
    besides = frozenset({"driver-packs"})


def _one_driver(_: click.Context, __: click.Parameter, named: tuple[str, ...]) -> str | None:
    if len(named) > 1:
        raise click.BadParameter(f"a claim begins with one driver; write --with {named[1]} for devices of another")
    return named[0] if named else None


@click.command(cls=_New, short_help="Write a claim, template, class, quota or workload for devices.")
@click.argument("kind", required=False, type=OneOf(KINDS), metavar="KIND")
@options.configuration
@click.option(
    "--driver",
    multiple=True,
    callback=_one_driver,
    metavar="DRIVER",
    shell_complete=options.complete_drivers,
    help="The driver; `dralint pack show` lists those that dralint knows.",
)
@click.option(
    "--class", "device_class", metavar="NAME", help="The DeviceClass. By default, a class of the chart of the driver."
)
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="The number of devices. By default, 1.")
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="A condition on the devices, such as 'memory >= 40Gi'; repeatable. `dralint pack show DRIVER` lists attributes"
    " and capacities.",
)
@click.option(
    "--else",
    "alternatives",
    multiple=True,
    metavar="REQUEST",
    help="What to take if there are no such devices, such as '2 gpu.nvidia.com where memory >= 40Gi'; repeatable, the"
    " most wanted first.",
)
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="REQUEST",
    help="Devices that the claim requests besides, such as 'dra.net where rdma'; repeatable.",
)
@click.option(
    "--same",
    multiple=True,
    metavar="ATTRIBUTE",
    help="An attribute that all devices must share, such as pcieRoot; repeatable.",
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="FIELD=VALUE",
    help="A parameter for the driver, such as sharing.strategy=TimeSlicing; repeatable. `dralint pack show DRIVER`"
    " lists them.",
)
@click.option(
    "--extended-resource",
    metavar="NAME",
    help="The name under which a class offers its devices without a claim, such as example.com/gpu.",
)
@click.option(
    "--for",
    "user",
    metavar="KIND/NAME",
    help="The workload that uses the claim or template, such as deployment/train. Comments show what to add to it.",
)
@click.option("--name", metavar="NAME", help="The name of the object.")
@options.option("namespace", help="The namespace of the object.")
@options.one_release
@options.option("driver-versions")
def new(
    kind: str | None,
    driver: str | None,
    device_class: str | None,
    count: int | None,
    where: tuple[str, ...],
    alternatives: tuple[str, ...],
    others: tuple[str, ...],
    same: tuple[str, ...],
    parameters: tuple[str, ...],
    extended_resource: str | None,
    user: str | None,
    name: str | None,
    namespace: str | None,
    settings: Settings,
) -> None:
    """Write a new claim, template, class, quota or workload for the devices of a driver.

    KIND is claim, template, class, quota, pod, deployment, statefulset, daemonset, job or jobset. A workload comes with
    its template.

    The output is YAML in the API version of the release, and `dralint check` finds nothing wrong with it. dralint knows
    the classes, attributes and values from the pack of the driver. On a terminal, dralint asks for a missing kind or
    driver.

    Exit status: 0, or 2 if an option is wrong, or if the driver has no such device.
    """
    choice = known_packs(settings.driver_packs, settings.driver_versions)
    asking = (kind is None or (driver is None and device_class is None)) and _at_terminal()
    if asking:
        kind = kind or ask_kind(KINDS)
        driver = driver or (device_class and choice.driver_of_class(device_class)) or ask_driver(choice.drivers)
    if kind is None:
        raise click.UsageError(f"name what to write: {', '.join(KINDS)}")
    pack = _pack(choice, driver, device_class)
    version = _version(choice, pack)
    if asking:
        count, where = devices_of(pack, version, kind, count, where)
    release = settings.releases[-1] if settings.releases else None
    first = Ask(pack, version, device_class, count, where)
    try:
        asked = [
            [first, *(_further(choice, "else", text, first) for text in alternatives)],
            *([_further(choice, "with", text, None)] for text in others),
        ]
        found = documents(
            kind,
            asked,
            release,
            same=same,
            parameters=parameters,
            extended_resource=extended_resource,
            name=name,
            namespace=namespace,
            user=None if user is None else user_of(user),
        )
        several = dict.fromkeys(parents(asked)) if kind in ("claim", "template") and not same else ()
    except WantedError as error:
        raise click.UsageError(f"--{error.option}: {error}") from error

    written = text(found)
    _prove(written, settings._replace(releases=() if release is None else (release,)))
    show_yaml(written.removesuffix("\n"))
    for attribute in several:
        tell(f"note: the devices can have different parents; `--same {attribute}` asks for those of one")


def _at_terminal() -> bool:
    """Say whether a person can answer questions."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _further(choice: Choice, option: str, text: str, first: Ask | None) -> Ask:
    """Return what the text of an option asks for; without a name it is the driver of the first request."""
    count, name, where = phrase(option, text)
    if name is None:
        if first is None:
            raise WantedError(option, f"{text!r} names no driver and no class")
        return Ask(first.pack, first.version, first.device_class, count, where, option)
    device_class = None if choice.pack(name) is not None else name
    pack = _pack(choice, None if device_class else name, device_class, option)
    return Ask(pack, _version(choice, pack), device_class, count, where, option)


def _pack(choice: Choice, driver: str | None, device_class: str | None, option: str = "driver") -> Pack:
    of_class = None if device_class is None else choice.driver_of_class(device_class)
    if driver is None and of_class is None:
        what = "name it" if device_class is None else f"no pack has the class {device_class!r}: name its driver"
        raise click.UsageError(f"--{option}: {what}; `dralint pack show` lists the drivers")
    driver = driver or str(of_class)
    pack = choice.pack(driver)
    if pack is None:
        tip = closest(driver, choice.drivers) or "`dralint pack make` makes one from the ResourceSlices of a cluster"
        raise click.UsageError(f"--{option}: dralint has no pack of {driver!r}; {tip}")
    return pack


def _version(choice: Choice, pack: Pack) -> str:
    target = choice.target(pack.driver)
    if target is None or target.doubt:
        raise click.UsageError(
            f"--driver-version: the pack of {pack.driver} does not have it; it has {', '.join(pack.versions)}"
        )
    return target.newest


def _prove(written: str, settings: Settings) -> None:
    """Refuse to show output with an error or a warning of `check`; show its advice on standard error."""
    for finding in Linter(settings).check_text(written, "<new>").findings:
        hint = "" if finding.hint is None else f"; {finding.hint}"
        if finding.severity != "info":
            raise click.UsageError(f"{finding.message}{hint}")
        tell(f"note: {finding.message}{hint}")
