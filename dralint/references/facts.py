"""Facts of objects that matter to others, as plain values that processes can exchange.

Facts are light (some hundred bytes per object) and have no line numbers: the run keeps the documents of its objects, or
reads them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.references.other_facts import (
        Definition,
        Generated,
        KueueConfig,
        Labels,
        NodeState,
        QuotaFacts,
        Role,
        SliceFacts,
        TaintRule,
    )
    from dralint.references.pod_facts import WorkloadFacts
    from dralint.yaml import Path

    ObjectPlace = tuple[str, int, Path]
    """The place of an object: the file, the document, and the path in it."""

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


class ResultFacts(NamedTuple):
    """A device that a claim got: `plain` means that it has it alone, `weighed` that it has a part of its capacity."""

    device: tuple[str, str, str]
    plain: bool
    weighed: bool


class Allocated(NamedTuple):
    """The status of an allocated claim: `timed` means that it has a time, `deleting` that the claim is being deleted.

    `reserved` are its users: resource and name, with the uid.
    """

    results: tuple[ResultFacts, ...]
    reserved: tuple[tuple[str, str, str], ...]
    timed: bool
    deleting: bool


class ClaimFacts(NamedTuple):
    """A ResourceClaim or ResourceClaimTemplate.

    `top` leads to the list of requests; `resource_class` and `parameters` are those of the classic API. `plain` means
    that all requests could be read, `single` that the allocation of a claim of the classic API serves only one Pod.
    `annotated` means that a template has annotations for its claims.
    """

    top: Path
    requests: tuple[RequestFacts, ...]
    configs: tuple[Config, ...]
    constraints: tuple[ConstraintFacts, ...]
    plain: bool
    allocated: bool
    resource_class: str | None
    parameters: ParametersRef | None
    single: bool = False
    status: Allocated | None = None
    annotated: bool = False


class Class(NamedTuple):
    """A DeviceClass, or a ResourceClass of the classic API (`driver`, `parameters`)."""

    selectors: tuple[SelectorFacts, ...]
    configs: tuple[Config, ...]
    extended: str | None
    driver: str | None
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
