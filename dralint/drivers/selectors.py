"""Reports selectors that match no device of a driver, and constraints that none meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.cel.tree import names_in
from dralint.drivers.devices import ATTRIBUTES, Name, devices
from dralint.drivers.explain import Words, explained
from dralint.drivers.partial_evaluation import KindEvaluation
from dralint.finding.problem import Change, Repair, replaced
from dralint.finding.rule_ids import DEVICE_ATTRIBUTE_ADVICE, UNKNOWN_DEVICE_ATTRIBUTE
from dralint.kubernetes.near import did_you_mean
from dralint.records import grouped
from dralint.references.facts import Class, SelectorFacts, is_open
from dralint.references.selectors import DRIVER, compiled, demands, refused_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.drivers.choice import Choice, TargetVersions
    from dralint.drivers.devices import DeviceKind
    from dralint.drivers.explain import Reason
    from dralint.drivers.partial_evaluation import Note
    from dralint.references.facts import ClaimFacts, ConstraintFacts, Facts, Found, RequestFacts
    from dralint.references.world import World


_MOST_KEPT = 1_000
"""The number of remembered answers of each kind."""


class Judged(NamedTuple):
    """A selector on the devices that reach it: its possible results, the reasons by kind, and the kinds that it leaves.

    In `SelectorReach`, these are limited to the values that the selector allows.
    """

    outcomes: frozenset[str]
    notes: tuple[tuple[DeviceKind, tuple[Note, ...]], ...]
    passing: tuple[DeviceKind, ...]


class Reached(NamedTuple):
    """The kinds of devices that a request can get, by version of their driver."""

    target: TargetVersions
    devices: dict[str, tuple[DeviceKind, ...]]

    @property
    def kinds(self) -> set[str]:
        """The kinds of devices in any version."""
        return {device.kind for several in self.devices.values() for device in several}

    def versions_with(self, name: Name) -> list[str]:
        """Return the versions in which such a device has an attribute or capacity."""
        return [version for version, several in self.devices.items() if any(device.find(name) for device in several)]


class SelectorReach:
    """Finds the devices that selectors leave; it remembers answers.

    Args:
        world: the objects of the input.
        choice: the packs.
        published: whether packs count also for drivers whose devices an inventory has, which shows more of selectors.
    """

    def __init__(self, world: World, choice: Choice, *, published: bool = False) -> None:
        self._world = world
        self._choice = choice
        self._devices: dict[tuple[str, str], tuple[DeviceKind, ...]] = {}
        self._steps: dict[tuple[int, str], tuple[tuple[DeviceKind, ...], Judged | None]] = {}
        self._reached: dict[tuple[str, ...], Reached | None] = {}
        self._stocked = frozenset(() if world.stock is None or published else world.stock.drivers)

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

    def selectors_of(self, request: RequestFacts) -> list[SelectorFacts] | None:
        """Return the selectors of a request and of its class; None where the class is unknown."""
        of_class = self.of_class(request.device_class)
        return None if of_class is None else [*of_class, *request.selectors]

    def target_of(self, request: RequestFacts) -> TargetVersions | None:
        """Return the driver whose devices a request requests; None where it has no pack or is unknown."""
        several = self.selectors_of(request)
        return None if several is None else self.target(several)

    def of_request(self, request: RequestFacts) -> Reached | None:
        """Return the devices that a request can get; None where unknown."""
        several = self.selectors_of(request)
        if several is None:
            return None
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
            left = step.passing
        return left

    def step(self, before: tuple[DeviceKind, ...], selector: SelectorFacts) -> Judged | None:
        """Return the effect of a selector on kinds of devices; None where dralint cannot judge it."""
        key = id(before), selector.expression
        known = self._steps.get(key)
        if known is None:
            if len(self._steps) > _MOST_KEPT:
                self._steps.clear()
            step, asked = judged(selector.expression, before), demands([selector])
            if step is not None:
                step = step._replace(passing=tuple(device.narrowed(asked) for device in step.passing))
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


def selectors(world: World, reach: SelectorReach) -> Iterator[Found]:
    """Yield selectors of requests and classes that match no device of their driver, and such constraints."""
    for facts, body in world.index.holding(Class):
        if body.plain and facts.group == "resource.k8s.io":
            yield from _check(world, reach, facts, (), body.selectors, None)
    for facts, claim in world.claims:
        for request in claim.requests:
            if request.selectors:
                before = reach.of_class(request.device_class) or ()  # an unknown class can only select fewer devices
                driver = _configured(claim, request)
                yield from _check(world, reach, facts, before, request.selectors, request.device_class, driver)
        if claim.constraints:
            yield from _constraints(world, reach, facts, claim)


def _configured(claim: ClaimFacts, request: RequestFacts) -> str | None:
    """Return the driver that the configurations of a request are for, if its selectors name the domain of the driver.

    A configuration without `requests` counts in a claim with one request.
    """
    own = {request.full_name, request.parent or request.name}
    alone = len({each.parent or each.name for each in claim.requests}) == 1
    drivers = {c.driver for c in claim.configs if (own.intersection(c.requests) if c.requests else alone)}
    if len(drivers) != 1:
        return None
    driver = drivers.pop()
    roots = (compilation.root for each in request.selectors if (compilation := compiled(each.expression)) is not None)
    named = {domain for root in roots if root is not None for _, domain, _ in names_in(root)}
    return driver if driver in named else None


def _check(
    world: World,
    reach: SelectorReach,
    facts: Facts,
    before: tuple[SelectorFacts, ...],
    several: tuple[SelectorFacts, ...],
    device_class: str | None,
    driver: str | None = None,
) -> Iterator[Found]:
    """Yield the selectors that are true for no device that the selectors before them leave.

    `driver` is the one of the configuration, which counts where no selector names one.
    """
    target = reach.target([*before, *several], driver)
    if target is None or not world.releases(facts):
        return
    left = {version: reach.left(target, version, before) for version in target.versions}
    for selector in several:
        yield from _refused(world, reach, target, facts, selector)
        steps = {version: None if here is None else reach.step(here, selector) for version, here in left.items()}
        reasons = _reasons(reach, target, steps, selector, device_class)
        for reason in reasons:
            rule = DEVICE_ATTRIBUTE_ADVICE if target.is_vague else reason.rule
            message = f"{reason.message} ({target.label})"
            span, repair = (reason.start, reason.end), None
            if reason.instead is not None:
                repair = Repair((Change("replace-part", selector.path, reason.instead, start=span[0], end=span[1]),))
            yield world.found(
                facts, rule, selector.path, message, reason.hint, target="scalar", span=span, repair=repair
            )
        if any(reason.rule != DEVICE_ATTRIBUTE_ADVICE for reason in reasons):
            return
        left = {version: None if step is None else step.passing for version, step in steps.items()}


def _refused(
    world: World, reach: SelectorReach, target: TargetVersions, facts: Facts, selector: SelectorFacts
) -> Iterator[Found]:
    """Yield an attribute that no device has, in a selector that the API server refuses for another reason."""
    root = None if target.is_vague or is_open(selector.expression) else refused_tree(selector.expression)
    for which, domain, text in () if root is None else names_in(root):
        first, slash, rest = domain.partition("/")
        name = Name(which, first, rest if slash else text)
        several = [device for version in target.versions for device in reach.all(target, version)]
        if not any(device.find(name) for device in several):
            everything = reach.all(target, target.newest)
            absent = Words(target, everything, everything).absent(name)
            message = f"{absent.message} ({target.label})"
            yield world.found(facts, UNKNOWN_DEVICE_ATTRIBUTE, selector.path, message, absent.hint, target="scalar")
            return


def _reasons(
    reach: SelectorReach,
    target: TargetVersions,
    steps: Mapping[str, Judged | None],
    selector: SelectorFacts,
    device_class: str | None,
) -> list[Reason]:
    """Return why a selector cannot be true for any device, or what looks wrong in it.

    Args:
        reach: the devices that selectors leave.
        target: the driver.
        steps: the effect of the selector on the devices, by version.
        selector: the selector.
        device_class: the class of the request, None for a selector of a class.
    """
    by_version: dict[str, Judged] = {}
    for version, step in steps.items():
        if step is None:
            return []
        if step.notes:  # there are devices
            by_version[version] = step
    if target.newest not in by_version:
        return []
    never = not any("T" in each.outcomes for each in by_version.values())
    if not any(notes for each in by_version.values() for _, notes in each.notes):
        return []

    return explained(
        target, by_version, reach.all(target, target.newest), selector.expression, device_class, never=never
    )


def _constraints(world: World, reach: SelectorReach, facts: Facts, claim: ClaimFacts) -> Iterator[Found]:
    """Yield the constraints on an attribute that no device of one of their requests has."""
    requests = grouped((each.parent or each.name, each) for each in claim.requests if each.device_class is not None)
    for constraint in claim.constraints:
        domain, slash, text = constraint.attribute.partition("/")
        if slash and not is_open(constraint.attribute):
            yield from _constraint(world, reach, facts, requests, constraint, Name(ATTRIBUTES, domain, text))


_OF_ONE_DEVICE = ("/uuid", "/pciBusID", "/pciAddress", "/serial")
"""Ends of attributes that no two devices have alike: a constraint over devices does not mean them."""


def _constraint(
    world: World,
    reach: SelectorReach,
    facts: Facts,
    requests: Mapping[str, Sequence[RequestFacts]],
    constraint: ConstraintFacts,
    name: Name,
) -> Iterator[Found]:
    for top, alternatives in requests.items():
        if not any(each.is_among(constraint.requests) for each in alternatives):
            continue
        reached = [reach.of_request(each) for each in alternatives]
        target = next((each.target for each in reached if each is not None), None)
        newest = [() if each is None else each.devices.get(each.target.newest, ()) for each in reached]
        having = [version for each in reached if each for version in each.versions_with(name)]
        if target is None or not all(newest) or (having and not target.is_before_newest(having)):
            continue

        there = [device for several in newest for device in several]
        absent = Words(target, reach.all(target, target.newest), there).absent(name)
        words = Words(target, there, there)
        nearest = [each for each in words.near_attributes(name) if not each.endswith(_OF_ONE_DEVICE)]
        repair = replaced(constraint.path, nearest[0]) if len(nearest) == 1 else None
        hint = did_you_mean(nearest) or words.absent(name).hint
        if hint is not None and any(f'{each[1:]}"' in hint for each in _OF_ONE_DEVICE):
            hint = "constrain another attribute, or remove the constraint"
        what = f"{absent.message}, and the constraint covers the request {top}: Pods that use the claim stay Pending"
        rule = DEVICE_ATTRIBUTE_ADVICE if target.is_vague or having else UNKNOWN_DEVICE_ATTRIBUTE
        yield world.found(facts, rule, constraint.path, f"{what} ({target.label})", hint, repair=repair)
        return
