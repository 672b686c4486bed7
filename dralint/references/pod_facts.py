"""Pods and what makes Pods, as others see them; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
    """A container that uses an entry; `path` leads to the item of `resources.claims`."""

    path: Path
    entry: str
    request: str | None


class PodSpec(NamedTuple):
    """What a Pod spec says of claims and extended resources.

    `plain` says that all entries and uses could be read; `extended` has path, name and amount of extended resources.
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


class Workload(NamedTuple):
    """A Pod or what makes Pods; `replicas` is how many at once where that is written (`replicas_path`).

    `live` says that the object was saved from a cluster.
    """

    pods: tuple[PodSpec, ...]
    replicas: int
    replicas_path: Path
    live: bool
