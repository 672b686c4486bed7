"""`dralint rules` and `dralint explain`."""

from __future__ import annotations

import json

import pytest
from conftest import Run
from newest import NEWEST, since

from dralint.finding import catalogue
from dralint.kubernetes.workloads import POD_SPECS


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

    assert f"  resource.k8s.io/v1        1.34 to {NEWEST}    list of DeviceTaint\n" in text
    assert f"  1.35 to {NEWEST}    at most 16 entries\n" in text
    assert "  1.33, 1.34      at most 4 entries\n" in text
    assert "  1.33 to 1.35    DRADeviceTaints: alpha, off by default\n" in text
    assert "    effect, key, timeAdded, value\n" in text


def test_explain_follows_the_shape_of_each_api_version(run: Run) -> None:
    flat = run("explain", "resourceclaim.spec.devices.requests[0].deviceClassName").stdout.partition("Elsewhere")[0]
    nested = run("explain", "ResourceClaim.spec.devices.requests[0].exactly.deviceClassName").stdout
    nested = nested.partition("Elsewhere")[0]

    assert "resource.k8s.io/v1beta1" in flat
    assert "resource.k8s.io/v1 " not in flat
    assert "resource.k8s.io/v1 " in nested
    assert "resource.k8s.io/v1beta1" not in nested
    assert "a DNS subdomain" in nested


def test_explain_says_where_other_versions_have_the_field(run: Run) -> None:
    taints = run("explain", "ResourceSlice.spec.devices.taints").stdout
    basic = run("explain", "resourceslice.spec.devices[0].basic.taints").stdout
    count = run("explain", "ResourceClaim.spec.devices.requests.count").stdout
    claim = run("explain", "Pod.spec.resourceClaims.resourceClaimName").stdout

    assert (
        "\nElsewhere\n"
        f"  resource.k8s.io/v1beta1   1.33 to {NEWEST}    ResourceSlice.spec.devices.basic.taints\n"
        "  resource.k8s.io/v1alpha3  1.33            ResourceSlice.spec.devices.basic.taints\n\n"
    ) in taints
    assert f"  resource.k8s.io/v1        1.34 to {NEWEST}    ResourceSlice.spec.devices.taints\n" in basic
    assert f"1.34 to {NEWEST}    ResourceClaim.spec.devices.requests.exactly.count\n" in count
    assert "  v1                        1.26 to 1.30    Pod.spec.resourceClaims.source.resourceClaimName\n" in claim


def test_explain_lists_the_same_fields_once(run: Run) -> None:
    text = run("explain", "DeviceClass.metadata").stdout

    assert text.count("ownerReferences") == 1
    assert (
        f"\nFields\n  v1 (1.34 to {NEWEST}), v1beta1 (1.32 to {NEWEST}), v1beta2 (1.33 to {NEWEST}),\n"
        "  v1alpha3 (1.31 to 1.33)\n" in text
    )


@pytest.mark.parametrize(
    ("topic", "lines"),
    [
        (
            "Pod.spec.resourceClaims",
            [
                f"  v1                        1.26 to {NEWEST}    list of PodResourceClaim",
                "  1.32, 1.33      DynamicResourceAllocation: beta, off by default",
                "Fields that concern claims",
                f"  v1 (1.31 to {NEWEST})",
                "    name, resourceClaimName, resourceClaimTemplateName",
                "  v1 (1.26 to 1.30)",
                "    name, source",
            ],
        ),
        ("pod.status", [f"  v1 (1.28 to {NEWEST})", "    resourceClaimStatuses"]),
        (
            "Deployment.spec.template.spec.containers[0].resources",
            [f"  apps/v1                   1.26 to {NEWEST}    ResourceRequirements"],
        ),
        ("CronJob.spec.jobTemplate.spec.template.spec.resourceClaims.name", [f"  1.26 to {NEWEST}    a DNS label"]),
        (
            "Job.spec.scheduling.resourceClaims",
            [f"  batch/v1                  {since('1.37'):<15} list of PodGroupResourceClaim"],
        ),
        (
            "PodGroup.spec.resourceClaims",
            ["  scheduling.k8s.io/v1alpha2  1.36            list of PodGroupResourceClaim"],
        ),
        ("Workload.spec.podGroupTemplates", ["    resourceClaims"]),
        *((kind, ["Fields that concern claims"]) for _, kind in POD_SPECS),
    ],
)
def test_explain_knows_what_pods_and_workloads_have_of_claims(run: Run, topic: str, lines: list[str]) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 0
    assert set(lines) <= set(outcome.stdout.splitlines())


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        (
            "Pod.spec.nodeName",
            'Pod.spec has no field "nodeName" that concerns claims; it has containers, ephemeralContainers,',
        ),
        ("Deploymnt", "there is no rule and no kind 'Deploymnt'; did you mean Deployment?"),
        ("unknwn-field", "there is no rule and no kind 'unknwn-field'; did you mean unknown-field?"),
        ("ResourceClam", "there is no rule and no kind 'ResourceClam'; did you mean ResourceClaim?"),
        ("ResourceClam.spec", 'no release has the kind "ResourceClam"; did you mean "ResourceClaim"?'),
        ("ResourceClaim.spec.devces", 'ResourceClaim.spec has no field "devces"; did you mean "devices"?'),
        ("ResourceClaim.kind.x", "ResourceClaim.kind has no fields"),
    ],
)
def test_explain_suggests_what_could_be_meant(run: Run, topic: str, message: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 2
    assert message in outcome.stderr


def test_every_command_has_a_help_text(run: Run) -> None:
    from dralint.cli.main import COMMANDS

    for name in COMMANDS:
        outcome = run(name, "--help")

        assert (outcome.status, outcome.stdout.splitlines()[0].startswith(f"Usage: dralint {name} ")) == (0, True)


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    outcome = run("chekc")

    assert outcome.status == 2
    assert "No such command 'chekc'" in outcome.stderr
