"""Undoes slips in a line: words, marks, quotes, brackets, columns, and lines in the wrong place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache, cached_property
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.finding import Edit
from dralint.kubernetes import shipped
from dralint.kubernetes.near import distance
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import pod_types
from dralint.yaml.syntax_errors import plain_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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
        at = bisect_left(self.content, number) + by
        return self.content[at] if 0 <= at < len(self.content) else None

    def opened_by(self, number: int) -> int | None:
        """Return the line of the key that a line lies under; None where it lies under none."""
        lead = self.lead(number)
        return next((line for line in reversed(self.content) if line < number and self.lead(line) < lead), None)

    def last_of_block(self, number: int) -> int:
        """Return the last line below a line that is indented more, without a gap; items belong to their key."""
        lead = self.lead(number)
        opens = self.body(number).endswith(":") and not self.body(number).startswith("- ")

        def belongs(other: int) -> bool:
            item = opens and self.lead(other) == lead and self.body(other).startswith("-")
            return self.lead(other) > lead or item

        return self._last(number, belongs)

    def last_of_mapping(self, number: int) -> int:
        """Return the last line of a mapping: no line is indented less than the given one, or begins an item in its
        column."""
        lead = self.lead(number)

        def belongs(other: int) -> bool:
            return self.lead(other) > lead or (self.lead(other) == lead and not self.body(other).startswith("- "))

        return self._last(number, belongs)

    def _last(self, number: int, belongs: Callable[[int], bool]) -> int:
        """Return the last of the lines with content below a line that belong to it; the line itself if none does."""
        below = islice(self.content, bisect_right(self.content, number), None)
        return max(takewhile(belongs, below), default=number)

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
                inner = shape.innermost.type
                if inner not in types:
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
    """Yield edits that replace a key by another one that is allowed in its place.

    Not of a key of the metadata: almost any text is a value of a field there, so being accepted says little.
    """
    found = _KEY.match(text.body(number))
    column = text.key_column(number)
    opening = next((n for n in reversed(text.content) if n < number and text.key_column(n) < column), None)
    above = None if opening is None else _KEY.match(text.body(opening))
    if found is None or above is None or above[1] == "metadata":
        return
    known: frozenset[str] = grammar().children.get(above[1], frozenset())
    if found[1] in known:
        return
    start = text.first(number)
    more = -0.6 if found.end() == len(text.body(number)) else 0.2  # an object or list fits few fields
    for other in sorted(known):
        if other not in (found[1], "adminAccess"):  # no other word stands for access to all devices
            yield candidate("word", (start + found.start(1), start + found.end(1), other), more=more)


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


_OTHER_COLON = re.compile(r"(?<![\w.\"'])([A-Za-z][\w./-]*)( ?(?:[;=]|:=)(?=\s|$) ?| ?=(?![=>]) ?|;(?=\S))")
_NO_COLON = re.compile(r"(?:^|(?<=[{,] )|(?<=- ))([A-Za-z][\w./-]*)(?=$| +[^\s:=&|<>!])")
_NO_BLANK = re.compile(r"(?<=[A-Za-z\d])(:)(?=[^\s/:])")
_DASHED = re.compile(r"-(?=[A-Za-z\"'{\[])")
_BOUNDARY = re.compile(r"(?<=[\w\"'\])}.,])(?=[\s,\])}.]|$)|(?<=[\s,(\[{:])(?=[\w\"'])")
_KEY_INSIDE = re.compile(r" +((?:- )?[A-Za-z][\w./-]*:(?= |$))")
_ENTRY = re.compile(r"((?:- +)*)([A-Za-z][\w./-]*): +([^\s&*|>].*)$")
_OF_VALUES = ("string", "int", "bool", "version", "value")
_TYPED = re.compile(r"([A-Za-z]\w*) *[ =:] *(\S.*)$")
_FLOW_WORD = re.compile(r"(?<=[\[{,: ])[^\[\]{},:\"'\s]+(?=[,\]}])")
_CLOSED = re.compile(r"(?<=[^{ ])(?= ?\})")
_MARKS = re.compile(r"[\[\]{},\"']")
"""Marks that a value between braces cannot have without quotes."""
_OF_AN_OBJECT = ("apiVersion:", "kind:")
_NEAR_LINES = 6
_SHORT = 200
"""Brackets and quotes are only searched in lines up to this many characters."""


def marks(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits of colons, blanks and dashes."""
    start, body = text.first(number), text.body(number)
    for found in _OTHER_COLON.finditer(body):
        behind = ":" if found.end() == len(body) else ": "
        yield candidate("mark", (start + found.end(1), start + found.end(), behind))
    for found in _NO_COLON.finditer(body):
        if found.end(1) == len(body) or body[found.end(1)] == " ":
            yield candidate("mark", (start + found.end(1), start + found.end(1), ":"))
    for found in _NO_BLANK.finditer(body):
        yield candidate("mark", (start + found.end(1), start + found.end(1), " "))
    if _DASHED.match(body):
        yield candidate("mark", (start + 1, start + 1, " "))
    line = text.starts[number]
    if spaces := plain_marks(text.text[line : text.end(number)]):
        yield candidate("mark", *((line + at, line + end, new) for at, end, new in spaces))
    if body.strip("-—– ") == "" and body and text.lead(number) == 0:
        yield candidate("separator", (start, text.end(number), "---"))
    before = text.beside(number, -1)
    again = body.startswith(_OF_AN_OBJECT) and not text.lead(number) and _is_again(text, number)
    if again and before is not None and not text.body(before).startswith("---"):
        end = text.end(before)
        joined = text.body(before).endswith(" ---")
        yield candidate("separator", (end - 4, end, "\n---") if joined else (start, start, "---\n"))
    for at, character in enumerate(body[:_SHORT]):
        if character == "\t":
            yield candidate("mark", (start + at, start + at + 1, "  "))


