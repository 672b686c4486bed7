"""The versions of a driver that judge: the chosen one, the one that the input installs, or all that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.drivers.pack import Pack


class TargetVersions:
    """The versions of a driver that judge, and its feature gates.

    Args:
        pack: the driver.
        version: the version that the user has chosen or that the input installs; None where unknown.
        gates: the switched feature gates of the driver.
        asked: whether the user has chosen the version: other gates are then as in that version.
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

    @property
    def doubt(self) -> bool:
        """Whether the driver has a version that its pack does not have: all others judge."""
        return self.unknown is not None

    @property
    def is_example(self) -> bool:
        """Whether the driver is probably not meant: examples use its name, and the user has chosen no version."""
        return bool(self.pack.data.get("exampleName")) and self.version is None and not self.doubt

    @property
    def is_vague(self) -> bool:
        """Whether it is unknown what the driver publishes: none of its versions is released."""
        return self.version is None and self.pack.versions == self.pack.data.get("unreleased")

    @property
    def newest(self) -> str:
        """The version that messages name: the one that judges, or the newest release."""
        return self.version or self.pack.newest

    @property
    def label(self) -> str:
        """The name of the driver in messages, with the version that judges."""
        if self.doubt:
            return f"{self.pack.driver} as of {self.pack.newest}"
        return f"{self.pack.driver} {self.version}" if self.version else f"driver {self.pack.driver}"

    def gate(self, version: str) -> Callable[[str], bool | None]:
        """Return a function that says whether a gate of the driver is on in a version; None where unknown."""
        rows = self.pack.at(version).get("gates", {})

        def on(name: str) -> bool | None:
            if name in self.gates:
                return self.gates[name]
            return bool(rows[name]["default"]) if self._asked and name in rows else None

        return on
