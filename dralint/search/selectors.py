"""Undoes slips in a selector: wrong tokens, words of other languages, and wrongly written domains."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.drivers.devices import Name, is_published
from dralint.drivers.shipped import CLASSES
from dralint.kubernetes.formats import STANDARD_DOMAIN, STANDARD_NAMES
from dralint.kubernetes.near import distance
from dralint.kubernetes.quantity import amounts, is_few_bytes
from dralint.search.lines import Candidate, candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.search.lines import TextLines

_TYPE = re.compile(r"\.(?:string|bool|int|version|value|quantity)(?:Value)?\b(?!\()")
_REWRITTEN = (
    *(
        ("operator", 0.0, re.compile(pattern), sign)
        for pattern, sign in (
            (r"(?<![=!<>])=(?![=~>])", "=="),
            (r"===|=~", "=="),
            (r"!==|<>|(?<= )ne(?= )|=!", "!="),
            (r"=>|(?<= )ge(?= )", ">="),
            (r"=<|(?<= )le(?= )", "<="),
            (r"(?<= )(?:lt|LT)(?= )", "<"),
            (r"(?<= )(?:gt|GT)(?= )", ">"),
            (r"(?<= )(?:eq|is|EQ|equals)(?= )", "=="),
            (r"(?<= )(?:and|AND|&)(?= |$)", "&&"),
            (r"(?<= )(?:or|OR|\|)(?= |$)", "||"),
            (r"(?<= )(?:IN|In)(?= )", "in"),
            (r"(?<![\w.])(?:not|NOT) +", "!"),
            (r"`", '"'),
        )
    ),
    ("operator", 0.2, re.compile(r"(?<= )in(?= [\"'][^\"',]+[\"'])"), "=="),
    ("domain", 0.0, _TYPE, ""),
    # An attribute that is compared with a Quantity, as only a capacity can be.
    (
        "domain",
        0.2,
        re.compile(
            r"device\.(?P<at>attributes)(?=\[[^\]]+\]\.\w+"
            r"(?:\.(?:compareTo|isGreaterThan|isLessThan)\(| *(?:[=!<>]=|[<>]) *)quantity\()"
        ),
        "capacity",
    ),
    # A comparison within the brackets of the call that it compares.
    (
        "bracket",
        0.0,
        re.compile(r"\.\w+\((?:quantity|semver)\([^()]*\)(?P<at>(?P<rest> *(?:[=!<>]=|[<>]) *[\w.-]+)\))"),
        r")\g<rest>",
    ),
    # An entry in brackets that has() tests, unless the brackets replace a domain.
    (
        "wrapped",
        0.0,
        re.compile(r"has\((?P<map>[^()]*)(?<!\.attributes)(?<!\.capacity)\[[\"'](?P<key>\w+)[\"']\]\)"),
        r"has(\g<map>.\g<key>)",
    ),
)
"""Kind of edit, its further cost, a pattern, and what stands instead of the part `at` of it, or of all of it."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_FUNCTIONS = (
    *("startsWith", "endsWith", "contains", "matches", "compareTo", "isGreaterThan", "isLessThan", "lowerAscii"),
    *("quantity", "semver", "exists", "all", "size", "has", "orValue"),
)
_OTHERS = {"lower": "lowerAscii", "upper": "upperAscii", "include": "contains", "version": "semver", "len": "size"}
_STANDING = ("device", "attributes", "capacity", "driver", "true", "false", *_FUNCTIONS)
_LOOKUP = re.compile(r"(device\.)?(attributes|capacity)(\[\"?'?[^\]]*\])?")
_KEYED = re.compile(r"device\.(?:attributes|capacity)\[(?P<quote>[\"'])(?P<key>[^\"'\]]+)(?P=quote)\](?P<rest>\.\w+)?")
_UNKEYED = re.compile(r"device\.(attributes|capacity)\.([\w.-]+)\.(\w+)")
_OF_NO_AMOUNT = re.compile(
    r"device\.(?P<kind>capacity)\[[^\]]+\]\.\w+"
    r"(?: *[=!]= *(?:true|false|(?P<quote>[\"'])(?P<value>[^\"']+)(?P=quote))| in \["
    r"|\.(?:startsWith|endsWith|contains|matches)\()"
)
"""A capacity that is used as only an attribute can be: as a text that is no amount, or as a bool."""
_NO_DOMAIN = re.compile(r"device\.(attributes|capacity)\.(?P<name>[A-Za-z_]\w*)(?= *[=!<>)]| in |\.\w+\(|$)")
"""A name in place of its domain: a comparison, a call or nothing follows it."""
_BARE = re.compile(
    r"(?<=[=<>(,] )([A-Za-z][\w.-]*)|(?<=[(\[])([A-Za-z][\w.-]*|\d[\d.]*[A-Za-z]\w*|\d+\.\d+\.\d[\w.-]*)(?=[)\],])"
)
_NO_OPERATOR = re.compile(r"(?:(?<=[\w\"')\]] )|^)(?=!?(?:has\(|device\.))")
"""Where a condition begins without an operator before it."""
_COMPARED = re.compile(
    r"(?P<left>device\.capacity\[[^\]]+\]\.(?P<name>\w+)) *(?P<sign>==|>=|<=|>|<) *"
    r"(?P<made>quantity\()?(?P<quote>[\"']?)(?P<value>[\w.]+)(?P=quote)(?(made)\))"
)
_ARGUMENT = re.compile(r"(?:\.(?P<name>\w+)\.\w+)?\((?P<text>[\"'](?P<value>[\w.]+)[\"'])(?=\))")
_VERSION = re.compile(r"(?P<left>\.\w+) *(?P<sign>==|>=|<=|>|<) *(?P<text>[\"']\d+\.\d+\.\d+[\"'])")
_LIST = re.compile(r"(?<= in )([\"'])([\w.-]+(?:, ?[\w.-]+)+)\1")
_TEXT = re.compile(r"([\"'])[^\"'\n]*\1")
_BOUNDARY = re.compile(
    r"(?<![\w.-])(?=[\w])|(?<=[\w\"'\])])(?![\w.-])|(?<=[\[(, ])(?=[\"'!])|(?<=[\w\"'])(?=\.)"
    r"|(?<=\()(?=[\[^.])|(?<=[+*?$.])(?=\))"  # where the pattern of a call begins and ends
)
_NO_COMMA = re.compile(r"(?<=\d)(?= \d)|(?<=[\"'])(?= [\"'])")
_INDEXED = re.compile(r"(?:\b(?:attributes|capacity)\b|\bin|[^\w ]) *$")
"""What may stand before an index or a list: any entry can be asked of a map, so a call must not become one."""
_LONGEST = 400
_FARTHER = 0.4
"""The further cost of a domain that is written farther away."""


