"""What to do about a field that is missing, and about a list with too many entries: hints by the name of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.yaml import Path

_MISSING: Mapping[str, str] = {
    "name": "give it a name, such as `name: gpu`",
    "deviceClassName": "name the DeviceClass: `deviceClassName: NAME`",
    "resourceClassName": "name the ResourceClass: `resourceClassName: NAME`",
    "driver": "name the driver, such as `driver: gpu.example.com`",
    "driverName": "name the driver, such as `driverName: gpu.example.com`",
    "resourceSliceCount": "write how many slices the pool has, such as `resourceSliceCount: 1`",
    "expression": "write a condition, such as `expression: device.driver == ...`",
    "effect": "say what the taint does, such as `effect: NoSchedule`",
    "value": "write the amount, such as `value: 40Gi`",
    "matchAttribute": "name the attribute that the devices share, such as `matchAttribute: gpu.example.com/numa`",
    "parameters": "add what the driver is to be told: `parameters: {...}`",
    "nodeSelectorTerms": "add a term: `nodeSelectorTerms: [{matchExpressions: [...]}]`",
}
_TOO_MANY: Mapping[str, str] = {
    "requests": "split it: let the Pod use two claims",
    "devices": "put the rest into another slice of the pool, and count that in `resourceSliceCount` of all of them",
    "firstAvailable": "keep the alternatives that are worth trying",
    "selectors": "join conditions by `&&` in one expression",
    "constraints": "leave out what other constraints imply, or split the claim",
    "config": "join configuration for the same driver in one entry, or split the claim",
    "sharedCounters": "put the rest into another slice of the pool",
    "consumesCounters": "let the device consume fewer counter sets",
    "taints": "keep the taints that something tolerates",
    "tolerations": "tolerate a key as a whole, by operator Exists",
    "reservedFor": "let fewer Pods share the claim",
}


def missing(name: str | int) -> str:
    """Return what to do about a missing field."""
    return _MISSING.get(str(name), f"add `{name}`")


def too_many(key: str, path: Path) -> str:
    """Return what to do about a list or map with too many entries."""
    if key == "requests" and path[-2:-1] != ("devices",):
        return "name fewer requests, or none for all of them"
    return _TOO_MANY.get(key, "remove some of them")
