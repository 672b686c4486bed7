"""Decides which problems to report together: some only repeat another one, and long lists are counted.

The API server stops at decoding. More findings help to repair a manifest in one go, but consequences of a mistake, or a
long list after it, would hide the cause.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Literal

from dralint.finding.problem import MISSING_FIELD, TOLD_WITH_ANOTHER, Deferred, Problem, path_text, position
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, ONE_OF, SLICE_NODES, UNKNOWN_FIELD, UNKNOWN_REQUEST
from dralint.kubernetes.near import near

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dralint.yaml import Path

Telling = Literal["first", "all", "everything"]
"""How much to report on an object: what a reader needs first, all of it, or even what only repeats another problem."""

BESIDES = 3
"""The number of fields whose validation is reported next to decoding problems."""
REPEATS = 16
"""How often a decoding problem is reported along a list before the rest is counted."""
READ = 2000
"""For an unknown field that repeats along a list: the characters of the API server's message before the rest is
counted."""
MOST = 100
"""The most decoding problems that are reported for one object; the API server collects as many (sigs.k8s.io/json)."""
_LEFT_EMPTY = frozenset({ONE_OF, SLICE_NODES})
"""Rules about alternatives, one of which must be set."""
_ALIKE = (
    "one more like this follows in the list: repair it as well, then check again",
    "{} more like this follow in the list: repair them as well, then check again",
)
_OTHERS = (
    "repair these first, then check again: one more problem is not shown yet",
    "repair these first, then check again: {} more problems are not shown yet",
)
"""The words for one problem, and for several, that are not reported."""
_STOPS = ("TypeInvalid", "Decode")
_NAMED = frozenset({"name", "requests", "firstAvailable", "devices", "spec"})


def decoding_of(problems: Sequence[Problem | Deferred], telling: Telling = "first") -> list[Problem]:
    """Return the decoding problems to report, and a note on the rest; with "everything", there is no note.

    Problems of different kinds are all listed, up to MOST. One that repeats along a list more than REPEATS times is
    counted after the first: after BESIDES where the API server stops at it, otherwise after READ characters of what the
    API server would report.
    """
    if telling == "everything":
        return [
            Problem(UNKNOWN_FIELD, each.path, "", each.reason, kind=each.kind) if isinstance(each, Deferred) else each
            for each in problems
        ]
    if telling == "all" or len(problems) <= REPEATS:
        return _each_once(problems)
    places = _places(problems)
    total = Counter(places)
    if max(total.values()) <= REPEATS:  # the usual case
        return _each_once(_up_to_most(problems))
    seen: dict[tuple[str, ...], int] = {}
    shown: list[Problem | Deferred] = []
    last: dict[tuple[str, ...], tuple[int, Problem | Deferred]] = {}
    read = 0
    for place, problem in zip(places, problems, strict=True):
        count = seen[place] = seen.get(place, 0) + 1
        stops = problem.reason in _STOPS
        if not stops and read <= READ:
            read += len(f'unknown field "{path_text(problem.path)}", ')
        if total[place] > REPEATS:
            if count > BESIDES if stops else read > READ:
                continue
            last[place] = (len(shown) + 1, problem)
        shown.append(problem)
    listed = Counter(_places(shown)) if last else {}
    for place, (after, problem) in sorted(last.items(), key=lambda entry: -entry[1][0]):
        left = total[place] - listed[place]
        if left:
            shown.insert(after, more(left, problem, "this kind", "they repeat along the list", _ALIKE))
    return _each_once(_up_to_most(shown))


def _up_to_most(shown: Sequence[Problem | Deferred]) -> Sequence[Problem | Deferred]:
    if len(shown) <= MOST:
        return shown
    return [*shown[:MOST], more(len(shown) - MOST, shown[MOST - 1], "decoding", "the list would be too long", _OTHERS)]


def _each_once(problems: Sequence[Problem | Deferred]) -> list[Problem]:
    worded = [problem.told() if isinstance(problem, Deferred) else problem for problem in problems]
    return [problem for problem in worded if problem.kind != TOLD_WITH_ANOTHER]


def _places(problems: Sequence[Problem | Deferred]) -> list[tuple[str, ...]]:
    """Return the paths of problems without the positions in lists."""
    return [tuple("" if isinstance(part, int) else part for part in problem.path) for problem in problems]


def room_beside(decoding: Sequence[Problem | Deferred]) -> int:
    """Return for how many fields validation is reported next to decoding problems, where the API server may stop."""
    stops = any(problem.reason in _STOPS for problem in decoding)
    return max(0, BESIDES + 1 - len(decoding)) if stops else BESIDES


def beside(
    validation: Sequence[Problem],
    decoding: Sequence[Problem | Deferred],
    value: Any,
    telling: Telling = "first",
) -> list[Problem]:
    """Return which problems of validation to report next to those of decoding, and a note on the rest.

    The first ones in `value`, the object as it was written, are reported.
    """
    if not decoding or telling == "everything":
        return list(validation)
    causes = [problem for problem in decoding if problem.reason in ("Unknown", *_STOPS)]
    lost = any(isinstance(cause.last, int) or near(cause.last, _NAMED) for cause in causes)
    known = Causes(causes, value)
    real = [p for p in validation if not (lost and p.rule == UNKNOWN_REQUEST) and not known.explain(p)]
    if telling == "all":
        return real
    room = room_beside(decoding)
    if room and real:
        ranks: dict[int, dict[Any, int]] = {}
        real.sort(key=lambda problem: position(value, problem.path, ranks))
    shown: dict[Path, list[Problem]] = {}
    for problem in real if room else ():
        if problem.path in shown or len(shown) < room:
            shown.setdefault(problem.path, []).append(problem)
    kept = [problem for problems in shown.values() for problem in problems]
    left = len(real) - len(kept)
    why = "the server stops at decoding"
    return [*kept, more(left, decoding[0], "validation", why, _OTHERS)] if left else kept


def more(left: int, problem: Problem | Deferred, stage: str, why: str, hints: tuple[str, str]) -> Problem:
    """Return the note on unreported problems of a stage, at the place of a reported one.

    `hints` are for one and for several (`{}`: how many).
    """
    cause = problem.told() if isinstance(problem, Deferred) else problem
    return cause._replace(
        rule=MORE_BEHIND_DECODING,
        message=f"dralint does not list every problem of {stage} here, because {why}",
        reason=None,
        hint=hints[0] if left == 1 else hints[1].format(left),
        related=(),
        kind="",
        repair=None,
    )


class Causes:
    """The consequences of decoding problems, searched by path: there may be thousands of either kind."""

    __slots__ = ("_depths", "_lasts", "_moved", "_too_deep", "_value")

    def __init__(self, causes: Sequence[Problem | Deferred], value: Any = None) -> None:
        self._value = value
        self._lasts: dict[Path, set[str | int]] = defaultdict(set)
        """The last elements of all paths, by their parents; the next attribute has only those of unknown fields."""
        self._moved: dict[Path, set[str | int]] = defaultdict(set)
        self._too_deep: dict[Path, set[str | int]] = defaultdict(set)
        """The unknown fields inside of an object, by the path of that object."""
        for cause in causes:
            parent, last = cause.parent, cause.last
            self._lasts[parent].add(last)
            if cause.reason == "Unknown":
                self._moved[parent].add(last)
                if parent and isinstance(parent[-1], str):
                    self._too_deep[parent[:-1]].add(last)
        self._depths = {len(parent) for parent in self._lasts}

    def explain(self, problem: Problem) -> bool:
        """Say whether a problem of validation only repeats one of decoding: below it, or the gap it left."""
        path = problem.path
        if path in self._lasts:
            return True
        for depth in self._depths:
            if depth < len(path) and path[depth] in self._lasts.get(path[:depth], ()):
                return True
        missing = problem.reason == "Required" or problem.kind == MISSING_FIELD
        if not missing or problem.where is not None or not path or not self._moved:
            return False
        path = self._to_what_lacks(path)
        name = path[-1]
        if path[:-1] in self._moved or name in self._too_deep.get(path[:-1], ()):
            return True
        return any(name in self._moved.get(path[:depth], ()) for depth in range(len(path) + 1))

    def _to_what_lacks(self, path: Path) -> Path:
        """Return the path of a missing field up to the first part that the object lacks: its parents may be missing
        too."""
        value = self._value
        for number, part in enumerate(path[:-1]):
            if not isinstance(value, dict) or value.get(part) is None:
                return path[: number + 1] if isinstance(value, dict) else path
            value = value[part]
            if isinstance(value, list) and number + 1 < len(path) - 1:
                return path
        return path


def name_gates(
    validation: Sequence[Problem],
    dropped: Sequence[Problem],
    gates: Mapping[Path, str],
    caused: Collection[int] = (),
) -> tuple[list[Problem], list[Problem]]:
    """Return both lists, with the consequences of a removed field reported once, as the refusal that they are.

    If a gate removes a field, its parent may lack the one field that must be set, or a reference may lose its target.

    Args:
        gates: path of each removed field → the gate that is off.
        caused: the ids of the problems that would not exist with these gates on.
    """
    refused: list[Problem] = []
    explained: set[Path] = set()
    below: dict[Path, list[Path]] = {}
    near: dict[Path, Path] = {}
    for path in gates:
        below.setdefault(path[:-1], []).append(path)
        for depth in range(len(path) + 1):
            near.setdefault(path[:depth], path)
    for problem in validation:
        empty = problem.rule in _LEFT_EMPTY and problem.where is None  # an extra field is underlined itself
        causes = below.get(problem.path) if empty else None
        cause = None if causes is None else causes[0]
        if cause is None and id(problem) in caused:
            cause = next(
                near[problem.path[:depth]] for depth in range(len(problem.path), -1, -1) if problem.path[:depth] in near
            )
        if cause is None:
            refused.append(problem)
            continue
        gate = gates[cause]
        changed = problem._replace(
            message=f"the server removes `{cause[-1]}` first, as feature gate {gate} is off: {problem.message}",
            hint=f"if the API server has it switched on, run dralint with --feature-gates {gate}=true",
            repair=None,
        )
        if cause[:-1] in (problem.path, problem.path[:-1]):
            explained.update(below[cause[:-1]])
            refused.append(changed._replace(where=cause, target="key"))
        else:
            refused.append(changed._replace(related=((f"`{cause[-1]}` is removed here", cause),)))
    return refused, [problem for problem in dropped if problem.path not in explained]
