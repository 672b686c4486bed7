"""What an editor offers in dralint's own texts: the configuration by its schema, and comments that suppress."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.config.table import schema
from dralint.files.discover import CONFIGURATIONS
from dralint.finding import catalogue
from dralint.kubernetes import gates
from dralint.kubernetes.served import known_releases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml import Path

_RULES = frozenset({"select", "ignore", "rules"})
"""Keys with rules as their values; the keys below `severity` are rules too."""
_COMMENT = re.compile(r"#[ \t]*dralint:[ \t]*(?P<word>[\w-]*)$")
_LISTED = re.compile(r"#[ \t]*dralint:[ \t]*ignore(?:-file)?\[(?:[^\]]*[, \t])?(?P<word>[\w-]*)$")


class Candidate(NamedTuple):
    """A text to write; the value of a key stands below it (`block`), behind it, or it is no key (None)."""

    text: str
    detail: str = ""
    says: str = ""
    block: bool | None = None


def is_configuration(name: str) -> bool:
    """Say whether a text is a configuration by its name."""
    return PurePath(name).name in CONFIGURATIONS


def keys(path: Path, there: object) -> Iterator[Candidate]:
    """Yield the keys that a mapping at a path can still get."""
    for form in _forms(path):
        for name, inner in form.get("properties", {}).items():
            if not isinstance(there, dict) or name not in there:
                block = inner.get("type") in ("object", "array") and "enum" not in inner
                yield Candidate(name, says=inner.get("description", ""), block=block)
    if path == ("severity",):
        yield from (rule._replace(block=False) for rule in rules())
    elif path[-1:] == ("feature-gates",):
        switches = sorted({gate for release in known_releases() for gate in gates.known(release)})
        yield from (Candidate(gate, "feature gate", block=False) for gate in switches)


def values(path: Path) -> Iterator[Candidate]:
    """Yield the values of a key, or of an item of its list."""
    for form in _forms(path):
        yield from (Candidate(str(value)) for value in form.get("enum", ()) if isinstance(value, str))
        if form.get("type") == "boolean":
            yield from (Candidate("true"), Candidate("false"))
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    if key in _RULES:
        yield from rules()
    elif key == "kubernetes-version":
        yield from (Candidate(f'"{release}"', "release") for release in reversed(known_releases()))


def meaning(path: Path) -> str | None:
    """Return what a key means; None for an unknown one."""
    return next((form["description"] for form in _forms(path) if "description" in form), None)


def _forms(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the schemas of a value at a path."""
    found: list[dict[str, Any]] = [schema()]
    for step in path:
        below: list[dict[str, Any]] = []
        for form in (inner for each in found for inner in (each, *each.get("anyOf", ()))):
            if isinstance(step, int):
                below += [form["items"]] if "items" in form else []
            else:
                other = form.get("additionalProperties")
                below += [form["properties"][step]] if step in form.get("properties", {}) else []
                below += [other] if isinstance(other, dict) and step not in form.get("properties", {}) else []
        found = below
    for form in found:
        yield form
        yield from form.get("anyOf", ())


def rules() -> Iterator[Candidate]:
    """Yield all rules by id."""
    for rule in catalogue.rules().values():
        yield Candidate(rule.id, rule.name, rule.summary)


def in_comment(before: str) -> tuple[int, list[Candidate]] | None:
    """Return the completions of a comment that suppresses, and where the word begins; None outside of one.

    Args:
        before: the line before the cursor.
    """
    listed = _LISTED.search(before)
    if listed is not None:
        return listed.start("word"), [*rules()]
    match = _COMMENT.search(before)
    if match is None:
        return None
    ways = ("ignore[", "for this line, or for the value below"), ("ignore-file[", "for the whole file, at its top")
    return match.start("word"), [Candidate(text, detail) for text, detail in ways]
