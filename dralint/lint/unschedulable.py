"""Simulates the scheduler to find claims and Pods that no node of the inventory can satisfy."""

from __future__ import annotations

import json
import re
import shlex
import time
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from dralint.finding import catalogue
from dralint.finding.problem import at, dict_of, list_of
from dralint.finding.rule_ids import CONSTRAINT_NEVER_MET, FITS_ON_NO_NODE, NO_NODE_FOR_ALL, TOO_FEW_DEVICES
from dralint.finding.words import quoted
from dralint.records import grouped
from dralint.references.available_devices import PENDING
from dralint.references.extended import serving
from dralint.references.facts import (
    NAME,
    ClaimFacts,
    Class,
    Elsewhere,
    QuotaFacts,
    SliceFacts,
    TaintRule,
    WorkloadFacts,
    is_among,
    is_open,
)
from dralint.references.selectors import drivers_of_class
from dralint.simulate.behaviours import FIRST, behaviour, stand_in
from dralint.simulate.cluster import Cluster, results_of
from dralint.simulate.extended import NAME as EXTENDED_CLAIM
from dralint.simulate.placing import Placing
from dralint.simulate.questions import Questions, workloads_of
from dralint.simulate.server import ApiServer
from dralint.simulate.verdict import fits_anywhere

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.kubernetes.release import Release
    from dralint.lint.across_objects import Written
    from dralint.references.facts import Facts, Found, ObjectPlace, PodSpec, RequestFacts
    from dralint.references.world import World
    from dralint.simulate.cluster import Key
    from dralint.simulate.verdict import Verdict
    from dralint.yaml import Path


def are_unknown(cluster: Cluster) -> bool:
    """Say whether slices or devices have a node selector, and there are no Nodes."""
    specs = [] if cluster.of("Node") else [dict_of(item.get("spec")) for item in cluster.of("ResourceSlice")]
    places = (place for spec in specs for place in (spec, *map(dict_of, list_of(spec.get("devices")))))
    return any(place.get("nodeSelector") is not None for place in places)


def reach_everywhere(cluster: Cluster) -> bool:
    """Let all devices with a node selector reach every node. What fits nowhere then cannot fit in the real cluster.

    Slices of one pool for different labels may never meet on a node, so each label gets its own pool. Only a request
    for all devices can become harder to satisfy with more devices.

    Returns:
        False where it stays unknown which slices of a pool a node sees together.
    """
    slices = [(key, item) for key, item in cluster.objects.items() if key[0] == "ResourceSlice"]
    specs = ((key, item.get("spec") or {}) for key, item in slices)
    pools = grouped(((str(s.get("driver")), str((s.get("pool") or {}).get("name"))), (key, s)) for key, s in specs)
    for key, item in slices:
        _open_up(cluster, key, item)
    return all(_split(cluster, members) for members in pools.values())


def _open_up(cluster: Cluster, key: Key, item: Mapping[str, Any]) -> None:
    spec = _everywhere(item.get("spec") or {})
    spec.pop("skipNodeOperations", None)
    if isinstance(spec.get("devices"), list):
        spec["devices"] = [_everywhere(each) if isinstance(each, dict) else each for each in spec["devices"]]
    cluster.objects[key] = {**item, "spec": spec}


