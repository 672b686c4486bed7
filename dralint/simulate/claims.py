"""Prepares claims for the search, from any API version: classes, alternatives, selectors, tolerations, constraints.

Source of the constraints: k8s.io/dynamic-resource-allocation/structured/internal/*/constraint.go and allocator_*.go
(lookupAttribute), v1.34.4 to v1.37.0: matchAttribute and distinctAttribute compare devices as each release does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.device_values import named_value
from dralint.kubernetes.workloads import GROUP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.inventory import Device
    from dralint.simulate.selection import Selection, Selector


_EXACT = tuple(
    """
    deviceClassName selectors allocationMode count adminAccess tolerations capacity derivedAttributes
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)


def to_v1(item: dict[str, Any]) -> dict[str, Any]:
    """Return an object of resource.k8s.io in its v1 form; other groups and v1 objects stay the same."""
    group, _, version = str(item.get("apiVersion") or "").partition("/")
    if group != GROUP:
        return item
    kind, spec = item.get("kind"), item.get("spec")
    if not isinstance(spec, dict):
        return item
    if kind == "ResourceClaim":
        spec = _claim(spec)
    elif kind == "ResourceClaimTemplate":
        inner = spec.get("spec")
        spec = {**spec, "spec": _claim(inner)} if isinstance(inner, dict) else spec
    elif kind == "ResourceSlice":
        spec = slice_to_v1(spec)
    return {**item, "apiVersion": item["apiVersion"] if version == "v1" else f"{GROUP}/v1", "spec": spec}


def _claim(spec: dict[str, Any]) -> dict[str, Any]:
    devices = spec.get("devices")
    if not isinstance(devices, dict) or not isinstance(devices.get("requests"), list):
        return spec
    return {**spec, "devices": {**devices, "requests": [_request(r) for r in devices["requests"]]}}


def _request(request: Any) -> Any:
    """Return a request with its device class and all related fields below `exactly`."""
    if request is None:
        return {}  # as the decoder takes it
    if not isinstance(request, dict) or "exactly" in request or "firstAvailable" in request:
        return request
    flat = {key: request[key] for key in _EXACT if key in request}
    if not flat:
        return request
    return {**{key: value for key, value in request.items() if key not in flat}, "exactly": flat}


def slice_to_v1(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of a slice in its v1 form."""
    devices = spec.get("devices")
    if not isinstance(devices, list):
        return spec
    return {**spec, "devices": [_device(device) for device in devices]}


def _device(device: Any) -> Any:
    """Return a device without `basic`, whose capacities are objects."""
    if not isinstance(device, dict):
        return {} if device is None else device
    basic = device.get("basic")
    if isinstance(basic, dict):
        device = {**{key: value for key, value in device.items() if key != "basic"}, **basic}
    capacity = device.get("capacity")
    if isinstance(capacity, dict) and any(not isinstance(value, dict) for value in capacity.values()):
        whole = {name: value if isinstance(value, dict) else {"value": value} for name, value in capacity.items()}
        device = {**device, "capacity": whole}
    return device


RELAXATIONS = tuple(
    """
    taints allocated constraints counters capacity requestSelectors classSelectors count
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Kinds of limits that can be left out, to see whether one of them alone prevents a result."""


class Test(NamedTuple):
    """A selector, counted from 0, and what errors call it (`class gpu: selector #0`)."""

    where: str
    of_class: bool
    number: int
    selector: Selector


@dataclass(eq=False)
class Want:
    """What a request, or one alternative of a request, wants.

    `name` is that of results (PARENT/ALTERNATIVE), `base` the request's own, `key` CLAIM/REQUEST[/ALTERNATIVE];
    `problem` is the error that the attempt ends with when it gets here, `known` whether its class is there, `score`
    what the choice of an alternative adds to the score of a node. `number`, `devices` and `memory` belong to one
    attempt on one node: how many devices, which ones for mode All, and the verdicts on devices.
    """

    claim: int
    name: str
    base: str
    key: str
    spec: Mapping[str, Any]
    problem: str = ""
    class_name: str = ""
    known: bool = True
    admin: bool = False
    every: bool = False
    count: int = 0
    tests: tuple[Test, ...] = ()
    tolerations: Sequence[Mapping[str, Any]] = ()
    capacity: Mapping[str, Any] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    number: int = 0
    devices: Sequence[Device] = ()
    score: int = 0
    memory: dict[Device, bool] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What errors call it: its own name, without the parent's."""
        return self.name.rpartition("/")[2]


@dataclass(eq=False)
class Request:
    """A request: one want, or alternatives."""

    name: str
    wants: list[Want]
    prioritized: bool
    problem: str = ""


@dataclass(eq=False)
class Claim:
    """A claim to allocate: `name` is NAMESPACE/NAME, `problem` what its constraints are refused for."""

    name: str
    spec: Mapping[str, Any]
    requests: list[Request]
    constraints: Sequence[Mapping[str, Any]]
    problem: str = ""


def claim_name(claim: Mapping[str, Any]) -> str:
    """Return NAMESPACE/NAME of a claim."""
    metadata = claim.get("metadata") or {}
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or ''}"


