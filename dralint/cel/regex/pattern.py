"""Regular expressions as Go's regexp package reads them: check them, and translate them for Python.

Syntax: https://pkg.go.dev/regexp/syntax. The server compiles constant patterns; a pattern that Go refuses makes the
whole expression fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dralint.cel.regex.classes import CATEGORIES, POSIX, SCRIPTS

MAX_REPEAT = 1000
MAX_NESTING = 1000
MAX_UNBOUNDED, MAX_COUNTED = 4, 8
_CONTROL = {"a": "\x07", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PERL = {"d": "0-9", "s": "\\t\\n\\f\\r ", "w": "0-9A-Za-z_"}
_COUNT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}", re.ASCII)
_NAME = re.compile(r"\(\?P?<([^>]*)>")
_WORD = re.compile(r"[A-Za-z0-9_]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Patterns:
    """How the Go version of a release reads patterns."""

    class_names: str
    """How names of classes are found: `exact` (until Go 1.24), or `folded` (Go 1.25 and later)."""


class RegexError(ValueError):
    """Go does not accept the pattern; the message is a phrase that follows the quoted pattern."""


def slow(pattern: str) -> bool:
    """Say whether a valid pattern has more than one unbounded repetition."""
    reader = _Reader(pattern)
    reader.read()
    return reader.unbounded > 1


@lru_cache(maxsize=512)
def translate(pattern: str) -> str | None:
    """Return the pattern for Python's re, None where it is valid but cannot be translated; RegexError if invalid."""
    return _Reader(pattern).read()