def _split(cluster: Cluster, slices: list[tuple[Key, dict[str, Any]]]) -> bool:
    """Give slices of a pool for different nodes their own pools; False where that is not possible."""
    members = [spec for _, spec in slices]
    selecting = [(key, spec["nodeSelector"]) for key, spec in slices if spec.get("nodeSelector") is not None]
    found = [(key, json.dumps(selector, sort_keys=True, default=str)) for key, selector in selecting]
    if not found:
        return True
    newest = max(_number(spec, "generation") for spec in members)
    current = [spec for spec in members if _number(spec, "generation") == newest]
    selectors = list(dict.fromkeys(selector for _, selector in found))
    if len(selectors) == 1:
        # At most these meet on a node. If there are more than the pool has, some of them do not meet.
        return len(current) <= max(_number(spec, "resourceSliceCount") for spec in current)
    if len(found) < len(members) or len(current) < len(members) or any(spec.get("sharedCounters") for spec in members):
        return False
    for number, wanted in enumerate(selectors):
        group = [key for key, selector in found if selector == wanted]
        for key in group:
            spec = cluster.objects[key]["spec"]
            pool = {**spec["pool"], "name": f"{spec['pool']['name']}/{number}", "resourceSliceCount": len(group)}
            cluster.objects[key] = {**cluster.objects[key], "spec": {**spec, "pool": pool}}
    return True


def _number(spec: Mapping[str, Any], field: str) -> int:
    value = (spec.get("pool") or {}).get(field, 0)
    return value if isinstance(value, int) else 0


def _everywhere(places: Mapping[str, Any]) -> dict[str, Any]:
    if places.get("nodeSelector") is None:
        return dict(places)
    return {**{key: value for key, value in places.items() if key != "nodeSelector"}, "allNodes": True}


_GATES = {
    "sharedCounters": "DRAPartitionableDevices",
    "consumesCounters": "DRAPartitionableDevices",
    "allowMultipleAllocations": "DRAConsumableCapacity",
    "bindingConditions": "DRADeviceBindingConditions",
}
"""Field of slices and devices → the gate without which the scheduler does not use the device, or uses less of it.

Where an inventory has the field, the gate was on. dralint does not judge by a release without the gate: that would be
another cluster.
"""

_LISTS = "DRAListTypeAttributes", ("bools", "ints", "strings", "versions")
"""The gate of attributes with several values, and their fields."""

_NODE, _QUESTION, _RUN = 0.5, 1.0, 1.5
"""Time limits: seconds for a node, seconds for one question, and processor seconds for a whole run. dralint does not
report what takes longer."""

_OF_THE_INVENTORY = (
    "ResourceSlice",
    "DeviceClass",
    "DeviceTaintRule",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "Node",
    "RuntimeClass",
)
"""Kinds of an inventory that describe what the cluster has; the other kinds describe its current state."""

_TRANSIENT = "node.kubernetes.io/"


