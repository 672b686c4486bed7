"""The lines of a text, edits of it with their costs (the candidates of a search), and which fields can be in which."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.finding import Edit
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import pod_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Shape

COSTS = {
    "hint": 1.2,  # the hint of a finding
    "mark": 1.0,  # a colon, the blank after it or after a dash
    "separator": 1.0,
    "operator": 1.0,  # of another language
    "comma": 1.2,
    "twice": 1.2,  # one of two equal lines goes away
    "quote": 1.4,
    "dash": 1.4,
    "bracket": 1.6,
    "column": 1.6,  # a line, or a line with those below it, moves to another column
    "line break": 1.6,
    "wrapped": 1.6,  # a value gets its key in an object
    "parent": 1.8,  # a mapping gets the key of its parent
    "item": 1.8,  # an entry of a map becomes an item with a name
    "domain": 0.8,  # the domain of an attribute, or which of attributes and capacities
    "quoted name": 1.4,
    "order": 2.2,  # two lines swap
    "place": 2.2,  # a field moves with the lines below it
    "letters": 1.0,  # a word becomes a similar one; each further letter costs the same again
    "word": 2.4,  # a word becomes one from the hint, or another word for the same thing
}
"""Kind of edit → its cost. Of several repairs, the cheapest is offered if no other has nearly the same cost."""
NEAR = 0.35
"""Edits whose costs differ by less are equally likely."""


class Candidate(NamedTuple):
    """Edits of a text that may repair it, of a kind of `COSTS`."""

    kind: str
    cost: float
    edits: tuple[Edit, ...]


def candidate(kind: str, *edits: tuple[int, int, str], more: float = 0.0) -> Candidate:
    """Return edits of a kind as a candidate; `more` is their cost beyond the cheapest of the kind."""
    return Candidate(kind, COSTS[kind] + more, tuple(Edit(*edit) for edit in edits))


_DASHES = re.compile(r"(?:-[ \t]+)*")


class TextLines:
    """A text by its lines, which count from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines[:-1]:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def __len__(self) -> int:
        return len(self.lines)

    def lead(self, number: int) -> int:
        """Return how many blanks are at the start of a line."""
        line = self.lines[number]
        return len(line) - len(line.lstrip(" "))

    def body(self, number: int) -> str:
        """Return a line without the blanks at its ends."""
        return self.lines[number].strip(" \r")

    def first(self, number: int) -> int:
        """Return the offset of the first character of a line that is not blank."""
        return self.starts[number] + self.lead(number)

    def end(self, number: int) -> int:
        """Return the offset after the last character of a line that is not blank."""
        return self.starts[number] + len(self.lines[number].rstrip(" \r"))

    def behind(self, number: int) -> int:
        """Return the offset of the next line."""
        return self.starts[number + 1] if number + 1 < len(self.lines) else len(self.text)

    def key_column(self, number: int) -> int:
        """Return the column of the text after the dashes of a line."""
        dashes = _DASHES.match(self.body(number))
        assert dashes is not None
        return self.lead(number) + dashes.end()

    def is_content(self, number: int) -> bool:
        """Say whether a line has more than blanks and a comment."""
        body = self.body(number)
        return bool(body) and body[0] != "#"

    @cached_property
    def content(self) -> list[int]:
        """The lines that have content."""
        return [number for number in range(len(self.lines)) if self.is_content(number)]

    def beside(self, number: int, by: int) -> int | None:
        """Return the line with content at this distance from a line (negative: before it); None where there is none."""
        at = self._position(number) + by
        return self.content[at] if 0 <= at < len(self.content) else None

    def opened_by(self, number: int) -> int | None:
        """Return the line of the key that a line lies under; None where it lies under none."""
        lead = self.lead(number)
        return next((line for line in reversed(self.content) if line < number and self.lead(line) < lead), None)

    def _position(self, number: int) -> int:
        return bisect_left(self.content, number)

    def last_of_block(self, number: int) -> int:
        """Return the last line below a line that is indented more, without a gap; items belong to their key."""
        lead, last = self.lead(number), number
        opens = self.body(number).endswith(":") and not self.body(number).startswith("- ")
        for other in range(number + 1, len(self.lines)):
            if not self.is_content(other):
                continue
            item = opens and self.lead(other) == lead and self.body(other).startswith("-")
            if self.lead(other) <= lead and not item:
                break
            last = other
        return last

    def last_of_mapping(self, number: int) -> int:
        """Return the last line of a mapping: no line is indented less than the given one, or begins an item in its
        column."""
        lead, last = self.lead(number), number
        for other in range(number + 1, len(self.lines)):
            if not self.is_content(other):
                continue
            if self.lead(other) < lead or (self.lead(other) == lead and self.body(other).startswith("- ")):
                break
            last = other
        return last

    def shifted(self, first: int, last: int, by: int) -> tuple[tuple[int, int, str], ...]:
        """Return the edits that move lines to another column."""
        edits = []
        for number in range(first, last + 1):
            if self.is_content(number):
                start, lead = self.starts[number], self.lead(number)
                edits.append((start, start + lead, " " * max(0, lead + by)))
        return tuple(edits)


class Grammar(NamedTuple):
    """The names of fields.

    Attributes:
        children: the name of a field → the fields of the objects in it.
        parents: the name of a field → the fields whose objects have it.
        scalars: the names of fields that hold neither an object nor a list.
        lists: the names of fields that hold a list of objects.
    """

    children: Mapping[str, frozenset[str]]
    parents: Mapping[str, frozenset[str]]
    scalars: frozenset[str]
    lists: frozenset[str]


@cache
def grammar() -> Grammar:
    """Return the field names of the newest release, in all API versions that it serves."""
    newest = [*shipped.index()["releases"]["releases"]][-1]
    children: dict[str, set[str]] = {}
    parents: dict[str, set[str]] = {}
    scalars: set[str] = {"apiVersion", "kind"}
    lists: set[str] = set()
    parsed = Release.parse(newest)
    for version in sorted({"v1", *(version for version, _ in shipped.served(newest))}):
        types = shipped.structs_of(newest, version)
        if version == "v1":
            types = pod_types(types, parsed)
        for struct in types.values():
            for name, shape in struct.fields.items():
                inner = _struct(shape)
                if inner is None or inner not in types:
                    if shape.of is None:
                        scalars.add(name)
                    continue
                if shape.shape == "list":
                    lists.add(name)
                for field in types[inner].fields:
                    children.setdefault(name, set()).add(field)
                    parents.setdefault(field, set()).add(name)
    return Grammar(
        {name: frozenset(fields) for name, fields in children.items()},
        {name: frozenset(fields) for name, fields in parents.items()},
        frozenset(scalars),
        frozenset(lists),
    )


def _struct(shape: Shape) -> str | None:
    while shape.of is not None:
        shape = shape.of
    return shape.type if shape.shape == "struct" else None