class _Reader:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.i = 0
        self.out: list[str] = []
        self.portable = True
        self.names: set[str] = set()
        self.unbounded = 0

    def read(self) -> str | None:
        # What an open group began with: its deepest repetition so far.
        groups: list[tuple[int, bool]] = []
        deepest = 0
        atom = -1
        # Python's re tries one way after the other where Go follows all at once: a choice inside of a repetition may
        # take it for ever, so such a pattern is checked but not run.
        choice = False
        chosen = False
        repeated = False
        text = self.text
        while self.i < len(text):
            char = text[self.i]
            if char in "*+?" or (char == "{" and _COUNT.match(text, self.i)):
                before = self.unbounded
                atom, deepest = self.repeat(atom, deepest, repeated=repeated)
                if self.unbounded > before:
                    if chosen or self.unbounded > MAX_UNBOUNDED:
                        self.portable = False
                    choice = True
                chosen = False
                repeated = True
                continue
            chosen = False
            repeated = False
            if char == "(":
                if self.group():
                    groups.append((deepest, choice))
                    deepest = 0
                    atom = -1
                    choice = False
                    if len(groups) > MAX_NESTING:
                        msg = "nests too deeply"
                        raise RegexError(msg)
            elif char == ")":
                if not groups:
                    msg = "has a ')' that closes nothing"
                    raise RegexError(msg)
                self.i += 1
                self.out.append(")")
                atom = deepest = max(1, deepest)
                chosen = choice
                outer, outer_choice = groups.pop()
                deepest = max(outer, deepest)
                choice = choice or outer_choice
            elif char == "|":
                self.i += 1
                self.out.append("|")
                atom = -1
                choice = True
            else:
                self.single(char)
                atom = 1
        if groups:
            msg = "has a '(' that is not closed"
            raise RegexError(msg)
        return "".join(self.out) if self.portable else None

    def repeat(self, atom: int, deepest: int, *, repeated: bool) -> tuple[int, int]:
        text = self.text
        match = _COUNT.match(text, self.i)
        least, most = 0, -1
        begin = self.i
        if match is not None:
            self.i = match.end()
            least = int(match[1]) if len(match[1]) < 9 else MAX_REPEAT + 1
            most = least if match[2] is None else -1 if not match[3] else int(match[3][:9])
            if least > MAX_REPEAT or most > MAX_REPEAT or (0 <= most < least):
                msg = f"has the invalid repetition {match[0]!r}: at most {MAX_REPEAT}, the smaller number first"
                raise RegexError(msg)
        else:
            if text[self.i] == "?":
                most = 1
            self.i += 1
        written = text[begin : self.i]
        if atom < 0:
            msg = f"has a {written!r} with nothing before it to repeat"
            raise RegexError(msg)
        if text[self.i : self.i + 1] == "?":
            self.i += 1
        if repeated:
            msg = f"repeats a repetition: {text[max(0, begin - 1) : self.i]!r}"
            raise RegexError(msg)
        self.out.append(text[begin : self.i])
        count = most if most >= 0 else least
        if most < 0 or most > MAX_COUNTED:
            self.unbounded += 1
        if match is not None and count > 1:
            if atom * count > MAX_REPEAT:
                msg = f"repeats more than {MAX_REPEAT} times in all"
                raise RegexError(msg)
            atom *= count
        return atom, max(deepest, atom)

    def group(self) -> bool:
        """Read what begins with '('; return whether a group is open now (flags alone open none)."""
        text = self.text
        if text[self.i + 1 : self.i + 2] != "?":
            self.i += 1
            self.out.append("(")
            return True
        match = _NAME.match(text, self.i)
        if match is not None and not text.startswith(("(?<=", "(?<!"), self.i):
            name = match[1]
            if _WORD.fullmatch(name) is None:
                msg = f"has the invalid group name {name!r}"
                raise RegexError(msg)
            if name in self.names:
                msg = f"has two groups named {name!r}"
                raise RegexError(msg)
            self.names.add(name)
            self.i = match.end()
            self.out.append(f"(?P<{name}>" if not name[0].isdigit() else "(")
            return True
        i = self.i + 2
        on, off, minus, seen = "", "", False, False
        while i < len(text):
            char = text[i]
            i += 1
            if char in "imsU":
                seen = True
                if char in "Um":
                    self.portable = False
                elif minus:
                    off += char
                else:
                    on += char
            elif char == "-" and not minus:
                minus, seen = True, False
            elif char in ":)":
                if minus and not seen:
                    break
                self.i = i
                return self.flags(on, off, closed=char == ")")
            else:
                break
        msg = f"has {text[self.i : self.i + 4]!r}, which Go does not know (no look-around, no atomic groups)"
        raise RegexError(msg)

    def flags(self, on: str, off: str, *, closed: bool) -> bool:
        written = "".join(dict.fromkeys(on)) + ("-" + "".join(dict.fromkeys(off)) if off else "")
        if not closed:
            self.out.append(f"(?{written}:")
            return True
        if written and (any(part not in "(" for part in self.out) or off):
            # Python takes flags for the rest of a pattern at its very beginning only.
            self.portable = False
        elif written:
            self.out.insert(0, f"(?{written})")
        return False

    def single(self, char: str) -> None:
        if char == "[":
            self.charclass()
        elif char == "\\":
            self.escape()
        elif char == "$":
            self.i += 1
            self.out.append("\\Z")
        else:
            self.i += 1
            self.out.append(char if char in ".^" else re.escape(char))

    def escape(self) -> None:
        text = self.text
        letter = text[self.i + 1 : self.i + 2]
        if letter in ("A", "b", "B"):
            self.i += 2
            self.out.append(f"\\{letter}")
        elif letter == "z":
            self.i += 2
            self.out.append("\\Z")
        elif letter == "Q":
            end = text.find("\\E", self.i + 2)
            quoted = text[self.i + 2 : end if end >= 0 else len(text)]
            self.out.append(re.escape(quoted))
            self.i = end + 2 if end >= 0 else len(text)
        elif letter and letter in "dswDSW":
            self.i += 2
            self.out.append(f"[{'^' if letter.isupper() else ''}{_PERL[letter.lower()]}]")
        elif letter and letter in "pP":
            self.unicode()
        else:
            self.out.append(re.escape(self.char()))

    def unicode(self) -> None:
        text = self.text
        begin = self.i
        if text[begin + 2 : begin + 3] == "{":
            end = text.find("}", begin)
            if end < 0:
                msg = f"has the unfinished class {text[begin : begin + 8]!r}"
                raise RegexError(msg)
            name = text[begin + 3 : end].removeprefix("^")
            self.i = end + 1
        else:
            name = text[begin + 2 : begin + 3]
            self.i = begin + 3
        if name not in CATEGORIES and name not in SCRIPTS:
            msg = f"has the unknown class {text[begin : self.i]!r}"
            raise RegexError(msg)
        self.portable = False

    def char(self) -> str:
        """Read an escape that stands for one character."""
        text = self.text
        begin = self.i
        self.i += 2
        if begin + 1 >= len(text):
            msg = "ends in a backslash"
            raise RegexError(msg)
        letter = text[begin + 1]
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter in "01234567" and (letter == "0" or text[begin + 2 : begin + 3] in tuple("01234567")):
            match = re.compile(r"[0-7]{1,3}").match(text, begin + 1)
            assert match is not None
            self.i = match.end()
            return chr(int(match[0], 8))
        if letter == "x":
            match = re.compile(r"\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2})").match(text, begin + 2)
            if match is not None:
                code = int((match[1] or match[2])[-16:], 16)
                if code <= 0x10FFFF:
                    self.i = match.end()
                    return chr(code)
        elif letter.isascii() and not letter.isalnum():
            return letter
        msg = f"has the escape {text[begin : begin + 2]!r}, which Go does not know"
        raise RegexError(msg)

    def charclass(self) -> None:
        text = self.text
        begin = self.i
        self.i += 1
        out = ["["]
        if text[self.i : self.i + 1] == "^":
            self.i += 1
            out.append("^")
        first = True
        while first or text[self.i : self.i + 1] != "]":
            if self.i >= len(text):
                msg = "has a '[' that is not closed"
                raise RegexError(msg)
            first = False
            if text.startswith("[:", self.i):
                end = text.find(":]", self.i + 2)
                if end >= 0:
                    name = text[self.i + 2 : end]
                    members = POSIX.get(name.removeprefix("^"))
                    if members is None:
                        msg = f"has the unknown class {text[self.i : end + 2]!r}"
                        raise RegexError(msg)
                    if name.startswith("^"):
                        self.portable = False
                    out.append(members)
                    self.i = end + 2
                    continue
            letter = text[self.i + 1 : self.i + 2] if text[self.i] == "\\" else ""
            if letter and letter in "dsw":
                out.append(_PERL[letter])
                self.i += 2
                continue
            if letter and letter in "DSW":
                out.append({"D": "\\D", "S": "\\S", "W": "\\W"}[letter])
                self.i += 2
                continue
            if letter and letter in "pP":
                self.unicode()
                continue
            low = self.class_char(begin)
            high = low
            if text[self.i : self.i + 1] == "-" and text[self.i + 1 : self.i + 2] not in ("]", ""):
                self.i += 1
                high = self.class_char(begin)
                if high < low:
                    msg = f"has the range {low}-{high}, which runs backwards"
                    raise RegexError(msg)
            out.append(_in_class(low) if low == high else f"{_in_class(low)}-{_in_class(high)}")
        self.i += 1
        out.append("]")
        self.out.append("".join(out))

    def class_char(self, begin: int) -> str:
        if self.i >= len(self.text):
            msg = f"has a '[' that is not closed (character {begin + 1})"
            raise RegexError(msg)
        if self.text[self.i] == "\\":
            return self.char()
        self.i += 1
        return self.text[self.i - 1]


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "\\]^-[&~|" else char
