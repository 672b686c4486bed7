"""Judges how an update changes the claims of Pods and workloads.

Sources: ValidatePodUpdate (pkg/apis/core/validation/validation.go), ValidateJobUpdate (pkg/apis/batch/validation), and
zz_generated.validations.go of pkg/apis/scheduling and pkg/apis/batch (v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.decode.misplaced_claims import displaced_claims
from dralint.finding.path import at, list_of
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import IMMUTABLE_FIELD
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.kubernetes.workloads import FIXED_FIELDS, POD_SPECS, is_group_of_pods
from dralint.lint.workloads import check_parts, judging, not_served, removed_field
from dralint.manifest.pod_parts import PodPart, claim_parts
from dralint.update.equality import same_json
from dralint.update.rules import UpdateProblem, describe_change
from dralint.validate.served import refusal

if TYPE_CHECKING:
    from dralint.kubernetes.release import Release
    from dralint.lint.release_judge import Judge
    from dralint.lint.releases import Releases
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_GROUPS = ("PodGroupSpec", "PodGroupTemplate")
_OF_DECODING = ("TypeInvalid", "Unknown", "Decode")


def workload_update(
    releases: Releases, old: ApiObject, new: ApiObject
) -> list[tuple[UpdateProblem, list[Release]]] | None:
    """Return the problems of the update of a Pod or workload; None where neither side has claims."""
    refused = not_served(releases, new)
    if refused is not None:
        return [(UpdateProblem(problem), releases) for problem, releases in refused]
    before, after = claim_parts(old), claim_parts(new)
    if not before and not after and not displaced_claims(new):
        return None
    merged: dict[UpdateProblem, list[Release]] = {}
    key = new.api_version, new.kind
    alone, paths = judging(releases, new, after)
    removed = [] if releases.chosen else [UpdateProblem(removed_field(path, alone)) for path in paths]
    for release in releases.chosen or (alone,):
        if is_group_of_pods(new.group, new.kind) and key not in releases.versions.served(release):
            refused_by = UpdateProblem(refusal(releases.versions, new, release, releases.chosen))
            merged.setdefault(refused_by, []).append(release)
            continue
        judge = releases.judge(release)
        problems = [problem for problem in check_parts(judge, new, after) if not _only_compared(problem, after)]
        changes = [UpdateProblem(problem) for problem in problems]
        if not any(problem.reason in _OF_DECODING for problem in problems):
            changes += _fixed_claims(new, _kept(judge, old, before), _kept(judge, new, after))
            changes += _fixed_fields(old, new)
        for change in (*changes, *removed):
            merged.setdefault(change, []).append(release)
    return list(merged.items())


def _only_compared(problem: Problem, parts: list[PodPart]) -> bool:
    """Say whether a problem is in the claims of a group: unchanged ones are not validated again, changed ones are
    refused."""
    if problem.reason is None or problem.reason in _OF_DECODING:
        return False
    claims = [(*part.path, "resourceClaims") for part in parts if part.type in _GROUPS]
    return any(problem.path[: len(path)] == path for path in claims)


def _kept(judge: Judge, item: ApiObject, parts: list[PodPart]) -> list[PodPart]:
    """Return the parts without the fields that a disabled gate removes."""
    return [
        part._replace(view=judge.examine("v1", part.type, part.view, item, part.path).value)
        if part.type in (*_GROUPS, "JobSpec")
        else part
        for part in parts
    ]


def _fixed_claims(item: ApiObject, before: list[PodPart], after: list[PodPart]) -> list[UpdateProblem]:
    out: list[UpdateProblem] = []
    old_views = {(part.path, part.type): part.view for part in before}
    new_views = {(part.path, part.type): part.view for part in after}
    for path, type_name in {**new_views, **old_views}:
        blamed = _blamed(item, path, type_name)
        if blamed is None or any(change.problem.path == blamed[0] for change in out):
            continue
        was = _claims(old_views.get((path, type_name), {}), type_name)
        now = _claims(new_views.get((path, type_name), {}), type_name)
        where = next((place for place in {**now, **was} if not same_json(was.get(place), now.get(place))), None)
        if where is None:
            continue
        old_value, new_value = was.get(where), now.get(where)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            keys = [key for key in {**new_value, **old_value} if old_value.get(key) != new_value.get(key)]
            where, old_value, new_value = (*where, keys[0]), old_value.get(keys[0]), new_value.get(keys[0])
        full = (*path, *where)
        subject, reason, hint = blamed
        text = f"claims of a {item.kind} cannot be changed: {describe_change(full, old_value, new_value)}"
        place = None if full == subject else full
        out.append(
            UpdateProblem(Problem(IMMUTABLE_FIELD, subject, text, reason, hint, place), ("before the update", full))
        )
    return out


def _fixed_fields(old: ApiObject, new: ApiObject) -> list[UpdateProblem]:
    """Return the changes of a workload that no update can make, whatever its claims are."""
    out = []
    if (new.api_version, new.kind) in POD_SPECS:
        for name in FIXED_FIELDS.get(new.kind, ()):
            path = ("spec", name)
            was, now = at(old.data, path), at(new.data, path)
            if was is not None and now is not None and not same_json(was, now):
                text = f"{name} of a {new.kind} cannot be changed: {describe_change(path, was, now)}"
                hint = f"delete the {new.kind} and create it again, or give the new one another name"
                out.append(
                    UpdateProblem(Problem(IMMUTABLE_FIELD, path, text, "Invalid", hint), ("before the update", path))
                )
    return out


def _blamed(item: ApiObject, path: Path, type_name: str) -> tuple[Path, str, str] | None:
    """Return the field to blame for changed claims, the reason, and what to do; None where claims may change."""
    anew = f"delete the {item.kind} and create it again"
    if type_name in ("PodGroupSpec", "PodGroupTemplate"):
        return (*path, "resourceClaims"), "Invalid", anew
    if type_name == "JobSpec":
        return None if item.kind != "Job" else ((*path, "scheduling", "resourceClaims"), "Invalid", anew)
    if (item.api_version, item.kind) == ("v1", "Pod"):
        return path, "Forbidden", anew
    if (item.api_version, item.kind) == ("batch/v1", "Job"):
        return path[:-1], "Invalid", anew
    return None


def _claims(view: dict[str, Any], type_name: str) -> dict[Path, Any]:
    """Return every claim, or use of one, by its place."""
    if type_name == "JobSpec":
        inner = _claims(view.get("scheduling") or {}, "JobScheduling")
        return {("scheduling", *path): value for path, value in inner.items()}
    out: dict[Path, Any] = {}
    for position, claim in enumerate(list_of(view.get("resourceClaims"))):
        entry = claim if isinstance(claim, dict) else {}
        # Up to 1.30, the fields below `source` are those of the same claim.
        entry = {**entry, **(entry.get("source") or {})}
        out["resourceClaims", position] = {k: v for k, v in entry.items() if v is not None and k != "source"}
    for kind in CONTAINERS:
        for index, container in enumerate(list_of(view.get(kind))):
            resources = (container or {}).get("resources")
            claims = resources.get("claims") if isinstance(resources, dict) else None
            for position, claim in enumerate(list_of(claims)):
                used = claim if isinstance(claim, dict) else {}
                place = (kind, index, "resources", "claims", position)
                out[place] = {key: value for key, value in used.items() if value}
    return out
