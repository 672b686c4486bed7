"""The requests of the playground's page to dralint, without a browser."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM

ROOT = Path(__file__).parents[2]


class Bridge:
    """Asks as the page does: in JSON."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def __call__(self, question: str, **given: object) -> Any:
        return json.loads(self.module.ask(question, json.dumps(given)))


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bridge]:
    monkeypatch.syspath_prepend(str(ROOT / "site" / "playground"))
    sys.modules.pop("bridge", None)
    module = import_module("bridge")
    monkeypatch.setattr(module, "FOLDER", str(tmp_path / "manifests"))
    before = Path.cwd()
    yield Bridge(module)
    os.chdir(before)


def test_a_finding_has_its_place_in_utf_16_and_its_fix(bridge: Bridge) -> None:
    text = "# 😀\n" + BAD_CLAIM
    bridge("state", files=[["claim.yaml", text]])
    answer = bridge("check")

    found = answer["findings"][0]
    line = text.split("\n")[found["from"][0]]
    assert found["line"] == found["from"][0] + 1
    assert line[found["from"][1] : found["to"][1]] != ""
    assert answer["summary"].endswith("error") or "errors" in answer["summary"]


def test_a_text_that_is_not_judged_is_not_called_free_of_findings(bridge: Bridge) -> None:
    bridge("state", files=[["claim.yaml", "{{ if .Values.gpu }}\nkind: ResourceClaim\n{{ end }}\n"]])

    assert bridge("check")["summary"] == "no DRA objects in 1 file; 1 template skipped"


def test_a_wrong_choice_is_named(bridge: Bridge) -> None:
    answer = bridge("state", files=[["claim.yaml", GOOD_CLAIM]], gates="DRAConsumableCapasity=true")

    assert "DRAConsumableCapacity" in answer["error"]


def test_a_command_prints_what_it_prints_on_a_command_line(bridge: Bridge) -> None:
    bridge("state", files=[["claim.yaml", GOOD_CLAIM]])

    assert bridge("run", arguments=["check", "claim.yaml"])["status"] == 0
    assert "unknown-request" in bridge("run", arguments=["explain", "DRA203"])["out"]
    assert bridge("run", arguments=["chekc"])["status"] == 2


def test_a_migration_gives_the_texts_that_change(bridge: Bridge) -> None:
    old = GOOD_CLAIM.replace("resource.k8s.io/v1\n", "resource.k8s.io/v1beta2\n")
    bridge("state", files=[["old.yaml", old], ["new.yaml", GOOD_CLAIM]])

    assert bridge("migrated", target="resource.k8s.io/v1") == {"old.yaml": GOOD_CLAIM}


def test_the_actions_of_a_place_are_edits_of_open_texts(bridge: Bridge) -> None:
    bridge("state", files=[["claim.yaml", BAD_CLAIM]])
    found = bridge("check")["findings"][0]
    actions = bridge("actions", file="claim.yaml", start=found["from"], end=found["to"])

    assert actions
    assert all(set(action["edits"]) == {"claim.yaml"} for action in actions)


def test_hover_and_completion_answer_at_a_place(bridge: Bridge) -> None:
    bridge("state", files=[["claim.yaml", GOOD_CLAIM]])
    lines = GOOD_CLAIM.split("\n")
    number = next(at for at, line in enumerate(lines) if "deviceClassName" in line)
    column = lines[number].index("deviceClassName") + 2

    assert "class" in bridge("hover", file="claim.yaml", at=[number, column])["markdown"].lower()
    assert isinstance(bridge("complete", file="claim.yaml", at=[number, column]), list)


def test_the_configuration_among_the_texts_is_obeyed_and_a_choice_wins_over_it(bridge: Bridge) -> None:
    texts = [["claim.yaml", BAD_CLAIM], [".dralint.yaml", "select: [DRA7]\n"]]

    assert bridge("state", files=texts) == {}
    assert bridge("check")["findings"] == []
    assert bridge("run", arguments=["check", "claim.yaml"])["status"] == 0
    assert bridge("state", files=texts, select="DRA1,DRA2") == {}
    assert bridge("check")["findings"] != []
    assert ".dralint.yaml:1:1" in bridge("state", files=[texts[0], [".dralint.yaml", "selct: [DRA1]\n"]])["error"]


def test_the_number_of_judged_objects_is_told(bridge: Bridge) -> None:
    bridge("state", files=[["claim.yaml", GOOD_CLAIM]])

    assert bridge("check")["objects"] == 1


def test_the_configuration_is_completed_explained_and_not_judged_as_a_manifest(bridge: Bridge) -> None:
    text = "fail-on: \nignore: [DRA203]\nsel"
    error = bridge("state", files=[["claim.yaml", BAD_CLAIM], [".dralint.yaml", text]])["error"]
    keys = bridge("complete", file=".dralint.yaml", at=[2, 3])
    values = bridge("complete", file=".dralint.yaml", at=[0, 9])
    meaning = bridge("hover", file=".dralint.yaml", at=[1, 9])

    assert error
    assert "select" in [item["label"] for item in keys]
    assert {"warning", "error"} <= {item["label"] for item in values}
    assert "unknown-request" in meaning["markdown"]
    assert {finding["file"] for finding in bridge("check")["findings"]} == {"claim.yaml"}
    assert bridge("run", arguments=["check", "claim.yaml"])["status"] != 3
    assert bridge("migrated", target="1.33").keys() <= {"claim.yaml"}
