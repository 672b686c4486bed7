"""`dralint diff`: files, directories and revisions of git, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Outcome, Run
from tests.folders import git, write

CHANGED = GOOD_CLAIM.replace("gpu.example.com", "fpga.example.com")
UNREADABLE = "kind: ResourceClaim\n  x: [\n"


def named(name: str, text: str = GOOD_CLAIM) -> str:
    return text.replace("train", name)


def places(outcome: Outcome) -> list[tuple[str, str, int, str]]:
    return [(f["rule"], f["file"], f["line"], f["related"][0]["file"]) for f in outcome.report["findings"]]


def commit(folder: Path, files: dict[str, str | None]) -> None:
    write(folder, files)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "--allow-empty", "-m", "more")


@pytest.fixture
def repository(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(workdir, "init", "-q")
    commit(workdir, {"deploy/claim.yaml": GOOD_CLAIM, "other.yaml": named("other")})
    return workdir


pytestmark = pytest.mark.usefixtures("workdir")


@pytest.fixture
def diff(run: Run) -> Run:
    def call(*arguments: object, stdin: str = "") -> Outcome:
        return run("diff", "--format", "json", *arguments, stdin=stdin)

    return call


def test_the_first_commit_of_a_repository_has_nothing_to_be_compared_with(
    run: Run, diff: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    git(workdir, "init", "-q")
    write(workdir, {"claim.yaml": GOOD_CLAIM})
    git(workdir, "add", ".")
    outcome = diff("--git", "HEAD", "claim.yaml")

    assert (outcome.status, outcome.report["summary"]["objects"]) == (0, 1)
    assert run("check", "--changed", "--format", "json").report["summary"]["objects"] == 1


def test_a_run_says_that_nothing_differs(run: Run, repository: Path) -> None:
    assert run("diff", "--git", "HEAD").stdout == "no manifest differs from HEAD\n"
    assert run("diff", "--git", "HEAD..HEAD").stdout == "no manifest differs in HEAD..HEAD\n"
    assert run("diff", "--git", "HEAD", "--format", "json").stderr == ""


def test_of_long_texts_the_place_where_they_differ_is_shown(diff: Run, workdir: Path) -> None:
    long = (
        "device.attributes['gpu.example.com'].productName.lowerAscii() == 'a100' && device.attributes['x'].index == 6"
    )
    text = GOOD_CLAIM + f'        selectors: [{{cel: {{expression: "{long}"}}}}]\n'
    write(workdir, {"old.yaml": text, "new.yaml": text.replace("a100", "h100")})
    (finding,) = diff("old.yaml", "new.yaml").report["findings"]

    assert finding["message"] == (
        "spec of a ResourceClaim cannot be changed: spec.devices.requests[0].exactly.selectors[0].cel.expression was "
        "\"...uctName.lowerAscii() == 'a100' && device.attributes['x...\" and is "
        "\"...uctName.lowerAscii() == 'h100' && device.attributes['x...\""
    )


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("a.yaml", "b.txt", [("b.txt", "a.yaml")]),  # two files are a pair whatever they are called
        ("old", "new", [("new/sub/claim.yaml", "old/sub/claim.yaml")]),
        ("-", "b.txt", [("b.txt", "<stdin>")]),
        ("a.yaml", "a.yaml", []),
    ],
)
def test_files_are_paired_directories_by_relative_path(
    diff: Run, workdir: Path, old: str, new: str, changed: list[tuple[str, str]]
) -> None:
    write(workdir, {"a.yaml": GOOD_CLAIM, "old/sub/claim.yaml": GOOD_CLAIM, "old/same.yaml": named("same")})
    write(workdir, {"b.txt": CHANGED, "new/sub/claim.yaml": CHANGED, "new/same.yaml": named("same")})
    outcome = diff(old, new, stdin=GOOD_CLAIM)

    assert (outcome.status, places(outcome)) == (int(changed != []), [("DRA601", at, 11, of) for at, of in changed])


ODD = 'späce "x"\n.yaml'


@pytest.mark.parametrize(
    ("before", "now", "arguments", "changed"),
    [
        ({}, {"deploy/claim.yaml": CHANGED}, [], [("deploy/claim.yaml", "deploy/claim.yaml")]),
        ({}, {"deploy/claim.yaml": CHANGED}, ["--exclude", "deploy/"], []),
        ({}, {"deploy/claim.yaml": CHANGED}, ["other.yaml"], []),
        ({}, {"deploy/claim.yaml": GOOD_CLAIM.replace("\n", "\r\n")}, [], []),  # line ends of another system
        ({}, {"other.yaml": None}, ["other.yaml"], []),  # what is deleted is no finding
        # a file that is named is read whatever its suffix
        ({"claim.txt": named("text")}, {"claim.txt": named("text", CHANGED)}, ["claim.txt"], [("claim.txt",) * 2]),
        ({"claim.txt": named("text")}, {"claim.txt": named("text", CHANGED)}, [], []),
        ({ODD: named("odd")}, {ODD: named("odd", CHANGED)}, [], [(ODD, ODD)]),
        # what was moved is still an update, also into the paths
        ({}, {"deploy/claim.yaml": None, "moved.yaml": CHANGED}, [], [("moved.yaml", "deploy/claim.yaml")]),
        ({}, {"deploy/claim.yaml": None, "moved.yaml": CHANGED}, ["moved.yaml"], [("moved.yaml", "deploy/claim.yaml")]),
        # a copy into the paths does not take the place of what stayed
        ({}, {"other.yaml": named("other", CHANGED), "copy.yaml": named("other", CHANGED)}, ["copy.yaml"], []),
        # what is wrong outside of the paths is not told
        ({"broken.yaml": UNREADABLE}, {"broken.yaml": BAD_CLAIM, "new.yaml": BAD_CLAIM}, ["deploy"], []),
    ],
)
def test_the_working_tree_is_compared_with_a_revision(
    diff: Run,
    repository: Path,
    before: dict[str, str | None],
    now: dict[str, str | None],
    arguments: list[str],
    changed: list[tuple[str, str]],
) -> None:
    commit(repository, before)
    write(repository, now)

    assert places(diff("--git", "HEAD", *arguments)) == [("DRA601", at, 11, f"HEAD:{of}") for at, of in changed]


@pytest.mark.parametrize(("file", "arguments"), [("deploy/claim.yaml", []), ("moved.yaml", ["moved.yaml"])])
def test_two_revisions_are_compared(diff: Run, repository: Path, file: str, arguments: list[str]) -> None:
    commit(repository, {"deploy/claim.yaml": None, file: CHANGED})
    write(repository, {file: "not looked at"})
    outcome = diff("--git", "HEAD~1..HEAD", *arguments)

    assert places(outcome) == [("DRA601", file, 11, "HEAD~1:deploy/claim.yaml")]
    assert (outcome.report["summary"]["files"], outcome.report["summary"]["objects"]) == (1, 1)


def test_paths_are_relative_to_the_working_directory(
    diff: Run, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"deploy/claim.yaml": CHANGED, "other.yaml": named("other", CHANGED)})
    monkeypatch.chdir(repository / "deploy")

    assert places(diff("--git", "HEAD", ".")) == [("DRA601", "claim.yaml", 11, "HEAD:claim.yaml")]
    assert places(diff("--git", "HEAD", "../other.yaml")) == [("DRA601", "../other.yaml", 11, "HEAD:../other.yaml")]


def test_files_that_git_does_not_know_yet_are_judged_as_new(diff: Run, repository: Path) -> None:
    write(repository, {".gitignore": "ignored.yaml\n", "new.yaml": BAD_CLAIM, "ignored.yaml": BAD_CLAIM})
    outcome = diff("--git", "HEAD")

    assert {f["file"] for f in outcome.report["findings"]} == {"new.yaml"}
    assert "DRA101" in {f["rule"] for f in outcome.report["findings"]}


def test_programs_and_filters_that_a_repository_configures_are_not_run(diff: Run, repository: Path) -> None:
    write(repository, {".gitattributes": "*.yaml diff=x filter=x\n"})
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command"):
        git(repository, "config", name, "touch ran; false")
    for name in ("clean", "smudge", "process"):
        git(repository, "config", f"filter.x.{name}", "touch ran; false")
    (repository / "deploy/claim.yaml").touch()
    untouched = diff("--git", "HEAD")
    write(repository, {"deploy/claim.yaml": CHANGED})

    assert (untouched.status, untouched.report["findings"]) == (0, [])
    assert places(diff("--git", "HEAD")) == [("DRA601", "deploy/claim.yaml", 11, "HEAD:deploy/claim.yaml")]
    assert not (repository / "ran").exists()


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
        (["--inventory", "a.yaml"], "give the manifests"),
        (["--inventory", "a.yaml", "--git", "HEAD"], "two old sides"),
        (["--inventory", "a.yaml", "no.yaml"], "'no.yaml' does not exist"),
    ],
)
@pytest.mark.slow
def test_wrong_usage_is_said_in_one_sentence(run: Run, repository: Path, arguments: list[str], message: str) -> None:
    write(repository, {"a.yaml": GOOD_CLAIM})
    outcome = run("diff", *arguments)

    assert outcome.status == 2
    assert message in " ".join(outcome.stderr.split())


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("GIT_CEILING_DIRECTORIES", "..", "not a git repository"),
        ("PATH", ".", "the command git is needed, and is not there"),
    ],
)
def test_without_git_or_a_repository_it_is_said(
    run: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, str((workdir / value).resolve()))
    outcome = run("diff", "--git", "HEAD")

    assert outcome.status == 2
    assert message in outcome.stderr


def test_the_exit_status_follows_fail_on(diff: Run, workdir: Path) -> None:
    write(workdir, {"a.yaml": GOOD_CLAIM, "b.yaml": named("drain")})

    assert diff("a.yaml", "b.yaml").status == 0
    assert diff("a.yaml", "b.yaml", "--fail-on", "info").status == 1


def test_the_text_names_both_places_and_shows_an_old_line_that_cannot_be_read(run: Run, workdir: Path) -> None:
    write(workdir, {"a.yaml": GOOD_CLAIM, "b.yaml": CHANGED, "c.yaml": UNREADABLE})
    outcome = run("diff", "a.yaml", "b.yaml")

    assert "b.yaml:11:26  error  DRA601 immutable-field" in outcome.stdout
    assert "a.yaml:11:26: before the update" in outcome.stdout
    assert "2 |   x: [" in run("diff", "c.yaml", "b.yaml").stdout


def test_templates_and_what_cannot_be_read_do_not_stop_the_others(diff: Run, workdir: Path) -> None:
    template = "{{ if }}\nkind: ResourceClaim\n{{ end }}\n"
    for side, text in (("old", GOOD_CLAIM), ("new", CHANGED)):
        write(workdir, {f"{side}/claim.yaml": text, f"{side}/template.yaml": template, f"{side}/bad.yaml": UNREADABLE})
    outcome = diff("old", "new")

    assert [(f["rule"], f["file"]) for f in outcome.report["findings"]] == [
        ("DRA002", "new/bad.yaml"),
        ("DRA601", "new/claim.yaml"),
    ]
    assert [row["file"] for row in outcome.report["summary"]["skipped"]] == ["new/template.yaml"]


def test_documents_that_show_a_template_or_lose_objects_are_treated_as_in_check(diff: Run, workdir: Path) -> None:
    text = GOOD_CLAIM.replace("name: train", "name: {{ .Release.Name }}")
    write(workdir, {"a.yaml": "", "b.yaml": f"{text}---\n- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim}}\n"})
    outcome = diff("a.yaml", "b.yaml")

    assert [(s["document"], s["reason"]) for s in outcome.report["summary"]["skipped"]] == [
        (0, "`name: {{ .Release.Name }}` is template code")
    ]
    assert [(f["rule"], f["document"], f["path"]) for f in outcome.report["findings"]] == [("DRA012", 1, "")]


@pytest.mark.parametrize("sides", [("old", "new"), ("old/a.yaml", "new/a.yaml")])
@pytest.mark.slow
def test_an_old_file_that_cannot_be_read_is_a_finding_of_its_own(
    diff: Run, workdir: Path, sides: tuple[str, str]
) -> None:
    write(workdir, {"old/a.yaml": UNREADABLE, "new/a.yaml": GOOD_CLAIM})
    outcome = diff(*sides)
    (finding,) = outcome.report["findings"]

    assert (outcome.status, outcome.report["summary"]["files"], outcome.report["summary"]["objects"]) == (1, 1, 1)
    place = finding["rule"], finding["file"], finding["line"], finding["effect"]
    assert place == ("DRA002", "old/a.yaml", 2, "unreadable")
    assert finding["message"].endswith(" (in OLD: dralint judges its replacement as a new object)")


def test_an_old_file_that_cannot_be_read_is_no_finding_where_it_has_not_changed_or_is_not_ours(
    diff: Run, workdir: Path
) -> None:
    write(workdir, {"a.yaml": UNREADABLE, "b.yaml": f"kind: Service\n  x: [\n---\n{GOOD_CLAIM}", "c.yaml": GOOD_CLAIM})
    (finding,) = diff("a.yaml", "a.yaml").report["findings"]

    assert finding["rule"] == "DRA002"
    assert not finding["message"].endswith("judged as new)")
    assert diff("b.yaml", "c.yaml").report["findings"] == []


def test_placeholders_of_an_update_are_one_finding(diff: Run, workdir: Path) -> None:
    later = GOOD_CLAIM.replace("name: train", "name: train\n  labels: {a: '${NS} a'}")
    write(workdir, {"a.yaml": GOOD_CLAIM, "b.yaml": later})
    outcome = diff("a.yaml", "b.yaml")

    assert outcome.status == 0
    assert [(f["rule"], f["path"]) for f in outcome.report["findings"] if f["effect"] != "broken"] == [
        ("DRA704", "metadata.labels")
    ]


@pytest.fixture
def partial_clone(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clone without the texts of the first of its two commits."""
    commit(repository, {"deploy/claim.yaml": CHANGED})
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(repository, "clone", "-q", "--filter=blob:none", repository.as_uri(), str(clone))
    git(clone, "config", "remote.origin.url", "ssh://x/y")
    git(clone, "config", "core.sshCommand", f"touch {tmp_path}/ran; false")
    monkeypatch.chdir(clone)
    return clone


