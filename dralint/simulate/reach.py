"""Which nodes a slice or a device is for, and node selectors as the scheduler reads them.

Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity (v1.34.4 to v1.37.0).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = "metadata.name"


class NodeSelectorError(ValueError):
    """A node selector that the scheduler cannot read; the text says what is wrong."""


@dataclass(frozen=True)
class ClusterNode:
    """A node: its labels, the features it declares (status.declaredFeatures), status.allocatable, and its kubelet.

    One that is `guessed` is known by name alone, from slices. `cordoned` is spec.unschedulable.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    allocatable: Mapping[str, Any] = field(default_factory=dict)
    guessed: bool = False
    taints: tuple[Mapping[str, Any], ...] = ()
    cordoned: bool = False
    kubelet: str = ""


def reaches(spec: Mapping[str, Any], node: ClusterNode) -> bool | None:
    """Say whether a slice's spec or a device names the node; None where it does not say for which nodes it is.

    NodeSelectorError if the nodeSelector cannot be read.
    """
    name = spec.get("nodeName")
    if name:
        return bool(name == node.name)
    if spec.get("allNodes") is True:
        return True
    selector = spec.get("nodeSelector")
    return None if selector is None else selects(selector, node)


def selects(selector: Mapping[str, Any], node: ClusterNode) -> bool:
    """Say whether a NodeSelector matches a node; NodeSelectorError as `reaches`."""
    found = False
    for term in selector.get("nodeSelectorTerms") or ():
        expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
        # Every term is read, so that an unreadable one after a match is reported as well.
        labels = [_matches(requirement, node.labels) for requirement in expressions]
        names = [_matches_field(requirement, node) for requirement in fields]
        found = found or (bool(labels or names) and all(labels) and all(names))
    return found


def _matches_field(requirement: Mapping[str, Any], node: ClusterNode) -> bool:
    if requirement.get("key") != _NAME:
        raise NodeSelectorError(f'"{requirement.get("key")}" is not a valid field label')
    values: Sequence[Any] = requirement.get("values") or ()
    operator = requirement.get("operator")
    if operator not in ("In", "NotIn") or len(values) != 1:
        raise NodeSelectorError(f'"{operator}" with {len(values)} values is not a valid field selector')
    hit: bool = node.name in values
    return hit is (operator == "In")


def _matches(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = requirement.get("key"), requirement.get("operator")
    values: Sequence[Any] = requirement.get("values") or ()
    there = key in labels
    value = labels.get(key or "", "")
    if operator == "In":
        return there and value in values
    if operator == "NotIn":
        return not there or value not in values
    if operator == "Exists":
        return there
    if operator == "DoesNotExist":
        return not there
    if operator in ("Gt", "Lt"):
        bound = _integer(values[0]) if len(values) == 1 else None
        if bound is None:
            raise NodeSelectorError(f"for 'Gt', 'Lt' operators, the value must be an integer: {list(values)!r}")
        number = _integer(value) if there else None
        return number is not None and (number > bound if operator == "Gt" else number < bound)
    raise NodeSelectorError(f'"{operator}" is not a valid label selector operator')


def _integer(text: Any) -> int | None:
    text = str(text)
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
