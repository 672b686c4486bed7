"""Proves repairs between objects: makes them in the data of all objects and checks these again.

As in one object (`proven_repairs`), the finding must be gone, and the repair must not bring an error or a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.repairs import all_repaired
from dralint.lint.proven_repairs import holding_together
from dralint.references.collect import all_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.finding.catalogue import Rule
    from dralint.finding.problem import Repair
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts, Found, ObjectPlace
    from dralint.yaml import Path

    Objects = Callable[[str], Mapping[tuple[int, Path], ApiObject]]
    """Returns the objects of a file, by document and path."""

_TRIES = 12
"""How often dralint checks the objects again at most, where the repairs do not hold all together."""


class _Key(NamedTuple):
    """The rule of a finding and its place."""

    rule: str
    place: ObjectPlace
    path: Path


def proven(
    found: Sequence[Found],
    known: Sequence[Facts],
    find: Callable[[list[Facts]], list[Found]],
    objects: Objects,
    rules: Mapping[str, Rule],
) -> list[Found]:
    """Return the findings, without the repairs that do not hold. Safe repairs are proven together, then guesses.

    Args:
        known: the facts of all objects.
        find: returns the findings among other facts.
        objects: reads a file.
    """
    proof = _Proof(found, known, find, objects, rules)
    return [
        each if number in proof.kept or each.problem.repair is None else _without_repair(each)
        for number, each in enumerate(found)
    ]


def worse_guesses(
    guessed: Sequence[Facts],
    known: Sequence[Facts],
    found: Sequence[Found],
    find: Callable[[list[Facts]], list[Found]],
    rules: Mapping[str, Rule],
) -> set[ObjectPlace]:
    """Return the places of the objects whose guesses bring an error or a warning between objects.

    Args:
        guessed: the facts of the objects with their guesses.
        known: the facts of all objects.
        found: the findings among these.
        find: returns the findings among facts.
    """
    own = {(entry.place, entry.kind): entry for entry in known}
    left = {(e.place, e.kind): e for e in guessed if own.get((e.place, e.kind)) not in (None, e)}
    before = set(map(_key, found))
    worse: set[ObjectPlace] = set()
    for _ in range(_TRIES):
        if not left:
            return worse
        after = find([left.get((entry.place, entry.kind), entry) for entry in known])
        new = [e for e in after if _key(e) not in before and rules[e.problem.rule].severity != "info"]
        if not new:
            return worse
        places = {place for each in new for place in _places(each)}
        blamed = {place for place, _ in left} & places or {place for place, _ in left}
        worse |= blamed
        left = {key: entry for key, entry in left.items() if key[0] not in blamed}
    return worse | {place for place, _ in left}


def _without_repair(found: Found) -> Found:
    return found._replace(problem=found.problem._replace(repair=None))


class _Proof:
    def __init__(
        self,
        found: Sequence[Found],
        known: Sequence[Facts],
        find: Callable[[list[Facts]], list[Found]],
        objects: Objects,
        rules: Mapping[str, Rule],
    ) -> None:
        self._found = found
        self._known = list(known)
        self._find = find
        self._rules = rules
        self._before = {_key(each) for each in found}
        self._objects: dict[str, Mapping[tuple[int, Path], ApiObject]] = {}
        self._read = objects
        self._data: dict[ObjectPlace, ApiObject] = {}
        repairs = {n: repair for n, each in enumerate(found) if (repair := each.problem.repair) is not None}
        self.kept = holding_together(repairs, self._try, _TRIES)

    def _repair(self, number: int) -> Repair | None:
        return self._found[number].problem.repair

    def _try(self, some: list[int]) -> tuple[list[int], set[int]]:
        """Return the repairs that dralint can make, and the faulty ones; make them in the objects if there are none."""
        some, changed = self._made(some)
        known = self._with(changed)
        after = self._find(known) if some else []
        faulty = self._faulty(some, after)
        if some and not faulty:
            self._known, self._before = known, {_key(each) for each in after}
            self._data.update(changed)
        return some, faulty

    def _made(self, some: Sequence[int]) -> tuple[list[int], dict[ObjectPlace, ApiObject]]:
        """Return the repairs that dralint can make, and the objects with them."""
        by_place: dict[ObjectPlace, list[int]] = {}
        for number in some:
            by_place.setdefault(self._found[number].facts.place, []).append(number)
        made: list[int] = []
        changed: dict[ObjectPlace, ApiObject] = {}
        for place, numbers in by_place.items():
            item = self._data.get(place) or self._object(place)
            repairs = [repair.changes for number in numbers if (repair := self._repair(number)) is not None]
            if item is None:
                continue
            data, done = all_repaired(item.data, [((), changes) for changes in repairs])
            if isinstance(data, dict) and done:
                changed[place] = item._replace(data=data)
                made += [numbers[position] for position in done]
        return sorted(made), changed

    def _object(self, place: ObjectPlace) -> ApiObject | None:
        file, document, path = place
        if file not in self._objects:
            self._objects[file] = self._read(file)
        return self._objects[file].get((document, path))

    def _with(self, changed: Mapping[ObjectPlace, ApiObject]) -> list[Facts]:
        """Return the facts of all objects, with the changed ones replaced."""
        out: list[Facts] = []
        for entry in self._known:
            item = changed.get(entry.place)
            if item is None:
                out.append(entry)
                continue
            renewed = [new for new in all_facts(item, entry.file, entry.document) if new.kind == entry.kind]
            out += renewed or [entry]
        return out

    def _faulty(self, some: Sequence[int], after: Sequence[Found]) -> set[int]:
        """Return the repairs that do not mend their finding, or that bring another; all, if that is unclear."""
        keys = {_key(each) for each in after}
        faulty = {number for number in some if _key(self._found[number]) in keys}
        by_place: dict[ObjectPlace, set[int]] = {}
        for number in some:
            by_place.setdefault(self._found[number].facts.place, set()).add(number)
        for each in after:
            if _key(each) in self._before or self._rules[each.problem.rule].severity == "info":
                continue
            blamed = {number for place in _places(each) for number in by_place.get(place, ())}
            faulty |= blamed or set(some)
        return faulty


def _places(found: Found) -> list[ObjectPlace]:
    """Return the objects that a finding is about."""
    return [found.facts.place, *(other.facts.place for other in found.elsewhere)]


def _key(found: Found) -> _Key:
    return _Key(found.problem.rule, found.facts.place, found.problem.path)
