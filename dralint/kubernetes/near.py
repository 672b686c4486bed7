"""Finds the known name that an unknown one stands for, and says where it is certain."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.records import NamedTuple
from dralint.yaml.document import PLACEHOLDER_MARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable


_NO_DIGITS = str.maketrans("", "", "0123456789")

_LEAST_LENGTH = 3
"""Shorter names are similar to everything."""

_LONGEST = 320
"""No longer name is compared: Kubernetes accepts none, and comparing takes time in proportion to the square."""

_FEW = 100
"""Up to this many names of a type, results are remembered, because the same mistake is often repeated."""


LOOK_ALIKES = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u0501\u0261\u03bf\u03b1\u03bd\u03c1\u0131"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0391\u0392\u0395\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u0399"
    "\u2010\u2011\u2012\u2013\u2014\u2212\uff0e\u3002\uff0f\u2044\u2215",
    "abekmhopctyxijsdgoavpi" + "ABEKMHOPCTXIABEKMNOPTXI" + "------" + ".." + "///",
)
"""Letters of other alphabets, dashes, dots and slashes that look like those of ASCII."""


def listed(names: Iterable[str], word: str = "and", quote: str = '"') -> str:
    """Return names as a list: `"a", "b" and "c"`."""
    shown = [f"{quote}{name}{quote}" for name in names]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def near(value: str, allowed: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """Return the allowed names most similar to the value: several equally similar ones, or none.

    Similar names have similar letters (case does not matter), or begin with the value. A text with a placeholder is not
    a name yet, and is never returned.

    Args:
        cutoff: which share of both must be equal, from 0 to 1.
    """
    names = tuple(allowed)
    return list(_near_few(value, names, cutoff) if len(names) <= _FEW else _near(value, names, cutoff))


def _near(value: str, allowed: tuple[str, ...], cutoff: float) -> list[str]:
    names: dict[str, list[str]] = {}
    for name in allowed:
        if len(name) <= _LONGEST and not any(mark in name for mark in PLACEHOLDER_MARKS):
            names.setdefault(name.lower(), []).append(name)
    if not value or len(value) > _LONGEST or not names or any(mark in value for mark in PLACEHOLDER_MARKS):
        return []

    import difflib  # only where there is something to suggest

    text = value.lower()
    similar = difflib.get_close_matches(text, list(names), n=8, cutoff=cutoff)
    steps = {name: distance(text, name) for name in similar}
    fair = {name: count for name, count in steps.items() if count <= max(2, len(text) // 3)}
    if not fair and len(text) >= _LEAST_LENGTH:
        fair = {name: len(name) for name in names if name.startswith(text)}
    best = [name for name in names if name in fair and fair[name] == min(fair.values())]
    return [name for key in best for name in names[key]]


_near_few = lru_cache(maxsize=1024)(_near)


def closest(value: str, allowed: Iterable[str], before: str = "") -> str | None:
    """Return `did you mean ...?` for the most similar allowed names; None when none is, or only others of a series.

    Args:
        before: what is written before each name.
    """
    return did_you_mean([f"{before}{name}" for name in near(value, allowed) if not is_numbered(value, name)])


def is_numbered(value: str, name: str) -> bool:
    """Say whether two names differ only in their numbers: `gpu-1` does not mean `gpu-0`, but another of a series."""
    one, other = value.lower(), name.lower()
    return one != other and one.translate(_NO_DIGITS) == other.translate(_NO_DIGITS)


@lru_cache(maxsize=4096)
def letters_and_digits(name: str) -> str:
    """Return the letters and digits of a name in lower case: `device_class_name` is meant as `deviceClassName` is."""
    return "".join(character for character in name.lower() if character.isalnum())


def did_you_mean(names: Collection[str], quote: str = '"') -> str | None:
    """Return the question with all the names; None where there are none."""
    return f"did you mean {listed(names, 'or', quote)}?" if names else None


@lru_cache(maxsize=4096)
def is_slip(value: str, name: str) -> bool:
    """Say whether the value can only be the name with one typing mistake.

    That is an extra, missing, doubled or swapped letter, a wrong one within a long name, or the wrong case. A digit, or
    a letter that is alone, distinguishes names: `gpu-1` does not mean `gpu-0`.
    """
    if abs(len(value) - len(name)) > 1:
        return False
    if value.lower() == name.lower():
        return value != name
    if min(len(value), len(name)) < _LEAST_LENGTH or distance(value.lower(), name.lower()) != 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(value, name, strict=False)) if a.lower() != b.lower()), None)
    at = min(len(value), len(name)) if start is None else start
    changed = value[at : at + 1 + (len(value) == len(name))] + name[at : at + 1 + (len(value) == len(name))]
    if any(character.isdigit() for character in changed):
        return False
    if len(value) != len(name):
        longer = value if len(value) > len(name) else name
        return not _alone(longer, at)
    swapped = value[at] != name[at] and sorted(value[at : at + 2].lower()) == sorted(name[at : at + 2].lower())
    return swapped or (len(name) > 4 and not _alone(name, at))


_MARKS = " _x-+.~?!/;$*·…"
"""What people write before or behind a name to switch its line off."""


def is_marked(written: str, meant: str) -> bool:
    """Say whether what is written is a name with marks around it: `_name`, `nameX`."""
    word, name = written.strip().lower(), meant.lower()
    return word != name and word.strip(_MARKS) == name


def _alone(text: str, at: int) -> bool:
    """Say whether the character at a position has no letter or digit next to it."""
    return not (text[max(0, at - 1) : at].isalnum() or text[at + 1 : at + 2].isalnum())


@lru_cache(maxsize=4096)
def distance(a: str, b: str) -> int:
    """Return how many letters to insert, remove, replace or swap to make one text of the other; all if one is long."""
    if max(len(a), len(b)) > _LONGEST:
        return 0 if a == b else max(len(a), len(b))
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row, older = row, [i], before
        before = last
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


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
    "quoted text": (_SAME_LETTERS,),
}
"""What is replaced → the reasons why that can be certain.

