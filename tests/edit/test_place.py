"""Changes by field path become edits that keep comments, quotes, indentation and order."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

import pytest

from dralint.edit.apply import UnplaceableError, apply, in_lines
from dralint.edit.place import EditPlanner
from dralint.finding.finding import Edit
from dralint.yaml import read


def after(text: str, change: Callable[[EditPlanner], list[Edit]]) -> str:
    """Return the text after a change; it must still be readable."""
    document = next(iter(read(text.encode())))
    out = apply(text, in_lines(text, change(EditPlanner(document))))
    assert [found.state for found in read(out.encode())] == ["read"]
    return out


def refused(text: str, change: Callable[[EditPlanner], list[Edit]]) -> str:
    document = next(iter(read(text.encode())))
    with pytest.raises(UnplaceableError) as caught:
        change(EditPlanner(document))
    return str(caught.value)


def test_a_key_is_renamed_in_its_quotes() -> None:
    assert after("x:\n  'a': 1 # c\n", lambda planner: planner.rename(("x", "a"), "b")) == "x:\n  'b': 1 # c\n"
    assert after('{"a": 1}', lambda planner: planner.rename(("a",), "b")) == '{"b": 1}'


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: 1\n# on b\nb: 2  # two\nc: 3\n", ("b",), "a: 1\n# on b\n# two\nc: 3\n"),
        ("- a: 1  # one\n  b: 2\n- c\n", (0, "a"), "- # one\n  b: 2\n- c\n"),
        ("- a: 1\n  b: 2\n", (0, "a"), "- b: 2\n"),
        ("- a: 1\n  # on b\n  b: 2\n", (0, "a"), "- # on b\n  b: 2\n"),
        ("x:\n  a: 1\ny: 2\n", ("x", "a"), "x:\n  {}\ny: 2\n"),
        ("x:\n- 1\n- 2  # two\n- 3\n", ("x", 1), "x:\n- 1\n# two\n- 3\n"),
        ("x:\n- 1\n", ("x", 0), "x:\n []\n"),
        ("- - 1\n  - 2\n", (0, 0), "- - 2\n"),
        ("{a: 1, b: 2, c: 3}\n", ("b",), "{a: 1, c: 3}\n"),
        ("{a: 1, b: 2}\n", ("b",), "{a: 1}\n"),
        ("[1]\n", (0,), "[]\n"),
        ("a: 1\nb: 2", ("b",), "a: 1"),
    ],
)
def test_an_entry_is_removed_and_its_comments_stay(text: str, path: tuple[str | int, ...], expected: str) -> None:
    assert after(text, lambda planner: planner.remove(path)) == expected


def test_an_entry_is_removed_with_its_comment_on_demand() -> None:
    text = "a: 1\nb:  # two\n  c: 3  # three\nd: 4\n"
    assert after(text, lambda planner: planner.remove(("b",), comments=False)) == "a: 1\nd: 4\n"


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        (
            "a:\n    b: 1\n",
            ("a", "c"),
            {"d": [1, {"e": "x"}]},
            "a:\n    b: 1\n    c:\n        d:\n        - 1\n        - e: x\n",
        ),
        ("a:\n- 1 # one\n", ("a", 1), {"b": 2, "c": 3}, "a:\n- 1 # one\n- b: 2\n  c: 3\n"),
        ("a: {b: 1}\n", ("a", "c"), "x y", "a: {b: 1, c: x y}\n"),
        ('{"a": ["b"]}', ("a", 1), "c", '{"a": ["b", "c"]}'),
        ('{\n  "a": 1\n}', ("b",), {"c": []}, '{\n  "a": 1,\n  "b": {"c": []}\n}'),
        ("a: {}\n", ("a", "b"), 1, "a: {b: 1}\n"),
        ("a: 1", ("b",), {}, "a: 1\nb: {}"),
    ],
)
def test_an_entry_is_added_in_the_style_of_its_place(
    text: str, path: tuple[str | int, ...], value: object, expected: str
) -> None:
    assert after(text, lambda planner: planner.insert(path, value)) == expected  # type: ignore[arg-type]


REQUEST = """\
requests:
    # on the request
    - name: gpu  # its name

      # on the class
      deviceClassName: a  # its class
      selectors:
      # on the selector
      - cel:
          expression: |-
            a

              # no comment
         # left of it
      # at the end
    # on the next
    - name: nic
"""
WRAPPED = """\
requests:
    # on the request
    - name: gpu  # its name

      exactly:
        # on the class
        deviceClassName: a  # its class
        selectors:
        # on the selector
        - cel:
            expression: |-
              a

                # no comment
           # left of it
        # at the end
    # on the next
    - name: nic
