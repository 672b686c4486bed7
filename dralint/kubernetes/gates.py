"""Feature gates: stage and default by release, how the command line switches them, and the fields of each gate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.kubernetes import shipped
from dralint.kubernetes.near import closest
from dralint.kubernetes.release import Release, in_range
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ALL_ALPHA, ALL_BETA = "AllAlpha", "AllBeta"
_DRA = "DynamicResourceAllocation"


class GateError(ValueError):
    """A gate that no judging release has, that is locked, or whose dependency is off; the text has what to do."""


class Stage(NamedTuple):
    """The stage of a gate in one release: `alpha`, `beta` or `stable`, on or off by default, locked or not."""

    name: str
    default: bool
    locked: bool


def _table() -> dict[str, dict[str, Any]]:
    gates: dict[str, dict[str, Any]] = shipped.index()["gates"]
    return gates


def stage(gate: str, release: Release) -> Stage | None:
    """Return the gate's stage in that release, None where the release does not have it."""
    for span, text in _table().get(gate, {}).get("stages", {}).items():
        if in_range(span, release):
            name, switch = text.split()
            return Stage(name, switch != "off", switch == "locked")
    return None


def known(release: Release) -> list[str]:
    """Return the gates of a release, sorted."""
    return sorted(gate for gate in _table() if stage(gate, release) is not None)


def parse(text: str) -> dict[str, bool]:
    """Read `A=true,B=false`; GateError when a part has another form."""
    chosen: dict[str, bool] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or value.lower() not in ("true", "false", "t", "f", "1", "0"):
            raise GateError(f"{part!r} is not of the form GATE=true or GATE=false")
        chosen[name.strip()] = value.lower() in ("true", "t", "1")
    return chosen


def check(chosen: Mapping[str, bool], releases: Sequence[Release]) -> None:
    """Raise GateError if none of the releases has a named gate, or if it is locked or lacks a gate that it needs.

    Gates that change nothing for resource claims are not judged.
    """
    for name, value in chosen.items():
        if name in (ALL_ALPHA, ALL_BETA) or (name not in _table() and name in shipped.index()["other_gates"].split()):
            continue
        stages = [(release, s) for release in releases if (s := stage(name, release)) is not None]
        if not stages:
            names = sorted({gate for release in releases for gate in known(release)} | {ALL_ALPHA, ALL_BETA})
            tip = closest(name, names) or "gates of DRA there: " + ", ".join(names)
            elsewhere = " (other releases have it)" if name in _table() else ""
            one = f"release {releases[0]} has no"
            which = one if len(releases) == 1 else f"the releases {releases[0]} to {releases[-1]} have no"
            raise GateError(f"{which} feature gate {name!r} that concerns resource claims{elsewhere}; {tip}")
        if all(s.locked and s.default != value for _, s in stages):
            raise GateError(
                f"feature gate {name} is locked to {str(stages[0][1].default).lower()} in {stages[0][0]}; leave it out"
            )
        if value:
            for release, _ in stages:
                on = enabled(release, chosen)
                for need in needs(name, release):
                    if need not in on:
                        raise GateError(f"feature gate {name} needs {need}, which is off in {release}; add {need}=true")


def needs(gate: str, release: Release) -> list[str]:
    """Return the gates that a gate needs."""
    return [need for need in _table()[gate].get("needs", []) if stage(need, release) is not None]


def enabled(release: Release, chosen: Mapping[str, bool]) -> frozenset[str]:
    """Return the gates that are on: a named gate beats All…, those beat the default; the DRA API itself is on."""
    on: set[str] = set()
    for gate in _table():
        at = stage(gate, release)
        if at is None:
            continue
        value = at.default or gate == _DRA
        if not at.locked:
            if at.name == "alpha" and ALL_ALPHA in chosen:
                value = chosen[ALL_ALPHA]
            if at.name == "beta" and ALL_BETA in chosen:
                value = chosen[ALL_BETA]
            value = chosen.get(gate, value)
        if value:
            on.add(gate)
    return frozenset(on)


def without_compatibility(release: Release) -> list[str]:
    """Return the gates that are on by default in a program of that release that need not work with an older one."""
    return [gate for gate, row in _table().items() if "alone" in row and in_range(row["alone"], release)]


def dropped_fields(release: Release, on: frozenset[str]) -> dict[tuple[str, str], str]:
    """Return (type, field) → gate for every field that the release removes silently because the gate is off."""
    gone: dict[tuple[str, str], str] = {}
    for gate, row in _table().items():
        if stage(gate, release) is None:
            continue
        missing = next((g for g in [gate, *row.get("with", [])] if g not in on), None)
        if missing is None:
            continue
        for span, fields in row.get("fields", {}).items():
            if in_range(span, release):
                for name in fields:
                    kind, _, field = name.rpartition(".")
                    gone[(kind, field)] = missing
    return gone


def on_by_default_since(gate: str, releases: Sequence[Release]) -> Release | None:
    """Return the first of the releases that has the gate on by default, None when none has."""
    return next((r for r in releases if (s := stage(gate, r)) is not None and s.default), None)
