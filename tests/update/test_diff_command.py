"""`dralint diff`: files, directories and revisions of git, and how it ends."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import GOOD_CLAIM, Outcome, Run

CHANGED = GOOD_CLAIM.replace("gpu.example.com", "fpga.example.com")
BROKEN = GOOD_CLAIM.replace("deviceClassName", "deviceClasName")


def places(outcome: Outcome) -> list[tuple[str, str, int, str]]:
    return [(f["rule"], f["file"], f["line"], f["related"][0]["file"]) for f in outcome.report["findings"]]


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(workdir, "init", "-q")
    (workdir / "deploy").mkdir()
    (workdir / "deploy/claim.yaml").write_text(GOOD_CLAIM)
    (workdir / "other.yaml").write_text(GOOD_CLAIM.replace("train", "other"))
    git(workdir, "add", ".")
    git(workdir, "commit", "-q", "-m", "first")
    return workdir


pytestmark = pytest.mark.usefixtures("workdir")


@pytest.fixture
def diff(run: Run) -> Run:
    def call(*arguments: object) -> Outcome:
        return run("diff", "--format", "json", *arguments)

    return call


def test_the_first_commit_of_a_repository_has_nothing_to_be_compared_with(
    run: Run, diff: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(workdir, "init", "-q")
    (workdir / "claim.yaml").write_text(GOOD_CLAIM)
    git(workdir, "add", ".")
    outcome = diff("--git", "HEAD", "claim.yaml")

    assert (outcome.status, outcome.report["summary"]["objects"]) == (0, 1)
    assert run("check", "--changed", "--format", "json").report["summary"]["objects"] == 1
    outcome = diff("--git", "main")
    assert (outcome.status, outcome.stderr.splitlines()[-1]) == (2, "Error: the repository has no revision 'main'")


def test_a_run_says_that_nothing_differs(run: Run, repository: Path) -> None:
    assert run("diff", "--git", "HEAD").stdout == "no manifest differs from HEAD\n"
    assert run("diff", "--git", "HEAD..HEAD").stdout == "no manifest differs in HEAD..HEAD\n"
    assert run("diff", "--git", "HEAD", "--format", "json").stderr == ""


def test_of_long_texts_the_place_where_they_differ_is_shown(diff: Run, workdir: Path) -> None:
    long = (
        "device.attributes['gpu.example.com'].productName.lowerAscii() == 'a100' && device.attributes['x'].index == 6"
    )
    text = GOOD_CLAIM + f'        selectors: [{{cel: {{expression: "{long}"}}}}]\n'
    (workdir / "old.yaml").write_text(text)
    (workdir / "new.yaml").write_text(text.replace("a100", "h100"))
    (finding,) = diff("old.yaml", "new.yaml").report["findings"]

    assert finding["message"] == (
        "spec of a ResourceClaim cannot be changed: spec.devices.requests[0].exactly.selectors[0].cel.expression was "
        "\"...uctName.lowerAscii() == 'a100' && device.attributes['x...\" and is "
        "\"...uctName.lowerAscii() == 'h100' && device.attributes['x...\""
    )


def test_two_files_are_a_pair_whatever_they_are_called(diff: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD_CLAIM)
    (tmp_path / "b.txt").write_text(CHANGED)
    outcome = diff("a.yaml", "b.txt")

    assert outcome.status == 1
    assert places(outcome) == [("DRA601", "b.txt", 11, "a.yaml")]
    assert outcome.report["summary"]["objects"] == 1


def test_files_of_directories_are_paired_by_relative_path(diff: Run, tmp_path: Path) -> None:
    for side, text in (("old", GOOD_CLAIM), ("new", CHANGED)):
        (tmp_path / side / "sub").mkdir(parents=True)
        (tmp_path / side / "sub/claim.yaml").write_text(text)
        (tmp_path / side / "same.yaml").write_text(GOOD_CLAIM.replace("train", "same"))
    outcome = diff("old", "new")

    assert places(outcome) == [("DRA601", "new/sub/claim.yaml", 11, "old/sub/claim.yaml")]
    assert (outcome.report["summary"]["files"], outcome.report["summary"]["objects"]) == (2, 2)


def test_one_side_may_come_from_standard_input(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CHANGED)
    outcome = run("diff", "--format", "json", "-", "a.yaml", stdin=GOOD_CLAIM)

    assert places(outcome) == [("DRA601", "a.yaml", 11, "<stdin>")]


def test_equal_sides_end_with_status_0(diff: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD_CLAIM)
    outcome = diff("a.yaml", "a.yaml")

    assert (outcome.status, outcome.report["findings"]) == (0, [])


def test_the_working_tree_is_compared_with_a_revision(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    outcome = diff("--git", "HEAD")

    assert places(outcome) == [("DRA601", "deploy/claim.yaml", 11, "HEAD:deploy/claim.yaml")]
    assert outcome.report["summary"]["files"] == 1


def test_two_revisions_are_compared(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    git(repository, "commit", "-q", "-a", "-m", "second")
    (repository / "deploy/claim.yaml").write_text("not looked at")
    outcome = diff("--git", "HEAD~1..HEAD")

    assert places(outcome) == [("DRA601", "deploy/claim.yaml", 11, "HEAD~1:deploy/claim.yaml")]


def test_paths_limit_what_is_compared(diff: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    (repository / "other.yaml").write_text(CHANGED.replace("train", "other"))
    monkeypatch.chdir(repository / "deploy")

    assert places(diff("--git", "HEAD", ".")) == [("DRA601", "claim.yaml", 11, "HEAD:claim.yaml")]
    assert places(diff("--git", "HEAD", "../other.yaml")) == [("DRA601", "../other.yaml", 11, "HEAD:../other.yaml")]


def test_files_that_git_does_not_know_yet_are_judged_as_new(diff: Run, repository: Path) -> None:
    (repository / ".gitignore").write_text("ignored.yaml\n")
    (repository / "new.yaml").write_text(BROKEN.replace("train", "new"))
    (repository / "ignored.yaml").write_text(BROKEN.replace("train", "ignored"))
    outcome = diff("--git", "HEAD")

    assert {f["file"] for f in outcome.report["findings"]} == {"new.yaml"}
    assert "DRA101" in {f["rule"] for f in outcome.report["findings"]}


def test_a_file_that_is_named_is_read_whatever_its_suffix(diff: Run, repository: Path) -> None:
    (repository / "claim.txt").write_text(GOOD_CLAIM.replace("train", "text"))
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "text")
    (repository / "claim.txt").write_text(CHANGED.replace("train", "text"))

    assert places(diff("--git", "HEAD", "claim.txt")) == [("DRA601", "claim.txt", 11, "HEAD:claim.txt")]
    assert places(diff("--git", "HEAD")) == []


def test_a_file_that_was_deleted_is_no_finding(diff: Run, repository: Path) -> None:
    (repository / "other.yaml").unlink()
    outcome = diff("--git", "HEAD", "other.yaml")

    assert (outcome.status, outcome.report["findings"]) == (0, [])


def test_a_file_that_was_moved_is_still_an_update(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").unlink()
    (repository / "moved.yaml").write_text(CHANGED)
    outcome = diff("--git", "HEAD")

    assert places(outcome) == [("DRA601", "moved.yaml", 11, "HEAD:deploy/claim.yaml")]


def test_names_that_are_not_plain_are_paired(diff: Run, repository: Path) -> None:
    name = 'späce "x"\n.yaml'
    (repository / name).write_text(GOOD_CLAIM.replace("train", "odd"))
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "odd")
    (repository / name).write_text(CHANGED.replace("train", "odd"))

    assert places(diff("--git", "HEAD")) == [("DRA601", name, 11, f"HEAD:{name}")]


def test_programs_that_a_repository_configures_are_not_run(diff: Run, repository: Path) -> None:
    git(repository, "config", "core.fsmonitor", "touch ran; false")
    git(repository, "config", "diff.external", "touch ran; false")
    (repository / ".gitattributes").write_text("*.yaml diff=x\n")
    git(repository, "config", "diff.x.textconv", "touch ran; false")
    git(repository, "config", "diff.x.command", "touch ran; false")
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    outcome = diff("--git", "HEAD")

    assert [row[0] for row in places(outcome)] == ["DRA601"]
    assert not (repository / "ran").exists()


def test_excluded_files_are_left_out(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    outcome = diff("--git", "HEAD", "--exclude", "deploy/")

    assert (outcome.status, outcome.report["findings"]) == (0, [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.yaml"], "give two paths, OLD and NEW, or --git REV or --inventory FILE and any paths"),
        (["a.yaml", "nowhere.yaml"], "the path 'nowhere.yaml' does not exist"),
        (["-", "-"], "standard input can be one side only"),
        (["a.yaml", "."], "OLD and NEW are both files, or both directories; these are one of each"),
        (["--git", "HEAD", ".."], "is outside of the repository"),
        (["--git", "HEAD", "nowhere.yaml"], "the path 'nowhere.yaml' does not exist"),
        (["--git", "nothing"], "Error: the repository has no revision 'nothing'"),
        (["--git=--output=x"], "Error: '--output=x' is not a revision"),
        (["a.yaml", "a.yaml", "--kubernetes-version", "1.99"], "release 1.99 is not known"),
    ],
)
@pytest.mark.slow
def test_wrong_usage_is_said_in_one_sentence(run: Run, repository: Path, arguments: list[str], message: str) -> None:
    (repository / "a.yaml").write_text(GOOD_CLAIM)
    outcome = run("diff", *arguments)

    assert outcome.status == 2
    assert message in " ".join(outcome.stderr.split())


def test_a_folder_that_is_no_repository_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    outcome = run("diff", "--git", "HEAD")

    assert outcome.status == 2
    assert "not a git repository" in outcome.stderr


def test_git_must_be_there(run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    outcome = run("diff", "--git", "HEAD")

    assert outcome.status == 2
    assert "the command git is needed, and is not there" in outcome.stderr


def test_the_exit_status_follows_fail_on(diff: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD_CLAIM)
    (tmp_path / "b.yaml").write_text(GOOD_CLAIM.replace("train", "drain"))

    assert diff("a.yaml", "b.yaml").status == 0
    assert diff("a.yaml", "b.yaml", "--fail-on", "info").status == 1


def test_the_text_names_both_places(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD_CLAIM)
    (tmp_path / "b.yaml").write_text(CHANGED)
    outcome = run("diff", "a.yaml", "b.yaml")

    assert "b.yaml:11:26  error  DRA601 immutable-field" in outcome.stdout
    assert "a.yaml:11:26: before the update" in outcome.stdout


def test_templates_and_what_cannot_be_read_do_not_stop_the_others(diff: Run, tmp_path: Path) -> None:
    for side, text in (("old", GOOD_CLAIM), ("new", CHANGED)):
        (tmp_path / side).mkdir()
        (tmp_path / side / "claim.yaml").write_text(text)
        (tmp_path / side / "template.yaml").write_text("{{ if }}\nkind: ResourceClaim\n{{ end }}\n")
        (tmp_path / side / "bad.yaml").write_text("kind: ResourceClaim\n  x: [\n")
    outcome = diff("old", "new")

    assert [(f["rule"], f["file"]) for f in outcome.report["findings"]] == [
        ("DRA002", "new/bad.yaml"),
        ("DRA601", "new/claim.yaml"),
    ]
    assert [row["file"] for row in outcome.report["summary"]["skipped"]] == ["new/template.yaml"]


def test_documents_that_show_a_template_or_lose_objects_are_treated_as_in_check(diff: Run, tmp_path: Path) -> None:
    text = GOOD_CLAIM.replace("name: train", "name: {{ .Release.Name }}")
    listed = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim}\n"
    (tmp_path / "a.yaml").write_text("")
    (tmp_path / "b.yaml").write_text(f"{text}---\n{listed}")
    outcome = diff("a.yaml", "b.yaml")

    assert [(s["document"], s["reason"]) for s in outcome.report["summary"]["skipped"]] == [
        (0, "`name: {{ .Release.Name }}` is template code")
    ]
    assert [(f["rule"], f["document"], f["path"]) for f in outcome.report["findings"]] == [("DRA012", 1, "")]


@pytest.mark.parametrize("folders", [False, True])
@pytest.mark.slow
def test_an_old_file_that_cannot_be_read_is_a_finding_of_its_own(diff: Run, tmp_path: Path, folders: bool) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "old/a.yaml").write_text("kind: ResourceClaim\n  x: [\n")
    (tmp_path / "new/a.yaml").write_text(GOOD_CLAIM)
    outcome = diff("old", "new") if folders else diff("old/a.yaml", "new/a.yaml")
    (finding,) = outcome.report["findings"]

    assert (outcome.status, outcome.report["summary"]["files"], outcome.report["summary"]["objects"]) == (1, 1, 1)
    assert (finding["rule"], finding["file"], finding["line"], finding["effect"]) == (
        "DRA002",
        "old/a.yaml",
        2,
        "unreadable",
    )
    assert finding["message"].endswith(" (in OLD: dralint judges its replacement as a new object)")


def test_the_text_shows_the_line_of_the_old_file_that_cannot_be_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: ResourceClaim\n  odd: [\n")
    (tmp_path / "b.yaml").write_text(GOOD_CLAIM)

    assert "2 |   odd: [" in run("diff", "a.yaml", "b.yaml").stdout


def test_an_old_file_that_cannot_be_read_is_no_finding_where_it_has_not_changed_or_is_not_ours(
    diff: Run, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text("kind: ResourceClaim\n  x: [\n")
    outcome = diff("a.yaml", "a.yaml")
    assert [(f["rule"], f["message"].endswith("judged as new)")) for f in outcome.report["findings"]] == [
        ("DRA002", False)
    ]
    (tmp_path / "b.yaml").write_text(f"kind: Service\n  x: [\n---\n{GOOD_CLAIM}")
    (tmp_path / "c.yaml").write_text(GOOD_CLAIM)
    assert diff("b.yaml", "c.yaml").report["findings"] == []


def test_what_was_moved_into_the_paths_is_still_an_update(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").rename(repository / "moved.yaml")
    (repository / "moved.yaml").write_text(CHANGED)
    expected = [("DRA601", "moved.yaml", 11, "HEAD:deploy/claim.yaml")]
    assert places(diff("--git", "HEAD", "moved.yaml")) == expected

    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "moved")
    (repository / "moved.yaml").unlink()
    outcome = diff("--git", "HEAD~1..HEAD", "moved.yaml")
    assert places(outcome) == [("DRA601", "moved.yaml", 11, "HEAD~1:deploy/claim.yaml")]
    assert (outcome.report["summary"]["files"], outcome.report["summary"]["objects"]) == (1, 1)


def test_a_copy_into_the_paths_does_not_take_the_place_of_what_stayed(diff: Run, repository: Path) -> None:
    (repository / "other.yaml").write_text(CHANGED.replace("train", "other"))
    (repository / "copy.yaml").write_text(CHANGED.replace("train", "other"))

    assert diff("--git", "HEAD", "copy.yaml").report["findings"] == []


def test_what_is_wrong_outside_of_the_paths_is_not_told(diff: Run, repository: Path) -> None:
    (repository / "broken.yaml").write_text("kind: ResourceClaim\n  x: [\n")
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "broken")
    (repository / "broken.yaml").write_text(BROKEN)
    (repository / "new.yaml").write_text(BROKEN)
    outcome = diff("--git", "HEAD", "deploy")

    assert (outcome.status, outcome.report["findings"], outcome.report["summary"]["files"]) == (0, [], 0)


def test_placeholders_of_an_update_are_one_finding(diff: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(GOOD_CLAIM)
    (tmp_path / "b.yaml").write_text(GOOD_CLAIM.replace("name: train", "name: train\n  labels: {a: '${NS} a'}"))
    outcome = diff("a.yaml", "b.yaml")

    assert outcome.status == 0
    assert [(f["rule"], f["path"]) for f in outcome.report["findings"] if f["effect"] != "broken"] == [
        ("DRA704", "metadata.labels")
    ]


def test_a_filter_of_the_repository_is_not_run(diff: Run, repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.yaml filter=x\n")
    for name in ("clean", "smudge", "process"):
        git(repository, "config", f"filter.x.{name}", "touch ran; false")
    file = repository / "deploy/claim.yaml"
    file.write_text(GOOD_CLAIM)
    untouched = diff("--git", "HEAD")
    file.write_text(CHANGED)

    assert (untouched.status, untouched.report["findings"]) == (0, [])
    assert places(diff("--git", "HEAD")) == [("DRA601", "deploy/claim.yaml", 11, "HEAD:deploy/claim.yaml")]
    assert not (repository / "ran").exists()


@pytest.fixture
def partial_clone(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clone without the texts of the first of its two commits."""
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    git(repository, "commit", "-q", "-a", "-m", "second")
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(repository, "clone", "-q", "--filter=blob:none", repository.as_uri(), str(clone))
    git(clone, "config", "remote.origin.url", "ssh://x/y")
    git(clone, "config", "core.sshCommand", f"touch {tmp_path}/ran; false")
    monkeypatch.chdir(clone)
    return clone


