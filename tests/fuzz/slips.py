"""Slips of people, made at random places of good manifests, so that what was meant is known.

    python -m tests.fuzz.slips --number 20000 --seed 7 [--keep FOLDER]

A safe fix may lead to nothing else that is accepted; the exit status is 1 where one did. The same seed gives the same
slips in the same order. A new kind of slip is a function in KINDS: it gets the text and a source of chance, and returns
what it replaces (start, end, replacement), or None where the text has no place for it.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.fix.files import fix
from dralint.kubernetes.quantity import parse_quantity
from dralint.lint.linter import Linter
from dralint.yaml import read

Slip = tuple[int, int, str]
Kind = Callable[[str, random.Random], "Slip | None"]

ROOT = Path(__file__).parents[2]
_LARGEST = 6000
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
_WORD = re.compile(r"[\w-]+")
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


def _of_key(make: Callable[[str, random.Random], str]) -> Kind:
    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(_KEY, text, chance)
        return None if found is None else (found.start(2), found.end(2), make(found[2], chance))

    return slip


def _of_value(make: Callable[[str, random.Random], str]) -> Kind:
    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(_VALUE, text, chance)
        return None if found is None else (found.start(1), found.end(1), make(found[1], chance))

    return slip


def _matched(pattern: re.Pattern[str], make: Callable[[re.Match[str], random.Random], str]) -> Kind:
    def slip(text: str, chance: random.Random) -> Slip | None:
        found = _pick(pattern, text, chance)
        return None if found is None else (found.start(), found.end(), make(found, chance))

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


def _in_expression(pattern: str, make: Callable[[re.Match[str]], str]) -> Kind:
    """Something within a selector is written otherwise."""

    def slip(text: str, chance: random.Random) -> Slip | None:
        whole = _pick(_EXPRESSION, text, chance)
        if whole is None:
            return None
        found = list(re.compile(pattern).finditer(text, whole.start(1), whole.end(1)))
        if not found:
            return None
        one = chance.choice(found)
        return one.start(), one.end(), make(one)

    return slip


_OTHERS = {"==": "=", "!=": "<>", "&&": "and", "||": "or", ">=": "=>", "<=": "=<", "<": "lt", ">": "gt", "in": "IN"}
_WORDS = {"0": "zero", "1": "one", "2": "two", "3": "three", "4": "four", "true": "yes", "false": "off"}

KINDS: dict[str, Kind] = {
    "a letter of a key is missing": _of_key(lambda word, chance: _letters(word, chance, "dropped")),
    "a letter of a key is doubled": _of_key(lambda word, chance: _letters(word, chance, "doubled")),
    "two letters of a key are swapped": _of_key(lambda word, chance: _letters(word, chance, "swapped")),
    "a letter of a value is missing": _of_value(lambda word, chance: _letters(word, chance, "dropped")),
    "a letter of a value is doubled": _of_value(lambda word, chance: _letters(word, chance, "doubled")),
    "two letters of a value are swapped": _of_value(lambda word, chance: _letters(word, chance, "swapped")),
    "the case of a key": _of_key(lambda word, _: word[0].swapcase() + word[1:]),
    "a key in lower case": _of_key(lambda word, _: word.lower()),
    "the case of a value": _of_value(lambda word, _: word[0].swapcase() + word[1:]),
    "a value in upper case": _of_value(lambda word, _: word.upper()),
    "a plural": _of_key(_plural),
    "underscores": _of_key(_snake),
    "quotes are missing": _matched(_QUOTED, lambda found, _: found[2]),
    "quotes are added": _matched(_NUMBER, lambda found, _: f'"{found[0]}"'),
    "quotes around a boolean": _matched(_BOOLEAN, lambda found, _: f'"{found[0]}"'),
    "a quote is open": _matched(
        _QUOTED, lambda found, chance: chance.choice((f"{found[1]}{found[2]}", found[2] + found[1]))
    ),
    "a level too deep": _shifted(2, alone=False),
    "a level too high": _shifted(-2, alone=False),
    "a line too deep": _shifted(2, alone=True),
    "a line too high": _shifted(-2, alone=True),
    "a column too deep": _shifted(1, alone=True),
    "a dash is missing": _matched(_ITEM, lambda found, _: f"{found[1]}  "),
    "a dash is missing, and the item moves": _matched(_ITEM, lambda found, _: found[1]),
    "a dash without its blank": _matched(_ITEM, lambda found, _: f"{found[1]}-"),
    "a dash too many": _matched(_KEY, lambda found, _: f"{found[1]}- {found[2]}:"),
    "a colon is missing": _matched(_KEY, lambda found, _: f"{found[1]}{found[2]}"),
    "a blank after a colon is missing": _matched(re.compile(r"(?<=\w): (?=\S)"), lambda *_: ":"),
    "an equals sign for a colon": _matched(
        re.compile(r"(?<=\w): (?=\S)"), lambda _, chance: chance.choice(("=", " = "))
    ),
    "a semicolon for a colon": _matched(re.compile(r"(?<=\w):(?=\s)"), lambda *_: ";"),
    "a number as a word": _matched(_NUMBER, lambda found, _: _WORDS.get(found[0], f"{found[0]}x")),
    "a boolean as a word": _matched(_BOOLEAN, lambda found, _: _WORDS[found[0]]),
    "another unit": _matched(
        _AMOUNT,
        lambda found, chance: (
            found[1]
            + chance.choice((f"{found[2][0]}B", f"{found[2]}B", found[2].lower(), found[2].upper(), f" {found[2]}"))
        ),
    ),
    "a domain is left out": _matched(_DOMAIN, lambda *_: ""),
    "an object without its key": _matched(_TYPED, lambda found, _: found[2]),
    "an object as words": _matched(
        _TYPED, lambda found, chance: f"{found[1]}{chance.choice((' ', '=', ':'))}{found[2]}"
    ),
    "a scalar for an object": _matched(_NESTED, lambda found, _: f": {found[2]}"),
    "an object on the line of its key": _matched(
        _NESTED, lambda found, chance: f": {found[1]}{chance.choice((': ', ' ', '='))}{found[2]}"
    ),
    "a tab": _matched(re.compile(r"^  (?= *\S)", re.MULTILINE), lambda *_: "\t"),
    "a bracket is missing": _matched(re.compile(r"[\[\]{}()]"), lambda *_: ""),
    "a bracket of the other kind": _matched(
        re.compile(r"[\[\]{}]"), lambda found, _: {"[": "{", "]": "}", "{": "[", "}": "]"}[found[0]]
    ),
    "a comma is missing": _matched(re.compile(r",(?= \w)"), lambda *_: ""),
    "a comma too many": _matched(_FLOW, lambda found, _: f"{found[0][:-1]},{found[0][-1]}"),
    "a comma at the end of a line": _matched(re.compile(r"(?<=\w)$", re.MULTILINE), lambda *_: ","),
    "a separator is missing": _matched(re.compile(r"^---\n", re.MULTILINE), lambda *_: ""),
    "a separator with two dashes": _matched(re.compile(r"^---\n", re.MULTILINE), lambda *_: "--\n"),
    "a line twice": _doubled_line,
    "two lines in the other order": _below_the_next,
    "a line break is missing": _without_the_break,
    "another operator": _in_expression(_OPERATOR.pattern, lambda found: f" {_OTHERS[found[1]]} "),
    "other quotes": _in_expression("[\"']", lambda found: "'" if found[0] == '"' else '"'),
    "a quote is missing in a selector": _in_expression("[\"']", lambda _: ""),
    "a parenthesis is missing in a selector": _in_expression(r"[()\[\]]", lambda _: ""),
    "a letter is missing in a selector": _in_expression(r"(?<=\w)\w(?=\w)", lambda _: ""),
    "another API version": _matched(
        re.compile(r"resource\.k8s\.io/v1(?:beta\d)?"),
        lambda found, chance: chance.choice(
            (found[0].replace("resource.", "resources."), found[0].replace("k8s.io", "k8s"), f"{found[0]}beta", "v1")
        ),
    ),
}


@dataclass(slots=True)
class Outcome:
    """What a run has shown: how many slips were made, and how many of them safe fixes and guesses give back."""

    made: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    fixed: Counter[str] = field(default_factory=Counter)
    guessed: Counter[str] = field(default_factory=Counter)
    wrong_guesses: list[tuple[str, str, str]] = field(default_factory=list)
    faults: list[tuple[str, str, str]] = field(default_factory=list)
    """The slips, the text with them, and what a safe fix made of it."""


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
    return tuple(text for text in dict.fromkeys(texts) if len(text) <= _LARGEST and not problems(text) and data(text))


@cache
def _linter() -> Linter:
    return Linter(Settings())


def problems(text: str) -> list[str]:
    """Return what is wrong with a text: the rules of its errors; no text is good that is not read at all."""
    report = _linter().check("a.yaml", text.encode("utf-8", "replace")).report
    return [finding.rule for finding in report.findings if finding.severity == "error"] + [""] * (not report.objects)


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
    text = chance.choice(good())
    slips: list[tuple[str, Slip]] = []
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice([*KINDS])
        made = KINDS[name](text, chance)
        apart = made is not None and all(made[1] < other[0] or other[1] < made[0] for _, other in slips)
        if made is not None and apart and text[made[0] : made[1]] != made[2]:
            slips.append((name, made))
    return text, slips


def applied(text: str, slips: list[tuple[str, Slip]]) -> str:
    """Return the text with the slips."""
    for _, (start, end, new) in sorted(slips, key=lambda slip: slip[1], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def run(numbers: range, seed: int, *, guesses: bool = True) -> Outcome:
    """Make slips, fix them, and compare with what was meant."""
    outcome = Outcome()
    for number in numbers:
        text, slips = slipped(seed, number)
        if not slips:
            continue
        wrong = applied(text, slips)
        name = " + ".join(kind for kind, _ in slips)
        outcome.made.update(["one" if len(slips) == 1 else "two"])
        if not problems(wrong):
            outcome.accepted[name] += 1
            continue
        # What nobody finds by itself stays, and is no matter of the other slip.
        meant = [data(text), *(data(applied(text, [slip])) for slip in slips if len(slips) > 1)]
        fixed = _fixed(wrong, unsafe=False)
        if fixed != wrong and not problems(fixed):
            if _is_meant(fixed, meant, text, slips):
                outcome.fixed.update(["one" if len(slips) == 1 else "two"])
            else:
                outcome.faults.append((f"{number}: {name}", wrong, fixed))
        if guesses:
            guessed = _fixed(wrong, unsafe=True)
            if guessed != wrong and not problems(guessed):
                if _is_meant(guessed, meant, text, slips):
                    outcome.guessed.update(["one" if len(slips) == 1 else "two"])
                else:
                    outcome.wrong_guesses.append((f"{number}: {name}", wrong, guessed))
    return outcome


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


def _fixed(text: str, *, unsafe: bool) -> str:
    after = fix([Source("a.yaml", None, text.encode("utf-8", "replace"))], Settings(), unsafe=unsafe).files[0].after
    return text if after is None else after.decode("utf-8", "replace")


def main() -> int:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--safe-only", action="store_true")
    parser.add_argument("--keep", type=Path, help="write the texts that show a fault to this folder")
    chosen = parser.parse_args()
    outcome = run(range(chosen.first, chosen.first + chosen.number), chosen.seed, guesses=not chosen.safe_only)
    for kind in ("one", "two"):
        made, fixed, guessed = outcome.made[kind], outcome.fixed[kind], outcome.guessed[kind]
        print(f"{kind}: {made} made, {fixed} given back by safe fixes, {guessed} with guesses")
    print(f"{sum(outcome.accepted.values())} accepted as they are; {len(outcome.wrong_guesses)} guessed otherwise")
    for name, found in (("fault", outcome.faults), ("guess", outcome.wrong_guesses)):
        for number, (what, before, after) in enumerate(found):
            if name == "fault":
                print(f"a safe fix means something else: {what}")
            if chosen.keep is not None:
                chosen.keep.mkdir(parents=True, exist_ok=True)
                (chosen.keep / f"{name}-{number}.txt").write_text(
                    f"{what}\n=== before\n{before}\n=== after\n{after}", "utf-8"
                )
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
