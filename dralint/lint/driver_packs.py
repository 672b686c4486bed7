"""Judges the opaque parameters and the selectors of an input: by driver packs, and by its CustomResourceDefinitions."""

from __future__ import annotations

import marshal
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.config.settings import settings_of
from dralint.drivers.choice import installed, known_packs
from dralint.drivers.devices import contradiction, uncounted
from dralint.drivers.named_drivers import names_any
from dralint.drivers.prepare import prepare, usage
from dralint.drivers.shipped import MEANT
from dralint.finding.rule_ids import OTHER_DRIVER_OF_THE_NAME, PARTITION_WITHOUT_COUNTERS, UNKNOWN_DRIVER_VERSION
from dralint.finding.words import quoted
from dralint.lint.placeholders import concerning
from dralint.lint.release_judge import Releases
from dralint.manifest.objects import objects_of
from dralint.opaque.parameters import judged_by, key_for, parameters_of
from dralint.opaque.schema_file import Definitions, SchemaError, definition_of
from dralint.references.collect import facts, packed
from dralint.references.facts import NAME, ClaimFacts, Class, Elsewhere, Found, SliceFacts, WorkloadFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.config.settings import Settings
    from dralint.drivers.choice import Choice
    from dralint.finding.problem import Problem
    from dralint.lint.run_files import RunFiles
    from dralint.opaque.parameters import Parameters
    from dralint.references.facts import Config, Facts
    from dralint.references.world import World
    from dralint.yaml import Path


_CONFIGURED = ClaimFacts | Class


def by_packs(
    world: World,
    known: Sequence[Facts],
    names: Iterable[str],
    files: RunFiles,
    settings: Settings,
    releases: Releases,
) -> Iterator[Found]:
    """Yield the problems that the packs of drivers find in the input.

    Args:
        world: the objects and what is known besides.
        known: the facts of the input.
        names: the names of the files that may define kinds; their definitions judge the parameters of these kinds.
        files: finds objects.
        settings: the settings of the run.
        releases: those that judge.
    """
    choice = known_packs(settings.driver_packs, settings.driver_versions, settings.driver_gates)
    yield from _contradictions(choice, known, files, world)
    if any(isinstance(entry.body, Class) for entry in known):
        for driver, version in installed(choice, known, files.raw):
            choice.installs(driver, version)
    yield from _unknown_versions(world, choice, known)
    if names_any(world.index.facts, choice.meant, choice.driver_of_class):
        yield from _of_claims(world, choice, known, files)
    judging = choice.judging
    if any(c.driver in judging for entry in known if isinstance(entry.body, _CONFIGURED) for c in entry.body.configs):
        yield from _of_parameters(choice, known, names, files, settings, releases)


def _unknown_versions(world: World, choice: Choice, known: Sequence[Facts]) -> Iterator[Found]:
    """Yield the drivers of claims whose version no pack has, once each: at a class of the chart, or else at a claim."""
    for driver, version in choice.unknown.items():
        claims = (entry for entry in known if isinstance(entry.body, ClaimFacts))
        claim = next((entry for entry in claims if _is_of(world, choice, entry, driver)), None)
        pack = choice.pack(driver)
        if claim is None or pack is None:
            continue
        classes = (entry for entry in known if isinstance(entry.body, Class))
        at = next((entry for entry in classes if choice.driver_of_class(str(entry.name)) == driver), claim)
        released = pack.released
        span = released[0] if len(released) == 1 else f"{released[0]} to {released[-1]}"
        message = (
            f"dralint does not know {driver} {version}, only {span}: a warning is what holds in each of these "
            "versions, all else is advice"
        )
        yield world.found(at, UNKNOWN_DRIVER_VERSION, NAME, message, "use a newer dralint, or a pack of your own")


def _is_of(world: World, choice: Choice, entry: Facts, driver: str) -> bool:
    """Say whether a claim may get devices of a driver: a selector names it, or a class of the input or of its chart."""
    requests = entry.body.requests if isinstance(entry.body, ClaimFacts) else ()
    by_class = any(driver in world.drivers_of(request.device_class) for request in requests)
    return by_class or names_any([entry], {driver}, choice.driver_of_class)


