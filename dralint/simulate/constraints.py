"""Compares devices for matchAttribute and distinctAttribute, as each release does.

Source: k8s.io/dynamic-resource-allocation/structured/internal/*/constraint.go and allocator_*.go (lookupAttribute),
v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.claims import Want
    from dralint.simulate.inventory import Device

_SCALARS = ("string", "int", "bool", "version")
LISTS = {"strings": "string", "ints": "int", "bools": "bool", "versions": "version"}

Value = tuple[str, Any]
"""Kind and value of an attribute; the kind of a list is `list`."""


def attribute(device: Device, name: str) -> Mapping[str, Any] | None:
    """Return the attribute DOMAIN/NAME of a device; one without domain belongs to the driver's."""
    attributes = device.spec.get("attributes") or {}
    found = attributes.get(name)
    if found is None:
        domain, slash, identifier = name.partition("/")
        if slash and domain == device.id.driver:
            found = attributes.get(identifier)
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
    """A constraint of one claim during an attempt; `add` and `remove` come in pairs, the last added first removed."""

    name: str
    requests: frozenset[str]
    lookup: Callable[..., Mapping[str, Any] | None]

    def applies(self, want: Want) -> bool:
        """Say whether the constraint is about a request."""
        return not self.requests or want.base in self.requests or want.name in self.requests

    def add(self, want: Want, device: Device) -> bool:
        """Add a device; return false, and add nothing, where the constraint forbids it."""
        if not self.applies(want):
            return True
        value = self.lookup(want, device, self.name)
        return value is not None and self._add(want, device, value)

    def remove(self, want: Want, device: Device) -> None:
        """Remove a device."""
        if self.applies(want):
            self._remove(want, device)

    @abstractmethod
    def _add(self, want: Want, device: Device, value: Mapping[str, Any]) -> bool: ...

    @abstractmethod
    def _remove(self, want: Want, device: Device) -> None: ...


@dataclass(eq=False)
class Match(Constraint):
    """All devices have the same value."""

    _value: Value = ("", None)
    _count: int = 0

    def _add(self, want: Want, device: Device, value: Mapping[str, Any]) -> bool:
        found = scalar(value)
        if self._count == 0:
            self._value = found
        elif found[0] == "list" or found != self._value:
            return False
        self._count += 1
        return True

    def _remove(self, want: Want, device: Device) -> None:
        self._count -= 1


@dataclass(eq=False)
class MatchSets(Constraint):
    """The sets of all devices share a value."""

    _common: list[tuple[str, frozenset[Any]]] = field(default_factory=list)

    def _add(self, want: Want, device: Device, value: Mapping[str, Any]) -> bool:
        kind, values = as_set(value)
        if not self._common:
            if not kind:
                return False
            self._common.append((kind, values))
            return True
        before, common = self._common[-1]
        if kind != before or not common & values:
            return False
        self._common.append((kind, common & values))
        return True

    def _remove(self, want: Want, device: Device) -> None:
        self._common.pop()


@dataclass(eq=False)
class Distinct(Constraint):
    """No two devices have the same value; with `sets`, their sets are disjoint."""

    sets: bool = False
    _seen: list[tuple[str, Any]] = field(default_factory=list)

    def _add(self, want: Want, device: Device, value: Mapping[str, Any]) -> bool:
        found = as_set(value) if self.sets else scalar(value)
        if self.sets:
            if any(found[0] == kind and found[1] & values for kind, values in self._seen):
                return False
        elif self._seen and (found[0] == "list" or found in self._seen):
            return False
        self._seen.append(found)
        return True

    def _remove(self, want: Want, device: Device) -> None:
        self._seen.pop()


@dataclass(eq=False)
class DistinctByRequest(Constraint):
    """Remembers only the last value of each request; in 1.34, values are only equal for the same device."""

    by_identity: bool = False
    _last: dict[str, Value] = field(default_factory=dict)
    _count: int = 0

    def _add(self, want: Want, device: Device, value: Mapping[str, Any]) -> bool:
        found = scalar(value)
        compared: Value = ("device", device.id) if self.by_identity and found[0] != "list" else found
        if self._count and self._last and (found[0] == "list" or compared in self._last.values()):
            return False
        self._last[want.base] = compared
        self._count += 1
        return True

    def _remove(self, want: Want, device: Device) -> None:
        self._last.pop(want.base, None)
        self._count -= 1


def constraint(
    spec: Mapping[str, Any], behaviour: Behaviour, lookup: Callable[..., Mapping[str, Any] | None]
) -> Constraint | None:
    """Return the constraint that an entry of a claim makes, None for one that the implementation does not know."""
    requests = frozenset(spec.get("requests") or ())
    match, distinct = spec.get("matchAttribute"), spec.get("distinctAttribute")
    if match is not None:
        return (MatchSets if behaviour.list_attributes else Match)(match, requests, lookup)
    if distinct is None or not behaviour.has("knows_distinct"):
        return None
    if behaviour.has("distinct_by_identity") or behaviour.has("distinct_by_request"):
        identity = behaviour.has("distinct_by_identity")
        return DistinctByRequest(distinct, requests, lookup, by_identity=identity)
    return Distinct(distinct, requests, lookup, sets=behaviour.list_attributes)
