"""The data that dralint ships: types by release, the rule catalogue, limits, meanings of fields, and known faults."""

from __future__ import annotations

import json
import os
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.release import Release, in_range
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Struct


_LARGEST = 64 * 1024 * 1024
"""The largest file of types that is read, in bytes; those of a release have less than one MiB."""
_PACKAGE = Path(__file__).absolute().parent.parent


@cache
def folder(name: str) -> Path:
    """Return the folder `schemas` or `rules`: of the wheel when installed, of the checkout otherwise."""
    shipped = _PACKAGE / "_shipped" / name
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


@cache
def index() -> dict[str, Any]:
    """Return the compiled catalogue: limits, behaviours, gates, releases."""
    return _read(folder("rules") / "index.json")


def _read(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_bytes())
    return data


@cache
def rules() -> list[dict[str, Any]]:
    """Return the rules, without examples."""
    found: list[dict[str, Any]] = json.loads((folder("rules") / "rules.json").read_bytes())
    return found


@cache
def examples() -> dict[str, Any]:
    """Return the examples of the rules by id."""
    return _read(folder("rules") / "examples.json")


@cache
def openapi(release: str, directory: Path | None = None) -> dict[str, Any]:
    """Return the trimmed OpenAPI of a release: `kinds` and `schemas` by group and version.

    `directory` is looked at first (what `schema generate` has written there). Raises FileNotFoundError when the release
    is in neither place, and ValueError for a file of `directory` that is not of this form.
    """
    own = None if directory is None else directory / "upstream" / f"{release}.json"
    if own is not None and os.path.lexists(own):
        return _checked(own)
    return _read(folder("schemas") / "upstream" / f"{release}.json")


def _checked(place: Path) -> dict[str, Any]:
    """Return the trimmed OpenAPI in a file; ValueError when it does not have that form."""
    try:
        small = place.is_file() and place.stat().st_size <= _LARGEST
        data: dict[str, Any] = json.loads(place.read_bytes()) if small else {}
        fine = small and _is_openapi(data, place.stem)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        data, fine = {}, False
    if not fine:
        raise ValueError(f"{place} is not what `dralint schema generate` writes; generate it again")
    return data


def _is_openapi(data: Mapping[str, Any], release: str) -> bool:
    """Say whether the data is a reduced OpenAPI; data of another form may also raise an error."""
    from dralint.kubernetes.types import hold_together, pod_types, structs

    kinds, schemas = data["kinds"], data["schemas"]
    types = {version: structs(of_version) for version, of_version in schemas.items()}
    types["v1"] = pod_types(types["v1"], Release.parse(release))
    return hold_together(types["v1"], types["v1"]) and all(
        isinstance(row["namespaced"], bool) and hold_together(types[version], [row["kind"]])
        for version, rows in kinds.items()
        for row in rows
    )


@cache
def structs_of(release: str, api_version: str, directory: Path | None = None) -> Mapping[str, Struct]:
    """Return the types of an API version of a release, by short name; none where it does not serve it."""
    from dralint.kubernetes.types import structs

    return structs(openapi(release, directory)["schemas"].get(api_version, {}))


@cache
def served(release: str, directory: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the (apiVersion, kind) pairs that a release serves; FileNotFoundError as `openapi`."""
    kinds: dict[str, list[dict[str, Any]]] = openapi(release, directory)["kinds"]
    return frozenset((version, row["kind"]) for version, rows in kinds.items() for row in rows)


_MOST_KEPT = 20_000
"""The most rows of limits that are kept: a release has some hundreds."""
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

    def __init__(
        self,
        table: Mapping[str, Mapping[str, Mapping[str, Any]]],
        totals: Mapping[str, Mapping[str, Any]],
        release: Release,
    ) -> None:
        self._table = table
        self._totals = totals
        self._release = release

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def row(self, type_name: str, field: str) -> dict[str, Any]:
        """Return the keywords of a field in the release; none where it has no limits."""
        return resolve(self._table.get(type_name, {}).get(field, {}), self._release) or {}

    def limit(self, type_name: str, field: str, keyword: str) -> int:
        """Return the number of a keyword such as maxItems; KeyError where the release has no such limit."""
        number: int = self.row(type_name, field)[keyword]
        return number

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def total(self, name: str) -> int:
        """Return a limit on several fields or entries together; KeyError where the release has none."""
        number: int = (resolve(self._totals[name], self._release) or {})["most"]
        return number


@cache
def _table() -> dict[str, Any]:
    return _read(folder("rules") / "fields.json")


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
    text: str | None = _table()["fields"].get(type_, {}).get(UNION)
    return text


def of_gate(gate: str) -> str | None:
    """Return the effect of a feature gate; None where there is none."""
    text: str | None = _table()["gates"].get(gate)
    return text


class Bug(NamedTuple):
    """One fault: `spans` are (release, first patch, last patch), with -1 as last for every patch.

    `name` is its issue, or its place in the table. `simulated` is the allocator's behaviour with the fault, or after a
    `-` the behaviour that it lacks.
    """

    name: str
    trigger: str
    spans: tuple[tuple[Release, int, int], ...]
    fixed: tuple[str, ...]
    gates: tuple[str, ...]
    blocks: bool
    change: bool
    every: bool
    rare: bool
    simulated: str
    effect: str
    until: str

    def span(self, release: Release) -> tuple[int, int] | None:
        """Return the patches of a release that have the fault, the last as -1 for all; None for none."""
        return next(((first, last) for one, first, last in self.spans if one == release), None)

    def mend(self, release: Release) -> str:
        """Return the patch of a release with the correction; empty where none has it."""
        return next((text for text in self.fixed if Release.parse(text) == release), "")


def name_of(issue: int | str) -> str:
    """Return the name of a fault in messages."""
    return f"kubernetes#{issue}" if isinstance(issue, int) else issue


@cache
def bugs() -> tuple[Bug, ...]:
    """Return the known faults of releases."""
    rows = json.loads((folder("rules") / "known-bugs.json").read_bytes())
    return tuple(
        Bug(
            name_of(row["issue"]),
            row.get("trigger", ""),
            tuple(_span(text) for text in row["releases"]),
            tuple(row.get("fixed", ())),
            tuple(row.get("gates", ())),
            row.get("blocks", False),
            row.get("change", False),
            row.get("every", False),
            row.get("rare", False),
            row.get("simulated", ""),
            row["effect"],
            row["until"],
        )
        for row in rows
    )


def _span(text: str) -> tuple[Release, int, int]:
    first, _, last = text.partition("..")
    if not last:
        return Release.parse(first), 0, -1
    return Release.parse(first), int(first.rpartition(".")[2]), int(last.rpartition(".")[2])
