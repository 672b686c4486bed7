"""Whether a node accepts a Pod: cordons, taints, selectors, and what is left of cpu, memory, Pods and ports.

Source: pkg/scheduler/framework/plugins, nodeunschedulable to noderesources (v1.37.0), in the scheduler's order. The
first plugin that refuses has the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes.near import closest
from dralint.kubernetes.quantity import spell as spell_amount
from dralint.kubernetes.taints import spell, tolerates
from dralint.simulate.amounts import NANO, is_binary, nano
from dralint.simulate.cluster import ENDED, NOT_SELECTED, admitted, pinned
from dralint.simulate.extended import containers, is_extended, through_class
from dralint.simulate.pod_affinity import Neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.extended import Container
    from dralint.simulate.node_selection import ClusterNode
    from dralint.simulate.pod_affinity import Surroundings

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
        for pod in pods:
            node = (pod.get("spec") or {}).get("nodeName")
            if node and (pod.get("status") or {}).get("phase") not in ENDED:
                self.add(pod, str(node))

    def add(self, pod: Mapping[str, Any], node: str, sign: int = 1) -> None:
        """Count a Pod that runs on a node; the sign -1 removes it."""
        asker = Asker(pod)
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
        made._limits = self._limits
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

    def selects(self, asker: Asker, node: ClusterNode) -> bool:
        """Say whether a DaemonSet with such Pods makes one for a node: what else is missing there keeps it waiting."""
        if asker.name and asker.name != node.name:
            return False
        effects = ("NoSchedule", "NoExecute")
        return admitted(asker.pod, node) and not any(
            taint.get("effect") in effects and not asker.tolerates(taint) for taint in node.taints
        )

    def _preempts(self, asker: Asker, node: ClusterNode) -> bool:
        """Say whether the scheduler may end Pods of the node for the sake of this one."""
        if asker.priority <= 0:
            return False
        return any(priority_of(pod.get("spec") or {}) < asker.priority for pod in self.neighbours.on(node.name))

    def _short(self, asker: Asker, node: ClusterNode) -> list[tuple[str, str]]:
        if not node.allocatable:
            return []
        limits = self._limits.get(node.name)
        if limits is None:
            limits = self._limits[node.name] = {name: nano(amount) for name, amount in node.allocatable.items()}
        used = {} if self._preempts(asker, node) else self._used.get(node.name, {})
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
    """Return the priority of a Pod; one with a class, whose value dralint does not know, has the highest."""
    if spec.get("preemptionPolicy") == "Never":
        return 0
    known = spec.get("priority")
    if isinstance(known, int):
        return known
    return float("inf") if spec.get("priorityClassName") else 0


def requests_of(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return what a Pod requests of a node, in nano units.

    Source: PodRequests in k8s.io/component-helpers/resource/helpers.go (v0.37.0): the sum of what runs together, or
    what an init container needs beside the sidecars before it, if that is more; what the Pod itself says goes first.
    """
    total = _together(pod, lambda container: container.requests)
    resources = (pod.get("spec") or {}).get("resources")
    if isinstance(resources, dict):
        named = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
        total.update({name: _amount(value) for name, value in named.items()})
    _plus(total, _overhead(pod))
    return total


def limits_of(pod: Mapping[str, Any]) -> dict[str, int]:
    """Return the limits of a Pod, in nano units; the overhead counts only where there is a limit (PodLimits, there)."""
    total = _together(pod, lambda container: container.limits)
    resources = (pod.get("spec") or {}).get("resources")
    if isinstance(resources, dict):
        total.update({name: _amount(value) for name, value in (resources.get("limits") or {}).items()})
    _plus(total, {name: amount for name, amount in _overhead(pod).items() if total.get(name)})
    return total


def _together(pod: Mapping[str, Any], amounts: Callable[[Container], Mapping[str, Any]]) -> dict[str, int]:
    """Return what the containers of a Pod need at most at one time."""
    total: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    first = len((pod.get("spec") or {}).get("initContainers") or ())
    for container in containers(pod):
        own = {name: _amount(value) for name, value in amounts(container).items()}
        if container.index >= first:
            _plus(total, own)
            continue
        if container.lasting:
            _plus(total, own)
            _plus(sidecars, own)
            own = {}
        _most(peak, {name: own.get(name, 0) + sidecars.get(name, 0) for name in {**own, **sidecars}})
    _most(total, peak)
    return total


def _overhead(pod: Mapping[str, Any]) -> dict[str, int]:
    overhead = (pod.get("spec") or {}).get("overhead")
    return {name: _amount(value) for name, value in overhead.items()} if isinstance(overhead, dict) else {}


def _plus(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _most(total: dict[str, int], other: Mapping[str, int]) -> None:
    for name, amount in other.items():
        total[name] = max(total.get(name, 0), amount)


def _amount(value: Any) -> int:
    try:
        return nano(value)
    except ValueError:
        return 0


def _ports(spec: Mapping[str, Any]) -> set[tuple[str, str, int]]:
    """Return address, protocol and number of the ports of the host that a Pod wants."""
    found = set()
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind) or ():
            ports = container.get("ports") if isinstance(container, dict) else None
            for port in ports if isinstance(ports, list) else ():
                number = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else None)
                lasting = kind == "containers" or container.get("restartPolicy") == "Always"
                if isinstance(number, int) and number > 0 and lasting:
                    found.add((str(port.get("hostIP") or ""), str(port.get("protocol") or "TCP"), number))
    return found


_EVERYWHERE = ("", "0.0.0.0")


def _clash(wanted: Iterable[tuple[str, str, int]], taken: Iterable[tuple[str, str, int]]) -> bool:
    return any(
        (one[1:] == other[1:]) and (one[0] == other[0] or one[0] in _EVERYWHERE or other[0] in _EVERYWHERE)
        for one in wanted
        for other in taken
    )