def selectors(
    text: TextLines, number: int, said: str, domains: list[str], span: tuple[int, int]
) -> Iterator[Candidate]:
    """Yield edits of a line with a selector; the inside of a text in quotes that the finding is about stays."""
    body, start = text.body(number)[:_LONGEST], text.first(number)
    key = re.match(r"(?:- +)*(?:cel: *\{ *)?expression: *", body)
    offset = 0 if key is None else key.end()
    near = nearest(text, number, domains)
    closed = _TEXT.fullmatch(text.text, *span) is not None
    if body[offset:].isupper():  # the Caps Lock key changes all letters
        yield candidate("letters", (start + offset, start + len(body), body[offset:].lower()))
        return
    for kind, at, end, new, more in (
        *_rewritten(body, offset),
        *_forms(body, near),
        *_names(body, offset, text, said),
        *_characters(body, offset),
    ):
        if closed and span[0] < start + at and start + end < span[1]:
            continue
        if at < offset or body[at:end] == new:
            continue
        if at == offset and new[:1] == "!" and key is not None:  # YAML would read a tag
            value = (new + text.body(number)[end:]).replace("'", "''")
            yield candidate(kind, (start + at, text.end(number), f"'{value}'"), more=more)
        else:
            yield candidate(kind, (start + at, start + end, new), more=more)


