"""Slices, parameters and other objects of a cluster, as others see them; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.references.facts import ParametersRef
    from dralint.yaml import Path


class ConsumptionFacts(NamedTuple):
    """What a device takes of a counter set: `path` leads to the entry of consumesCounters."""

    path: Path
    device: str
    counter_set: str
    counters: tuple[tuple[str, str], ...]


class Sharable(NamedTuple):
    """A device that several claims can have at once: `steps` are the amounts that ranges of its capacity have.

    A step is its place, what it is called (`min`, `max`, `step`) and the amount. `capacity` says that it has some.
    """

    path: Path
    device: str
    capacity: bool
    steps: tuple[tuple[Path, str, str], ...]


class SliceFacts(NamedTuple):
    """A ResourceSlice; `devices` are the names, joined by line feeds, `nodes` what it is for (a node, or several)."""

    driver: str
    pool: str
    generation: int
    number: int
    nodes: str
    devices: str
    counter_sets: tuple[tuple[Path, str, tuple[tuple[str, str], ...]], ...]
    consumes: tuple[ConsumptionFacts, ...]
    sharable: tuple[Sharable, ...] = ()


class NodeState(NamedTuple):
    """A Node: the version of its kubelet, and what extended resources are allocatable, as (name, amount)."""

    kubelet: str | None
    allocatable: tuple[tuple[str, str], ...]


class Labels(NamedTuple):
    """The labels of a Namespace that matter here."""

    labels: tuple[tuple[str, str], ...]


class QuotaFacts(NamedTuple):
    """The limits of a ResourceQuota that are about claims and devices."""

    hard: tuple[tuple[str, str], ...]


class Generated(NamedTuple):
    """Parameters of the classic API; `source` is what they were generated from, `single` as that of a claim."""

    source: ParametersRef | None
    single: bool


class TaintRule(NamedTuple):
    """A DeviceTaintRule; `taint` are the fields of its taint that are set, `selects` says that it has a selector."""

    driver: str | None
    pool: str | None
    device: str | None
    taint: tuple[tuple[str, str], ...]
    narrowed: bool
    selects: bool = True


class Definition(NamedTuple):
    """A CustomResourceDefinition."""

    group: str
    kind: str
    namespaced: bool


class Role(NamedTuple):
    """A Role or ClusterRole: what it says of resource.k8s.io, as (resource, verbs) with the place of the rule."""

    rules: tuple[tuple[Path, str, tuple[str, ...]], ...]


class Mapped(NamedTuple):
    """A mapping of Kueue's configuration: `sources` are the names of its counters, None where it has no sources."""

    path: Path
    name: str
    classes: tuple[tuple[Path, str], ...]
    sources: tuple[str, ...] | None


class KueueConfig(NamedTuple):
    """The configuration of Kueue, as far as it maps classes to resources of quotas."""

    mappings: tuple[Mapped, ...]
