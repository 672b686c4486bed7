"""Recognizes patches of a Kustomization: parts of objects that only become manifests when it is built.

Source: api/types/kustomization.go of sigs.k8s.io/kustomize (v5).
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.files.source import read_plain
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_PARENTS = 2
LARGEST = 1_000_000
"""In bytes: a larger kustomization is skipped."""


def patched_by(path: str) -> str | None:
    """Return the name of the kustomization that uses the file as a patch; None when there is none.

    dralint looks in the directory of the file and in two above it. A kustomization that cannot be read lists nothing.
    """
    file = Path(os.path.abspath(path))  # noqa: PTH100 - a link is not followed
    for directory in list(file.parents)[: _PARENTS + 1]:
        name = patches(directory).get(file)
        if name is not None:
            return name
    return None


@lru_cache(maxsize=1024)
def patches(directory: Path) -> dict[Path, str]:
    """Return the files that the kustomization of a directory lists as patches, with the name of that kustomization."""
    for name in NAMES:
        file = directory / name
        try:
            if not file.is_file():
                continue
            raw = read_plain(file, LARGEST)
        except OSError:
            continue
        return {plain(directory / listed): name for listed in _listed(raw)}
    return {}


def plain(path: Path) -> Path:
    """Return a path without `.` and `..`, which kustomizations often have; links are not followed."""
    return type(path)(os.path.normpath(path))


def _listed(raw: bytes) -> Iterator[str]:
    for document in read(raw):
        data: Any = document.data
        if document.state != "read" or not isinstance(data, dict):
            continue
        for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
            entries = data.get(key)
            for entry in entries if isinstance(entries, list) else ():
                listed = entry.get("path") if isinstance(entry, dict) else entry
                if isinstance(listed, str) and "\n" not in listed:
                    yield listed
