"""Places of keys, values and characters."""

from __future__ import annotations

import pytest

from dralint.yaml import Document, Path, Span, read

TEXT = """\
# a comment
apiVersion: resource.k8s.io/v1
spec:
  devices:
    requests:
    - name: gpu
      exactly: {count: 1, "deviceClassName": 'gpu.example.com', list: [a, "b"]}
    - name: nic   # second
      empty:
    -   text: |-
          one
            two

          three
"""


def only(text: str) -> Document:
    documents = list(read(text.encode()))
    assert len(documents) == 1
    return documents[0]


@pytest.mark.parametrize(
    ("path", "span"),
    [
        (("kind",), Span(2, 1, 2, 2)),
        (("spec", "devices", "requests", 1, "exactly"), Span(8, 7, 8, 8)),
        (("spec", "devices", "requests", 1, "exactly", "count"), Span(8, 7, 8, 8)),
        (("spec", "devices", "constraints"), Span(4, 3, 4, 10)),
        (("spec", "devices", "requests", 0, "exactly", "count", "x"), Span(7, 17, 7, 22)),
    ],
)
def test_a_missing_field_is_reported_at_the_key_of_its_parent(path: Path, span: Span) -> None:
    assert only(TEXT).missing_span(path) == span


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        ("a: xyz\n", "xyz", [(1, 4), (1, 5), (1, 6), (1, 7)]),
        ("a: x\n  y\n", "x y", [(1, 4), (1, 5), (2, 3), (2, 4)]),
        ("a: x\n\n  y\n", "x\ny", [(1, 4), (2, 1), (3, 3), (3, 4)]),
        ("a: 'x''y'\n", "x'y", [(1, 5), (1, 6), (1, 8), (1, 9)]),
        ('a: "x\\u00e9\\ny"\n', "xé\ny", [(1, 5), (1, 6), (1, 12), (1, 14), (1, 15)]),
        ('a: "x\\\n  y"\n', "xy", [(1, 5), (2, 3), (2, 4)]),
        ('a: "x\n  y"\n', "x y", [(1, 5), (1, 6), (2, 3), (2, 4)]),
        ("a: |\n  x\n  yz\n", "x\nyz\n", [(2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (4, 1)]),
        ("a: |-\n\n  x\n", "\nx", [(2, 1), (3, 3), (3, 4)]),
        ("a: >-\n  x\n  y\n", "x y", [(2, 3), (2, 4), (3, 3), (3, 4)]),
        ("a: >\n  x\n   y\n\n  z\n", "x\n y\n\nz\n", None),
        ("a: |2\n   x\n", " x\n", [(2, 3), (2, 4), (2, 5), (3, 1)]),
        ("a: [é😀, 'ü']\n", None, None),
        ("a: '😀é'\n", "😀é", [(1, 5), (1, 6), (1, 7)]),
        ('{"a": "x\\/\\ud83d\\ude00y"}', "x/😀y", [(1, 8), (1, 9), (1, 11), (1, 23), (1, 24)]),
    ],
)
def test_every_character_of_a_string_has_its_place(
    text: str, value: str | None, places: list[tuple[int, int]] | None
) -> None:
    document = only(text)
    if value is None:
        assert document.scalar_position(("a", 1), 0) == (1, 10)
        return

    assert document.data == {"a": value}
    found = [document.scalar_position(("a",), i) for i in range(len(value) + 1)]
    if places is None:
        assert found == [(2, 3), (2, 4), (3, 3), (3, 4), (3, 5), (4, 1), (5, 3), (5, 4), (6, 1)]
    else:
        assert found == places


def test_a_position_beyond_the_value_is_that_behind_it() -> None:
    assert only("a: xy\n").scalar_position(("a",), 99) == (1, 6)


def test_a_number_has_positions_as_well() -> None:
    assert only("a: 123\n").scalar_position(("a",), 1) == (1, 5)


def test_places_through_an_alias_lead_to_the_anchor() -> None:
    document = only("x: &x {b: 1}\nz: *x\n")

    assert document.span(("z", "b")) == Span(1, 11, 1, 12)
    assert document.key_span(("z",)) == Span(2, 1, 2, 2)


def test_places_through_a_merge_key_lead_to_where_the_entry_is_written() -> None:
    document = only("x: &x {b: 1, c: 2}\nz:\n  <<: *x\n  c: 3\n")

    assert document.data == {"x": {"b": 1, "c": 2}, "z": {"b": 1, "c": 3}}
    assert document.span(("z", "b")) == Span(1, 11, 1, 12)
    assert document.span(("z", "c")) == Span(4, 6, 4, 7)


def test_lines_count_in_the_file_and_carriage_returns_end_them() -> None:
    first, second = read(b"a: 1\r\n# x\r\n---\r\nb: 2\r\nc: |\r\n  x\r\n")

    assert first.span(("a",)) == Span(1, 4, 1, 5)
    assert second.span(("b",)) == Span(4, 4, 4, 5)
    assert second.data == {"b": 2, "c": "x\n"}
    assert second.scalar_position(("c",), 0) == (6, 3)


def test_a_byte_order_mark_does_not_move_the_columns() -> None:
    assert only("\ufeffa: 1\n").span(("a",)) == Span(1, 4, 1, 5)
    assert only('\ufeff{"a": 1}\n').span(("a",)) == Span(1, 7, 1, 8)


def test_values_of_one_json_stream_have_their_places_in_the_file() -> None:
    first, second = read('{"é": 1} {"b":\n 2}'.encode())

    assert first.span(("é",)) == Span(1, 7, 1, 8)
    assert second.key_span(("b",)) == Span(1, 11, 1, 14)
    assert second.span(("b",)) == Span(2, 2, 2, 3)
