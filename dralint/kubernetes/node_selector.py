"""Node selectors, as the scheduler reads them.

Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity (v1.34.4 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = "metadata.name"


class NodeSelectorError(ValueError):
    """A node selector that the scheduler cannot read; the text says what is wrong."""


def selects(selector: Mapping[str, Any], name: str, labels: Mapping[str, str]) -> bool:
    """Say whether a NodeSelector matches the node of a name with these labels.

    NodeSelectorError if the selector cannot be read.
    """
    found = False
    for term in selector.get("nodeSelectorTerms") or ():
        expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
        # Every term is read, so that an unreadable one after a match is reported as well.
        hits = [_matches(requirement, labels) for requirement in expressions]
        hits += [_matches_field(requirement, name) for requirement in fields]
        found = found or (bool(hits) and all(hits))
    return found


def _matches_field(requirement: Mapping[str, Any], name: str) -> bool:
    if requirement.get("key") != _NAME:
        raise NodeSelectorError(f'"{requirement.get("key")}" is not a valid field label')
    values: Sequence[Any] = requirement.get("values") or ()
    operator = requirement.get("operator")
    if operator not in ("In", "NotIn") or len(values) != 1:
        raise NodeSelectorError(f'"{operator}" with {len(values)} values is not a valid field selector')
    hit: bool = name in values
    return hit is (operator == "In")


def _matches(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, operator = requirement.get("key"), requirement.get("operator")
    values: Sequence[Any] = requirement.get("values") or ()
    there = key in labels
    value = labels.get(key or "", "")
    if operator == "In":
        return there and value in values
    if operator == "NotIn":
        return not there or value not in values
    if operator == "Exists":
        return there
    if operator == "DoesNotExist":
        return not there
    if operator in ("Gt", "Lt"):
        bound = _integer(values[0]) if len(values) == 1 else None
        if bound is None:
            raise NodeSelectorError(f"for 'Gt', 'Lt' operators, the value must be an integer: {list(values)!r}")
        number = _integer(value) if there else None
        return number is not None and (number > bound if operator == "Gt" else number < bound)
    raise NodeSelectorError(f'"{operator}" is not a valid label selector operator')


def _integer(text: Any) -> int | None:
    text = str(text)
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
