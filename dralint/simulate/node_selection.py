"""Which nodes a slice or a device is for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.taints import selects

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    return None if selector is None else selects(selector, node.name, node.labels)
