"""What stands in the wrong place, judged as if it stood in the right one.

The server stops at a field that it does not know. Where the repair of that is plain (a field goes one level down, or
gets its right name), what lies in it can be judged all the same, so that its mistakes are told in the same run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.edit.edit import UnplaceableError
from dralint.edit.repairs import repaired
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNKNOWN_POD_CLAIM, UNKNOWN_REQUEST
from dralint.validate.cascade import BESIDES

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.finding.repair import Change, Repair
    from dralint.lint.passes import Examined
    from dralint.yaml import Path

_MOST = 16
"""Repairs that are done at most: each copies what leads to its place."""
_ELSEWHERE = (UNKNOWN_REQUEST, UNKNOWN_POD_CLAIM)
"""Rules of references: what they name may well stand in a wrong place too."""
_STEPS = ("move", "rename", "remove")


def beyond(examined: Examined) -> list[Problem]:
    """Return what is wrong within the fields that stand in the wrong place, at the paths that they have now.

    No more is reported than beside problems of decoding.
    """
    prefix, decoding = examined.prefix, examined.decoding
    value = examined.whole
    room = BESIDES - len({problem.path for problem in examined.validation if problem.rule != MORE_BEHIND_DECODING})
    if room <= 0 or any(problem.reason != "Unknown" for problem in decoding if problem.rule != MORE_BEHIND_DECODING):
        return []
    places: list[tuple[Path, Path]] = []
    for problem in decoding[:_MOST]:
        done = _moved(value, prefix, problem.repair)
        if done is not None:
            value = done[0]
            places += done[1]
    if not places:
        return []
    told: dict[Path, list[Problem]] = {}
    other = examined.again(value, None)
    # Of a Pod only what speaks of claims is known: what else is meant by a field shows too little.
    for problem in (*(() if prefix else other.decoding), *other.validation):
        found = next((place for place in places if problem.path[: len(place[1])] == place[1]), None)
        if found is None or problem.reason is None or problem.rule in _ELSEWHERE:
            continue
        back = _back(problem, *found)
        if back.path in told or len(told) < room:
            told.setdefault(back.path, []).append(back)
    return [problem for problems in told.values() for problem in problems]


def _moved(value: Any, prefix: Path, repair: Repair | None) -> tuple[Any, list[tuple[Path, Path]]] | None:
    """Return the value with a repair done, and each field's path before and after; None where it cannot be done."""
    if repair is None or not repair.safe or any(change.do not in _STEPS for change in repair.changes):
        return None
    depth = len(prefix)
    if any(change.path[:depth] != prefix for change in repair.changes):
        return None
    places: list[tuple[Path, Path]] = []
    own = []
    for change in repair.changes:
        if change.do == "move":
            places.append((change.path, change.to))
        elif change.do == "rename":
            places.append((change.path, (*change.path[:-1], str(change.value))))
        own.append(change._replace(path=change.path[depth:], to=change.to[depth:]))
    try:
        return repaired(value, (), own), places
    except UnplaceableError:
        return None


def _back(problem: Problem, before: Path, after: Path) -> Problem:
    """Return a problem at the path that its field has in the manifest, with its repair where that fits there too."""

    def written(path: Path) -> Path:
        return (*before, *path[len(after) :]) if path[: len(after)] == after else path

    where = None if problem.where is None else written(problem.where)
    related = tuple((text, written(path)) for text, path in problem.related)
    repair = problem.repair
    if repair is not None and all(_fits(change, after) for change in repair.changes):
        repair = repair._replace(changes=tuple(c._replace(path=written(c.path)) for c in repair.changes))
    else:
        repair = None
    return problem._replace(path=written(problem.path), where=where, related=related, repair=repair)


def _fits(change: Change, after: Path) -> bool:
    """Say whether a change can be made as well before what it lies in is moved."""
    if change.path[: len(after)] != after:
        return False
    return change.do in ("replace", "replace-part") or (change.do == "rename" and change.path != after)
