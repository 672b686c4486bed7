"""Claims and Pods that no node of the inventory can satisfy, as the scheduler would find out: simulated.

Where a rule about one limit has spoken (of the object, of its claims or of their classes), nothing more is said of it.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding import catalogue
from dralint.finding.words import quoted
from dralint.references.facts import Claim, Class, Slice, TaintRule, Workload
from dralint.references.names import is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.kubernetes.release import Release
    from dralint.references.facts import Facts, PodSpec
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.simulate.cluster import Cluster, Key
    from dralint.simulate.questions import Questions
    from dralint.simulate.verdict import Verdict
    from dralint.yaml import Path

NOWHERE = "DRA438"
_DISPROVED = frozenset({"DRA430", "DRA432", "DRA433", "DRA434", "DRA435", "DRA436"})
"""What cannot be where a claim fits on some node."""

_GATES = {
    "sharedCounters": "DRAPartitionableDevices",
    "consumesCounters": "DRAPartitionableDevices",
    "allowMultipleAllocations": "DRAConsumableCapacity",
    "bindingConditions": "DRADeviceBindingConditions",
}
"""Field of slices and devices → the gate without which the scheduler does not use the device, or less of it.

Where an inventory has the field, the gate was on: a release that is judged without it is another cluster.
"""

_NODE, _QUESTION, _RUN = 0.5, 1.0, 8.0
"""Seconds for a node, for one question, and for all of a run; what they do not suffice for is not told."""

Place = tuple[str, int, "Path"]
"""File, number of the document, and path of an object."""


class Written(NamedTuple):
    """An object of the input with its facts."""

    facts: Facts
    data: Mapping[str, Any]


def place_of(facts: Facts) -> Place:
    """Return where an object stands."""
    return facts.file, facts.document, facts.path


def concerns(facts: Facts) -> bool:
    """Say whether an object of the input matters to the simulation."""
    return isinstance(facts.body, (Claim, Class, Slice, TaintRule, Workload))


class Reach:
    """Asks which objects of an input want what no node of an inventory has.

    Args:
        world: the objects, and the releases that judge them.
        settings: of the run.
        written: the objects of the input that `concerns`.
        stock: the objects of the inventory, in any API version. Allocations do not count: what is in use may be
            in use by the very manifests that are judged.
        unclear: objects that are refused, or that lose fields when they are created.
        inventory: paths of the inventory, for the hint.
    """

    def __init__(
        self,
        world: World,
        settings: Settings,
        written: Sequence[Written],
        stock: Iterable[Mapping[str, Any]],
        unclear: frozenset[Place],
        inventory: Sequence[str],
    ) -> None:
        self.world = world
        self.settings = settings
        self.inventory = inventory
        self.namespace = settings.namespace or "default"
        self._whole = True
        self._keys: dict[Place, Key] = {}
        self._pods: dict[Place, Mapping[str, Any]] = {}
        self._questions: dict[Release, Questions | None] = {}
        self._known: dict[tuple[Release, str], Verdict] = {}
        self._end = time.monotonic() + _RUN
        self.cluster = self._cluster(written, stock, unclear)

    def _cluster(
        self, written: Sequence[Written], stock: Iterable[Mapping[str, Any]], unclear: frozenset[Place]
    ) -> Cluster:
        from dralint.simulate.cluster import Cluster

        cluster, own = Cluster(), Cluster()
        for number, item in enumerate(stock):
            cluster.add(_fresh(item, number))
        specs: dict[Key, Any] = {}
        blocked: set[Key] = set()
        for number, (facts, data) in enumerate(written):
            place, item = place_of(facts), _fresh(data, number)
            known = place not in unclear and not _open(item)
            if isinstance(facts.body, Workload):
                if known:
                    self._pods[place] = item
                continue
            if not known and isinstance(facts.body, (Slice, TaintRule)):
                self._whole = False
                continue
            key = own.add(item, self.namespace)
            if key is None:
                continue
            spec = own.objects[key].get("spec")
            if not known or specs.setdefault(key, spec) != spec:
                blocked.add(key)
            self._keys[place] = key
        cluster.objects.update(own.objects)
        for key in blocked:
            cluster.objects.pop(key, None)
        if not cluster.of("Node"):
            _reach_everywhere(cluster)
        return cluster

    def check(self, told: Sequence[Found]) -> Iterator[Found]:
        """Yield the claims, templates and Pods that fit on no node, where none of `told` says why."""
        if not self._whole or not any(s["spec"].get("devices") for s in self.cluster.of("ResourceSlice")):
            return
        rules = catalogue.rules(self.settings.rules_index)
        silent = {
            place_of(each.facts): each.facts
            for each in told
            if each.problem.rule.startswith("DRA4") and rules[each.problem.rule].effect in ("rejected", "broken")
        }
        if any(isinstance(facts.body, Slice) for facts in silent.values()):
            return
        classes = {facts.name for facts in silent.values() if isinstance(facts.body, Class)}
        for facts, claim in self.world.claims():
            if place_of(facts) in silent or not claim.plain or claim.allocated or not claim.requests:
                continue
            if any(request.device_class in classes for request in claim.requests):
                silent[place_of(facts)] = facts
                continue
            for found in self._claim(facts, claim):
                silent[place_of(facts)] = facts
                yield found
        for facts, _, pod in self.world.workloads():
            if place_of(facts) not in silent:
                yield from self._pod(facts, pod, silent)

    def proven(self, found: Found) -> Found | None:
        """Return a finding without the releases in which the claim fits on some node; None where none is left.

        The rules about one limit look at one thing at a time; who has found devices for a claim knows better.
        """
        key = self._keys.get(place_of(found.facts))
        item = None if key is None else self.cluster.objects.get(key)
        if found.problem.rule not in _DISPROVED or item is None or not self._whole:
            return found
        question = json.dumps(item.get("spec"), default=str)
        self._failing(found.facts, item, question)
        known = {release: self._known.get((release, question)) for release in found.releases}
        left = tuple(release for release, verdict in known.items() if verdict is None or not verdict.fits)
        return found._replace(releases=left) if left else None

    def _claim(self, facts: Facts, claim: Claim) -> Iterator[Found]:
        key = self._keys.get(place_of(facts))
        item = None if key is None else self.cluster.objects.get(key)
        if item is None:
            return
        failing = self._failing(facts, item, json.dumps(item.get("spec"), default=str))
        if not failing:
            return
        verdict = failing[max(failing)]
        path, target = _path(claim, verdict)
        what = "template" if facts.kind == "ResourceClaimTemplate" else "claim"
        files = [each.file for r in claim.requests for each, _ in self.world.classes(r.device_class)]
        then = _ENDS if verdict.fails else "Pods that use it stay Pending (`cannot allocate all claims`)"
        message = f"no node of the inventory can satisfy the {what}: {verdict.reason}; {then}"
        hint = self._hint(facts, files, failing)
        yield self.world.found(facts, NOWHERE, path, message, hint, target=target, releases=sorted(failing))

    def _pod(self, facts: Facts, pod: PodSpec, silent: Mapping[Place, Facts]) -> Iterator[Found]:
        item = self._pods.get(place_of(facts))
        if item is None or not pod.plain or pod.node_name is not None or not pod.entries:
            return
        targets: list[Facts] = []
        specs: list[Any] = []
        for entry in pod.entries:
            found = self.world.target(facts, entry)
            if any(
                place_of(each) in silent or (isinstance(each.body, Claim) and each.body.allocated) for each in found
            ):
                return
            kind = "ResourceClaim" if entry.claim is not None else "ResourceClaimTemplate"
            namespace = facts.namespace or self.namespace
            there = self.cluster.get(kind, namespace, str(entry.claim or entry.template))
            if there is None:
                return
            targets += found
            specs.append([entry.claim, there.get("spec")])
        failing = self._failing(facts, item, json.dumps([specs, _placement(item, pod.path)], default=str))
        if not failing:
            return
        verdict = failing[max(failing)]
        then = _ENDS if verdict.fails else "the Pod stays Pending (`cannot allocate all claims`)"
        message = f"no node of the inventory can satisfy the claims of the Pod: {verdict.reason}; {then}"
        files = [target.file for target in targets]
        files += [
            each.file
            for target in targets
            if isinstance(target.body, Claim)
            for request in target.body.requests
            for each, _ in self.world.classes(request.device_class)
        ]
        elsewhere = [Elsewhere(f"the {target.kind} {quoted(target.name)}", target, NAME) for target in targets]
        hint, path = self._hint(facts, files, failing), (*pod.path, "resourceClaims")
        yield self.world.found(facts, NOWHERE, path, message, hint, *elsewhere, target="key", releases=sorted(failing))

    def _failing(self, facts: Facts, item: Mapping[str, Any], question: str) -> dict[Release, Verdict]:
        """Return the releases in which an object fits nowhere; `question` is the same for what is asked alike."""
        from dralint.simulate.verdict import fits_anywhere

        failing: dict[Release, Verdict] = {}
        for release in self.world.releases(facts):
            verdict = self._known.get((release, question))
            asked, left = self._of(release), min(_QUESTION, self._end - time.monotonic())
            if verdict is None and asked is not None and left > 0:
                try:
                    verdict = fits_anywhere(
                        self.cluster, item, asked.behaviour, namespace=self.namespace, seconds=left, questions=asked
                    )
                except _ODD:
                    continue
                self._known[release, question] = verdict
            if verdict is not None and verdict.fits is False:
                failing[release] = verdict
        return failing

    def _of(self, release: Release) -> Questions | None:
        """Return who answers for a release; None for one that is not simulated."""
        if release not in self._questions:
            from dralint.simulate.behaviours import behaviour
            from dralint.simulate.questions import Questions

            try:
                how = behaviour(release, dict(self.settings.gates))
                same = self._gates() <= how.gates
                asked = Questions(self.cluster, how, timeout=_NODE, explain="never") if same else None
                self._questions[release] = asked
            except _ODD:
                self._questions[release] = None
        return self._questions[release]

    def _gates(self) -> set[str]:
        """Return the gates that are on in the cluster of the inventory, as far as its slices show it."""
        specs = [item["spec"] for item in self.cluster.of("ResourceSlice")]
        every = [*specs, *(device for spec in specs for device in spec.get("devices") or ())]
        return {gate for key, gate in _GATES.items() if any(each.get(key) for each in every)}

    def _hint(self, facts: Facts, files: Iterable[str], failing: Iterable[Release]) -> str:
        others = (file for file in files if file not in self.inventory)
        words = ["dralint", "simulate", *dict.fromkeys([facts.file, *others])]
        for path in self.inventory:
            words += ["--inventory", path]
        newest = max(failing)
        if newest != self.world.versions.known[-1]:
            words += ["--kubernetes-version", str(newest)]
        if self.settings.gates:
            words += ["--feature-gates", ",".join(f"{n}={str(on).lower()}" for n, on in self.settings.gates)]
        if self.settings.namespace is not None:
            words += ["--namespace", self.settings.namespace]
        import shlex  # few inputs come to this

        return f"`{shlex.join(words)}` shows what each node lacks"


_ODD = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What an inventory that no cluster could have written makes of the simulation, besides releases without one.

Nobody has judged the inventory: of one that is not understood nothing is said.
"""


