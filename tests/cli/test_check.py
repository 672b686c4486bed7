"""`dralint check`: options, exit status, and where reports go."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run
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


def test_output_files_get_the_report_besides(run: Run, tmp_path: Path) -> None:
    outcome = run("check", "bad.yaml", "--output-file", "json=out.json", "--output-file", "text=out.txt")

    assert outcome.status == 1
    assert json.loads((tmp_path / "out.json").read_text())["findings"][0]["file"] == "bad.yaml"
    assert (tmp_path / "out.txt").read_text() == outcome.stdout


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
