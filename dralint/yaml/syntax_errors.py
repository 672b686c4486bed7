"""Words the errors of texts that are not YAML: what was found, what was expected, and what to do."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from dralint.yaml import reading_repairs
from dralint.yaml.nodes import ALIAS, BREAKS, MAPPING, MOST_LEVELS, SCALAR, SEQUENCE, TextError, line_start
from dralint.yaml.reading_repairs import line_from, missing_space
from dralint.yaml.scalars import decode_escapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from yaml import MarkedYAMLError

    from dralint.yaml.nodes import Edits, Node


_DIRECTIVE = r"%(?:YAML|TAG)\b"
_KEY_LINE = r"\n[ \t]*(?:- +)*[A-Za-z_][\w./-]*:(?=\s)"
_BLOCK = ("|", ">")
_QUOTES = ("'", '"')
_DASHES = r"(?m)[\u002d\u2010-\u2015\u2212]{2,4}(?=[ \t]*$)"
_FLOW = ("[", "{")
_OPENING = "\"'[{"
"""The first characters of values that end on the same line with their own mark."""
_NO_TEXT = "\"'[{&*!|>%@`"
"""The first characters of values that are not plain scalars."""
_KEY_LIKE = r"(?<!\S)[\w./-]+\Z"
"""Words that can be a key of their own: a line end is missing before them, or the text is `a: b: c`."""


def _without_comment(text: str, start: int) -> str:
    return line_from(text, start).split(" #")[0].rstrip()


def _cut(text: str, most: int = 40) -> str:
    """Return a text, shortened if it is long."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _odd_separator(text: str, start: int) -> TextError | None:
    """Return the error that a line of dashes is not a separator because one only looks like a hyphen; None for other
    lines."""
    dashes = re.compile(_DASHES).match(text, start)
    if dashes is None or dashes[0].isascii() or line_start(text, start) != start:
        return None
    odd = next(character for character in dashes[0] if not character.isascii())
    message = f"`{dashes[0]}` is not a document separator: it has the dash U+{ord(odd):04X} in it"
    edits = ((start, dashes.end(), "---"),)
    return TextError(message, start, dashes.end(), hint="write `---` with three hyphens", edits=edits)


_ODD_SPACES = "".join(map(chr, (0xA0, 0x1680, *range(0x2000, 0x200C), 0x202F, 0x205F, 0x3000, 0xFEFF)))
"""Characters that look like a space, or like nothing, and separate nothing in YAML (Unicode's category Zs and two)."""
_ODD_DASHES = "\u2010-\u2015\u2022\u2212"
_ODD_COLONS = "\u2236\ua789\ufe55\uff1a"
_ODD = f"[{_ODD_SPACES}{_ODD_DASHES}{_ODD_COLONS}]"
_BLOCK_BEGINS = r"(?m)[|>][-+1-9]*[ \t]*$"
_NO_WIDTH = "\u200b\ufeff"
_SPACED = (
    rf"(?m)^[ {_ODD_SPACES}]*(?:[-{_ODD_DASHES}][ {_ODD_SPACES}]+)*"
    rf"(?:(?:[\w./-]+:|[A-Za-z][\w./-]*[{_ODD_COLONS}])[ {_ODD_SPACES}]*)?|(?<![{_ODD_SPACES}])[{_ODD_SPACES}]+$"
)
"""What separates the parts of a line: its indentation, dashes, a key with the space behind it, and the end."""


def plain_marks(text: str) -> Edits:
    """Replace what only looks like the space, dash or colon that indents or separates by the plain one."""
    edits: list[tuple[int, int, str]] = []
    for line in re.finditer(".+", text) if not text.isascii() else ():
        end = line.start() + len(line[0].rstrip(f" {_ODD_SPACES}"))
        odds = (
            odd
            for part in re.compile(_SPACED).finditer(text, *line.span())
            for odd in re.compile(_ODD).finditer(text, *part.span())
        )
        for odd in odds:
            if odd[0] in _ODD_SPACES:
                new = "" if odd[0] in _NO_WIDTH or odd.start() >= end else " "
            elif re.match(f"[{_ODD_DASHES}]", odd[0]):
                new = "-"
            else:
                new = ":" if text[odd.end() : odd.end() + 1].isspace() else ": "
            edits.append((*odd.span(), new))
    return tuple(edits)


