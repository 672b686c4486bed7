"""Hints for missing fields and for lists with too many entries, by the name of the field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.yaml import Path

_CODE_AT_END = r"`[^`]+`\Z"
_MISSING: Mapping[str, str] = {
    "name": "give it a name, such as `name: gpu`",
    "pool.name": "name the pool, often after its node: `name: NODE`",
    "deviceClassName": "name the DeviceClass: `deviceClassName: NAME`",
    "resourceClassName": "name the ResourceClass: `resourceClassName: NAME`",
    "driver": "name the driver, such as `driver: gpu.example.com`",
    "driverName": "name the driver, such as `driverName: gpu.example.com`",
    "resourceSliceCount": "write how many slices the pool has, such as `resourceSliceCount: 1`",
    "expression": "write a condition, such as `expression: device.driver == ...`",
    "effect": "write the effect of the taint, such as `effect: NoSchedule`",
    "cel": "add a condition: `cel: {expression: ...}`",
    "opaque": "add parameters for a driver: `opaque: {driver: NAME, parameters: {...}}`",
    "counterSet": "name one of the sets in `sharedCounters`: `counterSet: NAME`",
    "counters": "name counters of the set: `counters: {NAME: {value: AMOUNT}}`",
    "value": "write the amount, such as `value: 40Gi`",
    "matchAttribute": "name the attribute that the devices share, such as `matchAttribute: gpu.example.com/numa`",
    "parameters": "add parameters for the driver: `parameters: {...}`",
    "nodeSelectorTerms": "add a term: `nodeSelectorTerms: [{matchExpressions: [...]}]`",
}
_TOO_MANY: Mapping[str, str] = {
    "requests": "split it: let the Pod use two claims",
    "devices": "put the rest into another slice of the pool, and count that in `resourceSliceCount` of all of them",
    "firstAvailable": "keep the alternatives that are worth trying",
    "selectors": "join conditions by `&&` in one expression",
    "constraints": "remove constraints that others imply, or split the claim",
    "config": "join configuration for the same driver in one entry, or split the claim",
    "sharedCounters": "put the rest into another slice of the pool",
    "consumesCounters": "let the device consume fewer counter sets",
    "taints": "keep the taints that something tolerates",
    "tolerations": "tolerate a key as a whole, by operator Exists",
    "reservedFor": "let fewer Pods share the claim",
}


def missing(name: str | int, parent: str | int = "") -> str:
    """Return the hint for a missing field of the object at `parent`."""
    return _MISSING.get(f"{parent}.{name}") or _MISSING.get(str(name), f"add `{name}`")


def missing_with(parents: Sequence[str], name: str | int, hint: str) -> str:
    """Return the hint for a field that is missing with its parents, the outermost first.

    `hint` is the one for the field alone; the code at its end is what to write.
    """
    code = re.search(_CODE_AT_END, hint)
    written = code[0] if code else f"`{name}`: {hint}"
    under = ", below it ".join(f"`{parent}:`" for parent in parents)
    return f"add {under}, and below {'it' if len(parents) == 1 else 'that'} {written}"


def too_long(path: Path) -> str:
    """Return the hint for a text that is too long."""
    if path[-1] == "expression" and "selectors" in path:
        return "split it at `&&` into several selectors: all of them must match"
    return "shorten it"


def too_many(key: str, path: Path) -> str:
    """Return the hint for a list or map with too many entries."""
    if key == "requests" and path[-2:-1] != ("devices",):
        return "name fewer requests, or remove `requests` to cover all of them"
    return _TOO_MANY.get(key, "remove some of them")
