"""Finds nodes on which a driver runs and publishes nothing, or does not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.drivers.choice import Choice
from dralint.finding.words import some_of
from dralint.references.facts import Class
from dralint.references.selectors import DRIVER, demands
from dralint.triage.pods_and_claims import Published
from dralint.triage.trouble import DRIVERS, SHOWN_NODES, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.triage.dump import Dump, Plugin


def drivers_on_nodes(dump: Dump) -> Iterator[Trouble]:
    """Yield drivers whose plugin does not run on a node, or runs and publishes nothing, and slices without devices."""
    published = Published(dump)
    drivers = {*published.local, *published.wide, *_of_classes(dump)}
    broken: dict[tuple[str, ...], list[str]] = {}
    for driver in sorted(drivers):
        there = published.local.get(driver, {})
        full = [node for node, number in there.items() if number]
        empty = [node for node, number in there.items() if not number]
        plugins = _plugins(dump, driver, there, drivers - {driver})
        for each in plugins:
            if each.waiting:
                broken.setdefault((each.name, each.node, each.waiting), []).append(driver)
        silent = [p for p in plugins if not p.waiting and published.known and published.silent(driver, p.node)]
        if silent and not dump.incomplete and (not full or len(silent) <= len(full)):
            nodes = some_of([each.node for each in silent], SHOWN_NODES)
            text = f"{driver} runs on {nodes} and publishes no slice there{_siblings(full)}"
            yield Trouble(DRIVERS, text, tuple(each.name for each in silent), "see the log of its container")
        if empty and (not full or len(empty) <= len(full)):
            text = f"{driver} publishes slices without devices on {some_of(empty, SHOWN_NODES)}{_siblings(full)}"
            hint = "see the log of the driver there: it found no device, or not the software that it needs"
            yield Trouble(DRIVERS, text, tuple(empty), hint)
    groups: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for (name, node, why), names in broken.items():
        groups.setdefault((" and ".join(names), why), []).append((name, node))
    for (names_of, why), several in groups.items():
        nodes = some_of([node for _, node in several], SHOWN_NODES)
        text = f"the Pod of {names_of} does not run on {nodes} ({why}): no Pod with its devices starts or ends there"
        yield Trouble(DRIVERS, text, tuple(name for name, _ in several), "see the log of its container")


def drivers_of(dump: Dump) -> Iterator[tuple[str, str]]:
    """Yield the drivers whose plugins run in the dump with an image of their pack, with their version if it is one."""
    choice = Choice({}, {})
    for driver in choice.drivers if dump.plugins else ():
        pack = choice.pack(driver)
        images = () if pack is None else pack.data.get("images", ())
        tags = {each.images[image] for each in dump.plugins for image in images if image in each.images}
        known = {tag for tag in tags if pack is not None and pack.known(tag) is not None}
        if len(tags) == 1 and known:
            yield driver, known.pop()


def _siblings(full: list[str]) -> str:
    return f"; on {some_of(full, SHOWN_NODES)} it publishes devices" if full else ""


def _of_classes(dump: Dump) -> Iterator[str]:
    """Yield the drivers that classes of the dump select."""
    for facts in dump.facts:
        if isinstance(facts.body, Class):
            found = demands(facts.body.selectors).get(DRIVER, ())
            if len(found) == 1:
                yield str(next(iter(found)))


def _plugins(dump: Dump, driver: str, there: dict[str, int], others: set[str]) -> list[Plugin]:
    """Return the plugins of a driver: they name it, have an image of its pack, or run wherever it publishes.

    The last counts only for a plugin that names the driver's owner, such as `nvidia` of `gpu.nvidia.com`, and none of
    the other drivers.
    """
    pack = Choice({}, {}).pack(driver)
    images = () if pack is None else pack.data.get("images", ())
    owner = driver.split(".")[-2] if driver.count(".") else driver
    found: list[Plugin] = []
    for several in _by_owner(dump).values():
        named = any(driver in each.words or any(image in each.images for image in images) for each in several)
        nodes = {each.node for each in several}
        like = there and nodes.issuperset(there) and all(owner in each.words for each in several)
        if named or (like and not any(other in each.words for other in others for each in several)):
            found += several
    return found


def _by_owner(dump: Dump) -> dict[str, list[Plugin]]:
    found: dict[str, list[Plugin]] = {}
    for each in dump.plugins:
        found.setdefault(each.owner, []).append(each)
    return found