@pytest.mark.slow
def test_a_partial_clone_fetches_nothing_and_knows_what_has_not_changed(
    diff: Run, tmp_path: Path, partial_clone: Path
) -> None:
    outcome = diff("--git", "HEAD~1")
    failures = [(f["rule"], f["file"], f["message"]) for f in outcome.report["findings"] if f["effect"] == "tool"]

    assert outcome.status == 3
    assert [row[:2] for row in failures] == [("DRA013", "HEAD~1:deploy/claim.yaml")]
    assert failures[0][2].startswith("cannot be read: git does not have it here, and nothing is fetched (")
    assert diff("--git", "HEAD~1", "other.yaml").report["findings"] == []
    assert diff("--git", "HEAD").report["findings"] == []
    assert not (tmp_path / "ran").exists()


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(diff: Run, repository: Path) -> None:
    git(repository, "sparse-checkout", "set", "--no-cone", "other.yaml")
    write(repository, {"other.yaml": named("other", CHANGED)})

    assert not (repository / "deploy").exists()
    assert places(diff("--git", "HEAD")) == [("DRA601", "other.yaml", 11, "HEAD:other.yaml")]


def test_a_file_behind_a_link_that_took_the_place_of_its_folder_is_deleted(diff: Run, repository: Path) -> None:
    write(repository, {"deploy/claim.yaml": CHANGED})
    (repository / "deploy").rename(repository / "hidden")
    (repository / "deploy").symlink_to("hidden")

    assert places(diff("--git", "HEAD")) == [("DRA601", "hidden/claim.yaml", 11, "HEAD:deploy/claim.yaml")]


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
CONFIGURED = f"""\
{GOOD_CLAIM}    config:
    - opaque:
        driver: gpu.example.com
        parameters: {{apiVersion: gpu.example.com/v1, kind: GpuConfig, sharing: %s}}
"""


