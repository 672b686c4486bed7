"""Which Pods run on which nodes, and the demands of Pods on each other: spreading, and affinity to other Pods.

Source: pkg/scheduler/framework/plugins/{podtopologyspread,interpodaffinity}/filtering.go (v1.37.0). Selectors of
namespaces are not read: dralint places a Pod with one as if it had none, and the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.simulate.cluster import admitted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.simulate.node_selection import ClusterNode

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
        found = Surroundings()
        for constraint in _spread(pod):
            found.spread.append(self._numbers(pod, constraint))
        for term in _terms(pod, "podAffinity"):
            values = self._values(term, pod)
            # The first Pod of a group that belongs together finds no other, and may run anywhere.
            first = _selects(term, pod, pod) and not any(_selects(term, pod, other) for other in self._all())
            found.near.append((str(term.get("topologyKey")), None if first else values))
        for term in _terms(pod, "podAntiAffinity"):
            found.apart.append((str(term.get("topologyKey")), self._values(term, pod)))
        if self._apart:
            for name, pods in self._pods.items():
                labels = self.nodes[name].labels if name in self.nodes else {}
                for other in pods:
                    for term in _terms(other, "podAntiAffinity"):
                        key = str(term.get("topologyKey"))
                        if key in labels and _selects(term, other, pod):
                            found.kept.add((key, labels[key]))
        return found

    def _all(self) -> Iterator[Mapping[str, Any]]:
        for pods in self._pods.values():
            yield from pods

    def _values(self, term: Mapping[str, Any], pod: Mapping[str, Any]) -> set[str]:
        """Return the values of the label of a term on the nodes where Pods are that the term of a Pod means."""
        key = str(term.get("topologyKey"))
        return {
            self.nodes[name].labels[key]
            for name, pods in self._pods.items()
            if name in self.nodes
            and key in self.nodes[name].labels
            and any(_selects(term, pod, other) for other in pods)
        }

    def _numbers(self, pod: Mapping[str, Any], constraint: Mapping[str, Any]) -> Spread:
        """Return how many Pods each domain of a constraint has, and how many it may have."""
        key = str(constraint.get("topologyKey"))
        keys = [str(each.get("topologyKey")) for each in _spread(pod)]
        selector, namespace = _spread_selector(pod, constraint), _namespace(pod)
        numbers: dict[str, int] = {}
        for name, node in self.nodes.items():
            if any(each not in node.labels for each in keys) or not _counted(pod, constraint, node):
                continue
            matching = sum(
                _namespace(each) == namespace and _matches(selector, _labels(each))
                for each in self._pods.get(name, ())
                if not (each.get("metadata") or {}).get("deletionTimestamp")
            )
            numbers[node.labels[key]] = numbers.get(node.labels[key], 0) + matching
        least = min(numbers.values(), default=0)
        if len(numbers) < (constraint.get("minDomains") or 1):
            least = 0
        most = least + (constraint.get("maxSkew") or 1) - _matches(selector, _labels(pod))
        return Spread(key, numbers, most)


class Spread(NamedTuple):
    """A constraint that spreads Pods: the number of each domain, and how many one may have for one more to come."""

    key: str
    numbers: dict[str, int]
    most: int


@dataclass
class Surroundings:
    """What a Pod demands of the labels of a node for the sake of other Pods."""

    spread: list[Spread] = field(default_factory=list)
    near: list[tuple[str, set[str] | None]] = field(default_factory=list)
    apart: list[tuple[str, set[str]]] = field(default_factory=list)
    kept: set[tuple[str, str]] = field(default_factory=set)

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
    return any(term.get("namespaceSelector") is not None for term in every)


def _counted(pod: Mapping[str, Any], constraint: Mapping[str, Any], node: ClusterNode) -> bool:
    """Say whether a node counts for the Pods of a constraint."""
    if (constraint.get("nodeAffinityPolicy") or "Honor") == "Honor" and not admitted(pod, node):
        return False
    if (constraint.get("nodeTaintsPolicy") or "Ignore") == "Honor":
        from dralint.simulate.node_resources import Asker  # room imports this module

        asker = Asker(pod)
        return all(t.get("effect") == "PreferNoSchedule" or asker.tolerates(t) for t in node.taints)
    return True


def _spread(pod: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = (pod.get("spec") or {}).get("topologySpreadConstraints")
    return [
        each
        for each in (entries if isinstance(entries, list) else ())
        if isinstance(each, dict) and each.get("whenUnsatisfiable") == "DoNotSchedule"
    ]


def _spread_selector(pod: Mapping[str, Any], constraint: Mapping[str, Any]) -> Mapping[str, Any] | None:
    selector = constraint.get("labelSelector")
    keys = [key for key in constraint.get("matchLabelKeys") or () if key in _labels(pod)]
    if not keys:
        return selector if isinstance(selector, dict) else None
    more = [{"key": key, "operator": "In", "values": [_labels(pod)[key]]} for key in keys]
    selector = selector if isinstance(selector, dict) else {}
    return {**selector, "matchExpressions": [*(selector.get("matchExpressions") or ()), *more]}


def _terms(pod: Mapping[str, Any], kind: str) -> Sequence[Mapping[str, Any]]:
    affinity = (pod.get("spec") or {}).get("affinity")
    part = affinity.get(kind) if isinstance(affinity, dict) else None
    entries = part.get(_REQUIRED) if isinstance(part, dict) else None
    return [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else ()


def _selects(term: Mapping[str, Any], of: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    """Say whether a term of one Pod means another."""
    if term.get("namespaceSelector") is None:
        namespaces = term.get("namespaces") or [_namespace(of)]
        if _namespace(pod) not in namespaces:
            return False
    elif term["namespaceSelector"] != {}:
        return False
    selector = term.get("labelSelector")
    return _matches(selector if isinstance(selector, dict) else None, _labels(pod))


def _matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Say whether a selector of labels matches; no selector matches nothing, an empty one everything."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for entry in selector.get("matchExpressions") or ():
        key, operator, values = entry.get("key"), entry.get("operator"), entry.get("values") or ()
        there = key in labels
        met = {
            "In": there and labels.get(key) in values,
            "NotIn": not there or labels.get(key) not in values,
            "Exists": there,
            "DoesNotExist": not there,
        }.get(operator, False)
        if not met:
            return False
    return True


def _labels(pod: Mapping[str, Any]) -> Mapping[str, str]:
    labels = (pod.get("metadata") or {}).get("labels")
    return labels if isinstance(labels, dict) else {}


def _namespace(pod: Mapping[str, Any]) -> str:
    return str((pod.get("metadata") or {}).get("namespace") or "default")
