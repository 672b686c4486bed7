"""Facts of Pods and of objects that make Pods; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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
    `group` is the group of Pods that it is scheduled with: its field and its name. In a custom resource, `number` is
    how many such Pods there are, if that is written (`number_path`).
    """

    path: Path
    entries: tuple[Entry, ...]
    uses: tuple[Use, ...]
    plain: bool
    node_name: str | None
    host: str | None
    alone: bool
    extended: tuple[tuple[Path, str, str], ...]
    old: bool
    number: int = 1
    number_path: Path = ()
    group: tuple[str, str] | None = None


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
