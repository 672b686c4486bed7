"""`dralint pack`: check, make and show driver packs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dralint.cli import options
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import show_text, show_yaml, tell
from dralint.drivers.choice import known_packs
from dralint.drivers.pack_file import LARGEST, mistakes, packs, page, read_pack
from dralint.kubernetes.near import closest

if TYPE_CHECKING:
    from dralint.config.settings import Settings


class _Show(ConfiguredCommand):
    of_a_call = frozenset({"driver-version"})
    besides = frozenset({"driver-packs"})


@click.group()
def pack() -> None:
    """Check, make and show driver packs: what drivers take as parameters and which devices they publish."""


@pack.command(short_help="Check files with driver packs.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Check files with driver packs: their form, and names that lead nowhere.

    Exit status: 0 if all are packs, 1 if one has a mistake, 2 if a file cannot be read.
    """
    wrong = False
    for file in files:
        try:
            with file.open("rb") as stream:
                raw = stream.read(LARGEST + 1)
        except OSError as error:
            raise click.UsageError(f"{file}: {error.strerror or error}") from error
        found = mistakes(raw)
        for mistake in found:
            show_text(f"{file}:{mistake.line}: {mistake.text}")
        if not found:
            show_text(f"{file}: a pack of {read_pack(raw)['driver']}")
        wrong = wrong or bool(found)
    if wrong:
        raise SystemExit(1)


@pack.command(short_help="Make a pack of what a cluster publishes.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--driver", help="The driver, if the files have devices of several.")
@click.option("--driver-version", default="v0.0.0", metavar="VERSION", help="The version of the driver.")
def make(files: tuple[Path, ...], driver: str | None, driver_version: str) -> None:
    """Print a pack made from `kubectl get resourceslices,deviceclasses -o yaml`: names, types and examples.

    The pack never says that there are no other values, and it leaves out identifiers. Comments say what a person must
    decide.

    Exit status: 0, or 2 if the files have no devices, or devices of several drivers.
    """
    try:
        found = packs([file.read_bytes() for file in files], driver_version)
    except OSError as error:
        raise click.UsageError(f"{error.filename}: {error.strerror or error}") from error
    if driver is None and len(found) != 1:
        names = ", ".join(sorted(found))
        raise click.UsageError(f"use --driver; there are devices of {names}" if found else "the files have no devices")
    if driver is not None and driver not in found:
        raise click.UsageError(f"the files have no devices of {driver!r}")
    show_yaml(found[driver or next(iter(found))].rstrip())


@pack.command(cls=_Show, short_help="Show what dralint knows of a driver.")
@click.argument("driver", required=False, shell_complete=options.complete_drivers)
@options.configuration
@click.option("--driver-version", metavar="VERSION", help="A version of the driver. By default, the newest release.")
def show(driver: str | None, driver_version: str | None, settings: Settings) -> None:
    """Show what dralint knows of a driver: devices, attributes, classes, parameters. Without DRIVER, list the drivers.

    The configuration can add drivers and replace packs (`driver-packs`).

    Exit status: 0, or 2 if dralint has no pack of the driver or the pack does not have the version.
    """
    choice = known_packs(settings.driver_packs)
    if driver is None:
        for name in choice.drivers:
            found = choice.pack(name)
            show_text(f"{name}  {_versions(found.data)}" if found is not None else name)
        tell("`dralint pack show DRIVER` shows one")
        return
    found = choice.pack(driver)
    if found is None:
        tip = closest(driver, choice.drivers) or "see dralint pack show"
        raise click.UsageError(f"dralint has no pack of {driver!r}; {tip}")
    version = found.newest if driver_version is None else found.known(driver_version)
    if version is None:
        raise click.UsageError(f"the pack has no version {driver_version!r}; it has {', '.join(found.versions)}")
    show_text("\n".join(page(found, version)))


def _versions(data: dict[str, Any]) -> str:
    versions = data["versions"]
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"
