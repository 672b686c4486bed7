"""Proves the repairs that checks name: makes them in the data, judges the result and compares it with the first report.

A repair holds if its finding is gone and nothing new is refused, reported or not. What a safe repair opens (a field
under its right name, or in its right place) may have mistakes: they were there before. But what a repair moves must fit
into its new place. What a repair writes must not have mistakes, and a guess must not reveal any.

The repairs of one object are judged with that object, those between objects with all of them. That the text means the
data, `edit/repairs.py` proves where it makes the edits. A text that cannot be read has no data: there the edits are
made in the text, which must be readable with them and mean what its author wrote.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dralint.edit.apply import apply, between
from dralint.edit.repairs import all_repaired, holding_together
from dralint.finding.finding import Edit
from dralint.finding.problem import NO_LIST_HERE, NO_OBJECT_HERE, at, replaced
from dralint.finding.rule_ids import DEPRECATED_API_VERSION, MORE_BEHIND_DECODING
from dralint.finding.words import shared
from dralint.kubernetes.workloads import GROUP
from dralint.lint.passes import DECODING
from dralint.lint.report_builder import locate
from dralint.manifest.objects import objects
from dralint.records import grouped
from dralint.references.collect import all_facts
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from dralint.finding.catalogue import Rule
    from dralint.finding.problem import ByRelease, Change, Problem, Repair
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts, Found, ObjectPlace
    from dralint.yaml import Document, Path, ReadingProblem
    from dralint.yaml.nodes import Node

    AllProblems = Callable[[ApiObject], ByRelease | None]
    """Returns all problems of an object, reported or not; None where dralint does not judge it."""
    Find = Callable[[list[Facts]], list[Found]]
    """Returns the findings among the facts of objects."""
    Rules = Mapping[str, Rule]

_TRIES, _TRIES_BETWEEN = 24, 12
"""How often dralint judges the repairs of one object, and those between objects, at most, where they do not hold all
together."""
_STRUCTURE = ("Unknown", "TypeInvalid")
"""Reasons of problems about the structure of an object."""
_ONLY_TEXT = "@`%"
_MOST_AT_ONCE = 8
"""dralint mends at most this many reading problems together: reading stops at the first, and each one hides the next.
"""
_Key = tuple[object, ...]
"""The rule or reason of a problem; then the release (empty where the user chose none), or the place of its object."""


class _Case(NamedTuple):
    """A problem with a repair: its keys, and the place of its object, which its paths continue."""

    problem: Problem
    repair: Repair
    keys: Sequence[_Key]
    base: Path

    @property
    def kind(self) -> str:
        """What is counted: the reason of a problem of decoding, otherwise its rule."""
        return _kind(self.problem)


@dataclass(slots=True)
class _Heard:
    """What a judge says: the messages by key, each at its path, and how many problems there are of each kind.

    `unfit` has the paths of the values in place of which a list or an object belongs; `others` those of the other
    objects that a problem is about.
    """

    messages: dict[_Key, dict[Path, str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    unfit: set[Path] = field(default_factory=set)
    others: dict[Path, list[Path]] = field(default_factory=dict)


class _TouchedPaths(NamedTuple):
    """The paths that repairs affect: those that they write, those that they open, and those that they move to."""

    written: dict[Path, int]
    opened: dict[Path, int]
    moved: dict[Path, int]


def proven(
    item: ApiObject, said: ByRelease, judge: AllProblems, rules: Rules, *, by_release: bool
) -> tuple[set[int], ApiObject | None]:
    """Return the positions of the problems that have a repair that holds: safe ones first, then guesses.

    Args:
        judge: returns all problems of an edited copy of the object.
        by_release: whether to treat the problems of each release as different.

    Returns:
        These, and the object with the guesses for its values; None where there are none.
    """

    def make(item: ApiObject, some: Sequence[_Case]) -> tuple[list[int], ApiObject]:
        data, made = all_repaired(item.data, [((), case.repair.changes) for case in some])
        return made, item._replace(data=cast("dict[str, Any]", data))

    keys = [_keys(problem, own, by_release=by_release) for problem, own in said]
    cases = {n: _Case(problem, problem.repair, keys[n], ()) for n, (problem, _) in enumerate(said) if problem.repair}
    told = [(problem.path, key) for (problem, _), own in zip(said, keys, strict=True) for key in own]
    proof = _Proof(cases, item, make, partial(_judged, judge, by_release), rules, told)
    proof.prove(_TRIES)
    problems = [said[number][0] for number in sorted(proof.kept)]
    guesses = [each.repair for each in problems if each.reason not in DECODING and each.repair is not None]
    changes = [((), repair.changes) for repair in guesses if not repair.safe]
    if len(changes) == len(problems):
        return proof.kept, proof.state if changes else None
    data = all_repaired(item.data, changes)[0] if changes else None
    return proof.kept, None if data is None else item._replace(data=cast("dict[str, Any]", data))


def proven_between(
    found: Sequence[Found],
    known: Sequence[Facts],
    find: Find,
    objects: Callable[[ObjectPlace], ApiObject | None],
    rules: Rules,
) -> list[Found]:
    """Return the findings between objects, without the repairs that do not hold.

    Args:
        known: the facts of all objects.
        objects: returns an object.
    """
    whole = _Objects(list(known), {})

    def make(whole: _Objects, some: Sequence[_Case]) -> tuple[list[int], _Objects]:
        by_place: dict[Path, list[int]] = {}
        for number, case in enumerate(some):
            by_place.setdefault(case.base, []).append(number)
        made: list[int] = []
        changed: dict[ObjectPlace, ApiObject] = {}
        for numbers in by_place.values():
            place: ObjectPlace = found_at[some[numbers[0]].base]
            item = whole.changed.get(place) or objects(place)
            if item is None:
                continue
            data, done = all_repaired(item.data, [((), some[number].repair.changes) for number in numbers])
            if isinstance(data, dict) and done:
                changed[place] = item._replace(data=data)
                made += [numbers[position] for position in done]
        return sorted(made), _Objects(_with(whole.known, changed), {**whole.changed, **changed})

    def heard(whole: _Objects) -> _Heard:
        return _heard_between(find(whole.known))

    found_at = {_root(each.facts.place): each.facts.place for each in found}
    cases = {
        number: _Case(each.problem, each.problem.repair, [_key_between(each)], _root(each.facts.place))
        for number, each in enumerate(found)
        if each.problem.repair is not None
    }
    proof = _Proof(cases, whole, make, heard, rules, before=_heard_between(found))
    proof.prove(_TRIES_BETWEEN)
    return [
        each._replace(problem=each.problem._replace(repair=None)) if number in cases.keys() - proof.kept else each
        for number, each in enumerate(found)
    ]


def worse_guesses(
    guessed: Sequence[Facts], known: Sequence[Facts], found: Sequence[Found], find: Find, rules: Rules
) -> set[ObjectPlace]:
    """Return the places of the objects whose guesses bring an error or a warning between objects.

    Args:
        guessed: the facts of the objects with their guesses.
        known: the facts of all objects.
        found: the findings among these.
    """
    own = {(entry.place, entry.kind): entry for entry in known}
    new = {(e.place, e.kind): e for e in guessed if own.get((e.place, e.kind)) not in (None, e)}
    places = list(dict.fromkeys(place for place, _ in new))
    before = {(_key_between(each), each.problem.path) for each in found}

    def attempt(some: list[int], kept: Collection[int]) -> tuple[list[int], set[int]]:
        with_them = {places[number] for number in (*some, *kept)}
        after = find([new.get((e.place, e.kind), e) if e.place in with_them else e for e in known])
        brought = [
            each
            for each in after
            if (_key_between(each), each.problem.path) not in before and rules[each.problem.rule].severity != "info"
        ]
        about = {place for each in brought for place in (each.facts.place, *(o.facts.place for o in each.elsewhere))}
        return some, {number for number in some if places[number] in about} or (set(some) if brought else set())

    kept = holding_together([list(range(len(places)))], attempt, _TRIES_BETWEEN)
    return {place for number, place in enumerate(places) if number not in kept}


def brings(before: Sequence[ByRelease], after: ByRelease, rules: Rules) -> bool:
    """Say whether an object that has moved to another API version has more problems in the same words than before.

    All paths may be others, so only words are compared, and with what each judge told of the object before.
    """

    def words(said: ByRelease) -> Counter[tuple[str, str]]:
        return Counter((problem.rule, problem.message) for problem, _ in said if rules[problem.rule].severity != "info")

    earlier = [words(said) for said in before]
    return any(all(old[said] < count for old in earlier) for said, count in words(after).items())


def _keys(problem: Problem, releases: Sequence[Release], *, by_release: bool) -> list[_Key]:
    return [(_kind(problem), name) for name in (map(str, releases) if by_release else ("",))]


def _judged(judge: AllProblems, by_release: bool, item: ApiObject) -> _Heard | None:
    said = judge(item)
    if said is None:
        return None
    out = _Heard()
    said.reverse()
    while said:  # a problem goes when its message is kept: there may be many
        problem, releases = said.pop()
        out.counts[_kind(problem)] += 1
        if problem.kind in (NO_LIST_HERE, NO_OBJECT_HERE):
            out.unfit.add(problem.path)
        for key in _keys(problem, releases, by_release=by_release):
            out.messages.setdefault(key, {})[problem.path] = problem.message
    return out


def _matters(kind: object, rules: Rules) -> bool:
    """Say whether a repair must not bring a problem of a kind."""
    if kind == DEPRECATED_API_VERSION:  # it is right in the release that has it
        return False
    return kind in DECODING or rules[str(kind)].severity != "info"


class _Objects(NamedTuple):
    """The facts of all objects, and the objects that repairs have changed."""

    known: list[Facts]
    changed: dict[ObjectPlace, ApiObject]


def _with(known: Iterable[Facts], changed: Mapping[ObjectPlace, ApiObject]) -> list[Facts]:
    """Return the facts of all objects, with those of the changed ones replaced."""
    out: list[Facts] = []
    for entry in known:
        item = changed.get(entry.place)
        renewed = [] if item is None else all_facts(item, entry.file, entry.document)
        out += [new for new in renewed if new.kind == entry.kind] or [entry]
    return out


def _root(place: ObjectPlace) -> Path:
    """Return the place of an object as the beginning of the paths in it."""
    file, document, path = place
    return (file, document, *path)


def _key_between(found: Found) -> _Key:
    return found.problem.rule, found.facts.place


def _heard_between(found: Sequence[Found]) -> _Heard:
    """Return what is said between objects. No kind is counted: what is left of one is not another that has moved."""
    out = _Heard()
    for each in found:
        path = (*_root(each.facts.place), *each.problem.path)
        out.messages.setdefault(_key_between(each), {})[path] = each.problem.message
        out.others.setdefault(path, []).extend(_root(other.facts.place) for other in each.elsewhere)
    return out


class _Proof:
    """Proves the repairs of problems.

    Args:
        cases: the problems with repairs, by number.
        state: what is judged; later, with the repairs that hold so far.
        make: makes repairs in a state: the positions of those that can be made, and the new state.
        judge: judges a state; None where dralint does not.
        told: path and key of what is reported of the state at first.
        before: what the judge says of the state at first; without it, the judge is asked where that matters.
    """

    def __init__(
        self,
        cases: Mapping[int, _Case],
        state: Any,
        make: Callable[[Any, Sequence[_Case]], tuple[list[int], Any]],
        judge: Callable[[Any], _Heard | None],
        rules: Rules,
        told: Sequence[tuple[Path, _Key]] = (),
        before: _Heard | None = None,
    ) -> None:
        self.kept: set[int] = set()
        self.state = state
        self._cases = cases
        self._make = make
        self._judge = judge
        self._rules = rules
        self._told = told
        self._before = before

    def prove(self, tries: int) -> None:
        """Find the repairs that hold, in at most so many judgements of some together."""
        groups = [[*self._cases]]
        if len(self._cases) > 1:  # some may have the same repair
            alike = grouped(((case.base, repr(case.repair)), number) for number, case in self._cases.items())
            groups = list(alike.values())
        first = [numbers[0] for numbers in groups]
        order = [[number for number in first if self._cases[number].repair.safe == safe] for safe in (True, False)]
        kept = holding_together(order, self._try, tries)
        self.kept = {number for numbers in groups if numbers[0] in kept for number in numbers}

    def _try(self, some: list[int], _: Collection[int]) -> tuple[list[int], set[int]]:
        """Return the repairs that dralint can make, and the faulty ones; make them in the state if there are none."""
        made, state = self._make(self.state, [self._cases[number] for number in some])
        some = [some[position] for position in made]
        after = self._judge(state) if some else None
        faulty = set(some) if after is None else self._faulty(some, state, after)
        if some and not faulty:
            self.state, self._before = state, after
        return some, faulty

    def _faulty(self, some: Sequence[int], state: Any, after: _Heard) -> set[int]:
        """Return the repairs that do not mend their finding, or that bring another; all, if that is unclear."""
        cases = [(number, self._cases[number]) for number in some]
        left = [
            number
            for number, case in cases
            if any((*case.base, *case.problem.path) in after.messages.get(key, ()) for key in case.keys)
        ]
        if not left and self._are_told(some, after):
            return set()  # whatever else there was before
        if self._before is None:
            self._before = self._judge(self.state)
        before = self._before
        if before is None:
            return set(some)
        kinds = Counter(case.kind for _, case in cases)
        mine = ((number, self._cases[number].kind) for number in left)
        # not one that has moved there
        faulty = {number for number, kind in mine if after.counts[kind] > before.counts[kind] - kinds[kind]}
        brought = _brought(before, after, self._now(some))
        touched = self._touched(some) if brought else _TouchedPaths({}, {}, {})
        for kind, path in brought:
            if not _matters(kind, self._rules):
                continue
            heads = [path[:depth] for depth in range(len(path), -1, -1)]
            written = next((touched.written[head] for head in heads if head in touched.written), None)
            opened = next((touched.opened[head] for head in heads if head in touched.opened), None)
            entries = [number for place, number in touched.written.items() if place[:-1] == path]
            if written is not None:
                faulty.add(written)
            elif path in touched.moved and (path in after.unfit or _does_not_belong(kind, path, state)):
                faulty.add(touched.moved[path])
            elif entries:  # the API server blames the map for its entries
                faulty.update(entries)
            elif opened is None:
                faulty.update(self._nearest(some, [path, *after.others.get(path, ())]))
            elif not self._cases[opened].repair.safe:
                faulty.add(opened)
        return faulty

    def _are_told(self, some: Sequence[int], after: _Heard) -> bool:
        """Say whether all problems that matter, if there are any, are told of the object as it is in the text.

        What is told at a place of a repair may be what lies behind its finding.
        """
        matter = {key: messages for key, messages in after.messages.items() if _matters(key[0], self._rules)}
        if not matter:
            return True
        told = set() if self._before is not None else set(self._told)
        if any((path, key) not in told for key, messages in matter.items() for path in messages):
            return False
        places = set().union(*self._touched(some))
        heads = (path[:depth] for messages in matter.values() for path in messages for depth in range(len(path) + 1))
        return places.isdisjoint(heads)

    def _changes(self, some: Sequence[int]) -> list[tuple[int, Path, Change]]:
        return [(n, self._cases[n].base, change) for n in some for change in self._cases[n].repair.changes]

    def _now(self, some: Sequence[int]) -> Callable[[Path], Path]:
        """Return the function that says where repairs put what was at a path."""
        moved = {
            (*base, *change.path): (*base, *(change.to or (*change.path[:-1], str(change.value))))
            for _, base, change in self._changes(some)
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
        for number, base, change in self._changes(some):
            place = now((*base, *change.path))
            if change.do == "move":
                touched.moved[place] = number
            # what is wrapped is not written: the change writes only scalars itself
            wraps = isinstance(change.value, dict | list) and isinstance(_value(self.state, change.path), dict | list)
            if change.do in ("move", "rename") or wraps:
                touched.opened[place] = number
            elif change.do != "remove":
                touched.written[place] = number
        return touched

    def _nearest(self, some: Sequence[int], paths: Sequence[Path]) -> list[int]:
        """Return the repairs whose findings are nearest to one of the paths."""
        depths = []
        for number in some:
            own = (*self._cases[number].base, *self._cases[number].problem.path)
            depths.append(max(shared(path, own) for path in paths))
        return [number for number, depth in zip(some, depths, strict=True) if depth == max(depths)]


def _kind(problem: Problem) -> str:
    """Return the kind of a problem: the reason of a decoding problem, otherwise its rule."""
    return problem.reason if problem.reason in DECODING else problem.rule


def _value(state: Any, path: Path) -> Any:
    return None if isinstance(state, _Objects) else at(state.data, path)


def _does_not_belong(kind: object, path: Path, state: Any) -> bool:
    """Say whether a moved field is unknown in its new place, or is a mapping or list where another type belongs."""
    return kind == "Unknown" or (kind == "TypeInvalid" and isinstance(_value(state, path), dict | list))


def _brought(before: _Heard, after: _Heard, now: Callable[[Path], Path]) -> list[tuple[object, Path]]:
    """Return kind and path of the problems that are new: at no place did the object have the same problem in the same
    words, or the same field without words. `now` says where that is after the repairs."""
    out: list[tuple[object, Path]] = []
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


def readable(document: Document, problem: ReadingProblem, judged: AllProblems) -> list[Edit]:
    """Return the edits of a reading problem; none where the text is not readable with them.

    Every judging release must accept a value that the edits put into quotes. Of a value that begins with a character
    that no YAML value can begin with, so that it can only be text, this applies to a selector alone.
    """
    text, current = document.text, problem
    quoted: list[tuple[int, str]] = []
    after: list[Document] = []
    for _ in range(_MOST_AT_ONCE):
        pieces = [Edit(*edit) for edit in sorted(current.edits)]
        quoted += _quoted(text, pieces)
        text = apply(text, pieces)
        after = list(read(text.encode("utf-8", "surrogatepass")))
        further = _next_problem(after, current)
        if further is None:
            break
        current = further
    left = sum(len(other.problems) for other in after)
    if left >= len(document.problems) or any(other.state not in ("read", "empty") for other in after):
        return []
    if not all(_is_accepted(after, offset, source, judged) for offset, source in quoted):
        return []
    written = frozenset(text.splitlines()).difference(document.text.splitlines())
    pieces = [Edit(*edit) for edit in sorted(problem.edits)]
    whole = problem.sure and not any(edit.text[:1] in ("'", '"') for edit in pieces)
    if not quoted and _is_misplaced(after, written, judged, () if whole else _STRUCTURE):
        return []
    return pieces if current is problem else between(document.text, text)


def _quoted(text: str, pieces: list[Edit]) -> list[tuple[int, str]]:
    """Return the offset and the source of each value that the edits put into quotes, or whose quotes they close."""
    out = []
    for edit in pieces:
        source = text[edit.start : edit.end]
        if edit.text[:1] in ("'", '"') and source:
            out.append((edit.start, source))
        elif edit.text in ("'", '"') and not source:
            out.append((edit.start, edit.text))
    return out


def _next_problem(after: list[Document], problem: ReadingProblem) -> ReadingProblem | None:
    """Return the next problem at which reading stops, further down, if its repair is as certain."""
    if len(after) != 1 or after[0].state != "unreadable" or not problem.sure:
        return None
    further = after[0].problems[0]
    return further if further.edits and further.sure and further.span.line > problem.span.line else None


def _is_accepted(documents: list[Document], offset: int, source: str, judged: AllProblems) -> bool:
    """Say whether the quoted text at an offset is a value, and one that its object can have."""
    held = [document for document in documents if document.state != "empty"]
    path = None if len(held) != 1 or held[0].root is None else _path_to(held[0].root, offset)
    if path is None or source[-1] == ":":  # which may be two lines
        return False
    if source[0] in _ONLY_TEXT and path[-1] != "expression":
        return True
    for item in objects(held[0].data):
        depth = len(item.path)
        if path[:depth] == item.path:
            if _refused(judged(item), path[depth:]):
                return False
            # A text that looks like a collection or like two entries is only quoted where the field accepts nothing
            # else.
            if not _like_more(source):
                return True
            if item.group != GROUP:  # of other objects, few fields are judged
                return False
            listed, _ = all_repaired(item.data, [((), replaced(path[depth:], []).changes)])
            return _refused(judged(item._replace(data=cast("dict[str, Any]", listed))), path[depth:])
    return not _like_more(source)


def _like_more(source: str) -> bool:
    return source[0] in "[{" or ": " in source


def _is_misplaced(
    documents: list[Document], written: frozenset[str], judged: AllProblems, reasons: Collection[str]
) -> bool:
    """Say whether a new line has a problem: any refusal, or one with one of the `reasons`.

    Such a line may have been cut off, or may be meant as something else.
    """
    for document in documents:
        lines = document.text.splitlines()
        for item in objects(document.data) if document.state == "read" else ():
            for problem, _ in judged(item) or ():
                if problem.reason is None or (reasons and problem.reason not in reasons):
                    continue
                if problem.repair is not None and problem.repair.safe:
                    continue
                line = locate(document, item.path, problem).line - document.first_line
                if 0 <= line < len(lines) and lines[line] in written:
                    return True
    return False


def _refused(found: ByRelease | None, path: Path) -> bool:
    """Say whether there is a problem at a path or below it, reported or not."""
    return any(
        problem.rule == MORE_BEHIND_DECODING or (problem.reason is not None and problem.place[: len(path)] == path)
        for problem, _ in found or ()
    )


def _path_to(root: Node, offset: int) -> Path | None:
    """Return the path of the scalar that begins or ends at an offset; None where there is none, or it is a key."""
    path: list[str | int] = []
    node = root
    while node.kind in (MAPPING, SEQUENCE):
        step = 2 if node.kind == MAPPING else 1
        number = next(
            (n for n in range(len(node.children) - step, -1, -step) if node.children[n].start <= offset), None
        )
        if number is None:
            return None
        key = node.children[number].key if step == 2 else number
        if key is None:
            return None
        path.append(key)
        node = node.children[number + step - 1]
    return tuple(path) if node.kind == SCALAR and node.start <= offset <= node.end else None
