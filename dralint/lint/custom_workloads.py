"""Judges the claims of custom resources that embed Pods, as Kubernetes and the webhook of the kind do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding import rule_ids
from dralint.finding.problem import Problem, at
from dralint.finding.words import quoted
from dralint.lint.workloads import beside_decoding, refused_later, with_way_out
from dralint.manifest.objects import ApiObject
from dralint.manifest.pod_parts import DEVICE_KEYS, beside, custom_pods, known_kind, matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.problem import Repair
    from dralint.kubernetes.workloads import CustomKind
    from dralint.lint.release_judge import Judge
    from dralint.manifest.pod_parts import CustomPod, PodPart
    from dralint.validate.cascade import Telling
    from dralint.yaml import Path

_BY_NAME = "resourceClaimName"
_SCOPES = ("AllReplicas", "PerReplica")


def check_part(judge: Judge, item: ApiObject, part: PodPart, telling: Telling = "first") -> list[Problem]:
    """Return the problems of a Pod spec in a custom resource.

    The CustomResourceDefinition decides which fields the custom resource has. Kubernetes decides whether it accepts the
    Pod.
    """
    whole, inner = (_alone(item, part), part._replace(path=("spec",))) if part.moved else (item, part)
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


def _alone(item: ApiObject, part: PodPart) -> ApiObject:
    """Return the object reduced to the Pod spec that dralint put together from its parts."""
    return item._replace(path=(), data={"spec": part.view})


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
        *_undeclared(item, kind),
        *_of_templates(judge, item, kind),
        *_shares(item, kind),
        *(problem for pod in custom_pods(item, kind) for problem in _of_pod(item, kind, pod)),
    ]


def speaks(item: ApiObject) -> bool:
    """Say whether a custom resource has something that `check_kind` checks."""
    kind = known_kind(item)
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
            yield from _never_found(item, _containers(path, spec))


def _containers(path: Path, spec: dict[str, Any]) -> Iterator[Path]:
    for name in ("containers", "initContainers"):
        held = spec.get(name)
        yield from ((*path, name, n, "resources") for n in range(len(held) if isinstance(held, list) else 0))


def _undeclared(item: ApiObject, kind: CustomKind) -> Iterator[Problem]:
    yield from _never_found(item, (path for pattern in kind.undeclared for path in matches(item.data, pattern)))


def _never_found(item: ApiObject, places: Iterable[Path]) -> Iterator[Problem]:
    for path in places:
        claims = at(item.data, (*path, "claims"))
        for position, use in enumerate(claims if isinstance(claims, list) else ()):
            name = use.get("name") if isinstance(use, dict) else None
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
    if not pod.place.single or not any(_many(at(item.data, path)) for path in _singles(item, pod)):
        return
    for path, entry in pod.entries:
        if _BY_NAME in entry:
            message = "all Pods would share the claim: with several replicas a claim by name is not allowed"
            hint = "use resourceClaimTemplateName: each Pod gets a claim of its own"
            problem = Problem(rule_ids.SHARED_CLAIM, (*path, _BY_NAME), message, "Forbidden", hint)
            yield by_webhook(problem, kind, item)


def _singles(item: ApiObject, pod: CustomPod) -> Iterator[Path]:
    return (path for pattern in pod.place.single for path in beside(item.data, pattern, pod.place.at, pod.path))


def _many(value: Any) -> bool:
    return value is True or (isinstance(value, int) and value > 1)
