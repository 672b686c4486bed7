"""Proposes rows of rules/gates.yaml from the table of feature gates, and from the tags of fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from conformance.propose.go_types import Package

_ROWS = re.compile(r"^\t(?:\w+\.)?(\w+): \{$(.*?)^\t\},$", re.MULTILINE | re.DOTALL)
_SPEC = re.compile(
    r'Version: version\.MustParse\("(\d+)\.(\d+)"\), Default: (true|false), PreRelease: (?:\w+\.)?(\w+)'
    r'(, LockToDefault: true)?(?:, MinCompatibilityVersion: version\.MustParse\("1\.(\d+)"\))?'
)
_NEEDS = re.compile(r"^\t(?:\w+\.)?(\w+):\s+\{([^{}]*)\},(?: *//.*)?$", re.MULTILINE)
_STAGES = {"Alpha": "alpha", "Beta": "beta", "GA": "stable", "Deprecated": "deprecated", '""': "stable"}


class Gate(NamedTuple):
    """A feature gate in a release: `alpha off`, `stable locked`, and the gates that must be on as well."""

    name: str
    stage: str
    needs: tuple[str, ...]


def gates(path: Path, minor: int, others: Collection[str] = ()) -> dict[str, Gate]:
    """Return the feature gates about resource claims in the table of a release, and those that they need.

    `others` are names of gates that concern claims, too.
    """
    text = path.read_text("utf-8")
    needs = {
        name: tuple(re.findall(r"\b[A-Z]\w+", inside))
        for name, inside in _NEEDS.findall(text)
        if "Version" not in inside
    }
    rows = _ROWS.findall(text)
    own = {name for name, _ in rows if name.startswith("DRA") or name == "DynamicResourceAllocation" or name in others}
    wanted = own.union(*(needs.get(name, ()) for name in own))
    found = {}
    for name, inside in rows:
        if name not in wanted:
            continue
        # A server is compatible with the minor release before, unless told otherwise.
        specs = [row for row in _SPEC.findall(inside) if int(row[1]) <= minor and int(row[5] or 0) < minor]
        if specs:
            _, _, default, stage, locked, _ = specs[-1]
            on = "locked" if locked and default == "true" else "on" if default == "true" else "off"
            found[name] = Gate(name, f"{_STAGES[stage]} {on}", tuple(sorted(needs.get(name, ()))))
    return found


def fields(package: Package) -> Iterator[tuple[str, str, str]]:
    """Yield gate, TYPE.FIELD and source of each field that a tag puts behind gates."""
    for one in package.types.values():
        for held in one.fields:
            for value in held.values("featureGate"):
                for gate in value.split(","):
                    yield gate.strip(), f"{one.name}.{held.name}", f"{package.file}:{held.line}"


def known(gate: Mapping[str, object], release: str) -> tuple[str | None, set[str], set[str]]:
    """Return the stage, dependencies and fields of a gate that the table has for a release."""
    from dralint.kubernetes.release import Release, in_range

    at = Release.parse(release)

    def held(key: str) -> list[object]:
        table = gate.get(key, {})
        return [value for span, value in table.items() if in_range(span, at)] if isinstance(table, dict) else []

    names = {str(name) for some in held("fields") if isinstance(some, list) for name in some}
    needs = gate.get("needs", ())
    return next(map(str, held("stages")), None), set(map(str, needs)) if isinstance(needs, list) else set(), names
