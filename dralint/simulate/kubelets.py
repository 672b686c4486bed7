"""What the kubelet of a node does not support: it may be three releases older than the scheduler."""

from __future__ import annotations

from functools import lru_cache

from dralint.kubernetes.gates import stage
from dralint.kubernetes.release import Release

CLAIMS, EXTENDED, SHARES = "DynamicResourceAllocation", "DRAExtendedResource", "DRAConsumableCapacity"
_WITHOUT = {
    CLAIMS: "it may run without its devices",
    EXTENDED: "its containers may get no devices for extended resources",
    SHARES: "its driver does not learn which share it has",
}


@lru_cache(maxsize=1024)
def too_old(version: str, gates: tuple[str, ...]) -> str:
    """Return what a kubelet of that version does not support of these gates; empty where it supports all.

    Source: pkg/kubelet/cm/dra (v1.31.14 to v1.37.0); stages of the gates in rules/gates.yaml.
    """
    try:
        release = Release.parse(version)
    except ValueError:
        return ""
    for gate in gates:
        at = stage(gate, release)
        if at is None or not at.default:
            there = "is off by default" if at is not None else "does not exist"
            return f"started by a kubelet {release}, in which {gate} {there}: {_WITHOUT[gate]}"
    return ""
