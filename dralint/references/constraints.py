"""Constraints that devices of the inventory never meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import CONSTRAINT_NEVER_MET
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.references.available_devices import PENDING
from dralint.references.problem import Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.references.available_devices import Candidates, Supply
    from dralint.references.facts import ClaimFacts, ConstraintFacts, Facts, RequestFacts
    from dralint.references.inventory import KnownDevice
    from dralint.references.problem import Found


def concerned(constraint: ConstraintFacts, requests: dict[str, list[Candidates]]) -> list[list[Candidates]]:
    """Return the choices of the requests that a constraint covers."""
    names = constraint.requests
    return [
        [c for c in alternatives if not names or name in names or c.request.full_name in names]
        for name, alternatives in requests.items()
        if not names or name in names or any(c.request.full_name in names for c in alternatives)
    ]


def attributes(
    stock: Supply, facts: Facts, claim: ClaimFacts, requests: dict[str, list[Candidates]]
) -> Iterator[Found]:
    """Yield constraints over an attribute that devices of a request do not have, or have with different types."""
    for constraint in claim.constraints:
        kinds: dict[type, KnownDevice] = {}
        for alternatives in concerned(constraint, requests):
            items = [item for choice in alternatives for item in choice.items]
            if not items or any(not choice.known for choice in alternatives):
                continue
            having = [item for item in items if item.value(constraint.attribute) is not None]
            if not having:
                yield _no_attribute(stock, facts, constraint, alternatives[0].request, items)
                break
            own = {type(item.value(constraint.attribute)): item for item in having}
            if len(own) == 1:
                kinds.update(own)
        else:
            if len(kinds) > 1 and list not in kinds and not constraint.distinct:
                yield _types(stock, facts, constraint, list(kinds.values()))


def _no_attribute(
    stock: Supply, facts: Facts, constraint: ConstraintFacts, request: RequestFacts, items: Sequence[KnownDevice]
) -> Found:
    name = constraint.attribute.partition("/")[2]
    known = sorted(
        {full if "/" in full else f"{i.device.driver}/{full}" for i in items for full in i.device.attributes}
    )
    drivers = ", ".join(dict.fromkeys(item.device.driver for item in items))
    message = (
        f"the constraint requires the attribute {quoted(constraint.attribute)}, which no device of the request "
        f"{quoted(request.full_name)} has (driver {drivers}): {PENDING}"
    )
    same = [full for full in known if full.partition("/")[2] == name]
    hint = f"did you mean {quoted(same[0])}?" if same else closest(constraint.attribute, known)
    return stock.world.found(facts, CONSTRAINT_NEVER_MET, constraint.path, message, hint)


def _types(stock: Supply, facts: Facts, constraint: ConstraintFacts, items: list[KnownDevice]) -> Found:
    kinds = {bool: "bool", int: "int", str: "string", list: "list"}
    said = [
        f"a {kinds.get(type(item.value(constraint.attribute)), 'version')} of {item.device.driver}" for item in items
    ]
    message = (
        f"the attribute {quoted(constraint.attribute)} is {' and '.join(said)}, and values of different types are "
        f"never equal: {PENDING}"
    )
    hint = "match another attribute, or have the drivers publish it with one type"
    where = [
        Elsewhere(f"the device of {item.device.driver}", item.facts, ("spec", "devices", item.position, "attributes"))
        for item in items
    ]
    return stock.world.found(facts, CONSTRAINT_NEVER_MET, constraint.path, message, hint, *where)
