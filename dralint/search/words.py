"""Words that are similar to another one, that the hint of a finding names, or that mean the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.kubernetes.near import distance
from dralint.search.candidates import Candidate, candidate
from dralint.search.grammar import grammar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.search.text_lines import TextLines

_WORD = re.compile(r"[A-Za-z][\w./-]*\w|[A-Za-z]")
_NAMED = re.compile(r"[`\"']([^`\"'\s:,]{2,80})[:`\"']")
_PATTERN = re.compile(r"\bkey: value\b|\.\.\.|\b[A-Z]{4,}\b(?!-)")
"""The parts of a hint that are a pattern, not text to write."""
_SERVED = re.compile(r"\b[a-z][\w.]*/v\d\w*")
_WRITE = re.compile(
    r"(?:write|use|quote it:|did you mean) "
    r"(?:`([^`]{1,200})`|\"([^\"]{1,200})\"(?=\?|$)|((?:device\.|has\(|\")[^`]{1,200})$)"
)
_KEY = re.compile(r"(?:- +)*([A-Za-z][\w./-]*):(?: |$)")
_LONGEST = 60
_FARTHEST = 3
_MOST_WORDS = 40
"""How many words of a line are tried."""
_KINDS = ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "ResourceSlice", "DeviceTaintRule", "Pod")


def near_words(text: TextLines, number: int, said: str, near: int) -> Iterator[Candidate]:
    """Yield edits that replace a word of the line by a similar one: a field, a name in the finding, or a word of the
    text.

    In a long line, these are the words next to the offset `near`.
    """
    body, start = text.body(number), text.first(number)
    named = {found[1] for found in _NAMED.finditer(said)} | set(_SERVED.findall(said))
    known = {*grammar().parents, *named, *_KINDS}
    elsewhere = {found[0] for line, other in enumerate(text.lines) if line != number for found in _WORD.finditer(other)}
    words = list(_WORD.finditer(body))
    in_line = {found[0] for found in words}
    nearest = sorted(words, key=lambda found: abs(start + found.start() - near))[:_MOST_WORDS]
    for found in sorted(nearest, key=lambda found: found.start()):
        word = found[0]
        if len(word) > _LONGEST:
            continue
        at = (start + found.start(), start + found.end())
        for other in sorted(known | elsewhere):
            if other == word or abs(len(other) - len(word)) > _FARTHEST or word in grammar().parents:
                continue
            steps = _steps(word, other)
            if steps is not None:
                yield candidate("letters", (*at, other), more=0.6 * (steps - 1) + (0.3 if other not in known else 0))
        is_key, is_value = body[found.end() : found.end() + 1] == ":", found.end() == len(body.rstrip("\"'"))
        if not (is_key or is_value) or (is_key and word in grammar().parents):
            continue
        for other in sorted(grammar().parents if is_key else ()):
            if _are_alike(word, other) and _steps(word, other) is None:
                yield candidate("word", (*at, other))
        begins = max((other for other in named - {word} if word.startswith(other)), key=len, default=None)
        for other in sorted(named):
            if other not in in_line:
                yield candidate("word", (*at, other), more=-0.8 if other == begins else 0.2)


def siblings(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits that replace a key by another one that is allowed in its place."""
    found = _KEY.match(text.body(number))
    opening = next((n for n in reversed(text.content) if n < number and text.lead(n) < text.key_column(number)), None)
    above = None if opening is None else _KEY.match(text.body(opening))
    known: frozenset[str] = frozenset() if above is None else grammar().children.get(above[1], frozenset())
    if found is None or found[1] in known:
        return
    start = text.first(number)
    for other in sorted(known):
        if other != found[1]:
            yield candidate("word", (start + found.start(1), start + found.end(1), other), more=0.2)


def _steps(word: str, other: str) -> int | None:
    """Return by how many letters two words differ, apart from case; None where they are not similar."""
    one, two = _bare(word), _bare(other)
    if one == two:
        return 1
    if sorted(filter(str.isdigit, one)) != sorted(filter(str.isdigit, two)):
        return None  # `gpu-0` and `gpu-1` are two of a series
    if len(set(one) ^ set(two)) > _FARTHEST + 1:
        return None
    if min(len(one), len(two)) < _FARTHEST:
        return None
    steps = distance(one, two)
    most = 1 if len(two) <= 4 else 2
    return steps if steps <= most else None


def _bare(word: str) -> str:
    return re.sub(r"[-_]", "", word).lower()


def _are_alike(word: str, other: str) -> bool:
    """Say whether one key has all words of the other: `claimName` and `resourceClaimName`."""
    one, two = _parts(word), _parts(other)
    return bool(one) and (one <= two or two <= one) and one != two


def _parts(word: str) -> set[str]:
    return {part.lower().removesuffix("s") for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", word)}


def hinted(text: TextLines, start: int, end: int, said: str) -> Iterator[Candidate]:
    """Yield edits that replace the text of a finding by its hint."""
    for found in _WRITE.finditer(said):
        word = (found[1] or found[2] or found[3]).strip()
        if _PATTERN.search(word):
            continue
        if end > start and "\n" not in text.text[start:end] and word != text.text[start:end]:
            yield candidate("hint", (start, end, word))
            yield candidate("hint", (start, end, f'"{word}"'), more=0.1)
