"""Damaged manifests: recorded ones with a few things changed, the same ones for the same seed and number."""

from __future__ import annotations

import gzip
import json
import random
import re
from functools import cache
from pathlib import Path

from tests.fuzz.shapes import CLAIM, POD, SHAPES, SLICE

DATA = Path(__file__).parents[1] / "data"
CORPUS = Path(__file__).parent / "corpus"
_EVERY = 40
"""One of so many recorded manifests is a start."""
_LARGEST = 60_000

TOKENS = (
    *("---\n", "---x\n", "...\n", "%YAML 1.1\n", "%TAG ! x\n", "--- # c\n", "- ", ": ", ",", "?", "? ", "|\n"),
    *(">-\n", "|9\n", "{", "}", "[", "]", "{{", "}}", "{{ .x }}", "${X}", "$(X)", "&a ", "*a", "<<: *a", "!x "),
    *("!!binary ", "!!int ", "# c", "'", '"', "\\", '"\\x', '"\\uD800"', "\t", "\n\n", "\r", "\r\n", "\x85"),
    *("\u2028", "\ufeff", "\u202e", "\u200b", "\x00", "\x1b[31m", "\x7f", "😀", "\ud800", "é", "\U0010ffff", "null"),
    *("~", "true", "yes", "NO", ".nan", "-.inf", "0x1F", "0o17", "017", "1_000", "1:30", "1e400", "-0", "1.5"),
    *("9223372036854775808", "1" * 400, "2001-01-01", "<<", "apiVersion: resource.k8s.io/v1\n"),
    *("kind: List\nitems:\n", "kind: ResourceClaim\n", "metadata: {}\n", "spec: []\n", "status: {}\n"),
    *("items: [1]\n", '{"kind":"ResourceClaim"}', "requests: 1\n", "name: ''\n", "name: A_\n", "count: x\n"),
    *("'device.driver == \"x\"'", 'device.attributes["a"].b', "a.b.c" * 30, "9" * 30 + "Gi", "1Ki", "1.2.3-"),
    *("cel: {expression: 1}",),
)
"""What is put into texts, each of it special to one of the readers."""
_LINE = re.compile(r"[^\n]*\n?")
_VALUE = re.compile(r"(?<=: )[^\n#{\[]+")
_KEY = re.compile(r"(?<![A-Za-z])[A-Za-z]\w++(?=:)")


@cache
def seeds() -> tuple[str, ...]:
    """Return the texts that are damaged: recorded manifests of every release, texts of the reader, growing shapes."""
    texts = [CLAIM, SLICE, POD, *(shape(700) for shape in SHAPES.values())]
    for file in sorted((DATA / "conformance").glob("*.jsonl.gz")):
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for number, line in enumerate(lines) if number % _EVERY == 0]
        texts += [row["yaml"] for row in rows if "yaml" in row]
    texts += [file.read_text("utf-8", "replace") for file in sorted(CORPUS.glob("*.yaml"))]
    return tuple(text for text in texts if text)


def text_of(chance: random.Random) -> bytes:
    """Return one damaged text."""
    text = chance.choice(seeds())
    for _ in range(chance.choice((1, 1, 2, 3, 5, 9))):
        text = chance.choice(CHANGES)(text, chance)[:_LARGEST]
    raw = text.encode("utf-8", "surrogatepass")
    kind = chance.random()
    if kind < 0.01:
        return text.encode(chance.choice(("utf-16", "utf-32", "latin-1", "utf-8-sig")), "replace")
    if kind < 0.08 and raw:
        damaged = bytearray(raw)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        return bytes(damaged)
    return raw


def _place(text: str, chance: random.Random) -> int:
    return chance.randint(0, len(text))


def _token(text: str, chance: random.Random) -> str:
    at = _place(text, chance)
    return text[:at] + chance.choice(TOKENS) * chance.choice((1, 1, 1, 2, 40)) + text[at:]


def _cut(text: str, chance: random.Random) -> str:
    at = _place(text, chance)
    return text[:at] + text[at + chance.choice((1, 1, 3, 20, 200)) :]


def _end(text: str, chance: random.Random) -> str:
    return text[: _place(text, chance)]


def _copied(text: str, chance: random.Random) -> str:
    lines = _LINE.findall(text)
    start = chance.randrange(len(lines))
    part = lines[start : start + chance.randint(1, 8)]
    at = chance.randrange(len(lines))
    return "".join([*lines[:at], *part * chance.choice((1, 1, 2, 30)), *lines[at:]])


def _swapped(text: str, chance: random.Random) -> str:
    lines = _LINE.findall(text)
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return "".join(lines)


def _indented(text: str, chance: random.Random) -> str:
    lines = _LINE.findall(text)
    at = chance.randrange(len(lines))
    lines[at] = " " * chance.randint(1, 6) + lines[at] if chance.random() < 0.5 else lines[at].lstrip(" ")
    return "".join(lines)


def _value(text: str, chance: random.Random) -> str:
    values = list(_VALUE.finditer(text))
    if not values:
        return text
    match = chance.choice(values)
    new = chance.choice((chance.choice(TOKENS), chance.choice(values)[0], match[0] * 20, f"'{match[0]}'", ""))
    return text[: match.start()] + new + text[match.end() :]


def _key(text: str, chance: random.Random) -> str:
    keys = list(_KEY.finditer(text))
    if not keys:
        return text
    match = chance.choice(keys)
    word = match[0]
    new = chance.choice((word.upper(), word[1:], word + "s", chance.choice(keys)[0], f'"{word}"', f"? {word}\n"))
    return text[: match.start()] + new + text[match.end() :]


def _joined(text: str, chance: random.Random) -> str:
    other = chance.choice(seeds())
    return chance.choice((f"{text}---\n{other}", text[: _place(text, chance)] + other[_place(other, chance) :]))


def _listed(text: str, chance: random.Random) -> str:
    body = text.replace("\n", "\n  ")
    return f"apiVersion: v1\nkind: List\nitems:\n- {body}\n"


def _line_ends(text: str, chance: random.Random) -> str:
    return text.replace("\n", chance.choice(("\r\n", "\r", "\u2028", "\x85", "\n\n")))


CHANGES = (
    *(_token, _token, _token, _cut, _cut, _end, _copied, _swapped, _indented, _value, _value, _value, _key, _key),
    *(_joined, _listed, _line_ends),
)
