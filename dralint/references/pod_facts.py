"""Pods and what makes Pods, as others see them; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.yaml import Path


class Entry(NamedTuple):
    """One entry of a Pod's resourceClaims: `path` leads to the entry, `field` to what names a claim or template."""

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
    """What a Pod spec says of claims and extended resources.

    `plain` says that all entries and uses could be read; `extended` has path, name and amount of extended resources.
    `group` is the group of Pods that it is scheduled with: the field that names it, and the name.
    In a custom resource, `number` is how many Pods there are of this one, where that is written (`number_path`).
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
    """What the status of a Pod says: the entries that have a claim, and the claim for its extended resources.

    `mapped` has container, resource and request of each, with the place of the request.
    """

    claimed: tuple[str, ...]
    extended_claim: str | None
    mapped: tuple[tuple[Path, str, str, str], ...]
    ended: bool


class WorkloadFacts(NamedTuple):
    """A Pod or what makes Pods; `replicas` is how many at once where that is written (`replicas_path`).

    `live` says that the object was saved from a cluster, `queue` that Kueue has to admit it. `state` is that of a live
    Pod.
    """

    pods: tuple[PodSpec, ...]
    replicas: int
    replicas_path: Path
    live: bool
    queue: bool = False
    state: PodState | None = None
