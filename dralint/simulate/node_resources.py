"""Whether a node accepts a Pod and a device serves a node: resources, taints, selectors, affinity, spreading."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import at, dict_of, list_of
from dralint.kubernetes.near import closest
from dralint.kubernetes.quantity import NANO, is_binary, nano, nano_units
from dralint.kubernetes.quantity import spell as spell_amount
from dralint.kubernetes.taints import NodeSelectorError, matches, spell, tolerates
from dralint.simulate.cluster import NOT_SELECTED, admitted, has_ended, pinned
from dralint.simulate.extended import containers, is_extended, through_class
from dralint.simulate.pools import GatherError, counters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.extended import Container
    from dralint.simulate.inventory import ClusterNode, Device
    from dralint.simulate.pools import Pool, Pools
    from dralint.simulate.selection import Selection


_OWN_NODES = ("nodeName", "nodeSelector", "allNodes")


class Likeness:
    """Compares nodes by everything that the objects (all classes, claims and templates) can depend on."""

    def __init__(self, pools: Pools, selection: Selection, objects: Iterable[Mapping[str, Any]]) -> None:
        self._pools = pools
        texts = list(_texts(objects))
        reads = [selection.selector(text).named for key, text in texts if key == "expression"]
        compared = {text.rpartition("/")[2] for key, text in texts if key != "expression"}
        self._names = None if None in reads else compared.union(name for read in reads for _, _, name in read or ())
        self._made: dict[Pool, object] = {}
        self._nodes: dict[str, int | None] = {}
        self._numbers: dict[object, int] = {}

    def of(self, node: ClusterNode) -> int | None:
        """Return a number for the look of a node: equal numbers mean equal results for the same claim.

        None for a node that equals no other.
        """
        if node.name not in self._nodes:
            look = self._node(node)
            self._nodes[node.name] = None if look is None else self._numbers.setdefault(look, len(self._numbers))
        return self._nodes[node.name]

    def _node(self, node: ClusterNode) -> object:
        try:
            view = self._pools.view(node)
        except GatherError:
            return None
        looks = [self._pool(pool) for pool in view.pools]
        return None if None in looks else (tuple(looks), len(view.obsolete), node.declared)

    def _pool(self, pool: Pool) -> object:
        if pool not in self._made:
            devices = [self._device(device) for device in pool.devices]
            counters = repr(
                sorted((name, sorted(amounts.items())) for name, amounts in counters_of(pool.counted).items())
            )
            look = pool.driver, pool.complete, bool(pool.invalid), counters, tuple(devices)
            self._made[pool] = None if None in devices else look
        return self._made[pool]

    def _device(self, device: Device) -> str | None:
        spec = device.spec
        if any(spec.get(key) is not None for key in _OWN_NODES):
            return None
        rest = {key: value for key, value in spec.items() if key not in ("name", "attributes")}
        return repr((rest, device.extra_taints, sorted(self._attributes(spec.get("attributes") or {}))))

    def _attributes(self, attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, value in attributes.items():
            asked = self._names is None or name.rpartition("/")[2] in self._names
            yield name, repr(value) if asked else ""


def _texts(objects: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the expressions and the names of attributes in classes, claims and templates, with their fields."""
    todo: list[Any] = [item.get("spec") for item in objects]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            for key, value in part.items():
                if isinstance(value, str):
                    if key in ("expression", "matchAttribute", "distinctAttribute"):
                        yield key, value
                elif key != "parameters":
                    todo.append(value)
        elif isinstance(part, list):
            todo += part


