"""`dralint upgrade`: what changes for manifests between two releases, as text and as JSON with a schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.finding.report import Report
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions
from dralint.report import Style
from dralint.upgrade.plan import UpgradePlan, Usable, render
from tests.conftest import Run

SCHEMA = Path(__file__).parents[2] / "dralint" / "upgrade" / "upgrade.schema.json"
CLAIM = """\
apiVersion: resource.k8s.io/{version}
kind: ResourceClaim
metadata:
  name: {name}
spec:
  devices:
    requests:
    - name: gpu
      {fields}
"""
FLAT = "deviceClassName: a"
NESTED = "exactly: {deviceClassName: a}"


def claim(name: str, version: str = "v1beta1", fields: str = FLAT) -> str:
    return CLAIM.format(name=name, version=version, fields=fields)


@pytest.fixture
def report(run: Run) -> Any:
    """Return a function that runs `dralint upgrade --format json` over documents, and holds it against the schema."""

    def call(before: str, after: str, *documents: str, status: int = 0, more: tuple[str, ...] = ()) -> dict[str, Any]:
        done = run(
            "upgrade", "--from", before, "--to", after, "--format", "json", *more, "-", stdin="---\n".join(documents)
        )
        assert done.status == status, done.stderr
        Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(done.report)
        return done.report

    return call


def rows(entries: list[dict[str, Any]], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(entry["object"]["name"] if key == "name" else entry[key] for key in keys) for entry in entries]


def test_an_api_version_that_ends(report: Any) -> None:
    found = report("1.33", "1.36", claim("old", "v1alpha3"), claim("new", "v1beta2", NESTED), status=1)
    assert found["steps"] == ["1.33", "1.34", "1.35", "1.36"]
    assert rows(found["ends"], "name", "line", "endsIn", "announced", "common") == [
        ("old", 1, "1.34", False, "resource.k8s.io/v1beta2"),
        ("new", 11, "1.39", True, "resource.k8s.io/v1beta2"),
    ]
    assert found["refused"] == []
    assert rows(found["migrate"], "name", "line", "apiVersion") == [
        ("old", 1, "resource.k8s.io/v1"),
        ("new", 11, "resource.k8s.io/v1"),
    ]


def test_what_becomes_deprecated_has_the_release_on_the_way(report: Any) -> None:
    found = report("1.33", "1.36", claim("a"), status=1)
    assert rows(found["deprecated"], "rule", "name", "release") == [("DRA503", "a", "1.35")]
    assert rows(found["ends"], "endsIn", "announced") == [("1.38", True)]


def test_what_only_the_source_refuses(report: Any) -> None:
    found = report("1.33", "1.34", claim("a", "v1", NESTED))
    assert rows(found["accepted"], "rule", "release", "path") == [("DRA501", "1.34", "apiVersion")]
    assert (found["refused"], found["ends"], found["migrate"]) == ([], [], [])


def test_what_only_the_target_refuses(report: Any) -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n"
        "  - {name: gpu, source: {resourceClaimName: c}}\n  containers: [{name: c, image: i}]\n"
    )
    found = report("1.30", "1.31", pod, status=1)
    assert {row[:2] for row in rows(found["refused"], "path", "release")} == {
        ("spec.resourceClaims[0].source", "1.31"),
    }
    assert rows(found["migrate"], "name", "apiVersion") == [("p", "v1")]


def test_fields_that_a_gate_no_longer_removes(report: Any) -> None:
    alternatives = "exactly: {deviceClassName: a, adminAccess: true}"
    found = report("1.33", "1.34", claim("a", "v1beta2", alternatives), status=1)
    path = "spec.devices.requests[0].exactly.adminAccess"
    assert rows(found["kept"], "rule", "path", "release") == [("DRA502", path, "1.34")]
    gates = ("--feature-gates", "DRAAdminAccess=true")
    found = report("1.33", "1.34", claim("a", "v1beta2", alternatives), status=1, more=gates)
    assert found["kept"] == []


def test_a_version_that_stays_off_by_default_stands_in_the_way_where_another_is_on(report: Any) -> None:
    found = report("1.33", "1.34", claim("a"), status=1)
    assert rows(found["enable"], "rule", "path", "release", "line") == [("DRA510", "apiVersion", "1.34", 1)]
    found = report("1.33", "1.37", claim("a"), status=1)
    assert rows(found["enable"], "rule", "path", "line") == [("DRA503", "apiVersion", 1)]
    assert report("1.32", "1.33", claim("a"))["enable"] == []


def test_fields_that_become_usable(report: Any) -> None:
    found = report("1.33", "1.36", claim("a"), status=1)
    usable = {(row["kind"], row["path"]): row["release"] for row in found["usable"]}
    assert usable[("ResourceClaim", "spec.devices.requests[].firstAvailable")] == "1.34"
    assert usable[("ResourceClaim", "spec.devices.requests[].exactly.capacity")] == "1.36"
    assert ("ResourceClaim", "spec.devices.requests[].exactly.deviceClassName") not in usable
    assert {kind for kind, _ in usable} == {"ResourceClaim"}


def test_what_is_refused_before_and_afterwards_is_counted(report: Any) -> None:
    found = report("1.33", "1.36", claim("a", fields="deviceClasName: a"))
    assert (found["refused"], found["summary"]["refusedBefore"]) == ([], 1)


def test_objects_that_migrate_leaves_alone(report: Any) -> None:
    old = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: b}\n"
    )
    found = report("1.30", "1.34", old, status=1)
    assert rows(found["leftAlone"], "rule", "name", "line") == [("DRA508", "a", 1)]
    assert rows(found["ends"], "endsIn", "common") == [("1.31", None)]


def test_nothing_stands_in_the_way(run: Run) -> None:
    done = run("upgrade", "--from", "1.35", "--to", "1.36", "-", stdin=claim("a", "v1", NESTED))
    assert done.status == 0
    assert done.stdout.startswith("from 1.35 to 1.36\n\nfields that 1.36 has and 1.35 does not: ")
    assert done.stdout.endswith("\n1 file, 1 object: nothing stands in the way of the upgrade\n")


def test_each_end_is_told_once_and_counted_as_it_is_told(run: Run) -> None:
    texts = (claim("old", "v1alpha3"), claim("a"), claim("b"), claim("new", "v1", NESTED))
    done = run("upgrade", "--from", "1.33", "--to", "1.36", "-", stdin="---\n".join(texts))

    assert "objects in API versions that 1.36 no longer serves: 1\n" in done.stdout
    assert (
        "objects in API versions that end after 1.36: 2\n"
        "  resource.k8s.io/v1beta1 is not served from 1.38 on\n"
        "      resource.k8s.io/v1 is served from 1.34 on: change over when no cluster runs 1.33 any more; "
        "resource.k8s.io/v1beta2 is the newest that all of 1.33 to 1.36 serve\n"
        "      <stdin>:11:13: ResourceClaim a\n"
        "      <stdin>:21:13: ResourceClaim b\n\n"
    ) in done.stdout
    assert "deprecated" not in done.stdout
    assert done.stdout.endswith(
        "1 file, 4 objects: 1 object in API versions that 1.36 no longer serves, "
        "2 objects in API versions that are off by default; "
        "2 objects in API versions that end later\n"
    )


@pytest.mark.parametrize("release", ApiVersions().known[1:])
@pytest.mark.slow
def test_every_step_has_a_report(run: Run, release: Release) -> None:
    before = f"{release.major}.{release.minor - 1}"
    done = run("upgrade", "--from", before, "--to", str(release), "--format", "json", "-", stdin=claim("a"))
    assert done.report["steps"] == [before, str(release)]


POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: slices}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [resource.k8s.io], apiVersions: [v1beta1], operations: [CREATE], resources: [resourceslices]}
  validations: [{expression: "true"}]
"""


