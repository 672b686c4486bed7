"""Facts of Pods and of objects that make Pods; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes.node_selector import NodeSelectorError, selects
from dralint.kubernetes.workloads import HOSTNAME
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml import Path


class Entry(NamedTuple):
    """One entry of a Pod's resourceClaims: `path` leads to the entry, `field` to the name of its claim or template."""

    path: Path
    name: str
    claim: str | None
    template: str | None
    field: Path


class Use(NamedTuple):
    """A container that uses an entry; `path` leads to the item of `resources.claims`, `key` names a request there."""

    path: Path
    entry: str
    request: str | None
    key: str = "request"


class PodSpec(NamedTuple):
    """The facts of a Pod spec about claims and extended resources.

    `plain` means that all entries and uses could be read; `extended` has path, name and amount of extended resources.
    `unlimited` has path, name, request and limit of those whose request has another limit, or none.
    `node_selector` has the labels that a node must have, `affinity` the node selector of the required affinity.
    `group` is the group of Pods that it is scheduled with: its field and its name. In a custom resource, `number` is
    how many such Pods there are, if that is written (`number_path`).
    """

    path: Path
    entries: tuple[Entry, ...]
    uses: tuple[Use, ...]
    plain: bool
    node_name: str | None
    node_selector: tuple[tuple[str, str], ...]
    alone: bool
    extended: tuple[tuple[Path, str, str], ...]
    old: bool
    number: int = 1
    number_path: Path = ()
    group: tuple[str, str] | None = None
    affinity: dict[str, Any] | None = None
    unlimited: tuple[tuple[Path, str, str, str | None], ...] = ()

    @property
    def host(self) -> str | None:
        """The hostname of the node that nodeSelector requires."""
        return next((value for key, value in self.node_selector if key == HOSTNAME), None)

    def may_run_on(self, node: str, labels: Iterable[tuple[str, str]]) -> bool:
        """Say whether nodeName, nodeSelector and the required affinity let the Pod on a node with these labels.

        A selector that the scheduler cannot read lets it on none.
        """
        if self.node_name is not None:
            return self.node_name == node
        there = {HOSTNAME: node, **dict(labels)}
        if any(there.get(key) != value for key, value in self.node_selector):
            return False
        try:
            return self.affinity is None or selects(self.affinity, node, there)
        except (NodeSelectorError, AttributeError, TypeError):
            return False


class PodState(NamedTuple):
    """The facts of a Pod's status: the entries with a claim, and the claim for its extended resources.

    `mapped` has container, resource and request of each, with the place of the request.
    """

    claimed: tuple[str, ...]
    extended_claim: str | None
    mapped: tuple[tuple[Path, str, str, str], ...]
    ended: bool


class WorkloadFacts(NamedTuple):
    """A Pod or an object that makes Pods; `replicas` is how many at once, if that is written (`replicas_path`).

    `live` means that the object was saved from a cluster, `queue` that Kueue must admit it. `state` is that of a live
    Pod.
    """

    pods: tuple[PodSpec, ...]
    replicas: int
    replicas_path: Path
    live: bool
    queue: bool = False
    state: PodState | None = None
