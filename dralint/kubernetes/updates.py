"""What the update of a workload or class cannot change, and where a manifest has another value than the server.

Sources (v1.34.4 to v1.37.0): ValidateStatefulSetUpdate, ValidateDeploymentUpdate, ValidateReplicaSetUpdate and
ValidateDaemonSetUpdate in pkg/apis/apps/validation/validation.go, ValidateJobSpecUpdate, validateCompletions and
validatePodTemplateUpdate in pkg/apis/batch/validation/validation.go, jobStrategy in pkg/registry/batch/job/strategy.go;
ValidatePriorityClassUpdate in pkg/apis/scheduling/validation/validation.go, ValidateRuntimeClassUpdate in
pkg/apis/node/validation/validation.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.kubernetes.quantity import read_quantity
from dralint.kubernetes.release import in_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.kubernetes.release import Release

FIXED_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "Deployment": {"selector": None},
    "ReplicaSet": {"selector": None},
    "DaemonSet": {"selector": None},
    "StatefulSet": {
        "selector": None,
        "serviceName": "",
        "podManagementPolicy": "OrderedReady",
        "volumeClaimTemplates": [],
    },
    "Job": {
        "selector": None,
        "completions": None,
        "completionMode": "NonIndexed",
        "podFailurePolicy": None,
        "successPolicy": None,
        "backoffLimitPerIndex": None,
        "managedBy": None,
        "template": None,
    },
    "PriorityClass": {"value": None, "preemptionPolicy": "PreemptLowerPriority"},
    "RuntimeClass": {"handler": None},
}
"""Kind → the fields of its spec, or of an object without one, that no update changes, with their defaults."""

_GENERATED = {"Job": "selector"}
"""Fields that the server fills in itself where a manifest has none."""
_WITH_DEFAULTS = ("template", "volumeClaimTemplates")
"""Fields in which the server adds defaults."""
_DEFAULTED = ("dnsPolicy", "schedulerName", "terminationGracePeriodSeconds")
"""Fields that every Pod template of the server has (SetDefaults_PodSpec in pkg/apis/core/v1/defaults.go)."""
_FREE = ("nodeSelector", "affinity", "tolerations", "schedulingGates")
"""Fields of the template of a Job that may change while it is suspended."""
_FREE_RESOURCES = "1.36.."
"""The releases in which the resources of a suspended Job may change, too: MutablePodResourcesForSuspendedJobs
(pkg/features/kube_features.go, v1.34.4 to v1.37.0)."""

_STRATEGIES: Mapping[str, tuple[str, str, str, Mapping[str, Any]]] = {
    "Deployment": (
        "strategy",
        "Recreate",
        "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
        {"maxSurge": "25%", "maxUnavailable": "25%"},
    ),
    "StatefulSet": (
        "updateStrategy",
        "OnDelete",
        "spec.updateStrategy.rollingUpdate: Invalid value: only allowed for updateStrategy 'RollingUpdate'",
        {"partition": 0, "maxUnavailable": 1},
    ),
}
"""Kind → the field of its strategy, the type without `rollingUpdate`, what the server says of both together, and the
defaults of `rollingUpdate`."""


class Change(NamedTuple):
    """A value of a manifest that an object does not have: the path in the manifest, and both values."""

    path: tuple[str | int, ...]
    was: Any
    now: Any
    reason: str = "field is immutable"


def fixed_changes(kind: str, was: Mapping[str, Any], now: Mapping[str, Any], release: Release) -> Iterator[Change]:
    """Yield the changes of the spec of an object that a release refuses; the paths begin within the spec.

    `now` is what a manifest has: what it omits stays. `was` is of the server, or of another manifest; then a value that
    only one of them has can be the default of the other.
    """
    stored = _is_stored(was)
    for name, default in FIXED_FIELDS.get(kind, {}).items():
        there, wanted = was.get(name), now.get(name)
        if wanted is None or (there is None and (_GENERATED.get(kind) == name or wanted == default)):
            continue
        if kind == "Job" and name == "template" and was.get("suspend") is True:
            there, wanted = _as_suspended(there, release), _as_suspended(wanted, release)
        if kind == "Job" and name == "completions" and there is None and was.get("parallelism") is None:
            there = 1  # the default, if neither of the two is given
        found = unlike(wanted, there, stored=stored or name not in _WITH_DEFAULTS)
        if found is None and name == "selector" and unlike(there, wanted) is not None:
            found = Change((), there, wanted)
        if found is None:
            continue
        found = found._replace(path=(name, *found.path))
        if name == "completions" and now.get("completionMode") == "Indexed":
            if now.get("parallelism", was.get("parallelism")) == wanted:
                continue
            found = found._replace(reason="can only be modified in tandem with spec.parallelism")
        yield found


def kept_rolling_update(kind: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the server's message where a manifest changes the strategy of a live object, and keeps `rollingUpdate`.

    The server has filled that in, so `kubectl apply` leaves it. What the author wrote goes, and is taken for other than
    the defaults. Empty where the update is accepted.

    Sources (v1.37.0): ValidateDeploymentStrategy and ValidateStatefulSetSpec in pkg/apis/apps/validation/validation.go,
    SetDefaults_Deployment and SetDefaults_StatefulSet in pkg/apis/apps/v1/defaults.go.
    """
    field, other, message, defaults = _STRATEGIES.get(kind, ("", "", "", {}))
    there, wanted = was.get(field) or {}, now.get(field) or {}
    filled = there.get("rollingUpdate") or {}
    keeps = bool(filled) and filled.items() <= defaults.items() and "rollingUpdate" not in wanted
    return message if keeps and wanted.get("type") == other else ""


