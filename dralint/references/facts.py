"""Facts of objects that matter to others, as plain values that processes can exchange."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.finding.words import fits
from dralint.kubernetes.taints import allows
from dralint.kubernetes.workloads import HOSTNAME
from dralint.records import NamedTuple
from dralint.yaml.document import PLACEHOLDER_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.yaml import Path

    ObjectPlace = tuple[str, int, Path]
    """The place of an object: the file, the document, and the path in it."""


PLACEHOLDER = re.compile(
    r"\$?\{\{(?>(?:[^{}]|\{(?!\{)|\}(?!\}))*)\}\}"
    r"|\{%(?>(?:[^%{]|%(?!\})|\{(?!%))*)%\}"
    r"|\$\{(?>(?:[^{}\n]|\{[^{}\n]*+\})+)\}"
    r"|\$\([A-Za-z_][^()\n]*+\)"
)


def is_open(name: str | None) -> bool:
    """Say whether a name or another text may have a placeholder."""
    return name is not None and ("{" in name or "$" in name) and any(mark in name for mark in PLACEHOLDER_MARKS)


def fixed_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a name between its placeholders; a name that it can become `fits` them."""
    return tuple(PLACEHOLDER.split(name))


def is_among(name: str, known: AbstractSet[str]) -> bool:
    """Say whether a name is one of the known ones, or fits one that is a pattern such as `*.example.com`."""
    return name in known or any(fits(name, pattern.split("*")) for pattern in known if "*" in pattern)


class Entry(NamedTuple):
    """One entry of a Pod's resourceClaims: `path` leads to the entry, `field` to the name of its claim or template."""

    path: Path
    name: str
    claim: str | None
    template: str | None
    field: Path

    @property
    def kind(self) -> str:
        """The kind of what it names."""
        return "ResourceClaim" if self.claim is not None else "ResourceClaimTemplate"

    @property
    def target(self) -> str | None:
        """The name of its claim or template."""
        return self.claim or self.template


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
    scheduler: str | None = None

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
        return allows(self.affinity, node, there, otherwise=False)


class WorkloadFacts(NamedTuple):
    """A Pod or an object that makes Pods; `replicas` is how many at once, if that is written (`replicas_path`).

    `live` means that the object was saved from a cluster, `queue` that Kueue must admit it. `status` has the fields of
    a live Pod's status that concern its claims, as they are written. `surges` means that a roll-out ends no Pod before
    a new one runs, `keeps` that Pods may keep another template.
    """

    pods: tuple[PodSpec, ...]
    replicas: int
    replicas_path: Path
    live: bool
    queue: bool = False
    status: dict[str, Any] | None = None
    surges: bool = False
    keeps: bool = False

    @property
    def ended(self) -> bool | None:
        """Whether a live Pod has ended; None without a status."""
        return None if self.status is None else self.status.get("phase") in ("Succeeded", "Failed")


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
    """A ResourceSlice; `devices` has the names, joined by line feeds, `nodes` its nodes (a node, or several).

    `native` says whether devices take resources of their node: "mapping" where they are such resources (CPUs, memory),
    "overhead" where they only need some.
    """

    driver: str
    pool: str
    generation: int
    number: int
    nodes: str
    devices: str
    counter_sets: tuple[tuple[Path, str, tuple[tuple[str, str], ...]], ...]
    consumes: tuple[ConsumptionFacts, ...]
    sharable: tuple[Sharable, ...] = ()
    native: frozenset[str] = frozenset()


class NodeState(NamedTuple):
    """A Node: the version of its kubelet, the extended resources that are allocatable (name, amount), its labels."""

    kubelet: str | None
    allocatable: tuple[tuple[str, str], ...]
    labels: tuple[tuple[str, str], ...]


class Labels(NamedTuple):
    """The labels of a Namespace that matter here."""

    labels: tuple[tuple[str, str], ...]


class Runtime:
    """A RuntimeClass: the simulation reads what it changes in a Pod."""


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
    """A Role or ClusterRole: its rules on resource.k8s.io, as (resource, verbs) with the place of the rule.

    `binds` leads to the rule that lets it bind Pods to nodes, as a scheduler does.
    """

    rules: tuple[tuple[Path, str, tuple[str, ...]], ...]
    binds: Path | None = None


class PolicyFacts(NamedTuple):
    """An admission policy: the fields of requests that it looks for in the shape of v1beta1, each with its place."""

    flat: tuple[tuple[Path, str], ...]


