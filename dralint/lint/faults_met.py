"""The known faults that the objects of a cluster meet: those of the release and those of drivers, for every command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.drivers.faults import faults
from dralint.drivers.named_drivers import names_any
from dralint.drivers.parameters import ParameterJudge
from dralint.drivers.selectors import SelectorReach
from dralint.finding import catalogue
from dralint.finding.rule_ids import KNOWN_BUG_OF_A_PATCH, RARE_KNOWN_BUG
from dralint.kubernetes.served import ApiVersions
from dralint.manifest.objects import ApiObject
from dralint.opaque.parameters import parameters_of
from dralint.references.available_devices import inventory_of
from dralint.references.collect import facts_of
from dralint.references.facts import ClaimFacts, Class, SliceFacts
from dralint.references.known_bugs import known_bugs
from dralint.references.world import Index, Scope, World
from dralint.simulate.claims import claim_name
from dralint.simulate.cluster import claims_used

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.drivers.choice import Choice
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.references.facts import Facts, Found
    from dralint.simulate.answers import Answer
    from dralint.simulate.cluster import Cluster, Workload

_QUIET = (RARE_KNOWN_BUG, KNOWN_BUG_OF_A_PATCH)
"""Rules on faults that few meet, or of which nobody knows whether the cluster has them."""


def facts_in(items: Iterable[Mapping[str, Any]]) -> list[Facts]:
    """Return the facts of objects that are in no file."""
    objects = (ApiObject((), str(item.get("apiVersion")), str(item.get("kind")), dict(item)) for item in items)
    found = (facts_of(item, "", number) for number, item in enumerate(objects))
    return [entry for entry in found if entry is not None]


def world_of(
    known: Sequence[Facts],
    cluster: Cluster,
    release: Release,
    gates: Mapping[str, bool],
    patches: Mapping[Release, int],
) -> World:
    """Return the world of a cluster, for the rules between objects.

    Args:
        known: the facts of its objects.
        cluster: the objects.
        release: the release that judges.
        gates: the feature gates that are switched.
        patches: the patch of the release, where it is known.
    """
    by_name = {str(item["metadata"].get("name")): item for item in cluster.of("ResourceSlice")}
    published = [(f, by_name[f.name]) for f in known if isinstance(f.body, SliceFacts) and f.name in by_name]
    stock = inventory_of(published, whole=True) if published else None
    index = Index(known, Scope(None, True, frozenset(), frozenset(), frozenset()))
    return World(index, ApiVersions(), lambda _: (release,), dict(gates), stock, patches.items(), known)


def refused_parameters(cluster: Cluster, choice: Choice) -> Iterator[tuple[str, str, Problem]]:
    """Yield the parameters that drivers refuse or do not read as written: kind, name of the object, and the problem."""
    effects = {rule: entry.effect for rule, entry in catalogue.rules().items()}
    judges: dict[str, ParameterJudge] = {}
    for kind in ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass"):
        for item in cluster.of(kind):
            name = str(item["metadata"]["name"]) if kind == "DeviceClass" else claim_name(item)
            for parameters in parameters_of(ApiObject((), str(item.get("apiVersion")), kind, item)):
                target = choice.target(parameters.driver)
                if target is None:
                    continue
                judge = judges.setdefault(parameters.driver, ParameterJudge(target))
                for problem in judge.check(parameters.value, parameters.path):
                    if effects[problem.rule] == "broken":
                        yield kind, name, problem


def name_faults_met(
    asked: Sequence[tuple[Workload, Answer]], found: Iterable[Found], cluster: Cluster, namespace: str
) -> None:
    """Add the faults to the answers on the Pods that meet them, themselves or by their claims and classes.

    Args:
        asked: Pods and their answers.
        found: the faults.
        cluster: the objects.
        namespace: the namespace of objects without one.
    """
    told: dict[tuple[str, str, str], dict[str, None]] = {}
    for each in found:
        facts = each.facts
        inside = "" if isinstance(facts.body, Class | SliceFacts) else facts.namespace or namespace
        told.setdefault((facts.kind, inside, str(facts.name)), {})[each.problem.message] = None
    for workload, answer in asked if told else ():
        said: dict[str, None] = {}
        for key in _keys(workload, cluster):
            said.update(told.get(key, {}))
        decides = {fault.partition(" (")[0] for fault in answer.faults}
        answer.met += [message for message in said if message.partition(" (")[0] not in decides]


def _keys(workload: Workload, cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """Yield kind, namespace and name of a workload, of its claims and templates, and of their classes."""
    yield workload.kind, workload.namespace, workload.name
    claims, templates = claims_used([workload])
    for kind, names in (("ResourceClaim", claims), ("ResourceClaimTemplate", templates)):
        for namespace, name in sorted(names):
            yield kind, namespace, name
            entry = next(iter(facts_in(filter(None, [cluster.get(kind, namespace, name)]))), None)
            for request in entry.body.requests if entry and isinstance(entry.body, ClaimFacts) else ():
                yield "DeviceClass", "", str(request.device_class)


def faults_met(world: World, cluster: Cluster, choice: Choice) -> Iterator[Found]:
    """Yield the known faults that objects of a cluster meet: of its release, then of its drivers.

    Args:
        world: the world of the cluster.
        cluster: the objects.
        choice: the packs, with the versions of the drivers.
    """
    yield from (each for each in known_bugs(world) if each.problem.rule not in _QUIET)
    if names_any(world.index.facts, choice.meant, choice.driver_of_class):

        def data_of(facts: Facts) -> Mapping[str, Any] | None:
            return cluster.get(facts.kind, facts.namespace or "", str(facts.name))

        yield from faults(world, SelectorReach(world, choice, published=True), data_of)