@pytest.mark.parametrize(
    ("beside", "text", "good", "bad", "found"),
    [
        (GOOD_CLAIM, POD, "train", "trian", ("DRA401", 7)),
        (DEFINITION, CONFIGURED, "none", "some", ("DRA444", 15)),
    ],
)
def test_what_lies_between_the_objects_of_the_new_side_is_judged(
    diff: Run, workdir: Path, beside: str, text: str, good: str, bad: str, found: tuple[str, int]
) -> None:
    for folder, value in (("old", good), ("new", bad)):
        write(workdir, {f"{folder}/beside.yaml": beside, f"{folder}/text.yaml": text % value})

    def between(old: str, new: str) -> list[tuple[str, str, int]]:
        findings = diff(old, new).report["findings"]
        return [(f["rule"], f["file"], f["line"]) for f in findings if f["rule"].startswith("DRA4")]

    assert between("old", "new") == [(found[0], "new/text.yaml", found[1])]
    assert between("new", "old") == []


def test_of_a_revision_only_what_differs_is_read(diff: Run, repository: Path) -> None:
    write(repository, {"deploy/pod.yaml": POD % "other", "deploy/claim.yaml": named("othre")})

    found = diff("--git", "HEAD").report["findings"]
    assert [f["rule"] for f in found if f["rule"].startswith("DRA4")] == []


