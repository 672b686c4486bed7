"""Merges packs that extend another one: their own entries are added, or replace entries of the same name."""

from __future__ import annotations

import json
from typing import Any

_BY_NAME = ("attributes", "capacities", "classes", "renamed")
_OF_DEVICES = ("versions", "unreleased", "gates", "kinds", "attributes", "capacities", "userAttributes", "parameters")
"""The parts that a pack gets from the pack of another driver; charts, images and classes belong to that driver."""


def extended(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return the pack that `own` makes of `base`; for another driver, the names of devices are in its domain."""
    found = dict(base)
    if own["driver"] != base["driver"]:
        text = json.dumps({key: base[key] for key in _OF_DEVICES if key in base})
        found = json.loads(text.replace(f'"{base["driver"]}/', f'"{own["driver"]}/'))
    for key, value in own.items():
        there = found.get(key)
        if key == "extends":
            continue
        if key == "versions" and there is not None:
            found[key] = [*there, *(version for version in value if version not in there)]
        elif key in _BY_NAME and there is not None:
            found[key] = _merged(there, value, "name")
        elif key in ("gates", "kinds") and there is not None:
            found[key] = {**there, **value}
        elif key == "parameters" and there is not None:
            found[key] = {**there, **value}
            if "kinds" in there and "kinds" in value:
                found[key]["kinds"] = _merged(there["kinds"], value["kinds"], "kind")
        else:
            found[key] = value
    return found


def _merged(base: list[dict[str, Any]], own: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    """Return the entries of both lists; an entry replaces those of the same name."""
    names = {entry[key] for entry in own}
    return [*(entry for entry in base if entry[key] not in names), *own]
