"""Finds the kinds of devices that a request can get, by version, from the selectors of its class and its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.drivers.devices import devices
from dralint.drivers.partial_evaluation import KindEvaluation
from dralint.references.drivers import DRIVER, demands
from dralint.references.expressions import compiled
from dralint.references.facts import SelectorFacts
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.drivers.choice import Choice
    from dralint.drivers.devices import DeviceKind
    from dralint.drivers.partial_evaluation import Note
    from dralint.drivers.target_versions import TargetVersions
    from dralint.references.facts import RequestFacts
    from dralint.references.world import World


_MOST_KEPT = 1_000
"""The number of remembered answers of each kind."""


class Judged(NamedTuple):
    """A selector on the devices that reach it: its possible results, and the reasons for each kind of device."""

    outcomes: frozenset[str]
    notes: tuple[tuple[DeviceKind, tuple[Note, ...]], ...]
    passing: tuple[DeviceKind, ...]


class Step(NamedTuple):
    """The results of a selector, and the kinds of devices that it leaves, limited to the values that it allows."""

    judged: Judged
    left: tuple[DeviceKind, ...]


class Reached(NamedTuple):
    """The kinds of devices that a request can get, by version of their driver."""

    target: TargetVersions
    devices: dict[str, tuple[DeviceKind, ...]]

    @property
    def kinds(self) -> set[str]:
        """The kinds of devices in any version."""
        return {device.kind for several in self.devices.values() for device in several}


class SelectorReach:
    """Finds the devices that selectors leave; it remembers answers.

    Args:
        world: the objects of the input.
        choice: the packs.
    """

    def __init__(self, world: World, choice: Choice) -> None:
        self._world = world
        self._choice = choice
        self._devices: dict[tuple[str, str], tuple[DeviceKind, ...]] = {}
        self._steps: dict[tuple[int, str], tuple[tuple[DeviceKind, ...], Step | None]] = {}
        self._reached: dict[tuple[str, ...], Reached | None] = {}
        self._stocked = frozenset(() if world.stock is None else world.stock.drivers)

    def of_class(self, name: str | None) -> tuple[SelectorFacts, ...] | None:
        """Return the selectors of a class, in the input or in the chart of a driver; None where unknown."""
        if name is None or is_open(name):
            return None
        found = self._world.classes(name)
        if found:
            bodies = [body for _, body in found]
            same = all(body.plain and body.selectors == bodies[0].selectors for body in bodies)
            return bodies[0].selectors if same else None
        driver = self._choice.driver_of_class(name)
        pack = None if driver is None else self._choice.pack(driver)
        for row in () if pack is None else pack.data.get("classes", ()):
            if row["name"] == name and "cel" in row:
                return (SelectorFacts(("spec", "selectors", 0, "cel", "expression"), row["cel"]),)
        return None

    def target(self, selectors: Sequence[SelectorFacts], otherwise: str | None = None) -> TargetVersions | None:
        """Return the driver whose devices selectors request; None where it has no pack or is unknown.

        `otherwise` is the driver where the selectors name none.
        """
        if any(is_open(selector.expression) for selector in selectors):
            return None
        drivers = demands(selectors).get(DRIVER, () if otherwise is None else (otherwise,))
        if len(drivers) != 1:
            return None
        driver = str(next(iter(drivers)))
        if driver in self._stocked:
            return None  # the devices of the cluster show more
        target = self._choice.target(driver)
        return None if target is None or target.is_example else target

    def target_of(self, request: RequestFacts) -> TargetVersions | None:
        """Return the driver whose devices a request requests; None where it has no pack or is unknown."""
        of_class = self.of_class(request.device_class)
        return None if of_class is None else self.target([*of_class, *request.selectors])

    def of_request(self, request: RequestFacts) -> Reached | None:
        """Return the devices that a request can get; None where unknown."""
        of_class = self.of_class(request.device_class)
        if of_class is None:
            return None
        several = [*of_class, *request.selectors]
        key = tuple(selector.expression for selector in several)
        if key not in self._reached:
            if len(self._reached) > _MOST_KEPT:
                self._reached.clear()
            self._reached[key] = self._by_version(several)
        return self._reached[key]

    def _by_version(self, several: Sequence[SelectorFacts]) -> Reached | None:
        target = self.target(several)
        if target is None:
            return None
        out: dict[str, tuple[DeviceKind, ...]] = {}
        for version in target.versions:
            found = self.left(target, version, several)
            if found is None:
                return None
            out[version] = found
        return Reached(target, out)

    def all(self, target: TargetVersions, version: str) -> tuple[DeviceKind, ...]:
        """Return all kinds of devices of a driver in a version; versions with the same ones share the answer."""
        key = target.pack.driver, version
        if key not in self._devices:
            found = tuple(devices(target.pack, version))
            self._devices[key] = next((known for known in self._devices.values() if known == found), found)
        return self._devices[key]

    def left(
        self, target: TargetVersions, version: str, selectors: Sequence[SelectorFacts]
    ) -> tuple[DeviceKind, ...] | None:
        """Return the kinds of devices for which all selectors can be true; None if dralint cannot judge a selector."""
        left = self.all(target, version)
        for selector in selectors:
            step = self.step(left, selector)
            if step is None:
                return None
            left = step.left
        return left

    def step(self, before: tuple[DeviceKind, ...], selector: SelectorFacts) -> Step | None:
        """Return the effect of a selector on kinds of devices; None where dralint cannot judge it."""
        key = id(before), selector.expression
        known = self._steps.get(key)
        if known is None:
            if len(self._steps) > _MOST_KEPT:
                self._steps.clear()
            found, asked = judged(selector.expression, before), demands([selector])
            step = None if found is None else Step(found, tuple(device.narrowed(asked) for device in found.passing))
            known = self._steps[key] = before, step  # keeps `before` alive, so that no other object gets its id
        return known[1]


def judged(expression: str, several: Sequence[DeviceKind]) -> Judged | None:
    """Return the results of a selector on kinds of devices; None where dralint cannot judge it."""
    compilation = compiled(expression)
    if compilation is None:
        return None
    outcomes: set[str] = set()
    notes: list[tuple[DeviceKind, tuple[Note, ...]]] = []
    passing: list[DeviceKind] = []
    for device in several:
        found = KindEvaluation(compilation, device)
        outcomes |= found.outcomes
        notes.append((device, tuple(found.notes)))
        if "T" in found.outcomes:
            passing.append(device)
    return Judged(frozenset(outcomes), tuple(notes), tuple(passing))
