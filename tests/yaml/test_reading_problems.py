"""The messages on texts that cannot be read, and their places."""

from __future__ import annotations

import pytest

from dralint.yaml import ReadingProblem, Span, read


def problems(text: str) -> list[ReadingProblem]:
    return [problem for document in read(text.encode()) for problem in document.problems]


@pytest.mark.parametrize(
    ("text", "message", "hint", "span"),
    [
        (
            "a:\n  name:c1\n  b: {}\n",
            "`name:c1` is one word, not a key and its value",
            "a space is missing after `:`",
            Span(2, 3, 2, 10),
        ),
        (
            "a:\n  b: {}\n  name:c1\n",
            "expected `:` after the key `name:c1`",
            "a space is missing after `:`",
            Span(3, 3, 3, 10),
        ),
        (
            "a:\n-name: gpu\n   b:\n    c: 1\n",
            "`-name` is a key here, not the start of a list item",
            "a space is missing after `-`",
            Span(2, 1, 2, 6),
        ),
        (
            "a:\n- name: x\n  b: 1\n-name: y\n  b: 2\n",
            "`-name` is a key here, not the start of a list item",
            "a space is missing after `-`",
            Span(4, 1, 4, 6),
        ),
        (
            "a:\n  -name:gpu\n  b: 1\n",
            "`-name:gpu` is one word, not a key and its value",
            "a space is missing after `-` and after `:`",
            Span(2, 3, 2, 12),
        ),
    ],
)
def test_a_missing_space_is_named_on_its_own_line(text: str, message: str, hint: str, span: Span) -> None:
    assert [(p.kind, p.message, p.hint, p.span) for p in problems(text)] == [("yaml-syntax", message, hint, span)]


def test_an_address_lacks_no_space() -> None:
    (problem,) = problems("a: https://x/y\n  b: c\n")

    assert problem.hint == "indent this line like the key it belongs with, or write `: ` after `https://x/y`"


@pytest.mark.parametrize(
    "text", ["apiVersion: v1\nkind: A\nkind: A\n", "apiVersion: v1\nkind: A\nkind: A\napiVersion: v1\n"]
)
def test_keys_that_do_not_come_again_in_order_are_duplicates(text: str) -> None:
    assert {p.kind for p in problems(text)} == {"duplicate-key"}


def test_unclosed_brackets_name_the_place_where_they_were_opened() -> None:
    (problem,) = problems("a: [1, 2\nb: 3\n")

    assert problem.related == (("`[` was opened here", Span(1, 4, 1, 5)),)


def test_a_second_item_without_its_dash_is_one_problem_that_says_so() -> None:
    text = "items:\n- name: gpu\n  exactly: {a: b}\n  name: nic\n  exactly: {a: c}\n"
    [problem] = next(iter(read(text.encode()))).problems

    assert (problem.kind, problem.span.line, problem.message) == ("duplicate-key", 4, 'the key "name" occurs twice')
    assert problem.hint == "begin a new item, `- name: nic`, or remove one of the two: kubectl silently keeps the last"
    assert [edit[2] for edit in problem.edits] == ["- "]
