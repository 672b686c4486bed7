"""Recognizes a field of an entry, or a whole item, in a column too far to the left, next to its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import MapKey, at
from dralint.finding.repair import Change, Repair
from dralint.finding.rule_ids import OTHER_SHAPE, WRONG_TYPE

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.yaml import Path

_FIELDS = {
    "attributes": ("string", "int", "bool", "version"),
    "capacity": ("value",),
    "counters": ("value",),
}
"""Maps, and the fields that their entries have."""


def without_empty_parent(problem: Problem, data: Any) -> Problem:
    """Return a problem whose repair does not leave `limits: {}` behind where `claims` was the only entry."""
    changes = () if problem.repair is None else problem.repair.changes
    if problem.repair is None or len(changes) != 1 or changes[0].do != "move":
        return problem
    parent = changes[0].path[:-1]
    holder = at(data, parent)
    if parent[-1:] not in (("limits",), ("requests",)) or not isinstance(holder, dict) or len(holder) != 1:
        return problem
    return problem._replace(repair=problem.repair._replace(changes=(*changes, Change("remove", parent))))


def with_its_entry(problem: Problem, data: Any) -> Problem:
    """Return a decoding problem, reworded if the unknown entry is in fact a field of the entry before."""
    if problem.repair is not None and any(c.do == "move" and _names_the_entry(c.to) for c in problem.repair.changes):
        return problem._replace(repair=None)
    path = problem.path if problem.where is None else problem.where
    if problem.rule == OTHER_SHAPE and problem.repair is not None and _follows_alternatives(data, path[:-1]):
        return problem._replace(repair=problem.repair._replace(safe=False))  # it can be one more entry
    if problem.rule != WRONG_TYPE or len(path) < 2 or path[-1] not in _FIELDS.get(str(path[-2]), ()):
        return problem
    beside = at(data, path[:-1])
    names = list(beside) if isinstance(beside, dict) else []
    before = names.index(path[-1]) - 1 if path[-1] in names else -1
    if before < 0 or beside[names[before]] is not None:
        return problem._replace(repair=None)
    name = names[before]
    moved = Change("move", path, to=(*path[:-1], name, path[-1]))
    hint = f"indent it more than `{name}:`, which it is a field of"
    return problem._replace(hint=hint, repair=Repair((Change("remove", (*path[:-1], name)), moved), safe=True))


def _follows_alternatives(data: Any, path: Path) -> bool:
    """Say whether a list item follows one that ends with a list of alternatives."""
    if not path or not isinstance(path[-1], int) or path[-1] < 1:
        return False
    before = at(data, (*path[:-1], path[-1] - 1))
    return isinstance(before, dict) and bool(before.get("firstAvailable")) and list(before)[-1] == "firstAvailable"


def _names_the_entry(to: Path) -> bool:
    """Say whether a field moves below a key with the name of the entry: then the name of the entry is missing."""
    return len(to) > 2 and isinstance(to[-3], MapKey) and to[-3] == to[-2]
