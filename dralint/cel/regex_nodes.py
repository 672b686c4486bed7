"""The tree of a pattern, in the shape of Go's regexp/syntax, with its height and size, and character classes."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable


LAST = 0x10FFFF
NEWLINE = 10
Ranges = tuple[tuple[int, int], ...]


class RegexError(ValueError):
    """Go does not accept the pattern; the message is a phrase that follows the quoted pattern."""

    def __init__(self, message: str, hint: str = "write a simpler pattern, or several conditions joined by &&") -> None:
        super().__init__(message)
        self.hint = hint


class NotRunError(Exception):
    """The matches of a pattern depend on something that dralint does not know; the message names it."""


class PatternLimitError(NotRunError):
    """A pattern reaches a limit of dralint; the message names it."""


@cache
def _folds() -> dict[int, tuple[int, ...]]:
    """Return, for each character whose case has other forms, all of them (simple folding, as unicode.SimpleFold)."""
    groups: dict[str, list[int]] = {}
    for code in range(0x1E944):
        char = chr(code)
        folded = char.casefold()
        if len(folded) != 1:
            folded = char.lower()
        groups.setdefault(folded if len(folded) == 1 else char, []).append(code)
    return {code: tuple(group) for group in groups.values() if len(group) > 1 for code in group}


def orbit(code: int) -> tuple[int, ...]:
    """Return a character and all that differ from it in case only."""
    if code < 128 and not chr(code).isalpha():
        return (code,)
    return _folds().get(code, (code,))


@dataclass(frozen=True, slots=True)
class Category:
    """The characters of a general category (`L`, `Lu`), or of a script; `fold` adds those of another case."""

    name: str
    fold: bool

    def has(self, code: int) -> bool:
        """Say whether the character is in it. Raises NotRunError where that is not known."""
        if self.name in SCRIPTS:
            raise NotRunError(f"the script {self.name}")
        return any(map(self._is, orbit(code) if self.fold else (code,)))

    def _is(self, code: int) -> bool:
        found = unicodedata.category(chr(code))
        if found == "Cn":
            raise NotRunError(f"the class of U+{code:04X}")
        if self.name == "LC":
            return found in ("Lu", "Ll", "Lt")
        return found.startswith(self.name)


@dataclass(frozen=True, slots=True)
class CharClass:
    """Characters as ordered, separate ranges of code points, and classes known only by name or as a complement."""

    ranges: Ranges
    named: tuple[Category | Complement, ...] = ()

    @classmethod
    def spanning(cls, ranges: Ranges | list[tuple[int, int]]) -> CharClass:
        """Return the class of ranges in any order."""
        return cls(_merged(list(ranges)))

    def has(self, code: int) -> bool:
        """Say whether the character is in the class. Raises NotRunError where that is not known."""
        low, high = 0, len(self.ranges)
        while low < high:
            middle = (low + high) // 2
            if self.ranges[middle][1] < code:
                low = middle + 1
            else:
                high = middle
        if low < len(self.ranges) and self.ranges[low][0] <= code:
            return True
        return any(part.has(code) for part in self.named)

    def joined(self, other: CharClass) -> CharClass:
        """Return what is in one or the other."""
        return CharClass(_merged([*self.ranges, *other.ranges]), (*self.named, *other.named))

    def negated(self) -> CharClass:
        """Return what is not in the class."""
        if self.named:
            return CharClass((), (Complement(self),))
        gaps = []
        at = 0
        for low, high in self.ranges:
            if at < low:
                gaps.append((at, low - 1))
            at = high + 1
        if at <= LAST:
            gaps.append((at, LAST))
        return CharClass(tuple(gaps))

    def folded(self) -> CharClass:
        """Return the class with all characters that differ only in case. Classes known by name have their own."""
        found = list(self.ranges)
        if any(low < 128 or high > 127 for low, high in self.ranges):
            for code, others in _folds().items():
                if any(low <= code <= high for low, high in self.ranges):
                    found += [(other, other) for other in others]
        return CharClass(_merged(found), self.named)


@dataclass(frozen=True, slots=True)
class Complement:
    """What is not in a class."""

    of: CharClass

    def has(self, code: int) -> bool:
        """Say whether the character is in it. Raises NotRunError where that is not known."""
        return not self.of.has(code)


def _merged(ranges: list[tuple[int, int]]) -> Ranges:
    out: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(out[-1][1], high))
        else:
            out.append((low, high))
    return tuple(out)


NEWEST = "folded"
"""How the newest Go finds the names of classes: those of schemas and packs."""


def named(name: str, names: str, *, fold: bool) -> CharClass | None:
    """Return the class for `\\p{name}`; None where Go knows none of this name.

    `names` says how names are found: `exact` (until Go 1.24), or `folded` (from Go 1.25 on: case, blanks, `-` and `_`
    do not matter, long names are known; of scripts only those are found that are one capitalized word).
    """
    if names == "folded":
        name = "".join(c for c in name if c not in "_- ")
        name = name[:1].translate(UPPER) + name[1:].translate(LOWER)
        if name == "Ascii":
            return CharClass(((0, 0x7F),)).folded() if fold else CharClass(((0, 0x7F),))
        if name == "Assigned":
            return CharClass((), (Category("Cn", fold),)).negated()
        name = _LONG_NAMES.get(name, name)
    elif name in _NEWER:
        return None
    if name == "Any":
        return CharClass(((0, LAST),))
    if name in CATEGORIES or name in SCRIPTS or name in _NEWER:
        return CharClass((), (Category(name, fold),))
    return None


LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
CATEGORIES = frozenset(
    """
    Any C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
