"""Templates of the input that a controller also makes from a custom resource of the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import TEMPLATE_MADE_TWICE
from dralint.finding.words import quoted
from dralint.references.names import is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.problem import Found
    from dralint.references.world import World

TEMPLATE = "ResourceClaimTemplate"


def made_twice(world: World) -> Iterator[Found]:
    """Yield the templates whose name a controller needs for one of its own."""
    for maker in world.index.all(TEMPLATE):
        name = maker.name
        if maker.api_version or name is None or is_open(name):
            continue  # no controller makes it, or only the controller knows its name
        namespace = world.scope.namespace_of(maker)
        for facts in world.index.named(TEMPLATE, name):
            if facts.api_version and world.scope.namespace_of(facts) == namespace and not is_open(namespace):
                message = (
                    f"a controller makes a {TEMPLATE} {quoted(name)} for a custom resource, and this one prevents it: "
                    "Pods that use this one do not get the configuration of the controller"
                )
                elsewhere = Elsewhere("the custom resource", maker, NAME)
                hint = "remove this template, or give it another name"
                yield world.found(facts, TEMPLATE_MADE_TWICE, NAME, message, hint, elsewhere)
