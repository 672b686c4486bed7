"""Words the errors of texts that are not YAML: what was found, what was expected, and what to do."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from dralint.yaml import reading_repairs, tokens
from dralint.yaml.nodes import ALIAS, MAPPING, SEQUENCE
from dralint.yaml.nodes import SCALAR as SCALAR_NODE
from dralint.yaml.place import TextError
from dralint.yaml.reading_repairs import missing_space
from dralint.yaml.tokens import BREAKS, PLAIN, SCALAR, VALUE, Token, line_start

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.yaml.nodes import Node
    from dralint.yaml.place import Edits

_LINE = re.compile(f"[^{BREAKS}]*+")
_WORD = re.compile(r"[^\s]*")
_DIRECTIVE = re.compile(r"%(?:YAML|TAG)\b")
_KEY_LINE = re.compile(r"\n[ \t]*(?:- +)*[A-Za-z_][\w./-]*:(?=\s)")
_BLOCK = ("|", ">")
_QUOTES = ("'", '"')
_DASHES = re.compile(r"[\u002d\u2010-\u2015\u2212]{2,4}(?=[ \t]*$)", re.MULTILINE)
_FLOW = ("[", "{")
_OPENING = "\"'[{"
"""The first characters of values that end on the same line with their own mark."""
_NO_TEXT = "\"'[{&*!|>%@`"
"""The first characters of values that are not plain scalars."""
_KEY_LIKE = re.compile(r"(?<!\S)[\w./-]+\Z")
"""Words that can be a key of their own: a line end is missing before them, or the text is `a: b: c`."""


def _odd_separator(text: str, start: int) -> TextError | None:
    """Return the error that a line of dashes is not a separator because one only looks like a hyphen; None for other
    lines."""
    dashes = _DASHES.match(text, start)
    if dashes is None or dashes[0].isascii() or line_start(text, start) != start:
        return None
    odd = next(character for character in dashes[0] if not character.isascii())
    message = f"`{dashes[0]}` is not a document separator: it has the dash U+{ord(odd):04X} in it"
    edits = ((start, dashes.end(), "---"),)
    return TextError(message, start, dashes.end(), hint="write `---` with three hyphens", edits=edits)


_ODD_SPACES = "\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff"
"""Characters that look like a space, or like nothing, and separate nothing in YAML (Unicode's category Zs and two)."""
_ODD_DASHES = "\u2010-\u2015\u2022\u2212"
_ODD_COLONS = "\u2236\ua789\ufe55\uff1a"
_ODD = re.compile(f"[{_ODD_SPACES}{_ODD_DASHES}{_ODD_COLONS}]")
_BLOCK_BEGINS = re.compile(r"[|>][-+1-9]*[ \t]*$", re.MULTILINE)
_AT_END = re.compile(f"[ {_ODD_SPACES}]*$", re.MULTILINE)
_NO_WIDTH = "\u200b\ufeff"
_SPACED = re.compile(
    rf"^[ {_ODD_SPACES}]*(?:[-{_ODD_DASHES}][ {_ODD_SPACES}]+)*"
    rf"(?:(?:[\w./-]+:|[A-Za-z][\w./-]*[{_ODD_COLONS}])[ {_ODD_SPACES}]*)?|[{_ODD_SPACES}]+$",
    re.MULTILINE,
)
"""What separates the parts of a line: its indentation, dashes, a key with the space behind it, and the end."""


def plain_marks(text: str) -> Edits:
    """Replace what only looks like the space, dash or colon that indents or separates by the plain one."""
    edits: list[tuple[int, int, str]] = []
    for part in _SPACED.finditer(text) if not text.isascii() else ():
        for odd in _ODD.finditer(text, part.start(), part.end()):
            if re.match(f"[{_ODD_SPACES}]", odd[0]):
                new = "" if odd[0] in _NO_WIDTH or _AT_END.match(text, odd.end()) else " "
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
    if not sure and _BLOCK_BEGINS.search(text):
        line, end = text.rfind("\n", 0, there[-1]), text.find("\n", there[-1])
        edits = tuple(edit for edit in edits if edit[0] > line and (edit[0] < end or end < 0))
        start = edits[0][0]
    new = next(new for at, _, new in edits if at == start)
    code, name = f"U+{ord(text[start]):04X}", unicodedata.name(text[start], "").lower()
    what = {"-": "begins no item", "": "is no space", " ": "is no space"}.get(new, "ends no key")
    message = f"the character {code} ({name}) {what} in YAML: it is a part of the word next to it"
    hint = {"": "remove it", " ": "write a plain space", "-": "write `- `"}.get(new, "write `: `")
    return TextError(message, start, hint=hint, edits=edits, sure=sure)


def missing_colon(text: str, start: int) -> TextError:
    """Return the error that a key must start at `start`."""
    if separator := _odd_separator(text, start):
        return separator
    stop = _LINE.match(text, start)
    assert stop is not None
    words = stop[0].split(" #")[0].rstrip()
    shown = words if len(words) <= 40 else words[:37] + "..."
    return TextError(
        f"expected a key followed by `:`, found `{shown}`",
        start,
        start + max(len(words), 1),
        hint=missing_space(words)
        or "write `key: value`; a value that goes on over several lines is indented more than its key",
    )


def unclosed_quote(text: str, start: int, end: int) -> TextError | None:
    """Return the error that the quoted value text[start:end] is not closed on its line; lines like `key:` in it show
    this."""
    if not _KEY_LINE.search(text, start, end):
        return None
    stop = _LINE.match(text, start)
    assert stop is not None
    shown, quote = stop[0].split(" #")[0].rstrip(), text[start]
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


def value_not_allowed(text: str, items: list[Token], pos: int, line: int) -> TextError:
    """Return the reason why no mapping can start at the `:` at `pos`, on the line that starts at `line`."""
    for kind, start, end, _, style in items[-3:]:
        if kind == SCALAR and style in ("'", '"') and (left_open := unclosed_quote(text, start, end)):
            return left_open
    kind, start, end, value, style = items[-1]
    if kind == SCALAR and style == PLAIN and start < line and isinstance(value, str):
        first = value.split(" ")[0]
        if slip := _slip_before(items):
            return slip
        return TextError(
            "a mapping cannot start inside a value: the value that began above goes on here",
            pos,
            hint=f"indent this line like the key it belongs with, or write `: ` after `{first[:40]}`",
            related=(("the value starts here", start, end),),
        )
    related: tuple[tuple[str, int, int], ...] = ()
    edits: Edits = ()
    sure = False
    for kind, start, end, _, _ in reversed(items):
        if kind == VALUE:
            if start >= line:
                related = (("the first `:` of the line", start, end),)
                begin = end + len(text[end:pos]) - len(text[end:pos].lstrip(" "))
                if text[begin] not in _NO_TEXT:
                    edits, sure = reading_repairs.rest_quoted(text, begin), not _KEY_LIKE.search(text, begin, pos)
            break
    return TextError(
        "a second `: ` is not allowed here: a value on the line of its key cannot be a mapping",
        pos,
        hint=reading_repairs.quote_it(edits)
        if sure
        else "quote a value that contains `: `, or start the mapping on its own line",
        related=related,
        edits=edits,
        sure=sure,
    )


def _slip_before(items: list[Token]) -> TextError | None:
    """Return the error that a value over several lines began with a missing space; None if it did not."""
    _, start, _, value, _ = items[-1]
    assert isinstance(value, str)
    word = value.split(" ")[0]
    if hint := missing_space(word):
        message = f"`{word[:40]}` is one word, not a key and its value"
        return TextError(message, start, start + len(word), hint=hint)
    if len(items) > 2 and items[-2][0] == VALUE:
        kind, start, end, key, style = items[-3]
        if kind == SCALAR and style == PLAIN and isinstance(key, str) and (hint := missing_space(key, is_key=True)):
            message = f"`{key[:40]}` is a key here, not the start of a list item"
            return TextError(message, start, end, hint=hint)
    return None


def bad_anchor(text: str, pos: int, char: str) -> TextError:
    """Return the error that no name follows `&` or `*`."""
    what = "an anchor" if char == "&" else "an alias"
    word = _WORD.match(text, pos)
    assert word is not None
    edits = reading_repairs.rest_quoted(text, pos)
    hint = f"quote a value that starts with `{char}`{f': {edits[0][2]}' if edits else ''}"
    return TextError(f"`{word[0][:40]}` is not a name of {what}", pos, max(word.end(), pos + 1), hint=hint, edits=edits)


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


def cannot_start(text: str, pos: int, char: str) -> TextError:
    """Return the error that a value cannot start with this character."""
    if char == "\t":
        return tab_indents(text, pos)
    if _DIRECTIVE.match(text, pos):
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


def unexpected(text: str, kind: int, start: int, end: int, node: Node) -> TextError:
    """Return the error for a token that neither continues nor ends a block collection."""
    last = _last(node)
    if last.style in _QUOTES and (left_open := unclosed_quote(text, last.start, last.end)):
        return left_open
    if separator := _odd_separator(text, start):
        return separator
    what = _found(kind, text, start, end)
    end = max(end, start + 1)
    if (
        kind in (tokens.SCALAR, tokens.KEY)
        and last.style in _BLOCK
        and (outside := _outside(text, what, start, end, last))
    ):
        return outside
    is_mapping = node.kind == MAPPING
    begins = "the mapping starts here" if is_mapping else "the list starts here"
    related = ((begins, node.start, node.start + 1),)
    if kind in (tokens.FLOW_SEQUENCE_END, tokens.FLOW_MAP_END):
        opening = "[" if kind == tokens.FLOW_SEQUENCE_END else "{"
        return TextError(f"{what} has no `{opening}` before it", start, end, hint="remove it, or quote the value")
    begin = line_start(text, start)
    if text[begin:start].strip(" \t-"):
        return _behind_value(text, kind, start, end, what, node)
    column = node.start - line_start(text, node.start)
    if start - begin != column:
        things = "key" if is_mapping else "list item"
        wanted = SEQUENCE if kind == tokens.ENTRY else MAPPING
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
    if kind == tokens.SCALAR:
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


def _behind_value(text: str, kind: int, start: int, end: int, what: str, node: Node) -> TextError:
    """Return the error that something follows a value on its line."""
    value = node.children[-1] if node.children else node
    on_this_line = value.start >= line_start(text, start)
    message = f"expected the end of the line after the value, found {what}"
    if kind == tokens.ANCHOR and on_this_line and value.kind == SCALAR_NODE:
        before = f"{text[start:end]} {text[value.start : value.end]}"
        rest = _LINE.match(text, end)
        if rest is not None and not rest[0].strip():
            moved = ((value.start, end, before),)
            return TextError(message, start, end, hint=f"an anchor comes first: {before}", edits=moved, sure=False)
    if on_this_line and (listed := reading_repairs.several(text, value.start)):
        hint = f"a list is written in brackets: {listed[0][2]}"
        return TextError(message, start, end, hint=hint, edits=listed, sure=False)
    edits = reading_repairs.requoted(text, value.start) if on_this_line and text[value.start] in _OPENING else ()
    return TextError(message, start, end, hint=reading_repairs.quote_it(edits), edits=edits)


def _outside(text: str, what: str, start: int, end: int, block: Node) -> TextError | None:
    """Return the error that a line is outside of the block scalar above it, and is neither a key nor a list item."""
    stop = _LINE.match(text, start)
    first = re.search(r"\n([ \t]*)\S", text[block.start : block.end])
    if stop is None or first is None or re.match(r"- |[\w./-]+:(?:\s|$)", stop[0]):
        return None
    return TextError(
        f"{what} lies outside of the block that `{block.style}` begins",
        start,
        end,
        hint=f"indent it like the lines of the block, to column {len(first[1]) + 1}",
        related=(("the block starts here", block.start, block.start + 1),),
    )


def unexpected_in_flow(text: str, kind: int, start: int, end: int, node: Node) -> TextError:
    """Return the error for a token that neither continues nor ends a flow collection."""
    last = _last(node)
    if last.style in _QUOTES and (left_open := unclosed_quote(text, last.start, last.end)):
        return left_open
    closing = "]" if node.style == "[" else "}"
    opening = "[" if closing == "]" else "{"
    if kind in (tokens.STREAM_END, tokens.DOCUMENT_START, tokens.DOCUMENT_END):
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
        return TextError(message, start, max(end, start + 1), hint=reading_repairs.quote_it(edits), edits=edits)
    return TextError(
        f"expected `,` or `{closing}`, found {_found(kind, text, start, end)}",
        start,
        max(end, start + 1),
        hint=f"separate entries by `,` and close `{opening}` with `{closing}`",
        related=((f"`{opening}` was opened here", node.start, node.start + 1),),
        edits=reading_repairs.closed(text, node.start, closing) if line_start(text, start) > node.start else (),
    )


def no_node(text: str, kind: int, start: int, end: int) -> TextError:
    """Return the error that a value is missing here."""
    return TextError(
        f"expected a value, found {_found(kind, text, start, end)}",
        start,
        max(end, start + 1),
        hint="quote the value if it is meant as text",
    )


def bad_key(key: Node) -> TextError:
    """Return the reason why a node cannot be the key of a mapping."""
    node = key.children[0] if key.kind == ALIAS else key
    if node.kind == SCALAR_NODE:
        what = "null cannot be a key" if node.data is None else f"the number {node.data} is too large for a key"
        hint = "quote the key"
    else:
        what = f"a {'list' if node.kind == SEQUENCE else 'mapping'} cannot be a key"
        hint = "quote the key if it is meant as text" + (
            "; `{{` starts a template, which must be rendered first" if node.style == "{" else ""
        )
    return TextError(what, key.start, max(key.end, key.start + 1), kind="bad-key", hint=hint)


def duplicate_key(text: str, mapping: Node, name: str, key: Node, first: Node) -> TextError:
    """Return the error that a key occurs twice in its mapping."""
    cut = reading_repairs.cut_at_comma(text, mapping, key)
    hint = (cut and cut[1]) or missing_space(name, is_key=True)
    remove = "remove one of the two: kubectl silently keeps the last"
    edits: Edits = ()
    if hint is None and begins_item(text, mapping, key):
        stop = _LINE.match(text, key.start)
        assert stop is not None
        hint = f"begin a new item, `- {stop[0].split(' #')[0].rstrip()[:60]}`, or {remove}"
        edits = ((key.start - 2, key.start, "- "),)
    return TextError(
        f"the key {quote(name)} occurs twice",
        key.start,
        max(key.end, key.start + 1),
        kind="duplicate-key",
        hint=hint or remove,
        related=((f"the first {quote(name)}", first.start, first.end),),
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
        max(key.end, key.start + 1),
        kind="missing-separator",
        hint="put `---` on its own line before it: kubectl silently mixes the two objects into one",
        related=(("the first object", first.start, first.end),),
    )


def quote(text: str) -> str:
    """Return a key in quotes, shortened if it is long."""
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f'"{shown}"'


_NAMES: Final = {
    tokens.VALUE: "`:`",
    tokens.ENTRY: "a list item",
    tokens.DOCUMENT_START: "the document separator `---`",
    tokens.DOCUMENT_END: "the document end `...`",
    tokens.STREAM_END: "the end of the text",
}


def _found(kind: int, text: str, start: int, end: int) -> str:
    if kind in _NAMES:
        return _NAMES[kind]
    word = text[start : max(end, start + 1)]
    if kind == tokens.KEY:
        word = text[start : start + 200].split(":")[0].split("\n")[0]
    first = word.split("\n")[0]
    return f"`{first if len(first) <= 40 else first[:37] + '...'}`"
