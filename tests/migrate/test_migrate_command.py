"""`dralint migrate`: what it prints, what it writes, and with which exit status it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dralint.files import atomic
from tests.conftest import Run
from tests.migrate.test_rewrite import CLAIM, MIGRATED

V1 = "resource.k8s.io/v1"
OLD = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\n"
DIFF = """\
--- a/{name}
+++ b/{name}
@@ -1,4 +1,4 @@
-apiVersion: resource.k8s.io/v1beta1  # the version
+apiVersion: resource.k8s.io/v1  # the version
 kind: ResourceClaim
 metadata:
   name: train
@@ -6,4 +6,5 @@
   devices:
     requests:
     - name: gpu
-      deviceClassName: gpu.example.com  # the class
+      exactly:
+        deviceClassName: gpu.example.com  # the class
"""


@pytest.fixture
def folder(workdir: Path) -> Path:
    (workdir / "deploy").mkdir()
    (workdir / "deploy" / "claim.yaml").write_text(CLAIM, "utf-8")
    (workdir / "deploy" / "done.yaml").write_text(MIGRATED, "utf-8")
    return workdir


def test_a_diff_is_printed_and_nothing_written(folder: Path, run: Run) -> None:
    done = run("migrate", "--to", V1)
    assert (done.status, done.stdout) == (0, DIFF.format(name="deploy/claim.yaml"))
    assert done.stderr == f"dralint: 2 files, 2 objects: 1 object in 1 file to migrate to {V1}\n"
    assert (folder / "deploy" / "claim.yaml").read_text("utf-8") == CLAIM


def test_the_diff_has_colours(folder: Path, run: Run) -> None:
    shown = run("migrate", "--to", V1, "--color", "always").stdout
    assert (
        "\x1b[31m-      deviceClassName: gpu.example.com  # the class\x1b[0m\n\x1b[32m+      exactly:\x1b[0m\n" in shown
    )


def test_files_that_change_are_written_and_no_others(folder: Path, run: Run) -> None:
    claim, already = folder / "deploy" / "claim.yaml", folder / "deploy" / "done.yaml"
    claim.chmod(0o640)
    before = already.stat()

    done = run("migrate", "--to", V1, "--write")

    assert (done.status, done.stdout) == (0, "")
    assert claim.read_text("utf-8") == MIGRATED
    assert claim.stat().st_mode & 0o777 == 0o640
    assert (already.stat().st_ino, already.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(path.name for path in (folder / "deploy").iterdir()) == ["claim.yaml", "done.yaml"]
    assert run("migrate", "--to", V1, "--check").status == 0


def test_check_names_what_would_change(folder: Path, run: Run) -> None:
    done = run("migrate", "--to", V1, "--check")
    assert (done.status, done.stdout) == (1, "deploy/claim.yaml\n")
    assert (folder / "deploy" / "claim.yaml").read_text("utf-8") == CLAIM


def test_copies_go_into_a_folder(folder: Path, run: Run) -> None:
    done = run("migrate", "--to", V1, "--output", "out", "deploy")
    assert done.status == 0
    assert {path.name: path.read_text("utf-8") for path in (folder / "out").iterdir()} == {
        "claim.yaml": MIGRATED,
        "done.yaml": MIGRATED,
    }
    assert (folder / "deploy" / "claim.yaml").read_text("utf-8") == CLAIM


def test_copies_need_places_of_their_own(folder: Path, run: Run) -> None:
    (folder / "claim.yaml").write_text(CLAIM, "utf-8")
    done = run("migrate", "--to", V1, "--output", "out", "deploy/claim.yaml", "claim.yaml")
    assert done.status == 2
    assert "'claim.yaml' needs its own place in 'out': 'deploy/claim.yaml' goes there too" in done.stderr
    done = run("migrate", "--to", V1, "--output", "deploy", "deploy")
    assert done.status == 2
    assert "'deploy/claim.yaml' would be written over itself; use --write for that" in done.stderr


def test_standard_input_goes_to_standard_output(run: Run) -> None:
    done = run("migrate", "--to", V1, "-", stdin=CLAIM)
    assert (done.status, done.stdout) == (0, MIGRATED)
    done = run("migrate", "--to", V1, "--check", "-", stdin=CLAIM)
    assert (done.status, done.stdout) == (1, "<stdin>\n")


def test_what_is_left_alone_is_told(folder: Path, run: Run) -> None:
    (folder / "old.yaml").write_text(OLD, "utf-8")
    done = run("migrate", "--to", V1, "--write", "old.yaml")
    assert (done.status, done.stdout) == (1, "")
    assert "old.yaml:1:13  error  DRA508 no-counterpart" in done.stderr
    assert "             kind: ResourceClaim\n             metadata:\n               name: a\n" in done.stderr
    assert done.stderr.endswith(f"0 objects in 0 files migrated to {V1}, 1 object left alone\n")
    assert (folder / "old.yaml").read_text("utf-8") == OLD


def test_templates_and_patches_are_counted(folder: Path, run: Run) -> None:
    (folder / "template.yaml").write_text(CLAIM.replace("train", "{{ .Values.name }}"), "utf-8")
    (folder / "patch.yaml").write_text(CLAIM, "utf-8")
    (folder / "kustomization.yaml").write_text("patches:\n- path: patch.yaml\n", "utf-8")
    done = run("migrate", "--to", V1, "--write", "--verbose", ".")
    assert done.status == 0
    assert (folder / "patch.yaml").read_text("utf-8") == CLAIM
    assert "dralint: patch.yaml: document 0 skipped: a patch of kustomization.yaml\n" in done.stderr
    assert done.stderr.endswith("; 1 template and 1 patch skipped\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "v3"], "--to: resource.k8s.io/v3 is none of the API versions that can be migrated to"),
        (["--to", V1, "--write", "--check"], "choose one of --write, --check and --output"),
        (["--to", V1, "-", "x.yaml"], "standard input (-) must be the only path"),
        ([], "Missing option '--to'"),
    ],
)
def test_wrong_usage(run: Run, arguments: list[str], message: str) -> None:
    done = run("migrate", *arguments)
    assert done.status == 2
    assert message in done.stderr


def test_a_path_that_does_not_exist(folder: Path, run: Run) -> None:
    done = run("migrate", "--to", V1, "nowhere", "deploy/claim.yaml")
    assert done.status == 2
    assert "dralint: the path 'nowhere' does not exist\n" in done.stderr
    assert done.stdout == DIFF.format(name="deploy/claim.yaml")


def test_a_file_that_has_changed_since_is_not_overwritten(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = folder / "deploy" / "claim.yaml"
    written = atomic.write_atomically

    def late(path: Path, content: bytes, **how: Any) -> None:
        path.write_text("# another process was faster\n", "utf-8")
        written(path, content, **how)

    monkeypatch.setattr("dralint.fix.files.write_atomically", late)
    done = run("migrate", "--to", V1, "--write", "deploy/claim.yaml")

    assert done.status == 3
    assert "deploy/claim.yaml:1:1  error  DRA013 unopened-file" in done.stderr
    assert "cannot be written: it has changed since it was read" in done.stderr
    assert claim.read_text("utf-8") == "# another process was faster\n"
    assert "0 objects in 0 files migrated" in done.stderr


def test_what_the_configuration_excludes_is_not_rewritten(folder: Path, run: Run) -> None:
    (folder / ".dralint.yaml").write_text("exclude: deploy/\nformat: json\n", "utf-8")
    assert run("migrate", "--to", V1, "--check").stdout == ""
    assert run("migrate", "--to", V1, "--check", "--no-config").stdout == "deploy/claim.yaml\n"
    assert run("upgrade", "--from", "1.33", "--to", "1.34").stdout.startswith("from 1.33 to 1.34\n")


def test_a_configuration_cannot_have_files_written(folder: Path, run: Run) -> None:
    (folder / ".dralint.yaml").write_text("write: true\n", "utf-8")
    done = run("migrate", "--to", V1)
    assert done.status == 2
    assert ".dralint.yaml:1:1: " in done.stderr
    assert (folder / "deploy" / "claim.yaml").read_text("utf-8") == CLAIM
