"""`dralint fix`: what it prints, what it writes, what it leaves alone, and with which exit status it ends."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from dralint.lint import pool
from tests.conftest import BAD_CLAIM, CLASS, GOOD_CLAIM, Calls, Run

GUESS = GOOD_CLAIM.replace("name: gpu\n", "name: gpu_1\n")
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: node-1
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
"""
DIFF = """\
--- a/claim.yaml
+++ b/claim.yaml
@@ -8,4 +8,4 @@
     requests:
     - name: gpu
       exactly:
-        deviceClasName: gpu.example.com
+        deviceClassName: gpu.example.com
"""


@pytest.fixture(autouse=True)
def folder(workdir: Path) -> Path:
    (workdir / "claim.yaml").write_text(BAD_CLAIM, "utf-8")
    return workdir


def test_a_diff_is_printed_and_nothing_written(folder: Path, run: Run) -> None:
    done = run("fix")

    assert (done.status, done.stdout) == (0, DIFF)
    assert done.stderr == "dralint: 1 file, 1 object: 1 finding in 1 file to fix; no findings left\n"
    assert (folder / "claim.yaml").read_text("utf-8") == BAD_CLAIM


def test_the_diff_has_colours(run: Run) -> None:
    assert "\x1b[32m+        deviceClassName: gpu.example.com\x1b[0m\n" in run("fix", "--color", "always").stdout


def test_files_that_change_are_written_and_no_others(folder: Path, run: Run) -> None:
    (folder / "good.yaml").write_text(GOOD_CLAIM, "utf-8")
    before = (folder / "good.yaml").stat()
    (folder / "claim.yaml").chmod(0o640)

    done = run("fix", "--write")

    assert (done.status, done.stdout) == (0, "")
    assert (folder / "claim.yaml").read_text("utf-8") == GOOD_CLAIM
    assert (folder / "claim.yaml").stat().st_mode & 0o777 == 0o640
    assert (folder / "good.yaml").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.slow
def test_check_names_the_files_that_would_change(folder: Path, run: Run) -> None:
    assert (run("fix", "--check").status, run("fix", "--check").stdout) == (1, "claim.yaml\n")
    run("fix", "--write")
    assert (run("fix", "--check").status, run("fix", "--check").stdout) == (0, "")


def test_guesses_are_made_only_when_asked_for(folder: Path, run: Run) -> None:
    (folder / "claim.yaml").write_text(GUESS, "utf-8")

    done = run("fix", "--write")
    assert (done.status, (folder / "claim.yaml").read_text("utf-8")) == (1, GUESS)
    assert done.stderr.endswith("1 error left (1 fixable with `dralint fix --unsafe-fixes`)\n")

    assert run("fix", "--write", "--unsafe-fixes").status == 0
    assert (folder / "claim.yaml").read_text("utf-8") == GUESS.replace("gpu_1", "gpu-1")


def test_what_is_ignored_or_suppressed_is_not_fixed(folder: Path, run: Run) -> None:
    assert run("fix", "--ignore", "DRA101").stdout == ""
    text = BAD_CLAIM.replace("gpu.example.com\n", "gpu.example.com  # dralint: ignore[DRA101] so it is\n")
    (folder / "claim.yaml").write_text(text, "utf-8")
    assert run("fix").stdout == ""


@pytest.mark.slow
def test_suppressions_of_no_use_are_removed_from_all_files_at_once(folder: Path, run: Run, calls: Calls) -> None:
    for number in range(20):
        claim = GOOD_CLAIM.replace("gpu.example.com\n", "gpu.example.com  # dralint: ignore[DRA201] no use\n")
        (folder / f"claim-{number}.yaml").write_text(claim.replace("name: ", f"name: c{number}", 1), "utf-8")
    judged = calls(pool, "judge_file")
    done = run("fix", "--write")

    assert "ignore[" not in "".join(file.read_text("utf-8") for file in folder.glob("claim-*.yaml"))
    assert "21 findings in 21 files" in done.stderr
    assert (
        max(Counter(source.name for _, source, _ in judged).values()) < 4
    )  # before, after the fixes of the file, after those of all


def test_standard_input_goes_to_standard_output(run: Run) -> None:
    assert run("fix", "-", stdin=BAD_CLAIM).stdout == GOOD_CLAIM
    assert run("fix", "-", stdin=GOOD_CLAIM).stdout == GOOD_CLAIM
    assert run("fix", "-", "--write", stdin=BAD_CLAIM).status == 2