def _is_again(text: TextLines, number: int) -> bool:
    """Say whether the key of a line already occurs above it in its document."""
    key = text.body(number).partition(":")[0] + ":"
    for line in reversed(text.content[: text.content.index(number)]):
        if text.lines[line].startswith(("---", key)):
            return text.lines[line].startswith(key)
    return False


def dashes(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits for a missing or extra dash."""
    start, lead, body = text.first(number), text.lead(number), text.body(number)
    if body.startswith("- "):
        rest = text.last_of_mapping(number) if not body[2:].startswith("- ") else number
        if lead:
            yield candidate("dash", (start, start + 2, "  "))
        inner = [line for line in range(number + 1, rest + 1) if text.is_content(line)]
        if all(text.lead(line) > lead for line in inner):
            below = text.shifted(number + 1, rest, -2) if inner else ()
            yield candidate("dash", (start, start + 2, ""), *below, more=0.1)
        if inner:
            yield candidate("dash", (start, start + 2, ""), more=0.1)
        return
    if not body[:1].isalpha() and body[:1] not in "\"'{":
        return
    if lead >= 2:
        yield candidate("dash", (start - 2, start, "- "))
    yield candidate("dash", (start, start, "- "))
    last = text.last_of_mapping(number)
    if last > number:
        yield candidate("dash", (start, start, "- "), *text.shifted(number + 1, last, 2), more=0.1)


def columns(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits that move a line, a line with all below it, or the rest of a mapping to another column."""
    lead = text.lead(number)
    at = max(0, text.content.index(number) - _NEAR_LINES) if number in text.content else 0
    near = text.content[at : at + 2 * _NEAR_LINES]
    there = {column for line in near if line != number for column in (text.lead(line), text.key_column(line))}
    there |= {column + 2 for column in there}
    before = text.beside(number, -1)
    above = None if before is None else _ENTRY.match(text.body(before))
    if before is not None and above and (above[2] != "expression" or text.body(number).startswith("- ")):
        there = {column for column in there if column <= text.key_column(before)}  # deeper, it is text of that value
    block, mapping = text.last_of_block(number), text.last_of_mapping(number)
    for column in sorted(there - {lead}, key=lambda column: abs(column - lead)):
        by = column - lead
        more = 0.0 if abs(by) < 2 else 0.1 * (abs(by) - 2)
        lasts = {mapping: 0.2, block: 0.0, number: 0.0}
        for last, extra in lasts.items():
            yield candidate("column", *text.shifted(number, last, by), more=more + extra)


def quotes(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits for a missing, wrong or extra quote, and for a value that needs quotes."""
    start, body = text.first(number), text.body(number)[:_SHORT]
    entry = _ENTRY.match(body)
    if entry is not None and (entry[2] in grammar().scalars or entry[2] not in grammar().children):
        value, at = entry[3], start + entry.start(3)
        last = value[-1] if value.count(value[-1]) == 1 and value[-1] in "\"'" else ""
        if last:  # its first quote is missing
            yield candidate("quote", (at, at, last))
        for mark in () if last else ("'", '"'):
            if (
                mark not in value
                and " #" not in value
                and not value.startswith(("- ", "[", "{"))
                and not _is_open(value)
            ):
                yield candidate("quote", (at, at + len(value), f"{mark}{value}{mark}"))
    for found in _FLOW_WORD.finditer(body):
        yield candidate("quote", (start + found.start(), start + found.end(), f'"{found[0]}"'))
    for at, character in enumerate(body):
        if character in "\"'":
            yield candidate("quote", (start + at, start + at + 1, ""), more=0.1)
            yield candidate("quote", (start + at, start + at + 1, "'" if character == '"' else '"'), more=0.1)
    for mark in "\"'":
        if body.count(mark) % 2:
            for found in _BOUNDARY.finditer(body):
                yield candidate("quote", (start + found.start(), start + found.start(), mark))


def _is_open(value: str) -> bool:
    """Say whether a value begins with a quote that it does not end with."""
    return value[0] in "\"'" and value.count(value[0]) % 2 == 1


def brackets(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits for a missing, wrong or extra bracket or comma."""
    start, body = text.first(number), text.body(number)[:_SHORT]
    if body.endswith((",", ";")):
        yield candidate("comma", (text.end(number) - 1, text.end(number), ""))
    after = text.beside(number, 1)
    if after is not None and text.body(after)[0] in "\"'{[" and body[-1:] not in ",;:{[":
        yield candidate("comma", (text.end(number), text.end(number), ","))
    for at, character in enumerate(body):
        if character in "[]{}":
            for other in {"[": "{", "{": "[", "]": "}", "}": "]"}[character]:
                yield candidate("bracket", (start + at, start + at + 1, other))
            yield candidate("bracket", (start + at, start + at + 1, ""), more=0.1)
        elif character == ",":
            yield candidate("comma", (start + at, start + at + 1, ""))
    opened = {mark: body.count(mark) for mark in "[]{}"}
    missing = [
        mark
        for one, other in ("[]", "{}")
        for mark in (one, other)
        if opened[mark] < opened[other if mark == one else one]
    ]
    for mark in missing or (["]", "}"] if "[" in body or "{" in body else []):
        for found in _BOUNDARY.finditer(body):
            yield candidate("bracket", (start + found.start(), start + found.start(), mark))
    if "{" in body or "[" in body:
        for found in re.finditer(r"(?<=[\w\"'}\]])(?= [\w\"'{])", body):
            yield candidate("comma", (start + found.start(), start + found.start(), ","))


def lines(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits for a missing line break, a repeated line, and two swapped lines."""
    start, body, lead = text.first(number), text.body(number), text.lead(number)
    before, after = text.beside(number, -1), text.beside(number, 1)
    columns = {lead, text.key_column(number), text.key_column(number) + 2}
    for other in (before, after):
        if other is not None:
            columns |= {text.lead(other), text.key_column(other)}
    if before is not None:
        at = text.content.index(number)
        columns |= {text.lead(line) for line in text.content[max(0, at - 2 * _NEAR_LINES) : at]}
    if not body.lstrip("- ").startswith(("expression", "{")):
        for found in _KEY_INSIDE.finditer(body.partition(" #")[0]):
            for column in sorted(columns):
                if column <= text.key_column(number) + 2:
                    more = 0.4 if lead <= column < text.key_column(number) else 0.0  # mostly it belongs to the item
                    new = "\n" + " " * column
                    yield candidate("line break", (start + found.start(), start + found.start(1), new), more=more)
            key = _KEY.match(body)
            if key is not None and key[1] in grammar().lists and key.end() == found.start() + 1 and found[1][0] != "-":
                new = "\n" + " " * text.key_column(number) + "- "
                yield candidate("line break", (start + found.start(), start + found.start(1), new))
    for other in (before, after):
        if other is not None and text.lines[other].rstrip() == text.lines[number].rstrip():
            yield candidate("twice", (text.starts[other], text.behind(other), ""))
    if before is not None:
        sure = _opens_list(text, number, before) or _opens_list(text, before, after)
        starts, old = (text.starts[before], text.starts[number]), (text.lines[before], text.lines[number])
        edits = [(at, at + len(line), other) for at, line, other in zip(starts, old, old[::-1], strict=True)]
        yield candidate("order", *edits, more=-1.0 if sure else 0.0)


def _opens_list(text: TextLines, number: int, below: int | None) -> bool:
    """Say whether a line is the key of a list without a value, and another line, which is to follow it, is an item."""
    body = text.body(number)
    return body[-1:] == ":" and body[:-1] in grammar().lists and below is not None and text.body(below)[:2] == "- "


def wrapped(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits that replace a value by the object that belongs there, made of the value or of its words."""
    start, body, known = text.first(number), text.body(number), grammar()
    entry = _ENTRY.match(body)
    if entry is not None and entry[3][0] not in "{[":
        at, value = start + entry.start(3), entry[3]
        inner = text.beside(number, 1)
        column = text.key_column(number)
        below = inner is not None and text.lead(inner) > column
        gap = "\n" + " " * text.lead(inner) if inner is not None and below else ""
        place = (at - 1 if below else at, at + len(value))
        typed = _TYPED.match(value)
        fields = known.children.get(entry[2], frozenset())
        for field in sorted(fields):
            if field in known.scalars:
                new = f"{field}: {value}"
                more = 0.0 if field == "name" and (typed is None or typed[1] not in fields) else 0.4
                yield candidate("wrapped", (*place, gap + new if below else f"{{{new}}}"), more=more)
        for field in _OF_VALUES if typed is None or typed[1] not in _OF_VALUES else ():
            if entry[2] not in known.children and entry[2] not in known.scalars:
                yield candidate("wrapped", (at, at + len(value), f"{{{field}: {value}}}"))
        if typed is not None:
            new = f"{typed[1]}: {typed[2]}"
            yield candidate("wrapped", (*place, gap + new if below else f"{{{new}}}"))
            if not below and _MARKS.search(typed[2]):
                yield candidate("wrapped", (at - 1, at + len(value), f"\n{' ' * (column + 2)}{new}"))
    key = _KEY.match(body)
    if key is not None and body.endswith(":") and key[1] not in known.parents:
        inner = text.beside(number, 1)
        if inner is not None and text.lead(inner) > text.lead(number):
            yield candidate("item", (start, text.end(number), f"- name: {key[1]}"))


def parents(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits that put a field, or the rest of a mapping, below the missing key of its parent."""
    key, known = _KEY.match(text.body(number)), grammar()
    if key is None or key[1] not in known.parents:
        return
    column = text.key_column(number)
    if column != text.lead(number):  # after a dash
        return
    at = text.starts[number] + column
    block, mapping = text.last_of_block(number), text.last_of_mapping(number)
    opening = text.opened_by(number)
    above = None if opening is None else _KEY.match(text.body(opening))
    there = None if above is None else known.children.get(above[1])
    for parent in sorted(known.parents[key[1]]):
        if parent in known.lists or (there is not None and parent not in there):
            continue
        for last in {block, mapping}:
            moved = text.shifted(number, last, 2)[1:]
            yield candidate("parent", (at, at, f"{parent}:\n{' ' * (column + 2)}"), *moved)


def places(text: TextLines, number: int) -> Iterator[Candidate]:
    """Yield edits that move a field with all below it: past its neighbours, or to the end of a near mapping."""
    if text.body(number).startswith("- "):
        return
    lead, last = text.lead(number), text.last_of_block(number)
    block = text.text[text.starts[number] : text.behind(last)]
    if not block.endswith("\n"):
        return
    at = text.content.index(number)
    seen: set[tuple[int, int]] = set()
    gone = (text.starts[number], text.behind(last), "")
    for other in [*text.content[max(0, at - 2 * _NEAR_LINES) : at], *text.content[at + 1 : at + 2 * _NEAR_LINES]]:
        if number <= other <= last:
            continue
        more = 0.05 * abs(other - number) - (_opens_list(text, number, text.beside(other, 1)) and last == number)
        for column in {text.key_column(other), text.key_column(other) + 2}:
            place = text.behind(other)
            if (place, column) in seen or place == text.starts[number]:
                continue
            seen.add((place, column))
            moved = "".join(
                f"{' ' * (text.lead(line) + column - lead)}{text.lines[line].lstrip(' ')}\n"
                for line in range(number, last + 1)
                if text.is_content(line)
            )
            yield candidate("place", gone, (place, place, moved), more=more)
        for found in _CLOSED.finditer(text.lines[other]) if last == number else ():
            place = text.starts[other] + found.start()
            yield candidate("place", gone, (place, place, f", {text.body(number)}"), more=0.05 * abs(other - number))


OPERATORS = (marks, dashes, columns, quotes, brackets, lines, wrapped, parents, places)
