"""Taints, tolerations and node selectors, as the scheduler reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes import gates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.kubernetes.release import Release


GATES_OF_RULES = ("DRADeviceTaintRules", "DRADeviceTaints")
"""The gates of a DeviceTaintRule; a release without the first needs only the second."""

EFFECTIVE = ("NoSchedule", "NoExecute")
"""The effects that keep a device from a request; `None` has no effect."""

EFFECTS_MATTER = "1.35.."
"""The releases whose scheduler reads the effect of a taint; for earlier ones every taint is effective."""

NO_SELECTOR_TAINTS = "..1.36"
"""The releases in which every patch reads a DeviceTaintRule without a selector as one for all devices; of 1.37, only
the first patch does."""


def gate_of_rules(release: Release) -> str | None:
    """Return the feature gate without which DeviceTaintRules have no effect; None for a release without rules."""
    return next((gate for gate in GATES_OF_RULES if gates.stage(gate, release) is not None), None)


def tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Say whether a toleration covers a taint; one without a key covers every key, whatever its operator."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and (toleration.get("value") or "") == (taint.get("value") or "")


def untolerated(
    taints: Iterable[Mapping[str, Any]], tolerations: Sequence[Mapping[str, Any]], *, effects_matter: bool
) -> list[Mapping[str, Any]]:
    """Return the taints of a device that exclude it from a request with these tolerations."""
    return [
        taint
        for taint in taints
        if not (effects_matter and taint.get("effect") not in EFFECTIVE)
        and not any(tolerates(toleration, taint) for toleration in tolerations)
    ]


def spell(taint: Mapping[str, Any]) -> str:
    """Return a taint as kubectl writes it: key=value:Effect."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key', '')}{value}:{taint.get('effect', '')}"


def spell_toleration(toleration: Mapping[str, Any]) -> str:
    """Return a toleration in the same form."""
    value = f"={toleration['value']}" if toleration.get("value") else ""
    return f"{toleration.get('key') or 'any key'}{value}:{toleration.get('effect') or 'any effect'}"


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
        hits = [matches(requirement, labels) for requirement in expressions]
        hits += [_matches_field(requirement, name) for requirement in fields]
        found = found or (bool(hits) and all(hits))
    return found


def allows(affinity: Mapping[str, Any] | None, name: str, labels: Mapping[str, str], *, otherwise: bool) -> bool:
    """Say whether a required node affinity allows a node; `otherwise` is the answer for one that cannot be read."""
    try:
        return affinity is None or selects(affinity, name, labels)
    except (NodeSelectorError, AttributeError, TypeError):
        return otherwise


def _matches_field(requirement: Mapping[str, Any], name: str) -> bool:
    if requirement.get("key") != _NAME:
        raise NodeSelectorError(f'"{requirement.get("key")}" is not a valid field label')
    values: Sequence[Any] = requirement.get("values") or ()
    operator = requirement.get("operator")
    if operator not in ("In", "NotIn") or len(values) != 1:
        raise NodeSelectorError(f'"{operator}" with {len(values)} values is not a valid field selector')
    hit: bool = name in values
    return hit is (operator == "In")


def matches(requirement: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Say whether labels meet a requirement of a selector; NodeSelectorError if that cannot be read."""
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
