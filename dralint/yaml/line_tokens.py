"""Scans several tokens with one regular expression: in a large text, most entries are a key and a short value on a
line.

Without this module, the scanner gives the same tokens (tests/fuzz compares them), but a text of 660 KB takes 385 ms
instead of 284. For a small text, compiling the expressions takes longer than scanning.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dralint.yaml.possessive import compiled
from dralint.yaml.tokens import ALIAS, BLOCK_MAP, BREAKS, COLON, COMMA, KEY, KEY_REACH, PLAIN, SCALAR, VALUE

if TYPE_CHECKING:
    from typing import Protocol

    from dralint.yaml.tokens import Token

    class _Scanner(Protocol):
        indent: int
        levels: list[int]

        def roll(self, column: int, number: int, kind: int, pos: int) -> None: ...


SHORT_CUTS_PAY: Final = 30_000
"""From this many characters on, compiling the expressions saves time."""
_MERGE = re.compile(r"<<: \*([0-9A-Za-z_-]+)(?=[\n,}])")


@lru_cache(maxsize=1)
def _expressions() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the expressions for an entry in block style, in flow style, and in flow style with a key in quotes.

    Block style: a key, and its value and line end if the value is a scalar on the same line. Flow style: a key with a
    scalar and what follows it, or before a bracket; or a plain item of a list with its comma.
    """
    word = f"[^ \t:#{BREAKS}]*+(?:{COLON}[^ \t:#{BREAKS}]*+)*+"
    block = (
        r"([A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+):"
        rf"(?: ++(?:((?:[A-Za-z0-9_/.+$=~^;(]|-(?=[0-9])){word}(?: ++[^ \t:#{BREAKS}]{word})*+)"
        rf"(?: *+\n( *+)(?=[^ \t{BREAKS}])|(?= ++\#))"
        rf"|\"([^\"\\{BREAKS}]*+)\"|'([^'{BREAKS}]*+)'(?!'))|(?= )|(?=\n))"
    )
    flow = (
        r"([A-Za-z0-9_][A-Za-z0-9_./-]{0,250}+)(?:: ++(?:(?=[{\[])|"
        rf"(?:([A-Za-z0-9_/.+$][^][ \t:{{}},?#{BREAKS}]*+)|\"([^\"\\{BREAKS}]*+)\"|'([^'{BREAKS}]*+)'(?!'))"
        r" *+(?:(,) *+|(?=[}\]])))| *+(,) *+)"
    )
    json = (
        rf"\"([^\"\\{BREAKS}]*+)\": *+(?:(?=[{{\[])|"
        rf"(?:([A-Za-z0-9_/.+$][^][ \t:{{}},?#{BREAKS}]*+)|\"([^\"\\{BREAKS}]*+)\") *+(?:(,) *+|(?=[}}\]])))"
    )
    return compiled(block), compiled(flow), re.compile(json)


class ShortCuts:
    """Takes entries of one text, and emits their tokens."""

    __slots__ = ("_block", "_flow", "_items", "_quoted", "_text")

    def __init__(self, text: str, items: list[Token]) -> None:
        self._text = text
        self._items = items
        self._block, self._flow, self._quoted = _expressions()

    def entry(self, pos: int, line: int, in_flow: bool, scanner: _Scanner) -> tuple[int, int, bool] | None:
        """Take the entry at `pos`, where a key is allowed.

        Returns:
            The position after it, the start of its line, and whether a key may come next. None if no expression
            matches: then the scanner reads token by token.
        """
        char = self._text[pos]
        if char == "<":
            return self._merge(pos, line, in_flow, scanner)
        if not in_flow:
            return self._block_entry(pos, line, scanner)
        return self._quoted_entry(pos, line, scanner) if char == '"' else self._flow_entry(pos, line, scanner)

    def _merge(self, pos: int, line: int, in_flow: bool, scanner: _Scanner) -> tuple[int, int, bool] | None:
        found = _MERGE.match(self._text, pos)
        if found is None:
            return None
        if in_flow:
            scanner.levels[-1] = len(self._items)
        elif scanner.indent < pos - line:
            scanner.roll(pos - line, -1, BLOCK_MAP, pos)
        self._key(pos, pos + 2, "<<", PLAIN)
        self._items.append((ALIAS, found.start(1) - 1, found.end(), found[1], PLAIN))
        return found.end(), line, False

    def _block_entry(self, pos: int, line: int, scanner: _Scanner) -> tuple[int, int, bool] | None:
        found = self._block.match(self._text, pos)
        if found is None or (found[3] and len(found[3]) > pos - line):
            return None
        if scanner.indent < pos - line:
            scanner.roll(pos - line, -1, BLOCK_MAP, pos)
        self._key(pos, found.end(1), found[1], PLAIN)
        kind = found.lastindex or 1
        if kind == 1:  # the value is on another line
            return found.end(1) + 1, line, False
        if kind > 3:
            style = '"' if kind == 4 else "'"
            self._items.append((SCALAR, found.start(kind) - 1, found.end(), found[kind], style))
            return found.end(), line, False
        self._items.append((SCALAR, found.start(2), found.end(2), found[2], PLAIN))
        if kind == 3:  # with its line end
            return found.end(3), found.start(3), True
        return found.end(2), line, False

    def _quoted_entry(self, pos: int, line: int, scanner: _Scanner) -> tuple[int, int, bool] | None:
        found = self._quoted.match(self._text, pos)
        if found is None or found.end(1) + 1 - pos > KEY_REACH:
            return None
        scanner.levels[-1] = len(self._items)
        self._key(pos, found.end(1) + 1, found[1], '"')
        self._flow_value(found, 2, '"', 3)
        return found.end(), line, self._comma(found, 4)

    def _flow_entry(self, pos: int, line: int, scanner: _Scanner) -> tuple[int, int, bool] | None:
        found = self._flow.match(self._text, pos)
        if found is None:
            return None
        scanner.levels[-1] = len(self._items)
        if found.lastindex == 6:  # an item of a list
            self._items.append((SCALAR, pos, found.end(1), found[1], PLAIN))
            return found.end(), line, self._comma(found, 6)
        self._key(pos, found.end(1), found[1], PLAIN)
        single = found[4] is not None
        self._flow_value(found, 2, "'" if single else '"', 4 if single else 3)
        return found.end(), line, self._comma(found, 5)

    def _key(self, pos: int, end: int, text: str, style: str) -> None:
        self._items += ((KEY, pos, pos, "", PLAIN), (SCALAR, pos, end, text, style), (VALUE, end, end + 1, "", PLAIN))

    def _flow_value(self, found: re.Match[str], plain: int, quote: str, quoted: int) -> None:
        """Emit the value: the group `plain`, or the group `quoted` between quotes; none before a bracket."""
        if found[plain] is not None:
            self._items.append((SCALAR, found.start(plain), found.end(plain), found[plain], PLAIN))
        elif found[quoted] is not None:
            self._items.append((SCALAR, found.start(quoted) - 1, found.end(quoted) + 1, found[quoted], quote))

    def _comma(self, found: re.Match[str], group: int) -> bool:
        """Emit the comma if the group is one; say whether it is, because a key may follow it."""
        if found[group] is None:
            return False
        self._items.append((COMMA, found.start(group), found.start(group) + 1, "", PLAIN))
        return True
