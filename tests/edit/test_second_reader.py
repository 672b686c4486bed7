"""The other reader of YAML: it accepts correct rewritings, and stops wrong ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dralint.edit import repairs
from dralint.edit.repairs import SecondReader
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run

ODD = b"""\
a: &x {yes: 0o7, no: ~, on: 1:30, when: 2026-01-02, 'y': "\\u00e9"}
b: *x
c: {<<: *x, d: |
    text
     more
  }
"""
PLAIN = b"""\
# c
a: &x
  yes: 0o7
  no: ~
  on: 1:30
b: *x
c:
  <<: *x
  d: >-
    folded
    text

    more
  e: "double
    quoted"
--- # second
- [1, 2]
-
"""


@pytest.mark.parametrize("text", [PLAIN, PLAIN.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + PLAIN, b'{"a": [1, "b"]}\n'])
def test_both_readers_see_the_same(text: bytes) -> None:
    assert not SecondReader().disagrees(text, text)
    assert SecondReader().disagrees(text, text + b"]")


def test_it_has_no_say_where_it_did_not_understand_the_text_before() -> None:
    assert not SecondReader().disagrees(b"a: [", b"a: 1")
    assert not SecondReader().disagrees(ODD, b"a: [")


def test_what_is_lost_is_noticed() -> None:
    assert SecondReader().disagrees(b"a: b\n", b"a: [b\n")


def test_a_run_has_so_much_time_for_it() -> None:
    reader = SecondReader(most=20)

    assert reader.disagrees(b"a: b\n", b"a: [b\n")
    assert not reader.disagrees(b"a: b\n", b"a: [b\n")
    assert not SecondReader().disagrees(b"a: b\n", b"a: [b\n" + b"#" * repairs.MOST_IN_FILE)


def _sees_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    composed = repairs._composed

    def other(text: str) -> list[Any] | None:
        return composed(text.replace("deviceClassName", "x: y"))

    before: list[bytes] = []
    alike = repairs._is_read_alike

    def once(raw: bytes) -> bool:
        before.append(raw)
        monkeypatch.setattr(repairs, "_composed", other if len(before) % 2 else composed)
        return alike(raw)

    monkeypatch.setattr(repairs, "_is_read_alike", once)


def test_migrate_writes_nothing_that_the_other_reader_takes_for_something_else(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claim.yaml").write_text(GOOD_CLAIM, "utf-8")
    _sees_something_else(monkeypatch)

    done = run("migrate", "--to", "resource.k8s.io/v1beta1", "--write", tmp_path)

    assert done.status == 1
    assert "DRA097 left-alone" in done.stderr
    assert "another YAML reader reads the result differently" in done.stderr
    assert (tmp_path / "claim.yaml").read_text("utf-8") == GOOD_CLAIM


def test_fix_writes_nothing_that_the_other_reader_takes_for_something_else(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claim.yaml").write_text(BAD_CLAIM, "utf-8")
    _sees_something_else(monkeypatch)

    done = run("fix", "--write", tmp_path)

    assert done.status == 3
    assert "left alone: another YAML reader reads the result differently" in done.stderr
    assert (tmp_path / "claim.yaml").read_text("utf-8") == BAD_CLAIM
