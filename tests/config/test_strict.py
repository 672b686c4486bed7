"""The profile `strict`: what never works fails a run, and other advice does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import OLD_CLAIM, Run

UNUSED = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers: [{name: c, image: i}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: a}]
"""

pytestmark = pytest.mark.usefixtures("workdir")


def severities(check: Run, *arguments: str) -> tuple[int, list[tuple[str, str, str]]]:
    outcome = check(*arguments)
    found = outcome.report["findings"]
    return outcome.status, [(one["file"], one["rule"], one["severity"]) for one in found]


@pytest.mark.parametrize("configured", [False, True])
def test_devices_that_reach_no_container_fail_a_strict_run(check: Run, configured: bool) -> None:
    Path("pod.yaml").write_text(UNUSED)
    Path(".dralint.yaml").write_text("strict: true\n" if configured else "")

    assert severities(check, *([] if configured else ["--strict"])) == (1, [("pod.yaml", "DRA705", "error")])


def test_a_deprecated_api_version_does_not_fail_a_strict_run(check: Run) -> None:
    Path("claim.yaml").write_text(OLD_CLAIM)

    assert severities(check, "--strict") == (0, [("claim.yaml", "DRA503", "warning")])


@pytest.mark.parametrize(
    ("configuration", "arguments", "status", "severity"),
    [
        ("severity: {DRA705: info}", ["--strict"], 1, "error"),
        ("severity: {unused-claim: info}", ["--strict"], 1, "error"),
        ("exit-zero: true", ["--strict"], 1, "error"),
        ("fail-on: never", ["--strict"], 1, "error"),
        ("strict: false", ["--strict"], 1, "error"),
        ("", ["--strict", "--fail-on", "never"], 0, "error"),
        ("", ["--strict", "--exit-zero"], 0, "error"),
        ("strict: true\nfail-on: never", [], 0, "error"),
        ("strict: true\nexit-zero: true", [], 0, "error"),
        ("strict: true\nseverity: {DRA705: info}", [], 0, "info"),
        ("strict: true\nseverity: {unused-claim: info}", [], 0, "info"),
        ("strict: true\nseverity: {DRA7: info}", [], 1, "error"),
    ],
)
def test_the_command_line_wins_over_a_configuration_and_its_keys_over_strict(
    check: Run, configuration: str, arguments: list[str], status: int, severity: str
) -> None:
    Path("pod.yaml").write_text(UNUSED)
    Path(".dralint.yaml").write_text(configuration)

    assert severities(check, *arguments) == (status, [("pod.yaml", "DRA705", severity)])


@pytest.mark.parametrize("arguments", [[], ["--strict"]])
def test_strict_is_about_the_run_and_a_nearer_configuration_does_not_end_it(check: Run, arguments: list[str]) -> None:
    Path("a").mkdir()
    Path("a/pod.yaml").write_text(UNUSED)
    Path("a/.dralint.yaml").write_text("strict: false\nfail-on: never\nseverity: {DRA7: info}\n")
    Path(".dralint.yaml").write_text("strict: true\n")

    assert severities(check, *arguments) == (1, [("a/pod.yaml", "DRA705", "error")])


def test_a_nearer_configuration_does_not_make_a_run_strict(check: Run) -> None:
    Path("a").mkdir()
    Path("a/pod.yaml").write_text(UNUSED)
    Path("a/.dralint.yaml").write_text("strict: true\n")

    assert severities(check, ".") == (0, [("a/pod.yaml", "DRA705", "info")])


def test_the_settings_show_what_strict_stands_for(run: Run) -> None:
    Path(".dralint.yaml").write_text("strict: true\nseverity: {DRA503: off}\n")
    shown = run("check", "--show-settings").stdout.splitlines()

    assert "fail-on: broken  (strict)" in shown
    assert f"strict: true  ({Path('.dralint.yaml').resolve()}:1)" in shown
    assert "severity: {DRA705: error, DRA706: error}  (strict)" in shown
    assert f"severity: {{DRA503: off}}  ({Path('.dralint.yaml').resolve()}:2)" in shown


def test_of_two_severities_for_one_rule_the_last_one_counts(check: Run) -> None:
    Path("pod.yaml").write_text(UNUSED)
    Path(".dralint.yaml").write_text("severity: {unused-claim: warning, DRA705: error, DRA70: info}\n")

    assert severities(check) == (1, [("pod.yaml", "DRA705", "error")])