def plan(
    claims: Sequence[Mapping[str, Any]],
    classes: Mapping[str, Mapping[str, Any]],
    behaviour: Behaviour,
    selection: Selection,
    relax: frozenset[str] = frozenset(),
) -> list[Claim]:
    """Return claims (v1) made ready, without the limits to `relax` (of `RELAXATIONS`).

    Problems are kept where they arise, for the first that is met ends an attempt.
    """
    planner = _Planner(classes, behaviour, selection, relax)
    return [planner.claim(index, claim) for index, claim in enumerate(claims)]


@dataclass
class _Planner:
    classes: Mapping[str, Mapping[str, Any]]
    behaviour: Behaviour
    selection: Selection
    relax: frozenset[str]

    def claim(self, index: int, claim: Mapping[str, Any]) -> Claim:
        name = claim_name(claim)
        spec = (claim.get("spec") or {}).get("devices") or {}
        requests = [self.request(index, name, request) for request in spec.get("requests") or ()]
        constraints = () if "constraints" in self.relax else spec.get("constraints") or ()
        made = Claim(name, spec, requests, constraints)
        for number, entry in enumerate(constraints):
            known = entry.get("matchAttribute") is not None or (
                entry.get("distinctAttribute") is not None and self.behaviour.has("knows_distinct")
            )
            if not known:
                made.problem = f"claim {name}, constraint #{number}: empty constraint (unsupported constraint type?)"
                break
        return made

    def request(self, index: int, claim: str, request: Mapping[str, Any]) -> Request:
        name = request.get("name") or ""
        alternatives = request.get("firstAvailable") or ()
        if alternatives:
            made = Request(name, [], prioritized=True)
            if not self.behaviour.has("prioritized_lists"):
                made.problem = (
                    f"claim {claim}, request {name}: has subrequests, but the DRAPrioritizedList feature is disabled"
                )
                return made
            for number, entry in enumerate(alternatives):
                want = self.want(index, claim, f"{name}/{entry.get('name') or ''}", name, entry)
                want.score = 8 - number
                made.wants.append(want)
            return made
        exactly = request.get("exactly") or {}
        return Request(name, [self.want(index, claim, name, name, exactly)], prioritized=False)

    def want(self, index: int, claim: str, name: str, base: str, spec: Mapping[str, Any]) -> Want:
        behaviour, relax = self.behaviour, self.relax
        class_name = spec.get("deviceClassName") or ""
        found = self.classes.get(class_name)
        weighs = behaviour.has("capacity") and "capacity" not in relax
        derived = (spec.get("derivedAttributes") or ()) if behaviour.has("derived_attributes") else ()
        tests = []
        class_spec = (found or {}).get("spec") or {}
        for of_class, where, entries in (
            (True, f"class {class_name}", class_spec.get("selectors") or ()),
            (False, f"claim {claim}", spec.get("selectors") or ()),
        ):
            if ("classSelectors" if of_class else "requestSelectors") in relax:
                continue
            for number, entry in enumerate(entries):
                expression = (entry.get("cel") or {}).get("expression") or ""
                selector = self.selection.selector(expression)
                tests.append(Test(f"{where}: selector #{number}", of_class, number, selector))
        return Want(
            index,
            name,
            base,
            f"{claim.rpartition('/')[2]}/{name}",
            spec,
            self.problem(claim, name, base, spec),
            class_name,
            known=found is not None,
            admin=spec.get("adminAccess") is True,
            every=spec.get("allocationMode") == "All" and "count" not in relax,
            count=1 if "count" in relax else spec.get("count") or 1,
            tests=tuple(tests),
            tolerations=spec.get("tolerations") or (),
            capacity=((spec.get("capacity") or {}).get("requests") or {}) if weighs else {},
            derived={entry.get("name") or "": entry.get("expression") or "" for entry in derived},
        )

    def problem(self, claim: str, called: str, base: str, spec: Mapping[str, Any]) -> str:
        """Return the error that a request ends the attempt with, empty where there is none."""
        behaviour = self.behaviour
        label = called.rpartition("/")[2]
        which = f"claim {claim}, request {label}"
        asks = "capacity" not in self.relax and bool((spec.get("capacity") or {}).get("requests"))
        if asks and not behaviour.has("capacity") and behaviour.has("checks_capacity_gate"):
            if "/" in called and behaviour.has("blames_parent_for_capacity"):
                which = f"claim {claim}, request {base}"
            elif "/" in called:
                which = f"claim {claim}, subrequest {label}"
            return f"{which}: has capacity requests, but the DRAConsumableCapacity feature is disabled"
        derives = behaviour.has("checks_derived_gate") and spec.get("derivedAttributes")
        if derives and not behaviour.has("derived_attributes"):
            return f"{which}: cannot handle request with derived attributes, the feature is disabled"
        for number, entry in enumerate(spec.get("selectors") or ()):
            if entry.get("cel") is None:
                return f"{which}: selector #{number}: CEL expression empty (unsupported selector type?)"
        if spec.get("adminAccess") is not None and not behaviour.has("admin_access"):
            return f"{which}: admin access is requested, but the feature is disabled"
        name = spec.get("deviceClassName")
        if not name:
            return f"{which}: missing device class name (unsupported request type?)"
        if name not in self.classes:
            return f'{which}: could not retrieve device class {name}: deviceclass.resource.k8s.io "{name}" not found'
        mode = spec.get("allocationMode") or "ExactCount"
        if mode not in ("ExactCount", "All"):
            return f"{which}: unsupported count mode {mode}"
        return ""