def odd_mark(text: str, error: TextError) -> TextError:
    """Return the error that a mark up to the line of another error only looks like one; that error where none does.

    A dash or a colon can also be part of a text over several lines: it lies on the line of the error or the line
    before, only spaces are replaced for sure, and beside such a text only that line is mended.
    """
    edits = plain_marks(text)
    sure = all(not new.strip() for _, _, new in edits)
    there = [at for at, _, _ in edits if at <= error.start or "\n" not in text[error.start : at]]
    if not there or (not sure and text.count("\n", there[-1], error.start) > 1):
        return error
    start = there[0]
    if not sure and re.search(_BLOCK_BEGINS, text):
        line, end = text.rfind("\n", 0, there[-1]), text.find("\n", there[-1])
        edits = tuple(edit for edit in edits if edit[0] > line and (edit[0] < end or end < 0))
        start = edits[0][0]
    new = next(new for at, _, new in edits if at == start)
    code, name = f"U+{ord(text[start]):04X}", unicodedata.name(text[start], "").lower()
    what = {"-": "begins no item", "": "is no space", " ": "is no space"}.get(new, "ends no key")
    message = f"the character {code} ({name}) {what} in YAML: it is a part of the word next to it"
    hint = {"": "remove it", " ": "write a plain space", "-": "write `- `"}.get(new, "write `: `")
    return TextError(message, start, hint=hint, edits=edits, sure=sure)


def unclosed_quote(text: str, start: int, end: int) -> TextError | None:
    """Return the error that the quoted value text[start:end] is not closed on its line; lines like `key:` in it show
    this."""
    if not re.compile(_KEY_LINE).search(text, start, end):
        return None
    shown, quote = _without_comment(text, start), text[start]
    below = text.count("\n", start, end)
    where = "on the next line" if below == 1 else f"{below} lines further down"
    return TextError(
        f"the quote {quote} is not closed on its line; the next one is {where}",
        start,
        start + len(shown),
        hint=f"close it: {shown if len(shown) <= 60 else '...' + shown[-57:]}{quote}",
        edits=reading_repairs.closed(text, start, quote),
        related=(("YAML reads the value up to here", end - 1, end),),
    )


def no_anchor(text: str, name: str, start: int, end: int, anchors: Iterable[str]) -> TextError:
    """Return the error that an alias has no anchor; suggest an anchor with a similar name."""
    message = f"there is no anchor `&{name}` before this alias"
    near = get_close_matches(name, anchors, 2, 0.7)
    if len(near) == 1:
        return TextError(
            message, start, end, hint=f"did you mean `*{near[0]}`?", edits=((start, end, f"*{near[0]}"),), sure=False
        )
    hint = "define the anchor first, or quote a value that starts with `*`"
    return TextError(
        message, start, end, hint=hint, edits=reading_repairs.rest_quoted(text, start), sure=not name.isalnum()
    )


def _cannot_start(found: _Failure) -> TextError:
    """Return the error that a value cannot start with a character."""
    text, pos = found.text, found.pos
    char = text[pos]
    if char == "\t":
        return tab_indents(text, pos)
    if re.compile(_DIRECTIVE).match(text, pos):
        return TextError("a directive cannot stand here", pos, hint="put it at the beginning, above `---`")
    shown = "a backquote" if char == "`" else f"`{char}`"
    edits = reading_repairs.rest_quoted(text, pos)
    hint = f"quote the value: {edits[0][2]}" if edits else "quote the value"
    return TextError(f"{shown} cannot start a plain value", pos, hint=hint, edits=edits)


def tab_indents(text: str, pos: int, related: tuple[tuple[str, int, int], ...] = ()) -> TextError:
    """Return the error that a tab indents a line."""
    hint = "replace the tab by spaces"
    edits = reading_repairs.untabbed(text)
    return TextError("a tab cannot indent YAML", pos, hint=hint, related=related, edits=edits, sure=False)


def control_character(found: re.Match[str]) -> TextError:
    """Return the error that a character is not allowed."""
    return TextError(
        f"the character U+{ord(found[0]):04X} is not allowed in YAML",
        found.start(),
        hint="remove it; in a double-quoted value it can be written as an escape",
    )


