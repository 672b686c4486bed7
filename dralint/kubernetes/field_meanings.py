"""What fields and feature gates mean, in a sentence: rules/fields.json, compiled from rules/fields.yaml."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from dralint.kubernetes import shipped

_TYPE = "()"


@cache
def _table() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((shipped.folder("rules") / "fields.json").read_bytes())
    return data


def of_field(type_: str, name: str) -> str | None:
    """Return what a field of a type (as `Struct` names it) means, None where nothing is written of it."""
    table = _table()
    rows = table["fields"]
    text: str | None = rows.get(type_, {}).get(name) or rows.get(table["as"].get(type_, ""), {}).get(name)
    return text


def same_as(type_: str) -> str:
    """Return the type whose fields mean the same as those of this one, by default the type itself."""
    same: str = _table()["as"].get(type_, type_)
    return same


def of_type(type_: str) -> str | None:
    """Return what a type or kind is, None where nothing is written of it."""
    text: str | None = _table()["fields"].get(type_, {}).get(_TYPE)
    return text


def of_gate(gate: str) -> str | None:
    """Return what a feature gate brings, None where nothing is written of it."""
    text: str | None = _table()["gates"].get(gate)
    return text
