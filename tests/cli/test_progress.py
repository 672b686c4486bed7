"""The bar of a long run: it appears only in a terminal, and is gone at the end."""

from __future__ import annotations

import io
import sys
import time

import pytest

from dralint.cli.output import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return standard error as a terminal; a fixture would come before that of pytest."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.mark.parametrize(
    ("total", "environment", "quiet", "shown"),
    [
        (10, {}, False, True),
        (10, {}, True, False),
        (10, {"CI": "true"}, False, False),
        (10, {"TERM": "dumb"}, False, False),
        (1, {}, False, False),
    ],
)
def test_a_bar_is_for_long_runs_in_terminals(
    monkeypatch: pytest.MonkeyPatch, total: int, environment: dict[str, str], quiet: bool, shown: bool
) -> None:
    terminal(monkeypatch)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with progress(total, quiet=quiet) as advance:
        assert (advance is not None) is shown


def test_elsewhere_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress(10, quiet=False) as advance:
        assert advance is None


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    with progress(10, quiet=False) as advance:
        assert advance is not None
        advance(10)

    assert stream.getvalue() == ""


def test_a_long_run_shows_how_far_it_is_and_clears_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    clock = iter([0.0, 5.0, 5.01, 10.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with progress(10, quiet=False) as advance:
        assert advance is not None
        for _ in range(3):
            advance(2)

    assert stream.getvalue().split("\r") == [
        "",
        "[######........................] 2/10 files",
        "[##################............] 6/10 files",
        "\x1b[2K",
    ]
