"""`dralint triage` alone leads to each of three troubles in five clusters, and to nothing in a cluster at rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.triage.cluster import as_list, claim, pod
from tests.triage.evenings import EVENINGS, GPU, PROTECTED, deleted, fleet, owned, template, templated
from tests.triage.test_triage import triage

__all__ = ["triage"]

STUCK, DRIVERS, LEFT = "Pods that do not start or do not end", "drivers on nodes", "objects that are left over"


@pytest.mark.slow
@pytest.mark.parametrize("name", EVENINGS)
def test_three_troubles_of_a_cluster_are_found(name: str, tmp_path: Path, run: Run) -> None:
    make, leads = EVENINGS[name]
    (tmp_path / "dump.json").write_text(as_list(make()))

    lines = run("triage", str(tmp_path)).stdout.replace("\n    hint", " hint").splitlines()

    assert len(lines) < 40, "one screen"
    for lead in leads:
        assert any(re.search(lead, line) for line in lines), f"{lead}\n" + "\n".join(lines)


def test_a_fleet_at_rest_has_no_trouble(triage: Any) -> None:
    running = templated(pod("train", "node-01"), "one-gpu", "train-c-aaaaa")
    own = owned(claim("train-c-aaaaa", GPU, devices=(("node-01", "dev-0"),)), "train")
    own["status"]["reservedFor"] = [{"resource": "pods", "name": "train", "uid": "pod-train"}]
    own["metadata"]["finalizers"] = [PROTECTED]

    assert triage([*fleet("node-01", "node-02"), template("one-gpu"), running, own], 0) == []


def test_a_claim_that_waits_for_its_deletion_names_its_finalizer_and_its_users(triage: Any) -> None:
    gone = deleted(claim("gone", GPU, devices=(("node-01", "dev-0"),)), PROTECTED)
    free = deleted(claim("free", GPU, devices=(("node-01", "dev-1"),)), PROTECTED)
    free["status"]["reservedFor"] = []

    found = triage([*fleet("node-01"), gone, free], 1)

    held = f"is being deleted, and has the finalizer {PROTECTED}: it is"
    assert found == [
        (LEFT, f"{held} reserved for gone, which is gone", ["ResourceClaim team/gone"]),
        (LEFT, f"{held} allocated and reserved for nobody", ["ResourceClaim team/free"]),
    ]


def test_a_pod_on_a_node_without_its_claim_is_told(triage: Any) -> None:
    lost = pod("lost", "node-01", "lost")
    pinned = pod("pinned", "node-01", "pinned")

    found = triage([*fleet("node-01"), lost, pinned, claim("pinned", GPU)], 1)

    why = "it has bypassed the scheduler, or lost its devices since"
    assert found == [
        (STUCK, "is on node-01, and its claim lost does not exist", ["team/lost"]),
        (
            STUCK,
            f"is on node-01, and the claim is not allocated: the kubelet does not start it; {why}",
            ["team/pinned"],
        ),
    ]


def test_slices_without_devices_are_told(triage: Any) -> None:
    objects = fleet("node-01", "node-02", "node-03")
    objects[-1]["spec"]["devices"] = []

    found = triage(objects, 1)

    there = "; on node-01, node-02 it publishes devices"
    assert found == [(DRIVERS, f"{GPU} publishes slices without devices on node-03{there}", ["node-03"])]
