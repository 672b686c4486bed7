"""The table of limits (rules/limits.yaml) as it holds in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes.release import in_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.release import Release


_NESTED = ("items", "keys", "values")


def resolve(row: Mapping[str, Any], release: Release) -> dict[str, Any] | None:
    """Return the keywords of one row of the table as they hold in a release; None when the row does not hold."""
    out: dict[str, Any] = {}
    for keyword, value in row.items():
        if keyword in _NESTED:
            nested = resolve(value, release)
            if nested:
                out[keyword] = nested
        elif isinstance(value, dict):
            for span, held in value.items():
                if in_range(span, release):
                    out[keyword] = held
        else:
            out[keyword] = value
    within = out.pop("within", None)
    return None if within is not None and not in_range(within, release) else out
