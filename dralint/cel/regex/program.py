"""Runs a pattern on a text in time that grows only with the product of their sizes.

It follows all ways to match at once, in Go's order of preference, so that no pattern runs for ever.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dralint import work
from dralint.cel.generator_calls import Steps, run
from dralint.cel.regex import nodes
from dralint.cel.regex.nodes import NEWEST, NEWLINE, CharClass, NotRunError, PatternLimitError, orbit
from dralint.cel.regex.parse import RegexError, parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.cel.regex.nodes import RegexNode

MAX_PROGRAM = 20_000
MAX_STEPS = 2_000_000
_FASTER = 3
"""How many steps of a pattern take the time of one step of an expression."""

_MATCH, _FAIL, _CHARACTER, _SPLIT, _EDGE = range(5)
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
                elif op == _CHARACTER:
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
        if op == nodes.NOTHING:
            return self._add(_FAIL, 0)
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
