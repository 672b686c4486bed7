"""The meanings of fields and feature gates, in a sentence: rules/fields.json, compiled from rules/fields.yaml."""

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
    """Return the meaning of a field of a type (with its name in `Struct`); None where there is none."""
    table = _table()
    rows = table["fields"]
    text: str | None = rows.get(type_, {}).get(name) or rows.get(table["as"].get(type_, ""), {}).get(name)
    return text


def same_as(type_: str) -> str:
    """Return the type whose fields mean the same as those of this one, by default the type itself."""
    same: str = _table()["as"].get(type_, type_)
    return same


def of_type(type_: str) -> str | None:
    """Return the meaning of a type or kind; None where there is none."""
    text: str | None = _table()["fields"].get(type_, {}).get(_TYPE)
    return text


def of_gate(gate: str) -> str | None:
    """Return the effect of a feature gate; None where there is none."""
    text: str | None = _table()["gates"].get(gate)
    return text