def test_what_git_leaves_out_is_said_where_objects_refer_to_others(run: Run, repository: Path) -> None:
    write(repository, {"deploy/claim.yaml": CHANGED})
    told = "dralint: what lies between objects is left out with --git: `dralint check --changed HEAD` judges it\n"

    assert run("diff", "--git", "HEAD").stderr == told
    assert run("diff", "--git", "HEAD", "--quiet").stderr == ""
    assert run("diff", "deploy", "deploy").stderr == ""
    device_class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n"
    write(repository, {"deploy/claim.yaml": GOOD_CLAIM, "class.yaml": device_class})
    assert run("diff", "--git", "HEAD").stderr == ""


LIVE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: default, uid: "1", resourceVersion: "7"}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: team, uid: "2"}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
status: {replicas: 1}
"""
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
  serviceName: web
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]
      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
"""
OF_TEMPLATE = "spec.spec.devices.requests[0].exactly.count was 1 and is 2"
OF_SET = 'spec.serviceName was "web" and is "other"'


@pytest.mark.parametrize(
    ("manifest", "before", "after", "found"),
    [
        (TEMPLATE, "gpu}}", "gpu, count: 2}}", [
            ("DRA601", "spec", 4, f"spec of a ResourceClaimTemplate cannot be changed: {OF_TEMPLATE}"),
        ]),
        (STATEFUL, "serviceName: web", "serviceName: other", [
            ("DRA601", "spec.serviceName", 5, f"serviceName of a StatefulSet cannot be changed: {OF_SET}"),
        ]),
        # what only the server writes is no change, and an object in another namespace is a new one
        (TEMPLATE, "one", "one", []),
        (STATEFUL, "web", "web", []),
        (STATEFUL.replace("serviceName: web", "serviceName: other"), "namespace: team", "namespace: else", []),
    ],
)  # fmt: skip
def test_a_live_object_refuses_what_cannot_change(
    diff: Run, workdir: Path, manifest: str, before: str, after: str, found: list[tuple[str, str, int, str]]
) -> None:
    write(workdir, {"live.yaml": LIVE, "manifest.yaml": manifest.replace(before, after)})
    outcome = diff("--inventory", "live.yaml", ".", "--exclude", "live.yaml")

    assert outcome.status == int(found != [])
    assert [(f["rule"], f["path"], f["line"], f["message"]) for f in outcome.report["findings"]] == found


def test_check_of_what_has_changed_reports_the_changes_that_the_server_refuses(run: Run, repository: Path) -> None:
    git(repository, "branch", "-M", "main")
    write(repository, {"deploy/claim.yaml": CHANGED, "new.yaml": named("new")})

    (finding,) = run("check", "--changed", "--format", "json").report["findings"]
    assert (finding["rule"], finding["file"], finding["severity"]) == ("DRA601", "deploy/claim.yaml", "error")
    assert finding["related"][0]["file"].endswith(":deploy/claim.yaml")
    assert 'was "gpu.example.com" and is "fpga.example.com"' in finding["message"]
    assert "deviceClassName: fpga.example.com" in run("check", "--changed").stdout
    assert run("check", "new.yaml", "--changed", "--format", "json").report["findings"] == []
    assert run("check", "--changed", "--ignore", "DRA601", "--format", "json").report["findings"] == []
    assert run("check", "--format", "json").report["findings"] == []
