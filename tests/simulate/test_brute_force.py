"""Small random inventories against enumeration: what is found satisfies everything, and where nothing is found nothing
is there."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from dralint.kubernetes.quantity import nano
from dralint.simulate.allocator import allocate
from dralint.simulate.behaviours import behaviour
from dralint.simulate.inventory import ClusterNode, Device, DeviceId, InUse, Inventory, slices_of

DRIVER = "gpu.example.com"
NODE = ClusterNode("node-a")


def inventory(chance: random.Random) -> Inventory:
    """Return two to seven devices of one pool with colours, sizes, taints, counters, shares and some in use."""
    counters = chance.random() < 0.5
    devices = []
    for number in range(chance.randint(2, 7)):
        device: dict[str, Any] = {
            "name": f"d{number}",
            "attributes": {"colour": {"string": chance.choice("rgb")}, "slot": {"int": chance.randint(0, 2)}},
            "capacity": {"memory": {"value": str(chance.randint(1, 4))}},
        }
        if chance.random() < 0.2:
            del device["attributes"]["slot"]
        if chance.random() < 0.2:
            device["taints"] = [{"key": "bad", "effect": "NoSchedule"}]
        if chance.random() < 0.3:
            device["allowMultipleAllocations"] = True
            device["capacity"]["memory"]["requestPolicy"] = {"default": "1"}
        if counters and chance.random() < 0.7:
            amount = {"units": {"value": str(chance.randint(1, 3))}}
            device["consumesCounters"] = [{"counterSet": "all", "counters": amount}]
        devices.append(device)
    pool = {"name": "p", "generation": 1, "resourceSliceCount": 2 if counters else 1}
    common = {"driver": DRIVER, "pool": pool, "nodeName": "node-a"}
    objects = [{"metadata": {"name": "devices"}, "spec": {**common, "devices": devices}}]
    if counters:
        sets = [{"name": "all", "counters": {"units": {"value": str(chance.randint(1, 6))}}}]
        objects.append({"metadata": {"name": "counters"}, "spec": {**common, "sharedCounters": sets}})
    in_use = InUse()
    for device in devices:
        if chance.random() < 0.15 and not device.get("allowMultipleAllocations"):
            in_use.add({"driver": DRIVER, "pool": "p", "device": device["name"]}, "other", capacity=True)
    classes = {"gpu": {"metadata": {"name": "gpu"}, "spec": {}}}
    return Inventory([NODE], classes, slices_of(objects), in_use=in_use)


def claim(chance: random.Random) -> dict[str, Any]:
    """Return a claim with one or two requests and perhaps a constraint."""
    requests = []
    for name in "ab"[: chance.randint(1, 2)]:
        exactly: dict[str, Any] = {"deviceClassName": "gpu", "count": chance.randint(1, 3)}
        if chance.random() < 0.5:
            colour = chance.choice("rgb")
            expression = f'device.attributes["{DRIVER}"].colour != "{colour}"'
            exactly["selectors"] = [{"cel": {"expression": expression}}]
        if chance.random() < 0.5:
            exactly["tolerations"] = [{"operator": "Exists"}]
        if chance.random() < 0.5:
            exactly["capacity"] = {"requests": {"memory": str(chance.randint(1, 4))}}
        requests.append({"name": name, "exactly": exactly})
    devices: dict[str, Any] = {"requests": requests}
    if chance.random() < 0.5:
        kind = chance.choice(["matchAttribute", "distinctAttribute"])
        devices["constraints"] = [{kind: f"{DRIVER}/slot"}]
    return {"metadata": {"name": "c", "namespace": "default"}, "spec": {"devices": devices}}


def satisfies(there: Inventory, item: dict[str, Any], chosen: list[tuple[dict[str, Any], Device]]) -> bool:
    """Say from the objects alone whether devices may be given to requests, one after the other."""
    memory: dict[Device, int] = {}
    counted: dict[str, int] = {}
    charged: set[Device] = set()
    for request, device in chosen:
        exactly, spec = request["exactly"], device.spec
        for selector in exactly.get("selectors", []):
            colour = selector["cel"]["expression"][-2]
            if spec["attributes"]["colour"]["string"] == colour:
                return False
        if spec.get("taints") and not exactly.get("tolerations"):
            return False
        if device.id in there.in_use.exclusive:
            return False
        if sum(other is device for _, other in chosen) > 1 and not device.allow_multiple:
            return False
        if [r["name"] for r, other in chosen if other is device].count(request["name"]) > 1:
            return False
        capacity = spec["capacity"]["memory"]
        default = capacity.get("requestPolicy", {}).get("default", capacity["value"])
        asked = exactly.get("capacity", {}).get("requests", {}).get("memory", default)
        memory[device] = memory.get(device, 0) + nano(asked)
        if memory[device] > nano(capacity["value"]):
            return False
        if device not in charged:
            charged.add(device)
            for entry in spec.get("consumesCounters", []):
                for name, amount in entry["counters"].items():
                    counted[name] = counted.get(name, 0) + nano(amount["value"])
    for device_id in there.in_use.exclusive:
        for s in there.slices:
            for device in s.devices:
                if device.id == device_id:
                    for entry in device.spec.get("consumesCounters", []):
                        for name, amount in entry["counters"].items():
                            counted[name] = counted.get(name, 0) + nano(amount["value"])
    if charged & {d for d in charged if d.spec.get("consumesCounters")}:
        sets = [c for s in there.slices for c in s.counters]
        if any(counted.get(n, 0) > nano(v["value"]) for entry in sets for n, v in entry["counters"].items()):
            return False
    for entry in item["spec"]["devices"].get("constraints", []):
        slots = [device.spec["attributes"].get("slot", {}).get("int") for _, device in chosen]
        if None in slots:
            return False
        if "matchAttribute" in entry and len(set(slots)) > 1:
            return False
        if "distinctAttribute" in entry and len(set(slots)) < len(slots):
            return False
    return True


def any_way(there: Inventory, item: dict[str, Any]) -> bool:
    requests = item["spec"]["devices"]["requests"]
    devices = [device for s in there.slices for device in s.devices]
    choices = [itertools.combinations(devices, request["exactly"]["count"]) for request in requests]
    return any(
        satisfies(there, item, [(r, d) for r, group in zip(requests, way, strict=True) for d in group])
        for way in itertools.product(*choices)
    )


@pytest.mark.parametrize("block", range(20))
@pytest.mark.slow
def test_the_search_agrees_with_enumeration(block: int) -> None:
    how = behaviour("1.37")
    fitting = 0
    for seed in range(block * 30, block * 30 + 30):
        chance = random.Random(seed)
        there, item = inventory(chance), claim(chance)
        outcome = allocate(there, [item], how)[0]
        assert outcome.error == "", seed
        assert outcome.fits == any_way(there, item), seed
        if outcome.allocations is not None:
            fitting += 1
            by_name = {request["name"]: request for request in item["spec"]["devices"]["requests"]}
            by_id = {device.id: device for s in there.slices for device in s.devices}
            results = outcome.allocations[0]["devices"]["results"]
            chosen = [(by_name[each["request"]], by_id[DeviceId.of(each)]) for each in results]
            assert [r["name"] for r, _ in chosen] == [
                r["name"] for r in by_name.values() for _ in range(r["exactly"]["count"])
            ], seed
            assert satisfies(there, item, chosen), seed
    assert fitting > 0
