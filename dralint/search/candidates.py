"""What a search tries: edits of a text, and what they cost."""

from __future__ import annotations

from typing import NamedTuple

from dralint.finding.finding import Edit

COSTS = {
    "hint": 1.2,  # what the hint of a finding says
    "mark": 1.0,  # a colon, the blank behind it, or behind a dash
    "separator": 1.0,
    "operator": 1.0,  # of another language
    "comma": 1.2,
    "twice": 1.2,  # of two equal lines, one
    "quote": 1.4,
    "dash": 1.4,
    "bracket": 1.6,
    "column": 1.6,  # a line, or a line with what is below it, in another column
    "line break": 1.6,
    "wrapped": 1.6,  # a value gets the key that it has in its object
    "parent": 1.8,  # a mapping gets the key that it lies under
    "item": 1.8,  # an entry of a map becomes an item with a name
    "domain": 0.8,  # the domain of an attribute, or which of attributes and capacities
    "quoted name": 1.4,
    "order": 2.2,  # two lines change places
    "place": 2.2,  # a field with what is below it moves
    "letters": 1.0,  # a word becomes one that is near; each letter more costs as much again
    "word": 2.4,  # a word becomes one that the hint names, or that another word for the same thing
}
"""Kind of edit → what it costs. Of edits that repair the same, the cheapest is offered, where no other is near."""
NEAR = 0.35
"""Edits whose costs differ by less are equally likely."""


class Candidate(NamedTuple):
    """Edits of a text that may repair it, of a kind of `COSTS`."""

    kind: str
    cost: float
    edits: tuple[Edit, ...]


def candidate(kind: str, *edits: tuple[int, int, str], more: float = 0.0) -> Candidate:
    """Return edits of a kind as a candidate; `more` is what they cost beyond the cheapest of the kind."""
    return Candidate(kind, COSTS[kind] + more, tuple(Edit(*edit) for edit in edits))