_SCALARS = ("string", "int", "bool", "version")
LISTS = {"strings": "string", "ints": "int", "bools": "bool", "versions": "version"}

Value = tuple[str, Any]
"""Kind and value of an attribute; the kind of a list is `list`."""


def attribute(device: Device, name: str) -> Mapping[str, Any] | None:
    """Return the attribute DOMAIN/NAME of a device; one without domain belongs to the driver's."""
    found: Mapping[str, Any] | None = named_value(device.spec.get("attributes") or {}, device.id.driver, name)
    return found


def scalar(value: Mapping[str, Any]) -> Value:
    """Return an attribute as kind and value; lists, and what is neither, have the kind `list`."""
    for kind in _SCALARS:
        if value.get(kind) is not None:
            return kind, value[kind]
    return "list", None


def as_set(value: Mapping[str, Any]) -> tuple[str, frozenset[Any]]:
    """Return an attribute as kind and set of values; lists win over scalars; an unknown kind is empty."""
    for kind, of in LISTS.items():
        if value.get(kind) is not None:
            return of, frozenset(value[kind])
    kind, single = scalar(value)
    return ("", frozenset()) if kind == "list" else (kind, frozenset((single,)))


def spell(value: Mapping[str, Any]) -> str:
    """Return an attribute's value for people."""
    for inner in value.values():
        if inner is not None:
            if isinstance(inner, list):
                return "[" + ", ".join(map(str, inner)) + "]"
            return str(inner).lower() if isinstance(inner, bool) else str(inner)
    return ""


