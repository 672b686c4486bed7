"""What an editor can do about findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint import settings
from dralint.editor import Action, Workspace, actions
from dralint.editor.cursor import Span
from tests.conftest import OLD_CLAIM
from tests.editor.manifests import BROKEN, CLAIM, NAME, workspace

OLD = OLD_CLAIM.replace("\n  name: a", " {name: old}").replace("name: gpu", "name: gpu  # one")


def offered(there: Workspace, part: str) -> dict[str, Action]:
    start = there.text(NAME).text.index(part)
    return {action.title: action for action in actions(there, NAME, Span(start, start + len(part)))}


def applied(there: Workspace, action: Action) -> str:
    return there.text(NAME).changed(action.edits[NAME])


def test_a_safe_repair_says_what_it_replaces() -> None:
    there = workspace(BROKEN)
    action = offered(there, "deviceClasName")["Replace `deviceClasName` by `deviceClassName`"]

    assert (action.kind, action.safe) == ("quickfix", True)
    assert applied(there, action) == CLAIM


def test_a_guess_is_named_as_one_and_the_other_values_are_choices() -> None:
    there = workspace(CLAIM.replace("        selectors:", "        allocationMode: Al\n        selectors:"))
    found = offered(there, "allocationMode: Al")

    assert list(found)[:2] == ["Guess: replace `Al` by `All`", "Write `ExactCount`"]
    assert not found["Write `ExactCount`"].safe


def test_a_comment_suppresses_a_finding() -> None:
    there = workspace(BROKEN)
    changed = applied(there, offered(there, "deviceClasName")["Suppress DRA101 here with a comment"])
    there.open(NAME, changed)

    assert "        # dralint: ignore[DRA101]\n        deviceClasName" in changed
    assert there.findings() == {}


def test_all_safe_problems_are_fixed_at_once_also_those_behind_others() -> None:
    there = workspace(BROKEN.replace("metadata", "metdata"), BROKEN)
    action = next(one for one in actions(there, NAME, Span(0, 0)) if one.kind == "source.fixAll.dralint")

    assert applied(there, action) == f"{CLAIM}---\n{CLAIM}"


def test_an_object_migrates_to_the_version_that_is_served() -> None:
    there = workspace(CLAIM, OLD)
    action = offered(there, "v1beta1")["Migrate to resource.k8s.io/v1"]
    changed = applied(there, action)

    assert changed.startswith(f"{CLAIM}---\n")
    assert "    - name: gpu  # one\n      exactly:\n        deviceClassName: gpu.example.com\n" in changed


def test_a_finding_is_added_to_the_baseline(tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    baseline.write_text('{"version": 1, "findings": []}\n')
    configuration = tmp_path / ".dralint.yaml"
    configuration.write_text("baseline: baseline.json\n")
    there = Workspace(settings(config=configuration))
    there.open(NAME, BROKEN)
    action = offered(there, "deviceClasName")["Add DRA101 to the baseline baseline.json"]
    edits = action.edits[str(baseline)]

    assert '"rule": "DRA101"' in edits[0].text
    assert baseline.read_text() == '{"version": 1, "findings": []}\n'


@pytest.mark.parametrize("part", ["name: train", "kind"])
def test_where_nothing_is_wrong_nothing_is_offered(part: str) -> None:
    assert offered(workspace(CLAIM), part) == {}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_byte_order_mark_moves_no_edit(encoding: str) -> None:
    there = Workspace()
    there.set_file(NAME, f"\ufeff# 😀\r\n{BROKEN}".encode(encoding))
    start = there.text(NAME).text.index("deviceClasName")
    found = actions(there, NAME, Span(start, start), lambda kind: kind in ("quickfix", "source.fixAll.dralint"))

    assert {applied(there, one) for one in found if one.safe} == {f"\ufeff# 😀\r\n{CLAIM}"}
