"""Finds Pods that cannot start or end because of their claims, claims that outlive their Pods, objects that wait for
their deletion, with what holds them, and nodes on which a driver publishes nothing, or does not run.

Sources (v1.37.0): pkg/kubelet/cm/dra/manager.go (prepareResources, unprepareResources),
pkg/controller/resourceclaim/controller.go (syncPod, syncClaim).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.drivers.choice import Choice
from dralint.finding.problem import dict_of, list_of
from dralint.finding.words import some_of
from dralint.kubernetes.taints import allows
from dralint.records import grouped
from dralint.references.facts import Class, SliceFacts
from dralint.references.selectors import DRIVER, demands
from dralint.simulate.cluster import claims_made, claims_used, has_ended, results_of, workload_of
from dralint.simulate.placing import DEFAULT_SCHEDULER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dralint.triage.dump import Dump, Plugin

    Item = Mapping[str, Any]


SHOWN_NODES = 3

Seen = tuple[str, str, str]
"""What is wrong with one object: a sentence, the name of the object (empty for none), and what to do."""

CONTROLLER = "the controller of claims ends this by itself: see whether kube-controller-manager runs, and its log"


def name_of(item: Mapping[str, Any]) -> str:
    """Return the name of an object, with its namespace."""
    metadata = item["metadata"]
    return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))


def stuck_pods(dump: Dump) -> Iterator[Seen]:
    """Yield Pods on nodes that do not start or end because of their claims."""
    published = Published(dump)
    for pod in dump.cluster.of("Pod"):
        if not dict_of(pod.get("spec")).get("nodeName") or has_ended(pod):
            continue
        ends = pod["metadata"].get("deletionTimestamp")
        found = _why_it_stays(dump, pod, published) if ends else _why_it_cannot_start(dump, pod, published)
        if found is not None:
            yield found[0], name_of(pod), found[1]


class Published:
    """What the slices of a dump say about nodes: which drivers publish for them, and where devices are."""

    def __init__(self, dump: Dump) -> None:
        self.local: dict[str, Counter[str]] = {}
        """Driver → node → number of devices, of slices of one node."""
        self.wide: set[str] = set()
        """Drivers with slices for several nodes."""
        self.nodes: dict[tuple[str, str, str], str] = {}
        """Driver, pool and device → its node."""
        for facts in dump.facts:
            body = facts.body
            if not isinstance(body, SliceFacts):
                continue
            names = [name for name in body.devices.split("\n") if name]
            if body.nodes in ("*", "?"):
                self.wide.add(body.driver)
                continue
            self.local.setdefault(body.driver, Counter())[body.nodes] += len(names)
            self.nodes.update({(body.driver, body.pool, name): body.nodes for name in names})
        self.known = bool(self.local or self.wide) and not dump.incomplete

    def silent(self, driver: str, node: str) -> bool:
        """Say whether a driver surely publishes nothing for a node."""
        return self.known and driver not in self.wide and node not in self.local.get(driver, {})


def claim_of(dump: Dump, pod: Item, entry: Item) -> tuple[str | None, Item | None]:
    """Return name and claim of an entry of a Pod; no name where no claim is made for it, or where it needs none."""
    metadata = pod["metadata"]
    namespace = str(metadata.get("namespace"))
    name = entry.get("resourceClaimName") or claims_made(pod).get(str(entry.get("name")))
    if name is None:
        made = dump.cluster.generated("Pod", namespace, str(metadata.get("uid")), str(entry.get("name")))
        return (None, None) if made is None else (str(made["metadata"]["name"]), made)
    return str(name), dump.cluster.get("ResourceClaim", namespace, str(name))


def _entries(pod: Item) -> list[dict[str, Any]]:
    return [dict_of(entry) for entry in list_of(dict_of(pod.get("spec")).get("resourceClaims"))]


def _why_it_cannot_start(dump: Dump, pod: Item, published: Published) -> tuple[str, str] | None:
    """Return why a Pod on a node cannot start, and what to do; None where its claims do not show that."""
    node, uid = str(pod["spec"]["nodeName"]), pod["metadata"].get("uid")
    for entry in _entries(pod):
        name, claim = claim_of(dump, pod, entry)
        if claim is None:
            if name is None or dump.incomplete or not dump.kinds["ResourceClaim"]:
                continue
            return f"is on {node}, and its claim {name} does not exist", "delete the Pod, so that it is made again"
        allocated = bool(results_of(claim) or dict_of(claim.get("status")).get("allocation"))
        reserved = [dict_of(user) for user in list_of(dict_of(claim.get("status")).get("reservedFor"))]
        users = [user for user in reserved if user.get("resource") == "pods"]
        if not allocated:
            return _bypassed(pod)
        if uid and len(users) == len(reserved) and uid not in {user.get("uid") for user in users}:
            same = any(user.get("name") == pod["metadata"].get("name") for user in users)
            whom = some_of([str(user.get("name")) for user in users], SHOWN_NODES) or "no Pod"
            whom = "an older Pod of this name, with another uid" if same else whom
            text = f"is on {node}, and its claim {name} is reserved for {whom}, not for it"
            return f"{text}: the kubelet does not start it", CONTROLLER
        elsewhere = _elsewhere(claim, node, published, dump)
        if elsewhere:
            return f"is on {node}, and its claim {name} has devices of {elsewhere}", "delete the Pod: it cannot move"
        if dict_of(pod.get("status")).get("phase") == "Pending":
            for driver in _drivers(claim):
                if published.silent(driver, node):
                    text = f"is on {node}, where {driver} publishes nothing: the kubelet cannot prepare its devices"
                    return text, f"see whether the Pod of {driver} runs on {node}"
    return None


def _bypassed(pod: Item) -> tuple[str, str]:
    """Return what placed a Pod although its claim is not allocated."""
    scheduler = str(pod["spec"].get("schedulerName") or DEFAULT_SCHEDULER)
    told = "and the claim is not allocated: the kubelet does not start it"
    if scheduler == DEFAULT_SCHEDULER:
        text = f"is on {pod['spec']['nodeName']}, {told}; it has bypassed the scheduler, or lost its devices since"
        return text, "delete the Pod; its replacement must not set spec.nodeName"
    text = f"placed by the scheduler {scheduler}, {told}"
    return text, f"switch on what {scheduler} needs to allocate claims, or use the default scheduler"


def _elsewhere(claim: Item, node: str, published: Published, dump: Dump) -> str:
    """Return the nodes of a claim's devices if the node is surely none of them."""
    required = dict_of(dict_of(claim.get("status")).get("allocation")).get("nodeSelector")
    there = dump.cluster.get("Node", "", node)
    if isinstance(required, dict) and there is not None:
        labels = {str(key): str(value) for key, value in dict_of(there["metadata"].get("labels")).items()}
        if allows(required, node, labels, otherwise=True):
            return ""
    keys = [(str(r.get("driver")), str(r.get("pool")), str(r.get("device"))) for r in results_of(claim)]
    homes = dict.fromkeys(published.nodes[key] for key in keys if key in published.nodes)
    return some_of([home for home in homes if home != node], SHOWN_NODES)


