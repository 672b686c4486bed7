"""Facts of slices, parameters and other objects of a cluster; see `facts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.references.facts import ParametersRef
    from dralint.yaml import Path


class ConsumptionFacts(NamedTuple):
    """How much a device takes from a counter set: `path` leads to the entry of consumesCounters."""

    path: Path
    device: str
    counter_set: str
    counters: tuple[tuple[str, str], ...]


class Sharable(NamedTuple):
    """A device that several claims can have at once: `steps` are the amounts in the ranges of its capacity.

    A step is its place, its name (`min`, `max`, `step`) and the amount. `capacity` means that it has some.
    """

    path: Path
    device: str
    capacity: bool
    steps: tuple[tuple[Path, str, str], ...]


class SliceFacts(NamedTuple):
    """A ResourceSlice; `devices` has the names, joined by line feeds, `nodes` its nodes (a node, or several)."""

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
    """A Node: the version of its kubelet, the extended resources that are allocatable (name, amount), its labels."""

    kubelet: str | None
    allocatable: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]


class Labels(NamedTuple):
    """The labels of a Namespace that matter here."""

    labels: tuple[tuple[str, str], ...]


class QuotaFacts(NamedTuple):
    """The limits of a ResourceQuota that are about claims and devices; `misspelt` has keys with what they mean."""

    hard: tuple[tuple[str, str], ...]
    misspelt: tuple[tuple[str, str], ...] = ()


class Generated(NamedTuple):
    """Parameters of the classic API; `source` is what they were generated from, `single` as in a claim."""

    source: ParametersRef | None
    single: bool


class TaintRule(NamedTuple):
    """A DeviceTaintRule; `taint` has the set fields of its taint, `selects` means that it has a selector."""

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
    """A Role or ClusterRole: its rules on resource.k8s.io, as (resource, verbs) with the place of the rule."""

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
