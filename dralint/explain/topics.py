"""Finds the symptoms, messages and subjects of rules/topics.yaml in the words of a user."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import NamedTuple

from dralint.kubernetes import shipped

_MOST = 2
"""How many topics are shown for one question."""
_WORD = re.compile(r"[a-z0-9./]+")


class Topic(NamedTuple):
    """A row of rules/topics.yaml: its title, the phrases that name it, and what its page has."""

    topic: str
    words: tuple[str, ...]
    says: tuple[str, ...]
    do: tuple[str, ...] = ()
    example: str = ""
    see: tuple[str, ...] = ()


@cache
def topics() -> tuple[Topic, ...]:
    """Return all topics, in the order of the file."""
    rows = json.loads((shipped.folder("rules") / "topics.json").read_bytes())
    return tuple(
        Topic(
            row["topic"],
            tuple(row["words"]),
            tuple(row["says"]),
            tuple(row.get("do", ())),
            row.get("example", ""),
            tuple(row.get("see", ())),
        )
        for row in rows
    )


def asked(question: str) -> list[Topic]:
    """Return the topics that a question is about, those with the longest phrase first; none for other words.

    The words of a phrase stand in the question in their order; a message of Kubernetes has names between them.
    """
    words = _words(question.lower())
    ranked = []
    for topic in topics():
        longest = max((len(phrase) for phrase in topic.words if _has(words, _words(phrase))), default=0)
        if longest:
            ranked.append((longest, topic))
    ranked.sort(key=lambda each: -each[0])
    return [topic for _, topic in ranked[:_MOST]]


def _words(text: str) -> list[str]:
    return [word.strip("./") for word in _WORD.findall(text)]


def _has(words: list[str], phrase: list[str]) -> bool:
    """Say whether the words of a phrase stand among others, in their order."""
    rest = iter(words)
    return all(any(word == wanted for word in rest) for wanted in phrase)
