"""Judges all objects of a run together and gives each finding its place.

This stage runs after dralint has judged each object alone.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.config.settings import settings_of, wanted
from dralint.finding import catalogue
from dralint.finding.finding import Related
from dralint.finding.problem import Problem
from dralint.finding.report import Failure
from dralint.finding.rule_ids import KIND_WITHOUT_EFFECT, NOT_DECIDED, SELECTOR_FAILS
from dralint.kubernetes.workloads import GROUP
from dralint.lint.kustomized import broken_references, still_found
from dralint.lint.passes import MOST_OF_A_RULE, bounded_between, named
from dralint.lint.report_builder import ReportBuilder, locate
from dralint.manifest.objects import objects_of
from dralint.records import NamedTuple
from dralint.references.classes import may_be_there, references
from dralint.references.collect import facts, facts_of
from dralint.references.collect_pods import workload
from dralint.references.facts import ClaimFacts, Class, Facts, QuotaFacts, Runtime, SliceFacts, TaintRule, WorkloadFacts
from dralint.references.rules import check
from dralint.references.world import Index, Scope, World

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding
    from dralint.kubernetes.release import Release
    from dralint.lint.pool import Task
    from dralint.lint.release_judge import Releases
    from dralint.lint.run_files import FilesJudged, RunFiles
    from dralint.manifest.objects import Place
    from dralint.references.available_devices import KnownDevices
    from dralint.references.facts import Elsewhere, Found, ObjectPlace
    from dralint.yaml import Path


_BETWEEN = ("DRA4", "DRA7", "DRA8", "DRA9", KIND_WITHOUT_EFFECT)
"""How the ids of rules between objects begin."""
_OF_DEVICES = "DRA43"
"""How the ids of rules about the devices of an inventory begin."""


def check_across_objects(
    part: FilesJudged,
    task: Task,
    names: Sequence[str],
    files: RunFiles,
    inventory: Sequence[tuple[str, bytes]],
    releases: Releases,
    *,
    packs: bool,
) -> tuple[list[Finding], Collection[tuple[object, ...]]]:
    """Return the findings between the objects of a run, and the objects (file, document, kind, name) with bad guesses.

    These cause a finding between objects. The report gets what could not be read and what was not simulated.

    Args:
        part: what was found and gathered in each file.
        task: how much is reported. If a person reads it, Pods without devices beside those in use are counted.
        names: the names of all files of the run, for objects that matter only where others name them.
        files: finds objects of the run and of the inventory.
        inventory: name and bytes of the files with the slices and other objects of the cluster.
        releases: those that judge.
        packs: whether the input names a driver that has a pack.
    """
    settings, (report, gathered) = task.settings, part
    rules = catalogue.rules()
    if not any(wanted(rule, settings) for rule in rules.values() if rule.id.startswith(_BETWEEN)):
        return [], ()
    known = sorted(gathered.facts, key=lambda entry: entry.place)
    failures: list[Failure] = []
    stocked, in_part, absent = _stocked(inventory, names, failures, settings.gates)
    report.failures += failures
    known += _named_by_others(known, stocked, names, files, gathered.running)
    if not known:
        return [], ()
    # What an object that is left out would offer is not known, so nothing is said of what the devices can do.
    stock = None if in_part else _stock(known, settings, files, stocked)
    # A reference to an object that the inventory may lack is not wrong.
    complete = settings.complete and not (in_part or absent)
    scope = Scope(
        settings.namespace,
        complete,
        frozenset(settings.known_classes),
        frozenset(settings.known_drivers),
        frozenset(settings.known_namespaces),
        _charts(settings),
        _resources(known, settings),
    )

    everywhere = tuple(sorted(set(settings.releases)))

    @cache
    def chosen(file: str) -> tuple[Release, ...]:
        return tuple(sorted(set(settings_of(file, settings).releases))) if settings.overrides else everywhere

    besides = _besides(known, stocked)

    def world_of(entries: Sequence[Facts], devices: KnownDevices | None = stock) -> World:
        index = Index([*entries, *besides], scope)
        gates, there = dict(settings.gates), [entry.facts for entry in stocked]
        return World(index, releases.versions, chosen, gates, devices, settings.patches, there)

    def among(entries: Sequence[Facts], world: World) -> list[Found]:
        brought = {id(entry) for entry in entries}
        return [each for each in check(world) if id(each.facts) in brought]

    def find(entries: list[Facts], world: World) -> list[Found]:
        return still_found(
            among(entries, world), entries, names, files.raw, lambda moved: among(moved, world_of(moved))
        )

    def again(entries: list[Facts]) -> list[Found]:
        return find(entries, world_of(entries))

    world = world_of(known)
    found = find(known, world)
    found += _undecided(world, known, absent) if absent else ()
    if any(each.problem.repair is not None for each in found):
        from dralint.lint.proven_repairs import proven_between  # only where there is something to repair

        found = proven_between(found, known, again, files.item, rules)
    worse: Collection[ObjectPlace] = ()
    if gathered.guessed:
        from dralint.lint.proven_repairs import worse_guesses  # only where there are guesses

        shown = stock or _stock(known, settings._replace(complete=True), files, stocked)

        def failing(entries: list[Facts]) -> list[Found]:
            fails = [] if shown is stock else find(entries, world_of(entries, shown))
            return [each for each in fails if each.problem.rule == SELECTOR_FAILS]

        worse = worse_guesses(
            gathered.guessed, known, found + failing(known), lambda new: again(new) + failing(new), rules
        )
    if len(names) > 1:  # a Kustomization is a file of its own
        found += broken_references(world, names, files.raw)
    defining = [name for name in names if name in gathered.defining]
    if defining:
        from dralint.lint.driver_packs import by_definitions  # few inputs define kinds

        found += by_definitions(known, defining, files, settings, releases)
    if packs:
        from dralint.lint.driver_packs import by_packs  # few inputs name such a driver

        found += by_packs(world, known, defining, files, settings, releases)
    limited = any(entry.kind == "ResourceQuota" for entry in (*known, *(each.facts for each in stocked)))
    if stock is not None or limited:
        written = _written(world, files, stocked)
        refused = _refused(written, report.findings)
        items = [data for _, data in stocked]
        beyond: list[Found] = []
        if limited:
            from dralint.lint.exceeded_quotas import beyond_quotas  # few inventories have quotas

            beyond = beyond_quotas(world, settings, written, items, refused)
        if stock is not None:
            from dralint.lint.unschedulable import SchedulabilityCheck, without_devices  # few runs have an inventory

            paths = settings.slices or sorted({entry.facts.file for entry in stocked})
            schedulability = SchedulabilityCheck(world, settings, written, items, refused, paths)
            found += schedulability.check(found)
            report.not_simulated = len(schedulability.unasked)
            if task.excerpts and stocked and not any(each.problem.rule.startswith(_OF_DEVICES) for each in found):
                newest = max(everywhere or releases.known[-1:])
                report.without_devices = without_devices(written, items, refused, settings, newest)
        found += beyond
    found = [each for each in found if wanted(rules[each.problem.rule], settings_of(each.facts.file, settings))]
    reported = found if task.thorough or len(found) <= MOST_OF_A_RULE else bounded_between(found)
    worst = {(e.file, e.document, e.kind, e.name) for e in gathered.facts if e.place in worse}
    return _located(reported, settings, files), worst


def _charts(settings: Settings) -> frozenset[str]:
    """Return the classes that charts of drivers install; none if the input may be incomplete, as no class is missing
    then."""
    if not settings.complete:
        return frozenset()
    from dralint.drivers.choice import classes_of_charts  # few runs have --complete

    return classes_of_charts(file for _, file in settings.driver_packs)


def _resources(known: Iterable[Facts], settings: Settings) -> dict[str, list[str]]:
    """Return the extended resources of charts, with their classes; none if the input requests none."""
    bodies = (entry.body for entry in known)
    if not any(pod.extended for body in bodies if isinstance(body, WorkloadFacts) for pod in body.pods):
        return {}
    from dralint.drivers.choice import resources_of_charts  # few Pods request any

    return resources_of_charts(file for _, file in settings.driver_packs)


class Written(NamedTuple):
    """An object of the input or of the inventory, and its facts."""

    facts: Facts
    data: dict[str, Any]


def _besides(known: list[Facts], stocked: list[Written]) -> list[Facts]:
    """Return the facts of the objects of the inventory that the input may name and does not replace."""
    own = {(entry.kind, entry.namespace, entry.name) for entry in known}
    return [
        entry.facts
        for entry in stocked
        if entry.facts.kind in ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")
        and entry.facts.group == GROUP
        and (entry.facts.kind, entry.facts.namespace, entry.facts.name) not in own
        and (entry.facts.kind, None, entry.facts.name) not in own
    ]


def _written(world: World, files: RunFiles, stocked: list[Written]) -> list[Written]:
    """Return the objects of the input that matter to the simulation."""
    theirs = {id(entry.facts) for entry in stocked}
    concerns = (ClaimFacts, Class, QuotaFacts, Runtime, SliceFacts, TaintRule, WorkloadFacts)
    found = (one for one in world.index.facts if isinstance(one.body, concerns) and id(one) not in theirs)
    mine = {one.place: one for one in found}
    places = ((one, files.place(one.place)) for one in mine.values())
    return [Written(one, place.item.typed) for one, place in places if place is not None]


def _refused(written: Iterable[Written], judged: Iterable[Finding]) -> frozenset[ObjectPlace]:
    """Return the places of the objects that the API server refuses, or that lose fields when they are created."""
    refused = {named(f) for f in judged if f.effect in ("rejected", "unreadable", "dropped")}
    return frozenset(
        one.place
        for one, _ in written
        if (one.file, one.document, one.kind, one.name or (one.prefix and f"{one.prefix}*")) in refused
    )


def _stocked(
    inventory: Sequence[tuple[str, bytes]],
    files: Collection[str],
    failures: list[Failure],
    gates: tuple[tuple[str, bool], ...],
) -> tuple[list[Written], bool, frozenset[str]]:
    """Return the objects of the inventory, whether some are left out, and the kinds that it may lack.

    Add what is left out to `failures`, except in judged files.
    """
    if not inventory:
        return [], False, frozenset()
    from dralint.lint.inventory_reader import InventoryReader

    reader = InventoryReader(gates)
    out = [
        Written(facts_of(item, name, document.index) or facts(item, name, document.index, None), item.typed)
        for name, raw in inventory
        for document, item in reader.stocked(name, raw)
    ]
    failures += [fault for fault in reader.faults if fault.file not in files]
    if not out and not failures:
        failures.append(Failure(inventory[0][0], "the inventory has no object"))
    return out, reader.incomplete, reader.absent


def _undecided(world: World, known: Iterable[Facts], absent: frozenset[str]) -> Iterator[Found]:
    """Yield the first object of the input of which an absent kind of the inventory would decide."""
    from dralint.simulate.cluster import lack  # few inventories lack a kind

    for entry in known:
        path: Path = ("spec",)
        wanted: set[str] = set()
        if isinstance(entry.body, ClaimFacts) and entry.body.requests and not entry.body.allocated:
            path = entry.body.requests[0].path
            classes = [request.device_class for request in entry.body.requests if request.device_class is not None]
            there = all(may_be_there(world, "DeviceClass", name) for name in classes)
            wanted = {*({"ResourceSlice"} if world.stock is None else ()), *(() if there else {"DeviceClass"})}
        elif isinstance(entry.body, WorkloadFacts):
            entries = [each for pod in entry.body.pods for each in pod.entries if not world.target(entry, each)]
            wanted = {each.kind for each in entries}
        if not wanted.isdisjoint(absent):
            message = f"not decided what claims get: {lack(sorted(absent))}"
            yield world.found(entry, NOT_DECIDED, path, message, target="key")
            return


def _stock(known: list[Facts], settings: Settings, files: RunFiles, stocked: Sequence[Written]) -> KnownDevices | None:
    """Return the known devices; None where dralint knows none.

    These are the devices of the inventory and of the input. Without an inventory, a complete input counts for the
    drivers that have slices in it.
    """
    if not stocked and not settings.complete:
        return None
    from dralint.references.available_devices import inventory_of  # only where there is one

    places = ((entry, files.place(entry.place)) for entry in known if entry.kind == "ResourceSlice")
    own = [Written(entry, place.item.data) for entry, place in places if place is not None]
    replaced = {entry.name for entry, _ in own}
    theirs = [one for one in stocked if one.facts.kind == "ResourceSlice" and one.facts.name not in replaced]
    return inventory_of([*theirs, *own], whole=bool(stocked)) if theirs or own else None


def _named_by_others(
    known: list[Facts], stocked: Sequence[Written], names: Sequence[str], files: RunFiles, running: Collection[str]
) -> list[Facts]:
    """Return the facts of objects that dralint skips unless another object names them.

    These are parameters of the classic API of any kind, their definitions, and Pods that request the extended resource
    of a class, or the name of a class as if it were one.

    Args:
        running: the files that may have Pods in documents whose facts are not gathered.
    """
    kinds = {(reference.group, reference.kind) for _, reference in references(known)}
    kinds = {(group, kind) for group, kind in kinds if group != "resource.k8s.io"}
    domains = {
        entry.body.extended.partition("/")[0]
        for entry in (*known, *(each.facts for each in stocked))
        if isinstance(entry.body, Class) and entry.body.extended is not None
    }
    named = {str(entry.name) for entry in known if entry.kind == "DeviceClass" and "." in str(entry.name)}
    words = [kind for _, kind in kinds] + [f"{domain}/" for domain in domains]
    places = [name for name in names if kinds or name in running]
    if not places or not (words or named):
        return []
    if kinds:
        words.append("CustomResourceDefinition")
    parts = list(map(re.escape, sorted(words)))
    if named:
        parts.append(rf"(?:{'|'.join(map(re.escape, sorted(named)))})[\"']?:\s*[\"']?\d")
    pattern = re.compile("|".join(parts).encode("utf-8", "replace"))
    there = {entry.place for entry in known}
    out: list[Facts] = []
    for name in places:
        raw = files.raw(name)
        if raw is None or not pattern.search(raw):
            continue
        for document, item in objects_of(raw, pattern):
            if (name, document.index, item.path) in there:
                continue
            if (item.group, item.kind) in kinds:
                out.append(facts(item, name, document.index, None))
            elif item.kind == "CustomResourceDefinition" and kinds:
                found = facts_of(item, name, document.index)
                out += [] if found is None else [found]
            elif domains or named:
                body = workload(item)
                out += [] if body is None else [facts(item, name, document.index, body)]
    return out


def _located(found: list[Found], settings: Settings, files: RunFiles) -> list[Finding]:
    """Return the findings; none for an object whose file can no longer be read."""
    builders: dict[str, ReportBuilder] = {}
    findings: list[Finding] = []
    for each in found:
        place, name = files.place(each.facts.place), each.facts.file
        if place is None:
            continue
        if name not in builders:
            builders[name] = ReportBuilder(settings_of(name, settings), files.raw(name) or b"")
        builder = builders[name]
        for problem, releases in builder.worded(place, [(each.problem, list(each.releases))]):
            fixes = [] if problem.repair is None else [(place.item.path, problem.repair)]
            fix = builder.fixes(place.document, fixes)[0] if fixes else None
            finding = builder.finding(place, problem, releases, fix)
            there = ((other, files.place(other.facts.place)) for other in each.elsewhere)
            related = [_related(place, other) for other, place in there if place is not None]
            findings.append(finding._replace(related=(*finding.related, *related)))
    return findings


def _related(place: Place, other: Elsewhere) -> Related:
    span = locate(place.document, place.item.path, Problem("", other.path, "", target=other.target))
    return Related(other.message, place.file, span.line, span.column)