def test_a_policy_that_sees_nothing_any_more_works_no_longer(report: Any, run: Run) -> None:
    (entry,) = report("1.33", "1.36", POLICY)["broken"]

    assert (entry["rule"], entry["line"], entry["release"]) == ("DRA440", 7, "1.34")
    assert report("1.34", "1.36", POLICY)["broken"] == []  # it sees nothing before, either
    done = run("upgrade", "--from", "1.33", "--to", "1.34", "-", stdin=POLICY)
    assert done.status == 0
    assert "\nworks in 1.33, but no longer in 1.34: 1\n" in done.stdout
    assert done.stdout.endswith("\n1 file, 1 object: 1 no longer working\n")


@pytest.mark.slow
def test_what_blocks_the_upgrade_stands_first_and_what_does_no_harm_is_short(run: Run) -> None:
    texts = [claim(f"new-{number}", "v1", NESTED) for number in range(20)] + [claim("old", "v1alpha3")]

    shown = run("upgrade", "--from", "1.33", "--to", "1.34", "-", stdin="---\n".join(texts)).stdout

    assert shown.splitlines()[2:5] == [
        "objects in API versions that 1.34 no longer serves: 1",
        "  resource.k8s.io/v1alpha3 is not served from 1.34 on",
        "      every release on the way serves resource.k8s.io/v1beta2: migrate before the upgrade",
    ]
    assert (
        "\n1.34 takes what 1.33 refuses: 20\n"
        "  ResourceClaim of resource.k8s.io/v1 is not served before 1.34\n"
        "      <stdin>:1:13: ResourceClaim new-0\n"
        "      <stdin>:11:13: ResourceClaim new-1\n"
        "      <stdin>:21:13: ResourceClaim new-2\n"
        "      and 17 more (--format json)\n"
    ) in shown