def _of_claims(world: World, choice: Choice, known: Sequence[Facts], files: RunFiles) -> Iterator[Found]:
    """Yield what packs find in the selectors of claims and classes, and in what drivers prepare for Pods."""
    from dralint.drivers.faults import faults  # slices have none
    from dralint.drivers.selectors import SelectorReach, selectors

    reach = SelectorReach(world, choice)
    yield from selectors(world, reach)
    yield from prepare(world, reach, choice)

    def data_of(facts: Facts) -> Any:
        place = files.place(facts.place)
        return None if place is None else place.item.data

    yield from faults(world, SelectorReach(world, choice, published=True), data_of)
    if any(isinstance(entry.body, WorkloadFacts) for entry in known):
        yield from usage(world, reach, data_of)


def _of_parameters(
    choice: Choice,
    known: Sequence[Facts],
    names: Iterable[str],
    files: RunFiles,
    settings: Settings,
    releases: Releases,
) -> Iterator[Found]:
    """Yield what packs find in parameters, by file; only files with a possible problem are looked into.

    The same parameters at the same path are judged once. The other arguments are those of `by_packs`.
    """
    from dralint.drivers.parameters import ParameterJudge  # most claims have no parameters

    @cache
    def judge_of(driver: str) -> ParameterJudge | None:
        target = choice.target(driver)
        return None if target is None else ParameterJudge(target)

    def judged(driver: str, path: Path, value: dict[str, Any]) -> list[Problem]:
        judge = judge_of(driver)
        return [] if judge is None else list(judge.check(value, path))

    @cache
    def judged_once(driver: str, path: Path, raw: bytes) -> list[Problem]:
        return judged(driver, path, marshal.loads(raw))

    def may_be_wrong(config: Config) -> bool:
        path, raw = (*config.path[:-1], "parameters"), config.parameters
        return raw is None or bool(judged_once(config.driver, path, raw))

    def problems_of(parameters: Parameters) -> Iterator[tuple[Problem, tuple[Elsewhere, ...]]]:
        if parameters.type[::2] not in defined:
            driver, path, value, raw = parameters.driver, parameters.path, parameters.value, packed(parameters.value)
            found = judged(driver, path, value) if raw is None else judged_once(driver, path, raw)
            yield from ((each, ()) for each in found)

    defined = _defined(known, names, files)
    bodies = ((entry, entry.body) for entry in known)
    wrong = [e for e, body in bodies if isinstance(body, _CONFIGURED) and any(map(may_be_wrong, body.configs))]
    yield from _in_objects(wrong, problems_of, files, settings, releases)


def _contradictions(choice: Choice, known: Sequence[Facts], files: RunFiles, world: World) -> Iterator[Found]:
    """Switch off the packs that slices of the input contradict; yield the first contradiction of each driver.

    For the other drivers, check the slices for partitions without counters.
    """
    published: dict[str, dict[tuple[int, Path], tuple[Facts, str]]] = {}
    for entry in known:
        if isinstance(entry.body, SliceFacts) and choice.pack(entry.body.driver) is not None:
            published.setdefault(entry.file, {})[entry.document, entry.path] = entry, entry.body.driver
    if not published:
        return

    off: set[str] = set()
    for name, places in published.items():
        drivers = {driver for _, driver in places.values()}
        for _, document, item in files.judged(name) if drivers - off else ():
            here, driver = places.get((document.index, item.path), (None, ""))
            pack = None if here is None or driver in off else choice.pack(driver)
            if here is None or pack is None:
                continue
            found = contradiction(pack, item.data)
            if found is not None:
                off.add(driver)
                choice.switch_off(driver)
                if driver in MEANT.union(choice.own):  # users invent other names and expect no pack
                    path, what = found
                    message = f"{what}: another program uses the name {driver}, and dralint does not judge by its pack"
                    yield world.found(here, OTHER_DRIVER_OF_THE_NAME, path, message, target="key")
                if drivers <= off:
                    break
                continue
            for part in uncounted(pack, item.data):
                message = (
                    f"{quoted(part.name)} is a part of {quoted(part.whole)}, and they share no counter: the scheduler "
                    "can allocate both at the same time"
                )
                whole = Elsewhere("the whole device", here, ("spec", "devices", part.number, "name"))
                hint = "publish one of them, or let both consume counters of one counter set"
                yield world.found(here, PARTITION_WITHOUT_COUNTERS, part.path, message, hint, whole, target="key")


