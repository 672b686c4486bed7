"""Chooses the packs of a run, and the versions of their drivers that judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.pack import Pack, shipped
from dralint.drivers.shipped import CLASSES, CONCERNED, DRIVERS, MEANT, RESOURCES
from dralint.drivers.target_versions import TargetVersions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def known_packs(files: Iterable[tuple[str, str]]) -> Choice:
    """Return the shipped packs and those in files, each with its driver, for all versions."""
    from dralint.drivers.pack_file import load  # few runs have packs of their own

    return Choice({}, {}, [load(file) for _, file in files])


def classes_of_charts(files: Iterable[str]) -> frozenset[str]:
    """Return the classes that the charts of drivers install: of the shipped packs, and of those in files."""
    from dralint.drivers.pack_file import load  # few runs have packs of their own

    own = (row["name"] for file in files for row in load(file).data.get("classes", ()))
    return CONCERNED.union(own)


def resources_of_charts(files: Iterable[str]) -> frozenset[str]:
    """Return the extended resources that classes of charts offer in some version."""
    from dralint.drivers.pack_file import load  # few runs have packs of their own

    names = (row.get("extendedResource") for file in files for row in load(file).data.get("classes", ()))
    return RESOURCES.union(str(name["value"] if isinstance(name, dict) else name) for name in names if name is not None)


class Choice:
    """The packs by driver, with the choices of the user.

    Args:
        versions: the chosen versions of drivers.
        gates: the switched feature gates of drivers.
        packs: packs of the user, which replace the shipped ones.
    """

    def __init__(
        self,
        versions: Mapping[str, str],
        gates: Mapping[str, Mapping[str, bool]],
        packs: Iterable[Pack] = (),
    ) -> None:
        self._versions = versions
        self._installed: dict[str, str] = {}
        self._off: set[str] = set()
        self._gates = gates
        self.own = {pack.driver: pack for pack in packs}
        self._targets: dict[str, TargetVersions | None] = {}

    @property
    def drivers(self) -> list[str]:
        """The drivers that have a pack, in order."""
        return sorted(DRIVERS.union(self.own))

    @property
    def names(self) -> list[str]:
        """The drivers, and the classes that their charts install, in order."""
        own = (row["name"] for pack in self.own.values() for row in pack.data.get("classes", ()))
        return sorted({*self.drivers, *CLASSES, *own})

    def pack(self, driver: str) -> Pack | None:
        """Return the pack of a driver; None where there is none."""
        return self.own.get(driver) or shipped(driver)

    @property
    def judging(self) -> frozenset[str]:
        """The drivers with a pack that is not switched off."""
        return DRIVERS.union(self.own) - self._off

    @property
    def unknown(self) -> dict[str, str]:
        """The drivers with a version that their pack does not have, and the version."""
        several = sorted(self._versions.keys() | self._installed)
        found = ((driver, self.target(driver)) for driver in several)
        return {driver: target.unknown for driver, target in found if target is not None and target.unknown is not None}

    @property
    def meant(self) -> frozenset[str]:
        """Those of them whose selectors are judged: not those with names that everybody invents, as long as no version
        is known.
        """
        return self.judging.intersection((*MEANT, *self.own, *self._versions, *self._installed))

    def driver_of_class(self, name: str) -> str | None:
        """Return the driver whose chart installs a class; None where no pack has it."""
        for pack in self.own.values():
            if any(row["name"] == name for row in pack.data.get("classes", ())):
                return pack.driver
        return CLASSES.get(name)

    def target(self, driver: str) -> TargetVersions | None:
        """Return the judging versions of a driver; None where it has no pack."""
        if driver not in self._targets:
            pack = None if driver in self._off else self.pack(driver)
            asked = self._versions.get(driver)
            version = self._installed.get(driver) if asked is None else asked
            gates = self._gates.get(driver)
            self._targets[driver] = (
                None if pack is None else TargetVersions(pack, version, gates, asked=asked is not None)
            )
        return self._targets[driver]

    def switch_off(self, driver: str) -> None:
        """Do not judge a driver: another program uses its name."""
        self._off.add(driver)

    def installs(self, driver: str, version: str) -> None:
        """Use the version of a driver that the input installs, unless the user has chosen one."""
        self._installed[driver] = version
