"""What quotas have left: found for claims, templates and workloads, and live objects count once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import objects
from tests.conftest import Run
from tests.objects import Item, item, owner

pytestmark = pytest.mark.slow  # each run reads an inventory of its own

DEVICES = "gpu.example.com.deviceclass.resource.k8s.io/devices"


def quota(hard: dict[str, str], **status: Any) -> Item:
    return objects.quota("gpus", "ml", hard, **status)


def request(count: int) -> Item:
    return {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "count": count}}


def claim(name: str, count: int = 1, **metadata: Any) -> Item:
    return objects.claim(name, "ml", request(count), metadata=metadata)


def template(count: int = 1) -> Item:
    return objects.template("one", "ml", request(count))


POD = {
    "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}],
    "containers": [{"name": "main", "image": "app", "resources": {"claims": [{"name": "gpu"}]}}],
}


def deployment(replicas: int, name: str = "web", pod: Any = POD) -> dict[str, Any]:
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}}
    inner = {"metadata": {"labels": {"app": name}}, "spec": pod}
    return item("Deployment", name, "ml", spec={**spec, "template": inner})


def running(name: str) -> list[dict[str, Any]]:
    """Return a live Pod of the Deployment, and its claim."""
    labels = {"app": "web", "pod-template-hash": "5d97"}
    metadata = {"uid": name, "labels": labels, "ownerReferences": [owner("ReplicaSet", "web-5d97", "rs")]}
    status = {"phase": "Running", "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": f"{name}-gpu"}]}
    pod = item("Pod", name, "ml", metadata=metadata, spec={**POD, "nodeName": "n"}, status=status)
    return [pod, claim(f"{name}-gpu", ownerReferences=[owner("Pod", name, name)])]


@pytest.fixture
def found(check: Run, tmp_path: Path) -> Any:
    def call(there: list[dict[str, Any]], manifests: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        for name, them in (("inventory.yaml", there), ("all.yaml", manifests)):
            (tmp_path / name).write_text("\n---\n".join(json.dumps(one) for one in them), "utf-8")
        done = check(*(("--slices", tmp_path / "inventory.yaml") if there else ()), tmp_path / "all.yaml")
        assert done.status != 3, done.stderr
        return [
            (f["rule"], f["line"], f["path"], f["message"])
            for f in done.report["findings"]
            if f["rule"] in ("DRA410", "DRA411")
        ]

    return call


def test_an_object_that_is_written_twice_counts_once(found: Any) -> None:
    there = [quota({DEVICES: "2"}), template(), *running("web-5d97-a"), *running("web-5d97-b")]
    other = deployment(2, pod={**POD, "priorityClassName": "high"})

    assert found(there, [deployment(2), other, deployment(2), claim("web-5d97-a-gpu")]) == []
    assert found([quota({DEVICES: "3"}), template()], [deployment(2), other, claim("new"), claim("new")]) == []


def test_live_pods_of_a_workload_count_once(found: Any) -> None:
    there = [quota({DEVICES: "2"}), template(), *running("web-5d97-a"), *running("web-5d97-b")]
    changed = deployment(2, pod={**POD, "priorityClassName": "high"})

    assert found(there, [template(), deployment(2)]) == []
    assert found(there, [template(), changed]) == []
    assert [each[3].rpartition(", and ")[2] for each in found(there, [template(), deployment(3)])] == [
        "the Pod to come needs 1: it stays Pending (event FailedResourceClaimCreation)"
    ]


def test_a_claim_whose_pod_is_not_in_the_inventory_may_be_of_the_input(found: Any) -> None:
    there = [quota({DEVICES: "2"}, status={"used": {DEVICES: "2"}}), running("web-5d97-a")[1], running("web-5d97-b")[1]]

    assert found(there, [template(), deployment(2)]) == []


def test_a_claim_whose_pod_ends_makes_room(found: Any) -> None:
    pod, its_claim = running("web-5d97-a")
    ended = {**pod, "metadata": {**pod["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}

    assert found([quota({DEVICES: "1"}), ended, its_claim], [template(), deployment(1)]) == []
    assert [each[0] for each in found([quota({DEVICES: "1"}), pod, its_claim], [claim("new")])] == ["DRA411"]
