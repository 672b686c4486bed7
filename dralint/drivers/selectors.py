"""Reports selectors that match no device of a driver and constraints that none meets, over the judging versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.drivers.comparison_fix import as_type
from dralint.drivers.devices import ATTRIBUTES, Name
from dralint.finding.repair import Change, Repair, replaced
from dralint.finding.rule_ids import DEVICE_ATTRIBUTE_ADVICE, UNKNOWN_DEVICE_ATTRIBUTE
from dralint.kubernetes.near import did_you_mean
from dralint.references.expressions import compiled, refused_tree
from dralint.references.facts import Class
from dralint.references.lookups import names_in
from dralint.references.names import is_open

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.drivers.explain import Reason
    from dralint.drivers.selected_devices import Judged, SelectorReach, Step
    from dralint.drivers.target_versions import TargetVersions
    from dralint.references.facts import ClaimFacts, ConstraintFacts, Facts, RequestFacts, SelectorFacts
    from dralint.references.problem import Found
    from dralint.references.world import World

_ATTRIBUTE = re.compile(r"""(?P<has>has\(\s*)?device\.\w+\[(["'])[^"']*\2\](?:\.\w+|\[(["'])[^"']*\3\])(?(has)\s*\))""")
"""An attribute or capacity in its usual form, also in `has()`; forms such as `"name" in ...` are left alone."""


def selectors(world: World, reach: SelectorReach) -> Iterator[Found]:
    """Yield selectors of requests and classes that match no device of their driver, and such constraints."""
    for facts in world.index.facts:
        if isinstance(facts.body, Class) and facts.body.plain and facts.group == "resource.k8s.io":
            yield from _check(world, reach, facts, (), facts.body.selectors, None)
    for facts, claim in world.claims():
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
            span = (reason.start, reason.end)
            instead = None if reason.instead is None else _in_place(selector.expression, span, reason.instead)
            hint = reason.hint
            if reason.kind is not None:
                instead = as_type(reason.kind, selector.expression[reason.start : reason.end])
                if instead is not None and _compiles(selector.expression, span, instead):
                    hint = f"write {instead}"
                else:
                    instead = None
            if reason.value is not None:
                instead = _other_value(selector.expression[reason.start : reason.end], *reason.value)
            repair = None
            if instead is not None:
                repair = Repair((Change("replace-part", selector.path, instead, start=span[0], end=span[1]),))
            yield world.found(facts, rule, selector.path, message, hint, target="scalar", span=span, repair=repair)
        if any(reason.rule != DEVICE_ATTRIBUTE_ADVICE for reason in reasons):
            return
        left = {version: None if step is None else step.left for version, step in steps.items()}


def _in_place(expression: str, span: tuple[int, int], attribute: str) -> str | None:
    """Return the replacement for a part of an expression with another attribute; None where that is not clear.

    The expression must compile with it: a capacity, for example, is compared in another way.
    """
    start, end = span
    part = _ATTRIBUTE.fullmatch(expression, start, end)
    if part is None:
        return None
    instead = f"has({attribute})" if part["has"] else attribute
    return instead if _compiles(expression, span, instead) else None


def _other_value(part: str, value: str, meant: str) -> str | None:
    """Return a part of an expression with another text in place of the only one of this value."""
    found = [f"{quote}{value}{quote}" for quote in ('"', "'") if f"{quote}{value}{quote}" in part]
    if len(found) != 1 or part.count(found[0]) != 1:
        return None
    return part.replace(found[0], f"{found[0][0]}{meant}{found[0][0]}")


def _compiles(expression: str, span: tuple[int, int], instead: str) -> bool:
    """Say whether an expression compiles with another text in place of a part."""
    return compiled(f"{expression[: span[0]]}{instead}{expression[span[1] :]}") is not None


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
            from dralint.drivers.explain import missing  # few selectors are refused

            message, hint = missing(target, name, reach.all(target, target.newest))
            where = f"{message} ({target.label})"
            yield world.found(facts, UNKNOWN_DEVICE_ATTRIBUTE, selector.path, where, hint, target="scalar")
            return


def _reasons(
    reach: SelectorReach,
    target: TargetVersions,
    steps: Mapping[str, Step | None],
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
        if step.judged.notes:  # there are devices
            by_version[version] = step.judged
    if target.newest not in by_version:
        return []
    never = not any("T" in each.outcomes for each in by_version.values())
    if not any(notes for each in by_version.values() for _, notes in each.notes):
        return []
    from dralint.drivers.explain import explained  # most selectors are valid

    return explained(target, by_version, reach.all(target, target.newest), selector, device_class, never=never)


def _constraints(world: World, reach: SelectorReach, facts: Facts, claim: ClaimFacts) -> Iterator[Found]:
    """Yield the constraints on an attribute that no device of one of their requests has."""
    requests: dict[str, list[RequestFacts]] = {}
    for request in claim.requests:
        if request.device_class is not None:
            requests.setdefault(request.parent or request.name, []).append(request)
    for constraint in claim.constraints:
        domain, slash, text = constraint.attribute.partition("/")
        if slash and not is_open(constraint.attribute):
            yield from _constraint(world, reach, facts, requests, constraint, Name(ATTRIBUTES, domain, text))


def _constraint(
    world: World,
    reach: SelectorReach,
    facts: Facts,
    requests: Mapping[str, Sequence[RequestFacts]],
    constraint: ConstraintFacts,
    name: Name,
) -> Iterator[Found]:
    named = set(constraint.requests)
    for top, alternatives in requests.items():
        if named and top not in named and not any(each.full_name in named for each in alternatives):
            continue
        reached = [reach.of_request(each) for each in alternatives]
        if not all(
            each is not None
            and each.kinds
            and not any(device.find(name) for several in each.devices.values() for device in several)
            for each in reached
        ):
            continue
        from dralint.drivers.explain import missing, near_attributes

        target = next(each.target for each in reached if each is not None)
        everything = reach.all(target, target.newest)
        there = [device for each in reached if each for several in each.devices.values() for device in several]
        message, _ = missing(target, name, everything, there)
        nearest = near_attributes(target, name, there)
        repair = replaced(constraint.path, nearest[0]) if len(nearest) == 1 else None
        hint = did_you_mean(nearest) or missing(target, name, there)[1]
        what = f"{message}, and the constraint covers the request {top}: Pods that use the claim stay Pending"
        rule = DEVICE_ATTRIBUTE_ADVICE if target.is_vague else UNKNOWN_DEVICE_ATTRIBUTE
        yield world.found(facts, rule, constraint.path, f"{what} ({target.label})", hint, repair=repair)
        return