def test_lines_are_broken_between_words_and_coloured_in_a_terminal() -> None:
    out = UpgradePlan("1.33", "1.34", [Release(1, 33), Release(1, 34)], Report(files=1, objects=1))
    path = "spec.devices.requests[].exactly.aFieldName"
    out.usable = [Usable("ResourceClaim", path, Release(1, 34)), Usable("ResourceClaim", "spec.x", Release(1, 34))]

    assert render(out, Style(width=50)).splitlines()[2:6] == [
        "fields that 1.34 has and 1.33 does not: 2",
        "  ResourceClaim, from 1.34:",
        f"    {path},",
        "    spec.x",
    ]
    assert "\x1b[1;94mfields that 1.34 has and 1.33 does not: 2\x1b[0m\n" in render(out, Style(color=True))


def test_known_faults_that_begin_and_end_with_the_upgrade(report: Any) -> None:
    role = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: scheduler}\nrules:\n"
        "- {apiGroups: [resource.k8s.io], resources: [resourceclaims/status], verbs: [update]}\n"
    )
    found = report("1.35", "1.36", role)
    assert rows(found["broken"], "rule", "path", "release") == [("DRA901", "rules[0].resources", "1.36")]

    alternatives = (
        "firstAvailable: [{name: big, deviceClassName: big.example.com}, "
        "{name: all, deviceClassName: gpu.example.com, allocationMode: All}]"
    )
    shared = claim("a", "v1", alternatives)
    found = report("1.35", "1.36", shared)
    path = "spec.devices.requests[0].firstAvailable[1].allocationMode"
    assert rows(found["mended"], "rule", "path", "release") == [("DRA901", path, "1.36")]


ALL = """\
firstAvailable:
      - {name: one, deviceClassName: a}
      - {name: all, deviceClassName: a, allocationMode: All}"""
RULE = """\
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: drain}
spec: {taint: {key: example.com/broken, effect: NoSchedule}}
"""


def test_patches_decide_which_known_faults_an_upgrade_mends_and_brings(run: Run) -> None:
    def said(before: str, after: str, text: str) -> str:
        return run("upgrade", "--from", before, "--to", after, "-", stdin=text).stdout

    mended = said("1.37.0", "1.37.1", RULE)
    assert mended.startswith("from 1.37.0 to 1.37.1\n")
    assert "known faults of 1.37.0 that 1.37.1 does not have: 1\n" in mended
    assert "kubernetes#141620" in mended
    assert "kubernetes#137347" in said("1.35.1", "1.36.0", claim("c", "v1", ALL))
    assert "kubernetes#137347" not in said("1.36.0", "1.36.1", claim("c", "v1", ALL))
