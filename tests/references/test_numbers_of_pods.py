"""The Pods of a workload against the devices of an inventory: too many, none to spare, none beside those in use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.objects import Item
from tests.simulate.rolling import CLASS, GPU, RESOURCE, node, pod_spec, running, slice_of, template, workload

pytestmark = pytest.mark.slow  # each case is a run of its own

ONE_MORE = {"strategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
NONE_MORE = {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}
OTHER: Item = {**CLASS, "metadata": {"name": "other"}, "spec": {"extendedResourceName": RESOURCE}}


def write(path: Path, items: list[Item]) -> Path:
    path.write_text("\n---\n".join(map(json.dumps, items)), "utf-8")
    return path


def found(check: Run, folder: Path, manifests: list[Item], devices: int = 3, *more: Item) -> list[tuple[str, str]]:
    """Return rule and path of the findings on manifests, for a node with so many devices and one without any."""
    inventory = write(folder / "inventory.yaml", [CLASS, *node("node-a", devices), *node("node-b", 0), *more])
    done = check("--slices", inventory, write(folder / "in.yaml", manifests))
    return [(each["rule"], each["path"]) for each in done.report["findings"]]


def requests(*several: Item) -> Item:
    made = template()
    made["spec"]["spec"]["devices"]["requests"] = list(several)
    return made


def test_pods_that_together_need_more_devices_than_there_are(check: Run, tmp_path: Path) -> None:
    inventory = write(tmp_path / "inventory.yaml", [CLASS, *node("node-a", 3), *node("node-b", 2)])
    manifests = write(tmp_path / "in.yaml", [template(2), workload("StatefulSet", {"replicas": 4, "serviceName": "w"})])

    (finding,) = check("--slices", inventory, manifests).report["findings"]

    assert (finding["rule"], finding["path"], finding["effect"]) == ("DRA439", "spec.replicas", "broken")
    assert finding["message"] == (
        '4 Pods need 8 devices, and the inventory has 5 that match the request "gpu" of "one": at least 2 of them stay'
        " Pending (`cannot allocate all claims`)"
    )
    assert finding["hint"] == "write at most 2"


@pytest.mark.parametrize(
    ("kind", "spec", "rules"),
    [
        ("Deployment", {"replicas": 3, **NONE_MORE}, []),
        ("Deployment", {"replicas": 4, **NONE_MORE}, [("DRA439", "spec.replicas")]),
        ("ReplicaSet", {"replicas": 4}, [("DRA439", "spec.replicas")]),
        ("StatefulSet", {"replicas": 4, "serviceName": "w"}, [("DRA439", "spec.replicas")]),
        ("StatefulSet", {"replicas": 4, "serviceName": "w", "updateStrategy": {"type": "OnDelete"}}, []),
        (
            "StatefulSet",
            {"replicas": 4, "serviceName": "w", "updateStrategy": {"rollingUpdate": {"partition": 2}}},
            [],
        ),
        ("Deployment", {"replicas": 4, "paused": True}, []),
        ("Job", {"parallelism": 4, "completions": 4}, []),
        ("DaemonSet", {}, []),
    ],
)
def test_only_pods_that_stay_and_are_all_of_the_template_count(
    check: Run, tmp_path: Path, kind: str, spec: Item, rules: list[tuple[str, str]]
) -> None:
    assert found(check, tmp_path, [template(), workload(kind, spec)]) == rules


@pytest.mark.parametrize(
    ("asked", "many"),
    [
        (requests({"name": "a", "exactly": {"deviceClassName": GPU}}), False),
        (
            requests(
                {"name": "a", "exactly": {"deviceClassName": GPU}}, {"name": "b", "exactly": {"deviceClassName": GPU}}
            ),
            True,
        ),
        (requests({"name": "a", "firstAvailable": [{"name": "x", "deviceClassName": GPU, "count": 2}]}), False),
        (requests({"name": "a", "exactly": {"deviceClassName": GPU, "allocationMode": "All"}}), False),
    ],
)
def test_requests_for_the_same_devices_are_added(check: Run, tmp_path: Path, asked: Item, many: bool) -> None:
    rules = found(check, tmp_path, [asked, workload("Deployment", {"replicas": 2, **NONE_MORE})])

    assert ("DRA439" in dict(rules)) is many


def test_shared_claims_and_devices_are_not_counted(check: Run, tmp_path: Path) -> None:
    shared = {**template(), "kind": "ResourceClaim"}
    shared["spec"] = shared["spec"]["spec"]
    pod = pod_spec()
    pod["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "one"}]
    together = slice_of("node-c", 1)
    together["spec"]["devices"][0]["allowMultipleAllocations"] = True

    assert "DRA439" not in dict(found(check, tmp_path, [shared, workload("Deployment", {"replicas": 9}, pod)]))
    assert found(check, tmp_path, [template(), workload("Deployment", {"replicas": 9})], 3, together) == []


@pytest.mark.parametrize(
    ("replicas", "more", "rules"),
    [
        (2, NONE_MORE, [("DRA439", "spec.replicas")]),
        (1, NONE_MORE, []),
        (1, {}, [("DRA722", "spec.template.spec.containers[0].resources.limits.example.com/gpu")]),
    ],
)
def test_extended_resources_of_a_class_count(
    check: Run, tmp_path: Path, replicas: int, more: Item, rules: list[tuple[str, str]]
) -> None:
    live = workload("Deployment", {"replicas": replicas, **more}, pod_spec(extended=True, count=2))

    assert found(check, tmp_path, [live]) == rules


@pytest.mark.parametrize(
    ("spec", "waits"),
    [
        ({"replicas": 3}, True),
        ({"replicas": 3, **ONE_MORE}, True),
        ({"replicas": 3, **NONE_MORE}, False),
        ({"replicas": 3, "strategy": {"type": "Recreate"}}, False),
        ({"replicas": 2}, False),
        ({"replicas": "${NUMBER}"}, False),
    ],
)
def test_a_roll_out_needs_a_device_to_spare(check: Run, tmp_path: Path, spec: Item, waits: bool) -> None:
    rules = found(check, tmp_path, [template(), workload("Deployment", spec)])

    assert ("DRA722" in dict(rules)) is waits
    assert "DRA439" not in dict(rules)


def test_slices_of_the_input_replace_those_of_the_inventory(check: Run, tmp_path: Path) -> None:
    manifests = [template(), workload("Deployment", {"replicas": 3, **NONE_MORE})]

    assert found(check, tmp_path, manifests, 2) == [("DRA439", "spec.replicas")]
    assert found(check, tmp_path, [slice_of("node-a", 3), *manifests], 2) == []


# Beside what runs


LINE = "1 workload does not fit beside what runs in the inventory: `dralint simulate --sequence` says why"


@pytest.mark.parametrize(
    ("devices", "changes", "said"),
    [(2, {}, False), (2, {"replicas": 2}, True), (3, {"replicas": 2}, False), (1, {"replicas": 2}, False)],
)
def test_check_names_the_command_that_counts_what_is_in_use(
    run: Run, tmp_path: Path, devices: int, changes: dict[str, Any], said: bool
) -> None:
    live = workload("Deployment", {"replicas": 1, **NONE_MORE}, name="old")
    there: list[Item] = [CLASS, template(), *node("node-a", devices), live]
    there += running(live, "old-5d97-0", "node-a", "gpu-0")
    inventory = write(tmp_path / "inventory.yaml", there)
    manifests = write(tmp_path / "in.yaml", [workload("Deployment", {"replicas": 1, **NONE_MORE, **changes})])

    done = run("check", "--slices", inventory, manifests)

    assert (LINE in " ".join(done.stdout.split())) is said