_NEWER = frozenset({"Cn", "LC"})
_LONG_NAMES = {
    long: short
    for short, names in {
        "C": "Other",
        "Cc": "Control Cntrl",
        "Cf": "Format",
        "Cn": "Unassigned",
        "Co": "Privateuse",
        "Cs": "Surrogate",
        "L": "Letter",
        "LC": "Lc Casedletter",
        "Ll": "Lowercaseletter",
        "Lm": "Modifierletter",
        "Lo": "Otherletter",
        "Lt": "Titlecaseletter",
        "Lu": "Uppercaseletter",
        "M": "Mark Combiningmark",
        "Mc": "Spacingmark",
        "Me": "Enclosingmark",
        "Mn": "Nonspacingmark",
        "N": "Number",
        "Nd": "Decimalnumber Digit",
        "Nl": "Letternumber",
        "No": "Othernumber",
        "P": "Punctuation Punct",
        "Pc": "Connectorpunctuation",
        "Pd": "Dashpunctuation",
        "Pe": "Closepunctuation",
        "Pf": "Finalpunctuation",
        "Pi": "Initialpunctuation",
        "Po": "Otherpunctuation",
        "Ps": "Openpunctuation",
        "S": "Symbol",
        "Sc": "Currencysymbol",
        "Sk": "Modifiersymbol",
        "Sm": "Mathsymbol",
        "So": "Othersymbol",
        "Z": "Separator",
        "Zl": "Lineseparator",
        "Zp": "Paragraphseparator",
        "Zs": "Spaceseparator",
    }.items()
    for long in names.split()
}
"""Names that Go 1.25 and later know for categories, as they are looked up."""

