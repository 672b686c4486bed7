"""Placeholders in values (`${APP}`, `$(VAR)`, `{{ .name }}`): values that are not known yet.

A problem that only a placeholder causes is not an error; dralint judges the rest of the object. To do so, it judges the
object again with a plausible value in place of each placeholder, and drops the problems that concern one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import NO_LIST_HERE, NO_OBJECT_HERE, MapKey, Problem, at, map_key
from dralint.lint.report_builder import on_one_line
from dralint.records import NamedTuple
from dralint.references.facts import PLACEHOLDER, is_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dralint.finding.problem import ByRelease, Repair
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path

CEL_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_FILLER = re.compile(r"zqx[a-z]*")
_NUMBER = 7919
_TIME = "2026-01-02T03:04:05Z"
_FREE_FORM = frozenset({"annotations", "parameters"})
_ROUNDS = 5


class Remainder(NamedTuple):
    """The problems of an object that placeholders do not cause, and the placeholders that caused others.

    `unreplaced` has each placeholder with the path of its value. `structure` is the placeholder in place of a mapping
    or a list, which makes the document a template.
    """

    found: ByRelease
    unreplaced: list[tuple[Path, str]]
    structure: str | None = None


def mark_template(document: Document, placeholder: str) -> None:
    """Mark a document as a template, because a placeholder replaces a mapping or a list."""
    document.set_template(f"`{on_one_line(placeholder)}` replaces YAML structure")


def concerning(item: ApiObject, problem: Problem) -> list[str]:
    """Return the placeholders that a problem concerns: in the value it blames, in its path or in its message."""
    value = None if _is_of_key(problem) else at(item.data, problem.place)
    if problem.target == "scalar":
        if not isinstance(value, str):
            return []
        return [match[0] for match in PLACEHOLDER.finditer(value) if _touches(problem, value, match)]
    texts = [value] if isinstance(value, str) else []
    texts += [part for part in (*problem.path, *(problem.where or ())) if isinstance(part, str)]
    names = [match[0] for text in (*texts, problem.message) if is_open(text) for match in PLACEHOLDER.finditer(text)]
    return list(dict.fromkeys(names))


def _is_of_key(problem: Problem) -> bool:
    """Say whether a problem is an unknown field: the field stays unknown, whatever its value becomes."""
    return problem.reason == "Unknown" and problem.target == "key"


def _touches(problem: Problem, text: str, found: re.Match[str]) -> bool:
    """Say whether a placeholder matters to a problem of an expression; inside a string literal it mostly does not."""
    if found.start() < max(problem.end, problem.start + 1) and problem.start < found.end():
        return True
    return found[0] in CEL_STRING.sub("", text)


def without(item: ApiObject, found: ByRelease, judge: Callable[[ApiObject], ByRelease | None]) -> Remainder:
    """Return the problems of an object that its placeholders do not cause.

    Args:
        found: the problems of the object as it is.
        judge: returns the problems of another object.
    """
    concerned = [(problem, names) for problem, _ in found if (names := concerning(item, problem))]
    if not concerned:
        return Remainder(found, [])
    for problem, names in concerned:
        value = at(item.data, problem.place)
        if problem.kind in (NO_OBJECT_HERE, NO_LIST_HERE) and isinstance(value, str) and value.strip() == names[0]:
            return Remainder([], [], names[0])
    filled = _Filled(item)
    known: ByRelease = []
    for _ in range(_ROUNDS):
        known = judge(filled.item) or []
        if not filled.next_guess([problem for problem, _ in known]):
            break
    kept = [(filled.restored(problem), releases) for problem, releases in known if not filled.blames(problem)]
    spelled = {path: path for problem, _ in concerned for path in (problem.path, problem.where) if path is not None}
    return Remainder(kept, [(spelled.get(path, path), name) for path, name in filled.unreplaced()])


class _Filled:
    """An object with plausible values in place of its placeholders; texts keep their length."""

    def __init__(self, item: ApiObject) -> None:
        self._original = item
        self._fillers: dict[str, str] = {}
        self._texts: dict[str, str | None] = {}
        """Strings of the object → their first filled form; None where a string has no placeholder."""
        self._keys: dict[str, str] = {}
        self._keyed: list[tuple[Path, str]] = []
        self.guesses: dict[Path, int] = {}
        self.item = self._fill()

    def _fill(self) -> ApiObject:
        root: dict[str, Any] = {}
        self._keyed = []
        todo: list[tuple[Path, Any, Any]] = [((), self._original.data, root)]
        while todo:
            path, source, copy = todo.pop()
            named = isinstance(source, dict)
            members: Iterable[tuple[Any, Any]] = source.items() if named else enumerate(source)
            for step, member in members:
                key: str | int = self._key(step) if named else step
                value = member
                if isinstance(member, str):
                    if is_open(member) and (text := self._filled(member)) is not None:
                        number = self.guesses.setdefault((*path, key), 0)
                        value = self._guess(member, number) if number else text
                elif isinstance(member, dict | list):
                    value = {} if isinstance(member, dict) else []
                    todo.append(((*path, key), member, value))
                if key != step:
                    self._keyed.append(((*path, key), str(step)))
                if named:
                    copy[key] = value
                else:
                    copy.append(value)
        return self._original._replace(data=root)

    def _key(self, key: str) -> str:
        if not is_open(key):
            return key
        filled = PLACEHOLDER.sub(lambda match: self._letters(match[0]), key)
        self._keys[filled] = key
        return filled

    def _letters(self, name: str) -> str:
        if name not in self._fillers:
            number = len(self._fillers)
            letters = chr(97 + number % 26) + chr(97 + number // 26 % 26)
            self._fillers[name] = ("zqx" + letters).ljust(len(name), "a")[: max(len(name), 4)]
        return self._fillers[name]

    def _filled(self, text: str) -> str | None:
        """Return a text with letters in place of its placeholders; None where it has none."""
        if text not in self._texts:
            filled, count = PLACEHOLDER.subn(lambda match: self._letters(match[0]), text)
            self._texts[text] = filled if count else None
        return self._texts[text]

    def _guess(self, text: str, number: int) -> Any:
        digits = PLACEHOLDER.sub("1", text)
        return (digits, _NUMBER, True, _TIME)[number - 1]

    def unreplaced(self) -> list[tuple[Path, str]]:
        """Return the placeholders with the paths of their values, except for those in free-form text."""
        places = [(path, at(self._original.data, self._written(path))) for path in self.guesses]
        known: dict[str, list[str]] = {}
        out: list[tuple[Path, str]] = []
        for path, value in (*places, *self._keyed):
            if not isinstance(value, str) or not _FREE_FORM.isdisjoint(path):
                continue
            if value not in known:
                known[value] = [match[0] for match in PLACEHOLDER.finditer(value)]
            written = self._written(path)
            out += [(written, name) for name in known[value]]
        return out

    def next_guess(self, problems: list[Problem]) -> bool:
        """Take another value where the last one had the wrong type; say whether there was one."""
        changed = False
        for problem in problems:
            path = problem.place
            if problem.reason in ("TypeInvalid", "Decode") and self.guesses.get(path, 4) < 4:
                self.guesses[path] += 1
                changed = True
        if changed:
            self.item = self._fill()
        return changed

    def blames(self, problem: Problem) -> bool:
        """Say whether a problem concerns a filled-in value."""
        places = [problem.place, *(path for _, path in problem.related)]
        if _FILLER.search(problem.message) or (is_open(problem.message) and PLACEHOLDER.search(problem.message)):
            return True
        if str(_NUMBER) in problem.message:
            return True
        if _is_of_key(problem):
            return False
        if any(place in self.guesses for place in places[1:]):
            return True
        if places[0] not in self.guesses:
            return False
        text = at(self.item.data, places[0])
        if problem.target != "scalar" or not isinstance(text, str):
            return True
        return any(_touches(problem, text, match) for match in _FILLER.finditer(text))

    def restored(self, problem: Problem) -> Problem:
        """Return a problem with the keys as they are written, and without a hint that quotes a filled-in value."""
        hint = None if problem.hint is not None and _FILLER.search(problem.hint) else problem.hint
        where = None if problem.where is None else self._written(problem.where)
        path, repair = self._written(problem.path), self._mended(problem.repair)
        return problem._replace(path=path, where=where, hint=hint, repair=repair)

    def _mended(self, repair: Repair | None) -> Repair | None:
        """Return a repair that does not use a filled-in value; None for any other."""
        for change in () if repair is None else repair.changes:
            filled = isinstance(change.value, str) and _FILLER.search(change.value)
            if filled or isinstance(change.value, dict | list) or change.value == _NUMBER:
                return None
            if any(part in self._keys for part in (*change.path, *change.to)):
                return None
        return repair

    def _written(self, path: Path) -> Path:
        return tuple(self._part(part) for part in path) if self._keys else path

    def _part(self, part: str | int) -> str | int:
        written = self._keys.get(part) if isinstance(part, str) else None
        if written is None:
            return part
        return map_key(written) if isinstance(part, MapKey) else written
