"""All rules over a whole input; each is imported where the input has what it is about."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.rule_ids import CLAIM_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND, TEMPLATE_NOT_FOUND
from dralint.references.facts import Claim, Class, Generated, KueueConfig, Quota, Role, Slice, TaintRule, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.references.problem import Found
    from dralint.references.world import World


class Rule(NamedTuple):
    """A function of a module of this room, and what it is about: an input without any of these has nothing of it."""

    module: str
    function: str
    about: tuple[type, ...]

    def run(self, world: World) -> Iterator[Found]:
        """Yield what the rule finds."""
        function: Callable[[World], Iterator[Found]] = getattr(
            import_module(f"dralint.references.{self.module}"), self.function
        )
        return function(world)


RULES = (
    Rule("pods", "pods", (Workload,)),
    Rule("classes", "classes", (Claim,)),
    Rule("parameters", "parameters", (Claim, Class, Generated)),
    Rule("classes", "namespaces", ()),
    Rule("admin", "admin_access", (Claim,)),
    Rule("quotas", "quotas", (Quota,)),
    Rule("extended", "extended_resources", (Class, Workload)),
    Rule("selectors", "selectors", (Claim, Class)),
    Rule("sharing", "sharing", (Workload,)),
    Rule("pools", "pools", (Slice,)),
    Rule("supply", "supply", ()),
    Rule("tolerations", "tolerations", (Claim,)),
    Rule("advice", "advice", (Claim, TaintRule)),
    Rule("served_kinds", "taint_rules", (TaintRule,)),
    Rule("kueue", "kueue", (Workload, KueueConfig)),
    Rule("known_bugs", "known_bugs", (Claim, Workload, Slice, TaintRule, Role)),
)
_NAMESPACES, _SUPPLY = "namespaces", "supply"


def check(world: World) -> Iterator[Found]:
    """Yield what is found between the objects, for each release that judges."""
    there = {type(facts.body) for facts in world.index.facts}
    for rule in RULES:
        if _applies(rule, world, there):
            for found in rule.run(world):
                if found.releases and (rule.function == _NAMESPACES or not _lost(world, found)):
                    yield found


def _applies(rule: Rule, world: World, there: set[type]) -> bool:
    if rule.function == _NAMESPACES:
        return world.scope.complete and world.index.has("Namespace")
    if rule.function == _SUPPLY:
        return world.stock is not None
    return not there.isdisjoint(rule.about)


def _lost(world: World, found: Found) -> bool:
    """Say whether an object is in a namespace that does not exist: what it names is missing for that reason alone."""
    if found.problem.rule not in _IN_NAMESPACES or not world.scope.complete:
        return False
    from dralint.references.classes import misspelt  # few inputs are complete

    return misspelt(world, found.facts) is not None


_IN_NAMESPACES = frozenset({CLAIM_NOT_FOUND, TEMPLATE_NOT_FOUND, CLAIM_REQUEST_NOT_FOUND})
