"""Scans text into YAML tokens as go-yaml v2 does.

The rules (characters that break a line, places for tabs, keys on one line, depth of nesting) are those of scannerc.go
and readerc.go of go.yaml.in/yaml/v2 v2.4.4, and were checked against that library. The words of the errors are
dralint's own. A large text is scanned in parts, when the parser needs them: a token takes a hundred times the bytes of
its character. An error of the scanner waits in the tokens until the parser reaches it, because nothing after the end of
the document matters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dralint.yaml import reading_repairs
from dralint.yaml.directives import directive, tag
from dralint.yaml.line_tokens import SHORT_CUTS_PAY, ShortCuts
from dralint.yaml.place import TextError
from dralint.yaml.possessive import compiled
from dralint.yaml.quoted import decode_escapes, fold_double, fold_single
from dralint.yaml.syntax_errors import bad_anchor, cannot_start, missing_colon, tab_indents, value_not_allowed
from dralint.yaml.tokens import (
    ALIAS,
    ANCHOR,
    ANY_BREAK,
    BLOCK_END,
    BLOCK_MAP,
    BLOCK_SEQUENCE,
    BREAKS,
    COLON,
    COMMA,
    DOCUMENT_END,
    DOCUMENT_START,
    ENTRY,
    ERROR,
    FLOW_MAP,
    FLOW_MAP_END,
    FLOW_SEQUENCE,
    FLOW_SEQUENCE_END,
    KEY,
    KEY_REACH,
    LITERAL,
    MAX_DEPTH,
    PLAIN,
    SCALAR,
    STREAM_END,
    VALUE,
    Token,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_TOKENS: Final = 3_000_000
_TOKENS_OF_A_PART: Final = 2_000

_BLANKZ = f"(?=[ \t{BREAKS}]|\\Z)"
_BLOCK_GAP = compiled(f"((?: *(?:#[^{BREAKS}]*+)?{ANY_BREAK})*+) *(?:#[^{BREAKS}]*+)?")
_FLOW_GAP = compiled(f"((?:[ \t]*(?:#[^{BREAKS}]*+)?{ANY_BREAK})*+)[ \t]*(?:#[^{BREAKS}]*+)?")
_REST_OF_LINE = re.compile(f"[ \t]*(?:#[^{BREAKS}]*+)?({ANY_BREAK})?")
_EMPTY_LINES = re.compile(r"[\n\r]++")
_BLANKS = re.compile(f"[ \t]*({ANY_BREAK})?")
_NEXT_LINE = re.compile(f"[ \t]*{ANY_BREAK}( *)(?=[^ \t{BREAKS}])")
_BREAK = re.compile(ANY_BREAK)
_LINE = re.compile(f"[^{BREAKS}]*+")
_BLOCK_WORD = f"[^ \t:{BREAKS}]*+(?:{COLON}[^ \t:{BREAKS}]*+)*+"
_BLOCK_PLAIN = compiled(f"{_BLOCK_WORD}(?:[ \t]++(?!#)(?=[^{BREAKS}:]|{COLON}){_BLOCK_WORD})*+")
_FLOW_CHAR = f"[^][ \t:{{}},?{BREAKS}]"
_FLOW_WORD = f"{_FLOW_CHAR}*+(?:{COLON}{_FLOW_CHAR}*+)*+"
_FLOW_PLAIN = compiled(f"{_FLOW_WORD}(?:[ \t]++(?!#)(?=[^][{{}},?{BREAKS}:]|{COLON}){_FLOW_WORD})*+")
_DOUBLE = re.compile(f'"([^"\\\\{BREAKS}]*+)"')
_DOUBLE_BODY = compiled(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_SINGLE = re.compile(f"'([^'{BREAKS}]*+)'(?!')")
_SINGLE_BODY = compiled("'((?:[^']++|'')*+)'")
_HAS_BREAK = re.compile(f"[{BREAKS}]")
_BLOCK_HEADER = re.compile("[|>](?:([+-])([0-9]?)|([0-9])([+-]?))?")
_ANCHOR = re.compile(r"[&*]([0-9A-Za-z_-]+)(?=[ \t\n\r\x85\u2028\u2029?:,\]}%@`]|\Z)")
_DOCUMENT_MARK = re.compile(rf"(?:---|\.\.\.){_BLANKZ}")
_INDENT = re.compile(" *")
_MARK_AT_LINE_START = re.compile(f"[{BREAKS}](---|\\.\\.\\.)(?=[ \t{BREAKS}]|\\Z)")


class Scanner:
    """The tokens of a text, scanned in parts; the last one is STREAM_END, DOCUMENT_END, DOCUMENT_START or ERROR.

    Attributes:
        items: the tokens. Only the first `final` stay as they are: before a later one, a key may still be inserted.
        error: what the token ERROR stands for.
        waiting: the numbers of the tokens that were still candidates for a key when the scanner failed.
        block_indents: the column of the content of a block scalar, by the offset of its `|` or `>`.
    """

    __slots__ = (
        "_parts",
        "block_indents",
        "error",
        "final",
        "indent",
        "indents",
        "items",
        "keys",
        "last_key",
        "last_line",
        "last_pos",
        "levels",
        "line",
        "pos",
        "text",
        "unwatched",
        "waiting",
    )

    def __init__(self, text: str, start: int) -> None:
        """Take `text` from the offset `start` (after a byte order mark); nothing is scanned yet."""
        self.text = text
        self.pos = start
        self.line = start
        self.indent = -1
        self.indents: list[int] = []
        # The last candidate for a key of each open flow collection; first the bracket itself.
        self.levels: list[int] = []
        self.unwatched: set[int] = set()
        # One entry per flow level: token number, offset, offset of its line, whether it must be a key.
        self.keys: list[tuple[int, int, int, bool] | None] = [None]
        self.last_pos = start
        self.last_line = start
        self.last_key: tuple[int, int, int, bool] | None = None
        self.items: list[Token] = []
        self.final = 0
        self.error: TextError | None = None
        self.waiting: frozenset[int] = frozenset()
        self.block_indents: dict[int, int] = {}
        self._parts: Iterator[None] | None = self.run()

    def more(self, used: int) -> bool:
        """Scan the next part, and forget the first `used` tokens; do nothing and return False after the last part."""
        if self._parts is None:
            return False
        del self.items[:used]
        self.levels = [number - used for number in self.levels]
        self.keys[:] = [key and (key[0] - used, *key[1:]) for key in self.keys]
        self.last_key = self.keys[-1]
        self.unwatched = {key[0] for key in self.keys if key and key[0] + used in self.unwatched}
        try:
            for _ in self._parts:
                self.final = self._settled()
                return True
        except TextError as error:
            self.error = error.with_traceback(None)  # it would hold this scanner
            self.waiting = self.candidates()
            self.items.append((ERROR, error.start, error.end, "", PLAIN))
        self._parts = None
        self.final = len(self.items)
        return True

    def stop(self) -> None:
        """Scan no more; what is left of a text would hold this scanner."""
        self._parts = None

    def failure(self) -> TextError:
        """Return the error of the token ERROR, and keep it no longer: once raised, it holds what holds this scanner."""
        error, self.error = self.error, None
        assert error is not None
        return error

    def candidates(self) -> frozenset[int]:
        """Return the tokens for which go-yaml would have looked ahead into the error.

        It forgets to do so for the bracket of a flow collection in which nothing could be a key.
        """
        return frozenset(
            key[0]
            for key in (*self.keys, self.last_key)
            if key
            and key[0] not in self.unwatched
            and (key[3] or (key[2] == self.last_line and self.last_pos - key[1] <= KEY_REACH))
        )

    def _settled(self) -> int:
        """Return how many tokens stay as they are: no key can be inserted before them, and none of them is missing."""
        line, pos = self.last_line, self.last_pos
        return min(
            (key[0] for key in self.keys if key and (key[3] or (key[2] == line and pos - key[1] <= KEY_REACH))),
            default=len(self.items),
        )

    def run(self) -> Iterator[None]:
        """Scan up to the end of the document; yield after each part.

        This is one loop over local variables, with one turn per token. A turn skips white space and comments, closes
        the blocks that the new column ends, and emits the tokens of what comes next: a document mark, an indicator
        (`-`, `:`, `?`, a bracket, a comma), or a scalar with its anchor or tag.

        - `allowed`: a key may begin here, because a line or a flow entry begins.
        - `keys[-1]`: the token that becomes a key if a colon follows on its line. The colon inserts KEY before it.
        - `flow`: the number of open brackets; within them columns do not count.
        """
        text = self.text
        items = self.items
        emit = items.append
        keys = self.keys
        pos = self.pos
        line = self.line
        allowed = True
        flow = 0
        content = False
        pause, most = _TOKENS_OF_A_PART, _MOST_TOKENS
        short_cuts = ShortCuts(text, items) if len(text) > SHORT_CUTS_PAY else None
        while True:
            # Gap between tokens.
            self.last_pos = pos
            self.last_line = line
            self.last_key = keys[-1]
            if len(items) > pause:
                if len(items) > most:
                    raise TextError(
                        "the document has more keys and values than dralint reads",
                        pos,
                        kind="too-large",
                        hint="the API server takes at most 3 MiB in one request: split the document",
                    )
                most -= len(items)
                yield
                most += len(items)
                pause = min(len(items) + _TOKENS_OF_A_PART, most)
            char = text[pos : pos + 1]
            if char in " \t#\n\r\x85\u2028\u2029" and char:
                if flow:
                    gap = _FLOW_GAP.match(text, pos)
                    assert gap is not None
                    if gap[1]:
                        line = gap.end(1)
                    pos = gap.end()
                else:
                    if not allowed:
                        rest = _REST_OF_LINE.match(text, pos)
                        assert rest is not None
                        pos = rest.end()
                        if rest[1]:
                            line = pos
                            allowed = True
                    if allowed:
                        gap = _BLOCK_GAP.match(text, pos)
                        assert gap is not None
                        if gap[1]:
                            line = gap.end(1)
                        pos = gap.end()
                char = text[pos : pos + 1]
            column = pos - line
            if not flow and self.indent > column:
                indents = self.indents
                indent = self.indent
                while indent > column:
                    emit((BLOCK_END, pos, pos, "", PLAIN))
                    indent = indents.pop()
                self.indent = indent

            if not char:
                self._end_stream(pos)
                return
            # Directives and document marks are only in the first column.
            if column == 0 and char in "%-.":
                if char == "%":
                    self._forget_key(pos)
                    self._unroll(pos)
                    allowed = False
                    token, pos = directive(text, pos)
                    emit(token)
                    if text[pos - 1] in BREAKS:
                        line = pos
                    continue
                if _DOCUMENT_MARK.match(text, pos):
                    self._unroll(pos)
                    self._forget_key(pos)
                    end_kind = DOCUMENT_START if char == "-" else DOCUMENT_END
                    emit((end_kind, pos, pos + 3, "", PLAIN))
                    if char == "." or content:
                        return
                    content = True
                    allowed = False
                    pos += 3
                    continue
            content = True
            if short_cuts is not None and allowed and keys[-1] is None:
                taken = short_cuts.entry(pos, line, flow > 0, self)
                if taken is not None:
                    pos, line, allowed = taken
                    continue
            following = text[pos + 1 : pos + 2]
            blank_follows = following in " \t\n\r\x85\u2028\u2029"

            if char == "-" and blank_follows:
                if not flow:
                    if not allowed:
                        raise TextError(
                            "a list item cannot start here",
                            pos,
                            hint="start the list on its own line, or quote the value",
                        )
                    if self.indent < column:
                        self.roll(column, -1, BLOCK_SEQUENCE, pos)
                if (key := keys[-1]) is not None:
                    self._drop_key(key)
                allowed = True
                emit((ENTRY, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if char == ":" and (blank_follows or flow):
                # The text before it on this line is a key; if there is none, the key is empty.
                key = keys[-1]
                if key is not None and (key[2] != line or pos - key[1] > KEY_REACH):
                    if key[3]:
                        raise missing_colon(self.text, key[1])
                    keys[-1] = key = None
                if key is not None:
                    number, key_pos, _, _ = key
                    items.insert(number, (KEY, key_pos, key_pos, "", PLAIN))
                    if not flow and self.indent < key_pos - line:
                        self.roll(key_pos - line, number, BLOCK_MAP, key_pos)
                    keys[-1] = None
                    allowed = False
                else:
                    if not flow:
                        if not allowed:
                            raise value_not_allowed(self.text, items, pos, line)
                        if self.indent < column:
                            self.roll(column, -1, BLOCK_MAP, pos)
                    allowed = not flow
                emit((VALUE, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if char in "[{":
                if allowed:
                    self._save_key(pos, line, column, flow)
                keys.append(None)
                flow += 1
                self.levels.append(len(items))
                if flow > MAX_DEPTH:
                    raise TextError(f"more than {MAX_DEPTH:,} nested flow collections", pos, kind="too-deep")
                allowed = True
                emit((FLOW_SEQUENCE if char == "[" else FLOW_MAP, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if char in "]}":
                if (key := keys[-1]) is not None:
                    self._drop_key(key)
                if flow:
                    flow -= 1
                    keys.pop()
                    self.unwatched.add(self.levels.pop())
                allowed = False
                emit((FLOW_SEQUENCE_END if char == "]" else FLOW_MAP_END, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if char == ",":
                if (key := keys[-1]) is not None:
                    self._drop_key(key)
                allowed = True
                emit((COMMA, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if char == "?" and (blank_follows or flow):
                if not flow:
                    if not allowed:
                        raise TextError("a `? ` key cannot start here", pos, hint="quote the value")
                    if self.indent < column:
                        self.roll(column, -1, BLOCK_MAP, pos)
                if (key := keys[-1]) is not None:
                    self._drop_key(key)
                allowed = not flow
                emit((KEY, pos, pos + 1, "", PLAIN))
                pos += 1
                continue
            if (char == "|" or char == ">") and not flow:
                if (key := keys[-1]) is not None:
                    self._drop_key(key)
                allowed = True
                self.pos, self.line = pos, line
                self._block_scalar(char)
                pos, line = self.pos, self.line
                continue

            # The rest may be a key.
            if char in "@`%|>\t":
                raise cannot_start(text, pos, char)
            if allowed:
                self._save_key(pos, line, column, flow)
            if char == '"' or char == "'":
                quoted = (_DOUBLE if char == '"' else _SINGLE).match(text, pos)
                allowed = False
                if quoted:
                    end = quoted.end()
                    emit((SCALAR, pos, end, quoted[1], char))
                    pos = end
                    continue
                self.pos, self.line = pos, line
                self._quoted(char)
                pos, line = self.pos, self.line
                continue
            if char == "&" or char == "*":
                allowed = False
                name = _ANCHOR.match(text, pos)
                if name is None:
                    raise bad_anchor(text, pos, char)
                emit((ANCHOR if char == "&" else ALIAS, pos, name.end(), name[1], PLAIN))
                pos = name.end()
                continue
            if char == "!":
                allowed = False
                token = tag(text, pos)
                emit(token)
                pos = token[2]
                continue

            # A plain scalar. Most end with their line; the others continue on the next line.
            plain = (_FLOW_PLAIN if flow else _BLOCK_PLAIN).match(text, pos)
            assert plain is not None
            end = plain.end()
            allowed = False
            if not flow and (next_line := _NEXT_LINE.match(text, end)) and len(next_line[1]) <= self.indent:
                emit((SCALAR, pos, end, plain[0], PLAIN))
                line, pos = next_line.span(1)
                allowed = True
                continue
            blanks = _BLANKS.match(text, end)
            assert blanks is not None
            if not blanks[1]:
                emit((SCALAR, pos, end, plain[0], PLAIN))
                pos = end
                continue
            allowed = self._plain(pos, end, blanks.end(), plain[0], flow)
            pos, line = self.pos, self.line

    # Keys and indentation.

    def _save_key(self, pos: int, line: int, column: int, flow: int) -> None:
        key = self.keys[-1]
        if key is not None and key[3]:
            raise missing_colon(self.text, key[1])
        number = len(self.items)
        self.keys[-1] = (number, pos, line, not flow and self.indent == column)
        if flow:
            self.levels[-1] = number

    def _drop_key(self, key: tuple[int, int, int, bool]) -> None:
        if key[3]:
            raise missing_colon(self.text, key[1])
        self.keys[-1] = None

    def _forget_key(self, pos: int) -> None:
        if (key := self.keys[-1]) is not None:
            self._drop_key(key)

    def roll(self, column: int, number: int, kind: int, pos: int) -> None:
        self.indents.append(self.indent)
        self.indent = column
        if len(self.indents) > MAX_DEPTH:
            raise TextError(f"more than {MAX_DEPTH:,} nested levels", pos, kind="too-deep")
        token: Token = (kind, pos, pos, "", PLAIN)
        if number < 0:
            self.items.append(token)
        else:
            self.items.insert(number, token)

    def _unroll(self, pos: int) -> None:
        if len(self.keys) > 1:
            return
        while self.indent > -1:
            self.items.append((BLOCK_END, pos, pos, "", PLAIN))
            self.indent = self.indents.pop()

    def _end_stream(self, pos: int) -> None:
        self._unroll(pos)
        self._forget_key(pos)
        self.items.append((STREAM_END, pos, pos, "", PLAIN))

    # Scalars over several lines.

    def _plain(self, start: int, end: int, pos: int, value: str, flow: int) -> bool:
        """Continue a plain scalar whose first line is read up to `end`; `pos` is the start of the next line."""
        text = self.text
        least = self.indent + 1
        pattern = _FLOW_PLAIN if flow else _BLOCK_PLAIN
        parts = [value]
        line_break = _BREAK.search(text, end)
        assert line_break is not None
        line = pos
        while True:
            first = _normal(line_break[0])
            rest = ""
            while True:
                if pos == line and (empty := _EMPTY_LINES.match(text, pos)):
                    rest += _line_feeds(empty[0])
                    pos = line = empty.end()
                blanks = _BLANKS.match(text, pos)
                assert blanks is not None
                tab = text.find("\t", pos, min(blanks.end(), line + least))
                if tab >= 0:
                    raise tab_indents(text, tab, (("the value starts here", start, end),))
                if not blanks[1]:
                    pos = blanks.end()
                    break
                rest += _normal(blanks[1])
                pos = line = blanks.end()
            going_on = pos < len(text) and text[pos] != "#" and (flow or pos - line >= least)
            if going_on and pos == line and _DOCUMENT_MARK.match(text, pos):
                going_on = False
            if going_on:
                more = pattern.match(text, pos)
                assert more is not None
                if more.end() > pos:
                    parts.append(_fold(first, rest))
                    parts.append(more[0])
                    end = more.end()
                    blanks = _BLANKS.match(text, end)
                    assert blanks is not None
                    if blanks[1]:
                        line_break = _BREAK.search(text, end)
                        assert line_break is not None
                        pos = line = blanks.end()
                        continue
                    self.pos, self.line = end, line
                    self.items.append((SCALAR, start, end, "".join(parts), PLAIN))
                    return False
            self.pos, self.line = pos, line
            self.items.append((SCALAR, start, end, "".join(parts), PLAIN))
            return True

    def _quoted(self, quote: str) -> None:
        text, start = self.text, self.pos
        body = (_DOUBLE_BODY if quote == '"' else _SINGLE_BODY).match(text, start)
        limit = body.end() if body else len(text)
        multiline = _HAS_BREAK.search(text, start, limit)
        if multiline and (mark := _MARK_AT_LINE_START.search(text, start, limit)):
            raise TextError(
                f"found `{mark[1]}` inside a quoted value",
                mark.start(1),
                mark.end(1),
                hint=f"close the quote with {quote}",
                edits=reading_repairs.closed(text, start, quote),
                related=((f"the value starts with {quote} here", start, start + 1),),
            )
        if quote == '"':
            decode_escapes(text, start, limit, check_only=True)
        if body is None:
            raise TextError(
                f"the quote {quote} is never closed",
                start,
                start + 1,
                hint=f"close the value with {quote}",
                edits=reading_repairs.closed(text, start, quote),
            )
        if quote == "'":
            value = fold_single(body[1]) if multiline else body[1].replace("''", "'")
        elif multiline:
            value = fold_double(text, start, limit)
        else:
            value = decode_escapes(text, start, limit)
        self.items.append((SCALAR, start, limit, value, quote))
        self.pos = limit
        if multiline:
            for line_break in _BREAK.finditer(text, start, limit):
                self.line = line_break.end()

    def _block_scalar(self, style: str) -> None:
        text, start = self.text, self.pos
        header = _BLOCK_HEADER.match(text, start)
        assert header is not None
        chomp = header[1] or header[4] or ""
        digit = header[2] or header[3] or ""
        if digit == "0":
            raise TextError(
                "the indentation of a block value cannot be 0",
                header.end() - 1,
                hint="leave the digit out: the first line shows the indentation",
            )
        rest = _REST_OF_LINE.match(text, header.end())
        assert rest is not None
        if not rest[1] and rest.end() < len(text):
            line_end = _LINE.match(text, rest.end())
            assert line_end is not None
            raise TextError(
                f"only a comment may follow `{header[0]}` on its line",
                rest.end(),
                line_end.end(),
                hint="start the value on the next line, or quote it",
            )
        pos = line = rest.end()
        indent = (max(self.indent, 0) + int(digit)) if digit else 0
        parts: list[str] = []
        indent, pos, line, breaks = self._block_gap(pos, line, indent, start)
        self.block_indents[start] = indent
        end = header.end()
        last_break = ""
        last_blank = False
        literal = style == LITERAL
        length = len(text)
        while pos - line == indent and pos < length:
            blank = text[pos] in " \t"
            if literal or last_blank or blank or last_break != "\n":
                parts.append(last_break)
            elif not breaks:
                parts.append(" ")
            parts.append(breaks)
            last_blank = blank
            words = _LINE.match(text, pos)
            assert words is not None
            parts.append(words[0])
            end = pos = words.end()
            last_break = ""
            if pos < length:
                line_break = _BREAK.match(text, pos)
                assert line_break is not None
                last_break = _normal(line_break[0])
                pos = line = line_break.end()
            _, pos, line, breaks = self._block_gap(pos, line, indent, start)
        if chomp != "-":
            parts.append(last_break)
        if chomp == "+":
            parts.append(breaks)
        self.pos, self.line = pos, line
        self.items.append((SCALAR, start, end, "".join(parts), style))

    def _block_gap(self, pos: int, line: int, indent: int, start: int) -> tuple[int, int, int, str]:
        """Skip blank lines and the indentation of a block scalar; find the indentation when it is 0 (unknown)."""
        text = self.text
        breaks: list[str] = []
        widest = 0
        while True:
            if pos == line and (empty := _EMPTY_LINES.match(text, pos)):
                breaks.append(_line_feeds(empty[0]))
                pos = line = empty.end()
            if indent:
                spaces = _INDENT.match(text, pos, max(pos, line + indent))
            else:
                spaces = _INDENT.match(text, pos)
            assert spaces is not None
            pos = spaces.end()
            column = pos - line
            widest = max(widest, column)
            char = text[pos : pos + 1]
            if char == "\t" and (not indent or column < indent):
                related = ((f"the block value starts with `{text[start]}` here", start, start + 1),)
                raise tab_indents(text, pos, related)
            if not char or char not in BREAKS:
                break
            line_break = _BREAK.match(text, pos)
            assert line_break is not None
            breaks.append(_normal(line_break[0]))
            pos = line = line_break.end()
        if not indent:
            indent = max(widest, self.indent + 1, 1)
        return indent, pos, line, "".join(breaks)


def first_content(text: str, pos: int) -> int | None:
    """Return the offset of the first content at or after `pos`, apart from blanks and comments."""
    gap = _FLOW_GAP.match(text, pos)
    assert gap is not None
    return gap.end() if gap.end() < len(text) else None


def _line_feeds(empty_lines: str) -> str:
    return empty_lines.replace("\r\n", "\n").replace("\r", "\n") if "\r" in empty_lines else empty_lines


def _normal(line_break: str) -> str:
    return line_break if line_break in "\u2028\u2029" else "\n"


def _fold(first: str, rest: str) -> str:
    if first == "\n":
        return rest or " "
    return first + rest