NOT_SPREAD = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{NOT_SPREAD} (missing required label)"
NOT_NEAR = "node(s) didn't match pod affinity rules"
NOT_APART = "node(s) didn't match pod anti-affinity rules"
KEPT_APART = "node(s) didn't satisfy existing pods anti-affinity rules"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Neighbours:
    """The Pods of each node that may matter to other Pods."""

    def __init__(self, nodes: Sequence[ClusterNode]) -> None:
        self.nodes = {node.name: node for node in nodes}
        self.version = object()
        self._pods: dict[str, list[Mapping[str, Any]]] = {}
        self._apart = 0

    def add(self, pod: Mapping[str, Any], node: str, sign: int = 1) -> None:
        """Add a Pod to a node; the sign -1 removes it."""
        there = self._pods.setdefault(node, [])
        if sign > 0:
            there.append(pod)
        elif pod in there:
            there.remove(pod)
        self._apart += sign * bool(_terms(pod, "podAntiAffinity"))
        self.version = object()

    def copy(self) -> Neighbours:
        """Return a copy that can change."""
        made = Neighbours(())
        made.nodes = self.nodes
        made._pods = {node: list(pods) for node, pods in self._pods.items()}
        made._apart = self._apart
        return made

    def on(self, node: str) -> Sequence[Mapping[str, Any]]:
        """Return the Pods of a node."""
        return self._pods.get(node, ())

    def concern(self, pod: Mapping[str, Any]) -> bool:
        """Say whether the places of other Pods matter to a Pod."""
        return bool(self._apart or _spread(pod) or _terms(pod, "podAffinity") or _terms(pod, "podAntiAffinity"))

    def surroundings(self, pod: Mapping[str, Any]) -> Surroundings:
        """Return the surroundings of a Pod; they hold until another Pod comes or goes."""
        near: list[tuple[str, set[str] | None]] = []
        for term in _terms(pod, "podAffinity"):
            # The first Pod of a group that belongs together finds no other, and may run anywhere.
            others = (other for pods in self._pods.values() for other in pods)
            first = _selects(term, pod, pod) and not any(_selects(term, pod, other) for other in others)
            near.append((_key(term), None if first else self._values(term, pod)))
        kept = {
            (key, self.nodes[name].labels[key])
            for name, pods in (self._pods.items() if self._apart else ())
            for other in (pods if name in self.nodes else ())
            for term in _terms(other, "podAntiAffinity")
            if (key := _key(term)) in self.nodes[name].labels and _selects(term, other, pod)
        }
        apart = [(_key(term), self._values(term, pod)) for term in _terms(pod, "podAntiAffinity")]
        return Surroundings([self._numbers(pod, each) for each in _spread(pod)], near, apart, kept)

    def _values(self, term: Mapping[str, Any], pod: Mapping[str, Any]) -> set[str]:
        """Return the values of the label of a term on the nodes where Pods are that the term of a Pod means."""
        key = _key(term)
        return {
            self.nodes[name].labels[key]
            for name, pods in self._pods.items()
            if name in self.nodes
            and key in self.nodes[name].labels
            and any(_selects(term, pod, other) for other in pods)
        }

    def _numbers(self, pod: Mapping[str, Any], constraint: Mapping[str, Any]) -> Spread:
        """Return how many Pods each domain of a constraint has, and how many it may have."""
        key, keys = _key(constraint), list(map(_key, _spread(pod)))
        selector, namespace = _spread_selector(pod, constraint), _namespace(pod)
        numbers = Counter[str]()
        for name, node in self.nodes.items():
            if any(each not in node.labels for each in keys) or not _counted(pod, constraint, node):
                continue
            matching = sum(
                _namespace(each) == namespace and labels_match(selector, _labels(each))
                for each in self._pods.get(name, ())
                if not (each.get("metadata") or {}).get("deletionTimestamp")
            )
            numbers[node.labels[key]] += matching
        least = min(numbers.values(), default=0)
        if len(numbers) < (constraint.get("minDomains") or 1):
            least = 0
        most = least + (constraint.get("maxSkew") or 1) - labels_match(selector, _labels(pod))
        return Spread(key, numbers, most)


class Spread(NamedTuple):
    """A constraint that spreads Pods: the number of each domain, and how many one may have for one more to come."""

    key: str
    numbers: dict[str, int]
    most: int


class Surroundings(NamedTuple):
    """What a Pod demands of the labels of a node for the sake of other Pods."""

    spread: list[Spread]
    near: list[tuple[str, set[str] | None]]
    apart: list[tuple[str, set[str]]]
    kept: set[tuple[str, str]]

    def lacks(self, node: ClusterNode) -> list[str]:
        """Return why a node does not fit the Pod, in the scheduler's words; empty where it does."""
        labels = node.labels
        for one in self.spread:
            if one.key not in labels:
                return [NO_LABEL]
            if one.numbers.get(labels[one.key], 0) > one.most:
                return [NOT_SPREAD]
        if any(key not in labels or (values is not None and labels[key] not in values) for key, values in self.near):
            return [NOT_NEAR]
        if any(key in labels and labels[key] in values for key, values in self.apart):
            return [NOT_APART]
        if any(labels.get(key) == value for key, value in self.kept):
            return [KEPT_APART]
        return []


def unread(pod: Mapping[str, Any]) -> bool:
    """Say whether a Pod selects others by the labels of namespaces, which dralint does not simulate."""
    every = [*_terms(pod, "podAffinity"), *_terms(pod, "podAntiAffinity")]
    return any(term.get("namespaceSelector") for term in every)


