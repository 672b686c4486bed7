"""Follows the repairs of an object: applies them to its data, writes it as JSON, and judges it again."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.config.settings import Settings
from dralint.edit.apply import UnplaceableError, apply
from dralint.edit.repairs import all_repaired, edits
from dralint.finding import catalogue
from dralint.finding.problem import path_text
from dralint.lint.release_judge import Releases, judge_object
from dralint.lint.text_hints import as_written
from dralint.manifest.objects import objects
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.finding.problem import Problem, Repair
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject

DECODING = ("TypeInvalid", "Unknown", "Decode")
Said = tuple[str, str, str | None]
"""Rule, path and reason of a problem."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A problem with a repair, what was said before and after it, and the object before and after."""

    problem: Problem
    before: Counter[Said]
    after: Counter[Said]
    old: Any
    new: Any

    def _has_waited(self, said: Said) -> bool:
        """Whether it is advice, which waits until nothing of the object is refused."""
        return "advice" == catalogue.rules()[said[0]].effect != catalogue.rules()[self.problem.rule].effect

    @property
    def faults(self) -> list[str]:
        """What is wrong with the repair: the finding is still there, something new is, something else has changed."""
        here = (self.problem.rule, path_text(self.problem.path), self.problem.reason)
        out = []
        if not self.after[here] < self.before[here]:
            out.append("the finding is still there")
        stage = self.problem.reason in DECODING
        hidden = not stage and any(reason in DECODING for _, _, reason in self.before)
        shifted = [c.path for c in self._repair.changes if c.do == "remove" and isinstance(c.path[-1], int)]
        if shifted:  # an item is gone, those behind it have moved up
            before, after = (
                Counter(_elsewhere(said, shifted) for said in side.elements()) for side in (self.before, self.after)
            )
            news = [f"new: {said}" for said in after - before if not (hidden or self._has_waited(said))]
            return news + ["the finding is still there"] * (after == before)
        # Nothing is said of the fields of an object that the server does not serve.
        served = self.problem.reason == "NotServed"
        for said, count in self.after.items():
            if self._has_waited(said):
                continue
            # The server stops at decoding: what lies behind it may well come to light.
            uncovered = (
                hidden
                or (served and said[2] != "NotServed")
                or "DRA109" in {rule for rule, _, _ in self.before}
                or (stage and said[2] not in DECODING)
            )
            if count > self.before[said] and not uncovered and not self._inside(said[1]):
                out.append(f"new: {said}")
        return out + [f"changed besides: {path}" for path in strangers(self.old, self.new, self._repair)]

    @property
    def _repair(self) -> Repair:
        assert self.problem.repair is not None
        return self.problem.repair

    def _inside(self, path: str) -> bool:
        """Say whether a path is that of what was renamed or moved, or below: nobody had looked into it before."""
        for change in self._repair.changes:
            if change.do in ("rename", "move"):
                home = change.to if change.do == "move" else (*change.path[:-1], str(change.value))
                if path == path_text(home) or path.startswith((f"{path_text(home)}.", f"{path_text(home)}[")):
                    return True
        return False


class Reader:
    """Judges objects, by one release or as a run without one; what is compiled is kept."""

    def __init__(self) -> None:
        self._releases: dict[Any, Releases] = {}

    def problems(
        self, raw: bytes, release: Release | None, gates: tuple[tuple[str, bool], ...]
    ) -> Iterator[tuple[ApiObject, list[Problem]]]:
        """Yield the objects of a text without mistakes in its YAML, and what is said of each."""
        key = (release, gates)
        if key not in self._releases:
            chosen = () if release is None else (release,)
            self._releases[key] = Releases(Settings(releases=chosen, gates=gates))
        for document in read(raw):
            if document.state != "read" or document.problems:
                continue
            for item in objects(document.data):
                found = judge_object(self._releases[key], item) or []
                yield item, [as_written(document, item, problem) for problem, _ in found]

    def follow(
        self, raw: bytes, release: Release | None, gates: tuple[tuple[str, bool], ...] = ()
    ) -> Iterator[Followed]:
        """Yield every problem that has a repair, with what becomes of its object."""
        for item, problems in list(self.problems(raw, release, gates)):
            before = _said(problems)
            for problem in problems:
                if problem.repair is not None:
                    new = all_repaired(item.data, [((), problem.repair.changes)])[0]
                    again = list(self.problems(json.dumps(new).encode(), release, gates))
                    assert len(again) == 1
                    yield Followed(problem, before, _said(again[0][1]), item.data, new)


def edited(raw: bytes, item: ApiObject, repair: Repair) -> bytes | None:
    """Return a text of one document with the repair written into it; None where it has no place there."""
    (document,) = (document for document in read(raw) if document.state == "read")
    try:
        return apply(document.text, edits(document, item.path, repair.changes)).encode()
    except UnplaceableError:
        return None


def _elsewhere(said: Said, lists: list[tuple[Any, ...]]) -> Said:
    """Return what is said with the positions in these lists left out of its path."""
    rule, path, reason = said
    for place in lists:
        path = re.sub(rf"^({re.escape(path_text(place[:-1]))})\[\d+\]", r"\1[]", path)
    return rule, path, reason


def _said(problems: list[Problem]) -> Counter[Said]:
    return Counter((problem.rule, path_text(problem.path), problem.reason) for problem in problems)


def strangers(old: Any, new: Any, repair: Repair) -> list[str]:
    """Return the paths whose values differ though no change of the repair speaks of them."""
    touched = [change.path for change in repair.changes]
    touched += [change.to for change in repair.changes if change.do == "move"]
    touched += [(*change.path[:-1], str(change.value)) for change in repair.changes if change.do == "rename"]
    shifted = [
        change.path[:-1] for change in repair.changes if change.do == "remove" and isinstance(change.path[-1], int)
    ]
    return [
        path_text(path)
        for path in _differing(old, new, ())
        if not any(path[: len(place)] == place or place[: len(path)] == path for place in (*touched, *shifted))
    ]


def _differing(old: Any, new: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from _differing(old.get(key, ...), new.get(key, ...), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for position, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _differing(one, other, (*path, position))
    elif type(old) is not type(new) or old != new:
        yield path
