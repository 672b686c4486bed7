"""A word of another program gets a sentence that names the way in dralint."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.cli.main import command
from dralint.config.table import KEYS_ELSEWHERE, OPTIONS_ELSEWHERE, schema
from tests.conftest import GOOD_CLAIM, Run

FORMAT = "--format chooses the format (--format json), and --output-file json=FILE also writes a file"

pytestmark = pytest.mark.usefixtures("workdir")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("check --diff a.yaml", "No such option '--diff'; `dralint fix` shows the corrections as a diff"),
        ("check --fix a.yaml", "No such option '--fix'; `dralint fix --write` writes the corrections"),
        ("check -f a.yaml", "No such option '-f'; write the path alone: dralint check FILE"),
        ("check -k overlays", "No such option '-k'; pipe the result in: kustomize build DIR | dralint check -"),
        ("check -o json a.yaml", f"No such option '-o'; {FORMAT}"),
        ("check --output json a.yaml", f"No such option '--output'; {FORMAT}"),
        ("check --profile strict", "No such option '--profile'; write --strict"),
        ("check --profile=strict", "No such option '--profile'; write --strict"),
        ("fix --diff", "No such option '--diff'; `dralint fix` changes no file without --write; leave the option out"),
        ("validate a.yaml", "No such command 'validate'; did you mean 'check'?"),
        ("lint", "No such command 'lint'; did you mean 'check'?"),
    ],
)
def test_a_habit_of_another_program_gets_the_way(run: Run, line: str, sentence: str) -> None:
    Path("a.yaml").write_text(GOOD_CLAIM)
    outcome = run(*line.split())

    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith(f"Error: {sentence}\n")


def test_a_key_of_another_program_gets_the_way(run: Run) -> None:
    Path(".dralint.yaml").write_text("per-file-ignores: {a.yaml: DRA101}\n")
    outcome = run("check")

    assert outcome.status == 2
    assert outcome.stderr.endswith(':1:1: unknown key "per-file-ignores" (write `ignores` with `rules` and `paths`)\n')


def test_no_habit_hides_an_option_or_a_key() -> None:
    options = {name: {one for option in command(name).params for one in option.opts} for name in OPTIONS_ELSEWHERE}

    assert {name for name, ways in OPTIONS_ELSEWHERE.items() if options[name] & ways.keys()} == set()
    assert KEYS_ELSEWHERE.keys() & schema()["properties"].keys() == set()
