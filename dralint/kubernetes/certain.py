"""Decides which replacements of a word are certain: the author can have meant nothing else.

A certain replacement makes a repair safe. Everything else is a guess, which only the author can accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.near import distance, is_slip, letters_and_digits
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_LONG_FIELD, _LONG_WORD = 6, 8
"""From this many letters on, a field and a word of a list are recognized with more than one wrong letter."""
_MOST_LETTERS = 2
"""A word of a list is recognized with at most this many wrong letters: three can be a negation, as in `DoesNotExist`.
"""


class Reason(NamedTuple):
    """A reason why a replacement is certain; `holds` gets what is written, what replaces it, and the other choices."""

    words: str
    holds: Callable[[str, str, Collection[str]], bool]


def _is_only_near(written: str, meant: str, others: Collection[str]) -> bool:
    steps = distance(written.lower(), meant.lower())
    if steps > _MOST_LETTERS or len(meant) < _LONG_WORD or written[:1].lower() != meant[:1].lower():
        return False
    if [*filter(str.isdigit, written)] != [*filter(str.isdigit, meant)]:
        return False
    return all(distance(written.lower(), other.lower()) > 2 * steps for other in others if other != meant)


_ONE_MISTAKE = Reason("it differs by one typing mistake", lambda written, meant, _: is_slip(written, meant))
_SAME_LETTERS = Reason(
    "it has the same letters and digits in the same order",
    lambda written, meant, _: letters_and_digits(written) == letters_and_digits(meant),
)
_SAME_BUT_CASE = Reason("it differs by the case of letters", lambda written, meant, _: written.lower() == meant)
_LONG = Reason("it is long, and no field has a similar name", lambda written, *_: len(written) >= _LONG_FIELD)
_ONLY_NEAR = Reason("it differs by two letters from one word of the list, and by more from the others", _is_only_near)
_FOREIGN = Reason("another language, or a text, writes it so", lambda _, meant, others: meant.strip() in others)

REASONS: dict[str, tuple[Reason, ...]] = {
    "name": (_ONE_MISTAKE,),
    "field": (_ONE_MISTAKE, _SAME_LETTERS, _LONG),
    "nested field": (_ONE_MISTAKE, _SAME_LETTERS),
    "word": (_ONE_MISTAKE, _ONLY_NEAR),
    "truth value": (_SAME_BUT_CASE,),
    "sign": (_FOREIGN,),
}
"""What is replaced → the reasons why that can be certain.

A name is the user's, a word is one of a list that Kubernetes or a driver gives. A field is the most similar of its
object; a nested field is one of an object further down. A sign is the operator or quote of another language, and the
"other choices" are what it stands for.
"""


def is_certain(what: str, written: str, meant: str, others: Collection[str] = ()) -> bool:
    """Say whether what is written can only be meant as its replacement.

    Args:
        what: what is replaced, a key of `REASONS`.
        others: the other words that are allowed in this place.
    """
    return any(reason.holds(written, meant, others) for reason in REASONS[what])
