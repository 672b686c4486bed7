"""Pods, and objects that embed a Pod spec: judges their resource claims.

dralint judges only the claims. It decodes and validates a view of the object that holds nothing else, and reports the
problems at the paths of the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.decode.misplaced_claims import displaced_claims
from dralint.finding import rule_ids
from dralint.finding.problem import Problem, at, renamed, replaced
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.release import LAST_CLASSIC, in_range
from dralint.kubernetes.served import is_own
from dralint.kubernetes.types import CONTAINERS
from dralint.kubernetes.workloads import GROUPED, POD_SPECS, is_group_of_pods
from dralint.manifest.objects import type_meta
from dralint.manifest.pod_parts import PodPart, claim_parts
from dralint.validate.relations.pod import claim_statuses, pod_metadata
from dralint.validate.served import refusal, without_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.kubernetes.release import Release
    from dralint.lint.release_judge import Judge
    from dralint.lint.releases import Releases
    from dralint.manifest.objects import ApiObject
    from dralint.validate.cascade import Telling
    from dralint.yaml import Path

_NOT_CLAIMS = frozenset({*CONTAINERS, "resources"})
"""Fields of a Pod spec in the view that are not claims, including misspelled ones."""
_ENTRY, _USE = "core.PodResourceClaim", "core.ResourceClaim"


def judge_workload(
    releases: Releases, item: ApiObject, telling: Telling = "first"
) -> list[tuple[Problem, list[Release]]] | None:
    """Return the problems of an object that embeds Pod specs with resource claims; None when it has none."""
    if not item.kind and (found := _without_kind(releases, item)) is not None:
        return found
    refused = not_served(releases, item)
    if refused is not None:
        return refused
    parts = claim_parts(item)
    if not parts and not displaced_claims(item) and not _is_known(item):
        return None
    merged: dict[Problem, list[Release]] = {}
    if releases.chosen:
        for release in releases.chosen:
            for problem in check_parts(releases.judge(release), item, parts, telling):
                merged.setdefault(problem, []).append(release)
        return list(merged.items())
    release, old = judging(releases, item, parts)
    problems = check_parts(releases.judge(release), item, parts, telling)
    problems += [removed_field(path, release) for path in old]
    return [(problem, [release]) for problem in problems]


def _is_known(item: ApiObject) -> bool:
    """Say whether the table of custom resources knows an object that has no Pod spec with claims."""
    if "." not in item.group or is_own(item.group):
        return False
    from dralint.lint.custom_workloads import speaks  # few objects are custom resources

    return speaks(item)


def _without_kind(releases: Releases, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    """Report that a Pod or workload with claims has its kind under a misspelt key; None for all others."""
    kinds = [kind for version, kind in POD_SPECS if version == item.api_version]
    problem = without_kind(item, None, kinds) if kinds else None
    if problem is None or problem.where is None:
        return None
    if not claim_parts(item._replace(kind=item.data[str(problem.where[0])])):
        return None
    return [(problem, list(releases.chosen) or [releases.known[-1]])]


def _type_meta(item: ApiObject) -> list[Problem]:
    """Report that `apiVersion` or `kind` has the wrong case: the API server finds the key, but does not know it."""
    found: list[Problem] = []
    for name in ("apiVersion", "kind"):
        if name not in item.data and (item.api_version, item.kind) in POD_SPECS:
            key = next(key for key in item.data if key.lower() == name.lower())
            message = f'unknown field "{key}"; field names are case-sensitive'
            repair = renamed((key,), name, safe=True)
            hint = f'did you mean "{name}"?'
            found.append(Problem(rule_ids.UNKNOWN_FIELD, (key,), message, "Unknown", hint, target="key", repair=repair))
    return found


def not_served(releases: Releases, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    """Return why no release accepts a Pod or workload with claims: its API version of a Kubernetes kind is wrong.

    None for all others.
    """
    home = next((version for version, kind in POD_SPECS if kind == item.kind), item.api_version)
    if home == item.api_version or not is_own(item.group):
        return None
    meant = item._replace(api_version=home)
    evident = "metadata" in item.data or type_meta(item.data, "apiVersion") is not None
    if not claim_parts(meant) and not (evident and displaced_claims(meant)):
        return None
    judging = list(releases.chosen) or [releases.known[-1]]
    return [(refusal(releases.versions, item, judging[0], releases.chosen), judging)]


def check_parts(judge: Judge, item: ApiObject, parts: Sequence[PodPart], telling: Telling = "first") -> list[Problem]:
    """Return the problems that one release, which serves the object, finds in the parts."""
    problems = _type_meta(item)
    displaced = displaced_claims(item)
    problems += displaced
    if (item.api_version, item.kind) not in POD_SPECS and not is_group_of_pods(item.group, item.kind):
        from dralint.lint.custom_workloads import check_kind, check_part  # few objects are custom resources

        found = check_kind(judge, item)
        for part in parts:
            found += check_part(judge, item, part, telling)
        return list(dict.fromkeys(found))
    for part in parts:
        verdict = judge.examine("v1", part.type, part.view, item, part.path, telling=telling)
        problems += [with_way_out(problem, item) for problem in verdict.decoding]
        problems += verdict.dropped
        found = list(verdict.validation)
        if part.path == ("status",):
            found += claim_statuses(judge.does, judge.limits, item, verdict.value)
        elif item.kind == "Pod" and item.api_version == "v1":
            found += pod_metadata(judge.does, item, part.path, verdict.value)
        if verdict.decoding and telling != "everything":
            found = beside_decoding(found, verdict.decoding, part)
        if displaced and telling != "everything":
            # The claim that a container lists may be declared in the wrong place.
            found = [problem for problem in found if problem.rule != rule_ids.UNKNOWN_POD_CLAIM]
        if item.kind == "StatefulSet" and "stateful-set-template-unchecked" in judge.does:
            later = "the StatefulSet is accepted, but its Pods will be refused"
            found = [refused_later(problem, later) for problem in found]
        problems += found
    return problems


def beside_decoding(found: list[Problem], decoding: list[Problem], part: PodPart) -> list[Problem]:
    """Return the problems to report next to decoding problems: none that these may cause."""
    claims: Path = (*part.path, "resourceClaims")
    depth = len(part.path)
    misspelt = any(len(problem.path) == depth + 1 and problem.path[depth] not in _NOT_CLAIMS for problem in decoding)
    if misspelt or any(problem.path[: len(claims)] == claims for problem in decoding):
        # The claim that a container lists may be declared in what could not be decoded.
        found = [problem for problem in found if problem.rule != rule_ids.UNKNOWN_POD_CLAIM]
    # An entry with a field that could not be decoded may name its claim there.
    entries = {problem.path[: len(claims) + 1] for problem in decoding}
    return [
        problem
        for problem in found
        if problem.rule != rule_ids.ONE_OF or problem.path[: len(claims) + 1] not in entries
    ]


def with_way_out(problem: Problem, item: ApiObject) -> Problem:
    """Return a decoding problem with a hint if a container lists the name of a claim instead of an entry."""
    name = at(item.data, problem.path)
    listed = isinstance(problem.path[-1], int) and problem.path[-2] == "claims"
    if problem.rule != rule_ids.WRONG_TYPE or not listed or not isinstance(name, str):
        return problem
    if dns_label(name) is not None:
        return problem._replace(hint="write `{name: NAME}` instead")
    repair = replaced(problem.path, {"name": name}, safe=True)
    return problem._replace(hint=f"write `{{name: {name}}}` instead", repair=repair)


def refused_later(problem: Problem, why: str) -> Problem:
    """Return the problem as one of an accepted object whose Pods are refused."""
    return problem._replace(rule=rule_ids.POD_REFUSED_LATER, message=f"{problem.message} ({why})", reason=None)


def judging(releases: Releases, item: ApiObject, parts: Sequence[PodPart]) -> tuple[Release, list[Path]]:
    """Return the release that judges a Pod or workload alone, and the paths of its fields that the newest lacks."""
    served = _span(item)
    old = [path for part in parts if part.type == "core.PodSpec" for path in _old_fields(part)]
    if old and in_range(served, LAST_CLASSIC):
        return LAST_CLASSIC, old
    return next((release for release in reversed(releases.known) if in_range(served, release)), releases.known[-1]), []


def _span(item: ApiObject) -> str:
    """Return the releases that serve a Pod or workload, as a range."""
    return GROUPED.get((item.api_version, item.kind), "..")


def _old_fields(part: PodPart) -> Iterator[Path]:
    entries = part.view.get("resourceClaims")
    for position, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and isinstance(entry.get("source"), dict) and isinstance(entry.get("name"), str):
            yield part.place_of(("resourceClaims", position, "source"))


def removed_field(path: Path, release: Release) -> Problem:
    """Report a field of the classic form in an object that this release has judged.

    There is no repair: the claim or template that the object names would have to move to another API version too.
    """
    judge = "that release" if release == LAST_CLASSIC else release
    return Problem(
        rule_ids.REMOVED_FIELD,
        path,
        f"`{path[-1]}` is known up to {LAST_CLASSIC} only; dralint judged it by {judge}",
        None,
        "for 1.31 and later, migrate the claim or template and move resourceClaimName or resourceClaimTemplateName one "
        "level up, directly into the entry",
        target="key",
    )
