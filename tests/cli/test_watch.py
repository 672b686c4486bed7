"""`check --watch` checks again what changes, and ends with Ctrl-C and the status of the last run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dralint.cli import check
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Outcome, Run

Step = Callable[[], object]
Watch = Callable[..., Outcome]

pytestmark = pytest.mark.usefixtures("workdir")


@pytest.fixture
def watched(run: Run, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Return a function that runs `check --watch` with steps in place of its pauses; Ctrl-C comes after the last."""

    def call(*arguments: str, steps: list[Step]) -> Outcome:
        left = iter(steps)

        def pause(_: float) -> None:
            step = next(left, None)
            if step is None:
                raise KeyboardInterrupt
            step()

        monkeypatch.setattr(check, "sleep", pause)
        return run("check", "--watch", "--format", "concise", *arguments)

    return call


def writes(name: str, text: str) -> Step:
    return lambda: Path(name).write_text(text)


def deletes(name: str) -> Step:
    return lambda: Path(name).unlink()


def rules(outcome: Outcome) -> list[str]:
    """Return file and rule of the findings of all runs."""
    lines = outcome.stdout.splitlines()
    return [f"{line.partition(':')[0]} {line.split()[2]}" for line in lines if " DRA" in line]


def said(outcome: Outcome) -> list[str]:
    return [line.removeprefix("dralint: ") for line in outcome.stderr.splitlines() if "watching" not in line]


def test_a_changed_file_is_checked_again_and_the_last_run_has_the_status(watched: Watch) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)

    broken = watched(steps=[writes("a.yaml", BAD_CLAIM)])
    assert (broken.status, set(rules(broken)), said(broken)) == (1, {"a.yaml DRA101"}, ["a.yaml changed"])
    mended = watched(steps=[writes("a.yaml", GOOD_CLAIM)])
    assert (mended.status, said(mended)) == (0, ["a.yaml changed"])


def test_nothing_is_checked_again_while_nothing_changes(watched: Watch) -> None:
    Path("a.yaml").write_text(OLD_CLAIM)
    outcome = watched(steps=[lambda: None] * 3)

    assert (outcome.status, rules(outcome)) == (0, ["a.yaml DRA503"])
    assert outcome.stderr == "dralint: watching 1 file; Ctrl-C ends\n"


def test_files_that_come_and_go_are_checked(watched: Watch) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)
    more = [writes(f"{name}.yaml", OLD_CLAIM) for name in "bcdef"]
    outcome = watched(
        steps=[
            writes("b.yaml", OLD_CLAIM),
            deletes("a.yaml"),
            deletes("b.yaml"),
            lambda: [step() for step in more],
        ]
    )

    assert [line for line in said(outcome) if not line.startswith("warning")] == [
        "b.yaml added",
        "a.yaml deleted",
        "b.yaml deleted",
        "b.yaml added, c.yaml added, d.yaml added and 2 more",
    ]
    assert rules(outcome) == ["b.yaml DRA503"] * 2 + [f"{name}.yaml DRA503" for name in "bcdef"]


def test_a_named_file_that_goes_and_returns_is_checked(watched: Watch) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)
    outcome = watched("a.yaml", steps=[deletes("a.yaml"), writes("a.yaml", OLD_CLAIM)])

    assert (outcome.status, rules(outcome)) == (0, ["a.yaml DRA503"])
    assert said(outcome) == ["a.yaml deleted", "the path 'a.yaml' does not exist", "a.yaml added"]


def test_each_run_reads_the_configuration_and_the_baseline_again(watched: Watch) -> None:
    Path("a.yaml").write_text(OLD_CLAIM)
    Path("b").mkdir()
    Path("b/b.yaml").write_text(OLD_CLAIM)
    accepted = '{"version": 1, "findings": [{"rule": "DRA503", "kind": "ResourceClaim", "name": "a", "count": 2}]}'
    outcome = watched(
        steps=[
            writes(".dralint.yaml", "fail-on: warning\n"),
            writes("b/.dralint.yaml", "ignore: DRA503\n"),
            writes("base.json", '{"version": 1, "findings": []}'),
            writes(".dralint.yaml", "fail-on: warning\nbaseline: base.json\n"),
            writes("base.json", accepted),
            writes(".dralint.yaml", "fail-on: wrong\n"),
            deletes(".dralint.yaml"),
        ]
    )

    assert [line for line in said(outcome) if line.endswith(("changed", "added", "deleted"))] == [
        ".dralint.yaml added",
        "b/.dralint.yaml added",
        "base.json added",
        ".dralint.yaml changed",
        "base.json changed",
        ".dralint.yaml changed",
        ".dralint.yaml deleted",
    ]
    assert any("`fail-on` is one of" in line for line in said(outcome))
    assert outcome.status == 0


def test_an_inventory_is_watched(watched: Watch) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)
    Path("stock").mkdir()
    Path("stock/i.yaml").write_text("apiVersion: v1\nkind: List\nitems: []\n")
    outcome = watched("a.yaml", "--slices", "stock", steps=[writes("stock/j.yaml", GOOD_CLAIM)])

    assert said(outcome)[-1] == "stock/j.yaml added"


def test_quiet_shows_findings_only(watched: Watch) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)

    assert watched("--quiet", steps=[writes("a.yaml", OLD_CLAIM)]).stderr == ""


def test_an_interrupted_first_run_has_no_status(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    Path("a.yaml").write_text(GOOD_CLAIM)
    monkeypatch.setattr("dralint.lint.pool.run", interrupted)
    outcome = run("check", "--watch")

    assert (outcome.status, outcome.stderr) == (3, "dralint: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "variables", "sentence"),
    [
        (["-"], {}, "standard input does not change; name files or folders"),
        (["a.yaml"], {"CI": "true"}, "it ends only with Ctrl-C, and the variable CI is set; leave it out"),
        (["--add-ignore", "why"], {}, "--add-ignore is for a single run; leave one of them out"),
        (["--show-settings"], {}, "--show-settings is for a single run; leave one of them out"),
        (["--output-file", "r.sarif"], {}, "--output-file is for a single run; leave one of them out"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], variables: dict[str, str], sentence: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    Path("a.yaml").write_text(GOOD_CLAIM)
    outcome = run("check", "--watch", *arguments)

    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith(f"Error: --watch: {sentence}\n")


def test_a_configuration_cannot_make_a_run_endless(run: Run) -> None:
    Path(".dralint.yaml").write_text("watch: true\n")
    outcome = run("check")

    assert outcome.status == 2
    assert 'unknown key "watch"' in outcome.stderr
