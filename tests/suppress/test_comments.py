"""Comments that suppress findings: what they cover, and the findings on comments without an effect."""

from __future__ import annotations

from pathlib import Path

import pytest

import dralint
from tests.conftest import Run

HEAD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
  namespace: team-a
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu_a
        selectors:
        - cel:
            expression: >-
              device.drivr == "a" ||
              device.drivr == "b"
    constraints:
    - requests: [gpux]
      matchAttribute: a.example.com/x
"""


def rules_of(text: str) -> list[tuple[str, int]]:
    report = dralint.lint_text(text)
    assert report.failures == []
    return [(finding.rule, finding.line) for finding in report.findings]


ALL = [("DRA202", 11), ("DRA302", 15), ("DRA302", 16), ("DRA203", 18)]


def test_a_suppression_in_another_document_does_not_count() -> None:
    text = f"# dralint: ignore[DRA202] the first\n{HEAD}---\n{HEAD}"

    assert [rule for rule in rules_of(text) if rule[0] == "DRA202"] == [("DRA202", 32)]


def test_a_comment_at_the_end_of_a_document_covers_the_object_of_the_next_one() -> None:
    text = f"{HEAD}# dralint: ignore[DRA2] the second\n---\n# nothing here\n---\n{HEAD}"

    assert rules_of(text) == [*ALL, ("DRA302", 38), ("DRA302", 39)]


@pytest.mark.parametrize(
    ("comment", "rule", "message", "fixed"),
    [
        ("# dralint: ignore[DRA204] never", "DRA090", "DRA204 finds nothing here", ""),
        ("# dralint: ignore[DRA204, DRA202]", "DRA090", "DRA204 finds nothing here", "DRA202"),
        ("# dralint: ignore[DRA999]", "DRA091", 'no rule has the id, prefix or name "DRA999"', None),
        (
            "# dralint:ignore DRA202 old name",
            "DRA092",
            "this comment suppresses nothing: it is not of the form `# dralint: ignore[RULE] reason`",
            "# dralint: ignore[DRA202] old name",
        ),
        ("# dralint: disable", "DRA092", "this comment suppresses nothing: it names no rule", None),
        (
            "# dralint: ignore-file[DRA202]",
            "DRA092",
            "this comment suppresses nothing: `ignore-file` must be before the first object of the file",
            None,
        ),
    ],
)
@pytest.mark.slow
def test_a_comment_that_does_nothing_is_told(comment: str, rule: str, message: str, fixed: str | None) -> None:
    lines = HEAD.splitlines()
    lines[10] += f"  {comment}"
    report = dralint.lint_text("\n".join(lines) + "\n")
    (found,) = [finding for finding in report.findings if finding.rule == rule]

    assert (found.message, found.line, found.column, found.effect) == (message, 11, 33, "tool")
    assert found.severity == "warning"
    assert (None if found.fix is None else found.fix.edits[0].text) == fixed


def test_a_fix_of_a_comment_leaves_the_line() -> None:
    text = HEAD.replace("namespace: team-a", "namespace: team-a  # dralint: ignore[DRA201]")
    (found,) = [finding for finding in dralint.lint_text(text).findings if finding.rule == "DRA090"]
    assert found.fix is not None
    (edit,) = found.fix.edits

    assert text[: edit.start] + edit.text + text[edit.end :] == HEAD


def test_what_is_asked_for_of_a_file_decides_what_is_unused(run: Run, tmp_path: Path) -> None:
    lines = HEAD.splitlines()
    lines[10] += "  # dralint: ignore[DRA202, DRA31]"
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    config = tmp_path / ".dralint.yaml"
    config.write_text("overrides: [{paths: other/, ignore: DRA31}]\n")
    arguments = ("check", "--format", "concise", "--config", str(config), str(tmp_path / "a.yaml"))
    assert ":11:33: warning DRA090 DRA31 finds nothing here (" in run(*arguments).stdout

    config.write_text("overrides: [{paths: '*.yaml', ignore: DRA31}]\n")
    assert "DRA090" not in run(*arguments).stdout


def test_a_rule_that_is_not_asked_for_is_not_unused(check: Run, workdir: Path) -> None:
    (workdir / "claim.yaml").write_text(HEAD.replace("gpu_a", "gpu-a  # dralint: ignore[DRA202]"))

    assert "DRA090" in [rule for rule, *_ in check("claim.yaml").findings]
    assert "DRA090" not in [rule for rule, *_ in check("--ignore", "DRA202", "claim.yaml").findings]


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_lines_are_counted_as_yaml_counts_them(ends: str) -> None:
    text = HEAD.replace("gpu_a", "gpu_a  # dralint: ignore[DRA202]").replace("\n", ends)

    assert rules_of(text) == ALL[1:]


def test_comments_are_written_above_what_is_found(run: Run, workdir: Path) -> None:
    (workdir / "claim.yaml").write_text(HEAD)
    outcome = run("check", "--add-ignore=until the classes are renamed", "claim.yaml")
    lines = Path("claim.yaml").read_text().splitlines()

    assert (outcome.status, outcome.stdout) == (0, "1 file changed\n")
    assert lines[10] == "        # dralint: ignore[DRA202] until the classes are renamed"
    assert lines[14] == "            # dralint: ignore[DRA302] until the classes are renamed"
    assert lines[15] == "            expression: >-"
    assert rules_of("\n".join(lines) + "\n") == []
    assert [line for line in lines if "dralint" not in line] == HEAD.splitlines()


def test_json_cannot_carry_comments(run: Run, workdir: Path) -> None:
    text = '{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "A_"}, "spec": {}}'
    (workdir / "class.json").write_text(text)
    outcome = run("check", "--add-ignore", "class.json")

    assert outcome.stdout == "0 files changed; 1 finding is in a file that cannot carry comments\n"
    assert Path("class.json").read_text() == text