"""


def is_field(name: str) -> bool:
    return name != "name"


def test_entries_move_below_a_new_key_and_back() -> None:
    text = "x:\n" + indent(REQUEST, "  ")
    wrapped = "x:\n" + indent(WRAPPED, "  ")
    path = ("x", "requests", 0)
    assert after(text, lambda planner: planner.wrap(path, "exactly", is_field)) == wrapped
    assert after(wrapped, lambda planner: planner.unwrap((*path, "exactly"))) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a: 1\n  b: 2\n  name: x\n", "- k:\n    a: 1\n    b: 2\n  name: x\n"),
        ("- {name: x, a: 1, b: 2}\n", "- {name: x, k: {a: 1, b: 2}}\n"),
        ("- { a: 1, name: x }\n", "- { k: { a: 1 }, name: x }\n"),
        ("- a: 1\n  name: x # n\n  b: 2\n", "- k:\n    a: 1\n    b: 2\n  name: x # n\n"),
        ("- a: 1\n  name: x # n\n  b: 2", "- k:\n    a: 1\n    b: 2\n  name: x # n"),
        ("- {a: 1, name: x, b: 2}\n", "- {k: {a: 1, b: 2}, name: x}\n"),
        ("- a: 1\r\n  name: x\r\n", "- k:\r\n    a: 1\r\n  name: x\r\n"),
        ('[{"a":1,"name":"x"}]', '[{"k":{"a":1},"name":"x"}]'),
        (
            '[\n  {\n    "name": "x",\n    "a": 1\n  }\n]',
            '[\n  {\n    "name": "x",\n    "k": {\n      "a": 1\n    }\n  }\n]',
        ),
        ("- name: x\n", "- name: x\n"),
    ],
)
def test_entries_move_in_every_layout(text: str, expected: str) -> None:
    assert after(text, lambda planner: planner.wrap((0,), "k", is_field)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- k: {a: 1, b: [2]}  # c\n  name: x\n", "- a: 1\n  b: [2]  # c\n  name: x\n"),
        ("- k:  # on k\n    a: 1\n  name: x\n", "- # on k\n  a: 1\n  name: x\n"),
        ("- k:\n    # on a\n    a: 1\n  name: x\n", "- # on a\n  a: 1\n  name: x\n"),
        ("- k:\n      a: 1\n    # odd\n  # out\n", "- a: 1\n  # odd\n  # out\n"),
        ("- name: x\n  k: {}  # none\n", "- name: x\n  # none\n"),
        ("- name: x\n  k:\n", "- name: x\n"),
        ("- name: x\n  k: &k\n    a: 1\n- name: y\n  z: 1\n", "- name: x\n  a: 1\n- name: y\n  z: 1\n"),
    ],
)
def test_entries_move_out_of_a_key_in_every_layout(text: str, expected: str) -> None:
    assert after(text, lambda planner: planner.unwrap((0, "k"))) == expected


def test_alphabetical_order_is_kept() -> None:
    text = "- k:\n    a: 1\n    z: 2 # z\n  # on name\n  name: x\n"
    flat = "- a: 1\n  # on name\n  name: x\n  z: 2 # z\n"
    assert after(text, lambda planner: planner.unwrap((0, "k"))) == flat
    assert after(flat, lambda planner: planner.wrap((0,), "k", is_field)) == text


@pytest.mark.parametrize(
    ("text", "nested"),
    [
        ("x:\n  a: 80Gi  # c\n  b: 1\n", "x:\n  a:\n    value: 80Gi  # c\n  b: 1\n"),
        ("x: {a: 80Gi, b: 1}\n", "x: {a: {value: 80Gi}, b: 1}\n"),
        ('{"x": {"a":"80Gi"}}', '{"x": {"a":{"value":"80Gi"}}}'),
    ],
)
def test_a_value_becomes_a_mapping_and_a_value_again(text: str, nested: str) -> None:
    assert after(text, lambda planner: planner.nest(("x", "a"), "value")) == nested
    assert after(nested, lambda planner: planner.unnest(("x", "a"))) == text


def test_comments_of_a_mapping_that_becomes_a_value_stand_above_it() -> None:
    text = "x:\n  a:  # on a\n    # on the value\n    value: 1  # its value\n"
    expected = "x:\n  # on a\n  # on the value\n  a: 1  # its value\n"
    assert after(text, lambda planner: planner.unnest(("x", "a"))) == expected


def test_a_merge_key_moves_with_what_it_brings() -> None:
    text = "x: &x {c: 1}\nl:\n- name: b\n  <<: *x  # all\n  d: 2\n"
    expected = "x: &x {c: 1}\nl:\n- name: b\n  k:\n    <<: *x  # all\n    d: 2\n"
    assert after(text, lambda planner: planner.wrap(("l", 0), "k", is_field)) == expected
    assert after(expected, lambda planner: planner.unwrap(("l", 0, "k"))) == text


def test_an_alias_that_moves_out_is_written_out() -> None:
    text = "- name: a\n  k: &k\n    c: 1\n- name: b\n  k: *k\n"

    def change(planner: EditPlanner) -> list[Edit]:
        return [edit for i in range(2) for edit in planner.unwrap((i, "k"))]

    assert after(text, change) == "- name: a\n  c: 1\n- name: b\n  c: 1\n"


def test_what_has_no_place_is_refused() -> None:
    assert refused("a: 1\n", lambda planner: planner.replace(("b",), 1)) == "there is no 'b'"
    assert refused("a: |\n  x\n", lambda planner: planner.replace(("a",), 1)) == "it is a block scalar"
    assert refused("? a\n: 1\nb: 2\n", lambda planner: planner.wrap((), "k", is_field)) == (
        "a key has an anchor, a tag or a `?`"
    )
    assert refused("a: !!map\n  b: 1\n", lambda planner: planner.unwrap(("a",))) == "its value has a tag"
