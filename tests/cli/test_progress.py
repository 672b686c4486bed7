"""The bar of a long run: it appears only in a terminal, and is gone at the end."""

from __future__ import annotations

import io
import time

import pytest

from dralint.cli import output
from dralint.cli.output import Progress, wanted


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "quiet", "shown"),
    [
        (Terminal(), {}, False, True),
        (Terminal(), {}, True, False),
        (Terminal(), {"CI": "true"}, False, False),
        (Terminal(), {"TERM": "dumb"}, False, False),
        (io.StringIO(), {}, False, False),
    ],
)
def test_a_bar_is_for_terminals(stream: io.StringIO, environment: dict[str, str], quiet: bool, shown: bool) -> None:
    assert wanted(stream, environment, quiet=quiet) is shown


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    bar = Progress(10, stream)
    bar.advance(10)
    bar.finish()

    assert stream.getvalue() == ""


def test_a_long_run_shows_how_far_it_is_and_clears_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    clock = iter([0.0, 5.0, 5.01, 10.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    bar = Progress(10, stream)
    for _ in range(3):
        bar.advance(2)
    bar.finish()

    assert stream.getvalue().split("\r") == [
        "",
        "[######........................] 2/10 files",
        "[##################............] 6/10 files",
        "\x1b[2K",
    ]


def test_no_bar_is_made_where_none_may_be_shown() -> None:
    with output.progress(100, quiet=True) as advance:
        assert advance is None
