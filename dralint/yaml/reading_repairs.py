"""Makes edits that mend a text that is not YAML or JSON, where it is clear what its author meant.

An edit is (start, end, text): offsets in the unreadable text, and the replacement for the part between them. dralint
reads the edited text again before it trusts an edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.yaml.nodes import BREAKS, SCALAR

if TYPE_CHECKING:
    from dralint.yaml.nodes import Edits, Node

_LINE = re.compile(f"[^{BREAKS}]*+")
_RUN_TOGETHER = r"(-?)[A-Za-z][\w./-]*:(?![/:\s]|$)"
_DASHED_KEY = r"-[A-Za-z_]"
_INDENTED = r"(?m)^([ \t]*)([^\s#].*)"
_DASHES = r"(?:- +)*"
_THOUSANDS = r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"
_INNER_QUOTE = r"""^(['"])(?:(?!\1).)*\1\w"""
"""A value whose first string ends directly before a word: no expression has that, so the quotes are not its own."""
_BRACKET = r"[\[\]{}()]"
_MARKS = r"""'[^']*'|"(?:[^"\\]|\\.)*"|[\[\]{}(),]"""
"""Strings, and the characters outside of them that open, separate and close."""
_STRINGS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_SEVERAL_STRINGS = re.compile(rf"(?:{_STRINGS.pattern})(?:(?: *, *| +)(?:{_STRINGS.pattern}))+,?")
_LONGEST = 2000
"""A longer line is left as it is: to look for the ends of quotes takes time by the square of it."""
_STRAY_QUOTE = r"(?<!\w)'|'(?!\w)"
"""A single quote that is not an apostrophe."""
CUT_AT_COMMA = "between braces"
"""Words of each message or hint about a value that a comma between braces cuts short."""
_LONGEST_VALUE = 60
_MOST_CUT = 40
"""How many keys and values after a key may belong to its value."""


def rest_quoted(text: str, start: int) -> Edits:
    """Put the rest of the line into quotes; return nothing if it may have a comment, or more than the value."""
    return _in_whole_quotes(_words(text, start), start)


def _in_whole_quotes(value: str, start: int) -> Edits:
    return ((start, start + len(value), _as_text(value)),) if _is_whole(value) else ()


def requoted(text: str, start: int, *, in_braces: bool = False) -> Edits:
    """Put a value that begins with a quote into quotes that do not end inside of it.

    The outer quotes belong to YAML if they cannot belong to the expression: `'device['x'] == 1'` has no string
    `'device['`, because a word follows it directly. In `"a" in b && c == "d"`, they belong to the value.
    """
    value = _words(text, start)
    if in_braces:
        value = _entry(value)
    quote, inner = value[:1], value[1:-1]
    if quote not in ("'", '"') or len(value) < 3 or value[-1] != quote:
        return _in_whole_quotes(value, start)
    if quote * 2 in inner or "\\" in inner:
        return ()
    if not re.search(_INNER_QUOTE, value):
        return _in_whole_quotes(value, start)
    return ((start, start + len(value), f"'{inner.replace(chr(39), chr(39) * 2)}'"),)


def several(text: str, start: int) -> Edits:
    """Make a list of a line that has only quoted words; return nothing for any other."""
    value = _words(text, start)
    words = _STRINGS.findall(value) if _SEVERAL_STRINGS.fullmatch(value) else ()
    return ((start, start + len(value), f"[{', '.join(words)}]"),) if words else ()


def _entry(words: str) -> str:
    """Return the value that begins with these words inside of braces; it ends at a comma or at the closing bracket."""
    depth = 0
    for mark in re.finditer(_MARKS, words):
        if mark[0] in "[{(":
            depth += 1
        elif mark[0] in "]})" and depth:
            depth -= 1
        elif mark[0] in "]})," and not depth:
            return words[: mark.start()].rstrip()
    return ""


def _is_whole(value: str) -> bool:
    """Say whether the rest of a line can be one value: all its brackets and quotes are closed inside of it."""
    depth = 0
    for mark in re.findall(_BRACKET, value):
        depth += 1 if mark in "[{(" else -1
        if depth < 0:
            return False
    odd = value.count('"') % 2 or len(re.findall(_STRAY_QUOTE, value)) % 2
    return bool(value) and not depth and not odd and value[-1] != ","


def quote_it(edits: Edits) -> str:
    """Return the hint to put a value into quotes, as the edits do."""
    return f"quote the whole value: {edits[0][2]}" if edits else "quote the whole value"


def _as_text(value: str) -> str:
    """Return a text on one line in the kind of quotes that needs fewer escapes."""
    if "'" in value and '"' not in value and "\\" not in value:
        return f'"{value}"'
    return f"'{value.replace(chr(39), chr(39) * 2)}'"


def closed(text: str, start: int, mark: str) -> Edits:
    """Put a mark at the end of the line; return nothing if that may be the wrong end of the value."""
    value = _words(text, start)
    if len(value) < 2 or (mark in ("'", '"') and not _is_whole(value + mark)):
        return ()
    if mark == "}" and ":" not in value.rpartition(",")[2]:
        return ()
    if any(mark in string for string in re.findall(_MARKS, value) if len(string) > 1):
        return ()  # more likely, a quote is too far right
    return ((start + len(value), start + len(value), mark),)


def missing_space(word: str, *, is_key: bool = False) -> str | None:
    """Return the hint for a word such as `name:c1`, or the key `-name`, that lacks a space; None for any other."""
    together = re.match(_RUN_TOGETHER, word)
    if together is not None:
        return f"a space is missing after {'`-` and after ' if together[1] else ''}`:`"
    if is_key and re.match(_DASHED_KEY, word):
        return "a space is missing after `-`"
    return None


def cut_at_comma(text: str, mapping: Node, key: Node) -> tuple[str, str] | None:
    """Return message and hint for a key that is the rest of the value before it: `{int: 1,024}` has two entries.

    None for any other key; `mapping` is the node that has the key.
    """
    children = mapping.children
    at = _position(mapping, key)
    whole = _cut(text, children, at) if at and _is_cut(text, children, at) else None
    if whole is None:
        return None
    first, last = whole
    value, name = children[first - 1], children[first - 2]
    written, word = text[value.start : children[last].end], text[key.start : key.end]
    rest = [f"`{text[children[number].start : children[number].end]}`" for number in range(first, last + 1, 2)]
    if f"`{word}`" == rest[0]:
        begin = f"{text[name.start : name.end]}: {text[value.start : value.end]}"
        which = "a field" if len(rest) == 1 else "the fields"
        says = f"YAML reads `{written}` as `{begin}` and {which} {' and '.join(rest)} without a value"
        message = f"between braces a comma ends a value, so {says}"
    else:
        message = f"`{word}` belongs to `{written}` as well, which ends for YAML at its first comma"
    if re.fullmatch(_THOUSANDS, written):
        return message, f'write a number without separators: {written.replace(",", "")}; quote a text: "{written}"'
    return message, f"quote it where it is one value: {_in_quotes(written)}"


def cut_text(text: str, mapping: Node, key: Node) -> str | None:
    """Return in quotes the whole value of a key that a comma between braces cuts short; None for any other."""
    at = _position(mapping, key)
    whole = None if at is None else _cut(text, mapping.children, at + 2)
    if at is None or whole is None:
        return None
    return _in_quotes(text[mapping.children[at + 1].start : mapping.children[whole[1]].end])


def _position(mapping: Node, key: Node) -> int | None:
    """Return the position of a key among the children of a mapping between braces."""
    if mapping.style != "{":
        return None
    return next((at for at in range(0, len(mapping.children), 2) if mapping.children[at].start == key.start), None)


def _cut(text: str, children: list[Node], at: int) -> tuple[int, int] | None:
    """Return the first and the last key that are the rest of one value; None if the key at the position is not one."""
    if at >= len(children) or not _is_cut(text, children, at):
        return None
    first, last = at, at
    while first > max(2, at - _MOST_CUT) and _is_cut(text, children, first - 2):
        first -= 2
    while last + 2 < min(len(children), at + _MOST_CUT) and _is_cut(text, children, last + 2):
        last += 2
    if _is_bare(children, first - 2):
        return None  # `{a, b}`
    return (first, last) if children[last].end - children[first - 1].start <= _LONGEST_VALUE else None


def _in_quotes(text: str) -> str:
    mark = "'" if '"' in text or "\\" in text else '"'
    shown = text.replace("'", "''") if mark == "'" else text
    return f"{mark}{shown}{mark}"


def _is_cut(text: str, children: list[Node], at: int) -> bool:
    """Say whether the key at a position is a plain word without a value that follows a plain word and a comma."""
    before = children[at - 2] if _is_bare(children, at - 2) else children[at - 1]
    key = children[at]
    plain = before.kind == key.kind == SCALAR and before.style == key.style == "" and before.end > before.start
    return plain and _is_bare(children, at) and text[before.end : key.start] == "," and text[key.end - 1] != ":"


def _is_bare(children: list[Node], at: int) -> bool:
    """Say whether a key does not even have a colon."""
    key, value = children[at], children[at + 1]
    return value.kind == SCALAR and value.start == value.end == key.end


def untabbed(text: str) -> Edits:
    """Replace all tabs that indent by spaces; the first of several such lines gets its required indentation."""
    edits: list[tuple[int, int, str]] = []
    expected = tabs = spaces = 0
    inside = False
    for match in re.finditer(_INDENTED, text):
        lead, rest = match[1], match[2]
        if "\t" in lead:
            if not inside:
                tabs, spaces, inside = lead.count("\t"), lead.count(" "), True
            expected_here = max(0, expected + 2 * (lead.count("\t") - tabs) + lead.count(" ") - spaces)
            edits.append((match.start(1), match.end(1), " " * expected_here))
        else:
            inside = False
            dash = re.match(_DASHES, rest)
            assert dash is not None
            expected = len(lead) + dash.end() + (2 if rest.rstrip().endswith(":") else 0)
    return tuple(edits)


def line_from(text: str, start: int) -> str:
    """Return the rest of a line from `start` on."""
    found = _LINE.match(text, start)
    assert found is not None
    return found[0]


def _words(text: str, start: int) -> str:
    line = line_from(text, start)
    return "" if " #" in line or len(line) > _LONGEST else line.rstrip()
