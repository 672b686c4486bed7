"""All rules over a whole input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.references.admin import admin_access
from dralint.references.advice import advice
from dralint.references.classes import classes, misspelt, namespaces
from dralint.references.extended import extended_resources
from dralint.references.parameters import parameters
from dralint.references.pods import pods
from dralint.references.pools import pools
from dralint.references.quotas import quotas
from dralint.references.selectors import selectors
from dralint.references.sharing import sharing
from dralint.references.supply import supply
from dralint.references.tolerations import tolerations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.problem import Found
    from dralint.references.world import World

RULES = (
    pods,
    classes,
    parameters,
    namespaces,
    admin_access,
    quotas,
    extended_resources,
    selectors,
    sharing,
    pools,
    supply,
    tolerations,
    advice,
)


def check(world: World) -> Iterator[Found]:
    """Yield what is found between the objects, for each release that judges."""
    for rule in RULES:
        for found in rule(world):
            if found.releases and (rule is namespaces or not _lost(world, found)):
                yield found


def _lost(world: World, found: Found) -> bool:
    """Say whether an object is in a namespace that does not exist: what it names is missing for that reason alone."""
    return found.problem.rule in _IN_NAMESPACES and misspelt(world, found.facts) is not None


_IN_NAMESPACES = frozenset({"DRA401", "DRA402", "DRA403"})
