"""Whatever the input, there is a finding or a clear sentence, and never a traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import resource
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import jsonschema
import pytest

import dralint.report
from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Outcome, Run

REPORT_SCHEMA = json.loads((Path(dralint.report.__file__).parent / "report.schema.json").read_text())


pytestmark = pytest.mark.usefixtures("workdir")


def told(outcome: Outcome, rule: str) -> list[tuple[str, str, str, str]]:
    """Return file, effect, severity and message of the findings of a rule."""
    found = (finding for finding in outcome.report["findings"] if finding["rule"] == rule)
    return [(f["file"], f["effect"], f["severity"], f["message"]) for f in found]


@pytest.mark.parametrize(
    ("name", "raw", "what"),
    [
        ("claim.yaml.gz", gzip.compress(BAD_CLAIM.encode(), mtime=0), "gzip; unpack it first"),
        ("claim.bz2", bz2.compress(BAD_CLAIM.encode()), "bzip2; unpack it first"),
        ("claim.xz", lzma.compress(BAD_CLAIM.encode()), "xz; unpack it first"),
        ("image", bytes(range(256)) * 100, "zero bytes; text is UTF-8"),
        ("claim.txt", "kind: Secret".encode("utf-16-le"), "zero bytes; text is UTF-8"),
    ],
)
def test_a_named_file_that_is_no_text_is_told_as_left_out(run: Run, name: str, raw: bytes, what: str) -> None:
    Path(name).write_bytes(raw)
    Path("good.yaml").write_text(GOOD_CLAIM)
    phrase = f"{name} is left out: it is not text ({what})"

    alone = run("check", name)
    assert (alone.status, alone.stdout) == (0, f"warning: no DRA objects in 1 file; {phrase}\n")
    assert run("check", name, "good.yaml").stdout == f"2 files, 1 object: no findings; {phrase}\n"
    as_json = run("check", "--format", "json", name)
    assert as_json.report["summary"]["skipped"] == [{"file": name, "document": 0, "reason": f"it is not text ({what})"}]
    assert phrase in as_json.stderr
    assert phrase in run("fix", name).stderr
    assert phrase in run("migrate", "--to", "v1", name).stderr
    assert run("check", "-", "--stdin-filename", name, stdin=raw).stdout == alone.stdout


def test_archives_hold_their_files_uncompressed(run: Run) -> None:
    Path("claim.yaml").write_text(BAD_CLAIM)
    with tarfile.open("claims.tar", "w") as tar:
        tar.add("claim.yaml")
    with zipfile.ZipFile("claims.zip", "w") as archive:
        archive.write("claim.yaml")

    assert run("check", "claims.tar", "claims.zip").stdout == (
        "warning: no DRA objects in 2 files; claims.tar is left out: it is not text (tar; unpack it first); "
        "claims.zip is left out: it is not text (zip; unpack it first)\n"
    )


def test_text_with_a_zero_byte_in_it_is_judged(check: Run) -> None:
    Path("claim.yaml").write_text(GOOD_CLAIM.replace("name:", "name: \0", 1))

    assert told(check("claim.yaml"), "DRA002")[0][3] == "the character U+0000 is not allowed in YAML"


@pytest.mark.parametrize(
    ("raw", "message", "line"),
    [
        (b"a: 1\n---\nkind: [\n", "the inventory cannot be read here: ", 3),
        (gzip.compress(b"kind: ResourceSlice\n", mtime=0), "cannot be read: it is not text (gzip; unpack it first)", 1),
    ],
)
def test_an_inventory_that_cannot_be_read_is_no_empty_one(check: Run, raw: bytes, message: str, line: int) -> None:
    Path("claim.yaml").write_text(GOOD_CLAIM)
    Path("cluster").write_bytes(raw)
    outcome = check("--slices", "cluster", "claim.yaml")

    assert outcome.status == 3
    (finding,) = [f for f in outcome.report["findings"] if f["rule"] == "DRA013"]
    assert (finding["file"], finding["line"]) == ("cluster", line)
    assert finding["message"].startswith(message)


def test_a_binary_file_without_manifests_is_passed_over(check: Run) -> None:
    Path("image.yaml").write_bytes(bytes(range(256)) * 100)

    assert check("image.yaml").status == 0


def test_a_binary_file_that_speaks_of_claims_is_unreadable(check: Run) -> None:
    Path("image.yaml").write_bytes(b"kind: ResourceClaim\n" + bytes(range(256)))
    outcome = check("image.yaml")

    assert outcome.status == 1
    assert outcome.findings == [("DRA001", "", 10, 2)] or outcome.findings[0][0] in ("DRA001", "DRA002")


def test_invalid_utf8_is_a_finding_at_its_byte(check: Run) -> None:
    Path("latin1.yaml").write_bytes(b"kind: ResourceClaim\nmetadata: {name: caf\xe9}\n---\n" + BAD_CLAIM.encode())
    outcome = check("latin1.yaml")

    assert outcome.status == 1
    assert outcome.findings[0] == ("DRA001", "", 2, 21)
    assert ("DRA101", "spec.devices.requests[0].exactly.deviceClasName", 14, 9) in outcome.findings


@pytest.mark.slow
def test_one_line_of_100_megabytes_is_refused_quickly(check: Run) -> None:
    with Path("long.yaml").open("wb") as file:
        file.write(b"kind: ResourceClaim\nspec: '")
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    started = time.process_time()
    outcome = check("long.yaml")

    assert outcome.status == 1
    assert outcome.findings == [("DRA011", "", 1, 1)]
    assert time.process_time() - started < 15  # about one second on an idle processor


def test_no_memory_is_needed_for_an_alias_bomb(check: Run) -> None:
    lines = ["kind: ResourceClaim", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    Path("bomb.yaml").write_text("\n".join(lines) + "\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = check("bomb.yaml")

    assert outcome.status == 1
    assert outcome.findings[0][0] == "DRA007"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, '{"a":' * 100_000])
@pytest.mark.slow
def test_nesting_without_end_is_a_finding(check: Run, text: str) -> None:
    Path("deep.yaml").write_text("# ResourceClaim\n" + text + "\n")
    outcome = check("deep.yaml")

    assert outcome.status == 1
    assert outcome.findings[0][0] in ("DRA002", "DRA008", "DRA011")


def test_control_characters_never_reach_the_terminal(run: Run) -> None:
    Path("esc\x1b[31m.yaml").write_text(BAD_CLAIM.replace("train", '"\\e]0;x\\a\u202e"'))
    outcome = run("check", ".", "nix\x1b[0m")

    assert outcome.status == 2
    assert "\x1b" not in outcome.stdout + outcome.stderr
    assert "\x07" not in outcome.stdout
    assert "\u202e" not in outcome.stdout
    assert "esc␛[31m.yaml" in outcome.stdout


def test_a_lone_surrogate_reads_as_a_replacement_character(check: Run, run: Run) -> None:
    Path("surrogate.json").write_text('{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "\\ud800": 1}')
    outcome = check("surrogate.json")

    assert outcome.status == 1
    assert "DRA101" in {finding[0] for finding in outcome.findings}
    assert {"\ufffd", "metadata.name"} >= {finding[1] for finding in outcome.findings}
    assert run("check", "surrogate.json").status == 1


def test_a_directory_that_cannot_be_listed_leaves_the_others(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    Path("closed").mkdir()
    Path("bad.yaml").write_text(BAD_CLAIM)
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", refuse)
    outcome = check()

    assert outcome.status == 3
    assert outcome.stderr == ""
    assert told(outcome, "DRA013") == [("closed", "tool", "error", "cannot be listed: Permission denied")]
    assert {finding["file"] for finding in outcome.report["findings"]} == {"bad.yaml", "closed"}


def test_a_bug_in_judging_one_file_is_a_failure_and_hides_no_other(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from dralint.lint.linter import Linter

    Path("broken.yaml").write_text(GOOD_CLAIM)
    Path("bad.yaml").write_text(BAD_CLAIM)
    judge = Linter.check

    def stumble(self: Linter, name: str, raw: bytes, *, alone: bool, searching: bool) -> object:
        if name == "broken.yaml":
            raise KeyError("surprise")
        return judge(self, name, raw, alone=alone, searching=searching)

    monkeypatch.setattr(Linter, "check", stumble)
    outcome = check(".")

    assert outcome.status == 3
    assert outcome.stderr == ""
    ((file, effect, severity, message),) = told(outcome, "DRA099")
    assert (file, effect, severity) == ("broken.yaml", "tool", "error")
    assert re.fullmatch(
        r"internal error: KeyError: 'surprise' \(stumble, test_bad_input.py:\d+\); please report it with the manifest",
        message,
    )
    assert {finding["file"] for finding in outcome.report["findings"]} == {"bad.yaml", "broken.yaml"}


def test_a_bug_in_judging_one_document_leads_to_its_line(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(releases: object, item: object, telling: str) -> object:
        raise KeyError("surprise")

    monkeypatch.setattr("dralint.lint.linter.judge_object", stumble)
    Path("two.yaml").write_text(f"a: 1\n---\n{GOOD_CLAIM}")
    outcome = check("two.yaml", "--fail-on", "never")
    (finding,) = outcome.report["findings"]

    assert outcome.status == 3
    assert (finding["rule"], finding["document"], finding["line"]) == ("DRA099", 1, 3)
    assert finding["message"].startswith(
        "internal error in document 1: KeyError: 'surprise' (stumble, test_bad_input.py:"
    )


def test_a_file_that_cannot_be_opened_is_shown_in_every_format(
    run: Run, check: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, *arguments: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("dralint.files.source.open", refuse, raising=False)
    Path("closed.yaml").write_text(GOOD_CLAIM)
    shown = run("check", "closed.yaml")
    outcome = check("closed.yaml")

    assert (shown.status, shown.stderr) == (3, "")
    assert shown.stdout == (
        "closed.yaml:1:1  error  DRA013 unopened-file\n"
        "  cannot be read: Permission denied\n"
        "     = no verdict of Kubernetes\n"
        "\n"
        "1 file, 0 objects: 1 error\n"
    )
    assert outcome.status == 3
    assert outcome.report["summary"]["errors"] == 1
    jsonschema.validate(outcome.report, REPORT_SCHEMA)


@pytest.mark.parametrize("options", [["--ignore", "DRA013"], ["--select", "DRA1"]])
def test_a_failure_that_the_report_must_not_show_goes_to_standard_error(
    check: Run, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    def refuse(path: str, *arguments: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("dralint.files.source.open", refuse, raising=False)
    Path("closed.yaml").write_text(GOOD_CLAIM)
    outcome = check("closed.yaml", *options)

    assert (outcome.status, outcome.findings) == (3, [])
    assert outcome.stderr == "dralint: closed.yaml: cannot be read: Permission denied\n"


@pytest.mark.slow
def test_a_reader_that_stops_early_meets_no_traceback() -> None:
    Path("bad.yaml").write_text("---\n".join([BAD_CLAIM] * 2000))
    command = f"{sys.executable} -m dralint check --format json bad.yaml | head -c 100"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert done.stdout.startswith("{")
    assert done.stderr == ""


def test_no_more_of_a_large_pyproject_is_read_than_a_configuration_may_have(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path) -> bytes:
        raise AssertionError(f"all of {self} was read")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    Path("good.yaml").write_text(GOOD_CLAIM)
    with Path("pyproject.toml").open("wb") as file:
        file.truncate(1 << 32)

    outcome = run("check", "good.yaml")

    assert (outcome.status, outcome.stderr) == (0, "")


@pytest.mark.slow
def test_an_expression_without_an_end_is_wrong_usage() -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "dralint", "cel"], stdin=endless, capture_output=True, text=True, check=False
        )

    assert done.returncode == 2
    assert "cannot read standard input: it has more than 128 MiB" in done.stderr