class SchedulabilityCheck:
    """Finds the objects of an input that request more than any node of an inventory has.

    Args:
        world: the objects, and the releases that judge them.
        settings: of the run.
        written: the objects of the input that matter, and its quotas, which do not.
        stock: the objects of the inventory, in any API version. Without any, dralint assumes that the drivers in the
            input have only the slices in the input. Allocations do not count: they may belong to the very manifests
            that dralint judges.
        unclear: objects that are refused, or that lose fields when they are created.
        inventory: paths of the inventory, for the hint.

    `unasked` are the objects for which the run had no time left.
    """

    def __init__(
        self,
        world: World,
        settings: Settings,
        written: Sequence[Written],
        stock: Iterable[Mapping[str, Any]],
        unclear: frozenset[ObjectPlace],
        inventory: Sequence[str],
    ) -> None:
        self.world = world
        self.settings = settings
        self.inventory = inventory
        self.namespace = settings.namespace or "default"
        self._whole = True
        self._keys: dict[ObjectPlace, Key] = {}
        self._pods: dict[ObjectPlace, Mapping[str, Any]] = {}
        self._of: Callable[[Release], Placing | None] = cache(self._placing)
        self._known: dict[tuple[Release, str], Verdict] = {}
        self._end = time.process_time() + _RUN
        self.unasked: set[ObjectPlace] = set()
        objects = list(stock)
        self._all_drivers = bool(objects)
        self.cluster = self._cluster(written, objects, unclear)

    def _cluster(
        self, written: Sequence[Written], stock: Iterable[Mapping[str, Any]], unclear: frozenset[ObjectPlace]
    ) -> Cluster:
        cluster, own = Cluster(), Cluster()
        for number, item in enumerate(stock):
            if item.get("kind") in _OF_THE_INVENTORY:
                cluster.add(_fresh(item, number))
        specs: dict[Key, Any] = {}
        blocked: set[Key] = set()
        for number, (facts, data) in enumerate(written):
            place, item = facts.place, _fresh(data, number)
            known = place not in unclear and not is_unfinished(item)
            if isinstance(facts.body, WorkloadFacts):
                if known:
                    self._pods[place] = item
                continue
            if not known and isinstance(facts.body, (SliceFacts, TaintRule)):
                self._whole = False
                continue
            key = None if isinstance(facts.body, QuotaFacts) else own.add(item, self.namespace)
            if key is None:
                continue
            spec = own.objects[key].get("spec")
            if not known or specs.setdefault(key, spec) != spec:
                blocked.add(key)
            self._keys[place] = key
        cluster.objects.update(own.objects)
        for key in blocked:
            cluster.objects.pop(key, None)
        self._unknown_nodes = are_unknown(cluster)
        if self._unknown_nodes:
            self._whole = reach_everywhere(cluster) and self._whole
        return cluster

    def check(self, reported: Sequence[Found]) -> Iterator[Found]:
        """Yield the claims, templates and Pods that fit on no node, if no finding in `reported` explains why."""
        if not self._whole or not any(s["spec"].get("devices") for s in self.cluster.of("ResourceSlice")):
            return
        rules = catalogue.rules()
        silent = {
            each.facts.place: each.facts
            for each in reported
            if each.problem.rule.startswith("DRA4") and rules[each.problem.rule].effect in ("rejected", "broken")
        }
        if any(isinstance(facts.body, SliceFacts) for facts in silent.values()):
            return
        classes = {facts.name for facts in silent.values() if isinstance(facts.body, Class)}
        for facts, claim in self.world.claims:
            if facts.place in silent or not claim.plain or claim.allocated or not claim.requests:
                continue
            if any(request.device_class in classes for request in claim.requests):
                silent[facts.place] = facts
                continue
            for found in self._claim(facts, claim):
                silent[facts.place] = facts
                yield found
        for facts, _, pod in self.world.workloads:
            if facts.place not in silent:
                yield from self._pod(facts, pod, silent)

    def _claim(self, facts: Facts, claim: ClaimFacts) -> Iterator[Found]:
        key = self._keys.get(facts.place)
        item = None if key is None else self.cluster.objects.get(key)
        if item is None or self._unclear(claim):
            return
        failing = self._failing(facts, item, json.dumps(item.get("spec"), default=str), [claim])
        if not failing:
            return
        verdict, releases = failing[max(failing)], sorted(failing)
        if verdict.apart:
            request = _rarest(claim, verdict)
            path = request.selectors[0].path if request.selectors else (*request.path, "deviceClassName")
            message = f"no node has devices for all requests: {_shown(verdict)}; {PENDING}"
            hint = "a claim gets all its devices on one node: use a claim for each, or request what one node has"
            yield self.world.found(facts, NO_NODE_FOR_ALL, path, message, hint, releases=releases)
            return
        path, target = _path(claim, verdict)
        if verdict.constraint:
            message = f"{verdict.reason}; {PENDING}"
            yield self.world.found(
                facts, CONSTRAINT_NEVER_MET, path, message, verdict.hint, target=target, releases=releases
            )
            return
        what = "template" if facts.kind == "ResourceClaimTemplate" else "claim"
        files = [each.file for r in claim.requests for each, _ in self.world.classes(r.device_class)]
        then = _ENDS if verdict.fails else "Pods that use it stay Pending (`cannot allocate all claims`)"
        message = f"no node of the inventory can satisfy the {what}: {verdict.reason}; {then}"
        hint = self._hint(facts, files, failing)
        rule = FITS_ON_NO_NODE
        if verdict.wanted:
            most = max(claim.requests, key=lambda each: each.number or 1)
            rule, path, target = TOO_FEW_DEVICES, (*most.path, "count"), "value"
        yield self.world.found(facts, rule, path, message, hint, target=target, releases=releases)

    def _pod(self, facts: Facts, pod: PodSpec, silent: Mapping[ObjectPlace, Facts]) -> Iterator[Found]:
        item = self._pods.get(facts.place)
        if item is None or not pod.plain or pod.node_name is not None:
            return
        item = _alone(item, pod.path)
        if not pod.entries:
            yield from self._extended(facts, pod, item)
            return
        targets: list[Facts] = []
        specs: list[Any] = []
        wanted: list[ClaimFacts] = []
        for entry in pod.entries:
            found = self.world.target(facts, entry)
            claims = [claim for _, claim in self.world.claims_of(facts, entry)]
            if any(each.place in silent for each in found):
                return
            if any(claim.allocated or self._unclear(claim) for claim in claims):
                return
            wanted += claims
            there = self.cluster.get(entry.kind, facts.namespace or self.namespace, str(entry.target))
            if there is None:
                return
            targets += found
            specs.append([entry.claim, there.get("spec")])
        placement = _placement(item, pod.path)
        if any(placement[:2]) and not self._all_drivers:
            return  # the cluster may have nodes that the input's slices omit
        failing = self._failing(facts, item, json.dumps([specs, placement], default=str), wanted)
        if not failing:
            return
        newest, releases = max(failing), sorted(failing)
        verdict = failing[newest]
        then = _ENDS if verdict.fails else "the Pod stays Pending (`cannot allocate all claims`)"
        if any(placement[:2]):
            free = _without(item, pod.path, ("nodeSelector", "affinity"))
            other = self._verdict(newest, free, json.dumps([specs, _placement(free, pod.path)], default=str))
            if other is not None and other.fits:
                yield self.world.found(
                    facts, NO_NODE_FOR_ALL, *_choice(pod, placement, other.node, then), releases=releases
                )
                return
        rule = NO_NODE_FOR_ALL if verdict.apart else FITS_ON_NO_NODE
        message = f"no node of the inventory can satisfy the claims of the Pod: {verdict.reason}; {then}"
        if verdict.apart:
            message = f"no node has devices for all claims of the Pod: {_shown(verdict)}; {then}"
        files = [target.file for target in targets]
        files += [
            each.file
            for target in targets
            if isinstance(target.body, ClaimFacts)
            for request in target.body.requests
            for each, _ in self.world.classes(request.device_class)
        ]
        elsewhere = [Elsewhere(f"the {target.kind} {quoted(target.name)}", target, NAME) for target in targets]
        hint, path = self._hint(facts, files, failing), (*pod.path, "resourceClaims")
        yield self.world.found(facts, rule, path, message, hint, *elsewhere, target="key", releases=releases)

    def _extended(self, facts: Facts, pod: PodSpec, item: Mapping[str, Any]) -> Iterator[Found]:
        """Yield a Pod without claims that requests more extended resources than the devices of classes offer."""
        offered = {name: classes[-1] for name, classes in self.world.offering.items()}
        asked = [(path, name) for path, name, amount in pod.extended if amount != "0"]
        classes = [offered[name] for _, name in asked if name in offered]
        if not asked or len(classes) < len(asked) or any(self._may_be_elsewhere(each.name) for each, _ in classes):
            return  # another rule or a device plugin handles it
        placement = _placement(item, pod.path)
        if any(placement[:2]) and not self._all_drivers:
            return
        by_devices = [serving(self.world, facts, name, offered[name][1]) for _, name in asked]
        failing = self._failing(facts, item, json.dumps([asked, placement], default=str), [])
        failing = {release: one for release, one in failing.items() if all(release in each for each in by_devices)}
        if not failing:
            return
        verdict, (path, _) = failing[max(failing)], asked[0]
        what = asked[0][1] if len(asked) == 1 else "the container"
        reason = re.sub(rf"{re.escape(EXTENDED_CLAIM)}/container-\d+-request-\d+", what, verdict.reason)
        message = (
            f"no node of the inventory can satisfy the extended resources of the Pod: {reason}; the Pod stays Pending "
            "(`cannot allocate all claims`)"
        )
        elsewhere = [Elsewhere(f"the DeviceClass {quoted(each.name)}", each, NAME) for each, _ in classes[:1]]
        hint = self._hint(facts, [each.file for each, _ in classes], failing)
        yield self.world.found(
            facts, FITS_ON_NO_NODE, path, message, hint, *elsewhere, target="key", releases=sorted(failing)
        )

    @cached_property
    def _drivers(self) -> frozenset[str]:
        """The drivers that have devices."""
        return frozenset() if self.world.stock is None else frozenset(self.world.stock.drivers)

    @cached_property
    def _slices(self) -> list[str]:
        """The files that have slices of the input and are not part of the inventory."""
        files = (facts.file for facts, _ in self.world.index.holding(SliceFacts))
        return [file for file in dict.fromkeys(files) if file not in self.inventory]

    def _unclear(self, claim: ClaimFacts) -> bool:
        """Say whether it is unknown which devices a claim can get."""
        if self._unknown_nodes and any(request.mode == "All" for request in claim.requests):
            return True  # it is also unknown which nodes have them
        return any(self._may_be_elsewhere(request.device_class) for request in claim.requests)

    def _may_be_elsewhere(self, device_class: str | None) -> bool:
        """Say whether a class may have devices of a driver whose slices are not in the input."""
        known = self.world.classes(device_class)
        asked = drivers_of_class(known[0][1]) if known else None
        if asked is None or self.world.stock is None:
            return not self._all_drivers
        if not asked.isdisjoint(self._drivers):
            return False
        return not self._all_drivers or any(is_among(str(driver), self.world.scope.drivers) for driver in asked)

    def _failing(
        self, facts: Facts, item: Mapping[str, Any], question: str, claims: Sequence[ClaimFacts]
    ) -> dict[Release, Verdict]:
        """Return the releases in which an object fits nowhere. Equal `question`s have equal answers."""
        early = any(request.admin or request.mode == "All" for claim in claims for request in claim.requests)
        failing: dict[Release, Verdict] = {}
        for release in self.world.releases(facts):
            if release < FIRST and early:
                continue
            verdict = self._verdict(release, item, question)
            if verdict is None or verdict.fits is None:
                if time.process_time() >= self._end and self._of(release) is not None:
                    self.unasked.add(facts.place)
            elif not verdict.fits and not (release < FIRST and verdict.fails):
                failing[release] = verdict
        return failing

    def _verdict(self, release: Release, item: Mapping[str, Any], question: str) -> Verdict | None:
        known = self._known.get((release, question))
        asked, left = self._of(release), min(_QUESTION, self._end - time.process_time())
        if known is None and asked is not None and left > 0:
            try:
                known = fits_anywhere(
                    self.cluster, item, asked.behaviour, namespace=self.namespace, seconds=left, placing=asked
                )
            except ODD:
                return None
            self._known[release, question] = known
        return known

    def _placing(self, release: Release) -> Placing | None:
        """Return the state of the cluster for a release; None if dralint cannot simulate it for this inventory."""
        try:
            how = stand_in(release, dict(self.settings.gates), self.world.patches.get(release, ()))
            same = self._gates() <= how.gates
            return Placing(self.cluster, how, timeout=_NODE, explain="never") if same else None
        except ODD:
            return None

    def _gates(self) -> set[str]:
        """Return the gates that are on in the cluster of the inventory, as its slices show."""
        specs = [item["spec"] for item in self.cluster.of("ResourceSlice")]
        every = [*specs, *(device for spec in specs for device in spec.get("devices") or ())]
        found = {gate for key, gate in _GATES.items() if any(each.get(key) for each in every)}
        values = (value for each in every for value in (each.get("attributes") or {}).values())
        return found | {_LISTS[0]} if any(key in value for value in values for key in _LISTS[1]) else found

    def _hint(self, facts: Facts, files: Iterable[str], failing: Iterable[Release]) -> str:
        others = (file for file in files if file not in self.inventory)
        words = ["dralint", "simulate", *dict.fromkeys([facts.file, *others, *self._slices])]
        for path in self.inventory:
            words += ["--inventory", path]
        newest = max(failing)
        if newest != self.world.versions.known[-1] and newest >= FIRST:
            words += ["--kubernetes-version", str(newest)]
        if self.settings.gates:
            words += ["--feature-gates", ",".join(f"{n}={str(on).lower()}" for n, on in self.settings.gates)]
        if self.settings.namespace is not None:
            words += ["--namespace", self.settings.namespace]

        return f"`{shlex.join(words)}` shows what each node lacks"


ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""Errors that the simulation raises for an unknown release, or an inventory that no cluster could have written.

