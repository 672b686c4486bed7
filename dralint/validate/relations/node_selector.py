"""Node selectors (core validation ValidateNodeSelector, pkg/apis/core/validation/validation.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.repair import Change, Repair, replaced
from dralint.finding.rule_ids import NODE_SELECTOR, UNSUPPORTED_VALUE
from dralint.finding.suggestion import meant
from dralint.finding.words import quoted
from dralint.validate.constraints import check_string

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")
_NODE_NAME = "metadata.name"


def term(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check a term's requirements on fields; `requirement` checks those on labels."""
    for position, item in enumerate(value.get("matchFields") or ()):
        _field(item or {}, ((link, "matchFields"), position), context)
    return ("matchFields",)


def requirement(value: dict[str, Any], link: Link, context: Context) -> None:
    """A requirement on a label: the operator, and how many values it takes."""
    operator, values = value.get("operator") or "", value.get("values") or []
    here: Link = (link, "values")
    if operator not in _OPERATORS:
        _bad_operator(operator, value, link, context, _OPERATORS)
    elif operator in ("In", "NotIn") and not values:
        message = f"operator {operator} needs at least one value"
        context.add(NODE_SELECTOR, here, "Required", message, "list the values, or use operator Exists")
    elif operator in ("Exists", "DoesNotExist") and values:
        message = f"operator {operator} takes no values"
        context.add(NODE_SELECTOR, here, "Forbidden", message, "remove `values`, or use In or NotIn")
    elif operator in ("Gt", "Lt") and len(values) != 1:
        message = f"operator {operator} takes exactly one value, not {len(values)}"
        context.add(NODE_SELECTOR, here, "Required", message, "list one number")
    if "node-selector-values" in context.does:
        for position, text in enumerate(values):
            check_string(text or "", (here, position), context, {"format": "label-value"})


def _field(value: dict[str, Any], link: Link, context: Context) -> None:
    operator, values, key = value.get("operator") or "", value.get("values") or [], value.get("key") or ""
    here: Link = (link, "values")
    if operator not in _FIELD_OPERATORS:
        _bad_operator(operator, value, link, context, _FIELD_OPERATORS)
    elif len(values) != 1:
        message = f"a requirement on a field takes exactly one value, not {len(values)}"
        context.add(NODE_SELECTOR, here, "Required", message, "list the name of one node")
    if key != "metadata.name":
        near = meant(key, (_NODE_NAME,), path_of((link, "key")))
        message = f"{quoted(key)} is not a field to select nodes by; the only one is metadata.name"
        hint = near.hint or 'write "metadata.name", or put a requirement on a label under `matchExpressions`'
        repair = replaced(path_of((link, "key")), _NODE_NAME) if key in ("name", "nodeName") else near.repair
        context.add(NODE_SELECTOR, (link, "key"), "Invalid", message, hint, repair=repair)
    else:
        for position, text in enumerate(values):
            check_string(text or "", (here, position), context, {"format": "node-name"})


def _bad_operator(operator: str, value: dict[str, Any], link: Link, context: Context, allowed: tuple[str, ...]) -> None:
    words = ", ".join(allowed)
    what = f"{quoted(operator)} is not an operator here" if operator else "`operator` is missing"
    path = path_of((link, "operator"))
    hint, repair = meant(operator, allowed, path, closed=True, otherwise=f"write one of {words}")
    if not operator and value.get("key") and value.get("values"):
        hint, repair = (
            f'{hint}, such as "In"',
            Repair((Change("replace" if "operator" in value else "insert", path, "In"),)),
        )
    context.add(UNSUPPORTED_VALUE, (link, "operator"), "Invalid", f"{what}; allowed: {words}", hint, repair=repair)


def exactly_one_term(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report a node selector of a slice with several terms (validateResourceSliceSpec); zero terms fail `required`."""
    terms = value.get("nodeSelectorTerms") or []
    if len(terms) > 1:
        message = f"a slice takes exactly one node selector term, not {len(terms)}"
        hint = "put the requirements into one term, or publish one slice for each"
        where = ((link, "nodeSelectorTerms"), 1)
        context.add(NODE_SELECTOR, (link, "nodeSelectorTerms"), "Invalid", message, hint, where=where)