def _is_stored(spec: Mapping[str, Any]) -> bool:
    """Say whether a spec has the defaults of the server."""
    inner = (spec.get("template") or {}).get("spec") or {}
    return all(name in inner for name in _DEFAULTED)


def _as_suspended(template: Any, release: Release) -> Any:
    """Return of the template of a suspended Job what may not change."""
    spec = template.get("spec") if isinstance(template, dict) else None
    if not isinstance(spec, dict):
        return template
    made = {name: part for name, part in spec.items() if name not in _FREE}
    for kind in ("initContainers", "containers"):
        if isinstance(made.get(kind), list) and in_range(_FREE_RESOURCES, release):
            made[kind] = [
                {name: part for name, part in each.items() if name != "resources"} if isinstance(each, dict) else each
                for each in made[kind]
            ]
    return {"spec": made}


def within(wanted: Any, there: Any) -> bool:
    """Say whether a live value has everything in a manifest, whatever the server or admission has added."""
    return unlike(wanted, there) is None


def unlike(wanted: Any, there: Any, key: str = "", *, stored: bool = True) -> Change | None:
    """Return the first value of a manifest that a live value does not have; None where it has everything.

    If the other value is not `stored`, it may lack what the server would add.
    """
    if isinstance(wanted, dict):
        return _unlike_mapping(wanted, there, key, stored=stored)
    if isinstance(wanted, list):
        return _unlike_list(wanted, there, stored=stored)
    if wanted in (None, "", False) and there in (None, "", False):
        return None
    if key == "amount" and there is not None:
        try:
            same = read_quantity(str(wanted)).exact == read_quantity(str(there)).exact
        except ValueError:
            same = False
    elif key == "image":
        same = str(there).endswith(str(wanted))  # a webhook may name another registry
    else:
        same = bool(wanted == there)
    return None if same else Change((), there, wanted)


def _unlike_mapping(wanted: dict[str, Any], there: Any, key: str, *, stored: bool) -> Change | None:
    if not isinstance(there, dict):
        return Change((), there, wanted) if wanted else None
    amounts = key in ("limits", "requests")
    for name, value in wanted.items():
        if not stored and name not in there:
            continue
        found = unlike(value, there.get(name), "amount" if amounts else name, stored=stored)
        if found is not None:
            return found._replace(path=(name, *found.path))
    return None


def _unlike_list(wanted: list[Any], there: Any, *, stored: bool) -> Change | None:
    entries = there if isinstance(there, list) else []
    for position, one in enumerate(wanted):
        meant = _meant(one, entries)
        found = [unlike(one, other, stored=stored) for other in meant]
        if None not in found:
            change = found[0] if len(found) == 1 and found[0] is not None else Change((), None, one)
            return change._replace(path=(position, *change.path))
    return None


def _meant(one: Any, there: list[Any]) -> list[Any]:
    """Return the entries of a live list that an entry of a template can have become: if entries have names, that with
    its name."""
    name = one.get("name") if isinstance(one, dict) else None
    return (
        there if name is None else [other for other in there if isinstance(other, dict) and other.get("name") == name]
    )
