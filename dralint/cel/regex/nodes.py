"""The tree of a pattern, in the shape of Go's regexp/syntax, and its height and size.

Go refuses patterns by the height and size of its own tree (limits of regexp/syntax/parse.go), so this module must
merge, hoist and factor out in the same way. The matches do not depend on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.cel.regex.classes import NEWLINE, CharClass, orbit

if TYPE_CHECKING:
    from collections.abc import Callable

NOTHING, EMPTY, LITERAL, CLASS, NOT_NEWLINE, ANY = range(6)
BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_EDGE, NO_WORD_EDGE = range(6, 12)
GROUP, STAR, PLUS, OPTIONAL, REPEAT, CONCAT, ALTERNATE = range(12, 19)
OPEN, BAR = 128, 129
"""Marks on the stack of the parser: an open group, and alternatives to the left of it."""

MAX_HEIGHT = 1000
MAX_SIZE = (128 << 20) // 40


class LimitError(Exception):
    """The tree is too tall or too large; the message is a phrase that follows the quoted pattern."""


class RegexNode:
    """One node; `text` are the code points of a literal, `members` those of a class, `lazy` takes as few as it can."""

    __slots__ = ("fold", "lazy", "least", "members", "most", "op", "subs", "text")

    def __init__(self, op: int) -> None:
        self.op = op
        self.text: list[int] = []
        self.members: CharClass | None = None
        self.fold = False
        self.lazy = False
        self.subs: list[RegexNode] = []
        self.least = 0
        self.most = 0

    def key(self) -> tuple[object, ...]:
        """Return what two nodes without others below have in common when they are equal."""
        members = None if self.members is None else self.members.key()
        return (self.op, tuple(self.text), members, self.fold)


def one_character(node: RegexNode) -> bool:
    """Say whether the node matches exactly one character: a literal of one, a class, or a dot."""
    return node.op in (CLASS, NOT_NEWLINE, ANY) or (node.op == LITERAL and len(node.text) == 1)


def tidy(node: RegexNode) -> None:
    """Make a dot of a class that has all characters."""
    if node.op == CLASS and node.members is not None and not node.members.named:
        if node.members.ranges == ((0, 0x10FFFF),):
            node.op, node.members = ANY, None
        elif node.members.ranges == ((0, 9), (11, 0x10FFFF)):
            node.op, node.members = NOT_NEWLINE, None


def class_of(node: RegexNode) -> CharClass:
    """Return the class that a literal of one character or a class stands for."""
    if node.members is not None:
        return node.members
    return CharClass.of(orbit(node.text[0]) if node.fold else [node.text[0]])


def merge(into: RegexNode, other: RegexNode) -> None:
    """Add the one character of a simpler node to a node of one character."""
    if into.op == ANY:
        return
    if into.op == NOT_NEWLINE:
        if other.op in (LITERAL, CLASS) and class_of(other).has(NEWLINE):
            into.op = ANY
    elif into.op == CLASS:
        into.members = class_of(into).joined(class_of(other))
    elif into.text != other.text or into.fold != other.fold:
        into.members = class_of(into).joined(class_of(other))
        into.op, into.text = CLASS, []


class Measures:
    """Counts nodes as Go allocates them, and checks the height and size of the tree."""

    def __init__(self) -> None:
        self.made = 0
        self.unused = 0
        self.repeats = 1
        self.heights: dict[RegexNode, int] = {}
        self.sizes: dict[RegexNode, int] | None = None

    def new(self, op: int) -> RegexNode:
        """Make a node; one that has been given back is used again."""
        if self.unused:
            self.unused -= 1
        else:
            self.made += 1
        return RegexNode(op)

    def give_back(self) -> None:
        """Note that a node is no longer used."""
        self.unused += 1

    def check(self, node: RegexNode, stack: list[RegexNode]) -> None:
        """Raise LimitError when the node is too large or too tall."""
        self._check_size(node, stack)
        if self._measure(node, self.heights, _height) > MAX_HEIGHT:
            raise LimitError(f"nests too deeply: at most {MAX_HEIGHT} levels")

    def _check_size(self, node: RegexNode, stack: list[RegexNode]) -> None:
        if self.sizes is None:
            if node.op == REPEAT:
                count = max(node.least if node.most < 0 else node.most, 1)
                self.repeats = min(self.repeats * count, MAX_SIZE) if count <= MAX_SIZE // self.repeats else MAX_SIZE
            # A bound that is good enough for Go: sizes are counted only where the product gets large.
            if self.made < MAX_SIZE // self.repeats:
                return
            self.sizes = {}
            for item in stack:
                self._too_large(item)
        self._too_large(node)

    def _too_large(self, node: RegexNode) -> None:
        assert self.sizes is not None
        if self._measure(node, self.sizes, _size) > MAX_SIZE:
            raise LimitError("is too large: its repetitions multiply to more than Go compiles")

    @staticmethod
    def _measure(node: RegexNode, known: dict[RegexNode, int], of: Callable[[RegexNode, list[int]], int]) -> int:
        """Measure a node again; nodes below it only if they have not been measured before."""
        todo = [(node, False)]
        while todo:
            item, ready = todo.pop()
            missing = [] if ready else [sub for sub in item.subs if sub not in known]
            if missing:
                todo.append((item, True))
                todo.extend((sub, False) for sub in missing)
            else:
                known[item] = of(item, [known[sub] for sub in item.subs])
        return known[node]


def _height(_: RegexNode, below: list[int]) -> int:
    return 1 + max(below, default=0)


def _size(node: RegexNode, below: list[int]) -> int:
    size = 1
    if node.op == LITERAL:
        size = len(node.text)
    elif node.op in (GROUP, STAR):
        size = 2 + below[0]
    elif node.op in (PLUS, OPTIONAL):
        size = 1 + below[0]
    elif node.op == CONCAT:
        size = sum(below)
    elif node.op == ALTERNATE:
        size = sum(below) + len(below) - 1
    elif node.op == REPEAT:
        if node.most < 0:
            size = 2 + below[0] if node.least == 0 else 1 + node.least * below[0]
        else:
            size = node.most * below[0] + node.most - node.least
    return max(1, size)


class Alternatives:
    """Puts nodes side by side or one after the other, and factors out what alternatives share."""

    def __init__(self, measures: Measures, stack: list[RegexNode]) -> None:
        self.measures = measures
        self.stack = stack

    def collapse(self, subs: list[RegexNode], op: int) -> RegexNode:
        """Return a node of `op` over the others; those of the same kind are dissolved in it."""
        if len(subs) == 1:
            return subs[0]
        node = self.measures.new(op)
        for sub in subs:
            if sub.op == op:
                node.subs += sub.subs
                self.measures.give_back()
            else:
                node.subs.append(sub)
        if op == ALTERNATE:
            node.subs = self.factored(node.subs)
            if len(node.subs) == 1:
                self.measures.give_back()
                return node.subs[0]
        return node

    def factored(self, subs: list[RegexNode]) -> list[RegexNode]:
        """Return the alternatives with common beginnings put before them, and single characters in one class."""
        if len(subs) < 2:
            return subs
        return self._one_empty(self._characters(self._by_node(self._by_text(subs))))

    def _by_text(self, subs: list[RegexNode]) -> list[RegexNode]:
        out: list[RegexNode] = []
        start = 0
        text: list[int] = []
        fold = False
        for i in range(len(subs) + 1):
            own: list[int] = []
            own_fold = False
            if i < len(subs):
                own, own_fold = _beginning(subs[i])
                if own_fold == fold:
                    same = 0
                    while same < len(text) and same < len(own) and text[same] == own[same]:
                        same += 1
                    if same:
                        text = text[:same]
                        continue
            if i == start + 1:
                out.append(subs[start])
            elif i > start:
                prefix = self.measures.new(LITERAL)
                prefix.fold, prefix.text = fold, list(text)
                for j in range(start, i):
                    subs[j] = self._without_text(subs[j], len(text))
                    self.measures.check(subs[j], self.stack)
                out.append(self._behind(prefix, subs[start:i]))
            start, text, fold = i, own, own_fold
        return out

    def _by_node(self, subs: list[RegexNode]) -> list[RegexNode]:
        out: list[RegexNode] = []
        start = 0
        first: RegexNode | None = None
        for i in range(len(subs) + 1):
            own: RegexNode | None = None
            if i < len(subs):
                own = _first(subs[i])
                if first is not None and own is not None and _same_characters(first, own):
                    continue
            if i == start + 1:
                out.append(subs[start])
            elif i > start:
                assert first is not None
                for j in range(start, i):
                    subs[j] = self._without_first(subs[j], kept=j == start)
                    self.measures.check(subs[j], self.stack)
                out.append(self._behind(first, subs[start:i]))
            start, first = i, own
        return out

    def _behind(self, prefix: RegexNode, subs: list[RegexNode]) -> RegexNode:
        suffix = self.collapse(subs, ALTERNATE)
        node = self.measures.new(CONCAT)
        node.subs = [prefix, suffix]
        return node

    def _characters(self, subs: list[RegexNode]) -> list[RegexNode]:
        out: list[RegexNode] = []
        run: list[RegexNode] = []
        for sub in [*subs, None]:
            if sub is not None and one_character(sub):
                run.append(sub)
                continue
            if run:
                most = max(range(len(run)), key=lambda j: (run[j].op, _breadth(run[j]), -j))
                run[0], run[most] = run[most], run[0]
                for other in run[1:]:
                    merge(run[0], other)
                    self.measures.give_back()
                if len(run) > 1:
                    tidy(run[0])
                out.append(run[0])
                run = []
            if sub is not None:
                out.append(sub)
        return out

    @staticmethod
    def _one_empty(subs: list[RegexNode]) -> list[RegexNode]:
        return [
            sub
            for sub, following in zip(subs, [*subs[1:], None], strict=True)
            if sub.op != EMPTY or following is None or following.op != EMPTY
        ]

    def _without_text(self, node: RegexNode, count: int) -> RegexNode:
        if node.op == CONCAT and node.subs:
            sub = self._without_text(node.subs[0], count)
            node.subs[0] = sub
            if sub.op == EMPTY:
                self.measures.give_back()
                if len(node.subs) == 2:
                    self.measures.give_back()
                    return node.subs[1]
                del node.subs[0]
            return node
        if node.op == LITERAL:
            node.text = node.text[count:]
            if not node.text:
                node.op = EMPTY
        return node

    def _without_first(self, node: RegexNode, *, kept: bool) -> RegexNode:
        if not kept:
            self.measures.give_back()
        if node.op == CONCAT and node.subs:
            del node.subs[0]
            if len(node.subs) == 1:
                self.measures.give_back()
                return node.subs[0]
            return node
        return self.measures.new(EMPTY)


def _beginning(node: RegexNode) -> tuple[list[int], bool]:
    """Return the text that a node begins with, and whether its case does not matter."""
    if node.op == CONCAT and node.subs:
        node = node.subs[0]
    return (node.text, node.fold) if node.op == LITERAL else ([], False)


def _first(node: RegexNode) -> RegexNode | None:
    if node.op == EMPTY:
        return None
    if node.op == CONCAT and node.subs:
        return None if node.subs[0].op == EMPTY else node.subs[0]
    return node


def _same_characters(a: RegexNode, b: RegexNode) -> bool:
    """Say whether both are the same one character, or the same fixed number of it."""
    if a.op != b.op:
        return False
    if a.op == REPEAT:
        if a.least != a.most or (a.least, a.most, a.lazy) != (b.least, b.most, b.lazy):
            return False
        return one_character(a.subs[0]) and a.subs[0].key() == b.subs[0].key()
    return one_character(a) and a.key() == b.key()


def _breadth(node: RegexNode) -> int:
    return len(node.text) if node.op == LITERAL else 0 if node.members is None else node.members.breadth
