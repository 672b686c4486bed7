"""How a file is split into documents."""

from __future__ import annotations

import re

import pytest

from dralint.yaml import Document, Span, read


def values(raw: bytes) -> list[object]:
    return [document.data for document in read(raw)]


@pytest.mark.slow
def test_many_json_values_on_one_line_are_read_in_time() -> None:
    documents = list(read(b"{}" * 50_000))

    assert len(documents) == 50_000
    assert documents[-1].span(()) == Span(1, 99_999, 1, 100_001)


def test_what_is_not_relevant_is_passed_over_without_being_read() -> None:
    relevant = re.compile(rb"resource\.k8s\.io")
    first, second, third = read(b"a: [broken\n---\napiVersion: resource.k8s.io/v1\n---\n\xff\n", relevant=relevant)

    assert [first.state, second.state, third.state] == ["passed-over", "read", "passed-over"]
    assert second.key_span(("apiVersion",)) == Span(3, 1, 3, 11)
    assert third.first_line == 5
    assert third.text == "\ufffd\n"


def test_the_last_line_ends_with_a_line_feed_for_kubectl() -> None:
    assert values(b"a: |\n  x") == [{"a": "x\n"}]


def test_utf_16_with_a_byte_order_mark_is_read() -> None:
    assert values("a: é\n".encode("utf-16")) == [{"a": "é"}]


LATER = ": JSON readers and kubectl before 1.33 refuse this text, later ones read it as YAML"


@pytest.mark.parametrize(
    ("text", "message", "span", "mended"),
    [
        ('{"a": 1,}', "expected a value, found `}`", Span(1, 9, 1, 10), '{"a": 1}'),
        ('{"a": [1,\n],\n}', "expected a value, found `]`", Span(2, 1, 2, 2), '{"a": [1\n]\n}'),
        ('{"a": ",]",}', "expected a value, found `}`", Span(1, 12, 1, 13), '{"a": ",]"}'),
        ('{"a": yes}', "`yes` is not a JSON value", Span(1, 7, 1, 10), None),
    ],
)
def test_json_that_only_yaml_readers_take_is_told(text: str, message: str, span: Span, mended: str | None) -> None:
    (document,) = read(text.encode())
    (problem,) = document.problems

    assert (document.state, problem.kind, problem.message, problem.span) == ("read", "only-yaml", message + LATER, span)
    for start, end, new in sorted(problem.edits, reverse=True):
        text = text[:start] + new + text[end:]
    assert mended is None or text == mended


def test_the_second_value_of_a_stream_is_told_as_well() -> None:
    first, second = read(b'{"a": 1}\n{"b": 2,}\n')

    assert (first.problems, second.data, second.problems[0].span) == ([], {"b": 2}, Span(2, 9, 2, 10))


@pytest.mark.parametrize(
    "text", ["{a: 1,}", '# c\n{"a": 1,}', '---\n{"a": 1,}', '{"a": $(N)}', '{"a": 1}\n---\n{b: 2}']
)
def test_what_is_meant_as_yaml_is_not_told(text: str) -> None:
    assert [problem for document in read(text.encode()) for problem in document.problems] == []


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ('}, "b": 2}', "remove the `}` that is one too many: this one, or one before it"),
        (', "b": 2}', "remove this `}` if the rest belongs to the object, otherwise the `,` after it"),
        (',\n{"c": 1}', "remove this `}` if the rest belongs to the object, otherwise the `,` after it"),
        ("\n]", "remove the `]`"),
    ],
)
@pytest.mark.parametrize("before", ["", '{"x": 1}\n', '{"x": 1}\n{"y": 1}\n'])
def test_a_json_value_that_ends_too_early_is_told_once(before: str, rest: str, hint: str) -> None:
    documents = list(read(f'{before}{{"a": 1}}{rest}'.encode(), relevant=re.compile(b"a")))
    line = before.count("\n") + 1
    message = f"the JSON value ends with this `}}`, but `{rest.strip()[0]}` follows"

    assert [(p.message, p.hint, p.span) for document in documents for p in document.problems] == [
        (message, hint, Span(line, 8, line, 9))
    ]
    assert documents[before.count("\n")].data == {"a": 1}
    assert all(document.fault[1] for document in documents if document.state == "unreadable")


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ('{\n "a": 1\n "b": 2}', 'expected `,` or `}`, found `"b"`', Span(3, 2, 3, 5)),
        ('{"a": [1, 2}', "expected `,` or `]`, found `}`", Span(1, 12, 1, 13)),
        ('{"a": 1', "`{` is never closed", Span(1, 1, 1, 2)),
        ('{"a": "x\n}', "the string is never closed", Span(1, 7, 1, 8)),
    ],
)
def test_broken_json_is_described_as_json(text: str, message: str, span: Span) -> None:
    (document,) = read(text.encode())

    assert [(p.kind, p.message, p.span) for p in document.problems] == [("json-syntax", message, span)]


def test_duplicate_keys_of_json_are_reported_with_both_places() -> None:
    (document,) = read(b'{"a": {"b": 1, "b": 2}}')

    assert document.data == {"a": {"b": 2}}
    problem = document.problems[0]
    assert (problem.kind, problem.path, problem.span) == ("duplicate-key", ("a", "b"), Span(1, 16, 1, 19))
    assert problem.related == (('the first "b"', Span(1, 8, 1, 11)),)


def test_an_irrelevant_json_file_is_passed_over() -> None:
    (document,) = read(b'{"kind": "Other"', relevant=re.compile(b"resource.k8s.io"))

    assert isinstance(document, Document)
    assert document.state == "passed-over"


def test_of_a_great_many_wrong_separators_a_thousand_are_told() -> None:
    documents = list(read(b"a: 1\n" + b"---x\n" * 3000))
    messages = [problem.message for document in documents for problem in document.problems]

    assert {document.state for document in documents[1:]} == {"unreadable"}
    assert messages[:2] == ["`---x` is not a document separator"] * 2
    assert messages[998:] == [
        "`---x` is not a document separator",
        "`---x` is not a document separator: further ones of this file are not listed",
    ]