def _last(node: Node) -> Node:
    """Return the last scalar or alias below a node."""
    while node.kind != ALIAS and node.children:
        node = node.children[-1]
    return node


def _open_to(node: Node) -> list[Node]:
    """Return the block collections that a line can continue: an open one, and those that end last in it."""
    out = [node]
    while out[-1].children and (last := out[-1].children[-1]).kind in (MAPPING, SEQUENCE) and last.style not in _FLOW:
        out.append(last)
    return out


def _column(text: str, node: Node) -> int:
    return node.start - line_start(text, node.start)


def _unexpected_at(text: str, start: int, node: Node) -> TextError:
    """Return the error for a token that neither continues nor ends a block collection."""
    kind, end = _token(text, start, in_flow=False)
    last = _last(node)
    if last.style in _QUOTES and (left_open := unclosed_quote(text, last.start, last.end)):
        return left_open
    if separator := _odd_separator(text, start):
        return separator
    what = _found(kind, text, start, end)
    if kind in ("scalar", "key") and last.style in _BLOCK and (outside := _outside(text, what, start, end, last)):
        return outside
    is_mapping = node.kind == MAPPING
    begins = "the mapping starts here" if is_mapping else "the list starts here"
    related = ((begins, node.start, node.start + 1),)
    if kind in ("]", "}"):
        opening = "[" if kind == "]" else "{"
        return TextError(f"{what} has no `{opening}` before it", start, end, hint="remove it, or quote the value")
    begin = line_start(text, start)
    if text[begin:start].strip(" \t-"):
        return _behind_value(text, kind, start, end, what, node)
    column = _column(text, node)
    if start - begin != column:
        things = "key" if is_mapping else "list item"
        wanted = SEQUENCE if kind == "item" else MAPPING
        columns = sorted({_column(text, other) for other in _open_to(node) if other.kind == wanted}) or [column]
        shown = " or ".join(str(each + 1) for each in columns)
        where = f"like this {'mapping' if is_mapping else 'list'}" if columns == [column] else "like the line above it"
        return TextError(
            f"the indentation of {what} matches no {things} above it",
            start,
            end,
            hint=f"start it in column {shown}, {where}",
            related=related,
        )
    if not is_mapping:
        return TextError(
            f"expected `- ` for the next item of this list, found {what}",
            start,
            end,
            hint="put `- ` before it, or check the indentation",
            related=related,
        )
    if kind == "scalar":
        return TextError(
            f"expected `:` after the key {what}",
            start,
            end,
            hint=missing_space(text[start:end])
            or "write `key: value`; a value over several lines is indented more than its key",
            related=related,
        )
    return TextError(
        f"expected a key of this mapping, found {what}",
        start,
        end,
        hint="write the list below its own key",
        related=related,
    )


def _behind_value(text: str, kind: str, start: int, end: int, what: str, node: Node) -> TextError:
    """Return the error that something follows a value on its line."""
    value = node.children[-1] if node.children else node
    on_this_line = value.start >= line_start(text, start)
    message = f"expected the end of the line after the value, found {what}"
    if kind == "anchor" and on_this_line and value.kind == SCALAR:
        before = f"{text[start:end]} {text[value.start : value.end]}"
        if not line_from(text, end).strip():
            moved = ((value.start, end, before),)
            return TextError(message, start, end, hint=f"an anchor comes first: {before}", edits=moved, sure=False)
    if on_this_line and (listed := reading_repairs.several(text, value.start)):
        hint = f"a list is written in brackets: {listed[0][2]}"
        return TextError(message, start, end, hint=hint, edits=listed, sure=False)
    edits = reading_repairs.requoted(text, value.start) if on_this_line and text[value.start] in _OPENING else ()
    return TextError(message, start, end, hint=reading_repairs.quote_it(edits), edits=edits)


def _outside(text: str, what: str, start: int, end: int, block: Node) -> TextError | None:
    """Return the error that a line is outside of the block scalar above it, and is neither a key nor a list item."""
    first = re.search(r"\n([ \t]*)\S", text[block.start : block.end])
    if first is None or re.match(r"- |[\w./-]+:(?:\s|$)", line_from(text, start)):
        return None
    return TextError(
        f"{what} lies outside of the block that `{block.style}` begins",
        start,
        end,
        hint=f"indent it like the lines of the block, to column {len(first[1]) + 1}",
        related=(("the block starts here", block.start, block.start + 1),),
    )


