"""Reports claims and Pods that exceed the quotas of the input or of an inventory, counted as the API server counts.

Objects of the inventory already count, and a workload of the input keeps its live Pods. A claim does not count if its
Pod ends or is not in the inventory: it may make room for the input, or be part of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.rule_ids import QUOTA_EXCEEDED, QUOTA_TOO_SMALL
from dralint.finding.words import quoted
from dralint.kubernetes.quantity import spell
from dralint.kubernetes.workloads import CLASS_QUOTA, MOST_DEVICES
from dralint.lint.unschedulable import ODD, is_unfinished
from dralint.references.facts import NAME, ClaimFacts, Class, Elsewhere, QuotaFacts, WorkloadFacts
from dralint.references.world import FIRST_STRUCTURED
from dralint.simulate.behaviours import stand_in
from dralint.simulate.cluster import GENERATED_FOR, Cluster, claims_made, has_ended, with_generated_claims, workload_of
from dralint.simulate.groups import GroupClaims
from dralint.simulate.replicas import plan_of
from dralint.simulate.server import Quotas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.lint.across_objects import Written
    from dralint.references.facts import Facts, Found, ObjectPlace
    from dralint.references.world import World
    from dralint.yaml import Path

    _Use = Mapping[str, Mapping[str, int]]
    """How much of each quota is used: name of the quota → resource → amount."""

_REQUESTS = "requests."
_COUNTS = {
    "count/resourceclaims.resource.k8s.io": "ResourceClaims",
    "count/resourceclaimtemplates.resource.k8s.io": "ResourceClaimTemplates",
}
_PENDING = "Pending (event FailedResourceClaimCreation)"
_MADE_ONCE = ("Pod", "ResourceClaim", "ResourceClaimTemplate")
_OTHERS = ("DaemonSet", "PodTemplate")
"""Kinds whose number of future Pods dralint does not know; of a CronJob beside its live Jobs neither."""

_NOT_COUNTED = ("ResourceSlice", "Node", "DeviceTaintRule", "Namespace")
"""Kinds of an inventory that no quota counts and that can be many."""

_MOST = 10_000
"""dralint counts at most this many Pods of one workload."""


def beyond_quotas(
    world: World,
    settings: Settings,
    written: Sequence[Written],
    stock: Iterable[Mapping[str, Any]],
    passed_over: Iterable[ObjectPlace],
) -> list[Found]:
    """Return the claims, templates and workloads for which quotas have too little left.

    Args:
        world: the objects, and the releases that judge them.
        settings: of the run.
        written: the objects of the input that concern devices, and its quotas.
        stock: the objects of the inventory.
        passed_over: the places of objects that are refused anyway.
    """
    try:
        return list(_Count(world, settings, written, stock).check(set(passed_over)))
    except ODD:
        return []


class _Short(NamedTuple):
    """What a quota, which the input has `written` or the inventory has, lacks.

    The inventory leaves `left` of `hard`, and the input has `taken` some of that.
    """

    quota: str
    key: str
    hard: int
    left: int
    taken: int
    written: bool

    @property
    def text(self) -> str:
        """Return in words how much is left."""
        left, hard, taken = map(_spelt, (self.left, self.hard, self.taken))
        noun = _COUNTS.get(self.key) or (
            f"devices of {self.key.removesuffix(CLASS_QUOTA)}"
            if self.key.endswith(CLASS_QUOTA)
            else self.key.removeprefix(_REQUESTS)
        )
        before = f", {taken} of which the objects before this one need" if self.taken else ""
        quota = f"the quota {quoted(self.quota)}"
        if self.written and self.left == self.hard:
            return f"{quota} allows {hard} {noun}{before}"
        return f"{quota}{'' if self.written else ' of the inventory'} has {left} of {hard} {noun} left{before}"


class _Count:
    """Counts how much the objects of an input use: `_quotas` counts the input too, `_live` only the inventory."""

    def __init__(
        self, world: World, settings: Settings, written: Sequence[Written], stock: Iterable[Mapping[str, Any]]
    ) -> None:
        self._world = world
        self._written = written
        self._mine = {id(one) for one, _ in written}
        self._facts = {(one.namespace, one.name): one for one in world.inventory if one.kind == "ResourceQuota"}
        self._of_input: set[tuple[str, str | None]] = set()
        self._stocked = bool(world.inventory)
        self._cluster = Cluster()
        for item in stock:
            if item.get("kind") not in _NOT_COUNTED:
                self._cluster.add(item)
        for facts, data in written:
            if isinstance(facts.body, Class):
                self._cluster.apply(data)
        self._how = stand_in(max(settings.releases, default=world.versions.known[-1]), dict(settings.gates))
        for facts, data in written:
            namespace = world.scope.namespace_of(facts)
            if isinstance(facts.body, QuotaFacts) and namespace is not None and not is_unfinished(data):
                own = namespace, facts.name
                if own not in self._of_input:  # an object written twice is for two clusters
                    self._cluster.apply({name: data[name] for name in data if name != "status"}, namespace)
                    self._facts[own] = facts
                    self._of_input.add(own)
        self._keep_quotas()
        for key in [key for key in self._cluster.objects if key[0] == "ResourceClaim"]:
            if not self._stays(key[1], self._cluster.objects[key]):
                del self._cluster.objects[key]
        self._quotas = Quotas(self._cluster, self._how)
        self._live = self._quotas.copy()

    def _keep_quotas(self) -> None:
        """Keep the parts of quotas that concern devices, without their recorded use: dralint counts the objects."""
        offered = {
            f"{_REQUESTS}{spec['extendedResourceName']}"
            for item in self._cluster.of("DeviceClass")
            if (spec := item.get("spec") or {}).get("extendedResourceName")
        }
        for key in [key for key in self._cluster.objects if key[0] == "ResourceQuota"]:
            item = self._cluster.objects.pop(key)
            spec = item.get("spec") or {}
            hard = {
                name: amount
                for name, amount in (spec.get("hard") or {}).items()
                if name in _COUNTS or name in offered or name.endswith(CLASS_QUOTA)
            }
            if hard:
                self._cluster.objects[key] = {"metadata": item["metadata"], "spec": {**spec, "hard": hard}}

    def _stays(self, namespace: str, claim: Mapping[str, Any]) -> bool:
        """Say whether a live claim still counts: it and its Pod exist and neither is being deleted."""
        owners = claim["metadata"].get("ownerReferences") or ()
        names = [str(owner.get("name")) for owner in owners if owner.get("kind") == "Pod"]
        pods = [self._cluster.get("Pod", namespace, name) for name in names]
        return not claim["metadata"].get("deletionTimestamp") and all(
            pod is not None and not pod["metadata"].get("deletionTimestamp") and not has_ended(pod) for pod in pods
        )

    def check(self, reported: set[ObjectPlace]) -> Iterator[Found]:
        """Yield what the quotas refuse: first claims and templates, then the Pods of workloads."""
        made: list[tuple[Facts, dict[str, Any]]] = []
        seen: set[tuple[str, str, str | None]] = set()  # an object written twice is for two clusters
        for facts, data in self._written:
            namespace = self._world.scope.namespace_of(facts)
            if namespace is None or not self._quotas.of(namespace) or is_unfinished(data):
                continue
            name = facts.kind, namespace, facts.name
            there = name in self._cluster.objects
            if name in seen or (there and facts.kind in _MADE_ONCE):
                continue
            seen.add(name)
            key = self._cluster.apply(data, namespace)
            if key is None:
                continue
            made.append((facts, self._cluster.objects[key]))
        for facts, item in made:
            if isinstance(facts.body, ClaimFacts) and facts.place not in reported:
                yield from self._created(facts, facts.body, item, reported)
        for facts, item in made:
            if isinstance(facts.body, WorkloadFacts) and facts.place not in reported:
                if not (self._stocked or self._world.scope.complete):
                    self._quotas = self._live.copy()  # the input may hold examples of which a user takes one
                yield from self._pods(facts, facts.body, item, reported)

    def _created(
        self, facts: Facts, claim: ClaimFacts, item: Mapping[str, Any], reported: set[ObjectPlace]
    ) -> Iterator[Found]:
        usage = self._quotas.usage(facts.kind, item)
        short = self._charge(facts.kind, item, usage)
        if short is not None:
            what = "template" if facts.kind == "ResourceClaimTemplate" else "claim"
            reported.add(facts.place)
            message = f"{short.text}, and the {what} needs {_spelt(usage[short.key])}: the server refuses it"
            alone = short.written and what == "claim" and usage[short.key] > short.hard
            rule = QUOTA_EXCEEDED if alone else QUOTA_TOO_SMALL
            yield self._found(facts, short, _path(claim, short.key), message, rule)
        elif facts.kind == "ResourceClaimTemplate" and facts.name not in self._used_templates:
            yield from self._unused(facts, claim, item)

    @cached_property
    def _used_templates(self) -> set[str | None]:
        """The templates that Pods of the input name."""
        return {entry.template for _, _, pod in self._world.workloads for entry in pod.entries}

    def _unused(self, facts: Facts, claim: ClaimFacts, item: Mapping[str, Any]) -> Iterator[Found]:
        """Yield a template that no Pod of the input uses, if a quota of the input allows none of its claims."""
        metadata = {"name": facts.name, "namespace": item["metadata"]["namespace"]}
        made = {"kind": "ResourceClaim", "metadata": metadata, "spec": (item.get("spec") or {}).get("spec")}
        usage = self._quotas.usage("ResourceClaim", made)
        for quota, _ in self._quotas.concerned("ResourceClaim", made, usage):
            over = [key for key in quota.hard if usage.get(key, 0) > quota.hard[key]]
            if over and (metadata["namespace"], quota.name) in self._of_input:
                short = self._short(metadata["namespace"], quota.name, over[0], self._used(metadata["namespace"]))
                yield self._of_template(facts, claim, short, usage[over[0]])

    def _pods(
        self, facts: Facts, body: WorkloadFacts, item: Mapping[str, Any], reported: set[ObjectPlace]
    ) -> Iterator[Found]:
        workload = workload_of(item, item["metadata"]["namespace"])
        if workload is None or workload.kind in _OTHERS or (workload.kind == "CronJob" and self._stocked):
            return
        plan = plan_of(workload, self._cluster)
        for live in (*plan.old, *plan.gone, *plan.waiting):
            self._free(live)
        to_come = {**workload.pod, "metadata": {**workload.pod["metadata"], "uid": "to come"}}
        shared = GroupClaims(self._cluster, self._how).of(to_come)
        pod, claims, missing = with_generated_claims(to_come, self._cluster, shared)
        if missing:
            return
        steps = [("Pod", pod, self._quotas.usage("Pod", pod))]
        steps += [("ResourceClaim", claim, self._quotas.usage("ResourceClaim", claim)) for claim in claims]
        before = self._used(workload.namespace)
        for number in range(min(plan.missing, _MOST)):
            for kind, thing, usage in steps:
                short = self._charge(kind, thing, usage, before)
                if short is None:
                    continue
                template = self._template(facts, body, thing) if usage[short.key] > short.left > 0 else None
                if template is None or not short.key.endswith(CLASS_QUOTA):
                    each = sum(own.get(short.key, 0) for *_, own in steps)
                    yield self._too_many(facts, body, short, each, plan.missing, number, refused=kind == "Pod")
                elif template[0].place not in reported:
                    reported.add(template[0].place)
                    yield self._of_template(*template, short, usage[short.key])
                return

    def _template(self, facts: Facts, body: WorkloadFacts, claim: Mapping[str, Any]) -> tuple[Facts, ClaimFacts] | None:
        """Return the template of the input that a claim of a Pod is made from."""
        name = (claim["metadata"].get("annotations") or {}).get(GENERATED_FOR)
        entry = next((each for pod in body.pods for each in pod.entries if each.name == name), None)
        for one in self._world.target(facts, entry) if entry is not None else ():
            if id(one) in self._mine and isinstance(one.body, ClaimFacts):
                return one, one.body
        return None

    def _of_template(self, facts: Facts, claim: ClaimFacts, short: _Short, amount: int) -> Found:
        message = (
            f"{short.text}, and each claim made from the template needs {_spelt(amount)}: the server refuses it, and "
            f"the Pods stay {_PENDING}"
        )
        return self._found(facts, short, _path(claim, short.key), message)

    def _too_many(
        self, facts: Facts, body: WorkloadFacts, short: _Short, each: int, wanted: int, made: int, *, refused: bool
    ) -> Found:
        """Report that the quota is too small for the Pods that a workload makes; it has room for `made` of them."""
        rest, need = wanted - made, _spelt(each * wanted)
        come = " to come" if self._stocked else ""
        who = f"{wanted} Pods{come} need" if wanted > 1 else f"the Pod{come} needs"
        which = f"{rest} of them" if wanted > 1 else "it"
        stay = "stays" if rest == 1 else "stay"
        then = f"the server refuses {which}" if refused else f"{which} {stay} {_PENDING}"
        message = f"{short.text}, and {'the Pod needs' if facts.kind == 'Pod' else who} {need}: {then}"
        pod = body.pods[0]
        places = [path for path, name, _ in pod.extended if short.key == f"{_REQUESTS}{name}"]
        places += [entry.field for entry in pod.entries if entry.template is not None]
        path = body.replicas_path or next(iter(places), NAME)
        return self._found(facts, short, path, message)

    def _found(self, facts: Facts, short: _Short, path: Path, message: str, rule: str = QUOTA_TOO_SMALL) -> Found:
        quota = self._facts.get((self._world.scope.namespace_of(facts), short.quota))
        where = () if quota is None else (Elsewhere("the quota", quota, ("spec", "hard", short.key)),)
        releases = [release for release in self._world.releases(facts) if release >= FIRST_STRUCTURED]
        reason = "Forbidden" if rule == QUOTA_EXCEEDED else None
        hint = "request less, or raise the quota"
        return self._world.found(facts, rule, path, message, hint, *where, reason=reason, releases=releases)

    def _charge(
        self, kind: str, item: Mapping[str, Any], usage: Mapping[str, int], before: _Use | None = None
    ) -> _Short | None:
        """Count a new object; return what the first quota lacks that is too small. `before` is that of `_short`."""
        namespace = item["metadata"]["namespace"]
        for quota, own in self._quotas.concerned(kind, item, usage):
            over = quota.over(own)
            if over:
                return self._short(namespace, quota.name, over[0], self._used(namespace) if before is None else before)
        self._quotas.charge(kind, item, usage)
        return None

    def _used(self, namespace: str) -> _Use:
        """Return how much of each quota of a namespace is used now."""
        return {quota.name: dict(quota.used) for quota in self._quotas.of(namespace)}

    def _short(self, namespace: str, name: str, key: str, before: _Use) -> _Short:
        """Return what a quota lacks; `before` has the counts of the objects that were created earlier."""
        live = next(quota for quota in self._live.of(namespace) if quota.name == name)
        used, hard = live.used.get(key, 0), live.hard[key]
        left, taken = max(0, hard - used), before[name].get(key, 0) - used
        return _Short(name, key, hard, left, taken, (namespace, name) in self._of_input)

    def _free(self, pod: Mapping[str, Any]) -> None:
        """Give back the share of a live Pod that goes away."""
        names = map(str, claims_made(pod).values())
        claims = [self._cluster.get("ResourceClaim", pod["metadata"]["namespace"], name) for name in names]
        for quotas in (self._quotas, self._live):
            quotas.free("Pod", pod)
            for claim in claims:
                if claim is not None:
                    quotas.free("ResourceClaim", claim)


def _spelt(amount: int) -> str:
    return spell(amount, binary=False)


def _path(claim: ClaimFacts, key: str) -> Path:
    """Return the path of the request that uses most of what a quota counts."""
    asked = [each for each in claim.requests if each.device_class and f"{each.device_class}{CLASS_QUOTA}" == key]
    most = max(asked, key=lambda each: MOST_DEVICES if each.mode == "All" else each.number or 1, default=None)
    return NAME if most is None else (*most.path, "allocationMode" if most.mode == "All" else "count")