_KIND = ("spec", "names", "kind")
_CRD = re.compile(rb"CustomResourceDefinition")


class _Defined(NamedTuple):
    definitions: Definitions
    facts: Facts


def by_definitions(
    known: Sequence[Facts],
    names: Iterable[str],
    files: RunFiles,
    settings: Settings,
    releases: Releases,
) -> Iterator[Found]:
    """Yield the problems that CustomResourceDefinitions of the input show in its parameters.

    dralint checks parameters against the definition of their API version and kind, unless the settings name a schema
    for them. Where the input has several definitions, the parameters must fit one of them.

    The arguments are those of `by_packs`.
    """
    defined = _defined(known, names, files)

    def problems_of(parameters: Parameters) -> Iterator[tuple[Problem, tuple[Elsewhere, ...]]]:
        group, _, kind = parameters.type
        problems, proof = _least(defined.get((group, kind), []), parameters)
        if proof is not None:
            yield from ((problem, (Elsewhere(f"the definition of {kind}", proof, _KIND),)) for problem in problems)

    users = [entry for entry in known if defined and _types(entry)]
    yield from _in_objects(users, problems_of, files, settings, releases)


def _in_objects(
    users: Iterable[Facts],
    problems_of: Callable[[Parameters], Iterable[tuple[Problem, tuple[Elsewhere, ...]]]],
    files: RunFiles,
    settings: Settings,
    releases: Releases,
) -> Iterator[Found]:
    """Yield the problems of parameters, except those with a schema in the settings and those of placeholders.

    Args:
        users: the objects with the parameters.
        problems_of: judges parameters; each problem comes with the related places.

    The other arguments are those of `by_packs`.
    """
    places: dict[str, set[tuple[int, Path]]] = {}
    for entry in users:
        places.setdefault(entry.file, set()).add((entry.document, entry.path))
    for name, wanted in places.items():
        here = settings_of(name, settings)
        keys, judges = dict(here.driver_schemas), releases if here.releases == settings.releases else Releases(here)
        for _, document, item in files.judged(name):
            if (document.index, item.path) not in wanted:
                continue
            user = facts(item, name, document.index, None)
            judging = tuple(judges.serving(item.api_version, item.kind))
            unknown = document.may_have_placeholders and not here.strict_placeholders
            for parameters in parameters_of(item) if judging else ():
                for problem, elsewhere in problems_of(parameters) if key_for(parameters, keys) is None else ():
                    if not (unknown and concerning(item, problem)):
                        yield Found(user, problem, elsewhere, judging)


def _types(entry: Facts) -> set[tuple[str, str]]:
    """Return group and kind of the opaque parameters of an object."""
    configs = entry.body.configs if isinstance(entry.body, ClaimFacts | Class) else ()
    return {config.type for config in configs if config.type is not None}


def _least(candidates: Sequence[_Defined], parameters: Parameters) -> tuple[list[Problem], Facts | None]:
    """Return the problems by the first definition of their version; none where the parameters fit another one."""
    group, version, kind = parameters.type
    found: list[tuple[list[Problem], Facts | None]] = [
        (list(judged_by(candidate.definitions, parameters, f"{group}/{kind}")), candidate.facts)
        for candidate in candidates
        if version in candidate.definitions.get((group, kind), {})
    ]
    return min(found, key=lambda one: bool(one[0]), default=([], None))


def _defined(known: Iterable[Facts], names: Iterable[str], files: RunFiles) -> dict[tuple[str, str], list[_Defined]]:
    """Return the definitions in the input of the kinds of its parameters; skip those without a schema."""
    out: dict[tuple[str, str], list[_Defined]] = {}
    kinds = {kind for entry in known for kind in _types(entry)}
    words = {kind.encode("utf-8", "replace") for _, kind in kinds}
    for name in names if kinds else ():
        raw = files.raw(name)
        if raw is None or not _CRD.search(raw) or not any(word in raw for word in words):
            continue
        for document, item in objects_of(raw, _CRD):
            defines = definition_of(item)
            if defines is None or defines not in kinds:
                continue
            definitions = Definitions()
            try:
                definitions.add(item.data)
            except SchemaError:
                continue
            out.setdefault(defines, []).append(_Defined(definitions, facts(item, name, document.index, None)))
    return out
