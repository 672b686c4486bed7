"""Schemas as files: their names and their text, and how to write them without overwriting other files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dralint.files.atomic import write_atomically
from dralint.kubernetes import shipped
from dralint.schema.transforms import Builder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dralint.kubernetes.release import Release


def of_document(
    release: Release, document: Mapping[str, Any], catalogue: Path | None = None
) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the schema of every API version and kind of a release's trimmed OpenAPI.

    `catalogue` is a compiled catalogue in the place of the shipped one.
    """
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for api_version, kinds in document["kinds"].items():
        builder = Builder(release, document["schemas"][api_version], shipped.index(catalogue), catalogue=catalogue)
        for row in kinds:
            out[api_version, row["kind"]] = builder.kind(api_version, row["kind"])
    return out


def file_name(release: Release, api_version: str, kind: str) -> str:
    """Return the path of a schema in a folder of schemas: `1.34/resource.k8s.io_v1_ResourceClaim.json`."""
    return f"{release}/{api_version.replace('/', '_')}_{kind}.json"


def text(schema: object) -> str:
    """Return the text of a schema: keys sorted, a line for each value, a newline at the end."""
    return json.dumps(schema, indent=1, sort_keys=True) + "\n"


def index(documents: Mapping[Release, Mapping[str, Any]]) -> dict[str, dict[str, dict[str, str]]]:
    """Return the table of contents of a folder of schemas: release → API version → kind → file."""
    return {
        str(release): {
            api_version: {row["kind"]: file_name(release, api_version, row["kind"]) for row in kinds}
            for api_version, kinds in document["kinds"].items()
        }
        for release, document in documents.items()
    }


def is_index(path: Path) -> bool:
    """Say whether a file is a table of contents as `index` makes it."""
    try:
        rows = json.loads(path.read_bytes()) if path.is_file() else None
        return isinstance(rows, dict) and all(
            kind in file for versions in rows.values() for kinds in versions.values() for kind, file in kinds.items()
        )
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return False


def existing(files: Mapping[Path, str]) -> list[Path]:
    """Return the files that exist with another text."""
    return sorted(path for path, content in files.items() if path.exists() and not _same(path, content))


def _same(path: Path, content: str) -> bool:
    try:
        return path.read_bytes() == content.encode()
    except OSError:
        return False


def write(files: Mapping[Path, str]) -> None:
    """Write the files, each at once or not at all; OSError when one cannot be written."""
    for path, content in files.items():
        write_atomically(path, content.encode("utf-8"), make_folder=True)
