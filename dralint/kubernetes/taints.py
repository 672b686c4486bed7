"""Taints and tolerations of devices and nodes, as mappings of their fields: what is covered, how both are spelled.

Sources (k8s.io/dynamic-resource-allocation v0.33.3 to v0.37.0, where it is the same): ToleratesTaint in
resourceclaim/devicetoleration.go, taintTolerated in structured/internal/*/allocator_*.go; for nodes, ToleratesTaint in
k8s.io/api core/v1/toleration.go, where a toleration without a key needs Exists (Gt and Lt need a gate that is off).
"""

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