def test_templates_and_patches_are_skipped_and_counted(folder: Path, run: Run) -> None:
    template = BAD_CLAIM.replace("spec:\n", "spec: {{ .Values.spec }}\n  x:\n")
    (folder / "claim.yaml").write_text(template, "utf-8")
    (folder / "patch.yaml").write_text(BAD_CLAIM, "utf-8")
    (folder / "kustomization.yaml").write_text("patches:\n- path: patch.yaml\n", "utf-8")

    done = run("fix", "--write")

    assert done.stderr.endswith("; 1 template and 1 patch skipped\n")
    assert (folder / "claim.yaml").read_text("utf-8") == template
    assert (folder / "patch.yaml").read_text("utf-8") == BAD_CLAIM


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha3"])
def test_an_old_api_version_is_migrated_where_all_releases_asked_for_serve_the_newer(
    folder: Path, run: Run, version: str
) -> None:
    old = GOOD_CLAIM.replace("/v1\n", f"/{version}  # old\n").replace("      exactly:\n        dev", "      dev")
    (folder / "claim.yaml").write_text(old, "utf-8")

    assert run("fix").stdout == ""
    assert run("fix", "--kubernetes-version", "1.33..1.37").stdout == ""
    assert run("fix", "--write", "--kubernetes-version", "1.34..1.37").status == 0
    assert (folder / "claim.yaml").read_text("utf-8") == GOOD_CLAIM.replace("/v1\n", "/v1  # old\n")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_loses_nothing(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, full)
    done = run("fix", "--write")

    assert done.status == 3
    assert "claim.yaml: cannot be written: No space left on device" in done.stderr
    assert (folder / "claim.yaml").read_text("utf-8") == BAD_CLAIM
    assert [path.name for path in folder.iterdir()] == ["claim.yaml"]


def test_one_file_that_cannot_be_written_does_not_stop_the_others(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.yaml").write_text(BAD_CLAIM, "utf-8")
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "claim.yaml" and allowed(path, mode))

    done = run("fix", "--write")

    assert done.status == 3
    assert "claim.yaml: cannot be written: Permission denied" in done.stderr
    assert (folder / "claim.yaml").read_text("utf-8") == BAD_CLAIM
    assert (folder / "other.yaml").read_text("utf-8") == GOOD_CLAIM


@pytest.mark.parametrize("command", [("fix",), ("migrate", "--to", "resource.k8s.io/v1beta2")])
@pytest.mark.slow
def test_two_processes_at_once_lose_nothing(folder: Path, command: tuple[str, ...]) -> None:
    text = BAD_CLAIM if command == ("fix",) else GOOD_CLAIM
    for number in range(30):
        (folder / f"{number}.yaml").write_text(text, "utf-8")
    call = [sys.executable, "-m", "dralint", command[0], "--write", *command[1:], "."]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    both = [subprocess.Popen(call, cwd=folder, env=environment, stderr=subprocess.PIPE) for _ in range(2)]
    said = [process.communicate()[1].decode() for process in both]

    wanted = GOOD_CLAIM if command == ("fix",) else GOOD_CLAIM.replace("/v1\n", "/v1beta2\n")
    assert {path.read_text("utf-8") for path in folder.glob("[0-9]*.yaml")} == {wanted}
    assert {path.suffix for path in folder.iterdir()} == {".yaml"}
    for process, stderr in zip(both, said, strict=True):
        assert process.returncode == 0 or "it has changed since it was read" in stderr, stderr


def test_names_of_other_objects_are_repaired(folder: Path, run: Run) -> None:
    claim = GOOD_CLAIM.replace("deviceClassName: gpu.example.com", "deviceClassName: gpu.exmaple.com")
    (folder / "claim.yaml").write_text(claim, "utf-8")
    (folder / "class.yaml").write_text(CLASS, "utf-8")

    done = run("fix", "--write")
    assert (folder / "claim.yaml").read_text("utf-8") == claim
    assert done.stderr.endswith("1 warning left (1 fixable with `dralint fix --unsafe-fixes`)\n")

    assert run("fix", "--write", "--complete", "--namespace", "team").status == 0
    assert (folder / "claim.yaml").read_text("utf-8") == GOOD_CLAIM


def test_a_known_class_is_no_slip_of_another(folder: Path, run: Run) -> None:
    claim = GOOD_CLAIM.replace("deviceClassName: gpu.example.com", "deviceClassName: gpu.exmaple.com")
    (folder / "claim.yaml").write_text(claim, "utf-8")
    (folder / "class.yaml").write_text(CLASS, "utf-8")

    assert run("fix", "--complete", "--unsafe-fixes", "--known-class", "gpu.exmaple.com").stdout == ""


