"""Pods and everything that embeds a Pod spec: what concerns resource claims.

Only the claims are judged. A view of the object that holds nothing else goes through decoding and validation, at the
paths that the parts have in the object.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.decode.decoder import WRONG_TYPE
from dralint.decode.misplaced_claims import about_claims, displaced_claims, has_claims, holds_claims
from dralint.decode.unknown_fields import FLAT_REQUEST
from dralint.finding.path import at
from dralint.finding.problem import Problem
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label, dns_subdomain
from dralint.kubernetes.pod_types import CONTAINERS
from dralint.kubernetes.release import in_range
from dralint.kubernetes.workloads import POD_SPECS, SERVED
from dralint.manifest.claim_lists import claim_lists
from dralint.manifest.groups import is_own
from dralint.manifest.objects import type_meta
from dralint.validate.relations.pod import NO_CLAIMS_HERE, ONE_OF, UNKNOWN_CLAIM
from dralint.validate.relations.pod_status import STATUS_TYPES, claim_statuses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.kubernetes.release import Release
    from dralint.lint.linter import Linter
    from dralint.lint.release_judge import Judge
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

REMOVED_FIELD, SUBDOMAIN, REFUSED_LATER = "DRA506", "DRA202", "DRA282"
_MIRROR = "kubernetes.io/config.mirror"
_ENTRY, _USE = "core.PodResourceClaim", "core.ResourceClaim"
_GENERATED, _LONGEST_PREFIX = "x2x4x", 58


class Part(NamedTuple):
    """A part of an object that speaks of claims: where it lies, of which type it is, and the view of it."""

    path: Path
    type: str
    view: dict[str, Any]


def judge_workload(linter: Linter, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    """Return the problems of an object that embeds Pod specs with resource claims; None when it has none."""
    refused = not_served(linter, item)
    if refused is not None:
        return refused
    parts = claim_parts(item)
    if not parts and not displaced_claims(item):
        return None
    merged: dict[Problem, list[Release]] = {}
    if linter.settings.releases:
        for release in linter.settings.releases:
            for problem in check_parts(linter.judge(release), item, parts):
                merged.setdefault(problem, []).append(release)
        return list(merged.items())
    release, old = newest_that_knows(linter, item, parts)
    problems = check_parts(linter.judge(release), item, parts)
    problems += [removed_field(path, release) for path in old]
    return [(problem, [release]) for problem in problems]


def not_served(linter: Linter, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    """Return why no release takes an object: a Pod or workload with claims in a wrong API version of Kubernetes' own.

    None for all others.
    """
    home = next((version for version, kind in POD_SPECS if kind == item.kind), item.api_version)
    if home == item.api_version or not is_own(item.group):
        return None
    meant = replace(item, api_version=home)
    evident = "metadata" in item.data or type_meta(item.data, "apiVersion") is not None
    if not claim_parts(meant) and not (evident and displaced_claims(meant)):
        return None
    releases = list(linter.settings.releases) or [linter.known()[-1]]
    return [(linter.versions.refusal(item, releases[0], chosen=bool(linter.settings.releases)), releases)]


def claim_parts(item: ApiObject) -> list[Part]:
    """Return the parts of an object that speak of claims."""
    whole = (item.api_version, item.kind) in POD_SPECS
    parts = [
        Part(path, "core.PodSpec", view)
        for path in item.pod_specs()
        if (view := _pod_view(at(item.data, path), whole=whole)) is not None
    ]
    parts += [Part(*found) for found in claim_lists(item)]
    status, type_name = item.data.get("status"), STATUS_TYPES.get(item.kind)
    if type_name is not None and (whole or item.api_version in SERVED) and isinstance(status, dict):
        view = {key: value for key, value in status.items() if key == "resourceClaimStatuses"}
        parts += [Part(("status",), type_name, view)] if view else []
    return parts


def check_parts(judge: Judge, item: ApiObject, parts: Sequence[Part]) -> list[Problem]:
    """Return what one release says of the parts; nothing where it does not serve the object."""
    problems: list[Problem] = []
    if not in_range(SERVED.get(item.api_version, ".."), judge.release):
        return problems
    displaced = displaced_claims(item)
    problems += displaced
    for part in parts:
        verdict = judge.examine("v1", part.type, part.view, item, part.path)
        foreign = part.type == "core.PodSpec" and (item.api_version, item.kind) not in POD_SPECS
        if foreign:
            # Which fields a custom resource has is decided by its own definition, whether a Pod is taken is not.
            old = [problem for problem in verdict.decoding if problem.rule == FLAT_REQUEST]
            refused = [*old, *_beside_decoding(verdict.validation, verdict.decoding, part)]
            problems += [
                _refused_later(problem, f"Pods made from this {item.kind} will be refused") for problem in refused
            ]
            problems += verdict.dropped
            continue
        problems += [_with_way_out(problem, item) for problem in verdict.decoding]
        problems += verdict.dropped
        found = verdict.validation
        if part.path == ("status",):
            found += claim_statuses(judge, item, verdict.value)
        elif item.kind == "Pod" and item.api_version == "v1":
            found += _of_a_pod(judge, item, part, verdict.value)
        if verdict.decoding:
            found = _beside_decoding(found, verdict.decoding, part)
        if displaced:
            # What a container lists may well be declared in the wrong place.
            found = [problem for problem in found if problem.rule != UNKNOWN_CLAIM]
        if item.kind == "StatefulSet" and "stateful-set-template-unchecked" in judge.does:
            later = "the StatefulSet is accepted, but its Pods will be refused"
            found = [_refused_later(problem, later) for problem in found]
        problems += found
    return problems


def _beside_decoding(found: list[Problem], decoding: list[Problem], part: Part) -> list[Problem]:
    """Return what to report beside problems of decoding: nothing that they may have caused."""
    claims = (*part.path, "resourceClaims")
    depth = len(part.path)
    misspelt = any(len(problem.path) == depth + 1 and about_claims(str(problem.path[depth])) for problem in decoding)
    if misspelt or any(problem.path[: len(claims)] == claims for problem in decoding):
        # What a container lists may well be declared in what could not be decoded.
        found = [problem for problem in found if problem.rule != UNKNOWN_CLAIM]
    # An entry with a field that could not be decoded may well name its claim there.
    entries = {problem.path[: len(claims) + 1] for problem in decoding}
    return [problem for problem in found if problem.rule != ONE_OF or problem.path[: len(claims) + 1] not in entries]


def _with_way_out(problem: Problem, item: ApiObject) -> Problem:
    """Return a problem of decoding with a hint where a container lists the name of a claim in place of an entry."""
    name = at(item.data, problem.path)
    listed = isinstance(problem.path[-1], int) and problem.path[-2] == "claims"
    if problem.rule != WRONG_TYPE or not listed or not isinstance(name, str):
        return problem
    return replace(problem, hint=f"write it as `- name: {name if dns_label(name) is None else 'NAME'}`")


def _refused_later(problem: Problem, why: str) -> Problem:
    return replace(problem, rule=REFUSED_LATER, message=f"{problem.message} ({why})", reason=None)


def _pod_view(spec: Any, *, whole: bool) -> dict[str, Any] | None:
    """Return what a Pod spec says of claims; None when it says nothing.

    Fields with a similar name are kept where they stand (`whole`: in the kinds of Kubernetes itself), for decoding to
    refuse them.
    """
    view: dict[str, Any] = {
        key: value for key, value in spec.items() if key == "resourceClaims" or (whole and about_claims(key))
    }
    found = bool(view)
    for kind in CONTAINERS:
        containers = spec.get(kind)
        if not isinstance(containers, list):
            continue
        kept: list[Any] = []
        for container in containers:
            if not isinstance(container, dict):
                kept.append(None)
                continue
            part = {
                key: value
                for key, value in container.items()
                if key == "resources"
                or (whole and (key.lower() == "resources" or about_claims(key) or holds_claims(key, value)))
            }
            found = found or any(has_claims(value) or about_claims(key) for key, value in part.items())
            kept.append(part)
        view[kind] = kept
    if has_claims(spec.get("resources")):
        view["resources"] = spec["resources"]
        found = True
    return view if found else None


def _of_a_pod(judge: Judge, item: ApiObject, part: Part, view: dict[str, Any]) -> list[Problem]:
    """Return what depends on the metadata of a Pod (which the template of a Pod does not have yet)."""
    metadata = item.data.get("metadata")
    claims = view.get("resourceClaims")
    if not isinstance(metadata, dict) or not claims:
        return []
    problems: list[Problem] = []
    here = (*part.path, "resourceClaims")
    annotations = metadata.get("annotations")
    if "mirror-pod-without-claims" in judge.does and isinstance(annotations, dict) and _MIRROR in annotations:
        problems.append(
            Problem(
                NO_CLAIMS_HERE,
                here,
                "a Pod that mirrors a static Pod cannot have claims",
                "Forbidden",
                "static Pods cannot use claims: create an ordinary Pod",
                target="key",
                related=(("marks it as a mirror", ("metadata", "annotations", _MIRROR)),),
            )
        )
    if "pod-claim-name-combined" in judge.does:
        name, prefix = item.data["metadata"].get("name"), metadata.get("generateName")
        if not name and isinstance(prefix, str) and prefix:
            name = prefix[:_LONGEST_PREFIX] + _GENERATED
        for position, claim in enumerate(claims):
            entry = claim or {}
            if entry.get("name") and (entry.get("source") or {}).get("resourceClaimTemplateName") is not None:
                combined = f"{name}-{entry['name']}"
                fault = dns_subdomain(combined) if isinstance(name, str) and name else None
                if fault is not None and dns_subdomain(entry["name"]) is None:
                    problems.append(
                        Problem(
                            SUBDOMAIN,
                            (*here, position, "name"),
                            f"the claim made from the template would be called {quoted(combined)}, which {fault.text}",
                            "Invalid",
                            fault.hint,
                        )
                    )
    return problems


def newest_that_knows(linter: Linter, item: ApiObject, parts: Sequence[Part]) -> tuple[Release, list[Path]]:
    """Return the newest release that has the fields of all claims, and where fields are that the newest lacks.

    When no release has them all it is the newest release that judges.
    """
    served = SERVED.get(item.api_version, "..")
    known = [release for release in linter.known() if in_range(served, release)] or linter.known()
    newest = known[-1]
    used = _used_fields(parts)

    def lacking(release: Release) -> set[tuple[str, str]]:
        types = linter.judge(release).api("v1").structs
        return {(name, key) for name, key in used if key not in types[name].fields}

    gone = lacking(newest)
    if all(name != _ENTRY for name, _ in gone):
        return newest, []
    slips = {(name, key) for name, key in gone if name != _ENTRY}  # no release has them
    for release in reversed(known):
        if lacking(release) <= slips:
            return release, [
                path for (name, key), paths in used.items() if (name, key) in gone - slips for path in paths
            ]
    return newest, []


def _used_fields(parts: Sequence[Part]) -> dict[tuple[str, str], list[Path]]:
    """Return the fields by which releases differ, as (type, field), and where each is."""
    used: dict[tuple[str, str], list[Path]] = {}
    for part in parts:
        if part.type == "JobSpec":
            used[part.type, "scheduling"] = [(*part.path, "scheduling")]
        if part.type != "core.PodSpec":
            continue
        if "resources" in part.view:
            used[part.type, "resources"] = [(*part.path, "resources")]
        lists: list[tuple[str, Path]] = [(_ENTRY, ("resourceClaims",))]
        for kind in CONTAINERS:
            containers = part.view.get(kind) or ()
            lists += [(_USE, (kind, position, "resources", "claims")) for position in range(len(containers))]
        for name, path in lists:
            entries = at(part.view, path)
            for position, entry in enumerate(entries if isinstance(entries, list) else ()):
                for key in entry if isinstance(entry, dict) else ():
                    used.setdefault((name, key), []).append((*part.path, *path, position, key))
    return used


def removed_field(path: Path, release: Release) -> Problem:
    """Return what is to be said of a field that only releases up to this one know."""
    return Problem(
        REMOVED_FIELD,
        path,
        f"`{path[-1]}` is known up to {release} only; it was judged by that release",
        None,
        "move resourceClaimName or resourceClaimTemplateName one level up, directly into the entry, for 1.31 and later",
        target="key",
    )