A name is the user's, a word is one of a list that Kubernetes or a driver gives. A field is the most similar of its
object; a nested field is one of an object further down. A sign is the operator or quote of another language, and the
"other choices" are what it stands for. A quoted text is a name or text of a selector without its quotes or brackets.
"""

_FIELDS = ("field", "nested field")


def is_certain(what: str, written: str, meant: str, others: Collection[str] = ()) -> bool:
    """Say whether what is written can only be meant as its replacement.

    Args:
        what: what is replaced, a key of `REASONS`.
        others: the other words that are allowed in this place.
    """
    if what in _FIELDS and is_marked(written, meant):
        return False
    return any(reason.holds(written, meant, others) for reason in REASONS[what])


_FIRST = frozenset(["com", "org", "net", "io", "dev", "ai", "edu", "gov", "co", "info", "tech", "cloud", "app"])
"""Top-level domains that reversed names begin with."""
_GENERIC = """
com org net edu gov mil int info biz name pro mobi asia aero coop museum jobs travel tel post cat
dev app cloud tech xyz online site store shop systems solutions software network computer digital services agency
company
group global world space zone run page link live science engineering energy institute university academy center
foundation
international technology works team studio design tools support host hosting email codes builders ventures partners
consulting finance capital media news blog wiki club life today top vip berlin nyc london tokyo
internal intern local localhost localdomain lan home corp private cluster svc test example invalid arpa onion
"""
_LAST = frozenset(_GENERIC.split())
"""The ends of a domain in its right order, besides countries: generic top-level domains, and ends of private ones."""


def forward_domain(text: str) -> str | None:
    """Return the name in its right order if it is clearly reversed; None otherwise.

    It is clear if there are at least three labels, the first is a well-known top-level domain and the last is not one
    (two letters may always be a country).
    """
    labels = text.lower().split(".")
    first, last = labels[0], labels[-1]
    if len(labels) < 3 or first not in _FIRST or last in _LAST or len(last) == 2:
        return None
    return ".".join(reversed(labels))