class Mapped(NamedTuple):
    """A mapping of Kueue's configuration: `sources` are the names of its counters, None where it has no sources."""

    path: Path
    name: str
    classes: tuple[tuple[Path, str], ...]
    sources: tuple[str, ...] | None


class KueueConfig(NamedTuple):
    """The configuration of Kueue, as far as it maps classes to resources of quotas."""

    mappings: tuple[Mapped, ...]


ANY_NAMESPACE = "*"
"""The namespace of a cluster-scoped custom resource: its Pods may be made in any."""


class SelectorFacts(NamedTuple):
    """A CEL expression over devices; `path` leads to it from the object."""

    path: Path
    expression: str


class RequestFacts(NamedTuple):
    """One request of a claim, or one alternative of it (then `parent` is the request's name).

    `path` leads to the object with the class and the count: the request itself up to v1beta1, its `exactly` later.
    `mode` is "ExactCount" or "All"; `number` is how many devices, None where unknown.
    """

    path: Path
    name: str
    parent: str | None
    device_class: str | None
    mode: str
    number: int | None
    admin: bool
    selectors: tuple[SelectorFacts, ...]
    tolerations: tuple[Any, ...] = ()
    capacity: tuple[tuple[str, Any], ...] = ()

    def is_used(self, use: Use) -> bool:
        """Say whether a container gets its devices by a use of the claim."""
        return use.request in (None, self.name, self.parent)

    def is_among(self, names: Sequence[str]) -> bool:
        """Say whether a configuration or constraint with these names of requests is for it; without any, it is."""
        return not names or self.full_name in names or self.parent in names

    @property
    def full_name(self) -> str:
        """The name by which constraints and configurations refer to it."""
        return self.name if self.parent is None else f"{self.parent}/{self.name}"


class Config(NamedTuple):
    """Opaque configuration for a driver: `path` leads to `driver`; no `requests` means all of them.

    `type` has the group and kind of its parameters, if they have them; `sharing` says whether they define how Pods
    share a device. `parameters` are the parameters as `marshal` writes them, None for those that it cannot write.
    """

    path: Path
    driver: str
    requests: tuple[str, ...]
    type: tuple[str, str] | None = None
    sharing: bool = False
    parameters: bytes | None = None


class ConstraintFacts(NamedTuple):
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


class ClaimFacts(NamedTuple):
    """A ResourceClaim or ResourceClaimTemplate.

    `top` leads to the list of requests; `resource_class` and `parameters` are those of the classic API. `plain` means
    that all requests could be read, `annotated` that a template has annotations for its claims, `deleting` that the
    claim is being deleted. `status` is that of an allocated claim, as it is written.
    """

    top: Path
    requests: tuple[RequestFacts, ...]
    configs: tuple[Config, ...]
    constraints: tuple[ConstraintFacts, ...]
    plain: bool
    resource_class: str | None
    parameters: ParametersRef | None
    status: dict[str, Any] | None = None
    deleting: bool = False
    annotated: bool = False

    @property
    def allocated(self) -> bool:
        """Whether it has devices."""
        return self.status is not None


class Class(NamedTuple):
    """A DeviceClass, or a ResourceClass of the classic API, which may have `parameters`."""

    selectors: tuple[SelectorFacts, ...]
    configs: tuple[Config, ...]
    extended: str | None
    parameters: ParametersRef | None
    plain: bool


if TYPE_CHECKING:
    Body = (
        ClaimFacts
        | WorkloadFacts
        | Class
        | SliceFacts
        | Labels
        | NodeState
        | QuotaFacts
        | Generated
        | TaintRule
        | Definition
        | Role
        | PolicyFacts
        | Runtime
        | KueueConfig
        | None
    )


class Facts(NamedTuple):
    """An object and its facts: `path` leads to it in the document with the number `document` of the file.

    `name` is None where the API server generates it; `prefix` is then its beginning.
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
    def place(self) -> ObjectPlace:
        """The identity of the object in the run."""
        return self[:3]

    @property
    def group(self) -> str:
        """The API group, empty for the core group."""
        return self.api_version.rpartition("/")[0]


class Elsewhere(NamedTuple):
    """A place in another object that explains a problem; `target` is "key" for the name of a field, not its value."""

    message: str
    facts: Facts
    path: Path
    target: str = "value"


class Found(NamedTuple):
    """A problem of the object `facts`; `releases` are those that have it."""

    facts: Facts
    problem: Problem
    elsewhere: tuple[Elsewhere, ...]
    releases: tuple[Release, ...]


NAME: Path = ("metadata", "name")
"""The path of an object's name."""