@dataclass(eq=False)
class Constraint(ABC):
    """A constraint of one claim during an attempt; `add` and `remove` come in pairs, the last added first removed.

    `held` is what it compares further devices with: an entry for each device that it has admitted.
    """

    name: str
    requests: frozenset[str]
    lookup: Callable[..., Mapping[str, Any] | None]
    held: list[Any] = field(default_factory=list)

    def applies(self, want: Want) -> bool:
        """Say whether the constraint is about a request."""
        return not self.requests or want.base in self.requests or want.name in self.requests

    def add(self, want: Want, device: Device) -> bool:
        """Add a device; return false, and add nothing, where the constraint forbids it."""
        if not self.applies(want):
            return True
        value = self.lookup(want, device, self.name)
        held = None if value is None else self._admit(want, device, value)
        if held is None:
            return False
        self.held.append(held)
        return True

    def remove(self, want: Want) -> None:
        """Remove the last device of a request."""
        if self.applies(want):
            self.held.pop()

    @abstractmethod
    def _admit(self, want: Want, device: Device, value: Mapping[str, Any]) -> Any:
        """Return what to hold of a device with this attribute; None where the constraint forbids the device."""


@dataclass(eq=False)
class Match(Constraint):
    """All devices have the same value."""

    def _admit(self, want: Want, device: Device, value: Mapping[str, Any]) -> Any:
        found = scalar(value)
        return found if not self.held or (found[0] != "list" and found == self.held[0]) else None


@dataclass(eq=False)
class MatchSets(Constraint):
    """The sets of all devices share a value."""

    def _admit(self, want: Want, device: Device, value: Mapping[str, Any]) -> Any:
        kind, values = as_set(value)
        if not self.held:
            return (kind, values) if kind else None
        before, common = self.held[-1]
        return (kind, common & values) if kind == before and common & values else None


@dataclass(eq=False)
class Distinct(Constraint):
    """No two devices have the same value; with `sets`, their sets are disjoint."""

    sets: bool = False

    def _admit(self, want: Want, device: Device, value: Mapping[str, Any]) -> Any:
        found = as_set(value) if self.sets else scalar(value)
        if self.sets:
            met = any(found[0] == kind and found[1] & values for kind, values in self.held)
        else:
            met = bool(self.held) and (found[0] == "list" or found in self.held)
        return None if met else found


@dataclass(eq=False)
class DistinctByRequest(Constraint):
    """Remembers only the last value of each request; in 1.34, values are only equal for the same device."""

    by_identity: bool = False
    _last: dict[str, Value] = field(default_factory=dict)

    def remove(self, want: Want) -> None:
        super().remove(want)
        if self.applies(want):
            self._last.pop(want.base, None)

    def _admit(self, want: Want, device: Device, value: Mapping[str, Any]) -> Any:
        found = scalar(value)
        compared: Value = ("device", device.id) if self.by_identity and found[0] != "list" else found
        if self.held and self._last and (found[0] == "list" or compared in self._last.values()):
            return None
        self._last[want.base] = compared
        return compared


def constraint(
    spec: Mapping[str, Any], behaviour: Behaviour, lookup: Callable[..., Mapping[str, Any] | None]
) -> Constraint | None:
    """Return the constraint that an entry of a claim makes, None for one that the implementation does not know."""
    requests = frozenset(spec.get("requests") or ())
    match, distinct = spec.get("matchAttribute"), spec.get("distinctAttribute")
    if match is not None:
        return (MatchSets if behaviour.has("list_attributes") else Match)(match, requests, lookup)
    if distinct is None or not behaviour.has("knows_distinct"):
        return None
    if behaviour.has("distinct_by_identity") or behaviour.has("distinct_by_request"):
        identity = behaviour.has("distinct_by_identity")
        return DistinctByRequest(distinct, requests, lookup, by_identity=identity)
    return Distinct(distinct, requests, lookup, sets=behaviour.has("list_attributes"))
