"""--how-many counts what --sequence places."""

from __future__ import annotations

import random
from typing import Any

import pytest

from dralint.simulate import Cluster, Questions, behaviour
from dralint.simulate.cluster import Workload
from tests.simulate.made_cluster import made


def cluster(chance: random.Random) -> Cluster:
    """Return up to four nodes with devices of their own, and a pool that all of them see."""
    there = Cluster()
    nodes = [f"node-{i}" for i in range(chance.randint(1, 4))]
    selector = {"cel": {"expression": 'device.driver == "gpu.example.com"'}}
    there.add(made("DeviceClass", "gpu", spec={"selectors": [selector]}))
    for name in nodes:
        there.add(made("Node", name))
    places: list[dict[str, Any]] = [{"nodeName": name} for name in nodes]
    for place in [*places, {"allNodes": True}]:
        if chance.random() < 0.2:
            continue
        name = place.get("nodeName", "everywhere")
        devices: list[dict[str, Any]] = []
        for i in range(chance.randint(1, 4)):
            device: dict[str, Any] = {"name": f"d{i}", "attributes": {"side": {"int": chance.randint(0, 1)}}}
            if chance.random() < 0.3:
                policy = {"default": "2"}
                device |= {"allowMultipleAllocations": True, "capacity": {"m": {"value": "5", "requestPolicy": policy}}}
            devices.append(device)
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": "gpu.example.com", "pool": pool, "devices": devices, **place}
        there.add(made("ResourceSlice", name, spec=spec))
    first = [
        {"name": "two", "deviceClassName": "gpu", "count": 2},
        {"name": "one", "deviceClassName": "gpu"},
    ]
    exactly = {"deviceClassName": "gpu", "count": chance.randint(1, 3)}
    request = {"name": "r", "firstAvailable": first} if chance.random() < 0.4 else {"name": "r", "exactly": exactly}
    devices_spec: dict[str, Any] = {"requests": [request]}
    if chance.random() < 0.4:
        devices_spec["constraints"] = [{"matchAttribute": "gpu.example.com/side"}]
    there.add(made("ResourceClaimTemplate", "t", "ns", spec={"spec": {"devices": devices_spec}}))
    return there


def pod(name: str) -> Workload:
    spec = {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]}
    return Workload("Pod", "ns", name, {"metadata": {"name": name, "namespace": "ns"}, "spec": spec})


@pytest.mark.parametrize("release", ["1.34", "1.36", "1.37"])
@pytest.mark.parametrize("seed", range(25))
@pytest.mark.slow
def test_as_many_as_a_sequence_places(seed: int, release: str) -> None:
    how = behaviour(release)
    counted = Questions(cluster(random.Random(seed)), how).how_many(pod("p")).headroom
    assert counted is not None

    in_turn = Questions(cluster(random.Random(seed)), how, explain="never")
    placed = [answer.placed for answer in in_turn.sequence([pod(f"p{i}") for i in range(counted.pods + 3)])]

    assert placed == [name for name in placed if name] + [None] * 3
    assert len([name for name in placed if name]) == counted.pods
    assert {name: placed.count(name) for name in placed if name} == counted.nodes


def test_counting_leaves_the_cluster_as_it_is() -> None:
    questions = Questions(cluster(random.Random(1)), behaviour("1.37"))
    first = questions.how_many(pod("p")).headroom
    second = questions.how_many(pod("p")).headroom

    assert first is not None
    assert second is not None
    assert first.pods > 0
    assert (first.pods, first.nodes) == (second.pods, second.nodes)