def test_the_inventory_is_judged_by_and_not_rewritten(folder: Path, run: Run) -> None:
    (folder / "claim.yaml").write_text(GOOD_CLAIM, "utf-8")
    inventory = folder / "inventory"
    inventory.mkdir()
    text = SLICE.replace("nodeName", "NodeName")
    (inventory / "slice.yaml").write_text(text, "utf-8")

    done = run("fix", "--write", "--slices", "inventory", "claim.yaml")

    assert (done.status, done.stdout) == (0, "")
    assert (inventory / "slice.yaml").read_text("utf-8") == text


def test_several_fixes_that_do_not_go_together_are_made_in_rounds(folder: Path, run: Run) -> None:
    flat = GOOD_CLAIM.replace(
        "      exactly:\n        deviceClassName: gpu.example.com\n",
        "      deviceClassName: gpu.example.com\n      # how many\n      count: '2'\n",
    )
    (folder / "claim.yaml").write_text(flat, "utf-8")

    assert run("fix", "--write").status == 0
    assert (folder / "claim.yaml").read_text("utf-8") == GOOD_CLAIM + "        # how many\n        count: 2\n"


def test_a_value_that_would_be_refused_in_another_way_is_not_offered(folder: Path, run: Run) -> None:
    text = GOOD_CLAIM + "    constraints:\n    - matchAttribute: 1.5\n"
    (folder / "claim.yaml").write_text(text, "utf-8")

    assert run("check").stdout.endswith("1 file, 1 object: 2 errors\n")
    assert run("fix").stderr == "dralint: 1 file, 1 object: nothing to fix; 2 errors left\n"


def test_what_a_fix_brings_to_light_does_not_hold_it_back(folder: Path, run: Run) -> None:
    requests = "".join(
        f"    - name: {name}\n      exactly: {{deviceClassName: gpu.example.com}}\n"
        for name in ("a_1", "b_1", "c_1", "d_1")
    )
    head = GOOD_CLAIM.partition("    - name:")[0].replace("metadata:\n", 'metadata:\n  generation: "1"\n')
    (folder / "claim.yaml").write_text(head + requests, "utf-8")

    assert run("fix").stderr == (
        "dralint: 1 file, 1 object: 1 finding in 1 file to fix; "
        "4 errors left (4 fixable with `dralint fix --unsafe-fixes`)\n"
    )
    assert run("fix", "--unsafe-fixes").stderr == (
        "dralint: 1 file, 1 object: 4 findings in 1 file to fix, and 1 more with them; no findings left\n"
    )
    assert run("check", "--statistics").stdout.endswith(
        "3  DRA201  dns-label   error  3 fixable\n"
        "1  DRA102  wrong-type  error  1 fixable\n\n"
        "1 file, 1 object: 4 errors (1 fixable with `dralint fix`, 3 more with `--unsafe-fixes`)\n"
    )


def test_check_says_what_is_fixable_and_how(run: Run) -> None:
    shown = run("check").stdout

    assert "error  DRA101 unknown-field  [fixable]\n" in shown
    assert shown.endswith("1 error (1 fixable with `dralint fix`)\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_other_encodings_and_line_ends_are_kept(folder: Path, run: Run, encoding: str) -> None:
    bad, good = (f"# é\n{text}".replace("\n", "\r\n").encode(encoding) for text in (BAD_CLAIM, GOOD_CLAIM))
    (folder / "claim.yaml").write_bytes(bad)

    assert run("fix", "--write").status == 0
    assert (folder / "claim.yaml").read_bytes() == good


def test_paths_that_do_not_exist_are_told(run: Run) -> None:
    assert run("fix", "none.yaml").status == 2
    assert run("fix", "--write", "--check").status == 2


@pytest.mark.parametrize("option", ["write", "unsafe-fixes"])
def test_a_configuration_cannot_have_files_written_or_guesses_made(folder: Path, run: Run, option: str) -> None:
    (folder / ".dralint.yaml").write_text(f"{option}: true\n", "utf-8")

    assert run("fix").status == 2
    assert (folder / "claim.yaml").read_text("utf-8") == BAD_CLAIM


def test_nothing_to_fix_is_said_as_such(run: Run, workdir: Path) -> None:
    (workdir / "claim.yaml").write_text(GOOD_CLAIM)

    assert run("fix").stderr == "dralint: 1 file, 1 object: nothing to fix\n"
