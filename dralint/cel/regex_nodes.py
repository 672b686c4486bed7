"""The tree of a pattern, with its height and size as Go limits them (regexp/syntax), and character classes."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    """Characters as ordered, separate ranges of code points, and other classes; or (`inverted`) all but these."""

    ranges: Ranges
    others: tuple[Category | CharClass, ...] = ()
    inverted: bool = False

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
        found = low < len(self.ranges) and self.ranges[low][0] <= code
        return (found or any(part.has(code) for part in self.others)) is not self.inverted

    def joined(self, other: CharClass) -> CharClass:
        """Return what is in one or the other; this one is not inverted."""
        if other.inverted:
            return replace(self, others=(*self.others, other))
        return CharClass(_merged([*self.ranges, *other.ranges]), (*self.others, *other.others))

    def negated(self) -> CharClass:
        """Return what is not in the class."""
        return replace(self, inverted=not self.inverted)

    def folded(self) -> CharClass:
        """Return the class with all characters that differ only in case. Classes known by name have their own."""
        found = list(self.ranges)
        for code, others in _folds().items() if found else ():
            if any(low <= code <= high for low, high in self.ranges):
                found += [(other, other) for other in others]
        return replace(self, ranges=_merged(found))


NOTHING = CharClass(())


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


LITERAL, CLASS, EDGE, GROUP, REPEAT, CONCAT, ALTERNATE = range(7)
BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_EDGE, NO_WORD_EDGE = range(6)

MAX_HEIGHT = 1000
MAX_SIZE = (128 << 20) // 40


class RegexNode:
    """One node of a pattern, with its height and size; RegexError where Go has a smaller limit for them.

    Attributes:
        members: what a literal or a class matches.
        edge: the kind of an edge.
        least, most, lazy: of a repetition; `most` is -1 without a limit, `lazy` takes as few as it can.
    """

    __slots__ = ("edge", "height", "lazy", "least", "members", "most", "op", "size", "subs")

    def __init__(
        self,
        op: int,
        subs: Sequence[RegexNode] = (),
        *,
        members: CharClass = NOTHING,
        edge: int = 0,
        least: int = 0,
        most: int = 0,
        lazy: bool = False,
    ) -> None:
        self.op = op
        self.subs = subs
        self.members = members
        self.edge = edge
        self.least = least
        self.most = most
        self.lazy = lazy
        self.height: int = 1 + max((sub.height - self._dissolves(sub) for sub in subs), default=0)
        self.size = max(1, self._size())
        if self.height > MAX_HEIGHT:
            raise RegexError(f"nests too deeply: at most {MAX_HEIGHT} levels")
        if self.size > MAX_SIZE:
            raise RegexError("is too large: its repetitions multiply to more than Go compiles")

    def _dissolves(self, sub: RegexNode) -> bool:
        """Say whether Go makes no node of its own of one below: it joins texts, and characters side by side."""
        if self.op == CONCAT:
            return sub.op in (CONCAT, LITERAL)
        return self.op == ALTERNATE and sub.op in (ALTERNATE, LITERAL, CLASS)

    def _size(self) -> int:
        below = sum(sub.size for sub in self.subs)
        if self.op == GROUP:
            return 2 + below
        if self.op == ALTERNATE:
            characters = (sub.op in (LITERAL, CLASS) for sub in self.subs)
            return below + len(self.subs) - 1 - 2 * sum(one and other for one, other in pairwise(characters))
        if self.op != REPEAT:
            return below
        if self.most >= 0:
            return self.most * below + self.most - self.least
        return 1 + self.least * below if self.least else 2 + below
