"""Relations between the parts of a claim's spec: requests, constraints and configuration.

Source: validateDeviceClaim and below in pkg/apis/resource/validation/validation.go (v1.31.14 to v1.37.0).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.rule_ids import MISSING_FIELD, ONE_OF
from dralint.kubernetes.formats import fully_qualified_name
from dralint.validate.constraints import check_string
from dralint.validate.hints import missing
from dralint.validate.relations.advice import empty_claim
from dralint.validate.relations.claim_devices import devices
from dralint.validate.relations.claim_request import derived_attributes
from dralint.validate.relations.claim_takeover import takes_over

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context
    from dralint.validate.declared_names import DeclaredNames, NameUse
    from dralint.yaml import Path


def device_claim(value: dict[str, Any], link: Link, context: Context) -> None:
    """Check requests and constraints together; the parts check their references themselves."""
    context.naming = partial(_names, value, path_of(link))
    if "DRADerivedAttributes" in context.gates:
        from dralint.validate.relations.selectors import derived_cost  # the gate is off by default

        derived_attributes(value, link, context)
        derived_cost(value, link, context)
    empty_claim(value, link, context)
    devices(value, link, context)


def _names(value: dict[str, Any], path: Path) -> DeclaredNames:
    """Return the names of the requests of a claim, with the places in it that use them."""
    from dralint.validate.declared_names import DeclaredNames, NameUse, declarations  # only where a name is wrong

    entries = declarations(value.get("requests"), (*path, "requests"))
    uses: list[NameUse] = []
    for key in ("constraints", "config"):
        for number, holder in enumerate(value.get(key) or ()):
            for position, text in enumerate((holder or {}).get("requests") or ()):
                name, slash, rest = (text or "").partition("/")
                uses.append(NameUse((*path, key, number, "requests", position), name, after=slash + rest))
    return DeclaredNames(entries, uses)


def constraint(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """A constraint names requests of its claim, and an attribute."""
    import dralint.validate.relations.claim_references as claim_references  # many claims have none

    claim_references.references(value.get("requests"), (link, "requests"), context, "constraint")
    match, distinct = value.get("matchAttribute"), value.get("distinctAttribute")
    can_be_distinct = "DRAConsumableCapacity" in context.gates
    if match is None and distinct is None:
        if can_be_distinct:
            message = "a constraint needs `matchAttribute` or `distinctAttribute`"
            context.add(ONE_OF, link, "Required", message, missing("matchAttribute"))
        else:
            message = "`matchAttribute` is required and is missing"
            context.add(MISSING_FIELD, (link, "matchAttribute"), "Required", message, missing("matchAttribute"))
    if match is None or "declarative" in context.does:
        return None
    if match and takes_over(context) and fully_qualified_name(match) is None:
        check_string(match, (link, "matchAttribute"), context, {"format": "fully-qualified-name-lower"})
    return ("distinctAttribute",)


def configuration(value: dict[str, Any], link: Link, context: Context) -> None:
    """Configuration, of a claim or of an allocation, names the requests that it is for."""
    import dralint.validate.relations.claim_references as claim_references  # many claims have none

    claim_references.references(value.get("requests"), (link, "requests"), context, "configuration")
