"""Proves repairs of an object: makes them in its data, judges the result and compares it with the first report.

A repair holds if its finding is gone and nothing new is refused, reported or not. What a safe repair opens (a field
under its right name, or in its right place) may have mistakes: they were there before. But what a repair moves must fit
into its new place. What a repair writes must not have mistakes, and a guess must not reveal any.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dralint.edit.repairs import all_repaired
from dralint.finding.problem import NO_LIST_HERE, NO_OBJECT_HERE, at
from dralint.finding.rule_ids import DEPRECATED_API_VERSION
from dralint.finding.words import shared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.finding.catalogue import Rule
    from dralint.finding.problem import Change, Problem, Repair
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

    Said = list[tuple[Problem, list[Release]]]
    Judge = Callable[[ApiObject], Said | None]
    """Returns all problems of an object, reported or not; None where dralint does not judge it."""

_TRIES = 24
"""How often dralint judges the repairs of one object at most, where they do not hold all together."""
_DECODING = ("Unknown", "TypeInvalid", "Decode")
_Key = tuple[str, str]
"""The rule or reason, and the release (empty where the user chose none)."""


class _ProblemCounts(NamedTuple):
    """The messages about an object by kind and release, each at its path, and how many it has of each kind.

    `unfit` has the paths of the values in place of which a list or an object belongs.
    """

    messages: dict[_Key, dict[Path, str]]
    counts: Counter[str]
    unfit: set[Path]


class _TouchedPaths(NamedTuple):
    """The paths that repairs affect: those that they write, those that they open, and those that they move to."""

    written: dict[Path, int]
    opened: dict[Path, int]
    moved: dict[Path, int]


def proven(
    item: ApiObject, said: Said, judge: Judge, rules: Mapping[str, Rule], *, by_release: bool, aliases: bool
) -> tuple[set[int], ApiObject | None]:
    """Return the positions of the problems that have a repair that holds: safe ones first, then guesses.

    Args:
        judge: returns all problems of an edited copy of the object.
        by_release: whether to treat the problems of each release as different.
        aliases: whether one value may be in several places of the object.

    Returns:
        These, and the object with the guesses for its values; None where there are none.
    """
    proof = _Proof(item, judge, rules, by_release=by_release, aliases=aliases)
    numbers = proof.proven(said)
    problems = [said[number][0] for number in sorted(numbers)]
    guesses = [each.repair for each in problems if is_guess_of_value(each.reason) and each.repair is not None]
    changes = [((), repair.changes) for repair in guesses if not repair.safe]
    if len(changes) == len(problems):
        return numbers, proof.item if changes else None
    data = all_repaired(item.data, changes, aliases=aliases)[0] if changes else None
    return numbers, None if data is None else item._replace(data=cast("dict[str, Any]", data))


def is_guess_of_value(reason: str | None) -> bool:
    """Say whether a repair of a problem with this reason concerns a value, and not the place of a field."""
    return reason not in _DECODING


def holding_together(
    repairs: Mapping[int, Repair], attempt: Callable[[list[int]], tuple[list[int], set[int]]], tries: int
) -> set[int]:
    """Return the repairs that hold: safe ones together, then guesses; those that do not are left out or halved.

    Args:
        attempt: returns which of some repairs can be made, and which of these are faulty; it keeps them if none is.
        tries: how many attempts there are at most.
    """
    todo = [[number for number, repair in repairs.items() if repair.safe == safe] for safe in (False, True)]
    kept: set[int] = set()
    while todo and tries:
        group = todo.pop()
        if not group:
            continue
        tries -= 1
        made, faulty = attempt(group)
        if not faulty:
            kept.update(made)
        elif len(faulty) < len(made):
            todo.append([number for number in made if number not in faulty])
        elif len(made) > 1:
            todo += [made[len(made) // 2 :], made[: len(made) // 2]]
    return kept


class _Proof:
    """Proves the repairs of one object; `item` is the object with those that hold so far."""

    def __init__(
        self, item: ApiObject, judge: Judge, rules: Mapping[str, Rule], *, by_release: bool, aliases: bool
    ) -> None:
        self.item = item
        self._judge = judge
        self._rules = rules
        self._by_release = by_release
        self._aliases = aliases
        self._said: Said = []
        self._repairs: dict[int, Repair] = {}
        self._before: _ProblemCounts | None = None

    def proven(self, said: Said) -> set[int]:
        self._said = said
        self._repairs = {n: repair for n, (problem, _) in enumerate(said) if (repair := problem.repair) is not None}
        groups = self._alike() if len(said) > 1 else [[0]]
        repairs = {numbers[0]: self._repairs[numbers[0]] for numbers in groups}
        kept = holding_together(repairs, self._try, _TRIES)
        return {number for numbers in groups if numbers[0] in kept for number in numbers}

    def _alike(self) -> list[list[int]]:
        """Return the problems that have a repair, each with those that have the same one."""
        places: dict[Path, list[int]] = {}
        for number, (problem, _) in enumerate(self._said):
            if problem.repair is not None:
                places.setdefault(problem.repair.changes[0].path, []).append(number)
        groups: list[list[int]] = []
        for numbers in places.values():
            alike: dict[str, list[int]] = {}
            for number in numbers:
                alike.setdefault(repr(self._repairs[number]) if len(numbers) > 1 else "", []).append(number)
            groups += alike.values()
        return sorted(groups)

    def _keys(self, problem: Problem, releases: Sequence[Release]) -> list[_Key]:
        return [(_kind(problem), name) for name in (map(str, releases) if self._by_release else ("",))]

    def _matters(self, kind: str) -> bool:
        if kind == DEPRECATED_API_VERSION:  # it is right in the release that has it
            return False
        return kind in _DECODING or self._rules[kind].severity != "info"

    def _try(self, some: list[int]) -> tuple[list[int], set[int]]:
        """Return the repairs that dralint can make, and the faulty ones; make them in the object if there are none."""
        changes = [((), self._repairs[number].changes) for number in some]
        data, made = all_repaired(self.item.data, changes, aliases=self._aliases)
        some = [some[position] for position in made]
        other = self.item._replace(data=cast("dict[str, Any]", data))
        after = self._counted(other) if some else None
        faulty = set(some) if after is None else self._faulty(some, other.data, after)
        if some and not faulty:
            self.item, self._before = other, after
        return some, faulty

    def _counted(self, item: ApiObject) -> _ProblemCounts | None:
        said = self._judge(item)
        if said is None:
            return None
        messages: dict[_Key, dict[Path, str]] = {}
        counts: Counter[str] = Counter()
        unfit: set[Path] = set()
        said.reverse()
        while said:  # a problem goes when its message is kept: there may be many
            problem, releases = said.pop()
            counts[_kind(problem)] += 1
            if problem.kind in (NO_LIST_HERE, NO_OBJECT_HERE):
                unfit.add(problem.path)
            for key in self._keys(problem, releases):
                messages.setdefault(key, {})[problem.path] = problem.message
        return _ProblemCounts(messages, counts, unfit)

    def _faulty(self, some: Sequence[int], data: Any, after: _ProblemCounts) -> set[int]:
        """Return the repairs that do not mend their finding, or that bring another; all, if that is unclear."""
        left = [
            number
            for number in some
            if any(self._said[number][0].path in after.messages.get(key, ()) for key in self._keys(*self._said[number]))
        ]
        if not left and self._are_told(some, after):
            return set()  # whatever else there was before
        if self._before is None:
            self._before = self._counted(self.item)
        before = self._before
        if before is None:
            return set(some)
        faulty = self._not_gone(some, left, before, after)
        brought = _brought(before, after, self._now(some))
        touched = self._touched(some) if brought else _TouchedPaths({}, {}, {})
        for kind, path in brought:
            if not self._matters(kind):
                continue
            heads = [path[:depth] for depth in range(len(path), -1, -1)]
            written = next((touched.written[head] for head in heads if head in touched.written), None)
            opened = next((touched.opened[head] for head in heads if head in touched.opened), None)
            entries = [number for place, number in touched.written.items() if place[:-1] == path]
            if written is not None:
                faulty.add(written)
            elif path in touched.moved and (path in after.unfit or _does_not_belong(kind, path, data)):
                faulty.add(touched.moved[path])
            elif entries:  # the API server blames the map for its entries
                faulty.update(entries)
            elif opened is None:
                faulty.update(self._nearest(some, path))
            elif not self._repairs[opened].safe:
                faulty.add(opened)
        return faulty

    def _are_told(self, some: Sequence[int], after: _ProblemCounts) -> bool:
        """Say whether all problems that matter, if there are any, are told of the object as it is in the text.

        What is told at a place of a repair may be what lies behind its finding.
        """
        matter = {key: messages for key, messages in after.messages.items() if self._matters(key[0])}
        if not matter:
            return True
        told: dict[_Key, set[Path]] = {key: set() for key in matter}
        for problem, releases in self._said if self._before is None else ():
            for key in self._keys(problem, releases):
                if key in told:
                    told[key].add(problem.path)
        if not all(messages.keys() <= told[key] for key, messages in matter.items()):
            return False
        places = set().union(*self._touched(some))
        heads = (path[:depth] for messages in matter.values() for path in messages for depth in range(len(path) + 1))
        return places.isdisjoint(heads)

    def _not_gone(
        self, some: Sequence[int], left: Sequence[int], before: _ProblemCounts, after: _ProblemCounts
    ) -> set[int]:
        kinds = Counter(_kind(self._said[number][0]) for number in some)
        faulty: set[int] = set()
        for number in left:
            kind = _kind(self._said[number][0])
            if after.counts[kind] > before.counts[kind] - kinds[kind]:  # not one that has moved there
                faulty.add(number)
        return faulty

    def _now(self, some: Sequence[int]) -> Callable[[Path], Path]:
        """Return the function that says where repairs put what was at a path."""
        moved = {
            change.path: change.to if change.do == "move" else (*change.path[:-1], str(change.value))
            for number in some
            for change in self._repairs[number].changes
            if change.do in ("move", "rename")
        }

        def now(path: Path) -> Path:
            for depth in range(len(path), 0, -1):
                if (to := moved.get(path[:depth])) is not None:
                    path = (*to, *path[depth:])
            return path

        return now

    def _touched(self, some: Sequence[int]) -> _TouchedPaths:
        now = self._now(some)
        touched = _TouchedPaths({}, {}, {})
        for number in some:
            for change in self._repairs[number].changes:
                if change.do == "move":
                    touched.moved[now(change.path)] = number
                if change.do in ("move", "rename") or self._wraps(change):
                    touched.opened[now(change.path)] = number
                elif change.do != "remove":
                    touched.written[now(change.path)] = number
        return touched

    def _wraps(self, change: Change) -> bool:
        """Say whether a change wraps an existing mapping or list, so that it writes only scalars itself."""
        return isinstance(change.value, dict | list) and isinstance(at(self.item.data, change.path), dict | list)

    def _nearest(self, some: Sequence[int], path: Path) -> list[int]:
        """Return the repairs whose findings are nearest to a path."""
        depths = [shared(path, self._said[number][0].path) for number in some]
        return [number for number, depth in zip(some, depths, strict=True) if depth == max(depths)]


def _kind(problem: Problem) -> str:
    """Return the kind of a problem: the reason of a decoding problem, otherwise its rule."""
    return problem.reason if problem.reason in _DECODING else problem.rule


def _does_not_belong(kind: str, path: Path, data: Any) -> bool:
    """Say whether a moved field is unknown in its new place, or is a mapping or list where another type belongs."""
    return kind == "Unknown" or (kind == "TypeInvalid" and isinstance(at(data, path), dict | list))


def _brought(before: _ProblemCounts, after: _ProblemCounts, now: Callable[[Path], Path]) -> list[tuple[str, Path]]:
    """Return kind and path of the problems that are new: at no place did the object have the same problem in the same
    words, or the same field without words. `now` says where that is after the repairs."""
    out: list[tuple[str, Path]] = []
    for key, messages in after.messages.items():
        known = before.messages.get(key, {})
        new = [path for path in messages if path not in known]
        gone: Counter[object] = Counter()
        if new:
            gone.update(message or _field(now(path)) for path, message in known.items() if path not in messages)
        for path in new:
            same = messages[path] or _field(path)
            if gone[same] > 0:
                gone[same] -= 1
            else:
                out.append((key[0], path))
    return out


def _field(path: Path) -> Path:
    """Return a path without the positions in lists."""
    return tuple(["" if isinstance(part, int) else part for part in path])