_ENDS = "scheduling ends with an error"


def _path(claim: Claim, verdict: Verdict) -> tuple[Path, str]:
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


def _placement(item: Mapping[str, Any], path: Path) -> list[Any]:
    spec: Any = item
    for part in path:
        spec = spec[part]
    return [spec.get(key) for key in ("nodeSelector", "affinity")] + [
        [container.get("resources") for container in spec.get(key) or () if isinstance(container, dict)]
        for key in ("initContainers", "containers")
    ]


def _fresh(item: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return an object without what a cluster has noted on it; a slice without a name gets one of its own."""
    kind, metadata = item.get("kind"), item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if kind == "ResourceSlice" and not metadata.get("name"):
        return {**item, "metadata": {**metadata, "name": f"{metadata.get('generateName') or ''}{number}"}}
    if kind == "Node":
        return dict(item)
    return {key: value for key, value in item.items() if key != "status"}


def _open(item: Mapping[str, Any]) -> bool:
    """Say whether something still has to be put into what matters of an object."""
    metadata = item.get("metadata")
    parts: list[Any] = [metadata.get(key) for key in ("name", "namespace")] if isinstance(metadata, dict) else []
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


def _reach_everywhere(cluster: Cluster) -> None:
    """Let what is for nodes with certain labels reach every node: without Nodes nobody knows their labels."""
    for key, item in cluster.objects.items():
        if key[0] != "ResourceSlice":
            continue
        spec = _everywhere(item.get("spec") or {})
        spec.pop("skipNodeOperations", None)
        if isinstance(spec.get("devices"), list):
            spec["devices"] = [_everywhere(each) if isinstance(each, dict) else each for each in spec["devices"]]
        cluster.objects[key] = {**item, "spec": spec}


def _everywhere(places: Mapping[str, Any]) -> dict[str, Any]:
    if places.get("nodeSelector") is None:
        return dict(places)
    return {**{key: value for key, value in places.items() if key != "nodeSelector"}, "allNodes": True}
