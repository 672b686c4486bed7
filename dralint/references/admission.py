"""What a release refuses or ignores: admin access without the Namespace's label, kinds without their gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import ADMIN_ACCESS_LABEL, KIND_WITHOUT_EFFECT
from dralint.finding.words import quoted
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.kubernetes.taints import GATES_OF_RULES, gate_of_rules
from dralint.references.facts import NAME, Elsewhere, Labels, TaintRule, is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Found
    from dralint.references.world import World


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
    for facts, claim in world.claims():
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
        off: dict[str, list[Release]] = {}
        for release in world.named(facts):
            gate = gate_of_rules(release)
            if gate is not None and gate not in world.gates(release):
                off.setdefault(gate, []).append(release)
        for gate, releases in off.items():
            since = gates.on_by_default_since(GATES_OF_RULES[0], world.versions.known)
            message = f"the rule has no effect: the feature gate {gate} is off"
            hint = f"turn {gate} on in the API server, the scheduler and the controller manager; it is on since {since}"
            yield world.found(facts, KIND_WITHOUT_EFFECT, ("kind",), message, hint, releases=releases)
