"""Selectors that no device of a driver can match, over the versions that judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.drivers.devices import devices
from dralint.drivers.explain import Reason, explained
from dralint.drivers.possible import Evaluation
from dralint.drivers.shipped import CLASSES
from dralint.finding.rule_ids import DEVICE_ATTRIBUTE_ADVICE
from dralint.references.drivers import DRIVER, demands
from dralint.references.expressions import compiled
from dralint.references.facts import Claim, Class, Selector
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.drivers.choice import Choice
    from dralint.drivers.devices import Device
    from dralint.drivers.possible import Note
    from dralint.drivers.target import Target
    from dralint.references.facts import Facts
    from dralint.references.problem import Found
    from dralint.references.world import World


class Judged(NamedTuple):
    """A selector on the devices that reach it: what it can come to, and why on each kind of device."""

    outcomes: frozenset[str]
    notes: tuple[tuple[Device, tuple[Note, ...]], ...]
    passing: tuple[Device, ...]


def selectors(world: World, choice: Choice) -> Iterator[Found]:
    """Yield selectors of requests and classes that no device of their driver matches."""
    judge = _Judge(world, choice)
    for facts in world.index.facts:
        if isinstance(facts.body, Class) and facts.body.plain and facts.group == "resource.k8s.io":
            yield from judge.check(facts, (), facts.body.selectors, None)
    for facts, claim in world.claims():
        for request in claim.requests:
            if request.selectors and request.device_class is not None and not is_open(request.device_class):
                before = judge.of_class(request.device_class)
                if before is not None:
                    yield from judge.check(facts, before, request.selectors, request.device_class)


def named(world: World) -> bool:
    """Say whether a selector of the input can be about a driver that has a pack."""
    for facts in world.index.facts:
        if isinstance(facts.body, Class) and facts.body.selectors:
            return True
        if isinstance(facts.body, Claim) and any(request.selectors for request in facts.body.requests):
            return True
    return False


class _Judge:
    def __init__(self, world: World, choice: Choice) -> None:
        self._world = world
        self._choice = choice
        self._devices: dict[tuple[str, str], list[Device]] = {}
        self._judged: dict[tuple[str, tuple[Device, ...]], Judged | None] = {}

    def of_class(self, name: str) -> tuple[Selector, ...] | None:
        """Return the selectors of a class, of the input or of the chart of a driver; None where nobody knows them."""
        found = self._world.classes(name)
        if found:
            bodies = [body for _, body in found]
            same = all(body.plain and body.selectors == bodies[0].selectors for body in bodies)
            return bodies[0].selectors if same else None
        driver = CLASSES.get(name)
        pack = None if driver is None else self._choice.pack(driver)
        for row in () if pack is None else pack.data.get("classes", ()):
            if row["name"] == name and "cel" in row:
                return (Selector(("spec", "selectors", 0, "cel", "expression"), row["cel"]),)
        return None

    def check(
        self, facts: Facts, before: tuple[Selector, ...], several: tuple[Selector, ...], device_class: str | None
    ) -> Iterator[Found]:
        """Yield the selectors that are true for no device that passes those before."""
        if any(is_open(selector.expression) for selector in (*before, *several)):
            return
        drivers = demands([*before, *several]).get(DRIVER)
        if not drivers or len(drivers) > 1:
            return
        driver = str(next(iter(drivers)))
        if self._world.stock is not None and driver in self._world.stock.drivers:
            return  # the devices of the cluster say more
        target = self._choice.target(driver)
        if target is None or target.is_example or not self._world.releases(facts):
            return
        for number, selector in enumerate(several):
            reasons = self._reasons(target, [*before, *several[:number]], selector, device_class)
            for reason in reasons:
                rule = DEVICE_ATTRIBUTE_ADVICE if target.is_vague else reason.rule
                message = f"{reason.message} ({target.label}{reason.since})"
                yield self._world.found(
                    facts, rule, selector.path, message, reason.hint, target="scalar", span=(reason.start, reason.end)
                )
            if any(reason.rule != DEVICE_ATTRIBUTE_ADVICE for reason in reasons):
                return

    def _reasons(
        self, target: Target, before: Iterable[Selector], selector: Selector, device_class: str | None
    ) -> list[Reason]:
        """Return why a selector cannot be true for any device, or what looks wrong in it."""
        before = list(before)
        judged: dict[str, Judged] = {}
        for version in target.versions:
            reached = self._reached(target, version, before)
            if reached is None:
                return []
            if reached:
                found = self._on(selector.expression, reached)
                if found is None:
                    return []
                judged[version] = found
        if not judged or target.newest.partition("+")[0] not in {version.partition("+")[0] for version in judged}:
            return []
        never = not any("T" in each.outcomes for each in judged.values())
        return explained(target, judged, self._all(target), selector, device_class, never=never)

    def _all(self, target: Target) -> list[Device]:
        return self._of(target, target.newest)

    def _of(self, target: Target, version: str) -> list[Device]:
        key = target.pack.driver, version
        if key not in self._devices:
            self._devices[key] = devices(target.pack, version)
        return self._devices[key]

    def _reached(self, target: Target, version: str, before: list[Selector]) -> tuple[Device, ...] | None:
        """Return the kinds of devices for which all selectors before can be true; None where one cannot be judged."""
        left = tuple(self._of(target, version))
        for selector in before:
            found = self._on(selector.expression, left)
            if found is None:
                return None
            asked = demands([selector])
            left = tuple(device.narrowed(asked) for device in found.passing)
        return left

    def _on(self, expression: str, several: tuple[Device, ...]) -> Judged | None:
        compilation = compiled(expression)
        if compilation is None:
            return None
        outcomes: set[str] = set()
        notes: list[tuple[Device, tuple[Note, ...]]] = []
        passing: list[Device] = []
        for device in several:
            found = Evaluation(compilation, device)
            outcomes |= found.outcomes
            notes.append((device, tuple(found.notes)))
            if "T" in found.outcomes:
                passing.append(device)
        return Judged(frozenset(outcomes), tuple(notes), tuple(passing))
