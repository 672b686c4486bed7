"""What the help says can be read and copied, and no word of another program hides an option of it."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from dralint.cli.main import COMMANDS, command, dralint
from dralint.config.table import KEYS_ELSEWHERE, OPTIONS_ELSEWHERE, schema

EVERY = [(name,) for name in COMMANDS] + [
    (name, second) for name in COMMANDS if isinstance(group := command(name), click.Group) for second in group.commands
]


def found(words: tuple[str, ...]) -> click.Command:
    first = command(words[0])
    return first if len(words) == 1 else first.commands[words[1]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_the_help_breaks_lines_between_words(words: tuple[str, ...]) -> None:
    shown = set(CliRunner().invoke(dralint, [*words, "--help"], terminal_width=80).output.split())
    texts = [found(words).help or "", *(getattr(one, "help", None) or "" for one in found(words).params)]

    assert {word for text in texts for word in text.split() if word != "\b"} - shown == set()


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_option_has_a_help_text(words: tuple[str, ...]) -> None:
    options = [one for one in found(words).params if isinstance(one, click.Option)]

    assert [one.name for one in options if not one.help] == []


def test_no_habit_hides_an_option_or_a_key() -> None:
    options = {name: {one for option in command(name).params for one in option.opts} for name in OPTIONS_ELSEWHERE}

    assert {name for name, ways in OPTIONS_ELSEWHERE.items() if options[name] & ways.keys()} == set()
    assert KEYS_ELSEWHERE.keys() & schema()["properties"].keys() == set()
