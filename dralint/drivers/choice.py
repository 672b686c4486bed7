"""Chooses the packs of a run, and the versions of their drivers that judge."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.drivers.pack import Pack, shipped
from dralint.drivers.shipped import CLASSES, CONCERNED, DRIVERS, MEANT, RESOURCES
from dralint.references.facts import Class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.references.facts import Facts


class TargetVersions:
    """The versions of a driver that judge, and its feature gates.

    Args:
        pack: the driver.
        version: the version that the user has chosen or that the input installs; None where unknown.
        gates: the switched feature gates of the driver.
        asked: whether the user has chosen the version: other gates are then as in that version.

    Attributes:
        doubt: whether the driver has a version that its pack does not have: all others judge.
        is_example: whether the driver is probably not meant: examples use its name, and no version is known.
        is_vague: whether it is unknown what the driver publishes: none of its versions is released.
        newest: the version that messages name: the one that judges, or the newest release.
        label: the name of the driver in messages, with the version that judges.
    """

    def __init__(
        self, pack: Pack, version: str | None = None, gates: Mapping[str, bool] | None = None, *, asked: bool = False
    ) -> None:
        self.pack = pack
        self.gates = dict(gates or {})
        self._asked = asked
        known = None if version is None else pack.known(version)
        self.version = known
        self.unknown = version if known is None else None
        self.versions = [*pack.versions] if known is None else [known]
        self.doubt = self.unknown is not None
        self.is_example = bool(pack.data.get("exampleName")) and version is None
        self.is_vague = known is None and pack.versions == pack.data.get("unreleased")
        self.newest = known or pack.newest
        self.label = f"{pack.driver} {known}" if known else f"driver {pack.driver}"
        if self.doubt:
            self.label = f"{pack.driver} as of {pack.newest}"

    def is_before_newest(self, versions: Iterable[str]) -> bool:
        """Say whether all these versions are older than the newest one."""
        place = self.pack.versions.index
        return all(place(version) < place(self.newest) for version in versions)

    def gate(self, version: str) -> Callable[[str], bool | None]:
        """Return a function that says whether a gate of the driver is on in a version; None where unknown."""
        rows = self.pack.at(version).get("gates", {})

        def on(name: str) -> bool | None:
            if name in self.gates:
                return self.gates[name]
            return bool(rows[name]["default"]) if self._asked and name in rows else None

        return on


_VERSION = rb"v?([0-9][0-9A-Za-z.+-]*)"


def installed(
    choice: Choice, known: Sequence[Facts], reader: Callable[[str], bytes | None]
) -> Iterator[tuple[str, str]]:
    """Yield the drivers that the input installs with their versions, if the files of their classes show one.

    Args:
        choice: the packs.
        known: the facts of the input.
        reader: reads a file of the run.
    """
    files: dict[str, set[str]] = {}
    for entry in known:
        driver = CLASSES.get(str(entry.name)) if isinstance(entry.body, Class) else None
        if driver is not None:
            files.setdefault(driver, set()).add(entry.file)
    for driver, names in files.items():
        pack = choice.pack(driver)
        if pack is None:
            continue
        pattern = _pattern(pack.data.get("charts", ()), pack.data.get("images", ()))
        matches = (match for name in names for match in (pattern.finditer(reader(name) or b"") if pattern else ()))
        found = {next(filter(None, match.groups())).decode() for match in matches}
        if len(found) == 1:
            yield driver, found.pop()


def _pattern(charts: Sequence[str], images: Sequence[str]) -> re.Pattern[bytes] | None:
    parts = [rb"helm\.sh/chart[\"']?:\s*[\"']?(?:" + _any(charts) + rb")-" + _VERSION] if charts else []
    parts += [rb"[/\"'\s](?:" + _any(images) + rb"):" + _VERSION] if images else []
    return re.compile(rb"|".join(parts)) if parts else None


def _any(names: Sequence[str]) -> bytes:
    return b"|".join(re.escape(name.encode()) for name in names)


def known_packs(
    files: Iterable[tuple[str, str]],
    versions: Iterable[tuple[str, str]] = (),
    gates: Iterable[tuple[str, Iterable[tuple[str, bool]]]] = (),
) -> Choice:
    """Return the shipped packs and those in files, each with its driver, for all versions or the chosen ones."""
    return Choice(dict(versions), {driver: dict(on) for driver, on in gates}, _own(file for _, file in files))


def _own(files: Iterable[str]) -> list[Pack]:
    """Return the packs in files of the user."""
    names = list(files)
    if not names:
        return []
    from dralint.drivers.pack_file import load  # few runs have packs of their own

    return [load(name) for name in names]


def classes_of_charts(files: Iterable[str]) -> frozenset[str]:
    """Return the classes that the charts of drivers install: of the shipped packs, and of those in files."""
    own = (row["name"] for pack in _own(files) for row in pack.data.get("classes", ()))
    return CONCERNED.union(own)


def resources_of_charts(files: Iterable[str]) -> dict[str, list[str]]:
    """Return the extended resources that classes of charts offer in some version, and these classes."""
    rows = [row for pack in _own(files) for row in pack.data.get("classes", ()) if "extendedResource" in row]
    names = (row["extendedResource"] for row in rows)
    own = (str(name["value"] if isinstance(name, dict) else name) for name in names)
    found = dict(RESOURCES)
    for name, row in zip(own, rows, strict=True):
        found[name] = [*found.get(name, ()), row["name"]]
    return found


class Choice:
    """The packs by driver, with the choices of the user.

    Args:
        versions: the chosen versions of drivers.
        gates: the switched feature gates of drivers.
        packs: packs of the user, which replace the shipped ones.

    Attributes:
        own: the packs of the user, by driver.
        drivers: the drivers that have a pack, in order.
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
        self.drivers = sorted(DRIVERS.union(self.own))
        self._targets: dict[str, TargetVersions | None] = {}

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
