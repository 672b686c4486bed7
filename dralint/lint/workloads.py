"""Pods, workloads and custom resources that embed a Pod spec: judges their resource claims."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.config.settings import settings_of
from dralint.finding import rule_ids
from dralint.finding.problem import Problem, at, dict_of, list_of, renamed, replaced
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.release import LAST_CLASSIC, in_range
from dralint.kubernetes.served import is_own
from dralint.kubernetes.types import CONTAINERS
from dralint.kubernetes.workloads import GROUPED, POD_SPECS, is_group_of_pods
from dralint.lint.linter import Linter
from dralint.lint.report_builder import ReportBuilder
from dralint.manifest.objects import ApiObject, known_kind, type_meta
from dralint.manifest.pod_parts import DEVICE_KEYS, PodPart, beside, claim_parts, custom_pods, displaced_claims, matches
from dralint.records import grouped
from dralint.references.facts import WorkloadFacts
from dralint.references.world import Index, Scope, release_of_claims
from dralint.validate.relations.pod import claim_statuses, pod_metadata
from dralint.validate.served import refusal, without_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding
    from dralint.finding.problem import ByRelease, Repair
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions
    from dralint.kubernetes.workloads import CustomKind
    from dralint.lint.release_judge import Judge, Releases
    from dralint.lint.run_files import RunFiles
    from dralint.manifest.pod_parts import CustomPod
    from dralint.references.facts import Facts
    from dralint.validate.cascade import Telling
    from dralint.yaml import Path


_NOT_CLAIMS = frozenset({*CONTAINERS, "resources"})
"""Fields of a Pod spec in the view that are not claims, including misspelled ones."""
_ENTRY, _USE = "core.PodResourceClaim", "core.ResourceClaim"


def judge_workload(releases: Releases, item: ApiObject, telling: Telling = "first") -> ByRelease | None:
    """Return the problems of an object that embeds Pod specs with resource claims; None when it has none."""
    if not item.kind and (found := _without_kind(releases, item)) is not None:
        return found
    refused = not_served(releases, item)
    if refused is not None:
        return refused
    parts = claim_parts(item)
    if not parts and not displaced_claims(item) and not _speaks(item):
        return None
    return by_releases_of_pods(
        releases, item, parts, lambda release: check_parts(releases.judge(release), item, parts, telling)
    )


def by_releases_of_pods(
    releases: Releases, item: ApiObject, parts: Sequence[PodPart], check: Callable[[Release], list[Problem]]
) -> ByRelease:
    """Return the problems of a Pod or workload by what `check` finds: in the chosen releases, or else in one."""
    merged: dict[Problem, list[Release]] = {}
    if releases.chosen:
        for release in releases.chosen:
            for problem in check(release):
                merged.setdefault(problem, []).append(release)
        return list(merged.items())
    release, old = judging(releases, item, parts)
    problems = check(release) + [removed_field(path, release) for path in old]
    return [(problem, [release]) for problem in problems]


def _without_kind(releases: Releases, item: ApiObject) -> ByRelease | None:
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


def not_served(releases: Releases, item: ApiObject) -> ByRelease | None:
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
    old = _old_fields(parts)
    if old and in_range(served, LAST_CLASSIC):
        return LAST_CLASSIC, old
    return next((release for release in reversed(releases.known) if in_range(served, release)), releases.known[-1]), []


def _span(item: ApiObject) -> str:
    """Return the releases that serve a Pod or workload, as a range."""
    return GROUPED.get((item.api_version, item.kind), "..")


def _old_fields(parts: Iterable[PodPart]) -> list[Path]:
    """Return the paths of the fields that only the classic API has."""
    return [
        part.place_of(("resourceClaims", position, "source"))
        for part in parts
        if part.type == "core.PodSpec"
        for position, entry in enumerate(map(dict_of, list_of(part.view.get("resourceClaims"))))
        if isinstance(entry.get("source"), dict) and isinstance(entry.get("name"), str)
    ]


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


def old_pods(collected: Iterable[Facts]) -> list[Facts]:
    """Return the objects that have the form of the classic API."""
    return [
        facts for facts in collected if isinstance(facts.body, WorkloadFacts) and any(p.old for p in facts.body.pods)
    ]


def judge_old_pods(
    report: Report,
    collected: Sequence[Facts],
    settings: Settings,
    versions: ApiVersions,
    files: RunFiles,
) -> None:
    """Replace the findings of the last classic release on such objects where another release judges them."""
    index = Index(collected, Scope(settings.namespace, settings.complete))
    by_file = grouped(
        (facts.file, (facts, release))
        for facts in old_pods(collected)
        if facts.file in report.read and not settings_of(facts.file, settings).releases
        if (release := release_of_claims(index, versions, facts)) != LAST_CLASSIC
    )
    for name, found in by_file.items():
        raw = files.raw(name)
        if raw is not None:
            _judge_again(report, files, raw, found, settings_of(name, settings), versions)


def _judge_again(
    report: Report,
    files: RunFiles,
    raw: bytes,
    found: Sequence[tuple[Facts, Release]],
    settings: Settings,
    versions: ApiVersions,
) -> None:
    builder = ReportBuilder(settings, raw)
    skipped = {(skip.file, skip.document) for skip in report.skipped}
    linters = {release: Linter(settings._replace(releases=(release,)), collects=False) for _, release in found}
    for facts, release in found:
        place = files.place(facts.place)
        if place is None or facts.place[:2] in skipped:
            continue
        name, document, item = place
        report.findings[:] = [f for f in report.findings if not _is_verdict_on(f, name, document.index, item)]
        said = list(linters[release].judge(place, []) or ())
        if release != versions.known[-1]:
            said += [(removed_field(path, release), [release]) for path in _old_fields(claim_parts(item))]
        builder.stamp_all(report, document, [(place, said)], linters[release].everything)


def _is_verdict_on(finding: Finding, name: str, document: int, item: ApiObject) -> bool:
    """Say whether a finding is a verdict of a release on the object; findings of reading and of updates are not."""
    about = finding.object or {}
    return (
        (finding.file, finding.document) == (name, document)
        and (about.get("kind"), about.get("namespace"), about.get("name")) == (item.kind, item.namespace, item.name)
        and finding.rule.startswith(("DRA1", "DRA2", "DRA5"))
    )


_BY_NAME = "resourceClaimName"
_SCOPES = ("AllReplicas", "PerReplica")


def check_part(judge: Judge, item: ApiObject, part: PodPart, telling: Telling = "first") -> list[Problem]:
    """Return the problems of a Pod spec in a custom resource.

    The CustomResourceDefinition decides which fields the custom resource has. Kubernetes decides whether it accepts the
    Pod.
    """
    whole, inner = item, part
    if part.moved:  # the object reduced to the Pod spec that dralint put together from its parts
        whole, inner = item._replace(path=(), data={"spec": part.view}), part._replace(path=("spec",))
    verdict = judge.examine("v1", part.type, part.view, whole, inner.path, telling=telling)
    sure = part.sure or item.surely_embeds(at(item.data, part.path))
    kept = [p for p in verdict.decoding if p.rule == rule_ids.OTHER_SHAPE or (sure and _in_claims(p, inner))]
    found = [with_way_out(problem, whole) for problem in kept]
    others = [problem for problem in verdict.validation if problem.rule != rule_ids.MORE_BEHIND_DECODING]
    found += beside_decoding(others, verdict.decoding, inner)
    if not part.closed:
        found = [problem for problem in found if problem.rule != rule_ids.UNKNOWN_POD_CLAIM]
    found = [_refused(problem, item) for problem in found] + verdict.dropped
    return [_in_place(problem, part) for problem in found] if part.moved else found


def _in_claims(problem: Problem, part: PodPart) -> bool:
    """Say whether a problem is in a field that declares or lists claims, not in other resources of a container."""
    below = problem.path[len(part.path) :]
    return problem.rule != rule_ids.MORE_BEHIND_DECODING and (
        below[:1] == ("resourceClaims",) or below[2:4] == ("resources", "claims")
    )


def _refused(problem: Problem, item: ApiObject) -> Problem:
    """Return the problem with a note on who refuses: the webhook refuses the object, the API server its Pods."""
    kind = known_kind(item)
    if kind is None or not kind.refused_by:
        return refused_later(problem, f"Pods made from this {item.kind} will be refused")
    return by_webhook(problem, kind, item)


def by_webhook(problem: Problem, kind: CustomKind, item: ApiObject) -> Problem:
    """Return the problem as one that the webhook or the CustomResourceDefinition of a kind reports."""
    message = f"{problem.message} ({kind.refused_by} refuses the {item.kind})"
    return problem._replace(rule=rule_ids.CUSTOM_RESOURCE_REFUSED, message=message, reason=problem.reason or "Invalid")


def _in_place(problem: Problem, part: PodPart) -> Problem:
    """Return a problem of an assembled Pod spec at the places of its parts."""
    path = part.place_of(problem.path[1:])
    where = None if problem.where is None else part.place_of(problem.where[1:])
    twice = problem.reason == "Duplicate" and where is not None and where[-1:] == (DEVICE_KEYS["name"],)
    return problem._replace(
        path=path,
        where=path if twice else where,  # two entries can use a claim, but not a claim with a request
        related=tuple((text, part.place_of(path[1:])) for text, path in problem.related),
        repair=_moved(problem.repair, part),
    )


def _moved(repair: Repair | None, part: PodPart) -> Repair | None:
    """Return the repair at the places of the parts; None where it does more than write other values."""
    if repair is None or any(change.do != "replace" for change in repair.changes):
        return None
    changes = tuple(change._replace(path=part.place_of(change.path[1:])) for change in repair.changes)
    return repair._replace(changes=changes)


def check_kind(judge: Judge, item: ApiObject) -> list[Problem]:
    """Return the problems in the claims of a custom resource outside of its Pod specs."""
    kind = known_kind(item)
    if kind is None:
        return []
    return [
        *_dropped(item, kind),
        *_never_found(item, (path for pattern in kind.undeclared for path in matches(item.data, pattern))),
        *_of_templates(judge, item, kind),
        *_shares(item, kind),
        *(problem for pod in custom_pods(item, kind) for problem in _of_pod(item, kind, pod)),
    ]


def _speaks(item: ApiObject) -> bool:
    """Say whether a custom resource has something that `check_kind` checks outside of its Pod specs."""
    kind = None if is_own(item.group) else known_kind(item)
    return kind is not None and any(
        True
        for pattern in (*kind.drops, *kind.undeclared, *kind.templates, *kind.shares)
        for _ in matches(item.data, pattern)
    )


def _dropped(item: ApiObject, kind: CustomKind) -> Iterator[Problem]:
    for path in (path for pattern in kind.drops for path in matches(item.data, pattern)):
        spec = at(item.data, path)
        if isinstance(spec, dict) and isinstance(spec.get("resourceClaims"), list) and spec["resourceClaims"]:
            message = (
                f"a {item.kind} of {item.group} has no field `resourceClaims`: it is dropped, or refused under strict "
                "validation, and the Pods get no devices"
            )
            hint = f"claims do not work in a {item.kind}: use a kind that passes the Pod spec on"
            yield Problem(rule_ids.CLAIMS_DROPPED, (*path, "resourceClaims"), message, None, hint, target="key")
        elif isinstance(spec, dict):
            containers = [
                (name, n) for name in ("containers", "initContainers") for n, _ in enumerate(list_of(spec.get(name)))
            ]
            yield from _never_found(item, ((*path, *container, "resources") for container in containers))


def _never_found(item: ApiObject, places: Iterable[Path]) -> Iterator[Problem]:
    for path in places:
        for position, use in enumerate(list_of(at(item.data, (*path, "claims")))):
            name = dict_of(use).get("name")
            if isinstance(name, str):
                message = (
                    f"{quoted(name)} can be declared nowhere: a {item.kind} of {item.group} has no list of claims "
                    f"(Pods made from this {item.kind} will be refused)"
                )
                hint = f"remove the claim: claims do not work in a {item.kind}"
                yield Problem(rule_ids.POD_REFUSED_LATER, (*path, "claims", position, "name"), message, None, hint)


def _of_templates(judge: Judge, item: ApiObject, kind: CustomKind) -> Iterator[Problem]:
    """Yield the problems that the API server will find in claims made from templates within the object."""
    for path in (path for pattern in kind.templates for path in matches(item.data, pattern)):
        inner = at(item.data, path)
        version = next((version for version in _VERSIONS if (version, _TEMPLATE) in judge.namespaced), None)
        if not isinstance(inner, dict) or not isinstance(inner.get("templateSpec"), dict) or version is None:
            continue
        meta = {"apiVersion": version, "kind": _TEMPLATE, "metadata": {"name": "inner"}}
        template = ApiObject((), version, _TEMPLATE, {**meta, "spec": inner["templateSpec"]})
        place = (*path, "templateSpec")
        for problem in judge.check(template):
            if problem.path[:1] == ("spec",):
                moved = problem._replace(
                    path=(*place, *problem.path[1:]),
                    where=None if problem.where is None else (*place, *problem.where[1:]),
                    related=(),
                    repair=None,
                )
                yield refused_later(moved, f"the claims made from this {item.kind} will be refused")


_TEMPLATE = "ResourceClaimTemplate"
_VERSIONS = tuple(f"resource.k8s.io/{version}" for version in ("v1", "v1beta2", "v1beta1", "v1alpha3"))


def _shares(item: ApiObject, kind: CustomKind) -> Iterator[Problem]:
    for path in (path for pattern in kind.shares for path in matches(item.data, pattern)):
        scope = at(item.data, (*path, "scope"))
        if isinstance(scope, str) and scope not in _SCOPES:
            message = f"{quoted(scope)} is not supported: {' or '.join(_SCOPES)} (the {item.kind} is refused)"
            rule = rule_ids.CUSTOM_RESOURCE_REFUSED
            yield Problem(rule, (*path, "scope"), message, "NotSupported", f"write one of {', '.join(_SCOPES)}")


def _of_pod(item: ApiObject, kind: CustomKind, pod: CustomPod) -> Iterator[Problem]:
    """Yield what the webhook of a kind refuses in addition to what Kubernetes refuses in a Pod."""
    for path in pod.devices:
        device = at(item.data, path)
        if "deviceName" in device:
            message = "`deviceName` and `claimName` are both set; a device has one of them"
            hint = "keep the intended one"
            problem = Problem(
                rule_ids.ONE_OF, path, message, "Invalid", hint, where=(*path, "deviceName"), target="key"
            )
            yield by_webhook(problem, kind, item)
        for key in DEVICE_KEYS.values():
            if key not in device:
                message = f"`{key}` is missing: a device names a claim and one of its requests"
                yield by_webhook(Problem(rule_ids.MISSING_FIELD, path, message, "Required"), kind, item)
    singles = (path for pattern in pod.place.single for path in beside(item.data, pattern, pod.place.at, pod.path))
    several = any(_many(at(item.data, path)) for path in singles)
    for path, entry in pod.entries if several else ():
        if _BY_NAME in entry:
            message = "all Pods would share the claim: with several replicas a claim by name is not allowed"
            hint = "use resourceClaimTemplateName: each Pod gets a claim of its own"
            problem = Problem(rule_ids.SHARED_CLAIM, (*path, _BY_NAME), message, "Forbidden", hint)
            yield by_webhook(problem, kind, item)


def _many(value: Any) -> bool:
    return value is True or (isinstance(value, int) and value > 1)