def unexpected_in_flow(text: str, kind: str, start: int, end: int, node: Node) -> TextError:
    """Return the error for a token that neither continues nor ends a flow collection."""
    last = _last(node)
    if last.style in _QUOTES and (left_open := unclosed_quote(text, last.start, last.end)):
        return left_open
    closing = "]" if node.style == "[" else "}"
    opening = "[" if closing == "]" else "{"
    if kind in ("end", "---", "..."):
        return TextError(
            f"`{opening}` is never closed",
            node.start,
            node.start + 1,
            hint=f"close it with `{closing}`",
            edits=reading_repairs.closed(text, node.start, closing),
        )
    is_value = last.style in _QUOTES and node.kind == MAPPING and node.children[-1] is last
    edits: Edits = ()
    if is_value and not text[last.end : start].strip() and text[start : start + 1] not in _QUOTES:
        edits = reading_repairs.requoted(text, last.start, in_braces=True)
    if edits:
        message = f"expected `,` or `{closing}` after the value, found {_found(kind, text, start, end)}"
        return TextError(message, start, end, hint=reading_repairs.quote_it(edits), edits=edits)
    return TextError(
        f"expected `,` or `{closing}`, found {_found(kind, text, start, end)}",
        start,
        end,
        hint=f"separate entries by `,` and close `{opening}` with `{closing}`",
        related=((f"`{opening}` was opened here", node.start, node.start + 1),),
        edits=reading_repairs.closed(text, node.start, closing) if line_start(text, start) > node.start else (),
    )


def bad_key(key: Node) -> TextError:
    """Return the reason why a node cannot be the key of a mapping."""
    node = key.children[0] if key.kind == ALIAS else key
    if node.kind == SCALAR:
        what = "null cannot be a key" if node.data is None else f"the number {node.data} is too large for a key"
        hint = "quote the key"
    else:
        what = f"a {'list' if node.kind == SEQUENCE else 'mapping'} cannot be a key"
        hint = "quote the key if it is meant as text" + (
            "; `{{` starts a template, which must be rendered first" if node.style == "{" else ""
        )
    return TextError(what, key.start, key.end, kind="bad-key", hint=hint)


def duplicate_key(text: str, mapping: Node, name: str, key: Node, first: Node) -> TextError:
    """Return the error that a key occurs twice in its mapping."""
    cut = reading_repairs.cut_at_comma(text, mapping, key)
    hint = (cut and cut[1]) or missing_space(name, is_key=True)
    remove = "remove one of the two: kubectl silently keeps the last"
    pairs = zip(mapping.children[::2], mapping.children[1::2], strict=True)
    one, *other = [value for name_of, value in pairs if name_of is first or name_of is key]
    if other and one.kind == other[0].kind in (MAPPING, SEQUENCE) and one.data != other[0].data:
        remove = f"put what is below both under one `{_cut(name, 60)}:`, or {remove}"
    edits: Edits = ()
    if hint is None and begins_item(text, mapping, key):
        hint = f"begin a new item, `- {_without_comment(text, key.start)[:60]}`, or {remove}"
        edits = ((key.start - 2, key.start, "- "),)
    return TextError(
        f'the key "{_cut(name, 60)}" occurs twice',
        key.start,
        key.end,
        kind="duplicate-key",
        hint=hint or remove,
        related=((f'the first "{_cut(name, 60)}"', first.start, first.end),),
        edits=edits,
        sure=False,
    )


def begins_item(text: str, mapping: Node, key: Node) -> bool:
    """Say whether the first key of an item is there again with another value, so that a dash may be missing."""
    children = mapping.children
    before = text[line_start(text, mapping.start) : mapping.start].rstrip(" ")
    if mapping.style == "{" or not before.endswith("-") or key.key != children[0].key or len(children) < 6:
        return False
    value = next(value for one, value in zip(children[::2], children[1::2], strict=True) if one is key)
    return text[key.start - 2 : key.start] == "  " and value.data != children[1].data


