"""Admission: admin access without the Namespace's label, kinds without their gate, policies that find nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import ADMIN_ACCESS_LABEL, KIND_WITHOUT_EFFECT, POLICY_PATH
from dralint.finding.words import quoted
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.kubernetes.taints import GATES_OF_RULES, gate_of_rules
from dralint.records import grouped
from dralint.references.facts import NAME, Elsewhere, Labels, PolicyFacts, TaintRule, is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Found
    from dralint.references.world import World
    from dralint.yaml import Path


_GATE = "DRAAdminAccess"
_FIRST, _RENAMED = Release(1, 33), Release(1, 34)


def label_key(release: Release) -> str | None:
    """Return the label that a release requires; None where it requires none.

    Source: DRAAdminNamespaceLabelKey in pkg/apis/resource/types.go (v1.33.13), api/resource/v1/types.go (v1.34.4).
    """
    if release < _FIRST:
        return None
    return "resource.k8s.io/admin-access" if release < _RENAMED else "resource.kubernetes.io/admin-access"


def admin_access(world: World) -> Iterator[Found]:
    """Yield requests for admin access in a namespace of the input without the label."""
    for facts, claim in world.claims:
        request = next((request for request in claim.requests if request.admin and request.parent is None), None)
        namespace = world.scope.namespace_of(facts)
        if request is None or namespace is None or is_open(namespace):
            continue
        found = world.index.named("Namespace", namespace)
        for release in world.releases(facts) if found else ():
            key = label_key(release)
            if key is None or _GATE not in world.gates(release):
                continue
            labels = [dict(entry.body.labels) for entry in found if isinstance(entry.body, Labels)]
            if any(each.get(key) == "true" or is_open(each.get(key)) for each in labels):
                continue
            written = {name: value for each in labels for name, value in each.items()}
            message = f'admin access needs the label {key}: "true" on the Namespace {quoted(namespace)}'
            path, target = NAME, "value"
            if key in written:
                message += f", which has {quoted(written[key])}"
                path = ("metadata", "labels", key)
            elif written:
                other = next(iter(written))
                message += f", which has {other}, the name of the label in other releases"
                path, target = ("metadata", "labels", other), "key"
            hint = f'write `{key}: "true"` into metadata.labels of the Namespace, before the claim is created'
            elsewhere = Elsewhere("the Namespace", found[0], path, target)
            path = (*request.path, "adminAccess")
            yield world.found(
                facts, ADMIN_ACCESS_LABEL, path, message, hint, elsewhere, reason="Forbidden", releases=[release]
            )


def taint_rules(world: World) -> Iterator[Found]:
    """Yield DeviceTaintRules that have no effect in a named release."""
    for facts, _ in world.index.holding(TaintRule):
        needed = ((gate_of_rules(release), release) for release in world.named(facts))
        off = grouped((gate, on) for gate, on in needed if gate is not None and gate not in world.gates(on))
        for gate, releases in off.items():
            since = gates.on_by_default_since(GATES_OF_RULES[0], world.versions.known)
            message = f"the rule has no effect: the feature gate {gate} is off"
            hint = f"turn {gate} on in the API server, the scheduler and the controller manager; it is on since {since}"
            yield world.found(facts, KIND_WITHOUT_EFFECT, ("kind",), message, hint, releases=releases)


_FIRST_FLAT = Release(1, 33)
"""The first release that serves v1beta2."""
_FIELDS = "deviceClassName|allocationMode|adminAccess|count|selectors|tolerations"
_DIRECT = rf"devices\??\.requests(?:\[[^\]\n]*\])?\.(?P<field>{_FIELDS})\b"
_MACRO = r"requests\s*\.\s*(?:all|exists|exists_one|filter|map)\(\s*(?P<name>\w+)\s*,"
_MEMBER = rf"\b(?P<name>\w+)\??\.(?P<field>{_FIELDS})\b"
_KEY = r"[=^+X<]?\(?(?P<name>\w+)\)?"
"""A key of a pattern, perhaps with an anchor of Kyverno."""
_OLDER = r"\bv1(?:beta1|alpha\d)\b"
_OURS = r"(?i)resourceclaim"
_NEWER = ("exactly", "firstAvailable")
_DEPTH = 40


def flat_fields(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the places of a policy that look for a field of a request directly in it, and the field.

    None for a policy that does not speak of claims, knows the newer fields, or names an older version.
    """
    texts = list(_texts(data, ()))
    words = [text for _, text in texts] + [str(part) for path, _ in texts for part in path]
    if not any(re.search(_OURS, word) for word in words) or any(re.search(_OLDER, word) for word in words):
        return
    if any(name in word for word in words for name in _NEWER):
        return
    for path, text in texts:
        field = _in_text(text) or _in_pattern(path)
        if field is not None:
            yield path, field


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the scalars of a value as texts, with their paths."""
    if len(path) > _DEPTH:
        return
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _texts(member, (*path, str(key)))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _texts(member, (*path, number))
    elif value is not None:
        yield path, str(value)


def _in_text(text: str) -> str | None:
    found = re.search(_DIRECT, text)
    if found is not None:
        return found["field"]
    for macro in re.finditer(_MACRO, text):
        for inner in re.compile(_MEMBER).finditer(text, macro.end()):
            if inner["name"] == macro["name"]:
                return inner["field"]
    return None


def _in_pattern(path: Path) -> str | None:
    """Return the field of a request to which a path of a pattern leads; None for other paths."""
    names = [found["name"] if (found := re.fullmatch(_KEY, str(part))) is not None else "" for part in path]
    for place in range(len(path) - 3):
        if names[place : place + 2] == ["devices", "requests"] and isinstance(path[place + 2], int):
            field = names[place + 3]
            return field if re.fullmatch(_FIELDS, field) else None
    return None


def policies(world: World) -> Iterator[Found]:
    """Yield the places of policies that look for the fields of a request where only v1beta1 has them.

    Since v1beta2 they are under `exactly`, and those of alternatives under `firstAvailable`. Policies of Kubernetes,
    Kyverno and Gatekeeper write paths as CEL, JMESPath, Rego, or as a pattern of the object.
    """
    for facts, policy in world.index.holding(PolicyFacts):
        releases = [release for release in world.releases(facts) if release >= _FIRST_FLAT]
        for path, field in policy.flat if releases else ():
            message = (
                f"in v1 and v1beta2 a request has no {quoted(field)}: it is under `exactly`, or in each alternative of "
                "`firstAvailable`, so the policy does not find it"
            )
            hint = f"look at requests[].exactly.{field} and requests[].firstAvailable[].{field}"
            yield world.found(facts, POLICY_PATH, path, message, hint, releases=releases)
