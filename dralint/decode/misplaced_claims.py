"""Finds claims of Pods and workloads outside of the Pod spec, where Kubernetes' own kinds have no such field.

Sources: types.go of k8s.io/api core/v1, apps/v1 and batch/v1 (v1.26.15 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Problem, at
from dralint.finding.rule_ids import DISPLACED_FIELD, UNKNOWN_FIELD
from dralint.kubernetes.near import near
from dralint.kubernetes.types import CONTAINERS
from dralint.kubernetes.workloads import POD_SPECS
from dralint.manifest.objects import mappings
from dralint.manifest.pod_parts import about_claims, is_claim

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

_STEPS = ("spec", "template", "jobTemplate")


def displaced_claims(item: ApiObject) -> list[Problem]:
    """Return the fields outside of the Pod spec, in one of Kubernetes' own kinds, that declare or use claims.

    The type there does not have the field, so the API server's strict decoding refuses it.
    """
    home = POD_SPECS.get((item.api_version, item.kind))
    if home is None:
        return []
    out: list[Problem] = []
    for depth in range(len(home) + 1):
        level = at(item.data, home[:depth])
        if not isinstance(level, dict):
            break
        out += _of_level(level, home, depth)
    return out


def _of_level(level: dict[str, Any], home: Path, depth: int) -> Iterator[Problem]:
    """Yield the fields of one level on the way to the Pod spec."""
    here, outside = home[:depth], depth < len(home)
    following = str(home[depth]) if outside else ""
    for key, value in level.items():
        if outside and (about_claims(key) or (key in CONTAINERS and _speaks({key: value}))):
            yield _displaced((*here, key), home)
        elif outside and key == "metadata" and isinstance(value, dict):
            yield from (_displaced((*here, key, name), home) for name in value if about_claims(name))
        elif key != following and isinstance(value, dict | list) and _is_step(key, following) and _speaks(value):
            yield _wrong_step((*here, key), home, depth)
        elif outside and key not in (*_STEPS, following, "status") and is_claim(value, key):
            yield _displaced((*here, key), home)


def _displaced(path: Path, home: Path) -> Problem:
    key, spec = path[-1], _dotted(home)
    if key == "resourceClaims" or key in CONTAINERS:
        levels = len(home) - len(path) + 1
        deeper = "one level" if levels == 1 else f"{levels} levels"
        where = f"move it into the Pod spec, {deeper} deeper" if path[:-1] == home[: len(path) - 1] else "move it there"
        return _problem(DISPLACED_FIELD, path, f"; it belongs under `{spec}:`", where)
    return _problem(UNKNOWN_FIELD, path, "", f"a Pod declares its claims under `{spec}.resourceClaims:`")


def _wrong_step(path: Path, home: Path, depth: int) -> Problem:
    key = path[-1]
    following = home[depth] if depth < len(home) else ""
    if key in home[depth + 1 :]:
        parent = _dotted(home[: home.index(key, depth + 1)])
        return _problem(DISPLACED_FIELD, path, f"; it belongs under `{parent}:`", f"move it under `{parent}:`")
    if following and _like(str(key), str(following)):
        return _problem(UNKNOWN_FIELD, path, "", f'did you mean "{following}"?')
    return _problem(UNKNOWN_FIELD, path, "", f"move the claims in it under `{_dotted(home)}:`")


def _problem(rule: str, path: Path, text: str, hint: str | None) -> Problem:
    return Problem(rule, path, f'unknown field "{path[-1]}"{text}', "Unknown", hint, target="key")


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))


def _is_step(key: str, following: str) -> bool:
    """Say whether a key is a step on some way to a Pod spec, or resembles the next one (empty: none does)."""
    return key in _STEPS or (following != "" and _like(key, following))


def _like(key: str, name: str) -> bool:
    return bool(near(key, [name], 0.72))


def _speaks(value: Any) -> bool:
    """Say whether the value declares or uses claims somewhere."""
    found: Any = value if isinstance(value, dict) else {"": value}
    return any(
        "resourceClaims" in mapping or (isinstance(mapping.get("resources"), dict) and "claims" in mapping["resources"])
        for _, mapping in mappings(found)
    )
