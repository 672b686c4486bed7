"""Looks behind mistakes of structure: judges what a misplaced or misnamed field contains, as if the field were right.

The API server stops at an unknown field or a wrong type. Where the repair is clear (move a field one level down, give
it its right name, make it an item of a list), dralint judges the content too. One run then reports all mistakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dralint.edit.repairs import all_repaired
from dralint.finding.problem import at
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNKNOWN_POD_CLAIM, UNKNOWN_REQUEST
from dralint.validate.cascade import room_beside

if TYPE_CHECKING:
    from dralint.finding.problem import Change, Problem
    from dralint.lint.passes import Examined
    from dralint.yaml import Path

    Place = tuple[Path, Path]
    """The path of a field before a repair, and after it."""

_MOST = 16
"""dralint makes at most this many repairs together."""
_DEEPEST = 4
"""How many times dralint repairs what the last repairs have revealed."""
_ELSEWHERE = (UNKNOWN_REQUEST, UNKNOWN_POD_CLAIM)
"""Rules of references: the thing that they miss may be in a wrong place too."""
_STEPS = ("move", "rename", "remove", "replace")


def problems_inside_misplaced(examined: Examined) -> list[Problem]:
    """Return the problems inside of the fields that are wrong themselves, at their present paths.

    This does not report more than dralint reports next to decoding problems.
    """
    known = {problem.path for problem in examined.validation if problem.rule != MORE_BEHIND_DECODING}
    room = room_beside(examined.found) - len(known)
    seen: list[tuple[Problem, int]] = []
    layers: list[list[Place]] = []
    item, decoding = examined.item, examined.decoding
    validation: list[Problem] = []
    while room > len(seen) and len(layers) < _DEEPEST:
        data, places = _without(item.data, decoding[:_MOST])
        if not places:
            break
        layers.append(places)
        item = item._replace(data=cast("dict[str, Any]", data))
        other = examined.again(item)
        decoding = [problem for problem in other.decoding if _place(problem.path, places) is not None]
        validation = other.validation
        if not examined.prefix:  # of a Pod, dralint knows only the claims, so it cannot judge other repairs
            seen += [(problem, len(layers)) for problem in decoding]
    shown: dict[Path, list[Problem]] = {}
    for problem, depth in (*seen, *((problem, len(layers)) for problem in validation)):
        if problem.reason is None or problem.rule in _ELSEWHERE:
            continue
        back = _back_through(problem, layers[:depth])
        if back is not None and (back.path in shown or len(shown) < room):
            shown.setdefault(back.path, []).append(back)
    return [problem for problems in shown.values() for problem in problems]


def _without(data: Any, problems: list[Problem]) -> tuple[Any, list[Place]]:
    """Return an object with the clear repairs made, and the place of each field that they move, rename or reshape."""
    safe = [problem.repair.changes for problem in problems if problem.repair is not None and problem.repair.safe]
    repairs = [changes for changes in safe if all(change.do in _STEPS for change in changes)]
    if not repairs:
        return data, []
    after, made = all_repaired(data, [((), changes) for changes in repairs])
    places = [_new_place(data, change) for number in made for change in repairs[number]]
    return after, [place for place in places if place is not None]


def _new_place(data: Any, change: Change) -> Place | None:
    """Return the path of a changed field before and after the change; None where it has no new path."""
    path, new = change.path, change.value
    if change.do == "move":
        return path, change.to
    if change.do == "rename":
        return path, (*path[:-1], str(new))
    if change.do == "remove":
        return None
    old = at(data, path)
    if isinstance(old, list) and len(old) == 1 and old[0] == new:
        return (*path, 0), path
    inner: list[str | int] = []
    while new != old and isinstance(new, dict | list) and len(new) == 1:
        (key,) = new if isinstance(new, dict) else (0,)
        inner.append(key)
        new = new[key]  # type: ignore[index]
    return (path, (*path, *inner)) if new == old or not isinstance(old, dict | list) else None


def _place(path: Path, places: list[Place]) -> Place | None:
    """Return the moved place that contains this path after the repairs."""
    return next((place for place in places if path[: len(place[1])] == place[1]), None)


def _back_through(problem: Problem, layers: list[list[Place]]) -> Problem | None:
    """Return a problem at the path that its field has in the manifest; None where no repair has moved the field."""
    moved = False
    for layer in reversed(layers):
        place = _place(problem.path, layer)
        if place is not None:
            problem, moved = _back(problem, *place), True
    return problem if moved else None


def _back(problem: Problem, before: Path, after: Path) -> Problem:
    """Return a problem at the path that its field has in the manifest, with its repair if that fits there too."""

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
    """Say whether a change also works before its container is moved."""
    if change.path[: len(after)] != after:
        return False
    return change.do in ("replace", "replace-part") or (change.do == "rename" and change.path != after)
