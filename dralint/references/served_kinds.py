"""Kinds that a release serves without an effect, because their feature gate is off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import KIND_WITHOUT_EFFECT
from dralint.kubernetes import gates
from dralint.kubernetes.taints import GATES_OF_RULES, gate_of_rules
from dralint.references.other_facts import TaintRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.release import Release
    from dralint.references.problem import Found
    from dralint.references.world import World


def taint_rules(world: World) -> Iterator[Found]:
    """Yield DeviceTaintRules that have no effect in a named release."""
    for facts in world.index.facts:
        if not isinstance(facts.body, TaintRule):
            continue
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