SCRIPTS = frozenset(
    """
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee
    Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan
    Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi
    Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
    Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian
    Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui
    Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari
    Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic
    Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage
    Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan
    Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri
    Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh
    Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)

_DIGITS, _CAPITALS, _SMALL = (0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)
POSIX: dict[str, Ranges] = {
    "alnum": (_DIGITS, _CAPITALS, _SMALL),
    "alpha": (_CAPITALS, _SMALL),
    "ascii": ((0, 0x7F),),
    "blank": ((9, 9), (0x20, 0x20)),
    "cntrl": ((0, 0x1F), (0x7F, 0x7F)),
    "digit": (_DIGITS,),
    "graph": ((0x21, 0x7E),),
    "lower": (_SMALL,),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((9, 13), (0x20, 0x20)),
    "upper": (_CAPITALS,),
    "word": (_DIGITS, _CAPITALS, (0x5F, 0x5F), _SMALL),
    "xdigit": (_DIGITS, (0x41, 0x46), (0x61, 0x66)),
}
PERL: dict[str, Ranges] = {
    "d": (_DIGITS,),
    "s": ((9, 10), (12, 13), (0x20, 0x20)),
    "w": POSIX["word"],
}


EMPTY, LITERAL, CLASS, NOT_NEWLINE, ANY = range(5)
BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_EDGE, NO_WORD_EDGE = range(6, 12)
GROUP, STAR, PLUS, OPTIONAL, REPEAT, CONCAT, ALTERNATE = range(12, 19)
OPEN, BAR = 128, 129
"""Marks on the stack of the parser: an open group, and alternatives to the left of it."""

MAX_HEIGHT = 1000
MAX_SIZE = (128 << 20) // 40


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
        return (self.op, tuple(self.text), self.members, self.fold)


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
    return CharClass.spanning([(code, code) for code in (orbit(node.text[0]) if node.fold else node.text[:1])])


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
        """Raise RegexError when the node is too large or too tall."""
        self._check_size(node, stack)
        if self._measure(node, self.heights, _height) > MAX_HEIGHT:
            raise RegexError(f"nests too deeply: at most {MAX_HEIGHT} levels")

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
            raise RegexError("is too large: its repetitions multiply to more than Go compiles")

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


T = TypeVar("T")
Beginning = tuple[list[int], bool]
"""A text, and whether its case does not matter."""


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
        by_text = self._grouped(subs, _beginning, _common_text, self._literal, self._without_text)
        by_node = self._grouped(by_text, _first, _same_characters, lambda first: first, self._without_first)
        return self._one_empty(self._characters(by_node))

    def _grouped(
        self,
        subs: list[RegexNode],
        beginning: Callable[[RegexNode], T | None],
        common: Callable[[T, T], T | None],
        prefix: Callable[[T], RegexNode],
        without: Callable[[RegexNode, T, bool], RegexNode],
    ) -> list[RegexNode]:
        """Return the alternatives with the common beginning of neighbours put before them, as `prefix` makes it.

        `without` gets an alternative, its beginning, and whether it is the first that has it.
        """
        out: list[RegexNode] = []
        start = 0
        shared: T | None = None
        for i, own in enumerate([*map(beginning, subs), None]):
            both = None if shared is None or own is None else common(shared, own)
            if both is not None:
                shared = both
                continue
            if i == start + 1:
                out.append(subs[start])
            elif i > start and shared is not None:
                before = prefix(shared)
                for j in range(start, i):
                    subs[j] = without(subs[j], shared, j == start)
                    self.measures.check(subs[j], self.stack)
                out.append(self._behind(before, subs[start:i]))
            start, shared = i, own
        return out

    def _literal(self, beginning: Beginning) -> RegexNode:
        node = self.measures.new(LITERAL)
        node.text, node.fold = list(beginning[0]), beginning[1]
        return node

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

    def _without_text(self, node: RegexNode, beginning: Beginning, is_first: bool) -> RegexNode:
        if node.op == CONCAT and node.subs:
            sub = self._without_text(node.subs[0], beginning, is_first)
            node.subs[0] = sub
            if sub.op == EMPTY:
                self.measures.give_back()
                if len(node.subs) == 2:
                    self.measures.give_back()
                    return node.subs[1]
                del node.subs[0]
            return node
        if node.op == LITERAL:
            node.text = node.text[len(beginning[0]) :]
            if not node.text:
                node.op = EMPTY
        return node

    def _without_first(self, node: RegexNode, _: RegexNode, is_first: bool) -> RegexNode:
        if not is_first:
            self.measures.give_back()
        if node.op == CONCAT and node.subs:
            del node.subs[0]
            if len(node.subs) == 1:
                self.measures.give_back()
                return node.subs[0]
            return node
        return self.measures.new(EMPTY)


def _beginning(node: RegexNode) -> Beginning:
    """Return the text that a node begins with, and whether its case does not matter."""
    if node.op == CONCAT and node.subs:
        node = node.subs[0]
    return (node.text, node.fold) if node.op == LITERAL else ([], False)


def _common_text(one: Beginning, other: Beginning) -> Beginning | None:
    """Return what two texts both begin with; None for nothing."""
    pairs = zip(one[0], other[0], strict=False)
    same = [code for code, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)] if one[1] == other[1] else []
    return (same, one[1]) if same else None


def _first(node: RegexNode) -> RegexNode | None:
    if node.op == EMPTY:
        return None
    if node.op == CONCAT and node.subs:
        return None if node.subs[0].op == EMPTY else node.subs[0]
    return node


def _same_characters(a: RegexNode, b: RegexNode) -> RegexNode | None:
    """Return the first where both are the same one character, or the same fixed number of it; None otherwise."""
    one, other = a, b
    if a.op == b.op == REPEAT and a.least == a.most and (a.least, a.most, a.lazy) == (b.least, b.most, b.lazy):
        one, other = a.subs[0], b.subs[0]
    return a if one.op == other.op and one_character(one) and one.key() == other.key() else None


def _breadth(node: RegexNode) -> int:
    """Return how many numbers Go needs for a node, more or less."""
    members = node.members
    return len(node.text) if members is None else 2 * len(members.ranges) + 1000 * len(members.named)
