"""A baseline: accepted findings, so that dralint reports only new ones.

A finding is identified by its rule, its object and its field path; without an object, also by its file. A baseline
counts equal findings. Line numbers do not matter.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.finding.words import quoted
from dralint.yaml.json_text import json_integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from dralint.finding.finding import Finding

VERSION = 1
_LARGEST = 64 * 1024 * 1024
"""The largest file that is read, in bytes: a baseline of a hundred thousand findings has a quarter of that."""
_FIELDS = ("rule", "kind", "namespace", "name", "path", "file")

Key = tuple[str, str, str, str, str, str]
"""Rule, kind, namespace, name, field path, file (empty where there is an object)."""


class BaselineError(ValueError):
    """A file that is not a baseline; the text has the reason."""


def rest(accepted: Mapping[Key, int], findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that a baseline does not accept."""
    left = Counter(accepted)
    kept: list[Finding] = []
    for finding in findings:
        known = key(finding)
        left[known] -= 1
        if left[known] < 0:
            kept.append(finding)
    return kept


def key(finding: Finding) -> Key:
    """Return the key that identifies a finding."""
    named = finding.object
    if named is None:
        return finding.rule, "", "", "", finding.path, finding.file
    return (
        finding.rule,
        named.get("kind") or "",
        named.get("namespace") or "",
        named.get("name") or "",
        finding.path,
        "",
    )


def write(findings: Sequence[Finding], before: Mapping[Key, int] | None = None) -> str:
    """Return the text of a baseline that accepts the findings, and what an earlier one accepts."""
    counted = Counter(before)
    counted.update(map(key, findings))
    rows = [
        {name: value for name, value in zip(_FIELDS, known, strict=True) if value} | ({"count": n} if n > 1 else {})
        for known, n in sorted(counted.items())
    ]
    return json.dumps({"version": VERSION, "findings": rows}, indent=1, ensure_ascii=True) + "\n"


@cache
def load(path: Path) -> Mapping[Key, int]:
    """Return the baseline in a file: the accepted findings, and how often each occurs.

    Raises:
        BaselineError: the file cannot be read, or is not a baseline; the text names the file.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
        if len(raw) > _LARGEST:
            raise BaselineError(f"it is larger than {_LARGEST >> 20} MiB: it is not a baseline")
        return read(raw.decode("utf-8"))
    except OSError as error:
        raise BaselineError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise BaselineError(f"{path}: {error}") from error


def read(text: str) -> Mapping[Key, int]:
    """Return the baseline in a text.

    Raises:
        BaselineError: the text is not a baseline, or is one of an unknown version.
    """
    try:
        document: Any = json.loads(text, parse_int=json_integer)
    except (ValueError, RecursionError) as error:
        raise BaselineError(f"it is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise BaselineError("it has no list of findings; `dralint baseline write` makes one")
    if document.get("version") != VERSION:
        raise BaselineError(f"its version is {quoted(document.get('version'))}; known is {VERSION}")
    accepted: Counter[Key] = Counter()
    for number, row in enumerate(document["findings"]):
        if not isinstance(row, dict) or not isinstance(row.get("rule"), str):
            raise BaselineError(f"entry {number + 1} of its findings names no rule")
        rule, kind, namespace, name, path, file = (str(row.get(field, "")) for field in _FIELDS)
        count = row.get("count", 1)
        accepted[rule, kind, namespace, name, path, file] += count if isinstance(count, int) and count > 0 else 1
    return accepted
