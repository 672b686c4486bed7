"""The part of a long document that proves an edit (dralint/edit/smallest_part.py)."""

from __future__ import annotations

import pytest

from dralint.edit import repairs
from dralint.edit.apply import apply
from dralint.edit.one_line import holds_on_its_line
from dralint.edit.smallest_part import part_of
from dralint.finding.finding import Edit
from dralint.finding.problem import Change
from dralint.yaml import Document, read

ITEMS = "".join(f"  - name: r{number}  # no {number}\n    count: {number}\n\n" for number in range(60))
TEXT = f"kind: A\nspec:\n  items:\n{ITEMS}  last: |\n    text\n\nstatus: {{a: [1, {{b: 2}}]}}\n"


def document(text: str) -> Document:
    (found,) = read(text.encode())
    return found


@pytest.mark.parametrize(
    ("change", "part", "after"),
    [
        (Change("replace", ("spec", "items", 7, "count"), 8), "count: 7\n\n", "count: 8"),
        (Change("rename", ("spec", "items", 7, "name"), "id"), "name: r7  # no 7\n", "id: r7  # no 7"),
        (Change("remove", ("spec", "items", 7, "count")), "- name: r7  # no 7\n    count: 7\n\n", "r7  # no 7\n\n  -"),
        (Change("replace", ("spec", "items", 59, "count"), 8), "count: 59\n\n", "count: 8"),
        (Change("replace", ("spec", "last"), "x"), "last: |\n    text\n\n", None),
        (Change("replace", ("status", "a", 1, "b"), 3), "status: {a: [1, {b: 2}]}\n", "{b: 3}"),
    ],
)
def test_an_edit_is_proven_by_the_entry_or_item_that_it_changes(
    monkeypatch: pytest.MonkeyPatch, change: Change, part: str, after: str | None
) -> None:
    whole = document(TEXT)
    found = part_of(whole, (), [change], [])
    monkeypatch.setattr(repairs, "unlike", lambda one, other: None if one == other and len(str(one)) < 60 else ())

    assert found is not None
    assert TEXT[found.start : found.end] == part
    if after is not None:
        assert after in apply(TEXT, repairs.edits(whole, (), [change]))


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("count: 7\n", "count: &x 7\n    more: *x\n"),
        TEXT.replace("- name: r7 ", "- &x\n    name: r7 ").replace("count: 9\n", "count: *x\n"),
        TEXT.replace("- name: r7 ", "-\n    ? name\n    : r7 ").replace("    count: 7\n", ""),
        '{"spec": {"items": [0, 1, 2, 3, 4, 5, 6, {"name": "r7"}]}}',
    ],
)
def test_where_only_the_whole_can_tell_there_is_no_part(text: str) -> None:
    assert part_of(document(text), (), [Change("replace", ("spec", "items", 7, "name"), "x")], []) is None


def test_an_edit_outside_of_the_part_is_not_proven_by_it() -> None:
    change = Change("replace", ("spec", "items", 7, "count"), 8)

    assert part_of(document(TEXT), (), [change], [Edit(0, 1, "x")]) is None


LINES = "kind: A\nspec:\n  name: a  # why\n  items:\n  - x\n  - b: {c: 1}\n  last: |\n    text\n"


@pytest.mark.parametrize(
    ("change", "text", "holds"),
    [
        (Change("replace", ("spec", "name"), "b"), "b", True),
        (Change("replace", ("spec", "name"), "12"), '"12"', True),
        (Change("replace", ("spec", "name"), "12"), "12", False),  # a number
        (Change("replace", ("spec", "name"), None), "", False),  # the next lines may be its value
        (Change("replace", ("spec", "name"), "a b: c"), "a b: c", False),
        (Change("replace", ("spec", "name"), "{{ x }}"), '"{{ x }}"', False),  # a template
        (Change("replace", ("spec", "name"), "a\nb"), "a\n    b", False),
        (Change("replace", ("spec", "items", 0), "z"), "z", True),
        (Change("replace", ("spec", "items", 1, "b", "c"), 2), "2", False),
        (Change("rename", ("spec", "items"), "list"), "list", True),
        (Change("rename", ("spec", "items"), "name"), "name", False),  # it is there
        (Change("remove", ("spec", "name")), "", False),
    ],
)
def test_a_line_proves_its_edit_where_the_others_say_the_same(change: Change, text: str, *, holds: bool) -> None:
    whole = document(LINES)
    spans = {"name": "name: a", "items": "items", 0: "x", "c": "1"}
    found = spans[change.path[-1]].rpartition(" ")[2]
    start = LINES.index(spans[change.path[-1]]) + len(spans[change.path[-1]]) - len(found)

    assert holds_on_its_line(whole, (), [change], [Edit(start, start + len(found), text)]) is holds
    if holds:
        assert repairs.edits(whole, (), [change]) == [Edit(start, start + len(found), text)]