def missing_separator(key: Node, first: Node) -> TextError:
    """Return the error that a second object starts in the mapping of the first one."""
    return TextError(
        "`---` is missing before this line: a second object starts here",
        key.start,
        key.end,
        kind="missing-separator",
        hint="put `---` on its own line before it: kubectl silently mixes the two objects into one",
        related=(("the first object", first.start, first.end),),
    )


_NAMES = {
    "value": "`:`",
    "item": "a list item",
    "---": "the document separator `---`",
    "...": "the document end `...`",
    "end": "the end of the text",
}


def _found(kind: str, text: str, start: int, end: int) -> str:
    if kind in _NAMES:
        return _NAMES[kind]
    word = text[start : max(end, start + 1)]
    if kind == "key":
        word = text[start : start + 200].split(":")[0].split("\n")[0]
    return f"`{_cut(word.split(chr(10))[0])}`"


_VERSION = rf"(?<![^\ufeff{BREAKS}])%YAML[ \t]+([0-9]+)\.([0-9]+)"
_BLANK = f"(?=[ \t{BREAKS}]|\\Z)"
_QUOTED = r'(?s)"(?>(?:[^"\\]++|\\.)*)"?'
_HEADER = "[|>][-+0-9]*"
_AFTER_KEY = f"[ \t]*:{_BLANK}"
_BLANKS = r"[ \t]+(?=\S)"
_TAG = r"![^\s,\[\]{}]*"
_TOKENS = (
    ("---", f"---{_BLANK}"),
    ("...", rf"\.\.\.{_BLANK}"),
    ("item", f"-{_BLANK}"),
    ("value", f":{_BLANK}"),
    ("key", rf"\?{_BLANK}"),
    ("[", r"\["),
    ("{", r"\{"),
    ("]", r"\]"),
    ("}", r"\}"),
    (",", ","),
    ("anchor", "&[0-9A-Za-z_-]+"),
    ("alias", r"\*[0-9A-Za-z_-]+"),
    ("tag", _TAG),
    ("scalar", r'(?s)"(?>(?:[^"\\]++|\\.)*)"'),
    ("scalar", "'(?>(?:[^']++|'')*)'"),
)
"""The tokens that an error can be about, each with its expression."""
_PLAIN_WORDS = r"(?:[^\s:]|:(?!\s|\Z))+(?:[ \t]+(?!#)(?:[^\s:]|:(?!\s|\Z))+)*"
_FLOW_WORD = r"(?:[^\s:,?\[\]{}]|:(?!\s|\Z))+(?:[ \t]+(?!#)(?:[^\s:,?\[\]{}]|:(?!\s|\Z))+)*"


class _Failure(NamedTuple):
    """An error of libyaml: where its context begins, where it is, and the open collections, the innermost last."""

    text: str
    context: str
    begin: int
    pos: int
    opened: Sequence[Node]

    @property
    def node(self) -> Node:
        """The innermost open collection."""
        return self.opened[-1]


def error_of(text: str, error: MarkedYAMLError, begin: int, pos: int, opened: Sequence[Node]) -> TextError:
    """Return an error of libyaml in dralint's words."""
    found = _Failure(text, error.context or "", begin, pos, opened)
    wording = _WORDS.get(error.problem or "")
    if wording is None:
        where = f" {found.context}" if found.context else ""
        return TextError(f"{error.problem or 'bad syntax'}{where}", pos, related=())
    return wording(found)


def _token(text: str, pos: int, in_flow: bool) -> tuple[str, int]:
    """Return the kind of the token at `pos`, and the offset after it."""
    if pos >= len(text):
        return "end", pos
    at_start = line_start(text, pos) == pos
    for kind, pattern in _TOKENS:
        if kind in ("---", "...") and not at_start:
            continue
        if found := re.compile(pattern).match(text, pos):
            break
    else:
        kind, found = "scalar", re.compile(_FLOW_WORD if in_flow else _PLAIN_WORDS).match(text, pos)
    end = found.end() if found else pos + 1
    if in_flow and text[pos] in ":?":
        return ("value" if text[pos] == ":" else "key"), pos + 1
    if kind in ("scalar", "alias", "anchor", "tag") and not in_flow:
        return ("key", pos) if _is_key(text, pos, kind, end) else (kind, end)
    return kind, end


