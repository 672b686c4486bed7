"""Hints for missing fields and for lists with too many entries, and the removal of empty entries."""

from __future__ import annotations

import copy
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import MapKey, removed
from dralint.finding.rule_ids import QUANTITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dralint.finding.problem import Problem
    from dralint.yaml import Path


_CODE_AT_END = r"`[^`]+`\Z"
_MISSING: Mapping[str, str] = {
    "name": "give it a name, such as `name: gpu`",
    "pool.name": "name the pool, often after its node: `name: NODE`",
    "deviceClassName": "name the DeviceClass: `deviceClassName: NAME`",
    "resourceClassName": "name the ResourceClass: `resourceClassName: NAME`",
    "driver": "name the driver, such as `driver: gpu.example.com`",
    "driverName": "name the driver, such as `driverName: gpu.example.com`",
    "resourceSliceCount": "write how many slices the pool has, such as `resourceSliceCount: 1`",
    "expression": "write a condition, such as `expression: device.driver == ...`",
    "effect": "write the effect of the taint, such as `effect: NoSchedule`",
    "cel": "add a condition: `cel: {expression: ...}`",
    "opaque": "add parameters for a driver: `opaque: {driver: NAME, parameters: {...}}`",
    "counterSet": "name one of the sets in `sharedCounters`: `counterSet: NAME`",
    "counters": "name counters of the set: `counters: {NAME: {value: AMOUNT}}`",
    "value": "write the amount, such as `value: 40Gi`",
    "matchAttribute": "name the attribute that the devices share, such as `matchAttribute: gpu.example.com/numa`",
    "parameters": "add parameters for the driver: `parameters: {...}`",
    "nodeSelectorTerms": "add a term: `nodeSelectorTerms: [{matchExpressions: [...]}]`",
}
_TOO_MANY: Mapping[str, str] = {
    "requests": "split it: let the Pod use two claims",
    "devices": "put the rest into another slice of the pool, and count that in `resourceSliceCount` of all of them",
    "firstAvailable": "keep the alternatives that are worth trying",
    "selectors": "join conditions by `&&` in one expression",
    "constraints": "remove constraints that others imply, or split the claim",
    "config": "join configuration for the same driver in one entry, or split the claim",
    "sharedCounters": "put the rest into another slice of the pool",
    "consumesCounters": "let the device consume fewer counter sets",
    "taints": "keep the taints that something tolerates",
    "tolerations": "tolerate a key as a whole, by operator Exists",
    "reservedFor": "let fewer Pods share the claim",
}


def missing(name: str | int, parent: str | int = "") -> str:
    """Return the hint for a missing field of the object at `parent`."""
    return _MISSING.get(f"{parent}.{name}") or _MISSING.get(str(name), f"add `{name}`")


def missing_with(parents: Sequence[str], name: str | int, hint: str) -> str:
    """Return the hint for a field that is missing with its parents, the outermost first.

    `hint` is the one for the field alone; the code at its end is what to write.
    """
    code = re.search(_CODE_AT_END, hint)
    written = code[0] if code else f"`{name}`: {hint}"
    under = ", below it ".join(f"`{parent}:`" for parent in parents)
    return f"add {under}, and below {'it' if len(parents) == 1 else 'that'} {written}"


def too_long(path: Path) -> str:
    """Return the hint for a text that is too long."""
    if path[-1] == "expression" and "selectors" in path:
        return "split it at `&&` into several selectors: all of them must match"
    return "shorten it"


def too_many(key: str, path: Path) -> str:
    """Return the hint for a list or map with too many entries."""
    if key == "requests" and path[-2:-1] != ("devices",):
        return "name fewer requests, or remove `requests` to cover all of them"
    return _TOO_MANY.get(key, "remove some of them")


_KEPT = ("spec", "metadata", "status")
"""Fields with a meaning even when they are empty."""
_MOST = 20
"""The most entries of one object that are tried."""


class EmptyEntries:
    """Offers to remove the empty entries of one object, as a guess, if that causes no other problem.

    `data` is the whole object, `problems` are its problems, and `judge` returns those of other data.
    """

    def __init__(self, data: Any, problems: Iterable[Problem], judge: Callable[[Any], list[Problem]]) -> None:
        self._data = data
        self._before = _said(problems)
        self._judge = judge
        self._after: dict[Path, Counter[tuple[object, ...]]] = {}

    def offered(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems; one in an empty entry has the repair that removes the entry."""
        return [self._offered(problem) for problem in problems]

    def _offered(self, problem: Problem) -> Problem:
        if _has_its_own_words(problem):
            return problem
        path = _empty_entry(problem.path, self._data)
        if path is None:
            return problem
        if path not in self._after:
            if len(self._after) >= _MOST:
                return problem
            self._after[path] = _said(self._judge(_without(self._data, path)))
        after, key = self._after[path], _key(problem)
        if after[key] >= self._before[key] or not after <= self._before:
            return problem
        hint = "remove it: nothing is in it"
        return problem._replace(hint=f"{problem.hint}, or {hint}" if problem.hint else hint, repair=removed(path))


def has_any(problems: Iterable[Problem], data: Any) -> bool:
    """Say whether some problem is in an empty entry."""
    return any(not _has_its_own_words(p) and _empty_entry(p.path, data) is not None for p in problems)


def _has_its_own_words(problem: Problem) -> bool:
    # An empty quantity was meant to get an amount, which would be lost with the field.
    return problem.repair is not None or problem.rule == QUANTITY or problem.reason == "Unknown"


def _key(problem: Problem) -> tuple[object, ...]:
    return (problem.rule, problem.reason, *(part for part in problem.path if not isinstance(part, int)))


def _said(problems: Iterable[Problem]) -> Counter[tuple[object, ...]]:
    return Counter(map(_key, problems))


def _without(data: Any, path: Path) -> Any:
    """Return the data without the value at the path; the rest is shared."""
    out = copy.copy(data)
    holder = out
    for step in path[:-1]:
        holder[step] = copy.copy(holder[step])
        holder = holder[step]
    del holder[path[-1]]
    return out


def _empty_entry(path: Path, data: Any) -> Path | None:
    """Return the path of the outermost empty entry on the way to a problem; a list keeps at least one item."""
    value = data
    for depth, step in enumerate(path, 1):
        holder = value
        if isinstance(holder, dict) and isinstance(step, str) and step in holder:
            value = holder[step]
            empty = value == {} or (depth == len(path) and value in ("", []))
            empty = empty and not isinstance(step, MapKey) and step not in _KEPT
        elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            value = holder[step]
            empty = _is_empty(value)
            if empty and all(map(_is_empty, holder)):
                return None
        else:
            return None
        if empty:
            return path[:depth]
    return None


def _is_empty(value: Any) -> bool:
    """Say whether a value is completely empty; the name of a field shows what was to follow."""
    return value is None or value in ("", {}, [])
