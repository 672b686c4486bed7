"""Where the data that dralint ships lies: JSON Schemas and OpenAPI types by release, and the rule catalogue."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent.parent


def folder(name: str) -> Path:
    """Return the folder `schemas` or `rules`: of the wheel when installed, of the checkout otherwise."""
    shipped = _PACKAGE / "_shipped" / name
    return shipped if shipped.is_dir() else _PACKAGE.parent / name


@cache
def index(path: Path | None = None) -> dict[str, Any]:
    """Return the compiled catalogue (rules, limits, behaviours, gates, releases), by default the shipped one."""
    file = path or folder("rules") / "index.json"
    data: dict[str, Any] = json.loads(file.read_bytes())
    return data


@cache
def openapi(release: str, directory: Path | None = None) -> dict[str, Any]:
    """Return the trimmed OpenAPI of a release: `kinds` and `schemas` by group and version.

    `directory` is looked at first (what `schema generate` has written there). Raises FileNotFoundError when the release
    is in neither place, and ValueError for a file of `directory` that is not of this form.
    """
    own = None if directory is None else directory / "upstream" / f"{release}.json"
    if own is not None and own.is_file():
        return _checked(own)
    data: dict[str, Any] = json.loads((folder("schemas") / "upstream" / f"{release}.json").read_bytes())
    return data


def _checked(place: Path) -> dict[str, Any]:
    """Return the trimmed OpenAPI in a file; ValueError when it does not have that form."""
    try:
        data: dict[str, Any] = json.loads(place.read_bytes())
        kinds, schemas = data["kinds"], data["schemas"]
        fine = set(kinds) <= set(schemas) and all(
            isinstance(row["kind"], str) and isinstance(row["namespaced"], bool)
            for rows in kinds.values()
            for row in rows
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        data, fine = {}, False
    if not fine:
        msg = f"{place} is not what `dralint schema generate` writes; generate it again"
        raise ValueError(msg)
    return data


@cache
def served(release: str, directory: Path | None = None) -> frozenset[tuple[str, str]]:
    """Return the (apiVersion, kind) pairs that a release serves; FileNotFoundError as `openapi`."""
    kinds: dict[str, list[dict[str, Any]]] = openapi(release, directory)["kinds"]
    return frozenset((version, row["kind"]) for version, rows in kinds.items() for row in rows)
