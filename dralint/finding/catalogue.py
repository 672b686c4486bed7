"""The catalogue of rules as dralint reads it: rules/rules.json, compiled from rules/**/*.yaml."""

from __future__ import annotations

from functools import cache
from typing import Any

from dralint.finding.rule_ids import (
    DEPRECATED_API_VERSION,
    MUST_BE_ENABLED,
    NOT_SERVED,
    OFF_BY_DEFAULT,
    REMOVED_API_VERSION,
)
from dralint.kubernetes import shipped
from dralint.records import NamedTuple

SEVERITIES = {
    "rejected": "error",
    "unreadable": "error",
    "tool": "error",
    "dropped": "warning",
    "broken": "warning",
    "deprecated": "warning",
    "advice": "info",
}
"""Effect → default severity."""

API_VERSION_NOTICES = frozenset({DEPRECATED_API_VERSION, REMOVED_API_VERSION, MUST_BE_ENABLED, OFF_BY_DEFAULT})
"""Rules about an API version itself: such a finding concerns the cluster, and is the same for every object."""

OLD_API_VERSIONS = (DEPRECATED_API_VERSION, REMOVED_API_VERSION, NOT_SERVED)
"""Rules about API versions for which an object can have a newer one."""


AREAS = {
    "DRA0": "reading and decoding",
    "DRA1": "the schema",
    "DRA2": "names, limits and relations within one object",
    "DRA3": "CEL",
    "DRA4": "references between objects",
    "DRA5": "releases, feature gates, deprecation",
    "DRA6": "updates",
    "DRA7": "advice",
    "DRA8": "drivers",
    "DRA9": "known faults of releases",
}
"""The beginning of an id → the subject of its rules."""

SITE = "https://dralint.github.io/dralint/"
"""The documentation; each rule has a page with its id, which never changes."""


class Rule(NamedTuple):
    """One rule of the catalogue; the texts are Markdown."""

    id: str
    name: str
    effect: str
    summary: str
    why: str
    fix: str
    kinds: tuple[str, ...]
    releases: str
    own_severity: str | None = None

    @property
    def severity(self) -> str:
        """The default severity, by the effect; a rule about dralint's own input may have another one."""
        return self.own_severity or SEVERITIES[self.effect]

    @property
    def examples(self) -> dict[str, Any]:
        """The `bad` and `good` examples of the catalogue."""
        found: dict[str, Any] = shipped.examples()[self.id]
        return found

    @property
    def url(self) -> str:
        """The address of the rule's page."""
        return f"{SITE}rules/{self.id}.html"


@cache
def rules() -> dict[str, Rule]:
    """Return the rules by id, in order."""
    return {
        row["id"]: Rule(
            row["id"],
            row["name"],
            row["effect"],
            row["summary"],
            row["why"],
            row["fix"],
            tuple(row["kinds"]),
            row["releases"],
            row.get("severity"),
        )
        for row in shipped.rules()
    }


@cache
def by_pattern() -> dict[str, list[Rule]]:
    """Return the rules that a pattern matches, by the pattern: a name, or the beginning of an id in capitals."""
    out: dict[str, list[Rule]] = {}
    for rule in rules().values():
        for pattern in patterns(rule):
            out.setdefault(pattern, []).append(rule)
    return out


def patterns(rule: Rule) -> list[str]:
    """Return the patterns that match a rule."""
    return [rule.name, *(rule.id[:end] for end in range(1, len(rule.id) + 1))]


def find(text: str) -> Rule | None:
    """Return the rule with that id or name (in any case); None when there is none."""
    wanted = text.strip().lower()
    return next((rule for rule in rules().values() if wanted in (rule.id.lower(), rule.name)), None)


def is_numbered(text: str) -> bool:
    """Say whether a text is meant as an id, or the start of one, so that no similar name is suggested."""
    return text[:3].upper() == "DRA" and text[3:4].isdigit()


def listing(text: str) -> str:
    """Return the command that lists the rules that begin like a text, or those of its hundred, or all."""
    whole = text.upper()
    for beginning in (whole, whole[:4]) if is_numbered(text) else ():
        if beginning in by_pattern():
            return f"`dralint rules {beginning}`"
    return "`dralint rules`"
