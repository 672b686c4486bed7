"""What an object says to others, in plain values that can be handed from one process to another.

Facts are light (some hundred bytes an object) and hold no places: who finds something reads the document again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Union

if TYPE_CHECKING:
    from dralint.yaml import Path


ANY_NAMESPACE = "*"
"""The namespace of a custom resource of the whole cluster: its Pods may be made in any."""


class Selector(NamedTuple):
    """A CEL expression over devices; `path` leads to it from the object."""

    path: Path
    expression: str


class Request(NamedTuple):
    """One request of a claim, or one alternative of it (`parent` is the request's name then).

    `path` leads to what holds the class and the count: the request itself up to v1beta1, its `exactly` later. `mode` is
    "ExactCount" or "All"; `number` is how many devices, None where that is not known.
    """

    path: Path
    name: str
    parent: str | None
    device_class: str | None
    mode: str
    number: int | None
    admin: bool
    selectors: tuple[Selector, ...]
    tolerations: tuple[Any, ...] = ()
    capacity: tuple[tuple[str, Any], ...] = ()

    @property
    def full_name(self) -> str:
        """The name by which constraints and configurations speak of it."""
        return self.name if self.parent is None else f"{self.parent}/{self.name}"


class Config(NamedTuple):
    """Opaque configuration for a driver: `path` leads to `driver`; no `requests` means all of them.

    `type` has the group and kind of its parameters, where they name them; `sharing` is whether they say how Pods share
    a device.
    """

    path: Path
    driver: str
    requests: tuple[str, ...]
    type: tuple[str, str] | None = None
    sharing: bool = False


class Constraint(NamedTuple):
    """A constraint over an attribute of devices, which no request derives.

    `path` leads to the attribute; no `requests` means all of them.
    """

    path: Path
    attribute: str
    distinct: bool
    requests: tuple[str, ...]


class ParametersRef(NamedTuple):
    """A reference of the classic API: `path` leads to it, `namespace` is None where it has none."""

    path: Path
    group: str
    kind: str
    name: str
    namespace: str | None


class Claim(NamedTuple):
    """A ResourceClaim or ResourceClaimTemplate.

    `top` leads to the list of requests; `resource_class` and `parameters` are those of the classic API. `plain` says
    that the requests could all be read. `own_metadata` has a field and key of a template's own labels and
    annotations, `passed_on` is whether a template has labels or annotations for its claims. `single` says that the
    allocation of a claim of the classic API serves one Pod only.
    """

    top: Path
    requests: tuple[Request, ...]
    configs: tuple[Config, ...]
    constraints: tuple[Constraint, ...]
    plain: bool
    allocated: bool
    resource_class: str | None
    parameters: ParametersRef | None
    own_metadata: tuple[tuple[str, str], ...]
    passed_on: bool
    single: bool = False


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


class Workload(NamedTuple):
    """A Pod or what makes Pods; `replicas` is how many at once where that is written (`replicas_path`).

    `live` says that the object was saved from a cluster, `queue` that Kueue has to admit it.
    """

    pods: tuple[PodSpec, ...]
    replicas: int
    replicas_path: Path
    live: bool
    queue: bool = False


class Class(NamedTuple):
    """A DeviceClass, or a ResourceClass of the classic API (`driver`, `parameters`)."""

    selectors: tuple[Selector, ...]
    configs: tuple[Config, ...]
    extended: str | None
    driver: str | None
    parameters: ParametersRef | None
    plain: bool


class Consumption(NamedTuple):
    """What a device takes of a counter set: `path` leads to the entry of consumesCounters."""

    path: Path
    device: str
    counter_set: str
    counters: tuple[tuple[str, str], ...]


class Slice(NamedTuple):
    """A ResourceSlice; `devices` are the names, joined by line feeds, `nodes` what it is for (a node, or several)."""

    driver: str
    pool: str
    generation: int
    number: int
    nodes: str
    devices: str
    counter_sets: tuple[tuple[Path, str, tuple[tuple[str, str], ...]], ...]
    consumes: tuple[Consumption, ...]


class Labels(NamedTuple):
    """The labels of a Namespace that matter here."""

    labels: tuple[tuple[str, str], ...]


class Quota(NamedTuple):
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


Body = Union[Claim, Workload, Class, Slice, Labels, Quota, Generated, TaintRule, Definition, Role, KueueConfig, None]  # noqa: UP007


class Facts(NamedTuple):
    """An object and what it says: `path` leads to it in the document with the number `document` of the file.

    `name` is None where the server makes it up, `prefix` then is what it begins with.
    """

    file: str
    document: int
    path: Path
    api_version: str
    kind: str
    namespace: str | None
    name: str | None
    prefix: str | None
    body: Body

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]
