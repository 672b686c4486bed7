"""Whatever the bytes are, there are documents and problems, soon and without much memory."""

from __future__ import annotations

import contextlib
import gc
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dralint.yaml import read
from dralint.yaml.composer import compose
from dralint.yaml.fast_path import quick
from dralint.yaml.nodes import TextError

PIECES = st.sampled_from(
    [*"ab01 \n\t:-?[]{},#'\"|>&*!%@~\\", "\n  ", ": ", "- ", "a: ", "<<: ", "&a ", "*a", "---\n", "...\n", "é", "😀"]
)


def kinds(raw: bytes) -> list[str]:
    return [problem.kind for document in read(raw) for problem in document.problems]


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
@pytest.mark.slow
def test_any_bytes_give_documents(raw: bytes) -> None:
    for document in read(raw):
        assert document.state in ("empty", "read", "template", "unreadable")
        assert (document.state == "unreadable") <= bool(document.problems)
        document.span(("a", 0))
        document.missing_span(("a", 0))
        document.scalar_position(("a",), 3)


@given(st.lists(PIECES, max_size=30).map("".join))
@settings(max_examples=500, deadline=None)
@pytest.mark.slow
def test_the_quick_reader_agrees_with_the_exact_one(text: str) -> None:
    answer = quick(text + "\n")

    if answer is not None:
        composition = compose(text + "\n")
        assert composition.root is not None
        assert composition.problems == []
        assert composition.rest is None
        assert repr(answer[0]) == repr(composition.root.data)


@given(st.lists(PIECES, max_size=30).map("".join))
@settings(max_examples=300, deadline=None)
@pytest.mark.slow
def test_every_place_lies_within_the_text(text: str) -> None:
    lines = re.split("\r\n|\r|\n", text + "\n")
    for document in read(text.encode()):
        spans = [problem.span for problem in document.problems]
        if isinstance(document.data, dict):
            spans += [document.span((key,)) for key in document.data]
            spans += [document.key_span((key,)) for key in document.data]
        for span in spans:
            assert 1 <= span.line <= span.end_line <= len(lines) + 1
            assert span.column <= (len(lines[span.line - 1]) if span.line <= len(lines) else 0) + 1


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"\0" * 100, ["yaml-syntax"]),
        (bytes(range(256)), ["invalid-utf8"]),
        (b"[" * 100_000, ["too-large"]),
        (b'{"a":' * 100_000, ["too-large"]),
        (b"- " * 100_000, ["too-large"]),
        (b"a: " + b"[" * 999 + b"]" * 999, []),
        (b"a: " + b"[" * 1_000 + b"]" * 1_000, ["too-large"]),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, []),
        (b"a: &a x\nb: [" + b"*a," * 20_000 + b"]\n", []),
        (b"a: &a [x,x,x,x,x,x,x,x,x]\nb: [" + b"*a," * 100_000 + b"]\n", ["excessive-aliasing"]),
        (b"x" * 20_000_000, ["too-large"]),
        (b"&a " * 50_000, ["ignored-after-document-end"]),
        (b"a:\n" * 500, ["duplicate-key"] * 100),
    ],
)
@pytest.mark.slow
def test_monstrous_input_is_named_for_what_it_is(raw: bytes, expected: list[str]) -> None:
    assert kinds(raw) == expected


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_is_passed_over_at_once() -> None:
    raw = b"x" * 100_000_000
    start = time.process_time()
    states = [document.state for document in read(raw, relevant=re.compile(b"resource.k8s.io"))]

    assert states == ["passed-over"]
    assert time.process_time() - start < 10  # a fraction of a second on an idle processor


@pytest.mark.parametrize(
    "piece",
    [
        "a: ",
        '"',
        "'",
        "\\",
        "a ",
        "{",
        "[a]",
        ": ",
        "? ",
        "#",
        "\n",
        "- a\n",
        "|\n",
        "a: |\n b\n",
        "!",
        "%",
        "&a",
        "\t",
    ],
)
@pytest.mark.slow
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    def seconds(length: int) -> float:
        text = "k: " + piece * (length // len(piece)) + "\n"
        start = time.process_time()
        with contextlib.suppress(TextError):
            compose(text)
        return time.process_time() - start

    seconds(1_000)
    small = max(seconds(20_000), 0.001)
    assert seconds(200_000) < 60 * small + 1  # what grows with the square takes a hundred times as long


@pytest.mark.parametrize("text", ["a: b: c\n", "a: [1, 2}\n" + "b: [1, 2]\n" * 10_000, "a: 'b\n", "{" * 20_000])
def test_nothing_waits_for_the_collector_after_an_error(text: str) -> None:
    gc.collect()
    with contextlib.suppress(TextError):
        compose(text)

    assert gc.collect() == 0