def _counted(pod: Mapping[str, Any], constraint: Mapping[str, Any], node: ClusterNode) -> bool:
    """Say whether a node counts for the Pods of a constraint."""
    if (constraint.get("nodeAffinityPolicy") or "Honor") == "Honor" and not admitted(pod, node):
        return False
    if (constraint.get("nodeTaintsPolicy") or "Ignore") == "Honor":
        asker = Asker(pod)
        return all(t.get("effect") == "PreferNoSchedule" or asker.tolerates(t) for t in node.taints)
    return True


def _spread(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = map(dict_of, list_of(dict_of(pod.get("spec")).get("topologySpreadConstraints")))
    return [each for each in entries if each.get("whenUnsatisfiable") == "DoNotSchedule"]


def _spread_selector(pod: Mapping[str, Any], constraint: Mapping[str, Any]) -> Mapping[str, Any] | None:
    selector = constraint.get("labelSelector")
    keys = [key for key in constraint.get("matchLabelKeys") or () if key in _labels(pod)]
    if not keys:
        return selector if isinstance(selector, dict) else None
    more = [{"key": key, "operator": "In", "values": [_labels(pod)[key]]} for key in keys]
    selector = selector if isinstance(selector, dict) else {}
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *more]}


def _terms(pod: Mapping[str, Any], kind: str) -> Sequence[Mapping[str, Any]]:
    entries = list_of(at(pod, ("spec", "affinity", kind, _REQUIRED)))
    return [each for each in entries if isinstance(each, dict)]