def _drivers(claim: Item) -> Iterable[str]:
    return dict.fromkeys(str(result.get("driver")) for result in results_of(claim))


def _why_it_stays(dump: Dump, pod: Item, published: Published) -> tuple[str, str] | None:
    """Return why a deleted Pod stays, and what to do; None where that is not known."""
    node = str(pod["spec"]["nodeName"])
    if dump.kinds["Node"] and not dump.incomplete and dump.cluster.get("Node", "", node) is None:
        return f"is being deleted, and its node {node} is gone", "delete the Pod with --force"
    for entry in _entries(pod):
        _, claim = claim_of(dump, pod, entry)
        for driver in _drivers(claim) if claim is not None else ():
            if published.silent(driver, node):
                text = (
                    f"is being deleted, and {driver} publishes nothing on {node}: while the driver does not run there, "
                )
                text += "the kubelet cannot unprepare the devices and keeps the Pod"
                return text, f"let the driver run on {node} until its Pods have ended"
    return None


def outlived_claims(dump: Dump) -> Iterator[Seen]:
    """Yield claims whose Pods are gone or have ended, if they wait for no deletion."""
    if not dump.kinds["Pod"] or dump.incomplete:
        return
    pods = {pod["metadata"].get("uid"): pod for pod in dump.cluster.of("Pod")}
    used, _ = claims_used(w for pod in pods.values() if not has_ended(pod) and (w := workload_of(pod)) is not None)
    for claim in dump.cluster.of("ResourceClaim"):
        metadata = claim["metadata"]
        if metadata.get("deletionTimestamp") or (metadata.get("namespace"), metadata.get("name")) in used:
            continue
        owners = [dict_of(owner) for owner in list_of(metadata.get("ownerReferences"))]
        owner = next((each for each in owners if each.get("kind") == "Pod" and each.get("controller")), None)
        gone = gone_users(list_of(dict_of(claim.get("status")).get("reservedFor")), pods)
        kept = "keeps its devices" if results_of(claim) else "stays"
        if owner is not None and owner.get("uid") not in pods:
            text = f"{kept}, and the Pod {owner.get('name')}, for which it was made, is gone"
        elif gone:
            is_ = "is gone or has ended" if len(gone) == 1 else "are gone or have ended"
            text = f"{kept}, and {some_of(gone, SHOWN_NODES)}, for which it is reserved, {is_}"
        else:
            continue
        yield text, name_of(claim), CONTROLLER


def gone_users(users: Iterable[Any], pods: Mapping[Any, Item]) -> list[str]:
    """Return the names of the Pods for which a claim is reserved if all are gone or have ended; else nothing."""
    found = [(user, pods.get(user.get("uid"))) for user in map(dict_of, users)]
    gone = all(user.get("resource") == "pods" and (pod is None or has_ended(pod)) for user, pod in found)
    return [str(user.get("name")) for user, _ in found] if gone else []


