"""Repairs by field path become edits of the text, proven against the intended data."""

from __future__ import annotations

from typing import Any

import pytest

from dralint.edit.apply import UnplaceableError, apply, in_lines
from dralint.edit.repairs import all_repaired, edits
from dralint.finding.problem import Change
from dralint.yaml import read

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: a  # the class
      # how many
      count: "2"  # two
    constraints:
    - requests: [gpus, nic]
      matchAttribute: 'gpu.example.com/x'
    config: []
"""
REQUEST = ("spec", "devices", "requests", 0)


def after(text: str, *changes: Change, base: tuple[str | int, ...] = ()) -> str:
    document = next(iter(read(text.encode())))
    out = apply(text, in_lines(text, edits(document, base, changes)))
    assert [found.data for found in read(out.encode())] == [all_repaired(document.data, [(base, changes)])[0]]
    return out


def test_a_field_moves_to_where_it_belongs_with_its_comments() -> None:
    change = Change("move", (*REQUEST, "count"), to=(*REQUEST, "exactly", "count"))
    assert after(CLAIM, change) == CLAIM.replace(
        '      # how many\n      count: "2"  # two\n', '        # how many\n        count: "2"  # two\n'
    )


def test_a_field_moves_below_a_parent_that_is_made() -> None:
    text = "a:\n- name: x\n  # on c\n  c: 1  # one\n"
    change = Change("move", ("a", 0, "c"), to=("a", 0, "k", "c"))
    assert after(text, change) == "a:\n- name: x\n  k:\n    # on c\n    c: 1  # one\n"


def test_a_field_moves_out_of_a_parent() -> None:
    text = "a:\n  k:\n    b: 1\n    c: {d: 2}\n  e: 3\n"
    assert after(text, Change("move", ("a", "k", "c"), to=("a", "c"))) == "a:\n  k:\n    b: 1\n  e: 3\n  c: {d: 2}\n"


def test_json_moves_too() -> None:
    text = '{"a": {"name": "x", "c": [1, "2"]}}'
    assert after(text, Change("move", ("a", "c"), to=("a", "k", "c"))) == '{"a": {"name": "x", "k": {"c": [1, "2"]}}}'
    assert after(text, Change("move", ("a", "c"), to=("c",))) == '{"a": {"name": "x"}, "c": [1, "2"]}'


def test_steps_on_the_same_lines_are_made_one_after_the_other() -> None:
    moved = Change("move", (*REQUEST, "count"), to=(*REQUEST, "exactly", "count"))
    typed = Change("replace", (*REQUEST, "exactly", "count"), 2)
    assert after(CLAIM, moved, typed) == CLAIM.replace(
        '      # how many\n      count: "2"  # two\n', "        # how many\n        count: 2  # two\n"
    )


@pytest.mark.parametrize(
    ("text", "start", "end", "value", "expected"),
    [
        ("a: gpu.exmple.com # c\n", 4, 6, "exa", "a: gpu.example.com # c\n"),
        ("a: 'it''s'\n", 2, 3, "'x", "a: 'it''xs'\n"),
        ('a: "b\\tc"\n', 1, 2, '"', 'a: "b\\"c"\n'),
        ("a: |\n  one\n  two\n", 4, 7, "2", "a: |\n  one\n  2\n"),
        ("a: no-\n", 2, 3, "", 'a: "no"\n'),
        ('{"a": "b/c"}', 0, 1, "é", '{"a": "é/c"}'),
    ],
)
def test_a_part_of_a_string_is_replaced(text: str, start: int, end: int, value: str, expected: str) -> None:
    assert after(text, Change("replace-part", ("a",), value, start=start, end=end)) == expected


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (Change("rename", ("kind",), "Kind"), "kind: R", "Kind: R"),
        (Change("remove", ("spec", "devices", "constraints", 0, "requests", 0)), "[gpus, nic]", "[nic]"),
        (Change("insert", ("spec", "devices", "constraints", 0, "requests", 0), "gpu"), "[gpus", "[gpu, gpus"),
        (Change("insert", ("spec", "devices", "config", 0), {"a": 1}), "config: []", "config: [{a: 1}]"),
        (Change("insert", ("metadata", "name"), "x"), "    config: []\n", "    config: []\nmetadata:\n  name: x\n"),
        (
            Change("remove", (*REQUEST, "count")),
            '      # how many\n      count: "2"  # two\n',
            "      # how many\n      # two\n",
        ),
    ],
)
def test_single_steps(change: Change, old: str, new: str) -> None:
    assert after(CLAIM, change) == CLAIM.replace(old, new)


def test_an_item_is_added_before_another() -> None:
    text = "a:\n  # on one\n  - b: 1\n  - b: 2\n"
    change: Any = Change("insert", ("a", 1), {"b": 3, "c": 4})
    assert after(text, change) == "a:\n  # on one\n  - b: 1\n  - b: 3\n    c: 4\n  - b: 2\n"


def test_paths_start_at_the_object() -> None:
    text = "items:\n- a: 1\n- a: 2 # two\n"
    assert after(text, Change("replace", ("a",), 3), base=("items", 1)) == "items:\n- a: 1\n- a: 3 # two\n"


@pytest.mark.parametrize(
    "change",
    [Change("replace", ("b",), 1), Change("rename", ("a", "b"), "c"), Change("move", ("a",), to=("c", 0, "d"))],
)
def test_what_has_no_place_is_refused(change: Change) -> None:
    document = next(iter(read(b"a: 1\nc: 2\n")))
    with pytest.raises(UnplaceableError):
        edits(document, (), [change])


def test_an_edit_that_would_change_an_alias_elsewhere_is_refused() -> None:
    document = next(iter(read(b"a: &x 1\nb: *x\n")))
    with pytest.raises(UnplaceableError, match="the text would not mean the same afterwards"):
        edits(document, (), [Change("replace", ("a",), 2)])


@pytest.mark.parametrize("text", [b"- s: &x {a: 1}\n- s: *x\n", b"- s: &x\n    a: 1\n- s: *x\n"])
@pytest.mark.parametrize("item", [0, 1])
def test_what_moves_out_of_a_mapping_is_not_taken_from_where_an_alias_repeats_it(text: bytes, item: int) -> None:
    document = next(iter(read(text)))
    with pytest.raises(UnplaceableError, match="the other places of the alias would lose it"):
        edits(document, (item,), [Change("move", ("s", "a"), to=("a",)), Change("remove", ("s",))])


def test_what_lies_in_a_mapping_takes_its_place_with_all_comments() -> None:
    text = "a:\n- name: x\n  # on k\n  k:\n    b: 1  # one\n"
    changes = (Change("move", ("a", 0, "k", "b"), to=("a", 0, "b")), Change("remove", ("a", 0, "k")))
    assert after(text, *changes) == "a:\n- name: x\n  # on k\n  b: 1  # one\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: x == 3\n", 'a: x == "3"\n'),
        ("a: {b: x == 3}\n", 'a: {b: x == "3"}\n'),
        ("a: [x == 3]\n", 'a: [x == "3"]\n'),
    ],
)
def test_a_plain_string_stays_plain_where_it_can(text: str, expected: str) -> None:
    path: tuple[str | int, ...] = ("a", "b") if "{" in text else ("a", 0) if "[" in text else ("a",)
    assert after(text, Change("replace-part", path, '"3"', start=5, end=6)) == expected


def test_a_plain_string_that_cannot_stay_so_is_quoted_the_shorter_way() -> None:
    assert (
        after("a: [x == 3]\n", Change("replace-part", ("a", 0), 'y["3"]', start=5, end=6)) == "a: ['x == y[\"3\"]']\n"
    )