_Edit = tuple[str, int, int, str, float]


def _rewritten(body: str, offset: int) -> Iterator[_Edit]:
    for kind, more, pattern, new in _REWRITTEN:
        for one in pattern.finditer(body, offset):
            yield kind, *one.span("at" if "at" in pattern.groupindex else 0), one.expand(new), more
    for one in _NO_OPERATOR.finditer(body, offset) if "||" not in body else ():
        yield "operator", one.start(), one.start(), "&& ", 0.4


def nearest(text: TextLines, number: int, domains: list[str]) -> dict[str, float]:
    """Return the domains that a text has, or else all, with their further cost: those nearest to a line have none.

    A class stands for its driver.
    """
    domains = [domain for domain in domains if domain != STANDARD_DOMAIN]
    there = [domain for domain in domains if domain in text.text]
    if not there:
        return dict.fromkeys(domains, 0.0)
    far = {
        domain: min(abs(other - number) for other, line in enumerate(text.lines) if domain in line) for domain in there
    }
    out: dict[str, float] = {}
    for domain in sorted(there, key=far.__getitem__):
        out.setdefault(CLASSES.get(domain, domain), 0.0 if far[domain] == min(far.values()) else _FARTHER)
    return out


def _of(kind: str, name: str, domains: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Yield the domains that can have a name, with their further cost.

    A driver with a pack has only the names that it publishes.
    """
    if name in STANDARD_NAMES and kind == "attributes":
        yield STANDARD_DOMAIN, 0.0
        return
    for domain, more in domains.items():
        if is_published(Name(kind, domain, name)) is not False:
            yield domain, more


def _forms(body: str, domains: dict[str, float]) -> Iterator[_Edit]:
    for found in _KEYED.finditer(body):
        quote, key, rest = found["quote"], found["key"], found["rest"] or ""
        first, slash, name = key.partition("/")
        head = body[found.start() : found.start("quote")]
        behind = "" if _TYPE.fullmatch(rest) else rest
        if slash:
            yield "domain", found.start(), found.end(), f"{head}{quote}{first}{quote}].{name}{behind}", 0.0
        elif "." not in key or not rest:
            kind = head[len("device.") : -1]
            for attribute in dict.fromkeys(key.removeprefix(f"{domain}.") for domain in domains):
                for domain, more in _of(kind, attribute, domains):
                    new = f"{head}{quote}{domain}{quote}].{attribute}{behind}"
                    yield "domain", found.start(), found.end(), new, more
    for found in _UNKEYED.finditer(body):
        for domain in domains:
            names = f"{found[2]}.{found[3]}"
            if names == domain or names.startswith(f"{domain}."):
                for quote in ('"', "'"):
                    new = f"device.{found[1]}[{quote}{domain}{quote}]{names[len(domain) :]}"
                    yield "domain", found.start(), found.end(), new, 0.0
    for found in _NO_DOMAIN.finditer(body):
        for domain, more in _of(found[1], found["name"], domains):
            for quote in ('"', "'"):
                yield "domain", found.start("name") - 1, found.start("name"), f"[{quote}{domain}{quote}].", more
    for found in _OF_NO_AMOUNT.finditer(body):
        if not amounts(found["value"] or "").values:
            yield "domain", found.start("kind"), found.end("kind"), "attributes", 0.2
    for found in _COMPARED.finditer(body):
        left, sign = found["left"], found["sign"]
        if _TYPE.fullmatch(f".{found['name']}") or is_few_bytes(found["name"], found["value"]):
            continue
        for quote in dict.fromkeys((found["quote"] or '"', '"', "'")):
            call = f"quantity({quote}{found['value']}{quote})"
            if sign in ("<", ">"):
                function = "isGreaterThan" if sign == ">" else "isLessThan"
                yield "wrapped", found.start(), found.end(), f"{left}.{function}({call})", 0.0
            else:
                yield "wrapped", found.start(), found.end(), f"{left}.compareTo({call}) {sign} 0", 0.0
    for found in _ARGUMENT.finditer(body):
        for function in ("quantity", "semver"):
            if function == "semver" or not is_few_bytes(found["name"] or "", found["value"]):
                yield "wrapped", found.start("text"), found.end("text"), f"{function}({found['text']})", 0.0
    for found in _LIST.finditer(body):
        items = ", ".join(f"{found[1]}{item.strip()}{found[1]}" for item in found[2].split(","))
        yield "wrapped", found.start(), found.end(), f"[{items}]", 0.0


def _names(body: str, offset: int, text: TextLines, said: str) -> Iterator[_Edit]:
    used = {found[0] for line in text.lines if "device." in line for found in _NAME.finditer(line)}
    used |= set(_NAME.findall(said)) if "device" in said else set()
    for found in _NAME.finditer(body, offset):
        word = found[0]
        if word in _STANDING:
            continue
        other = _OTHERS.get(word)
        if other is not None:
            yield "letters", found.start(), found.end(), other, 0.2
        for known in _FUNCTIONS:
            if word.startswith(known) and word[len(known) :] in ("device", *_FUNCTIONS):
                at = found.start() + len(known)
                yield "bracket", at, at, "(", 0.0
        for known in _STANDING:
            steps = distance(word.lower(), known.lower())
            if steps <= (1 if len(known) < 5 else 2):
                yield "letters", found.start(), found.end(), known, 0.6 * max(0, steps - 1)
            elif len(word) > 3 and (known.lower().endswith(word.lower()) or known.startswith(word)):
                yield "letters", found.start(), found.end(), known, 0.6
        for known in sorted(used):
            if known != word and len(word) > 3 and distance(word.lower(), known.lower()) == 1:
                yield "letters", found.start(), found.end(), known, 0.4
    for found in _BARE.finditer(body, offset):
        at = found.start(1) if found[1] else found.start(2)
        word = found[1] or found[2]
        for quote in ('"', "'"):
            yield "quoted name", at, at + len(word), f"{quote}{word}{quote}", 0.0


def _characters(body: str, offset: int) -> Iterator[_Edit]:
    for at in range(offset, len(body)):
        character = body[at]
        if character in "\"'":
            yield "quote", at, at + 1, "'" if character == '"' else '"', 0.1
            yield "quote", at, at + 1, "", 0.3
        elif character in "()[]{}":
            yield "bracket", at, at + 1, "", 0.1
            for other in "()[]":
                if other == "[" and not _INDEXED.search(body, 0, at):
                    continue
                if other != character and (other in "([") == (character in "([{"):
                    yield "bracket", at, at + 1, other, 0.0
        elif character == ",":
            yield "comma", at, at + 1, "", 0.0
    if "[" in body[offset:]:
        for found in _NO_COMMA.finditer(body, offset):
            yield "comma", found.start(), found.start(), ",", 0.0
    odd = [mark for mark in "\"'" if body[offset:].count(mark) % 2]
    missing = [
        mark
        for one, other in ("[]", "()")
        for mark, count in ((one, body.count(other) - body.count(one)), (other, body.count(one) - body.count(other)))
        if count > 0
    ]
    for found in _BOUNDARY.finditer(body, offset):
        at = found.start()
        for mark in odd:
            yield "quote", at, at, mark, 0.0
        for mark in missing:
            if (body[at - 1 : at] if mark in "])" else body[at : at + 1]) != " ":
                yield "bracket", at, at, mark, 0.0
