"""Judges all objects of a run together and gives each finding its place.

This stage runs after dralint has judged each object alone. To find the lines, it reads those files again that have a
finding.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.config.paths import settings_of
from dralint.config.selection import wanted
from dralint.finding import catalogue
from dralint.finding.finding import Related
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import KIND_WITHOUT_EFFECT, QUOTA_EXCEEDED, QUOTA_TOO_SMALL, SELECTOR_FAILS
from dralint.kubernetes.workloads import GROUP
from dralint.lint.finding_limits import MOST, bounded_between
from dralint.lint.kustomized import still_found
from dralint.lint.locate import locate
from dralint.lint.passes import named
from dralint.lint.releases import Releases
from dralint.lint.report_builder import ReportBuilder
from dralint.manifest.objects import Place, objects, objects_of
from dralint.records import NamedTuple
from dralint.references.collect import facts, facts_of
from dralint.references.collect_pods import workload
from dralint.references.facts import ClaimFacts, Class, Facts
from dralint.references.index import Index, Scope
from dralint.references.parameters import references
from dralint.references.pod_facts import WorkloadFacts
from dralint.references.world import World
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding
    from dralint.finding.report import Failure
    from dralint.kubernetes.release import Release
    from dralint.lint.unschedulable import Written
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import ObjectPlace
    from dralint.references.inventory import KnownDevices
    from dralint.references.problem import Elsewhere, Found
    from dralint.yaml import Document, Path

    Documents = Callable[[bytes], Iterable[Document]]
    KeptProblems = dict[tuple[Any, ...], list[Problem]]
    Reader = Callable[[str], bytes | None]
    """Returns the bytes of a file of the run; None where it cannot be read any more, or is skipped."""

    _Spot = tuple[int, Path, str]
    """The identity of the facts of a related place, its path and its message: facts contain dicts and cannot be hashed.
    """


class Input(NamedTuple):
    """The input of the stage over all objects.

    Attributes:
        facts: the facts of all objects, in any order.
        files: the names of all files of the run, for objects that matter only where others name them.
        reader: reads a file of the run.
        inventory: name and bytes of the files with the slices and other objects of the cluster.
        judged: the findings on single objects.
        defining: the names of the files that may define kinds.
        guessed: the facts that objects have after the guesses for their values.
        thorough: whether to report all findings, however many there are.
        documents: reads the documents of a text again.
        packs: whether the input names a driver that has a pack.
        kept: the problems that packs found in parameters, by the parameters and the packs. The next run reuses them.
    """

    facts: list[Facts]
    files: Sequence[str]
    reader: Reader
    inventory: Sequence[tuple[str, bytes]]
    judged: list[Finding]
    defining: Collection[str]
    guessed: Sequence[Facts] = ()
    thorough: bool = False
    documents: Documents = read
    packs: bool = False
    kept: KeptProblems | None = None


class Between(NamedTuple):
    """The result of the stage over all objects.

    Attributes:
        findings: sorted by file.
        failures: the parts of the inventory that cannot be read.
        unasked: the places of the objects that the simulation had no time for.
        worse: the places of the objects whose guesses cause a new finding.
    """

    findings: list[Finding]
    failures: list[Failure]
    unasked: Collection[ObjectPlace] = ()
    worse: Collection[ObjectPlace] = ()


def between(given: Input, settings: Settings, releases: Releases) -> Between:
    """Return the findings between the objects of a run."""
    files, reader, inventory, guessed = given.files, given.reader, given.inventory, given.guessed
    rules = catalogue.rules(settings.rules_index)
    if not any(wanted(rule, settings) for rule in rules.values() if _is_between(rule.id)):
        return Between([], [])
    known = sorted(given.facts, key=lambda entry: entry.place)
    failures: list[Failure] = []
    stocked, is_cut = _stocked(inventory, files, failures, settings.gates)
    known += _named_by_others(known, stocked, files, reader)
    if not known:
        return Between([], failures)
    # What an object that is left out would offer is not known, so nothing is said of what the devices can do.
    stock = None if is_cut else _stock(known, settings, reader, stocked)
    texts = dict(inventory)

    def anywhere(name: str) -> bytes | None:
        return texts.get(name) or reader(name)

    outside = (settings.known_classes, settings.known_drivers, settings.known_namespaces, _charts(settings))
    scope = Scope(settings.namespace, settings.complete, *map(frozenset, (*outside, _resources(known, settings))))

    everywhere = tuple(sorted(set(settings.releases)))

    @cache
    def chosen(file: str) -> tuple[Release, ...]:
        return tuple(sorted(set(settings_of(file, settings).releases))) if settings.overrides else everywhere

    from dralint.references.rules import check  # the rules are needed where there is something to judge

    besides = _besides(known, stocked)
    inventory_facts = [entry.facts for entry in stocked]

    def world_of(entries: Sequence[Facts], devices: KnownDevices | None = stock) -> World:
        index = Index([*entries, *besides], scope)
        gates, table = dict(settings.gates), settings.rules_index
        return World(index, releases.versions, chosen, gates, table, devices, settings.patches, inventory_facts)

    def among(entries: Sequence[Facts], world: World) -> list[Found]:
        brought = {id(entry) for entry in entries}
        return [each for each in check(world) if id(each.facts) in brought]

    def find(entries: list[Facts], world: World) -> list[Found]:
        return still_found(among(entries, world), entries, files, reader, lambda moved: among(moved, world_of(moved)))

    def again(entries: list[Facts]) -> list[Found]:
        return find(entries, world_of(entries))

    world = world_of(known)
    found = find(known, world)
    if any(each.problem.repair is not None for each in found):
        from dralint.lint.proven_repairs_between import proven  # only where there is something to repair

        def read_again(name: str) -> dict[tuple[int, Path], ApiObject]:
            raw = reader(name)
            return {} if raw is None else {(doc.index, item.path): item for doc, item in objects_of(raw)}

        found = proven(found, known, again, read_again, rules)
    worse: Collection[ObjectPlace] = ()
    if guessed:
        from dralint.lint.proven_repairs_between import worse_guesses  # only where there are guesses

        shown = stock or _stock(known, settings._replace(complete=True), reader, stocked)

        def failing(entries: list[Facts]) -> list[Found]:
            fails = [] if shown is stock else find(entries, world_of(entries, shown))
            return [each for each in fails if each.problem.rule == SELECTOR_FAILS]

        worse = worse_guesses(guessed, known, found + failing(known), lambda new: again(new) + failing(new), rules)
    if len(files) > 1:  # a Kustomization is a file of its own
        from dralint.lint.kustomize_renames import broken_references

        found += broken_references(world, files, reader)
    defining = [name for name in files if name in given.defining]
    found += _of_parameters(known, settings, releases, defining, reader)
    if given.packs:
        found += _of_packs(world, known, settings, releases, defining, given)
    unasked: Collection[ObjectPlace] = ()
    limited = any(entry.facts.kind == "ResourceQuota" for entry in stocked)
    if stock is not None or limited:
        written = _written(world, reader, stocked)
        refused = _refused(written, given.judged)
        items = [item.typed for item, _ in stocked]
        beyond: list[Found] = []
        if limited:
            from dralint.lint.exceeded_quotas import beyond_quotas  # few inventories have quotas

            beyond = beyond_quotas(world, settings, written, items, refused | _over_quota(found))
        if stock is not None:
            from dralint.lint.unschedulable import Reach  # few runs have an inventory

            paths = settings.slices or sorted({entry.facts.file for entry in stocked})
            reach = Reach(world, settings, written, items, refused, paths)
            found += reach.check(found)
            unasked = reach.unasked
        found += beyond
    found = [each for each in found if wanted(rules[each.problem.rule], settings_of(each.facts.file, settings))]
    reported = found if given.thorough or len(found) <= MOST else bounded_between(found)
    return Between(_located(reported, settings, anywhere, given.documents), failures, unasked, worse)


def _of_parameters(
    known: list[Facts], settings: Settings, releases: Releases, files: Sequence[str], reader: Reader
) -> list[Found]:
    """Return what CustomResourceDefinitions of the input report about parameters of drivers; nothing if none has a
    type."""
    if not files or not any(
        config.type for entry in known if isinstance(entry.body, ClaimFacts | Class) for config in entry.body.configs
    ):
        return []
    from dralint.lint.definitions import by_definitions  # few inputs have such parameters

    of_file, releases_of = _held(settings, releases)
    return list(by_definitions(known, files, reader, of_file, releases_of))


def _charts(settings: Settings) -> frozenset[str]:
    """Return the classes that charts of drivers install; none if the input may be incomplete, as no class is missing
    then."""
    if not settings.complete:
        return frozenset()
    from dralint.drivers.choice import classes_of_charts  # few runs have --complete

    return classes_of_charts(file for _, file in settings.driver_packs)


def _resources(known: Iterable[Facts], settings: Settings) -> frozenset[str]:
    """Return the extended resources of charts; none if the input requests none."""
    bodies = (entry.body for entry in known)
    if not any(pod.extended for body in bodies if isinstance(body, WorkloadFacts) for pod in body.pods):
        return frozenset()
    from dralint.drivers.choice import resources_of_charts  # few Pods request any

    return resources_of_charts(file for _, file in settings.driver_packs)


def _of_packs(
    world: World,
    known: list[Facts],
    settings: Settings,
    releases: Releases,
    defining: Sequence[str],
    given: Input,
) -> list[Found]:
    """Return what the packs of drivers report."""
    from dralint.lint.driver_packs import by_packs  # few inputs name such a driver

    kinds: set[tuple[str, str]] = set()
    if defining:
        from dralint.lint.definitions import defined_kinds

        kinds = defined_kinds(known, defining, given.reader)
    return list(by_packs(world, known, kinds, given, settings, *_held(settings, releases)))


def _held(settings: Settings, releases: Releases) -> tuple[Callable[[str], Settings], Callable[[Settings], Releases]]:
    """Return two functions: the first returns the settings of a file, the second the releases of settings."""

    def of_file(file: str) -> Settings:
        return settings_of(file, settings)

    def releases_of(held: Settings) -> Releases:
        return releases if held.releases == settings.releases else Releases(held)

    return of_file, releases_of


class Stocked(NamedTuple):
    """An object of the inventory, and its facts."""

    item: ApiObject
    facts: Facts


def _besides(known: list[Facts], stocked: list[Stocked]) -> list[Facts]:
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


def _written(world: World, reader: Reader, stocked: list[Stocked]) -> list[Written]:
    """Read the objects of the input again that matter to the simulation, and return them."""
    from dralint.lint.unschedulable import Written, concerns  # few runs have an inventory

    theirs = {id(entry.facts) for entry in stocked}
    mine = {one.place: one for one in world.index.facts if concerns(one) and id(one) not in theirs}
    written: list[Written] = []
    for name in dict.fromkeys(one.file for one in mine.values()):
        text = reader(name)
        for document, item in () if text is None else objects_of(text):
            one = mine.get((name, document.index, item.path))
            if one is not None:
                written.append(Written(one, item.typed))
    return written


def _refused(written: Iterable[Written], judged: Iterable[Finding]) -> frozenset[ObjectPlace]:
    """Return the places of the objects that the API server refuses, or that lose fields when they are created."""
    refused = {named(f) for f in judged if f.effect in ("rejected", "unreadable", "dropped")}
    return frozenset(
        one.place
        for one, _ in written
        if (one.file, one.document, one.kind, one.name or (one.prefix and f"{one.prefix}*")) in refused
    )


def _over_quota(found: Iterable[Found]) -> frozenset[ObjectPlace]:
    """Return the places of the objects that exceed a quota of the input."""
    rules = (QUOTA_EXCEEDED, QUOTA_TOO_SMALL)
    return frozenset(each.facts.place for each in found if each.problem.rule in rules)


def _stocked(
    inventory: Sequence[tuple[str, bytes]],
    files: Collection[str],
    failures: list[Failure],
    gates: tuple[tuple[str, bool], ...],
) -> tuple[list[Stocked], bool]:
    """Return the objects of the inventory, and whether some are left out.

    Add what is left out to `failures`, except in judged files.
    """
    if not inventory:
        return [], False
    from dralint.finding.report import Failure  # few runs have an inventory
    from dralint.lint.inventory_reader import InventoryReader

    reader = InventoryReader(gates)
    out = [
        Stocked(item, facts_of(item, name, document.index) or facts(item, name, document.index, None))
        for name, raw in inventory
        for document, item in reader.stocked(name, raw)
    ]
    failures += [fault for fault in reader.faults if fault.file not in files]
    if not out and not failures:
        failures.append(Failure(inventory[0][0], "the inventory has no object"))
    return out, reader.incomplete


def _stock(known: list[Facts], settings: Settings, reader: Reader, stocked: Sequence[Stocked]) -> KnownDevices | None:
    """Return the known devices; None where dralint knows none.

    These are the devices of the inventory and of the input. Without an inventory, a complete input counts for the
    drivers that have slices in it.
    """
    if not stocked and not settings.complete:
        return None
    from dralint.references.inventory import Published, inventory_of  # only where there is one

    published: list[Published] = []
    published += [Published(entry.facts, entry.item.data) for entry in stocked if entry.item.kind == "ResourceSlice"]
    wanted: dict[str, set[tuple[int, Path]]] = {}
    for entry in known:
        if entry.kind == "ResourceSlice":
            wanted.setdefault(entry.file, set()).add((entry.document, entry.path))
    by_place = {entry.place: entry for entry in known}
    for name, places in wanted.items():
        text = reader(name)
        for document, item in () if text is None else objects_of(text):
            if (document.index, item.path) in places:
                published.append(Published(by_place[name, document.index, item.path], item.data))
    if not published:
        return None
    return inventory_of(published, whole=bool(stocked))


def _is_between(rule: str) -> bool:
    return rule.startswith(("DRA4", "DRA7", "DRA8", "DRA9", KIND_WITHOUT_EFFECT))


def _named_by_others(
    known: list[Facts], stocked: Sequence[Stocked], files: Sequence[str], reader: Reader
) -> list[Facts]:
    """Return the facts of objects that dralint skips unless another object names them.

    These are parameters of the classic API of any kind, their definitions, and Pods that request the extended resource
    of a class.
    """
    kinds = {(reference.group, reference.kind) for _, reference in references(known)}
    kinds = {(group, kind) for group, kind in kinds if group != "resource.k8s.io"}
    domains = {
        entry.body.extended.partition("/")[0]
        for entry in (*known, *(each.facts for each in stocked))
        if isinstance(entry.body, Class) and entry.body.extended is not None
    }
    words = [kind for _, kind in kinds] + [f"{domain}/" for domain in domains]
    if not words:
        return []
    if kinds:
        words.append("CustomResourceDefinition")
    pattern = re.compile("|".join(map(re.escape, sorted(words))).encode("utf-8", "replace"))
    there = {entry.place for entry in known}
    out: list[Facts] = []
    for name in files:
        raw = reader(name)
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
            elif domains:
                body = workload(item)
                out += [] if body is None else [facts(item, name, document.index, body)]
    return out


def _located(found: list[Found], settings: Settings, reader: Reader, documents: Documents) -> list[Finding]:
    """Return the findings. Each file is read once, however many findings it has."""
    here: dict[str, dict[int, list[int]]] = {}
    there: dict[str, dict[int, dict[_Spot, Elsewhere]]] = {}
    for number, each in enumerate(found):
        here.setdefault(each.facts.file, {}).setdefault(each.facts.document, []).append(number)
        for other in each.elsewhere:
            there.setdefault(other.facts.file, {}).setdefault(other.facts.document, {})[_spot(other)] = other
    findings: dict[int, Finding] = {}
    places: dict[_Spot, Related] = {}
    for name in dict.fromkeys([*here, *there]):
        raw = reader(name)
        if raw is None:
            continue
        builder = ReportBuilder(settings_of(name, settings), raw)
        numbers, others = here.get(name, {}), there.get(name, {})
        for document in documents(raw):
            index = document.index
            if document.state != "read" or not (index in numbers or index in others):
                continue
            at = {item.path: Place(name, document, item) for item in objects(document.data)}
            for spot, other in others.get(index, {}).items():
                if (place := at.get(other.facts.path)) is not None:
                    places[spot] = _related(place, other)
            for number in numbers.get(index, ()):
                place = at.get(found[number].facts.path)
                finding = None if place is None else _stamped(builder, place, found[number])
                if finding is not None:
                    findings[number] = finding
    for number, finding in findings.items():
        if spots := [spot for other in found[number].elsewhere if (spot := _spot(other)) in places]:
            related = (*finding.related, *(places[spot] for spot in spots))
            findings[number] = finding._replace(related=related)
    return [finding for _, finding in sorted(findings.items())]


def _stamped(builder: ReportBuilder, place: Place, found: Found) -> Finding | None:
    """Return the finding; None where the settings of its file switch it off."""
    for problem, releases in builder.worded(place, [(found.problem, list(found.releases))]):
        fix = None if problem.repair is None else builder.fix(place, problem.repair)
        return builder.finding(place, problem, releases, fix)
    return None


def _spot(other: Elsewhere) -> _Spot:
    return id(other.facts), other.path, other.message


def _related(place: Place, other: Elsewhere) -> Related:
    span = locate(place.document, place.item.path, Problem("", other.path, "", target=other.target))
    return Related(other.message, place.file, span.line, span.column)