def test_a_partial_clone_fetches_nothing(diff: Run, tmp_path: Path, partial_clone: Path) -> None:
    outcome = diff("--git", "HEAD~1")
    failures = [(f["rule"], f["file"], f["message"]) for f in outcome.report["findings"] if f["effect"] == "tool"]

    assert outcome.status == 3
    assert [row[:2] for row in failures] == [("DRA013", "HEAD~1:deploy/claim.yaml")]
    assert failures[0][2].startswith("cannot be read: git does not have it here, and nothing is fetched (")
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_partial_clone_knows_what_has_not_changed(diff: Run, tmp_path: Path, partial_clone: Path) -> None:
    assert diff("--git", "HEAD~1", "other.yaml").report["findings"] == []
    assert diff("--git", "HEAD").report["findings"] == []
    assert not (tmp_path / "ran").exists()


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(diff: Run, repository: Path) -> None:
    git(repository, "sparse-checkout", "set", "--no-cone", "other.yaml")
    (repository / "other.yaml").write_text(CHANGED.replace("train", "other"))

    assert not (repository / "deploy").exists()
    assert places(diff("--git", "HEAD")) == [("DRA601", "other.yaml", 11, "HEAD:other.yaml")]


def test_line_ends_of_another_system_are_no_change(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_bytes(GOOD_CLAIM.replace("\n", "\r\n").encode())

    assert diff("--git", "HEAD").report["summary"]["files"] == 0


def test_a_file_behind_a_link_that_took_the_place_of_its_folder_is_deleted(diff: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    (repository / "deploy").rename(repository / "hidden")
    (repository / "deploy").symlink_to("hidden")
    outcome = diff("--git", "HEAD")

    assert places(outcome) == [("DRA601", "hidden/claim.yaml", 11, "HEAD:deploy/claim.yaml")]


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: team-a}
spec:
  resourceClaims:
  - name: gpu
    resourceClaimName: %s
  containers:
  - name: a
    image: a
    resources: {claims: [{name: gpu}]}
"""


def test_what_lies_between_the_objects_of_the_new_side_is_judged(diff: Run, tmp_path: Path) -> None:
    for folder, name in (("old", "train"), ("new", "trian")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "claim.yaml").write_text(GOOD_CLAIM)
        (tmp_path / folder / "pod.yaml").write_text(POD % name)

    found = diff("old", "new").report["findings"]
    assert [(f["rule"], f["file"], f["line"]) for f in found if f["rule"].startswith("DRA4")] == [
        ("DRA401", "new/pod.yaml", 7)
    ]
    assert [f["rule"] for f in diff("new", "old").report["findings"] if f["rule"].startswith("DRA4")] == []


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gpuconfigs.gpu.example.com}
spec:
  group: gpu.example.com
  names: {kind: GpuConfig, plural: gpuconfigs}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {sharing: {type: string, enum: [none, mps]}}}}
"""
CONFIG = """\
    config:
    - opaque:
        driver: gpu.example.com
        parameters: {apiVersion: gpu.example.com/v1, kind: GpuConfig, sharing: %s}
"""


def test_definitions_of_the_new_side_judge_parameters(diff: Run, tmp_path: Path) -> None:
    for folder, value in (("old", "none"), ("new", "some")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "crd.yaml").write_text(DEFINITION)
        (tmp_path / folder / "claim.yaml").write_text(GOOD_CLAIM + CONFIG % value)

    found = diff("old", "new").report["findings"]
    assert [(f["rule"], f["file"], f["path"]) for f in found if f["rule"].startswith("DRA44")] == [
        ("DRA444", "new/claim.yaml", "spec.devices.config[0].opaque.parameters.sharing")
    ]
    assert [f["rule"] for f in diff("new", "old").report["findings"] if f["rule"].startswith("DRA44")] == []


def test_of_a_revision_only_what_differs_is_read(diff: Run, repository: Path) -> None:
    (repository / "deploy/pod.yaml").write_text(POD % "other")
    (repository / "deploy/claim.yaml").write_text(GOOD_CLAIM.replace("train", "othre"))

    found = diff("--git", "HEAD").report["findings"]
    assert [f["rule"] for f in found if f["rule"].startswith("DRA4")] == []


def test_what_git_leaves_out_is_said_where_objects_refer_to_others(run: Run, repository: Path) -> None:
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    told = "dralint: what lies between objects is left out with --git: `dralint check --changed HEAD` judges it\n"

    assert run("diff", "--git", "HEAD").stderr == told
    assert run("diff", "--git", "HEAD", "--quiet").stderr == ""
    assert run("diff", "deploy", "deploy").stderr == ""
    (repository / "deploy/claim.yaml").write_text(GOOD_CLAIM)
    (repository / "class.yaml").write_text(
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n"
    )
    assert run("diff", "--git", "HEAD").stderr == ""


LIVE = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "List",
        "items": [
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaimTemplate",
                "metadata": {"name": "one", "namespace": "default", "uid": "1", "resourceVersion": "7"},
                "spec": {"spec": {"devices": {"requests": [{"name": "gpu", "exactly": {
                    "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]}}},
            },
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "metadata": {"name": "web", "namespace": "team", "uid": "2"},
                "spec": {"serviceName": "web", "selector": {"matchLabels": {"app": "web"}}, "template": {
                    "metadata": {"labels": {"app": "web"}},
                    "spec": {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}}},
                "status": {"replicas": 1},
            },
        ],
    }
)  # fmt: skip
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
"""
STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: team}
spec:
  serviceName: other
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
"""


def changes(outcome: Outcome) -> list[tuple[str, str, int, str]]:
    return [(f["rule"], f["path"], f["line"], f["message"]) for f in outcome.report["findings"]]


def test_a_live_object_refuses_what_cannot_change(diff: Run, workdir: Path) -> None:
    (workdir / "live.json").write_text(LIVE)
    (workdir / "template.yaml").write_text(TEMPLATE.replace("gpu}}", "gpu, count: 2}}"))
    (workdir / "web.yaml").write_text(STATEFUL)
    outcome = diff("--inventory", "live.json", ".", "--exclude", "live.json")

    assert outcome.status == 1
    assert changes(outcome) == [
        (
            "DRA601",
            "spec",
            4,
            (
                "spec of a ResourceClaimTemplate cannot be changed: "
                "spec.spec.devices.requests[0].exactly.count was 1 and is 2"
            ),
        ),
        (
            "DRA601",
            "spec.serviceName",
            5,
            'serviceName of a StatefulSet cannot be changed: spec.serviceName was "web" and is "other"',
        ),
    ]


def test_what_only_the_server_writes_is_no_change(diff: Run, workdir: Path) -> None:
    (workdir / "live.json").write_text(LIVE)
    (workdir / "template.yaml").write_text(TEMPLATE)
    (workdir / "web.yaml").write_text(STATEFUL.replace("other", "web"))

    assert changes(diff("--inventory", "live.json", "template.yaml", "web.yaml")) == []


def test_an_object_in_another_namespace_is_a_new_one(diff: Run, workdir: Path) -> None:
    (workdir / "live.json").write_text(LIVE)
    (workdir / "web.yaml").write_text(STATEFUL.replace("namespace: team", "namespace: else"))

    assert changes(diff("--inventory", "live.json", "web.yaml")) == []


def test_an_inventory_needs_manifests_and_is_the_only_old_side(run: Run, workdir: Path) -> None:
    (workdir / "live.json").write_text(LIVE)

    assert "give the manifests" in run("diff", "--inventory", "live.json").stderr
    assert "two old sides" in run("diff", "--inventory", "live.json", "--git", "HEAD").stderr
    assert "'no.yaml' does not exist" in run("diff", "--inventory", "live.json", "no.yaml").stderr


def test_check_of_what_has_changed_reports_the_changes_that_the_server_refuses(run: Run, repository: Path) -> None:
    git(repository, "branch", "-M", "main")
    (repository / "deploy/claim.yaml").write_text(CHANGED)
    (repository / "new.yaml").write_text(GOOD_CLAIM.replace("train", "new"))

    (finding,) = run("check", "--changed", "--format", "json").report["findings"]
    assert (finding["rule"], finding["file"], finding["severity"]) == ("DRA601", "deploy/claim.yaml", "error")
    assert finding["related"][0]["file"].endswith(":deploy/claim.yaml")
    assert 'was "gpu.example.com" and is "fpga.example.com"' in finding["message"]
    assert "deviceClassName: fpga.example.com" in run("check", "--changed").stdout
    assert run("check", "new.yaml", "--changed", "--format", "json").report["findings"] == []
    assert run("check", "--changed", "--ignore", "DRA601", "--format", "json").report["findings"] == []
    assert run("check", "--format", "json").report["findings"] == []
