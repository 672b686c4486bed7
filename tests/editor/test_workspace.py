"""The findings in the texts of an editor equal those of `dralint check`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dralint import Linter, settings
from dralint.editor import Stopped, Workspace
from dralint.files.source import Source
from dralint.finding.finding import Finding
from dralint.lint.pool import run
from tests.editor.manifests import BROKEN, CLAIM, CLASS, NAME, POD, SLICE, workspace

EXAMPLES = Path(__file__).parents[2] / "examples"


def checked(texts: dict[str, str]) -> list[Finding]:
    """Return what `dralint check` finds in texts."""
    sources = [Source(name, None, text.encode("utf-8", "surrogatepass")) for name, text in sorted(texts.items())]
    return run(sources, settings(), jobs=1).findings


def test_an_open_text_counts_in_place_of_its_file() -> None:
    there = Workspace()
    there.set_files({NAME: BROKEN.encode()})
    before = [finding.rule for finding in there.findings()[NAME]]
    there.open(NAME, CLAIM)

    assert before == ["DRA101"]
    assert there.findings() == {}
    there.close(NAME)
    assert [finding.rule for finding in there.findings()[NAME]] == before


def test_texts_are_compared_with_each_other() -> None:
    there = Workspace()
    there.open("pod.yaml", POD.replace("request: gpu", "request: cpu"))
    there.set_file("claim.yaml", CLAIM.encode())
    finding = there.findings()["pod.yaml"][0]

    assert (finding.rule, finding.line) == ("DRA403", 16)
    there.set_file("claim.yaml", CLAIM.replace("name: nic", "name: cpu").replace("gpu, nic", "gpu, cpu").encode())
    assert [finding.rule for finding in there.findings()["pod.yaml"]] == ["DRA706"]


def test_a_text_that_cannot_be_read_keeps_what_is_found_in_the_others() -> None:
    there = Workspace()
    there.open("a.yaml", "a: [\n")
    there.open("b.yaml", BROKEN)

    assert [finding.rule for finding in there.findings()["b.yaml"]] == ["DRA101"]


def test_a_run_is_given_up_when_asked_to() -> None:
    there = workspace(CLAIM, POD)

    with pytest.raises(Stopped):
        there.report(lambda: True)
    assert there.report().failures == []


def test_a_question_after_a_run_that_was_given_up_is_answered() -> None:
    there = workspace(CLAIM, POD)
    late = iter([False, False])
    with pytest.raises(Stopped):
        there.report(lambda: next(late, True))
    there.open(NAME, BROKEN)

    assert [one.rule for one in there.findings_alone(NAME)] == ["DRA101"]


def test_an_unchanged_document_moves_with_its_findings() -> None:
    there = workspace(CLASS, BROKEN)
    first = there.findings()[NAME][0]
    text = "---\n".join(["# one\n" + CLASS, "# ü\n" + POD, BROKEN])
    there.open(NAME, text)
    second = next(finding for finding in there.findings()[NAME] if finding.rule == "DRA101")

    assert (second.line - first.line, second.document) == (POD.count("\n") + 3, 2)
    assert second.fix is not None
    assert text[second.fix.edits[0].start : second.fix.edits[0].end] == "deviceClasName"


def test_what_is_found_at_once_keeps_what_lies_between_objects() -> None:
    wrong = POD.replace("request: gpu", "request: cpu")
    there = workspace(CLAIM, wrong)
    there.report()
    there.open(NAME, f"# more\n{BROKEN}---\n{wrong}")
    found = [(one.rule, one.line) for one in there.findings_at_once(NAME)]

    assert found == [(one.rule, one.line) for one in there.findings()[NAME]]
    assert [rule for rule, _ in found] == ["DRA101", "DRA403"]


def test_a_text_that_is_excluded_does_not_count() -> None:
    there = workspace(BROKEN)
    there.excluded = lambda name: name == NAME

    assert there.findings() == {}


def test_settings_of_a_client_count() -> None:
    there = Workspace(settings(ignore=["DRA101"]))
    there.open(NAME, BROKEN)

    assert "DRA101" not in [finding.rule for finding in there.findings().get(NAME, ())]


PIECES = (
    *("---\n", "\n", "\r\n", "  ", " ", "- ", ":", "#", '"', "😀", "ü", "{", "}", "[", "]", "\t", "x", "1", "${A}"),
    *("# dralint: ignore[DRA101] why\n", "name: gpu", "deviceClasName", "exactly:", "count: 0", "spec:", "kind: Pod"),
    *(CLAIM, POD, CLASS, "---\n" + SLICE),
)
"""What the random edits put into a text."""


def edited(text: str, chance: random.Random) -> str:
    """Return a text after a random edit, such as one keystroke or the removal of a line."""
    start = chance.randrange(len(text) + 1)
    if chance.random() < 0.25:
        line = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start) + 1 or len(text)
        return text[:line] + text[end:]
    end = min(len(text), start + chance.choice((0, 0, 0, 1, 1, 3)))
    return text[:start] + chance.choice(PIECES) + text[end:]


def same_as_check(seed: int, number: int) -> None:
    """Hold the findings of a workspace against those of `check` after each of many random edits."""
    chance = random.Random(seed)
    whole = "---\n".join([CLASS, CLAIM, POD, SLICE, CLAIM.replace("name: train", "name: other")])
    texts = {"a.yaml": whole, "b.yaml": whole.replace("\n", "\r\n").replace("team", "team-b")}
    there = Workspace()
    for name, text in texts.items():
        there.open(name, text)
    for _ in range(number):
        name = chance.choice(list(texts))
        changed = edited(texts[name], chance)
        texts[name] = whole if len(changed) > 3 * len(whole) or chance.random() < 0.02 else changed
        there.open(name, texts[name])

        assert there.report().findings == checked(texts), texts


def test_after_random_edits_the_findings_are_those_of_check() -> None:
    same_as_check(seed=1, number=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 4))
def test_after_many_random_edits_the_findings_are_those_of_check(seed: int) -> None:
    same_as_check(seed, number=200)


@pytest.mark.slow
def test_the_examples_have_the_findings_of_check() -> None:
    files = {str(file): file.read_bytes() for file in sorted(EXAMPLES.rglob("*.yaml"))}
    there = Workspace()
    there.set_files(files)

    assert there.report().findings == checked({name: raw.decode() for name, raw in files.items()})
    assert Linter().check_text("").findings == []