def _is_key(text: str, pos: int, kind: str, end: int) -> bool:
    """Say whether the token at `pos` begins a key: a colon follows on its line, and no value comes before it."""
    if text[line_start(text, pos) : pos].strip(" \t-?"):
        return False
    if kind in ("anchor", "tag"):
        rest = re.compile(_BLANKS).match(text, end)
        return rest is not None and _token(text, rest.end(), in_flow=False)[0] == "key"
    return re.compile(_AFTER_KEY).match(text, end) is not None and "\n" not in text[pos:end]


def _no_colon(found: _Failure) -> TextError:
    text, begin = found.text, found.begin
    column = begin - line_start(text, begin)
    for node in reversed(found.opened):
        if node.style in (":", "-") and node.children and _column(text, node) == column:
            return _unexpected_at(text, begin, node)
    if separator := _odd_separator(text, begin):
        return separator
    words = _without_comment(text, begin)
    hint = "write `key: value`; a value that goes on over several lines is indented more than its key"
    message = f"expected a key followed by `:`, found `{_cut(words)}`"
    return TextError(message, begin, begin + len(words), hint=missing_space(words) or hint)


def _unexpected_in_flow(found: _Failure) -> TextError:
    kind, end = _token(found.text, found.pos, in_flow=True)
    return unexpected_in_flow(found.text, kind, found.pos, end, found.node)


def _no_node(found: _Failure) -> TextError:
    if found.node.style in _FLOW:
        return _unexpected_in_flow(found)
    kind, end = _token(found.text, found.pos, in_flow=False)
    message = f"expected a value, found {_found(kind, found.text, found.pos, end)}"
    return TextError(message, found.pos, end, hint="quote the value if it is meant as text")


def _second_colon(found: _Failure) -> TextError:
    text, pos = found.text, found.pos
    line = line_start(text, pos)
    node, key, colon = found.node, None, -1
    if node.kind == MAPPING and node.style == ":" and node.children:
        key = node.children[len(node.children) - (2 if len(node.children) % 2 == 0 else 1)]
        colon = text.find(":", key.end)
    last = _last(node)
    value = last if last.kind == SCALAR and last.end > last.start else None
    if value is not None and key is not None and value.start <= key.start:
        value = None
    for scalar in (key, value):
        if scalar is not None and scalar.style in _QUOTES:
            left_open = unclosed_quote(text, scalar.start, scalar.end)
            if left_open is not None:
                return left_open
    if value is not None and value.style == "" and value.start < line:
        return _colon_in_value(text, pos, value, key)
    related: tuple[tuple[str, int, int], ...] = ()
    edits: Edits = ()
    sure = False
    if colon >= line:
        related = (("the first `:` of the line", colon, colon + 1),)
        begin = colon + 1 + len(text[colon + 1 : pos]) - len(text[colon + 1 : pos].lstrip(" "))
        if text[begin] not in _NO_TEXT:
            edits, sure = reading_repairs.rest_quoted(text, begin), not re.compile(_KEY_LIKE).search(text, begin, pos)
    hint = "quote a value that contains `: `, or start the mapping on its own line"
    return TextError(
        "a second `: ` is not allowed here: a value on the line of its key cannot be a mapping",
        pos,
        hint=reading_repairs.quote_it(edits) if sure else hint,
        related=related,
        edits=edits,
        sure=sure,
    )


def _colon_in_value(text: str, pos: int, value: Node, key: Node | None) -> TextError:
    """Return the error that a key follows in the lines of a plain value; mostly, a space is missing where it began."""
    word = (value.data if isinstance(value.data, str) else text[value.start : value.end]).split(" ")[0]
    if hint := missing_space(word):
        message = f"`{word[:40]}` is one word, not a key and its value"
        return TextError(message, value.start, value.start + len(word), hint=hint)
    name = key.data if key is not None and key.style == "" and isinstance(key.data, str) else ""
    if key is not None and (hint := missing_space(name, is_key=True)):
        message = f"`{name[:40]}` is a key here, not the start of a list item"
        return TextError(message, key.start, key.end, hint=hint)
    return TextError(
        "a mapping cannot start inside a value: the value that began above goes on here",
        pos,
        hint=f"indent this line like the key it belongs with, or write `: ` after `{word[:40]}`",
        related=(("the value starts here", value.start, value.end),),
    )


