"""`dralint rules` and `dralint explain`."""

from __future__ import annotations

import json

import pytest
from conftest import Run

from dralint import catalogue


def test_rules_lists_every_rule_once(run: Run) -> None:
    outcome = run("rules")
    ids = [line[:6] for line in outcome.stdout.splitlines() if line.startswith("DRA")]

    assert outcome.status == 0
    assert ids == sorted(catalogue.rules())


def test_rules_as_json_has_what_selecting_needs(run: Run) -> None:
    rows = json.loads(run("rules", "--format", "json").stdout)
    row = next(row for row in rows if row["id"] == "DRA101")

    assert [row["id"] for row in rows] == sorted(catalogue.rules())
    assert (row["name"], row["effect"], row["severity"]) == ("unknown-field", "rejected", "error")


@pytest.mark.parametrize("topic", ["DRA101", "dra101", "unknown-field"])
def test_explain_says_what_a_rule_means(run: Run, topic: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 0
    assert outcome.stdout.startswith("DRA101 unknown-field\n\n")
    assert "\nWhy\n" in outcome.stdout
    assert "\nWhat to do\n" in outcome.stdout


def test_explain_shows_limits_of_a_field_by_release(run: Run) -> None:
    text = run("explain", "ResourceSlice.spec.devices.taints").stdout

    assert "  resource.k8s.io/v1        1.34 to 1.37    list of DeviceTaint\n" in text
    assert "  1.35 to 1.37    at most 16 entries\n" in text
    assert "  1.33, 1.34      at most 4 entries\n" in text
    assert "  1.33 to 1.35    DRADeviceTaints: alpha, off by default\n" in text
    assert "    effect, key, timeAdded, value\n" in text


def test_explain_follows_the_shape_of_each_api_version(run: Run) -> None:
    flat = run("explain", "resourceclaim.spec.devices.requests[0].deviceClassName").stdout
    nested = run("explain", "ResourceClaim.spec.devices.requests[0].exactly.deviceClassName").stdout

    assert "resource.k8s.io/v1beta1" in flat
    assert "resource.k8s.io/v1 " not in flat
    assert "resource.k8s.io/v1 " in nested
    assert "resource.k8s.io/v1beta1" not in nested
    assert "a DNS subdomain" in nested


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("unknwn-field", "there is no rule and no kind 'unknwn-field'; did you mean unknown-field?"),
        ("ResourceClam", "there is no rule and no kind 'ResourceClam'; did you mean ResourceClaim?"),
        ("ResourceClam.spec", "no release has the kind 'ResourceClam'; did you mean ResourceClaim?"),
        ("ResourceClaim.spec.devces", "ResourceClaim.spec has no field 'devces'; did you mean devices?"),
        ("ResourceClaim.kind.x", "ResourceClaim.kind has no fields"),
    ],
)
def test_explain_suggests_what_could_be_meant(run: Run, topic: str, message: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 2
    assert message in outcome.stderr


def test_every_command_has_a_help_text(run: Run) -> None:
    from dralint.cli import COMMANDS

    for name in COMMANDS:
        outcome = run(name, "--help")

        assert (outcome.status, outcome.stdout.splitlines()[0].startswith(f"Usage: dralint {name} ")) == (0, True)


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    outcome = run("chekc")

    assert outcome.status == 2
    assert "No such command 'chekc'" in outcome.stderr
