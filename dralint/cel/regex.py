"""Parses regular expressions as Go's regexp package does.

Syntax: https://pkg.go.dev/regexp/syntax, with what Go itself merges and limits (`nodes`). The API server compiles
constant patterns; a pattern that Go refuses makes the whole expression fail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from dralint import work
from dralint.cel import regex_nodes as nodes
from dralint.cel.regex_nodes import (
    NEWEST,
    NEWLINE,
    PERL,
    POSIX,
    Alternatives,
    CharClass,
    Measures,
    NotRunError,
    PatternLimitError,
    RegexError,
    RegexNode,
    merge,
    named,
    one_character,
    orbit,
    tidy,
)
from dralint.cel.tree import Steps, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.regex_nodes import RegexNode


MAX_REPEAT = 1000
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_COUNT = re.compile(r"\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_NAME = re.compile(r"\(\?P?<([^>]*)>")
_FLAGS = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])")
_FLAG_NAMES = {"i": "fold", "m": "lines", "s": "dot_all", "U": "lazy"}
_WORD = re.compile(r"[A-Za-z0-9_]+")
_OCTAL = re.compile(r"[0-7]{1,3}")
_HEXADECIMAL = re.compile(r"\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2})")
_EDGES = {"A": nodes.BEGIN_TEXT, "z": nodes.END_TEXT, "b": nodes.WORD_EDGE, "B": nodes.NO_WORD_EDGE}
_SIMPLE_REPEATS = {"*": nodes.STAR, "+": nodes.PLUS, "?": nodes.OPTIONAL}


_LIKE_GO = {"Z": "z", "h": "t", "R": "n"}
"""Escapes of other languages → similar ones of Go."""


def _instead_of_escape(letter: str) -> str:
    """Return what to write instead of an escape that Go does not know."""
    if letter.isdigit():
        return "Go has no references to groups: write what is repeated once more"
    if letter in _LIKE_GO:
        return f'write the "\\{_LIKE_GO[letter]}" of Go'
    return f'write "{letter}" without the backslash where the character itself is meant'


@lru_cache(maxsize=512)
def parse(pattern: str, class_names: str) -> RegexNode:
    """Return the tree of a pattern. Raises RegexError."""
    return _Parser(pattern, class_names).parse()


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    lines: bool = False
    dot_all: bool = False
    lazy: bool = False


class _Parser:
    def __init__(self, pattern: str, class_names: str) -> None:
        self.text = pattern
        self.class_names = class_names
        self.i = 0
        self.flags = _Flags()
        self.stack: list[RegexNode] = []
        self.opened: list[tuple[_Flags, bool]] = []
        """For each open group, the flags before it and whether it captures."""
        self.measures = Measures()
        self.alternatives = Alternatives(self.measures, self.stack)

    def parse(self) -> RegexNode:
        text = self.text
        repeated = False
        while self.i < len(text):
            char = text[self.i]
            count = _COUNT.match(text, self.i) if char == "{" else None
            if char in _SIMPLE_REPEATS or count is not None:
                self.repeat(count, repeated=repeated)
                repeated = True
                continue
            repeated = False
            self.single(char)
        self.close_alternatives()
        if len(self.stack) != 1:
            msg = 'has a "(" that is not closed'
            raise RegexError(msg, 'close it with ")", or write "[(]" for the character itself')
        return self.stack[0]

    def single(self, char: str) -> None:
        if char == "(":
            self.open()
        elif char == "|":
            self.i += 1
            self.concat()
            if not self.swap_bar():
                self.push(self.measures.new(nodes.BAR))
        elif char == ")":
            self.i += 1
            self.close()
        elif char == "[":
            self.charclass()
        elif char == "\\":
            self.escape()
        else:
            self.i += 1
            if char == "^":
                self.push(self.measures.new(nodes.BEGIN_LINE if self.flags.lines else nodes.BEGIN_TEXT))
            elif char == "$":
                self.push(self.measures.new(nodes.END_LINE if self.flags.lines else nodes.END_TEXT))
            elif char == ".":
                self.push(self.measures.new(nodes.ANY if self.flags.dot_all else nodes.NOT_NEWLINE))
            else:
                self.literal(ord(char))

    # the stack

    def push(self, node: RegexNode) -> None:
        code, fold = -1, self.flags.fold
        if node.op == nodes.CLASS:
            code, fold = _as_literal(node)
        if self.join_literals(code, fold=fold):
            return
        if code >= 0:
            node.op, node.text, node.members, node.fold = nodes.LITERAL, [code], None, fold
        self.stack.append(node)
        self.measures.check(node, self.stack)

    def join_literals(self, code: int, *, fold: bool) -> bool:
        """Join the two topmost texts; then replace the second by `code`, unless it is negative."""
        if len(self.stack) < 2:
            return False
        first, second = self.stack[-2:]
        if first.op != nodes.LITERAL or second.op != nodes.LITERAL or first.fold != second.fold:
            return False
        first.text += second.text
        if code >= 0:
            second.text, second.fold = [code], fold
            return True
        self.stack.pop()
        self.measures.give_back()
        return False

    def literal(self, code: int) -> None:
        node = self.measures.new(nodes.LITERAL)
        node.fold = self.flags.fold
        node.text = [min(orbit(code)) if node.fold else code]
        self.push(node)

    def top(self) -> list[RegexNode]:
        """Take everything above the topmost mark off the stack."""
        at = len(self.stack)
        while at and self.stack[at - 1].op < nodes.OPEN:
            at -= 1
        taken = self.stack[at:]
        del self.stack[at:]
        return taken

    def concat(self) -> None:
        self.join_literals(-1, fold=False)
        subs = self.top()
        self.push(self.alternatives.collapse(subs, nodes.CONCAT) if subs else self.measures.new(nodes.EMPTY))

    def close_alternatives(self) -> None:
        self.concat()
        if self.swap_bar():
            self.stack.pop()
        subs = self.top()
        tidy(subs[-1])
        self.push(self.alternatives.collapse(subs, nodes.ALTERNATE))

    def swap_bar(self) -> bool:
        """Put the topmost alternative below the bar, or into the one there; say whether there was a bar."""
        stack = self.stack
        if len(stack) < 2 or stack[-2].op != nodes.BAR:
            return False
        if len(stack) >= 3 and one_character(stack[-1]) and one_character(stack[-3]):
            other = stack.pop()
            if other.op > stack[-2].op:
                other, stack[-2] = stack[-2], other
            merge(stack[-2], other)
            self.measures.give_back()
            return True
        if len(stack) >= 3:
            tidy(stack[-3])
        stack[-2], stack[-1] = stack[-1], stack[-2]
        return True

    # groups and repetitions

    def repeat(self, match: re.Match[str] | None, *, repeated: bool) -> None:
        text = self.text
        begin = self.i
        least = most = 0
        if match is None:
            op = _SIMPLE_REPEATS[text[begin]]
            self.i += 1
        else:
            op = nodes.REPEAT
            self.i = match.end()
            least = int(match[1][:9])
            most = least if match[2] is None else -1 if match[3] is None else int(match[3][:9])
            if least > MAX_REPEAT or most > MAX_REPEAT or 0 <= most < least:
                msg = f'has the invalid repetition "{match[0]}": at most {MAX_REPEAT}, the smaller number first'
                raise RegexError(msg, f"write numbers up to {MAX_REPEAT}, or + for any number")
        written = text[begin : self.i]
        lazy = self.flags.lazy
        if text[self.i : self.i + 1] == "?":
            self.i += 1
            lazy = not lazy
        if repeated:
            msg = f'repeats a repetition: "{text[max(0, begin - 1) : self.i]}"'
            raise RegexError(msg, "leave one of the two out, or put what the second repeats into parentheses")
        if not self.stack or self.stack[-1].op >= nodes.OPEN:
            msg = f'has a "{written}" with nothing before it to repeat'
            character = f'"[{written[0]}]" for the character itself'
            hint = f'write ".*" for any text, {character}' if written[0] == "*" else f"write {character}"
            raise RegexError(msg, hint)
        node = self.measures.new(op)
        node.least, node.most, node.lazy = least, most, lazy
        node.subs = [self.stack[-1]]
        self.stack[-1] = node
        self.measures.check(node, self.stack)
        if op == nodes.REPEAT and max(least, most) >= 2 and not _few_copies(node):
            msg = f"repeats more than {MAX_REPEAT} times in all"
            raise RegexError(msg, "write smaller numbers, or + for any number")

    def open(self) -> None:
        """Read what begins with '('."""
        text = self.text
        if text[self.i + 1 : self.i + 2] != "?":
            self.i += 1
            self.mark(captures=True, flags=self.flags)
            return
        match = _NAME.match(text, self.i)
        if match is not None:
            if _WORD.fullmatch(match[1]) is None:
                if match[1][:1] in ("=", "!"):
                    raise self.unknown_group()
                msg = f'has the invalid group name "{match[1]}"'
                raise RegexError(msg, "leave the name out: nothing refers to it here")
            self.i = match.end()
            self.mark(captures=True, flags=self.flags)
            return
        match = _FLAGS.match(text, self.i)
        if match is None:
            raise self.unknown_group()
        self.i = match.end()
        chosen = dict.fromkeys(match[1], True) | dict.fromkeys((match[2] or "")[1:], False)
        flags = replace(self.flags, **{_FLAG_NAMES[letter]: on for letter, on in chosen.items()})
        if match[3] == ":":
            self.mark(captures=False, flags=flags)
        else:
            self.flags = flags

    def unknown_group(self) -> RegexError:
        begin = self.text[self.i : self.i + 4]
        message = f'has "{begin}", which Go does not know (no look-around, no atomic groups)'
        return RegexError(message, "write two conditions: text.matches(...) && !text.matches(...)")

    def mark(self, *, captures: bool, flags: _Flags) -> None:
        self.opened.append((self.flags, captures))
        self.push(self.measures.new(nodes.OPEN))
        self.flags = flags

    def close(self) -> None:
        if not self.opened:
            raise RegexError('has a ")" that closes nothing', 'remove it, or write "[)]" for the character itself')
        self.close_alternatives()
        inner = self.stack.pop()
        mark = self.stack.pop()
        self.flags, captures = self.opened.pop()
        if not captures:
            self.push(inner)
            return
        mark.op = nodes.GROUP
        mark.subs = [inner]
        self.push(mark)

    # characters

    def escape(self) -> None:
        text = self.text
        letter = text[self.i + 1 : self.i + 2]
        if letter in _EDGES:
            self.i += 2
            self.push(self.measures.new(_EDGES[letter]))
        elif letter == "Q":
            quoted, _, _ = text[self.i + 2 :].partition("\\E")
            self.i += 2 + len(quoted) + 2
            for char in quoted:
                self.literal(ord(char))
        else:
            node = self.measures.new(nodes.CLASS)
            node.members = self.shorthand()
            if node.members is not None:
                self.push(node)
            else:
                self.measures.give_back()
                self.literal(self.character())

    def shorthand(self) -> CharClass | None:
        """Read a class such as \\d or \\p{Greek}, None where there is none."""
        text = self.text
        letter = text[self.i + 1 : self.i + 2] if text[self.i] == "\\" else ""
        if letter and letter in "pP":
            return self.unicode_class(negated=letter == "P")
        if letter and letter in "dswDSW":
            self.i += 2
            return self.group_of(PERL[letter.lower()], negated=letter.isupper())
        return None

    def group_of(self, ranges: tuple[tuple[int, int], ...], *, negated: bool) -> CharClass:
        found = CharClass(ranges)
        if self.flags.fold:
            found = found.folded()
        return found.negated() if negated else found

    def unicode_class(self, *, negated: bool) -> CharClass:
        text = self.text
        begin = self.i
        if text[begin + 2 : begin + 3] == "{":
            end = text.find("}", begin)
            if end < 0:
                raise RegexError(f'has the unfinished class "{text[begin : begin + 8]}"', 'close its name with "}"')
            name = text[begin + 3 : end]
            self.i = end + 1
        else:
            name = text[begin + 2 : begin + 3]
            self.i = begin + 3
        if name.startswith("^"):
            name, negated = name[1:], not negated
        found = named(name, self.class_names, fold=self.flags.fold)
        if found is None:
            msg = f'has the unknown class "{text[begin : self.i]}"'
            raise RegexError(msg, "write the characters themselves, such as [A-Za-z0-9]")
        return found.negated() if negated else found

    def character(self) -> int:
        """Read an escape that stands for one character."""
        text = self.text
        begin = self.i
        self.i += 2
        if begin + 1 >= len(text):
            raise RegexError("ends in a backslash", "remove it")
        letter = text[begin + 1]
        if letter in _CONTROL:
            return _CONTROL[letter]
        if letter in "01234567" and (letter == "0" or text[begin + 2 : begin + 3] in tuple("01234567")):
            octal = _OCTAL.match(text, begin + 1)
            assert octal is not None
            self.i = octal.end()
            return int(octal[0], 8)
        if letter == "x":
            match = _HEXADECIMAL.match(text, begin + 2)
            if match is not None:
                code = int((match[1] or match[2]).lstrip("0")[:9] or "0", 16)
                if code <= 0x10FFFF:
                    self.i = match.end()
                    return code
        elif letter.isascii() and not letter.isalnum():
            return ord(letter)
        msg = f'has the escape "{text[begin : begin + 2]}", which Go does not know'
        raise RegexError(msg, _instead_of_escape(letter))

    def charclass(self) -> None:
        text = self.text
        node = self.measures.new(nodes.CLASS)
        self.i += 1
        negated = text[self.i : self.i + 1] == "^"
        if negated:
            self.i += 1
        single: list[tuple[int, int]] = []
        members = CharClass(())
        first = True
        while first or text[self.i : self.i + 1] != "]":
            if self.i >= len(text):
                hint = 'close it with "]", or write "[[]" for the character itself'
                raise RegexError('has a "[" that is not closed', hint)
            first = False
            found = self.posix()
            if found is None:
                found = self.shorthand()
            if found is not None:
                members = members.joined(found)
                continue
            low = high = self.class_character()
            if text[self.i : self.i + 1] == "-" and text[self.i + 1 : self.i + 2] not in ("]", ""):
                self.i += 1
                high = self.class_character()
                if high < low:
                    msg = f"has the range {chr(low)}-{chr(high)}, which runs backwards"
                    hint = f'write {chr(high)}-{chr(low)}, or put the "-" last where it is a plain character'
                    raise RegexError(msg, hint)
            single.append((low, high))
        self.i += 1
        written = CharClass.spanning(single)
        members = members.joined(written.folded() if self.flags.fold else written)
        node.members = members.negated() if negated else members
        self.push(node)

    def posix(self) -> CharClass | None:
        """Read `[:alpha:]` within a class, None where there is none."""
        text = self.text
        end = text.find(":]", self.i + 2) if text.startswith("[:", self.i) else -1
        if end < 0:
            return None
        name = text[self.i + 2 : end]
        ranges = POSIX.get(name.removeprefix("^"))
        if ranges is None:
            msg = f'has the unknown class "{text[self.i : end + 2]}"'
            raise RegexError(msg, f"write one of {', '.join(f'[:{name}:]' for name in POSIX)}")
        self.i = end + 2
        return self.group_of(ranges, negated=name.startswith("^"))

    def class_character(self) -> int:
        if self.text[self.i] == "\\":
            return self.character()
        self.i += 1
        return ord(self.text[self.i - 1])


def _as_literal(node: RegexNode) -> tuple[int, bool]:
    """Return the character that a class stands for, and whether in any case; -1 for other classes."""
    members = node.members
    assert members is not None
    if members.named or not members.ranges:
        return -1, False
    low, high = members.ranges[0]
    if len(members.ranges) == 1 and low == high:
        return low, False
    pair = (low, members.ranges[-1][1])
    apart = len(members.ranges) == 2 and low == high and members.ranges[1][0] == pair[1]
    together = len(members.ranges) == 1 and low + 1 == high
    if (apart or together) and orbit(low) == pair:
        return low, True
    return -1, False


def _few_copies(root: RegexNode) -> bool:
    """Say whether the repetitions within one another stay within the limit."""
    todo = [(root, MAX_REPEAT)]
    while todo:
        node, left = todo.pop()
        if node.op == nodes.REPEAT:
            count = node.least if node.most < 0 else node.most
            if node.most == 0:
                continue
            if count > left:
                return False
            if count > 0:
                left //= count
        todo.extend((sub, left) for sub in node.subs)
    return True


MAX_PROGRAM = 20_000
MAX_STEPS = 2_000_000
_FASTER = 3
"""How many steps of a pattern take the time of one step of an expression."""

_MATCH, _CHARACTER, _SPLIT, _EDGE = range(4)
Instruction = tuple[int, int, int, "Callable[[int], bool] | None"]
"""The operation; two next instructions (or the kind of an edge, second); the test for characters."""


@lru_cache(maxsize=256)
def program(pattern: str, class_names: str) -> Program:
    """Return a compiled pattern. Raises RegexError, and NotRunError for one that is too large."""
    return Program(parse(pattern, class_names))


@lru_cache(maxsize=4096)
def is_in(pattern: str, text: str) -> bool | None:
    """Say whether a pattern matches in a text; None where Go cannot read or dralint does not run it."""
    try:
        return program(pattern, NEWEST).search(text) is not None
    except (RegexError, NotRunError):
        return None


class Program:
    """A pattern as instructions."""

    def __init__(self, root: RegexNode) -> None:
        self.code: list[Instruction] = [(_MATCH, 0, 0, None)]
        self.start = run(self._compile(root, 0))

    def search(self, text: str, begin: int = 0) -> tuple[int, int] | None:
        """Return start and end of the first match from `begin` on. Raises NotRunError for too much work."""
        code = self.code
        steps = 0
        found: tuple[int, int] | None = None
        waiting: list[tuple[int, int]] = []
        for at in range(begin, len(text) + 1):
            seen = bytearray(len(code))
            ready: list[tuple[int, int]] = []
            todo = [(pc, start) for pc, start in reversed(waiting)]
            if found is None:
                todo.insert(0, (self.start, at))
            while todo:
                pc, start = todo.pop()
                if seen[pc]:
                    continue
                seen[pc] = 1
                steps += 1
                op, then, other, _ = code[pc]
                if op == _SPLIT:
                    todo.append((other, start))
                    todo.append((then, start))
                elif op == _EDGE:
                    if _at_edge(other, text, at):
                        todo.append((then, start))
                elif op == _MATCH:
                    found = (start, at)
                    break  # later ones are less preferred
                else:
                    ready.append((pc, start))
            if steps > MAX_STEPS:
                work.current().take(steps // _FASTER)
                raise PatternLimitError(f"{MAX_STEPS:,} steps for a pattern")
            if not ready and found is not None:
                break
            waiting = []
            if at < len(text):
                char = ord(text[at])
                for pc, start in ready:
                    _, then, _, fits = code[pc]
                    assert fits is not None
                    if fits(char):
                        waiting.append((then, start))
                if not waiting and found is not None:
                    break
        work.current().take(steps // _FASTER)
        return found

    def find_all(self, text: str) -> list[str]:
        """Return all matches, one after the other; an empty one does not follow a match directly."""
        found: list[str] = []
        at, before = 0, -1
        while at <= len(text):
            span = self.search(text, at)
            if span is None:
                break
            start, end = span
            if end > at or start != before:
                found.append(text[start:end])
            before = end
            at = end if end > at else at + 1
        return found

    def _add(self, op: int, then: int, other: int = 0, fits: Callable[[int], bool] | None = None) -> int:
        if len(self.code) >= MAX_PROGRAM:
            raise PatternLimitError(f"{MAX_PROGRAM:,} instructions of a pattern")
        self.code.append((op, then, other, fits))
        return len(self.code) - 1

    def _choice(self, preferred: int, other: int, *, lazy: bool) -> int:
        return self._add(_SPLIT, other, preferred) if lazy else self._add(_SPLIT, preferred, other)

    def _compile(self, node: RegexNode, then: int) -> Steps[int]:
        """Add the instructions of a node that continue at `then`; return where they begin."""
        op = node.op
        if op == nodes.EMPTY:
            return then
        if op == nodes.LITERAL:
            for code in reversed(node.text):
                then = self._add(_CHARACTER, then, 0, frozenset(orbit(code) if node.fold else (code,)).__contains__)
            return then
        if op in (nodes.CLASS, nodes.NOT_NEWLINE, nodes.ANY):
            return self._add(_CHARACTER, then, 0, _members(node).has)
        if op < nodes.GROUP:
            return self._add(_EDGE, then, op)
        if op == nodes.ALTERNATE:
            begins: list[int] = []
            for sub in node.subs:
                begins.append((yield self._compile(sub, then)))  # noqa: PERF401 - a computation that is suspended
            begin: int = begins[-1]
            for other in reversed(begins[:-1]):
                begin = self._add(_SPLIT, other, begin)
            return begin
        if op in (nodes.STAR, nodes.PLUS):
            begin = yield self._loop(node, then, entered=op == nodes.PLUS)
            return begin
        if op == nodes.REPEAT:
            begin = yield self._repeat(node, then)
            return begin
        for sub in reversed(node.subs):
            begin = yield self._compile(sub, then)
            if op == nodes.OPTIONAL:
                begin = self._choice(begin, then, lazy=node.lazy)
            then = begin
        return then

    def _loop(self, node: RegexNode, then: int, *, entered: bool) -> Steps[int]:
        at = self._add(_SPLIT, 0, 0)
        body = yield self._compile(node.subs[0], at)
        self.code[at] = (_SPLIT, then, body, None) if node.lazy else (_SPLIT, body, then, None)
        return body if entered else at

    def _repeat(self, node: RegexNode, then: int) -> Steps[int]:
        if node.most < 0:
            then = yield self._loop(node, then, entered=False)
        else:
            end = then
            for _ in range(node.most - node.least):
                begin = yield self._compile(node.subs[0], then)
                then = self._choice(begin, end, lazy=node.lazy)
        for _ in range(node.least):
            then = yield self._compile(node.subs[0], then)
        return then


def _members(node: RegexNode) -> CharClass:
    if node.op == nodes.ANY:
        return CharClass(((0, 0x10FFFF),))
    if node.op == nodes.NOT_NEWLINE:
        return CharClass(((0, NEWLINE - 1), (NEWLINE + 1, 0x10FFFF)))
    assert node.members is not None
    return node.members


def _at_edge(kind: int, text: str, at: int) -> bool:
    if kind == nodes.BEGIN_TEXT:
        return at == 0
    if kind == nodes.END_TEXT:
        return at == len(text)
    if kind == nodes.BEGIN_LINE:
        return at == 0 or text[at - 1] == "\n"
    if kind == nodes.END_LINE:
        return at == len(text) or text[at] == "\n"
    edge = (at > 0 and _is_word(text[at - 1])) != (at < len(text) and _is_word(text[at]))
    return edge is (kind == nodes.WORD_EDGE)


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")
