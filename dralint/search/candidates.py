"""The candidates of a search: edits of a text, and their costs."""

from __future__ import annotations

from typing import NamedTuple

from dralint.finding.finding import Edit

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
