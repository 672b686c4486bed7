"""Admission policies that look for the fields of a request where v1beta1 has them.

Since v1beta2 they are under `exactly`, and those of alternatives under `firstAvailable`. Policies of Kubernetes,
Kyverno and Gatekeeper write paths as CEL, JMESPath, Rego, or as a pattern of the object.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import POLICY_PATH
from dralint.finding.words import quoted
from dralint.kubernetes.release import Release
from dralint.references.facts import PolicyFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Found
    from dralint.references.world import World
    from dralint.yaml import Path

_FIRST = Release(1, 33)
"""The first release that serves v1beta2."""
_FIELDS = "deviceClassName|allocationMode|adminAccess|count|selectors|tolerations"
_DIRECT = re.compile(rf"devices\??\.requests(?:\[[^\]\n]*\])?\.(?P<field>{_FIELDS})\b")
_MACRO = re.compile(r"requests\s*\.\s*(?:all|exists|exists_one|filter|map)\(\s*(?P<name>\w+)\s*,")
_MEMBER = re.compile(rf"\b(?P<name>\w+)\??\.(?P<field>{_FIELDS})\b")
_KEY = re.compile(r"[=^+X<]?\(?(?P<name>\w+)\)?")
"""A key of a pattern, perhaps with an anchor of Kyverno."""
_OLDER = re.compile(r"\bv1(?:beta1|alpha\d)\b")
_OURS = re.compile(r"resourceclaim", re.IGNORECASE)
_NEWER = ("exactly", "firstAvailable")
_DEPTH = 40


def flat_fields(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the places of a policy that look for a field of a request directly in it, and the field.

    None for a policy that does not speak of claims, knows the newer fields, or names an older version.
    """
    texts = list(_texts(data, ()))
    words = [text for _, text in texts] + [str(part) for path, _ in texts for part in path]
    if not any(map(_OURS.search, words)) or any(map(_OLDER.search, words)):
        return
    if any(name in word for word in words for name in _NEWER):
        return
    for path, text in texts:
        field = _in_text(text) or _in_pattern(path)
        if field is not None:
            yield path, field


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the scalars of a value as texts, with their paths."""
    if len(path) > _DEPTH:
        return
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _texts(member, (*path, str(key)))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _texts(member, (*path, number))
    elif value is not None:
        yield path, str(value)


def _in_text(text: str) -> str | None:
    found = _DIRECT.search(text)
    if found is not None:
        return found["field"]
    for macro in _MACRO.finditer(text):
        for inner in _MEMBER.finditer(text, macro.end()):
            if inner["name"] == macro["name"]:
                return inner["field"]
    return None


def _in_pattern(path: Path) -> str | None:
    """Return the field of a request to which a path of a pattern leads; None for other paths."""
    names = [found["name"] if (found := _KEY.fullmatch(str(part))) is not None else "" for part in path]
    for place in range(len(path) - 3):
        if names[place : place + 2] == ["devices", "requests"] and isinstance(path[place + 2], int):
            field = names[place + 3]
            return field if re.fullmatch(_FIELDS, field) else None
    return None


def policies(world: World) -> Iterator[Found]:
    """Yield the places of policies that find nothing in a claim of v1 or v1beta2."""
    for facts, policy in world.index.holding(PolicyFacts):
        releases = [release for release in world.releases(facts) if release >= _FIRST]
        for path, field in policy.flat if releases else ():
            message = (
                f"in v1 and v1beta2 a request has no {quoted(field)}: it is under `exactly`, or in each alternative of "
                "`firstAvailable`, so the policy does not find it"
            )
            hint = f"look at requests[].exactly.{field} and requests[].firstAvailable[].{field}"
            yield world.found(facts, POLICY_PATH, path, message, hint, releases=releases)
