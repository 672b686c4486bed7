"""Options for reports: where they go, what they show, and what goes to standard error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Run

RELEASE = ("--kubernetes-version", "1.37")


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    (workdir / "good.yaml").write_text(GOOD_CLAIM)
    (workdir / "bad.yaml").write_text(BAD_CLAIM)


@pytest.mark.slow
def test_several_thousand_old_claims_are_told_in_a_few_lines(run: Run) -> None:
    Path("many").mkdir()
    for number in range(300):
        Path(f"many/{number}.yaml").write_text(OLD_CLAIM)
    outcome = run("check", "many", *RELEASE)

    assert outcome.status == 0
    assert len(outcome.stdout.splitlines()) <= 40
    assert "DRA503 deprecated-api-version, 300 times" in outcome.stdout
    assert len(json.loads(run("check", "--format", "json", "many", *RELEASE).stdout)["findings"]) == 300
    assert (
        run("check", "many", "--show-all", *RELEASE).stdout.count("DRA503 deprecated-api-version  [fixable]\n") == 300
    )


def test_files_are_shown_with_what_became_of_them(run: Run, check: Run) -> None:
    Path("build").mkdir()
    Path("build/x.yaml").write_text(GOOD_CLAIM)
    Path("other.yaml").write_text("kind: ConfigMap\n")
    Path("t.yaml").write_text("kind: ResourceClaim\nspec: {{ .Values.spec }}\n")
    Path(".gitignore").write_text("build/\n")
    listing = [
        "read      bad.yaml: 1 object",
        "read      good.yaml: 1 object",
        "read      other.yaml: nothing to judge",
        "skipped   t.yaml: document 0: `spec: {{ .Values.spec }}` is template code",
        "not read  build/: a .gitignore file excludes it",
    ]

    assert "\n".join(listing) in run("check", "--show-files").stdout
    assert check("--show-files").stderr.splitlines() == listing


def test_templates_without_a_chart_are_to_be_rendered_by_whoever_can(run: Run) -> None:
    Path("deploy/templates/gpu").mkdir(parents=True)
    Path("deploy/templates/gpu/a.yaml").write_text("kind: ResourceClaim\nspec: {{ .Values.spec }}\n")
    said = "hint: render the templates, and pipe the result into `dralint check -`"

    assert run("check", "deploy").stdout.splitlines()[-1] == said
    Path("deploy/templates/Chart.yaml").write_text("name: elsewhere\n")
    assert run("check", "deploy").stdout.splitlines()[-1] == said
    Path("deploy/Chart.yaml").write_text("name: deploy\n")
    told = "hint: render it first: helm template {} | dralint check -"
    assert run("check", "deploy").stdout.splitlines()[-1] == told.format("deploy")
    assert run("check", str(Path("deploy").resolve())).stdout.splitlines()[-1] == told.format(Path("deploy").resolve())


def test_files_are_named_from_the_top_of_the_repository(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".git").mkdir()
    Path("deploy").mkdir()
    Path("bad.yaml").rename("deploy/bad.yaml")
    monkeypatch.chdir("deploy")

    for name in ("bad.yaml", "./bad.yaml", Path("bad.yaml").resolve()):
        assert run("check", "--format", "github", name).stdout.startswith("::error file=deploy/bad.yaml,line=11,")


def test_the_workspace_of_a_job_stands_for_the_repository(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("deploy").mkdir()
    Path("bad.yaml").rename("deploy/bad.yaml")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir("deploy")

    assert "file=deploy/bad.yaml," in run("check", "--format", "github").stdout


def test_output_files_are_understood_by_their_suffix(run: Run) -> None:
    run("check", "bad.yaml", "--output-file", "out.sarif", "--output-file", "b.xml", "--output-file", "gitlab=q.json")

    assert json.loads(Path("out.sarif").read_text())["version"] == "2.1.0"
    assert Path("b.xml").read_text().startswith("<?xml")
    assert json.loads(Path("q.json").read_text())[0]["check_name"] == "DRA101"


def test_a_finding_about_a_comment_shows_its_line(run: Run) -> None:
    comment = "# dralint: ignore[DRA102] why"
    Path("odd.yaml").write_text(GOOD_CLAIM.replace("v1\n", f"v1 {comment}\n", 1))
    lines = run("check", "odd.yaml").stdout.splitlines()

    assert lines[2] == f"   1 | apiVersion: resource.k8s.io/v1 {comment}"
    assert lines[3] == f"     | {' ' * 31}{'^' * len(comment)}"


def test_markdown_is_appended(run: Run) -> None:
    Path("summary.md").write_text("before\n")
    for _ in range(2):
        run("check", "bad.yaml", "--output-file", "markdown=summary.md")

    text = Path("summary.md").read_text()
    assert text.startswith("before\n## dralint\n")
    assert text.count("## dralint\n") == 2


def test_reports_among_the_inputs_are_replaced(run: Run) -> None:
    for _ in range(2):
        outcome = run("check", ".", "--output-file", "sarif=s.json", "--output-file", "gitlab=g.json")
        assert (outcome.status, outcome.stderr) == (1, "")
    assert json.loads(Path("s.json").read_text())["version"] == "2.1.0"
