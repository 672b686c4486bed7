"""Names of files relative to their repository, and fingerprints of findings that stay the same when lines move."""

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

    Files outside of it and standard input keep their names.
    """
    return _from_top(file, style.top, style.below)


@lru_cache(maxsize=64)
def _from_top(file: str, top: str, below: str) -> str:
    """Return the path of a file from the top; most findings are in the same file as the one before."""
    name = file.replace("\\", "/") if top[1:2] == ":" else file
    if name.startswith("<"):
        return name
    if posixpath.isabs(name):
        inside = top and name.startswith(top.rstrip("/") + "/")
        return posixpath.normpath(name[len(top.rstrip("/")) + 1 :]) if inside else name
    return posixpath.normpath(posixpath.join(below, name))


def fingerprints(findings: Sequence[Finding], style: Style) -> list[str]:
    """Return the identity of each finding across runs: rule, file, object and field path, never the line.

    Findings that share all of these are numbered.
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