PROTECTION = ("resource.kubernetes.io/delete-protection", "dra.k8s.io/delete-protection")
"""The finalizers of allocated claims, of `resource.k8s.io/v1alpha3` and later, and before."""

_COUNTED_PODS = "batch.kubernetes.io/job-tracking"


def deletions(dump: Dump) -> Iterator[Seen]:
    """Yield objects that wait for their deletion, with what holds them; for a Namespace, that is what is in it."""
    pods = {pod["metadata"].get("uid"): pod for pod in dump.cluster.of("Pod")}
    inside: dict[str, list[str]] = {}
    for (kind, namespace, _), item in dump.cluster.objects.items():
        metadata = item["metadata"]
        finalizers = [str(name) for name in list_of(metadata.get("finalizers"))]
        if finalizers and namespace:
            inside.setdefault(namespace, []).append(f"{kind} {metadata.get('name')} ({some_of(finalizers, 2)})")
        if not metadata.get("deletionTimestamp") or (kind == "Pod" and not _keeps(item, finalizers)):
            continue
        for finalizer in finalizers:
            text, hint = f"is being deleted, and has the finalizer {finalizer}", "see what sets it, and whether it runs"
            if kind == "ResourceClaim" and finalizer in PROTECTION:
                text, hint = _protected(item, pods, finalizer, whole=bool(dump.kinds["Pod"]) and not dump.incomplete)
            yield text, f"{kind} {name_of(item)}", hint
    for item in dump.cluster.of("Namespace"):
        held = inside.get(str(item["metadata"].get("name")))
        if item["metadata"].get("deletionTimestamp") and held:
            yield f"is being deleted, and waits for {some_of(held, SHOWN_NODES)}", f"Namespace {name_of(item)}", ""


def _keeps(pod: Mapping[str, Any], finalizers: list[str]) -> bool:
    """Say whether the finalizers of a Pod with claims matter: those of a Job come off as soon as it has ended."""
    ended = has_ended(pod)
    return not ended and bool(dict_of(pod.get("spec")).get("resourceClaims")) and finalizers != [_COUNTED_PODS]


def _protected(
    claim: Mapping[str, Any], pods: Mapping[Any, Mapping[str, Any]], finalizer: str, *, whole: bool
) -> tuple[str, str]:
    """Return what holds a claim with the finalizer of allocated claims, and what to do."""
    users = [dict_of(user) for user in list_of(dict_of(claim.get("status")).get("reservedFor"))]
    held = f"is being deleted, and has the finalizer {finalizer}"
    gone = gone_users(users, pods) if whole else []
    if gone:
        is_ = "which is" if len(gone) == 1 else "which are"
        return f"{held}: it is reserved for {some_of(gone, SHOWN_NODES)}, {is_} gone", CONTROLLER
    if users:
        namespace = claim["metadata"].get("namespace")
        names = [f"{namespace}/{user.get('name')}" for user in users]
        return f"{held} until {some_of(names, SHOWN_NODES)} end{'s' * (len(names) == 1)}", "delete these Pods"
    still = "allocated" if results_of(claim) else "not allocated"
    return f"{held}: it is {still} and reserved for nobody", CONTROLLER


def drivers_on_nodes(dump: Dump) -> Iterator[Seen]:
    """Yield drivers whose plugin does not run on a node, or runs and publishes nothing, and slices without devices."""
    published = Published(dump)
    drivers = {*published.local, *published.wide, *_of_classes(dump)}
    broken: dict[tuple[str, ...], list[str]] = {}
    for driver in sorted(drivers):
        there = published.local.get(driver) or Counter[str]()
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
            yield from ((text, each.name, "see the log of its container") for each in silent)
        if empty and (not full or len(empty) <= len(full)):
            text = f"{driver} publishes slices without devices on {some_of(empty, SHOWN_NODES)}{_siblings(full)}"
            hint = "see the log of the driver there: it found no device, or not the software that it needs"
            yield from ((text, node, hint) for node in empty)
    groups = grouped(((" and ".join(names), why), (name, node)) for (name, node, why), names in broken.items())
    for (together, why), several in groups.items():
        nodes = some_of([node for _, node in several], SHOWN_NODES)
        text = f"the Pod of {together} does not run on {nodes} ({why}): no Pod with its devices starts or ends there"
        yield from ((text, name, "see the log of its container") for name, _ in several)


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
    for several in grouped((each.owner, each) for each in dump.plugins).values():
        named = any(driver in each.words or any(image in each.images for image in images) for each in several)
        nodes = {each.node for each in several}
        like = there and nodes.issuperset(there) and all(owner in each.words for each in several)
        if named or (like and not any(other in each.words for other in others for each in several)):
            found += several
    return found
