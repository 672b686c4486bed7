"""The scopes of a ResourceQuota: which Pods it counts. A quota with scopes does not count claims.

Source: podMatchesScopeFunc in pkg/quota/v1/evaluator/core/pods.go (v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.simulate.extended import containers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COMPUTE = ("cpu", "memory")


class Scope(NamedTuple):
    """One requirement: the name of a scope and, for PriorityClass, the classes."""

    name: str
    operator: str = "Exists"
    values: tuple[str, ...] = ()


def scopes_of(spec: Mapping[str, Any]) -> tuple[Scope, ...]:
    """Return the scopes of a quota."""
    found = [Scope(str(name)) for name in spec.get("scopes") or ()]
    for entry in (spec.get("scopeSelector") or {}).get("matchExpressions") or ():
        values = tuple(map(str, entry.get("values") or ()))
        found.append(Scope(str(entry.get("scopeName")), str(entry.get("operator")), values))
    return tuple(found)


def counts(scopes: Sequence[Scope], kind: str, item: Mapping[str, Any]) -> bool:
    """Say whether a quota with these scopes counts an object."""
    if not scopes:
        return True
    return kind == "Pod" and all(_matches(scope, item) for scope in scopes)


def _matches(scope: Scope, pod: Mapping[str, Any]) -> bool:
    spec = pod.get("spec") or {}
    if scope.name in ("Terminating", "NotTerminating"):
        deadline = spec.get("activeDeadlineSeconds")
        ends = isinstance(deadline, int) and deadline >= 0
        return ends is (scope.name == "Terminating")
    if scope.name in ("BestEffort", "NotBestEffort"):
        return _best_effort(pod) is (scope.name == "BestEffort")
    if scope.name == "PriorityClass":
        return _of_class(scope, str(spec.get("priorityClassName") or ""))
    return scope.name == "CrossNamespacePodAffinity" and _looks_elsewhere(spec)


def _best_effort(pod: Mapping[str, Any]) -> bool:
    """Say whether nothing in a Pod names cpu or memory."""
    own = (pod.get("spec") or {}).get("resources")
    named = [{**(own.get("limits") or {}), **(own.get("requests") or {})}] if isinstance(own, dict) else []
    named += [dict(container.requests) for container in containers(pod)]
    return not any(str(each[name]) != "0" for each in named for name in _COMPUTE if name in each)


def _of_class(scope: Scope, name: str) -> bool:
    if scope.operator == "Exists":
        return bool(name)
    if scope.operator == "DoesNotExist":
        return not name
    inside = bool(name) and name in scope.values
    return inside if scope.operator == "In" else not inside


def _looks_elsewhere(spec: Mapping[str, Any]) -> bool:
    """Say whether a term of the affinity between Pods is about other namespaces."""
    affinity = spec.get("affinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        part = affinity.get(kind) if isinstance(affinity, dict) else None
        for time in ("requiredDuringScheduling", "preferredDuringScheduling"):
            for entry in (part or {}).get(f"{time}IgnoredDuringExecution") or ():
                term = entry.get("podAffinityTerm", entry)
                if term.get("namespaces") or term.get("namespaceSelector") is not None:
                    return True
    return False