dralint has not judged the inventory: where it cannot simulate one, it reports nothing.
"""


_ENDS = "scheduling ends with an error"


def _path(claim: ClaimFacts, verdict: Verdict) -> tuple[Path, str]:
    for name in verdict.requests:
        for request in claim.requests:
            if request.full_name == name:
                return (*request.path, "deviceClassName"), "value"
    for constraint in claim.constraints:
        if verdict.constraint and constraint.attribute == verdict.constraint:
            return constraint.path, "value"
    if len(claim.requests) == 1:
        return (*claim.requests[0].path, "deviceClassName"), "value"
    return claim.top, "key"


def _shown(verdict: Verdict) -> str:
    """Return the nodes that have devices for each request."""
    return "; ".join(f"those of {quoted(key)} are on {', '.join(nodes[:4])}" for key, nodes in verdict.apart.items())


def _rarest(claim: ClaimFacts, verdict: Verdict) -> RequestFacts:
    """Return the request whose devices are on the fewest nodes."""
    return min(claim.requests, key=lambda each: len(verdict.apart.get(each.parent or each.name, "*" * 1000)))


def _choice(pod: PodSpec, placement: Sequence[Any], node: str, then: str) -> tuple[Path, str, str]:
    """Return the path where a Pod selects its nodes, the message and the hint; its devices are on another `node`."""
    selector, affinity = placement[:2]
    there, hint = f"the devices that match are on {node}: {then}", f"choose a node such as {node}"
    if pod.host is not None and not is_open(pod.host):
        path = (*pod.path, "nodeSelector", "kubernetes.io/hostname")
        return path, f"the Pod requires the node {pod.host}, and {there}", hint
    if selector:
        path = (*pod.path, "nodeSelector", *(selector if len(selector) == 1 else ()))
        return path, f"no node with these labels has devices for the Pod, {there}", hint
    required = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    terms, path = list_of(at(affinity, required)), (*pod.path, "affinity", *required)
    if len(terms) == 1:
        each = [
            (key, number)
            for key in ("matchExpressions", "matchFields")
            for number, _ in enumerate(terms[0].get(key) or ())
        ]
        path = (*path, 0, *(each[0] if len(each) == 1 else ()))
    return path, f"no node that the affinity allows has devices for the Pod, {there}", hint


def _alone(item: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return an object without the demands of its Pods on other Pods: dralint does not know which Pods exist."""
    found = _without(item, path, ("topologySpreadConstraints",))
    affinity = _placement(found, path)[1]
    return _without(found, (*path, "affinity"), ("podAffinity", "podAntiAffinity")) if affinity else found


