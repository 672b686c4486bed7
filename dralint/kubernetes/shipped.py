"""Finds the data that dralint ships: JSON Schemas and OpenAPI types by release, and the rule catalogue."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dralint.kubernetes.types import Struct

_LARGEST = 64 * 1024 * 1024
"""The largest file of types that is read, in bytes; those of a release have less than one MiB."""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folder(name: str) -> Path:
    """Return the folder `schemas` or `rules`: of the wheel when installed, of the checkout otherwise."""
    from pathlib import Path

    return Path(_folder(name))


@cache
def _folder(name: str) -> str:
    shipped = os.path.join(_PACKAGE, "_shipped", name)
    return shipped if os.path.isdir(shipped) else os.path.join(os.path.dirname(_PACKAGE), name)


@cache
def index(path: Path | None = None) -> dict[str, Any]:
    """Return the compiled catalogue (limits, behaviours, gates, releases), by default the shipped one."""
    with open(path or os.path.join(_folder("rules"), "index.json"), "rb") as file:
        data: dict[str, Any] = json.load(file)
    return data


@cache
def rules(path: Path | None = None) -> list[dict[str, Any]]:
    """Return the rules, without examples: those next to a compiled catalogue, by default the shipped one."""
    file = os.path.join(_folder("rules") if path is None else path.parent, "rules.json")
    with open(file, "rb") as stream:
        data: list[dict[str, Any]] = json.load(stream)
    return data


@cache
def examples(path: Path | None = None) -> dict[str, Any]:
    """Return the examples of the rules by id: those next to a compiled catalogue, by default the shipped one."""
    file = (path or folder("rules") / "index.json").with_name("examples.json")
    data: dict[str, Any] = json.loads(file.read_bytes())
    return data


@cache
def openapi(release: str, directory: Path | None = None) -> dict[str, Any]:
    """Return the trimmed OpenAPI of a release: `kinds` and `schemas` by group and version.

    `directory` is looked at first (what `schema generate` has written there). Raises FileNotFoundError when the release
    is in neither place, and ValueError for a file of `directory` that is not of this form.
    """
    own = None if directory is None else directory / "upstream" / f"{release}.json"
    if own is not None and os.path.lexists(own):
        return _checked(own)
    with open(os.path.join(_folder("schemas"), "upstream", f"{release}.json"), "rb") as file:
        data: dict[str, Any] = json.load(file)
    return data


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
    from dralint.kubernetes.pod_types import pod_types
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import hold_together, structs

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
    """Return the types of an API version of a release, by short name; KeyError where it does not serve it."""
    from dralint.kubernetes.types import structs

    return structs(openapi(release, directory)["schemas"][api_version])


@cache
def served(release: str, directory: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the (apiVersion, kind) pairs that a release serves; FileNotFoundError as `openapi`."""
    kinds: dict[str, list[dict[str, Any]]] = openapi(release, directory)["kinds"]
    return frozenset((version, row["kind"]) for version, rows in kinds.items() for row in rows)
