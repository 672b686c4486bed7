"""Which packs there are for a run, and which versions of their drivers judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.pack import Pack, shipped
from dralint.drivers.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Choice:
    """Packs by driver, with what was asked for.

    Args:
        versions: the version of drivers that was asked for.
        gates: the feature gates of drivers that were switched.
        packs: packs of the user, which go before the shipped ones.
    """

    def __init__(
        self,
        versions: Mapping[str, str],
        gates: Mapping[str, Mapping[str, bool]],
        packs: Iterable[Pack] = (),
    ) -> None:
        self._versions = versions
        self._gates = gates
        self.own = {pack.driver: pack for pack in packs}
        self._targets: dict[str, Target | None] = {}

    def pack(self, driver: str) -> Pack | None:
        """Return the pack of a driver, None where there is none."""
        return self.own.get(driver) or shipped(driver)

    def target(self, driver: str) -> Target | None:
        """Return what judges what is meant for a driver; None where it has no pack."""
        if driver not in self._targets:
            pack = self.pack(driver)
            version = self._versions.get(driver)
            gates = self._gates.get(driver)
            self._targets[driver] = None if pack is None else Target(pack, version, gates, asked=version is not None)
        return self._targets[driver]
