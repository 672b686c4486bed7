"""Mistakes of people, made at random places of good manifests, so that what was meant is known.

    python -m tests.fuzz.mistakes --count 5000 --seed 7 [--keep FOLDER]

A manifest gets one or two slips. The run counts how often dralint finds them on their line, how often a hint leads to
what was meant, and how often `fix` and `fix --unsafe-fixes` give it back. A safe fix keeps all comments and may lead to
nothing else that is accepted; the exit status is 1 where one did. The same seed gives the same slips in the same order.

A new kind of slip is a function in a group of GROUPS: it gets the text and a source of chance, and returns what it
replaces (start, end, replacement), or None where the text has no place for it. The operators are independent of those
that repair.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from dralint.config.settings import Settings
from dralint.edit.apply import FileText, apply
from dralint.files.source import Source
from dralint.finding.finding import Finding
from dralint.finding.report import Report
from dralint.fix.files import fix
from dralint.kubernetes.quantity import parse_quantity
from dralint.lint.linter import Linter
from dralint.yaml import read
from tests.fuzz.program import keep, numbers, options

Slip = tuple[int, int, str]
Kind = Callable[[str, random.Random], "Slip | None"]

ROOT = Path(__file__).parents[2]
_LARGEST = 6000
_TRIES = 4
_ADMISSION = "admissionregistration.k8s.io"
"""What no manifest has that slips are made in: of a policy only the rules that name our group are judged, and one slip
makes it a policy for others."""
_MOST = 0.7
"""How often a manifest gets another selector, since most of them are alike."""
_KEY = re.compile(r"^([ ]*(?:- )*)([A-Za-z][\w./-]*):(?=\s)", re.MULTILINE)
_VALUE = re.compile(r"^[ ]*(?:- )*[A-Za-z][\w./-]*: +([^\s\"'{\[|>&*#][^\n#{}\[\]]*?)[ ]*$", re.MULTILINE)
_QUOTED = re.compile(r"""(?<=[ \[{])(["'])([^"'\n]*)\1(?=[ ,\]}]*$)""", re.MULTILINE)
_LINE = re.compile(r"^([ ]*)(\S.*)\n?", re.MULTILINE)
_ITEM = re.compile(r"^([ ]*)- (?=\S)", re.MULTILINE)
_NUMBER = re.compile(r"(?<=: )\d+(?=[ ]*$|[,}])", re.MULTILINE)
_BOOLEAN = re.compile(r"(?<=: )(?:true|false)(?=[ ]*$|[,}])", re.MULTILINE)
_AMOUNT = re.compile(r"(?<=: )[\"']?(\d+)([KMGT]i)[\"']?(?=[ ]*$|[,}])", re.MULTILINE)
_DOMAIN = re.compile(r"(?<![\w./])((?:[a-z0-9-]+\.)+[a-z]+/)(?=\w)")
_TYPED = re.compile(r"\{ ?(string|int|bool|version|value): ([^{}\n]*?) ?\}")
_NESTED = re.compile(r":\n[ ]+(string|int|bool|version|value|name|expression): ([^\n]*)$", re.MULTILINE)
_OPERATOR = re.compile(r" (==|!=|&&|\|\||>=|<=|<|>|in) ")
_EXPRESSION = re.compile(r"expression: (.*(?:\n(?: {8,}).*)*)")
_WORD = re.compile(r"[\w.-]+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#[^\n]*")
_FLOW = re.compile(r"[\[{][^\[\]{}\n]+[\]}]")


def _pick(pattern: re.Pattern[str], text: str, chance: random.Random) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return chance.choice(found) if found else None


def _letters(word: str, chance: random.Random, how: str) -> str:
    at = chance.randrange(len(word))
    if how == "dropped":
        return word[:at] + word[at + 1 :]
    if how == "doubled":
        return word[:at] + word[at] + word[at:]
    at = min(at, len(word) - 2)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :] if len(word) > 1 else word


def _of_word(pattern: re.Pattern[str], group: int, make: Callable[[str, random.Random], str]) -> Kind:
    """A key or value, which is a group of the pattern, is written otherwise."""

    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(pattern, text, chance)
        return None if found is None else (found.start(group), found.end(group), make(found[group], chance))

    return slip


def _of_key(make: Callable[[str, random.Random], str]) -> Kind:
    return _of_word(_KEY, 2, make)


def _of_value(make: Callable[[str, random.Random], str]) -> Kind:
    return _of_word(_VALUE, 1, make)


def _matched(pattern: str | re.Pattern[str], make: str | Callable[[re.Match[str], random.Random], str]) -> Kind:
    """Something that matches is written otherwise: as a template with the groups, or as a function says."""
    compiled = re.compile(pattern, re.MULTILINE) if isinstance(pattern, str) else pattern

    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(compiled, text, chance)
        if found is None:
            return None
        return found.start(), found.end(), found.expand(make) if isinstance(make, str) else make(found, chance)

    return slip


def _plural(word: str, _: random.Random) -> str:
    return word[:-1] if word.endswith("s") else f"{word}s"


def _snake(word: str, chance: random.Random) -> str:
    return re.sub(r"[A-Z]", lambda found: chance.choice("_-") + found[0].lower(), word)


def _block(text: str, at: int) -> tuple[int, int, int]:
    """Return start, end and indentation of a line with what is indented more below it."""
    start = text.rfind("\n", 0, at) + 1
    lead = len(text[start:]) - len(text[start:].lstrip(" "))
    end = len(text)
    for line in _LINE.finditer(text, text.find("\n", start) + 1 or len(text)):
        if len(line[1]) <= lead:
            end = line.start()
            break
    return start, end, lead


def _shifted(by: int, *, alone: bool) -> Kind:
    """A line, alone or with what lies below it, stands in another column."""

    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(_LINE, text, chance)
        if found is None:
            return None
        start, end, lead = _block(text, found.start())
        if alone:
            end = found.end()
        if lead + by < 0:
            return None
        moved = re.sub(r"^ *(?=\S)", lambda old: " " * max(0, len(old[0]) + by), text[start:end], flags=re.MULTILINE)
        return start, end, moved

    return slip


def _below_the_next(text: str, chance: random.Random) -> Slip | None:
    """A line changes places with the one below it."""
    lines = list(_LINE.finditer(text))
    if len(lines) < 3:
        return None
    at = chance.randrange(len(lines) - 1)
    one, other = lines[at], lines[at + 1]
    return (one.start(), other.end(), other[0] + one[0]) if one[0].endswith("\n") and other[0].endswith("\n") else None


def _without_the_break(text: str, chance: random.Random) -> Slip | None:
    lines = [line for line in _LINE.finditer(text) if line[0].endswith("\n") and line.end() < len(text)]
    line = chance.choice(lines)
    rest = re.compile(r"[ ]*").match(text, line.end())
    assert rest is not None
    return line.end() - 1, rest.end(), " "


def _doubled_line(text: str, chance: random.Random) -> Slip | None:
    found = _pick(_LINE, text, chance)
    return None if found is None else (found.end(), found.end(), found[0])


def _in_expression(pattern: str, make: str | Callable[[re.Match[str]], str]) -> Kind:
    """Something within a selector is written otherwise: as a template with the groups, or as a function says."""

    def slip(text: str, chance: random.Random) -> Slip | None:
        whole = _pick(_EXPRESSION, text, chance)
        if whole is None:
            return None
        found = list(re.compile(pattern).finditer(text, whole.start(1), whole.end(1)))
        if not found:
            return None
        one = chance.choice(found)
        return one.start(), one.end(), one.expand(make) if isinstance(make, str) else make(one)

    return slip


_OTHERS = {"==": "=", "!=": "<>", "&&": "and", "||": "or", ">=": "=>", "<=": "=<", "<": "lt", ">": "gt", "in": "IN"}
_WORDS = {"0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "true": "yes", "false": "off"}


def _without_last_word(word: str, _: random.Random) -> str:
    """`resourceClaimTemplateName` becomes `resourceClaimTemplate`."""
    shorter = re.sub(r"[A-Z][a-z]+$", "", word)
    return shorter or word


def _one_level_up(text: str, chance: random.Random) -> Slip | None:
    """A field with all below it stands behind what it should be in, one level up."""
    found = _pick(re.compile(r"^( +)[a-z]\w+:.*\n", re.MULTILINE), text, chance)
    if found is None or len(found[1]) < 4:
        return None
    start, end, lead = _block(text, found.start())
    stop = end
    for line in _LINE.finditer(text, end):
        if len(line[1]) < lead:
            break
        stop = line.end()
    moved = re.sub(r"^  ", "", text[start:end], flags=re.MULTILINE)
    return start, stop, text[end:stop] + moved


def _without_its_parent(text: str, chance: random.Random) -> Slip | None:
    """The line that opens a mapping is missing, and what is in it stands one level up."""
    found = _pick(re.compile(r"^( +)[a-z]\w+:\n(?=\1  [a-z])", re.MULTILINE), text, chance)
    if found is None:
        return None
    start, end, _ = _block(text, found.start())
    body = text[text.index("\n", start) + 1 : end]
    return start, end, re.sub(r"^  ", "", body, flags=re.MULTILINE)


def _by_name(text: str, chance: random.Random) -> Slip | None:
    """An item of a list stands under its name, as in a map."""
    found = _pick(re.compile(r"^( *)- name: ([\w-]+)\n(?=\1  \w)", re.MULTILINE), text, chance)
    return None if found is None else (found.start(), found.end(), f"{found[1]}{found[2]}:\n")


_SYNONYMS = {
    "deviceClassName": ("deviceClass", "resourceClassName", "className", "device_class_name"),
    "resourceClaimTemplateName": ("claimTemplateName", "templateName", "resourceClaimTemplate"),
    "resourceClaimName": ("claimName", "resourceClaim"),
    "expression": ("expr", "cel"),
    "allocationMode": ("mode", "allocation"),
    "matchAttribute": ("match", "matchAttributes", "attribute"),
    "requests": ("request", "devices"),
    "exactly": ("exact", "spec"),
    "selectors": ("selector",),
    "tolerations": ("toleration", "taints"),
    "resourceClaims": ("claims", "resourceClaim", "resource_claims"),
}
_FUNCTION_WORDS = {
    "isGreaterThan": "greaterThan",
    "isLessThan": "lessThan",
    "startsWith": "startswith",
    "compareTo": "compare",
    "lowerAscii": "lower",
    "quantity": "Quantity",
    "semver": "version",
    "contains": "include",
}
_SWAPPED = {"attributes": "capacity", "capacity": "attributes"}
SELECTORS = (
    'device.attributes["gpu.example.com"].model == "a100"',
    'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "a100"',
    'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
    'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("40Gi"))',
    'device.attributes["gpu.example.com"].driverVersion.compareTo(semver("550.0.0")) >= 0',
    'device.attributes["gpu.example.com"].model in ["a100", "h100"]',
    'device.attributes["gpu.example.com"].productName.lowerAscii().startsWith("nvidia")',
    'has(device.attributes["gpu.example.com"].nvlink) && device.attributes["gpu.example.com"].nvlink >= 4',
    '!(device.attributes["gpu.example.com"].model == "a100")',
)
"""What stands in place of the selectors of the manifests."""

GROUPS: dict[str, tuple[int, dict[str, Kind]]] = {
    "selectors": (
        26,
        {
            "another operator": _in_expression(_OPERATOR.pattern, lambda found: f" {_OTHERS[found[1]]} "),
            "other quotes": _in_expression("[\"']", lambda found: "'" if found[0] == '"' else '"'),
            "a quote is missing in a selector": _in_expression("[\"']", ""),
            "a parenthesis is missing in a selector": _in_expression(r"[()\[\]]", ""),
            "a letter is missing in a selector": _in_expression(r"(?<=\w)\w(?=\w)", ""),
            "a domain is left out of a selector": _in_expression(r'\["[\w.]+"\]\.(\w+)', r'["\1"]'),
            "the name with the domain in a selector": _in_expression(r'\["([\w.]+)"\]\.(\w+)', r'["\1/\2"]'),
            "a domain without quotes": _in_expression(r'\["([\w.]+)"\]', r".\1"),
            "the type of a value": _in_expression(r'attributes\["[\w.]+"\]\.\w+\b', r"\g<0>.stringValue"),
            "a capacity compared as a number": _in_expression(
                r'\.(?:compareTo|isGreaterThan)\(quantity\("(\w+)"\)\)( >= 0)?',
                lambda found: f' {">=" if found[2] else ">"} "{found[1]}"',
            ),
            "a text for a quantity or version": _in_expression(r'(?:quantity|semver)\(("[\w.]+")\)', r"\1"),
            "a capacity for an attribute": _in_expression(
                r"device\.(attributes|capacity)", lambda found: f"device.{_SWAPPED[found[1]]}"
            ),
            "another word for a function": _in_expression(
                rf"\b(?:{'|'.join(_FUNCTION_WORDS)})\b", lambda found: _FUNCTION_WORDS[found[0]]
            ),
            "a text without quotes in a selector": _in_expression(r'(?<== )"(\w+)"', r"\1"),
            "a list as a text": _in_expression(r'\["(\w+)", "(\w+)"\]', r'"\1,\2"'),
            "single marks for logic": _in_expression(r" (&&|\|\|) ", lambda found: f" {found[1][0]} "),
        },
    ),
    "forms": (
        22,
        {
            "a level too deep": _shifted(2, alone=False),
            "a level too high": _shifted(-2, alone=False),
            "a dash is missing": _matched(_ITEM, r"\1  "),
            "a dash is missing, and the item moves": _matched(_ITEM, r"\1"),
            "a dash too many": _matched(_KEY, r"\1- \2:"),
            "an object without its key": _matched(_TYPED, r"\2"),
            "an object as words": _matched(
                _TYPED, lambda found, chance: f"{found[1]}{chance.choice((' ', '=', ':'))}{found[2]}"
            ),
            "a scalar for an object": _matched(_NESTED, r": \2"),
            "an object on the line of its key": _matched(
                _NESTED, lambda found, chance: f": {found[1]}{chance.choice((': ', ' ', '='))}{found[2]}"
            ),
            "a field one level up": _one_level_up,
            "a parent is missing": _without_its_parent,
            "an item under its name": _by_name,
        },
    ),
    "spelling": (
        15,
        {
            "a letter of a key is missing": _of_key(lambda word, chance: _letters(word, chance, "dropped")),
            "a letter of a key is doubled": _of_key(lambda word, chance: _letters(word, chance, "doubled")),
            "two letters of a key are swapped": _of_key(lambda word, chance: _letters(word, chance, "swapped")),
            "the case of a key": _of_key(lambda word, _: word[0].swapcase() + word[1:]),
            "a key in lower case": _of_key(lambda word, _: word.lower()),
            "a plural": _of_key(_plural),
            "underscores": _of_key(_snake),
            "a word of a key is missing": _of_key(_without_last_word),
            "another name of a key": _of_key(lambda word, chance: chance.choice(_SYNONYMS.get(word, (word,)))),
        },
    ),
    "values": (
        15,
        {
            "a letter of a value is missing": _of_value(lambda word, chance: _letters(word, chance, "dropped")),
            "a letter of a value is doubled": _of_value(lambda word, chance: _letters(word, chance, "doubled")),
            "two letters of a value are swapped": _of_value(lambda word, chance: _letters(word, chance, "swapped")),
            "the case of a value": _of_value(lambda word, _: word[0].swapcase() + word[1:]),
            "a value in upper case": _of_value(lambda word, _: word.upper()),
            "quotes are missing": _matched(_QUOTED, r"\2"),
            "quotes are added": _matched(_NUMBER, r'"\g<0>"'),
            "quotes around a boolean": _matched(_BOOLEAN, r'"\g<0>"'),
            "a number as a word": _matched(_NUMBER, lambda found, _: _WORDS.get(found[0], f"{found[0]}x")),
            "a boolean as a word": _matched(_BOOLEAN, lambda found, _: _WORDS[found[0]]),
            "another unit": _matched(
                _AMOUNT,
                lambda found, chance: (
                    found[1]
                    + chance.choice(
                        (f"{found[2][0]}B", f"{found[2]}B", found[2].lower(), found[2].upper(), f" {found[2]}")
                    )
                ),
            ),
            "a domain is left out": _matched(_DOMAIN, ""),
        },
    ),
    "text": (
        16,
        {
            "a quote is open": _matched(
                _QUOTED, lambda found, chance: chance.choice((f"{found[1]}{found[2]}", found[2] + found[1]))
            ),
            "a line too deep": _shifted(2, alone=True),
            "a line too high": _shifted(-2, alone=True),
            "a column too deep": _shifted(1, alone=True),
            "a dash without its blank": _matched(_ITEM, r"\1-"),
            "a colon is missing": _matched(_KEY, r"\1\2"),
            "a blank after a colon is missing": _matched(r"(?<=\w): (?=\S)", ":"),
            "an equals sign for a colon": _matched(r"(?<=\w): (?=\S)", lambda _, chance: chance.choice(("=", " = "))),
            "a semicolon for a colon": _matched(r"(?<=\w):(?=\s)", ";"),
            "a tab": _matched(r"^  (?= *\S)", "\t"),
            "a bracket is missing": _matched(r"[\[\]{}()]", ""),
            "a bracket of the other kind": _matched(
                r"[\[\]{}]", lambda found, _: {"[": "{", "]": "}", "{": "[", "}": "]"}[found[0]]
            ),
            "a comma is missing": _matched(r",(?= \w)", ""),
            "a comma too many": _matched(_FLOW, lambda found, _: f"{found[0][:-1]},{found[0][-1]}"),
            "a comma at the end of a line": _matched(r"(?<=\w)$", ","),
            "a separator is missing": _matched(r"^---\n", ""),
            "a separator with two dashes": _matched(r"^---\n", "--\n"),
            "a line twice": _doubled_line,
            "two lines in the other order": _below_the_next,
            "a line break is missing": _without_the_break,
        },
    ),
    "version": (
        6,
        {
            "another API version": _matched(
                r"resource\.k8s\.io/v1(?:beta\d)?",
                lambda found, chance: chance.choice(
                    (
                        found[0].replace("resource.", "resources."),
                        found[0].replace("k8s.io", "k8s"),
                        f"{found[0]}beta",
                        "v1",
                    )
                ),
            ),
            "an older API version": _matched(
                r"resource\.k8s\.io/v1$",
                lambda _, chance: f"resource.k8s.io/{chance.choice(('v1beta1', 'v1beta3', 'v2', 'V1'))}",
            ),
            "another kind": _matched(
                r"(?<=kind: )(?:ResourceClaim|ResourceClaimTemplate|DeviceClass|ResourceSlice)$",
                lambda found, chance: chance.choice((f"{found[0]}s", found[0].lower(), found[0][:-1])),
            ),
        },
    ),
}
"""Name → how many of a hundred slips are of this group, as in the mistakes that people showed us; and its kinds."""
KINDS: dict[str, Kind] = {name: kind for _, kinds in GROUPS.values() for name, kind in kinds.items()}

SAYS = {
    "a level": r"level|indent|belongs|move|line up|column",
    "a line too": r"level|indent|belongs|move|line up|column",
    "a column": r"level|indent|belongs|move|line up|column",
    "a field one level up": r"level|indent|belongs|move|under",
    "a parent": r"level|belongs|under|deeper|write",
    "an item under its name": r"`- name|list|`- `",
    "a dash": r"`- |`-`|list|item|remove",
    "a blank": "space",
    "a colon": "`:`|colon",
    "a tab": "tab",
    "a bracket": r"[\[\]{}()]|bracket",
    "a comma": 'comma|`,`|","',
    "a separator": "---",
    "a line twice": "remove|twice",
    "quotes": "quote|write",
    "a quote": "quote|close|stray|ends with",
    "other quotes": "quote|write|close|end with",
    "a parenthesis": r"[\[\]()]|bracket|parenthes",
    "an equals": ":",
    "a semicolon": ":",
}
"""Beginning of a kind → what a hint says that leads to what was meant, where the slip took no words away."""


class Counts(NamedTuple):
    """What became of the slips of one kind."""

    made: int
    found: int
    on_line: int
    hinted: int
    led: int
    fixed: int
    guessed: int


@dataclass(slots=True)
class Outcome:
    """What a run has shown. The names of slips are counted, of two slips in one manifest both together."""

    made: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    on_line: Counter[str] = field(default_factory=Counter)
    hinted: Counter[str] = field(default_factory=Counter)
    led: Counter[str] = field(default_factory=Counter)
    fixed: Counter[str] = field(default_factory=Counter)
    guessed: Counter[str] = field(default_factory=Counter)
    wrong_guesses: list[tuple[str, str, str]] = field(default_factory=list)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    """The slips, the text with them, and what a safe fix made of it."""
    suggested: Counter[str] = field(default_factory=Counter)
    nowhere: list[tuple[str, str, str]] = field(default_factory=list)
    """The hints that say what to write, by rule; the slips, the text and such a hint that does not end its finding."""
    misses: list[tuple[str, str, str]] = field(default_factory=list)
    """What was missed (line, hint, lead, fix) and the slips, the text with them, and what was said of it."""


@cache
def good() -> tuple[str, ...]:
    """Return the manifests that slips are made in: those of the catalogue and of the examples without a finding."""
    loader = YAML(typ="safe")
    texts: list[str] = []
    for path in sorted(ROOT.glob("rules/DRA*.yaml")):
        rule = loader.load(path)
        for example in rule.get("good") or ():
            texts += example["files"].values() if "files" in example else [example.get("manifest", "")]
    texts += [path.read_text("utf-8") for path in sorted(ROOT.glob("examples/**/*.yaml"))]
    texts = [text for text in dict.fromkeys(texts) if len(text) <= _LARGEST and _ADMISSION not in text]
    return tuple(text for text in texts if not problems(text) and data(text))


@cache
def _linter() -> Linter:
    return Linter(Settings())


def problems(text: str) -> list[str]:
    """Return what is wrong with a text: the rules of its errors; no text is good that is not read at all."""
    report = _linter().check("a.yaml", text.encode("utf-8", "replace")).report
    return [finding.rule for finding in report.findings if finding.severity == "error"] + [""] * (not report.objects)


def _told(report: Report) -> Counter[str]:
    """Return the rules of the errors and warnings of a report."""
    found = Counter(finding.rule for finding in report.findings if finding.severity != "info")
    if not report.objects:
        found[""] += 1
    return found


def data(text: str) -> tuple[Any, ...]:
    """Return what a text means: what stands in it, in forms that are equal where their meaning is."""
    documents = [document for document in read(text.encode("utf-8", "replace")) if document.state != "empty"]
    return tuple(_plain(document.data) for document in documents)


def _plain(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner, name) for name, inner in value.items() if inner not in (None, {}, [])}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if key == "expression" and isinstance(value, str):
        return re.sub(r"\s+", "", value).replace("'", '"')
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        try:
            return str(parse_quantity(str(value)))
        except ValueError:
            return value
    return value


def slipped(seed: int, number: int) -> tuple[str, list[tuple[str, Slip]]]:
    """Return a good manifest and one or two slips in it."""
    chance = random.Random(seed * 1_000_003 + number)
    wanted = chance.choices([*GROUPS], [weight for weight, _ in GROUPS.values()], k=chance.choice((1, 1, 2)))
    text = chance.choice([text for text in good() if "selectors" not in wanted or "expression: " in text])
    if chance.random() < _MOST:
        text = re.sub(
            r"(?<=expression: )device\.driver == \"gpu\.example\.com\"$",
            lambda _: _in_yaml(chance.choice(SELECTORS)),
            text,
            flags=re.MULTILINE,
        )
    slips: list[tuple[str, Slip]] = []
    for group in wanted * _TRIES:
        if len(slips) == len(wanted):
            break
        name, kind = chance.choice([*GROUPS[group][1].items()])
        made = kind(text, chance)
        apart = made is not None and all(made[1] < other[0] or other[1] < made[0] for _, other in slips)
        if made is None or not apart or text[made[0] : made[1]] == made[2]:
            continue
        if data(applied(text, [(name, made)])) != data(text):
            slips.append((name, made))
    return text, slips


def _in_yaml(expression: str) -> str:
    return f"'{expression}'" if expression[0] in "!\"'" else expression


def applied(text: str, slips: list[tuple[str, Slip]]) -> str:
    """Return the text with the slips."""
    for _, (start, end, new) in sorted(slips, key=lambda slip: slip[1], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def run(texts: Iterable[int], seed: int, *, guesses: bool = True) -> Outcome:
    """Make slips, fix them, and compare with what was meant."""
    outcome = Outcome()
    for number in texts:
        text, slips = slipped(seed, number)
        if slips:
            judge(outcome, number, text, slips, guesses=guesses)
    return outcome


def judge(outcome: Outcome, number: int, text: str, slips: list[tuple[str, Slip]], *, guesses: bool = True) -> None:
    """Add to the outcome what becomes of a good manifest with slips."""
    wrong = applied(text, slips)
    name = " + ".join(kind for kind, _ in slips)
    outcome.made[name] += 1
    known = _known(text)
    before, safely, report = _fixed(wrong, unsafe=False)
    if not _told(before) - known:
        outcome.accepted[name] += 1
        return
    # What nobody finds by itself stays, and is no matter of the other slip.
    meant = [data(text), *(data(applied(text, [slip])) for slip in slips if len(slips) > 1)]
    back = False
    if safely != wrong and not _told(report) - known:
        back = _is_meant(safely, meant, text, slips) and _comments(safely) in (_comments(text), _comments(wrong))
        if back:
            outcome.fixed[name] += 1
        else:
            outcome.faults.append((f"{number}: {name}", wrong, safely))
    if guesses:
        _, guessed, report = _fixed(wrong, unsafe=True)
        if guessed != wrong and not _told(report) - known:
            back = _is_meant(guessed, meant, text, slips)
            if back:
                outcome.guessed[name] += 1
            else:
                outcome.wrong_guesses.append((f"{number}: {name}", wrong, guessed))
    if len(slips) == 1:
        for finding in before.findings:
            suggested = _SUGGESTED.fullmatch(finding.hint or "")
            if suggested is not None and finding.severity != "info":
                outcome.suggested[finding.rule] += 1
                if not _ends(finding, next(filter(None, suggested.groups())), wrong, set(known)):
                    outcome.nowhere.append((f"{number}: {name}", wrong, f"{finding.rule} {finding.hint}"))
    missed = [] if back else ["fix"]
    shown = "\n".join(f"{f.line}: {f.rule} {f.message} ({f.hint}) {f.fix}" for f in before.findings)
    there = _there(wrong, slips, before)
    outcome.on_line[name] += bool(there)
    hinted = [finding for finding in there if finding.hint or finding.fix]
    outcome.hinted[name] += bool(hinted)
    led = any(_leads(finding, wrong, text, slips, meant) for finding in hinted)
    outcome.led[name] += led
    missed += ["lead"] if hinted and not led else ["hint"] if there and not hinted else [] if there else ["line"]
    if missed:
        outcome.misses.append((f"{number} {'+'.join(missed)}: {name}", wrong, shown))


def _comments(text: str) -> list[str]:
    return _COMMENT.findall(text)


@cache
def _known(text: str) -> Counter[str]:
    return _told(_fixed(text, unsafe=False)[0])


def _there(wrong: str, slips: list[tuple[str, Slip]], report: Report) -> list[Finding]:
    """Return the findings on the lines of a slip, or on those beside them."""
    lines: set[int] = set()
    shift = 0
    for _, (start, end, new) in sorted(slips, key=lambda slip: slip[1]):
        first = wrong.count("\n", 0, start + shift) + 1
        last = wrong.count("\n", 0, start + shift + len(new)) + 1
        lines.update(range(first - 1, last + 2))
        shift += len(new) - (end - start)
    return [f for f in report.findings if {f.line, *(other.line for other in f.related)} & lines]


def _leads(
    finding: Finding, wrong: str, text: str, slips: list[tuple[str, Slip]], meant: list[tuple[Any, ...]]
) -> bool:
    """Say whether a finding leads to what was meant: its fix does, or its hint has the words that are missing."""
    if finding.fix is not None:
        raw = FileText(wrong.encode("utf-8", "replace")).text
        after = data(apply(raw, finding.fix.edits))
        if after in meant or after in [data(applied(text, [slip])) for slip in slips]:
            return True
    hint = finding.hint or ""
    for name, (start, end, new) in slips:
        begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        old = text[begin : stop if stop >= 0 else len(text)]
        now = text[begin:start] + new + (text[end:stop] if stop >= 0 else text[end:])
        lost = Counter(_TERM.findall(old)) - Counter(_TERM.findall(now))
        if lost and all(word in hint for word in lost):
            return True
        if any(name.startswith(kind) and re.search(says, hint) for kind, says in SAYS.items()):
            return True
        if not lost and any(line.strip() in hint for line in old.splitlines() if line.strip()):
            return True
    return False


def _ends(finding: Finding, words: str, text: str, known: set[str]) -> bool:
    """Say whether a finding is gone, and no other has come, where its words or its line become what its hint says.

    Those of the `known` rules were there before the slip.
    """
    lines = text.split("\n")
    texts: list[str] = []
    if finding.line == finding.end_line:
        line = lines[finding.line - 1]
        head, rest = line[: finding.column - 1], line[finding.end_column - 1 :]
        texts += [_with(lines, finding.line - 1, f"{head}{word}{rest}") for word in (words, f'"{words}"', f"'{words}'")]
    for number in range(max(0, finding.line - 2), min(len(lines), finding.line + 1)):
        lead = len(lines[number]) - len(lines[number].lstrip())
        texts.append(_with(lines, number, " " * lead + words))
    before = _errors(text)
    return any(
        (after := _errors(other))[finding.rule, finding.path] < before[finding.rule, finding.path]
        and not {rule for rule, _ in after - before} - {finding.rule, *known}
        for other in texts
    )


def _with(lines: list[str], number: int, line: str) -> str:
    return "\n".join([*lines[:number], line, *lines[number + 1 :]])


def _errors(text: str) -> Counter[tuple[str, str]]:
    findings = _linter().check("a.yaml", text.encode("utf-8", "replace")).report.findings
    return Counter((finding.rule, finding.path) for finding in findings if finding.severity != "info")


_SUGGESTED = re.compile(r'(?:did you mean|write|quote it:) (?:"([^"]+)"|`([^`]+)`|((?:device\.|has\()[^`]+))\??')
"""A hint that says nothing but what to write."""
_TERM = re.compile(r"[\w.-]*\w|[=!<>]=|&&|\|\||[<>]")


def _is_meant(after: str, meant: list[tuple[Any, ...]], text: str, slips: list[tuple[str, Slip]]) -> bool:
    """Say whether a text means what was meant; a name with a slip that is used everywhere is as good."""
    if data(after) in meant:
        return True
    for _, (start, end, new) in slips:
        word = text[start:end]
        if (
            _WORD.fullmatch(word)
            and _WORD.fullmatch(new)
            and data(re.sub(rf"\b{re.escape(new)}\b", word, after)) in meant
        ):
            return True
    return False


def _fixed(text: str, *, unsafe: bool) -> tuple[Report, str, Report]:
    """Return the report on a text, what `fix` makes of it, and the report on that."""
    fixing = fix([Source("a.yaml", None, text.encode("utf-8", "replace"))], Settings(), unsafe=unsafe)
    after = fixing.files[0].after
    return fixing.before, text if after is None else after.decode("utf-8", "replace"), fixing.report


def main() -> int:
    """Run as a script."""
    parser = options(__doc__, seed=1)
    parser.add_argument("--safe-only", action="store_true")
    parser.add_argument("--kinds", action="store_true", help="print what became of each kind of slip")
    chosen = parser.parse_args()
    outcome = run(numbers(chosen), chosen.seed, guesses=not chosen.safe_only)
    for line in summary(outcome):
        print(line)
    if chosen.kinds:
        for kind, made in sorted(outcome.made.items()):
            if " + " not in kind:
                print(f"{kind}: {' '.join(map(str, _counts(outcome, [kind])))} of {made}")
    kept = {"fault": outcome.faults, "guess": outcome.wrong_guesses, "miss": outcome.misses, "hint": outcome.nowhere}
    for name, found in kept.items():
        for number, (what, before, after) in enumerate(found):
            if name == "fault":
                print(f"a safe fix means something else: {what}")
            keep(chosen, f"{name}-{number:04}", what, before=before.encode(), after=after.encode())
    return 1 if outcome.faults else 0


def _counts(outcome: Outcome, names: list[str]) -> Counts:
    def count(counter: Counter[str]) -> int:
        return sum(counter[name] for name in names)

    made = count(outcome.made)
    counted = (outcome.on_line, outcome.hinted, outcome.led, outcome.fixed, outcome.guessed)
    return Counts(made, made - count(outcome.accepted), *map(count, counted))


def summary(outcome: Outcome) -> list[str]:
    """Return the lines of the report: of one slip, of two, and of what leads to something else."""
    out: list[str] = []
    for word, names in (
        ("one slip", [name for name in outcome.made if " + " not in name]),
        ("two slips", [name for name in outcome.made if " + " in name]),
    ):
        counts = _counts(outcome, names)
        found = counts.found or 1
        out.append(
            f"{word}: {counts.made} made, {counts.found} found; on the line {counts.on_line / found:.1%}, "
            f"hint {counts.hinted / found:.1%}, leads {counts.led / (counts.hinted or 1):.1%} of these; "
            f"given back {counts.fixed / found:.1%} safely, {counts.guessed / found:.1%} with guesses"
        )
    followed = sum(outcome.suggested.values())
    out.append(f"hints that say what to write: {followed}; {len(outcome.nowhere)} of them do not end their finding")
    out.append(f"something else that is accepted: {len(outcome.faults)} safe, {len(outcome.wrong_guesses)} guessed")
    return out


if __name__ == "__main__":
    sys.exit(main())
