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


def test_concise_is_one_line_a_finding(run: Run) -> None:
    outcome = run("check", "--format", "concise", "bad.yaml")

    assert outcome.status == 1
    assert outcome.stdout.startswith('bad.yaml:11:9: error DRA101 unknown field "deviceClasName"')
    assert len(outcome.stdout.splitlines()) == 1


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


def test_min_severity_leaves_the_lesser_out(run: Run, check: Run) -> None:
    Path("old.yaml").write_text(OLD_CLAIM)
    outcome = run("check", "old.yaml", "--min-severity", "error", "--fail-on", "warning", *RELEASE)

    assert outcome.status == 0
    assert outcome.stdout == "1 file, 1 object: no findings, 1 below --min-severity\n"
    assert check("old.yaml", "--min-severity", "error", *RELEASE).findings == []
    assert [row[0] for row in check("old.yaml", "--min-severity", "warning", *RELEASE).findings] == ["DRA503"]


def test_statistics_are_told_in_text_and_besides_other_formats(run: Run, check: Run) -> None:
    line = "1  DRA101  unknown-field  error  1 fixable"

    assert f"\n{line}\n" in run("check", "bad.yaml", "--statistics").stdout
    assert check("bad.yaml", "--statistics").stderr.startswith(line)
    assert check("bad.yaml", "--statistics").report["summary"]["errors"] == 1


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


def test_nothing_to_judge_is_a_warning_beside_every_format(run: Run, check: Run) -> None:
    for number in range(3):
        Path(f"{number}.yaml").write_text("kind: ConfigMap\n")
    outcome = check("0.yaml", "1.yaml", "2.yaml")

    assert (outcome.status, outcome.stderr) == (0, "dralint: warning: no DRA objects in 3 files\n")
    assert check("-q", "0.yaml").stderr == ""
    assert run("check", "0.yaml", "1.yaml", "2.yaml").stdout == "warning: no DRA objects in 3 files\n"
    Path("empty").mkdir()
    assert run("check", "empty").stdout == "warning: no files to check\n"


_QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: devices, namespace: team}
spec: {hard: {KEY: "3"}}
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: team}
spec: {containers: [{name: train, image: train, resources: {limits: {KEY: "1"}}}]}
"""


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        (_QUOTA, "gpu.example.com.deviceclass.resource.k8s.io/devices", "1 file, 1 object: no findings"),
        (_QUOTA, "count/resourceclaims.resource.k8s.io", "1 file, 1 object: no findings"),
        (_QUOTA, "gpu.example.com.deviceclas.resource.k8s.io/devices", "1 file, 1 object: 1 warning"),
        (_QUOTA, "pods", "warning: no DRA objects in 1 file"),
        (_POD, "deviceclass.resource.kubernetes.io/gpu.example.com", "1 file, 1 object: no findings"),
        (_POD, "cpu", "warning: no DRA objects in 1 file"),
    ],
)
def test_what_only_a_comparison_judges_counts(run: Run, text: str, key: str, said: str) -> None:
    Path("a.yaml").write_text(text.replace("KEY", key))

    assert run("check", "a.yaml").stdout.splitlines()[-1].partition(" (")[0] == said


def test_a_comment_suppresses_what_only_a_comparison_reports(run: Run) -> None:
    key = "gpu.example.com.deviceclas.resource.k8s.io/devices"
    Path("a.yaml").write_text(f"{_QUOTA.replace('KEY', key).rstrip()} # dralint: ignore[DRA427] not yet\n")

    assert run("check", "a.yaml").stdout == "1 file, 1 object: no findings, 1 suppressed\n"


def test_a_chart_is_to_be_rendered_first(run: Run) -> None:
    Path("chart/templates").mkdir(parents=True)
    Path("chart/templates/a.yaml").write_text("kind: ResourceClaim\nspec: {{ .Values.spec }}\n")
    Path("chart/templates/b.yaml").write_text("kind: ClusterRole\nrules: {{ .Values.persistentvolumeclaims }}\n")
    Path("chart/Chart.yaml").write_text("name: chart\n")
    outcome = run("check", "chart", "--verbose")

    assert outcome.stdout == (
        "chart/templates/a.yaml: document 0 skipped: `spec: {{ .Values.spec }}` is template code\n"
        "1 template skipped that does not speak of DRA\n"
        "\n"
        "warning: no DRA objects in 3 files; 2 templates skipped\n"
        "hint: render it first: helm template chart | dralint check -\n"
    )


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
