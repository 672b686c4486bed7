"""`dralint check`: options, exit status, and where reports go."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from dralint import __version__
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, OLD_CLAIM, Run
from tests.newest import NEWEST

UNKNOWN_FIELD = ("DRA101", "spec.devices.requests[0].exactly.deviceClasName", 11, 9)


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    (workdir / "good.yaml").write_text(GOOD_CLAIM)
    (workdir / "bad.yaml").write_text(BAD_CLAIM)


def test_a_good_file_ends_with_status_0(check: Run) -> None:
    outcome = check("good.yaml")

    assert outcome.status == 0
    assert outcome.findings == []
    assert outcome.report["summary"] == {
        "files": 1,
        "documents": 1,
        "objects": 1,
        "skipped": [],
        "errors": 0,
        "warnings": 0,
        "infos": 0,
        "suppressed": 0,
    }


def test_a_bad_file_ends_with_status_1_and_its_place(check: Run) -> None:
    outcome = check("bad.yaml")

    assert outcome.status == 1
    assert UNKNOWN_FIELD in outcome.findings
    assert {finding["file"] for finding in outcome.report["findings"]} == {"bad.yaml"}


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_told_in_two_words(run: Run, option: str) -> None:
    assert run(option).stdout == f"dralint {__version__}\n"


def test_the_current_directory_is_the_default(check: Run) -> None:
    outcome = check()

    assert outcome.status == 1
    assert outcome.report["summary"]["files"] == 2
    assert {finding["file"] for finding in outcome.report["findings"]} == {"bad.yaml"}


def test_standard_input_is_named_by_its_option(check: Run) -> None:
    outcome = check("-", stdin=BAD_CLAIM)
    named = check("-", "--stdin-filename", "claims/x.yaml", stdin=BAD_CLAIM)

    assert outcome.status == named.status == 1
    assert outcome.report["findings"][0]["file"] == "<stdin>"
    assert named.report["findings"][0]["file"] == "claims/x.yaml"


def test_a_missing_path_is_named_and_the_others_are_judged(check: Run) -> None:
    outcome = check("nix.yaml", "bad.yaml")

    assert outcome.status == 2
    assert outcome.stderr == "dralint: the path 'nix.yaml' does not exist\n"
    assert UNKNOWN_FIELD in outcome.findings


def test_nothing_but_missing_paths_gives_no_report(check: Run) -> None:
    outcome = check("nix.yaml")

    assert (outcome.status, outcome.stdout) == (2, "")


def test_a_file_that_cannot_be_opened_ends_with_status_3_before_all_else(
    check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *arguments: object, **options: object) -> object:
        if path == "good.yaml":
            raise PermissionError(13, "Permission denied")
        return open(path, *arguments, **options)  # type: ignore[call-overload] # noqa: PTH123

    monkeypatch.setattr("dralint.files.source.open", refuse, raising=False)
    outcome = check("good.yaml", "bad.yaml", "nix.yaml")

    assert outcome.status == 3
    assert outcome.stderr == "dralint: the path 'nix.yaml' does not exist\n"
    assert UNKNOWN_FIELD in outcome.findings
    assert ("DRA013", "", 1, 1) in outcome.findings


def test_fail_on_moves_the_threshold(check: Run) -> None:
    Path("old.yaml").write_text(OLD_CLAIM)
    severities = [finding["severity"] for finding in check("old.yaml").report["findings"]]

    assert severities == ["warning"]
    assert check("old.yaml").status == 0
    assert check("old.yaml", "--fail-on", "warning").status == 1
    assert check("old.yaml", "--fail-on", "info").status == 1
    assert check("bad.yaml", "--fail-on", "never").status == 0


def test_select_and_ignore_take_ids_prefixes_and_names(check: Run) -> None:
    assert check("bad.yaml", "--select", "unknown-field").findings == [UNKNOWN_FIELD]
    assert check("bad.yaml", "--select", "dra1").findings == [UNKNOWN_FIELD]
    assert check("bad.yaml", "--select", "DRA101,DRA2", "--ignore", "DRA2").findings == [UNKNOWN_FIELD]
    assert check("bad.yaml", "--ignore", "DRA").status == 0


def test_an_unknown_rule_is_a_usage_error_with_a_suggestion(check: Run) -> None:
    outcome = check("bad.yaml", "--select", "unkown-field")

    assert outcome.status == 2
    assert (
        "--select: no rule has the id, prefix or name 'unkown-field'; did you mean \"unknown-field\"?" in outcome.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "releases"),
    [
        ([], [NEWEST]),
        (["1.34"], ["1.34"]),
        (["v1.34"], ["1.34"]),
        (["1.34.4"], ["1.34"]),
        (["latest"], [NEWEST]),
        (["1.34..1.36"], ["1.34", "1.35", "1.36"]),
        (["1.36..1.37"], ["1.36", "1.37"]),
        (["1.35..1.36", "1.34"], ["1.34", "1.35", "1.36"]),
    ],
)
def test_kubernetes_version_chooses_the_releases_that_judge(
    check: Run, arguments: list[str], releases: list[str]
) -> None:
    options = [part for text in arguments for part in ("--kubernetes-version", text)]
    outcome = check("bad.yaml", "--select", "DRA101", *options)

    assert outcome.findings == [UNKNOWN_FIELD]
    assert outcome.report["findings"][0]["releases"] == releases


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.99", "--kubernetes-version: release 1.99 is not known; known are 1.26, 1.27, 1.28"),
        ("1.30..1.99", "--kubernetes-version: release 1.99 is not known; known are 1.26"),
        ("..", "--kubernetes-version: release '..' is not known; known are 1.26"),
        ("new", "--kubernetes-version: 'new' is not a release of Kubernetes"),
        ("1.36..1.34", "--kubernetes-version: the range '1.36..1.34' ends before it begins"),
    ],
)
def test_an_unknown_release_is_a_usage_error(check: Run, text: str, message: str) -> None:
    outcome = check("bad.yaml", "--kubernetes-version", text)

    assert outcome.status == 2
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["DRAAdminAcces=true"], "no feature gate 'DRAAdminAcces'"),
        (["DRAAdminAcces=true"], 'did you mean "DRAAdminAccess"'),
        (["DRAAdminAccess=false"], f"feature gate DRAAdminAccess is locked to true in {NEWEST}"),
        (["DRAAdminAccess"], "'DRAAdminAccess' is not of the form GATE=true or GATE=false"),
    ],
)
def test_a_wrong_feature_gate_is_a_usage_error(check: Run, arguments: list[str], message: str) -> None:
    outcome = check("bad.yaml", "--feature-gates", *arguments)

    assert outcome.status == 2
    assert message in outcome.stderr


def test_feature_gates_may_be_repeated_and_joined(check: Run) -> None:
    gates = ["--feature-gates", "AllAlpha=true,AllBeta=false", "--feature-gates", "DRAPartitionableDevices=true"]

    assert check("good.yaml", *gates).status == 0


def test_output_files_get_the_report_besides(run: Run, tmp_path: Path) -> None:
    outcome = run("check", "bad.yaml", "--output-file", "json=out.json", "--output-file", "text=out.txt")

    assert outcome.status == 1
    assert json.loads((tmp_path / "out.json").read_text())["findings"][0]["file"] == "bad.yaml"
    assert (tmp_path / "out.txt").read_text() == outcome.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("out.log", "'out.log' is not of the form FORMAT=PATH, and no format has its suffix; formats are text, "),
        ("json=", "--output-file: 'json=' is not of the form FORMAT=PATH, and no format has its suffix"),
        ("xml=out.xml", "--output-file: no format 'xml'; there are text, concise, "),
        ("serif=out.sarif", "--output-file: no format 'serif'; did you mean \"sarif\"?"),
        ("json=nix/out.json", "--output-file: the folder 'nix' does not exist"),
        ("json=.", "--output-file: '.' is a folder"),
        ("json=-", "--output-file: what goes to standard output is said with --format json"),
    ],
)
def test_a_wrong_output_file_is_a_usage_error(check: Run, text: str, message: str) -> None:
    outcome = check("bad.yaml", "--output-file", text)

    assert outcome.status == 2
    assert message in outcome.stderr
    assert not Path("-").exists()


def test_two_reports_do_not_fit_into_a_file(check: Run) -> None:
    outcome = check("bad.yaml", "--output-file", "json=out", "--output-file", "text=./out")

    assert outcome.status == 2
    assert "--output-file: './out' is named twice; a file can hold only one report" in outcome.stderr
    assert not Path("out").exists()


@pytest.mark.parametrize("arguments", [["check", "."], ["check", "linked.yaml"], ["diff", "good.yaml", "bad.yaml"]])
def test_a_report_never_replaces_what_is_read(run: Run, arguments: list[str]) -> None:
    Path("linked.yaml").symlink_to("bad.yaml")
    outcome = run(*arguments, "--output-file", "json=bad.yaml")

    assert outcome.status == 2
    assert "--output-file: 'bad.yaml' is one of the files to read; write the report elsewhere" in outcome.stderr
    assert Path("bad.yaml").read_text() == BAD_CLAIM


def test_an_earlier_report_is_replaced_even_where_it_is_read(run: Run) -> None:
    for _ in range(2):
        assert run("check", ".", "--output-file", "json=report.json").status == 1
    assert json.loads(Path("report.json").read_text())["summary"]["files"] == 3


def test_an_output_file_that_cannot_be_written_ends_with_status_3(check: Run) -> None:
    outcome = check("bad.yaml", "--output-file", "json=/dev/full")

    assert outcome.status == 3
    assert "dralint: /dev/full cannot be written: No space left on device" in outcome.stderr


def test_ignore_status_leaves_the_status_out(check: Run) -> None:
    Path("status.yaml").write_text(GOOD_CLAIM + "status:\n  reservedFor:\n  - name: x\n")

    assert {"status.reservedFor[0].resource", "status.reservedFor[0].uid"} <= {
        finding[1] for finding in check("status.yaml").findings
    }
    assert check("status.yaml", "--ignore-status").findings == []


@pytest.mark.parametrize("key", ["uid: 9b2c", "creationTimestamp: 2026-01-01T00:00:00Z", 'resourceVersion: "7"'])
def test_the_status_of_an_object_saved_from_a_cluster_was_accepted_there(check: Run, key: str) -> None:
    status = "status:\n  reservedFor:\n  - name: x\n"
    saved = GOOD_CLAIM.replace("metadata:\n", f"metadata:\n  {key}\n") + status
    assert key in saved

    assert check("-", stdin=saved).findings == []
    found = check("-", stdin=saved + "  reservedfor: []\n").report["findings"]
    assert [(one["rule"], one["path"]) for one in found] == [("DRA101", "status.reservedfor")]


def test_an_item_of_a_list_as_kubectl_writes_it_was_saved_from_a_cluster(check: Run) -> None:
    claim = GOOD_CLAIM.replace("\n", "\n  ").rstrip() + "\n  status:\n    reservedFor:\n    - name: x\n"
    items = f"apiVersion: v1\nkind: List\nitems:\n- {claim}"

    assert {rule for rule, *_ in check("-", stdin=items).findings} == {"DRA212", "DRA229"}
    assert check("-", stdin=f'{items}metadata:\n  resourceVersion: ""\n').findings == []


def test_quiet_shows_findings_alone(run: Run) -> None:
    assert run("check", "-q", "good.yaml").stdout == ""
    assert run("check", "good.yaml").stdout == "1 file, 1 object: no findings\n"
    assert run("check", "-q", "bad.yaml").stdout in run("check", "bad.yaml").stdout


def test_verbose_says_what_was_skipped(run: Run) -> None:
    Path("chart.yaml").write_text("kind: ResourceClaim\nspec: {{ .Values.spec }}\n")
    quiet = run("check", "chart.yaml")
    verbose = run("check", "-v", "chart.yaml")

    assert (quiet.status, quiet.stdout) == (0, "warning: no DRA objects in 1 file; 1 template skipped\n")
    assert verbose.stdout.startswith("chart.yaml: document 0 skipped: ")


def test_verbose_says_what_was_not_read(run: Run) -> None:
    for name in ("build/x.yaml", "deploy/a.gen.yaml", ".cache/y.yaml", "deploy/z.yaml"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(GOOD_CLAIM)
    Path(".gitignore").write_text("build/\nbad.yaml\n")
    Path("lost.yaml").symlink_to("nowhere")
    os.mkfifo("pipe.yaml")
    arguments = (".", "deploy/a.gen.yaml", "lost.y*", "--exclude", "*.gen.yaml")

    assert run("check", *arguments).stdout == "2 files, 2 objects: no findings\n"
    assert run("check", "-v", *arguments).stdout == (
        ".cache/ not read: a hidden directory\n"
        "bad.yaml not read: a .gitignore file excludes it\n"
        "build/ not read: a .gitignore file excludes it\n"
        "deploy/a.gen.yaml not read: --exclude leaves it out\n"
        "lost.yaml not read: a link that leads nowhere\n"
        "pipe.yaml not read: neither a file nor a directory\n"
        "\n"
        "2 files, 2 objects: no findings\n"
    )


def test_the_reason_for_skipping_shows_where_it_is_cut(run: Run) -> None:
    Path("chart.yaml").write_text(f"kind: ResourceClaim\nspec: {{{{ .Values.{'x' * 80} }}}}\n")

    assert f"`spec: {{{{ .Values.{'x' * 22}…` is template code\n" in run("check", "-v", "chart.yaml").stdout


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_follows_option_then_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], environment: dict[str, str], coloured: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert ("\x1b[" in run("check", "bad.yaml", *arguments).stdout) == coloured


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.slow
def test_the_report_is_the_same_for_any_number_of_jobs(check: Run, run: Run, jobs: int) -> None:
    for number in range(300):
        Path(f"{number}.yaml").write_text(BAD_CLAIM if number % 7 == 0 else GOOD_CLAIM)

    assert check("--jobs", jobs).stdout == check("--jobs", 1).stdout
    assert run("check", "-j", jobs).stdout == run("check", "-j", 1).stdout


def test_standard_input_is_read_beside_files_with_several_jobs(check: Run) -> None:
    for number in range(200):
        Path(f"{number}.yaml").write_text(GOOD_CLAIM)
    outcome = check(".", "-", "--jobs", "2", stdin=BAD_CLAIM)

    assert {finding["file"] for finding in outcome.report["findings"]} == {"<stdin>", "bad.yaml"}


def test_a_pipe_is_read_when_named(check: Run, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if os.fork() == 0:
        try:
            pipe.write_text(BAD_CLAIM)
        finally:
            os._exit(0)
    outcome = check("pipe")
    os.wait()

    assert UNKNOWN_FIELD in outcome.findings


def test_fail_on_broken_is_about_what_cannot_work(check: Run, workdir: Path) -> None:
    (workdir / "old.yaml").write_text(
        "apiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n"
    )
    (workdir / "jobset.yaml").write_text(
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
        "spec: {replicatedJobs: [{name: a, template: {spec: {template: {spec: {\n"
        "  containers: [{name: a, image: x, resources: {claims: [{name: gpu}]}}]}}}}}]}\n"
    )

    assert check("old.yaml", "--fail-on", "broken").status == 0
    assert check("jobset.yaml").status == 0
    assert check("jobset.yaml", "--fail-on", "broken").status == 1
