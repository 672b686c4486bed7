"""Nodes that look the same are simulated once; the result does not depend on that."""

from __future__ import annotations

import random

import pytest

from dralint.simulate.behaviours import behaviour
from dralint.simulate.cluster import Cluster, pod_for_claim
from dralint.simulate.questions import Questions
from tests import objects

WAYS = (
    'device.attributes["gpu.example.com"].model == "large"',
    'device.attributes["gpu.example.com"].?index.orValue(0) > 1',
    'device.attributes["gpu.example.com"].exists(name, name == "uuid")',
    'device.attributes["gpu.example.com"].uuid.endsWith("3")',
)


def cluster(chance: random.Random, nodes: int) -> Cluster:
    made = Cluster()
    made.add(objects.device_class("gpu", objects.DRIVER), "ml")
    exactly = {
        "deviceClassName": "gpu",
        "count": chance.randint(1, 3),
        "selectors": [{"cel": {"expression": chance.choice(WAYS)}}],
    }
    claim = objects.claim("c", "ml", {"name": "gpu", "exactly": exactly})
    if chance.random() < 0.5:
        claim["spec"]["devices"]["constraints"] = [{"matchAttribute": "gpu.example.com/numa"}]
    made.add(claim)
    for node in range(nodes):
        entries = [
            {
                "name": f"gpu-{number}",
                "attributes": {
                    "model": {"string": chance.choice(("large", "small", "small"))},
                    "index": {"int": number},
                    "uuid": {"string": f"{node}-{chance.randint(0, 3)}"},
                    "numa": {"int": chance.randint(0, 1)},
                },
                **({"taints": [{"key": "k", "effect": "NoSchedule"}]} if chance.random() < 0.2 else {}),
            }
            for number in range(3)
        ]
        count = chance.choice((1, 1, 1, 2))
        made.add(objects.slice_of(objects.DRIVER, f"n{node}", entries, name=f"n{node}", count=count))
    return made


@pytest.mark.parametrize("release", ["1.34", "1.35", "1.37"])
@pytest.mark.slow
def test_whether_anything_fits_does_not_depend_on_it(release: str) -> None:
    fitting = fewer = 0
    for seed in range(60):
        there = cluster(random.Random(seed), nodes=12)
        workload = pod_for_claim("ResourceClaim", {"metadata": {"name": "c", "namespace": "ml"}})
        whole = Questions(there, behaviour(release), timeout=0, explain="never").ask(workload)
        quick = Questions(there, behaviour(release), timeout=0, explain="never").until_fit(workload, 60)

        assert bool(quick.fits) == bool(whole.fits), seed
        assert {one.error for one in quick.nodes} == {one.error for one in whole.nodes} or quick.fits, seed
        fitting += bool(whole.fits)
        fewer += not quick.fits and len(quick.nodes) < len(whole.nodes)

    assert 0 < fitting < 60
    assert fewer > 3
