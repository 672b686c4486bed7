"""The table of limits (rules/limits.yaml), resolved for a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes.release import in_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.release import Release

_NESTED = ("items", "keys", "values")

UNION = "()"
"""The row of the table of limits for a type as a whole."""


def resolve(row: Mapping[str, Any], release: Release) -> dict[str, Any] | None:
    """Return the keywords of one row of the table for a release; None when the row does not apply."""
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


class Limits:
    """The limits of one release: type → field → keywords, and `totals` for several fields together by name.

    Both are tables of the compiled catalogue.
    """

    __slots__ = ("_held", "_release", "_rows", "_table", "_totals")

    def __init__(
        self,
        table: Mapping[str, Mapping[str, Mapping[str, Any]]],
        totals: Mapping[str, Mapping[str, Any]],
        release: Release,
    ) -> None:
        self._table = table
        self._totals = totals
        self._release = release
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}
        self._held: dict[str, int] = {}

    def row(self, type_name: str, field: str) -> dict[str, Any]:
        """Return the keywords of a field in the release; none where it has no limits."""
        key = (type_name, field)
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = resolve(self._table.get(type_name, {}).get(field, {}), self._release) or {}
        return row

    def limit(self, type_name: str, field: str, keyword: str) -> int:
        """Return the number of a keyword such as maxItems; KeyError where the release has no such limit."""
        number: int = self.row(type_name, field)[keyword]
        return number

    def total(self, name: str) -> int:
        """Return a limit on several fields or entries together; KeyError where the release has none."""
        number = self._held.get(name)
        if number is None:
            number = self._held[name] = (resolve(self._totals[name], self._release) or {})["most"]
        return number
