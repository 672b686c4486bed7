"""The messages on texts that cannot be read, and their places."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dralint.yaml import ReadingProblem, Span, read


def problems(text: str) -> list[ReadingProblem]:
    return [problem for document in read(text.encode()) for problem in document.problems]


@pytest.mark.parametrize(
    ("text", "message", "hint", "span"),
    [
        ("a:\n\tb: 1\n", "a tab cannot indent YAML", "replace the tab by spaces", Span(2, 1, 2, 2)),
        ("a: x\n\ty\n", "a tab cannot indent YAML", "replace the tab by spaces", Span(2, 1, 2, 2)),
        ("a: |\n\tx\n", "a tab cannot indent YAML", "replace the tab by spaces", Span(2, 1, 2, 2)),
        ("a: @x\n", "`@` cannot start a plain value", "quote the value: '@x'", Span(1, 4, 1, 5)),
        ("a: `x`\n", "a backquote cannot start a plain value", "quote the value: '`x`'", Span(1, 4, 1, 5)),
        ("a: %x\n", "`%` cannot start a plain value", "quote the value: '%x'", Span(1, 4, 1, 5)),
        (
            "a: b: c\n",
            "a second `: ` is not allowed here: a value on the line of its key cannot be a mapping",
            "quote a value that contains `: `, or start the mapping on its own line",
            Span(1, 5, 1, 6),
        ),
        (
            "a: b\n  c: d\n",
            "a mapping cannot start inside a value: the value that began above goes on here",
            "indent this line like the key it belongs with, or write `: ` after `b`",
            Span(2, 4, 2, 5),
        ),
        ("a: [1, 2\n", "`[` is never closed", "close it with `]`", Span(1, 4, 1, 5)),
        ("a: {x: 1\n", "`{` is never closed", "close it with `}`", Span(1, 4, 1, 5)),
        (
            "a: [1, 2\nb: 3\n",
            "expected `,` or `]`, found `:`",
            "separate entries by `,` and close `[` with `]`",
            Span(2, 2, 2, 3),
        ),
        ("a: [1]]\n", "`]` has no `[` before it", "remove it, or quote the value", Span(1, 7, 1, 8)),
        ("a: 'x\n", "the quote ' is never closed", "close the value with '", Span(1, 4, 1, 5)),
        ('a: "x\n', 'the quote " is never closed', 'close the value with "', Span(1, 4, 1, 5)),
        (
            'a: "\\d"\n',
            "`\\d` is not an escape that YAML knows",
            "write `\\\\` for a backslash, or use single quotes",
            Span(1, 5, 1, 7),
        ),
        (
            'a: "\\x4"\n',
            "expected 2 hexadecimal digits after `\\x`",
            "write `\\\\` for a backslash, or use single quotes",
            Span(1, 5, 1, 7),
        ),
        (
            "a: *b\n",
            "there is no anchor `&b` before this alias",
            "define the anchor first, or quote a value that starts with `*`",
            Span(1, 4, 1, 6),
        ),
        ("a: *\n", "`*` is not a name of an alias", "quote a value that starts with `*`: '*'", Span(1, 4, 1, 5)),
        ("a: !!int x\n", "`x` is not of the type int, although its tag says so", "remove the tag", Span(1, 10, 1, 11)),
        (
            "a: !e!x y\n",
            "the tag handle `!e!` is not declared",
            "a value that starts with `!` is a tag; quote the whole value: '!e!x y'",
            Span(1, 4, 1, 8),
        ),
        (
            "a: |x\n  b\n",
            "only a comment may follow `|` on its line",
            "start the value on the next line, or quote it",
            Span(1, 5, 1, 6),
        ),
        (
            "a:\n  b: 1\n c: 2\n",
            "the indentation of `c` matches no key above it",
            "start it in column 1 or 3, like the line above it",
            Span(3, 2, 3, 3),
        ),
        (
            "a: 1\nfoo\n",
            "expected `:` after the key `foo`",
            "write `key: value`; a value over several lines is indented more than its key",
            Span(2, 1, 2, 4),
        ),
        (
            "a: 'b' c\n",
            "expected the end of the line after the value, found `c`",
            "quote the whole value: \"'b' c\"",
            Span(1, 8, 1, 9),
        ),
        (
            "a: \"b\", 'c''d',\n",
            "expected the end of the line after the value, found `,`",
            "a list is written in brackets: [\"b\", 'c''d']",
            Span(1, 7, 1, 8),
        ),
        (
            "- a\nb: 1\n",
            "expected `- ` for the next item of this list, found `b`",
            "put `- ` before it, or check the indentation",
            Span(2, 1, 2, 2),
        ),
        (
            "a: - b\n",
            "a list item cannot start here",
            "start the list on its own line, or quote the value",
            Span(1, 4, 1, 5),
        ),
        (
            "a: x\u0007\n",
            "the character U+0007 is not allowed in YAML",
            "remove it; in a double-quoted value it can be written as an escape",
            Span(1, 5, 1, 6),
        ),
        (
            "%FOO\n---\na: 1\n",
            "`%FOO` is not a directive that YAML 1.1 knows",
            "a line that starts with `%` is a directive: quote the value",
            Span(1, 1, 1, 5),
        ),
    ],
)
def test_a_syntax_problem_says_what_was_found_and_what_to_do(text: str, message: str, hint: str, span: Span) -> None:
    assert [(p.kind, p.message, p.hint, p.span) for p in problems(text)] == [("yaml-syntax", message, hint, span)]


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("null: 1\n", "null cannot be a key", Span(1, 1, 1, 5)),
        ("? [a]\n: b\n", "a list cannot be a key", Span(1, 3, 1, 6)),
        ("{a: 1}: x\n", "a mapping cannot be a key", Span(1, 1, 1, 7)),
        ("18446744073709551615: x\n", "the number 18446744073709551615 is too large for a key", Span(1, 1, 1, 21)),
    ],
)
def test_a_key_that_json_cannot_have_is_a_problem(text: str, message: str, span: Span) -> None:
    assert [(p.kind, p.message, p.span) for p in problems(text)] == [("bad-key", message, span)]


def test_duplicate_keys_are_reported_in_the_order_of_the_text_with_both_places() -> None:
    found = problems("a: 1\na: 2\nb:\n- c: 1\n  c: 2\n")

    assert [(p.kind, p.path, p.span) for p in found] == [
        ("duplicate-key", ("a",), Span(2, 1, 2, 2)),
        ("duplicate-key", ("b", 0, "c"), Span(5, 3, 5, 4)),
    ]
    assert found[1].message == 'the key "c" occurs twice'
    assert found[1].related == (('the first "c"', Span(4, 3, 4, 4)),)


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


def test_objects_that_follow_each_other_lack_a_separator() -> None:
    one = "apiVersion: v1\nkind: A\nspec:\n  a: 1\n  a: 2\n"
    found = problems(one + "apiVersion: v1\nkind: B\nspec: {}\n" + one)

    assert [(p.kind, p.path, p.span) for p in found] == [
        ("duplicate-key", ("spec", "a"), Span(5, 3, 5, 4)),
        ("missing-separator", ("apiVersion",), Span(6, 1, 6, 11)),
        ("missing-separator", ("apiVersion",), Span(9, 1, 9, 11)),
        ("duplicate-key", ("spec", "a"), Span(13, 3, 13, 4)),
    ]
    assert found[1].message == "`---` is missing before this line: a second object starts here"
    assert found[1].related == (("the first object", Span(1, 1, 1, 11)),)


@pytest.mark.parametrize(
    "text", ["apiVersion: v1\nkind: A\nkind: A\n", "apiVersion: v1\nkind: A\nkind: A\napiVersion: v1\n"]
)
def test_keys_that_do_not_come_again_in_order_are_duplicates(text: str) -> None:
    assert {p.kind for p in problems(text)} == {"duplicate-key"}


def test_an_override_of_a_merged_key_is_no_duplicate() -> None:
    assert problems("x: &x {a: 1}\nz:\n  <<: *x\n  a: 2\n") == []


def test_values_without_a_json_form_are_reported_with_their_path() -> None:
    found = problems("a:\n- .inf\nb: .nan\n")

    assert [(p.kind, p.message, p.path, p.span) for p in found] == [
        (
            "no-json-form",
            "`.inf` cannot be written in JSON, so Kubernetes cannot accept it",
            ("a", 0),
            Span(2, 3, 2, 7),
        ),
        ("no-json-form", "`.nan` cannot be written in JSON, so Kubernetes cannot accept it", ("b",), Span(3, 4, 3, 8)),
    ]


def test_an_alias_within_its_anchor_is_a_problem() -> None:
    (problem,) = problems("a: &a [*a]\n")

    assert problem.message == "the alias `*a` is inside its own anchor"
    assert problem.span == Span(1, 8, 1, 10)


def test_unclosed_brackets_name_the_place_where_they_were_opened() -> None:
    (problem,) = problems("a: [1, 2\nb: 3\n")

    assert problem.related == (("`[` was opened here", Span(1, 4, 1, 5)),)


def test_aliases_that_stand_for_too_much_are_refused() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    names = "abcdefghij"
    for before, name in pairwise(names):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    (problem,) = problems("\n".join(lines))

    assert problem.kind == "excessive-aliasing"
    assert problem.message.endswith("the server refuses excessive aliasing")


def test_a_second_item_without_its_dash_is_one_problem_that_says_so() -> None:
    text = "items:\n- name: gpu\n  exactly: {a: b}\n  name: nic\n  exactly: {a: c}\n"
    [problem] = next(iter(read(text.encode()))).problems

    assert (problem.kind, problem.span.line, problem.message) == ("duplicate-key", 4, 'the key "name" occurs twice')
    assert problem.hint == "begin a new item, `- name: nic`, or remove one of the two: kubectl silently keeps the last"
    assert [edit[2] for edit in problem.edits] == ["- "]