def _escape(found: _Failure) -> TextError:
    body = re.compile(_QUOTED).match(found.text, found.begin)
    assert body is not None
    try:
        decode_escapes(found.text, found.begin, body.end(), check_only=True)
    except TextError as error:
        return error
    return _open_quote(found)  # the text ends with its backslash


def _mark_in_quotes(found: _Failure) -> TextError:
    text, start, pos = found.text, found.begin, found.pos
    quote = text[start]
    return TextError(
        f"found `{text[pos : pos + 3]}` inside a quoted value",
        pos,
        pos + 3,
        hint=f"close the quote with {quote}",
        edits=reading_repairs.closed(text, start, quote),
        related=((f"the value starts with {quote} here", start, start + 1),),
    )


def _open_quote(found: _Failure) -> TextError:
    text, start = found.text, found.begin
    quote = text[start]
    return TextError(
        f"the quote {quote} is never closed",
        start,
        start + 1,
        hint=f"close the value with {quote}",
        edits=reading_repairs.closed(text, start, quote),
    )


def _tab(found: _Failure) -> TextError:
    is_block = found.text[found.begin] in "|>"
    what = f"the block value starts with `{found.text[found.begin]}` here" if is_block else "the value starts here"
    end = found.begin + (1 if is_block else len(line_from(found.text, found.begin).rstrip()))
    return tab_indents(found.text, found.pos, ((what, found.begin, end),))


def _no_line_end(found: _Failure) -> TextError:
    end = found.pos + len(line_from(found.text, found.pos))
    if found.context != "while scanning a block scalar":
        return TextError("only a comment may follow a directive on its line", found.pos, end)
    header = re.compile(_HEADER).match(found.text, found.begin)
    assert header is not None
    return TextError(
        f"only a comment may follow `{header[0]}` on its line",
        found.pos,
        end,
        hint="start the value on the next line, or quote it",
    )


def _no_name(found: _Failure) -> TextError:
    if "directive" in found.context or "tag" in found.context.lower():
        return _directive(found)
    text, begin = found.text, found.begin
    char = text[begin]
    word = line_from(text, begin).split(maxsplit=1)[0]
    edits = reading_repairs.rest_quoted(text, begin)
    hint = f"quote a value that starts with `{char}`{f': {edits[0][2]}' if edits else ''}"
    message = f"`{word[:40]}` is not a name of {'an anchor' if char == '&' else 'an alias'}"
    return TextError(message, begin, begin + len(word), hint=hint, edits=edits)


_DIRECTIVES = (
    ("%YAML", "expected a version after `%YAML`", "write `%YAML 1.1`"),
    ("%TAG", "expected a handle and a prefix after `%TAG`", "write `%TAG !name! prefix`"),
)


def _directive(found: _Failure) -> TextError:
    line = line_from(found.text, found.begin)
    end = found.begin + len(line)
    for name, message, hint in _DIRECTIVES:
        if line.startswith(name):
            return TextError(message, found.begin, end, hint=hint)
    if line.startswith("%"):
        return TextError(
            f"`{line[:40]}` is not a directive that YAML 1.1 knows",
            found.begin,
            end,
            hint="a line that starts with `%` is a directive: quote the value",
        )
    return _tag(found)


def _tag(found: _Failure) -> TextError:
    text, start, pos = found.text, found.begin, found.pos
    if text[start : start + 1] != "!":
        return _directive(found) if text[start : start + 1] == "%" else TextError("a tag is not complete", pos)
    if text.startswith("!<", start):
        return TextError("the tag `!<` is never closed", start, pos, hint="close it with `>`")
    if pos >= len(text) or text[pos].isspace():
        return TextError(f"expected the name of a tag after `{text[start:pos]}`", start, pos, hint="quote the value")
    return bad_tag(text, start, pos)


def too_many_levels(pos: int) -> TextError:
    """Return the error that a collection lies too deep."""
    hint = "put it less deep: no field of Kubernetes lies so deep"
    return TextError(f"more nested levels than dralint reads ({MOST_LEVELS:,})", pos, kind="too-large", hint=hint)


def bad_tag(text: str, start: int, pos: int) -> TextError:
    """Return the error that the tag at `start` has a character that none can have."""
    edits = reading_repairs.rest_quoted(text, start)
    hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
    related = (("the tag starts here", start, pos),)
    return TextError(f"`{text[pos]}` is not allowed in a tag", pos, hint=hint, related=related, edits=edits)