def _without(item: Mapping[str, Any], path: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """Return an object whose Pods lack some fields."""
    if path:
        first = str(path[0])
        return {**item, first: _without(item[first], path[1:], keys)}
    return {key: value for key, value in item.items() if key not in keys}


def _placement(item: Mapping[str, Any], path: Path) -> list[Any]:
    spec = dict_of(at(item, path))
    return [spec.get(key) for key in ("nodeSelector", "affinity", "tolerations", "runtimeClassName")] + [
        [container.get("resources") for container in spec.get(key) or () if isinstance(container, dict)]
        for key in ("initContainers", "containers")
    ]


def _fresh(item: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return an object without its status in a cluster; a slice without a name gets a unique one."""
    kind, metadata = item.get("kind"), dict_of(item.get("metadata"))
    if kind == "ResourceSlice" and not metadata.get("name"):
        return {**item, "metadata": {**metadata, "name": f"{metadata.get('generateName') or ''}{number}"}}
    if kind == "Node":
        return _node(item)
    return {key: value for key, value in item.items() if key != "status"}


def _node(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node without temporary state: without a cordon, and without the taints of its conditions."""
    spec = dict_of(item.get("spec"))
    taints = (taint for taint in list_of(spec.get("taints")) if isinstance(taint, dict))
    kept = [taint for taint in taints if not str(taint.get("key")).startswith(_TRANSIENT)]
    rest = {key: value for key, value in spec.items() if key not in ("unschedulable", "taints")}
    return {**item, "spec": {**rest, "taints": kept}}


def is_unfinished(item: Mapping[str, Any]) -> bool:
    """Say whether a part of an object that matters still has a placeholder."""
    parts = [at(item, ("metadata", key)) for key in ("name", "namespace")]
    if str(item.get("apiVersion")).startswith("resource.k8s.io/"):
        parts.append(item.get("spec"))
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            parts += [*part, *part.values()]
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, str) and is_open(part):
            return True
    return False


_MOST_OBJECTS = 10_000
"""An inventory with more objects is not asked what it has left."""


class _TimeUpError(Exception):
    """The time is up."""


def without_devices(
    written: Sequence[Written],
    stock: Sequence[Mapping[str, Any]],
    unclear: Collection[ObjectPlace],
    settings: Settings,
    release: Release,
) -> int:
    """Return how many Pods and workloads of the input would wait for devices, if it were applied to the inventory now.

    They are not findings: devices that are in use today may be free when the manifests are applied. It is 0 where
    nothing of the inventory is in use, and where dralint does not know. `unclear` has the objects that are refused, or
    that lose fields.
    """
    used = any(item.get("kind") == "ResourceClaim" and results_of(item) for item in stock)
    if release < FIRST or len(stock) > _MOST_OBJECTS or not used:
        return 0
    if any(facts.place in unclear or is_unfinished(data) for facts, data in written):
        return 0
    try:
        return _count(written, stock, settings, release)
    except (_TimeUpError, *ODD):
        return 0


def _count(written: Sequence[Written], stock: Sequence[Mapping[str, Any]], settings: Settings, release: Release) -> int:
    end = time.process_time() + _RUN

    def advance(_: int) -> None:
        if time.process_time() > end:
            raise _TimeUpError

    namespace = settings.namespace or "default"
    cluster, own, taken = Cluster(), Cluster(), []
    for item in stock:
        cluster.add(item)
    server = ApiServer(cluster, behaviour(release, dict(settings.gates), settings.patch(release)))
    for _, data in written:
        key = server.apply(data, namespace)
        if key is not None:
            own.objects[key] = cluster.objects[key]
        if not server.refused_last:
            taken.append(dict(data))
    questions = Questions(
        cluster, server.behaviour, timeout=_NODE, explain="never", advance=advance, quotas=server.quotas
    )
    answers = questions.sequence(workloads_of(own, taken, namespace))
    return sum(
        answer.answer in ("none", "some") and not answer.refused and not answer.out_of_scope for answer in answers
    )
