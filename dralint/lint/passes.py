"""The passes that change findings, in order: per object, over all objects, and at the end of a run; and their limit."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dralint.files.kustomize import charts
from dralint.finding import catalogue
from dralint.finding.problem import at
from dralint.finding.rule_ids import (
    CEL_RUNTIME,
    CLAIM_REQUEST_NOT_FOUND,
    DEVICE_ATTRIBUTE_TYPE,
    DEVICE_ATTRIBUTE_VALUE,
    DNS_LABEL,
    DUPLICATE_KEY,
    KNOWN_BUG_OF_A_PATCH,
    MORE_BEHIND_DECODING,
    OFF_BY_DEFAULT,
    POOL_COUNTERS,
    QUALIFIED_NAME,
    UNKNOWN_DEVICE_ATTRIBUTE,
    UNKNOWN_POD_CLAIM,
    UNKNOWN_REQUEST,
    WRONG_TYPE,
)
from dralint.kubernetes.served import full_name
from dralint.kubernetes.workloads import GROUP
from dralint.records import NamedTuple, grouped
from dralint.validate import cascade
from dralint.validate.cascade import more, room_beside
from dralint.validate.constraints import EmptyEntries

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding, Suppression
    from dralint.finding.problem import ByRelease, Change, Deferred, Problem
    from dralint.finding.report import Report
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts, Found
    from dralint.validate.cascade import Telling
    from dralint.yaml import Path

    Place = tuple[Path, Path]
    """The path of a field before a repair, and after it."""


class Examined(NamedTuple):
    """What a release reports on an object, or on the part of it at `prefix`.

    Attributes:
        again: examines the same part of another object, with the passes of `SAID`.
        telling: how much is reported.
        value: the part without values that cannot be decoded and fields that gates remove.
        found: the problems of decoding; most of them have no words yet.
        gone: the path of each field that a gate removes → the gate.
        caused: the ids of the problems that would not exist with these gates on.
        dropped, validation, decoding: what is reported: fields that gates remove, problems of validation, of decoding.
    """

    item: ApiObject
    prefix: Path
    again: Callable[[ApiObject], Examined]
    telling: Telling
    value: Any
    found: Sequence[Problem | Deferred]
    gone: Mapping[Path, str]
    caused: Collection[int]
    dropped: list[Problem]
    validation: list[Problem]
    decoding: list[Problem]

    @property
    def problems(self) -> list[Problem]:
        """All three, in the order of a report."""
        return [*self.decoding, *self.dropped, *self.validation]


class Compared(NamedTuple):
    """The findings of a run.

    Attributes:
        judged: the findings on single objects; between: those between objects.
        worse: the objects (file, document, kind, name) whose guesses cause a finding between objects.
        facts: the facts of the objects, where the user has named releases.
    """

    judged: list[Finding]
    between: list[Finding]
    worse: Collection[tuple[object, ...]]
    facts: Sequence[Facts]


_NAME_OF_ITEM = re.compile(r"\[\d+\]\.name\Z")
_OF_DRIVERS = (UNKNOWN_DEVICE_ATTRIBUTE, DEVICE_ATTRIBUTE_VALUE, DEVICE_ATTRIBUTE_TYPE)

if TYPE_CHECKING:
    Pass = Callable[[Examined], Examined]
    RunPass = Callable[[Compared], Compared]


def through(passes: tuple[Pass, ...], examined: Examined) -> Examined:
    """Run the passes; an object without problems stays as it is."""
    if examined.found or examined.dropped or examined.validation:
        for one in passes:
            examined = one(examined)
    return examined


def _gates_named(examined: Examined) -> Examined:
    if not examined.gone or not examined.validation:
        return examined

    refused, dropped = cascade.name_gates(examined.validation, examined.dropped, examined.gone, examined.caused)
    return examined._replace(validation=refused, dropped=dropped)


def _followers_left_out(examined: Examined) -> Examined:
    if not examined.found or not examined.validation:
        return examined

    validation = cascade.beside(examined.validation, examined.found, examined.item.data, examined.telling)
    return examined._replace(validation=validation)


def _decoding_worded(examined: Examined) -> Examined:
    if not examined.found:
        return examined

    return examined._replace(decoding=cascade.decoding_of(examined.found, examined.telling))


def _moves_with_room(examined: Examined) -> Examined:
    changes = [change for problem in examined.decoding if problem.repair for change in problem.repair.changes]
    if all(change.do != "move" for change in changes) and all(p.rule != WRONG_TYPE for p in examined.decoding):
        return examined

    from dralint.decode import field_moves

    data = examined.item.data
    return examined._replace(
        decoding=[
            field_moves.with_its_entry(field_moves.without_empty_parent(problem, data), data)
            if problem.repair is None
            or not any(change.do == "move" and _is_taken(data, change.to) for change in problem.repair.changes)
            else problem._replace(repair=None)
            for problem in examined.decoding
        ]
    )


def _is_taken(data: Any, path: Path) -> bool:
    """Say whether a path already has a value, or a scalar blocks the way to it; null is no value."""
    for part in path:
        if isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        elif not isinstance(data, dict):
            return data is not None
        else:
            data = data.get(part)
    return data is not None


def _empty_entries_removed(examined: Examined) -> Examined:
    problems = examined.problems
    if examined.telling == "everything" or all(p.repair is not None or p.reason == "Unknown" for p in problems):
        return examined  # they have their own words

    item = examined.item
    entries = EmptyEntries(item.data, problems, lambda data: examined.again(item._replace(data=data)).problems)
    return examined._replace(
        decoding=entries.offered(examined.decoding), validation=entries.offered(examined.validation)
    )


def _looked_through(examined: Examined) -> Examined:
    if examined.telling != "first" or not any(problem.repair is not None for problem in examined.decoding):
        return examined
    return examined._replace(validation=[*examined.validation, *problems_inside_misplaced(examined)])


def _advice_last(examined: Examined) -> Examined:
    if examined.telling == "everything" or all(problem.reason is None for problem in examined.problems):
        return examined

    rules = catalogue.rules()
    refused = () if examined.decoding else [p.path for p in examined.validation if p.reason is not None]
    return examined._replace(
        validation=[
            problem
            for problem in examined.validation
            if rules[problem.rule].effect != "advice"
            or problem.rule == MORE_BEHIND_DECODING
            or _is_inside(problem.path, refused)
        ]
    )


def _is_inside(place: Path, refused: Sequence[Path]) -> bool:
    """Say whether a problem is inside of the value at a place, but none is at the value itself or above it."""
    inside = any(place == path[: len(place)] for path in refused)
    return inside and not any(path == place[: len(path)] for path in refused)


SAID: tuple[Pass, ...] = (
    _gates_named,  # a refusal names the removed field that causes it, so the removal needs no report
    _followers_left_out,  # problems that a decoding problem causes would hide it
    _decoding_worded,  # only reported problems get words; a long list of the same is counted
    _moves_with_room,  # a repair does not move a field to a place that is taken
)
"""The passes that do not judge again."""
PASSES: tuple[Pass, ...] = (
    *SAID,
    _empty_entries_removed,  # removing an entry without content is better than filling it
    _looked_through,  # judges the content of a misnamed or misplaced field as if the field were right
    _advice_last,  # refusals need repair first; who repairs a part sees the advice on the whole
)


def _guesses_taken_back(compared: Compared) -> Compared:
    if not compared.worse:
        return compared
    return compared._replace(
        judged=[
            finding._replace(fix=None)
            if finding.fix is not None
            and not finding.fix.safe
            and named(finding) in compared.worse
            and finding.reason not in DECODING  # not of the place of a field
            else finding
            for finding in compared.judged
        ]
    )


def named(finding: Finding) -> tuple[object, ...]:
    """Return the file, document, kind and name of the object of a finding."""
    about = finding.object or {}
    return finding.file, finding.document, about.get("kind"), about.get("name")


def without_twins(findings: list[Finding], facts: Iterable[Facts]) -> list[Finding]:
    """Return the findings with a guess in place of a safe repair that writes a name which would be that of two objects.

    Names differ by the case of letters alone, and the repair writes small ones: for the name, or where it is referred
    to.
    """
    names = grouped(
        ((entry.group, entry.kind, entry.namespace, entry.name.lower()), entry.name) for entry in facts if entry.name
    )
    twins = {key[-1] for key, several in names.items() if len(set(several)) > 1}
    return [
        finding._replace(fix=finding.fix._replace(safe=False))
        if finding.fix is not None and any(edit.text.strip("\"'") in twins for edit in finding.fix.edits)
        else finding
        for finding in findings
    ]


def _counter_names_once(compared: Compared) -> Compared:
    counters = {(f.file, f.line, f.column): f for f in compared.between if f.rule == POOL_COUNTERS}
    if not counters:
        return compared
    judged: list[Finding] = []
    known: set[int] = set()
    for finding in compared.judged:
        there = counters.get((finding.file, finding.line, finding.column))
        if there is not None and finding.rule == DNS_LABEL:
            known.add(id(there))
            finding = finding._replace(hint=there.hint, fix=None, related=(*finding.related, *there.related))
        judged.append(finding)
    return compared._replace(judged=judged, between=[each for each in compared.between if id(each) not in known])


def _drivers_know_more(compared: Compared) -> Compared:
    told = [finding for finding in compared.between if finding.rule in _OF_DRIVERS]
    if not told:
        return compared
    runtime = {id(f) for f in compared.judged if f.rule == CEL_RUNTIME and any(_tells(other, f) for other in told)}
    names = {id(f): other for f in compared.judged if f.rule == QUALIFIED_NAME for other in told if _tells(other, f)}
    known = {id(other) for other in names.values()}
    return compared._replace(
        judged=[
            finding if (other := names.get(id(finding))) is None else finding._replace(hint=other.hint, fix=other.fix)
            for finding in compared.judged
            if id(finding) not in runtime
        ],
        between=[finding for finding in compared.between if id(finding) not in known],
    )


def _tells(other: Finding, finding: Finding) -> bool:
    """Say whether a finding of a driver tells the same of the same place, for all releases."""
    return _is_within(finding, other) and set(other.releases).issuperset(finding.releases)


def _lost_names(compared: Compared) -> Compared:
    twice = [f for f in compared.judged if f.rule == DUPLICATE_KEY and _NAME_OF_ITEM.search(f.path)]
    if not twice:
        return compared
    files = {finding.file for finding in twice}
    return compared._replace(
        between=[
            finding
            for finding in compared.between
            if finding.rule != CLAIM_REQUEST_NOT_FOUND or files.isdisjoint(place.file for place in finding.related)
        ]
    )


def _is_within(finding: Finding, other: Finding) -> bool:
    """Say whether the place of a finding is a part of the place of another."""
    if (finding.file, finding.document) != (other.file, other.document):
        return False
    begins = (other.line, other.column) <= (finding.line, finding.column)
    return begins and (finding.end_line, finding.end_column) <= (other.end_line, other.end_column)


def _advice_in_several_versions(compared: Compared) -> Compared:
    if not compared.facts or all(finding.rule != OFF_BY_DEFAULT for finding in compared.judged):
        return compared
    if len({each.api_version for each in compared.facts if each.group == GROUP}) < 2:
        return compared
    return compared._replace(
        judged=[each._replace(severity="info") if each.rule == OFF_BY_DEFAULT else each for each in compared.judged]
    )


def _advice_after_refusals(compared: Compared) -> Compared:
    refused = {
        _object_of(finding)
        for finding in compared.judged
        if finding.effect in ("rejected", "broken") and finding.rule != OFF_BY_DEFAULT
    }
    between = [
        each
        for each in compared.between
        if each.effect != "advice" or each.rule == KNOWN_BUG_OF_A_PATCH or _object_of(each) not in refused
    ]
    return compared._replace(between=between)


def _object_of(finding: Finding) -> tuple[object, ...]:
    about = finding.object or {}
    return finding.file, finding.document, about.get("kind"), about.get("namespace"), about.get("name")


OF_RUN: tuple[RunPass, ...] = (
    _advice_in_several_versions,  # objects in several versions are for several clusters, or one that serves all
    _guesses_taken_back,  # a guess for a value must not break a reference between objects
    _counter_names_once,  # the counter set shows which name is meant, so its hint is better
    _advice_after_refusals,  # refusals need repair first; a patch release does not concern an object
    _drivers_know_more,  # what fails on every device is told of those of the driver
    _lost_names,  # of two names in one item, one is lost: it may be the one that something else refers to
)


def conclude(report: Report, settings: Settings, suppressions: Sequence[Suppression] = ()) -> None:
    """Sort the findings, drop duplicates and suppressed ones, and apply the severities of the settings.

    The report gets previews of releases and charts to render, too.
    """
    report.sort()
    if settings.releases:
        report.previews = [
            name for one in settings.releases if (name := full_name(str(one), settings.schemas)) != str(one)
        ]
    if report.skipped:
        report.charts = charts(one.file for one in report.skipped if one.kind == "template" and one.relevant)
    said = settings.ignores or settings.severity or settings.overrides or settings.baseline is not None
    if suppressions or said:
        from dralint.suppress.comments import suppress  # most runs suppress nothing

        suppress(report, settings, suppressions)
        report.sort()


_Entry = TypeVar("_Entry")
DECODING = ("Unknown", "TypeInvalid", "Decode")
"""Reasons of problems of decoding."""
MOST_OF_A_RULE = 1000
"""dralint reports at most this many problems of one rule in one object."""
_OTHERS = (
    "repair these first, then check again: one more problem of this rule is not shown yet",
    "repair these first, then check again: {} more problems of this rule are not shown yet",
)


def bounded(found: ByRelease) -> ByRelease:
    """Return the first thousand problems of each rule in an object, with their releases, and a note that counts the
    rest."""
    shown, left = _first(found, [problem.rule for problem, _ in found])
    return shown + [(_word(count, problem), releases) for (problem, releases), count in left]


def is_shortened(found: ByRelease) -> bool:
    """Say whether a report on an object can leave out some of these problems, which are all that it has.

    dralint leaves out problems that a decoding problem may cause, and those beyond the limit.
    """
    return len(found) > MOST_OF_A_RULE or any(problem.reason in DECODING for problem, _ in found)


def bounded_between(found: list[Found]) -> list[Found]:
    """Return the first thousand problems of each rule in each object, and a note that counts the rest."""
    shown, left = _first(found, [(id(each.facts), each.problem.rule) for each in found])
    return shown + [each._replace(problem=_word(count, each.problem), elsewhere=()) for each, count in left]


def _first(found: Sequence[_Entry], kinds: Sequence[Hashable]) -> tuple[list[_Entry], list[tuple[_Entry, int]]]:
    """Return the first thousand entries of each kind. Where there are more, also return the last one and the number
    left."""
    shown: list[_Entry] = []
    last: dict[Hashable, _Entry] = {}
    counts: Counter[Hashable] = Counter()
    for entry, kind in zip(found, kinds, strict=True):
        counts[kind] += 1
        if counts[kind] <= MOST_OF_A_RULE:
            last[kind] = entry
            shown.append(entry)
    return shown, [(last[kind], count - MOST_OF_A_RULE) for kind, count in counts.items() if count > MOST_OF_A_RULE]


def _word(left: int, problem: Problem) -> Problem:
    return more(left, problem, problem.rule, "the list would be too long", _OTHERS)


# Looks behind mistakes of structure. The API server stops at an unknown field or a wrong type. Where a repair is clear
# (move a field one level down, give it its right name, make it an item of a list), dralint judges what the field
# contains as if it were right. One run then reports all mistakes.

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
    from dralint.edit.repairs import all_repaired  # only where something is wrong

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