def _no_handle(found: _Failure) -> TextError:
    handle = re.compile("![0-9A-Za-z_-]*!?").match(found.text, found.pos)
    assert handle is not None
    tag = re.compile(_TAG).match(found.text, found.pos)
    assert tag is not None
    edits = reading_repairs.rest_quoted(found.text, found.pos)
    hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
    return TextError(f"the tag handle `{handle[0]}` is not declared", found.pos, tag.end(), hint=hint, edits=edits)


def _no_start(found: _Failure) -> TextError:
    text, start = found.text, found.pos
    _, end = _token(text, start, in_flow=False)
    if start >= len(text):
        start = text.find("%")
        end = start + len(line_from(text, start))
    return TextError("expected `---` after the directives", start, end, hint="add a line `---`")


def _second(found: _Failure) -> TextError:
    line = line_from(found.text, found.pos)
    directive, value = line.split()[:2]
    what = f" for `{value}`" if directive == "%TAG" else ""
    return TextError(f"a second {directive} directive{what}", found.pos, found.pos + len(line), hint="remove it")


def other_version(text: str) -> TextError:
    """Return the error that a directive names another version of YAML than 1.1."""
    version = re.search(_VERSION, text)
    assert version is not None
    return TextError(
        f"YAML {int(version[1])}.{int(version[2])} is not what Kubernetes reads: it accepts YAML 1.1 only",
        version.start(),
        version.end(),
        hint="remove the directive, or write `%YAML 1.1`",
    )


_WORDS: dict[str, Callable[[_Failure], TextError]] = {
    "could not find expected ':'": _no_colon,
    "block sequence entries are not allowed in this context": lambda found: TextError(
        "a list item cannot start here", found.pos, hint="start the list on its own line, or quote the value"
    ),
    "mapping keys are not allowed in this context": lambda found: TextError(
        "a `? ` key cannot start here", found.pos, hint="quote the value"
    ),
    "mapping values are not allowed in this context": _second_colon,
    "found character that cannot start any token": _cannot_start,
    "found an indentation indicator equal to 0": lambda found: TextError(
        "the indentation of a block value cannot be 0",
        found.pos,
        hint="leave the digit out: the first line shows the indentation",
    ),
    "found a tab character where an indentation space is expected": _tab,
    "found a tab character that violates indentation": _tab,
    "did not find expected comment or line break": _no_line_end,
    "found unexpected document indicator": _mark_in_quotes,
    "found unexpected end of stream": _open_quote,
    "found unknown escape character": _escape,
    "did not find expected hexdecimal number": _escape,
    "found invalid Unicode character escape code": _escape,
    "did not find expected alphabetic or numeric character": _no_name,
    "could not find expected directive name": _directive,
    "found unexpected non-alphabetical character": _directive,
    "found unknown directive name": _directive,
    "found extremely long version number": _directive,
    "did not find expected version number": _directive,
    "did not find expected digit or '.' character": _directive,
    "did not find expected whitespace": _directive,
    "did not find expected whitespace or line break": _tag,
    "did not find expected tag URI": _tag,
    "did not find the expected '>'": _tag,
    "did not find expected '!'": _tag,
    "did not find URI escaped octet": _tag,
    "found an incorrect leading UTF-8 octet": _tag,
    "found an incorrect trailing UTF-8 octet": _tag,
    "found undefined tag handle": _no_handle,
    "did not find expected <document start>": _no_start,
    "found duplicate %YAML directive": _second,
    "found duplicate %TAG directive": _second,
    "found incompatible YAML document": lambda found: other_version(found.text),
    "did not find expected node content": _no_node,
    **dict.fromkeys(
        ("did not find expected '-' indicator", "did not find expected key"),
        lambda found: _unexpected_at(found.text, found.pos, found.node),
    ),
    "did not find expected ',' or ']'": _unexpected_in_flow,
    "did not find expected ',' or '}'": _unexpected_in_flow,
    "exceeded maximum nesting depth": lambda found: too_many_levels(found.pos),
}
"""What libyaml says -> what dralint says. An error that is not here keeps libyaml's words."""
