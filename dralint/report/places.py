"""Names of files as a repository has them, and fingerprints of findings that outlive moved lines."""

from __future__ import annotations

import posixpath
from collections import Counter
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Finding
    from dralint.report import Style


def repository_path(file: str, style: Style) -> str:
    """Return the path of a file from the top of its repository, with `/` and without `./`.

    A file outside of it, and standard input, keep the names they have.
    """
    return _from_top(file, style.top, style.below)


@lru_cache(maxsize=64)
def _from_top(file: str, top: str, below: str) -> str:
    """Return the path of a file from the top; most findings lie in the file of the one before."""
    name = file.replace("\\", "/") if top[1:2] == ":" else file
    if name.startswith("<"):
        return name
    if posixpath.isabs(name):
        inside = top and name.startswith(top.rstrip("/") + "/")
        return posixpath.normpath(name[len(top.rstrip("/")) + 1 :]) if inside else name
    return posixpath.normpath(posixpath.join(below, name))


def fingerprints(findings: Sequence[Finding], style: Style) -> list[str]:
    """Return what identifies each finding from one run to the next: rule, file, object and field path, never the line.

    Where several findings share all of that, they are numbered.
    """
    seen: Counter[str] = Counter()
    out: list[str] = []
    for finding in findings:
        object_ = finding.object or {}
        names = [str(object_.get(key)) for key in ("apiVersion", "kind", "namespace", "name")]
        identity = "\0".join((finding.rule, repository_path(finding.file, style), *names, finding.path))
        seen[identity] += 1
        out.append(sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "replace")).hexdigest()[:32])
    return out
