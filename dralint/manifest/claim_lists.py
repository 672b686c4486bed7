"""Finds where PodGroups, Workloads and Jobs list the claims that a group of Pods shares.

Sources: pkg/apis/scheduling/v1alpha2 (v1.36.3), v1alpha3 and v1beta1 (v1.37.0), pkg/apis/batch/v1 (v1.37.0),
zz_generated.validations.go of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.kubernetes.workloads import is_group_of_pods

if TYPE_CHECKING:
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_JOBS: dict[tuple[str, str], Path] = {
    ("batch/v1", "Job"): ("spec",),
    ("batch/v1", "CronJob"): ("spec", "jobTemplate", "spec"),
}
_CLAIMS = "resourceClaims"


def claim_lists(item: ApiObject) -> list[tuple[Path, str, dict[str, Any]]]:
    """Return (path, type, view) of each part of the object that lists claims of a group of Pods."""
    job = _JOBS.get((item.api_version, item.kind))
    if job is not None:
        scheduling = at(item.data, (*job, "scheduling"))
        if isinstance(scheduling, dict) and _CLAIMS in scheduling:
            return [(job, "JobSpec", {"scheduling": {_CLAIMS: scheduling[_CLAIMS]}})]
    if not is_group_of_pods(item.group, item.kind):
        return []
    if item.kind == "PodGroup":
        return _with_claims(("spec",), item.data.get("spec"), "PodGroupSpec")
    return _templates(item.data)


def _with_claims(path: Path, value: Any, type_name: str) -> list[tuple[Path, str, dict[str, Any]]]:
    if isinstance(value, dict) and _CLAIMS in value:
        return [(path, type_name, {_CLAIMS: value[_CLAIMS]})]
    return []


def _templates(workload: dict[str, Any]) -> list[tuple[Path, str, dict[str, Any]]]:
    """Return the templates of Pod groups of a Workload, including those in composite templates."""
    out: list[tuple[Path, str, dict[str, Any]]] = []
    todo: list[tuple[Path, Any]] = [(("spec",), workload.get("spec"))]
    while todo:
        path, value = todo.pop()
        if not isinstance(value, dict):
            continue
        for position, template in enumerate(_items(value, "podGroupTemplates")):
            out += _with_claims((*path, "podGroupTemplates", position), template, "PodGroupTemplate")
        for position, composite in enumerate(_items(value, "compositePodGroupTemplates")):
            todo.append(((*path, "compositePodGroupTemplates", position), composite))
    return out


def _items(value: dict[str, Any], key: str) -> list[Any]:
    items = value.get(key)
    return items if isinstance(items, list) else []