def _selects(term: Mapping[str, Any], of: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Say whether a term of one Pod means another."""
    if term.get("namespaceSelector") is None:
        namespaces = term.get("namespaces") or [_namespace(of)]
        if _namespace(pod) not in namespaces:
            return False
    elif term["namespaceSelector"] != {}:
        return False
    selector = term.get("labelSelector")
    return labels_match(selector if isinstance(selector, dict) else None, _labels(pod))


def labels_match(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Say whether a selector of labels matches; no selector matches nothing, an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    try:
        return all(matches(entry, labels) for entry in selector.get("matchExpressions") or ())
    except NodeSelectorError:
        return False


def _key(term: Mapping[str, Any]) -> str:
    """Return the label of the nodes that a term or constraint is about."""
    return str(term.get("topologyKey"))


def _labels(pod: Mapping[str, Any]) -> Mapping[str, str]:
    return dict_of(dict_of(pod.get("metadata")).get("labels"))


def _namespace(pod: Mapping[str, Any]) -> str:
    return str((pod.get("metadata") or {}).get("namespace") or "default")


CORDONED = "node(s) were unschedulable"
TAINTED = "node(s) had untolerated taint(s)"
NOT_NAMED = "node(s) didn't match the requested node name"
NOT_PINNED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
NO_PORT = "node(s) didn't have free ports for the requested pod ports"
TOO_MANY = "Too many pods"
_CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


class Asker:
    """What a Pod needs of a node, apart from devices."""

    def __init__(self, pod: Mapping[str, Any]) -> None:
        spec = pod.get("spec") or {}
        self.pod = pod
        self.name = spec.get("nodeName")
        self.tolerations = [each for each in spec.get("tolerations") or () if isinstance(each, dict)]
        self.requests = requests_of(pod)
        self.ports = _ports(spec)
        self.pinned = pinned(pod)
        self.priority = priority_of(spec)
        self._around: tuple[object, Surroundings | None] = (None, None)

    def surroundings(self, neighbours: Neighbours) -> Surroundings | None:
        """Return what the Pod finds around it; None where it does not matter to it."""
        if self._around[0] is not neighbours.version:
            concern = neighbours.concern(self.pod)
            self._around = neighbours.version, neighbours.surroundings(self.pod) if concern else None
        return self._around[1]

    def tolerates(self, taint: Mapping[str, Any]) -> bool:
        """Say whether a toleration of the Pod covers a taint of a node."""
        return any(tolerates(toleration, taint) for toleration in self.tolerations)


class Room:
    """What the Pods of the cluster use on their nodes until they end, and what is left.

    `by_resource` is extended resource → its class.
    """

    def __init__(
        self,
        pods: Iterable[Mapping[str, Any]],
        nodes: Sequence[ClusterNode],
        by_resource: Mapping[str, str],
        behaviour: Behaviour,
    ) -> None:
        self._by_resource = by_resource
        self._behaviour = behaviour
        self._used: dict[str, dict[str, int]] = {}
        self._ports: dict[str, set[tuple[str, str, int]]] = {}
        self.neighbours = Neighbours(nodes)
        self._limits: dict[str, dict[str, int]] = {}
        self._least = float("inf")  # the lowest priority of a Pod
        for pod in pods:
            node = (pod.get("spec") or {}).get("nodeName")
            if node and not has_ended(pod):
                self.add(pod, str(node))

    def add(self, pod: Mapping[str, Any], node: str, sign: int = 1) -> None:
        """Count a Pod that runs on a node; the sign -1 removes it."""
        asker = Asker(pod)
        self._least = min(self._least, number_of(pod.get("spec") or {}))
        used = self._used.setdefault(node, {})
        for name, amount in (*asker.requests.items(), ("pods", NANO)):
            used[name] = used.get(name, 0) + sign * amount
        ports = self._ports.setdefault(node, set())
        if sign > 0:
            ports.update(asker.ports)
        else:
            ports.difference_update(asker.ports)
        self.neighbours.add(pod, node, sign)

    def copy(self) -> Room:
        """Return a copy that can change."""
        made = Room((), (), self._by_resource, self._behaviour)
        made._used = {node: dict(used) for node, used in self._used.items()}
        made._ports = {node: set(ports) for node, ports in self._ports.items()}
        made._limits, made._least = self._limits, self._least
        made.neighbours = self.neighbours.copy()
        return made

    def lacks(self, asker: Asker, node: ClusterNode) -> tuple[list[str], str]:
        """Return why a node does not fit a Pod, in the scheduler's words and in dralint's; empty where it does.

        For a node that is only known from slices, only labels and names can be compared.
        """
        if node.cordoned and not asker.tolerates(_CORDON):
            return [CORDONED], "the node is cordoned"
        if asker.name and asker.name != node.name:
            return [NOT_NAMED], ""
        for taint in node.taints:
            if taint.get("effect") in ("NoSchedule", "NoExecute") and not asker.tolerates(taint):
                return [TAINTED], f"the Pod does not tolerate the taint {spell(taint)} of the node"
        if not admitted(asker.pod, node):
            pinned = asker.pinned is not None and asker.pinned != node.name
            return [NOT_PINNED if pinned else NOT_SELECTED], ""
        if asker.ports and _clash(asker.ports, self._ports.get(node.name, ())):
            return [NO_PORT], ""
        short = self._short(asker, node)
        if short:
            return [reason for reason, _ in short], "; ".join(detail for _, detail in short)
        around = None if node.guessed else asker.surroundings(self.neighbours)
        return [] if around is None else around.lacks(node), ""

    def selects(self, asker: Asker, node: ClusterNode, effects: Sequence[str] = ("NoSchedule", "NoExecute")) -> bool:
        """Say whether a DaemonSet with such Pods makes one for a node: what else is missing there keeps it waiting.

        Of a Pod that runs there only NoExecute taints are asked.
        """
        if asker.name and asker.name != node.name:
            return False
        return admitted(asker.pod, node) and not any(
            taint.get("effect") in effects and not asker.tolerates(taint) for taint in node.taints
        )

    def victims(self, asker: Asker, node: ClusterNode) -> list[Mapping[str, Any]]:
        """Return the Pods of a node that end for the sake of one of a higher priority; none if that does not help.

        Source: SelectVictimsOnNode in
        pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (v1.37.0).
        """
        if asker.priority <= self._least:
            return []
        lower = [pod for pod in self.neighbours.on(node.name) if number_of(pod.get("spec") or {}) < asker.priority]
        lower.sort(key=_importance)
        for pod in lower:
            self.add(pod, node.name, -1)
        ended = []
        if self.lacks(asker, node)[0]:
            ended, lower = lower, []
        for pod in lower:
            self.add(pod, node.name)
            if self.lacks(asker, node)[0]:
                self.add(pod, node.name, -1)
                ended.append(pod)
        for pod in ended:
            self.add(pod, node.name)
        return ended if lower else []

    def _short(self, asker: Asker, node: ClusterNode) -> list[tuple[str, str]]:
        if not node.allocatable:
            return []
        limits = self._limits.get(node.name)
        if limits is None:
            limits = self._limits[node.name] = {name: nano(amount) for name, amount in node.allocatable.items()}
        used = self._used.get(node.name, {})
        found = []
        if "pods" in limits and used.get("pods", 0) + NANO > limits["pods"]:
            most = limits["pods"] // NANO
            found.append((TOO_MANY, f"the node allows {most} Pod{'s' if most != 1 else ''}, and has as many"))
        for name, amount in asker.requests.items():
            if not amount or (name not in limits and not is_extended(name)):
                continue
            if is_extended(name) and through_class(name, self._by_resource, node, self._behaviour):
                continue
            if name not in limits:
                known = [each for each in (*self._by_resource, *limits) if is_extended(each)]
                said = f"no class offers {name}, and the node has none"
                meant = closest(name, known)
                found.append((f"Insufficient {name}", f"{said}; {meant}" if meant else said))
                continue
            left = limits[name] - used.get(name, 0)
            if amount > left:
                binary = is_binary(node.allocatable.get(name)) or name == "memory"
                shown = (spell_amount(each, binary=binary) for each in (amount, max(0, left), limits[name]))
                found.append((f"Insufficient {name}", "{}: {} requested, {} of {} left".format(name, *shown)))
        return found


def priority_of(spec: Mapping[str, Any]) -> float:
    """Return the priority with which a Pod ends others; the least where it ends none."""
    return -float("inf") if spec.get("preemptionPolicy") == "Never" else number_of(spec)


def number_of(spec: Mapping[str, Any]) -> float:
    """Return the priority of a Pod; one with a class, whose value dralint does not know, has the highest."""
    known = spec.get("priority")
    if isinstance(known, int):
        return known
    return float("inf") if spec.get("priorityClassName") else 0


def _importance(pod: Mapping[str, Any]) -> tuple[float, str]:
    """Return a key by which the Pods that are ended last come first."""
    started = (pod.get("status") or {}).get("startTime") or (pod.get("metadata") or {}).get("creationTimestamp")
    return -number_of(pod.get("spec") or {}), str(started or "~")


def requests_of(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return what a Pod requests of a node, in nano units.

    Source: PodRequests in k8s.io/component-helpers/resource/helpers.go (v0.37.0): the sum of what runs together, or
    what an init container needs beside the sidecars before it, if that is more; what the Pod itself says goes first.
    """
    total = _together(pod, lambda container: container.requests)
    resources = (pod.get("spec") or {}).get("resources")
    total |= {**nano_units(resources, "limits"), **nano_units(resources, "requests")}
    return Counter(total) + Counter(nano_units(pod.get("spec"), "overhead"))


def limits_of(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return the limits of a Pod, in nano units; the overhead counts only where there is a limit (PodLimits, there)."""
    total = _together(pod, lambda container: container.limits)
    spec = pod.get("spec") or {}
    total |= nano_units(spec.get("resources"), "limits")
    overhead = {name: amount for name, amount in nano_units(spec, "overhead").items() if total.get(name)}
    return Counter(total) + Counter(overhead)


def _together(pod: Mapping[str, Any], amounts: Callable[[Container], Mapping[str, Any]]) -> dict[str, int]:
    """Return what the containers of a Pod need at most at one time."""
    total, peak = Counter[str](), Counter[str]()
    for container in containers(pod):
        own = Counter({name: nano(value) for name, value in amounts(container).items()})
        if container.lasting:
            total += own
        else:  # an init container, beside the sidecars before it; `|` takes the larger number of each
            peak |= total + own
    return dict(total | peak)


def _ports(spec: Mapping[str, Any]) -> set[tuple[str, str, int]]:
    """Return address, protocol and number of the ports of the host that a Pod wants."""
    sidecars = (each for each in list_of(spec.get("initContainers")) if dict_of(each).get("restartPolicy") == "Always")
    lasting = map(dict_of, (*sidecars, *list_of(spec.get("containers"))))
    ports = [dict_of(port) for container in lasting for port in list_of(container.get("ports"))]
    own = "containerPort" if spec.get("hostNetwork") else "hostPort"  # in the network of the host they are the same
    numbered = [(port.get("hostPort") or port.get(own), port) for port in ports]
    return {
        (str(port.get("hostIP") or ""), str(port.get("protocol") or "TCP"), number)
        for number, port in numbered
        if isinstance(number, int) and number > 0
    }


_EVERYWHERE = ("", "0.0.0.0")


def _clash(wanted: Iterable[tuple[str, str, int]], taken: Iterable[tuple[str, str, int]]) -> bool:
    return any(
        (one[1:] == other[1:]) and (one[0] == other[0] or one[0] in _EVERYWHERE or other[0] in _EVERYWHERE)
        for one in wanted
        for other in taken
    )
