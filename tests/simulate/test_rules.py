"""Single rules of the allocator and of the scheduler around it, release by release."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from dralint.kubernetes import gates as gate_table
from dralint.kubernetes.quantity import NANO, nano, spell
from dralint.kubernetes.release import Release
from dralint.kubernetes.taints import untolerated
from dralint.simulate import allocation
from dralint.simulate.allocator import Allocator, allocate
from dralint.simulate.behaviours import BEHAVIOURS, behaviour
from dralint.simulate.capacity import CapacityError, needs
from dralint.simulate.extended import classes_by_resource
from dralint.simulate.inventory import ClusterNode, Device, InUse, Inventory, Slice, reaches, slices_of
from dralint.simulate.pools import Pools
from dralint.simulate.questions import answer
from dralint.simulate.scheduler import PodClaims, PodFilter, RefusedError, Scheduler
from tests.simulate import recorded

NODE = ClusterNode("node-a", {"zone": "z1", "gpus": "4"})
RELEASES = ("1.34", "1.35", "1.36", "1.37")
ALL = {"AllAlpha": True, "AllBeta": True}


def make_slice(
    name: str, devices: list[dict[str, Any]], pool: str = "p", count: int = 1, **spec: Any
) -> dict[str, Any]:
    where = spec or {"nodeName": "node-a"}
    named = {"name": pool, "generation": where.pop("generation", 1), "resourceSliceCount": count}
    return {"metadata": {"name": name}, "spec": {"driver": "d.example.com", "pool": named, "devices": devices, **where}}


def make_claim(*requests: dict[str, Any], constraints: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    devices: dict[str, Any] = {"requests": list(requests)}
    if constraints:
        devices["constraints"] = constraints
    return {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"devices": devices}}


def request(name: str = "r", **exactly: Any) -> dict[str, Any]:
    return {"name": name, "exactly": {"deviceClassName": "any", **exactly}}


def inventory(*slices: dict[str, Any], in_use: InUse | None = None) -> Inventory:
    return Inventory(
        [NODE], {"any": {"metadata": {"name": "any"}, "spec": {}}}, slices_of(slices), (), in_use or InUse()
    )


# Which implementation runs


def test_every_behaviour_is_known_to_some_release() -> None:
    met: set[str] = set()
    for release in RELEASES:
        for gates in ({}, ALL, {"DRAConsumableCapacity": False, "DRADeviceBindingConditions": False}):
            met |= behaviour(release, gates).named

    assert met >= set(BEHAVIOURS)


def test_releases_before_1_34_are_not_simulated() -> None:
    with pytest.raises(ValueError, match=r"from 1\.34 on, not for 1\.33"):
        behaviour("1.33")


# Nodes


def test_the_first_field_that_is_set_says_for_which_nodes() -> None:
    assert reaches({"nodeName": "node-b", "allNodes": True}, NODE) is False
    assert reaches({"allNodes": True}, NODE) is True
    assert reaches({}, NODE) is None


# Pools


def test_an_older_generation_vanishes_where_a_newer_one_is_known() -> None:
    old = make_slice("a", [{"name": "d"}], count=2)
    new = make_slice("b", [{"name": "d"}], nodeName="node-b", generation=2)
    slices = slices_of([old, new])

    assert Pools(slices, behaviour("1.37")).view(NODE).obsolete == [("d.example.com", "p")]
    assert [pool.complete for pool in Pools(slices, behaviour("1.34")).view(NODE).pools] == [False]


# Taints


def test_an_effect_of_none_blocks_in_1_34_alone() -> None:
    spec = make_slice("a", [{"name": "d", "taints": [{"key": "a", "effect": "None"}]}])["spec"]
    device = Device(Slice("a", spec), spec["devices"][0])

    assert untolerated(device.taints, [], effects_matter=False) == device.taints
    assert untolerated(device.taints, [], effects_matter=True) == []


# Capacity


def consumed(policy: dict[str, Any], requested: str | None, release: str, **gates: bool) -> str | None:
    capacity = {"m": {"value": "10", "requestPolicy": policy}}
    found = needs(capacity, {} if requested is None else {"m": requested}, behaviour(release, {**ALL, **gates}))
    return None if found is None else found["m"].text


def test_fractions_are_counted_in_thousandths_where_the_gate_is_on() -> None:
    policy = {"default": "500m", "validRange": {"min": "500m", "step": "500m"}}

    assert consumed(policy, "1100m", "1.36") == "2"
    assert consumed(policy, "1100m", "1.37") == "1500m"
    assert consumed(policy, "1100m", "1.37", DRAFractionalCapacityRange=False) == "2"


def test_fractions_are_off_by_default_as_long_as_a_server_works_with_1_36() -> None:
    gate = "DRAFractionalCapacityRange"

    assert gate not in behaviour("1.37").gates
    assert gate in behaviour("1.38").gates
    assert gate in behaviour("1.37", {gate: True}).gates
    # A scenario asks the allocator alone, which works with nothing else.
    assert [gate_table.without_compatibility(Release.parse(text)) for text in ("1.36", "1.37", "1.38")] == [
        [],
        [gate],
        [],
    ]


def test_a_device_without_the_capacity_is_passed_over() -> None:
    assert needs({}, {"m": "1"}, behaviour("1.37")) is None


def test_what_cannot_be_represented_is_an_error_from_1_37_on() -> None:
    policy = {"default": "1", "validRange": {"min": "1", "step": "1"}}

    with pytest.raises(CapacityError, match="request 9E is not a representable milli value"):
        consumed(policy, "9E", "1.37")
    assert nano(consumed(policy, "9E", "1.36")) == 9 * 10**18 * NANO


@pytest.mark.parametrize(
    ("amount", "binary", "text"),
    [(2**30, True, "1Gi"), (1500, True, "1500"), (1500, False, "1500"), (30 * 10**9, False, "30G"), (0, False, "0")],
)
def test_amounts_are_spelled_as_kubernetes_does(amount: int, binary: bool, text: str) -> None:
    assert spell(amount * NANO, binary=binary) == text
    assert nano(text) == amount * NANO


# Constraints


@pytest.mark.parametrize(
    ("release", "gates", "fits"), [("1.34", ALL, True), ("1.35", ALL, False), ("1.36", {}, False), ("1.37", {}, False)]
)
def test_distinct_attribute(release: str, gates: dict[str, bool], fits: bool) -> None:
    devices = [{"name": f"d{i}", "attributes": {"side": {"int": 0}}} for i in range(2)]
    item = make_claim(request(count=2), constraints=[{"distinctAttribute": "d.example.com/side"}])

    [outcome] = allocate(inventory(make_slice("a", devices)), [item], behaviour(release, gates))

    assert outcome.fits is fits


def test_an_implementation_that_does_not_know_a_constraint_gives_up() -> None:
    item = make_claim(request(), constraints=[{"distinctAttribute": "d.example.com/side"}])

    [outcome] = allocate(inventory(make_slice("a", [{"name": "d"}])), [item], behaviour("1.35"))

    assert outcome.error == "claim ns/c, constraint #0: empty constraint (unsupported constraint type?)"


# What is in use


def test_admin_access_takes_nothing_and_shares_take_capacity() -> None:
    in_use = InUse()
    result = {"driver": "d.example.com", "pool": "p", "device": "d"}
    in_use.add({**result, "adminAccess": True}, "ns/admin", capacity=True)
    assert (in_use.exclusive, in_use.shares) == ({}, {})
    share = {**result, "shareID": "1", "consumedCapacity": {"m": "2"}}
    in_use.add(share, "ns/one", capacity=True)
    in_use.add(share, "ns/two", capacity=True)
    assert [*in_use.shares.values()] == [{"m": 4 * NANO}]
    in_use.add(share, "ns/three", capacity=False)
    assert [*in_use.exclusive.values()] == ["ns/three"]


@pytest.mark.slow
def test_many_claims_do_not_go_deep() -> None:
    devices = [{"name": f"d{i}"} for i in range(600)]
    claims = [{**make_claim(request()), "metadata": {"name": f"c{i}", "namespace": "ns"}} for i in range(600)]

    [outcome] = allocate(inventory(make_slice("a", devices)), claims, behaviour("1.37"), timeout=0)

    assert outcome.fits


@pytest.mark.parametrize("release", ["1.35", "1.37"])
@pytest.mark.parametrize("kind", ["count", "constraint", "alternative"])
def test_a_hopeless_search_ends_early(release: str, kind: str) -> None:
    devices: list[dict[str, Any]] = [{"name": f"d{i}", "attributes": {"side": {"int": i % 4}}} for i in range(16)]
    devices.append({"name": "tainted", "taints": [{"key": "bad", "effect": "NoSchedule"}]})
    wrong = {"cel": {"expression": 'has(device.attributes["d.example.com"].nothing)'}}
    last = {"deviceClassName": "any", "selectors": [wrong]}
    requests = {
        "count": [request("a", count=4), request("b", count=4), {"name": "c", "exactly": last}],
        "constraint": [request("a", count=4), request("b", count=4)],
        "alternative": [
            request("a", count=4),
            request("b", count=4),
            {"name": "c", "firstAvailable": [{"name": "x", **last}, {"name": "y", **last}]},
        ],
    }[kind]
    side = [{"requests": ["a", "b"], "matchAttribute": "d.example.com/side"}] if kind == "constraint" else None
    how = behaviour(release, {"DRADeviceTaints": True})
    allocator = Allocator(inventory(make_slice("a", devices)), [make_claim(*requests, constraints=side)], how)

    outcome = allocator.on(NODE)

    assert (outcome.undecided, outcome.error, outcome.fits) == ("", "", False)


@pytest.mark.parametrize("after", [0, 10])
@pytest.mark.slow
def test_early_ends_change_no_recorded_answer(after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocation, "PROOF_AFTER", after)
    for scenario in recorded.scenarios()[::6]:
        for release in scenario["expect"]:
            got = {node["node"]: node for node in answer(recorded.question(scenario, release))["nodes"]}
            for want in recorded.nodes(scenario, release):
                verdicts = {recorded.verdict(outcome) for outcome in want["outcomes"]}
                if any(recorded.missing_class(outcome) for outcome in want["outcomes"]):
                    verdicts.add("none")
                assert recorded.verdict(got[want["node"]]) in verdicts, (scenario["id"], release)


# Extended resources


def test_of_two_classes_for_a_resource_the_newer_wins() -> None:
    def device_class(name: str, time: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "creationTimestamp": time}, "spec": {"extendedResourceName": "x.com/gpu"}}

    old, new = device_class("old", "2026-01-01T00:00:00Z"), device_class("new", "2026-02-01T00:00:00Z")

    assert classes_by_resource({"old": old, "new": new}, behaviour("1.37"))["x.com/gpu"] == "new"
    assert classes_by_resource({"new": new, "old": old}, behaviour("1.37"))["x.com/gpu"] == "new"
    same = {"b": device_class("b", "2026-01-01T00:00:00Z"), "a": device_class("a", "2026-01-01T00:00:00Z")}
    assert classes_by_resource(same, behaviour("1.37"))["x.com/gpu"] == "a"


# The scheduler around it


def test_a_claim_that_failed_to_bind_is_not_available() -> None:
    result = {"request": "r", "driver": "d.example.com", "pool": "p", "device": "d", "bindingConditions": ["ready"]}
    allocation = {"devices": {"results": [result]}, "allocationTimestamp": "2026-01-01T00:00:00Z"}
    item = {**make_claim(request()), "status": {"allocation": allocation}}

    def unavailable(now: datetime) -> bool:
        return Scheduler(inventory(), [item], behaviour("1.37"), now=now).unavailable(item, NODE)

    assert not unavailable(datetime(2026, 1, 1, 0, 9, tzinfo=UTC))
    assert unavailable(datetime(2026, 1, 1, 0, 11, tzinfo=UTC))


def test_a_pod_without_claims_has_nothing_to_do() -> None:
    scheduler = Scheduler(inventory(), [], behaviour("1.37"))

    claims = scheduler.claims_of({"metadata": {"name": "p"}, "spec": {}})

    assert claims == PodClaims()
    assert PodFilter(scheduler, {}, PodClaims(), timeout=0).on(NODE).fits


def test_an_entry_without_claim_is_refused() -> None:
    pod = {"metadata": {"name": "p", "namespace": "ns"}, "spec": {"resourceClaims": [{"name": "x"}]}}

    with pytest.raises(RefusedError, match=r'pod "ns/p", spec.resourceClaim "x": none of the supported fields are set'):
        Scheduler(inventory(), [], behaviour("1.37")).claims_of(pod)


# API versions


@pytest.mark.parametrize(
    ("release", "own", "fits"), [("1.34", True, False), ("1.34", False, True), ("1.37", True, True)]
)
def test_1_34_asks_for_devices_besides_a_device_plugin_where_the_pod_has_a_claim(
    release: str, own: bool, fits: bool
) -> None:
    amounts = {"requests": {"x.com/gpu": "1"}, "limits": {"x.com/gpu": "1"}}
    references = [{"name": "c", "resourceClaimName": "c"}]
    pod = {
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {"containers": [{"name": "a", "resources": amounts}], "resourceClaims": references if own else []},
    }
    scenario = {
        "release": release,
        "profile": "all",
        "nodes": [{"name": "node-a", "allocatable": {"x.com/gpu": "4"}}],
        "classes": [{"metadata": {"name": "any"}, "spec": {"extendedResourceName": "x.com/gpu"}}],
        "slices": [make_slice("s", [{"name": "one"}])],
        "claims": [make_claim(request())],
        "pod": pod,
    }

    (node,) = answer(json.dumps(scenario))["nodes"]

    assert node["fits"] is fits, node


# Patches of a release


@pytest.mark.parametrize(("release", "fits"), [("1.36", False), ("1.37.0", False), ("1.37.1", True)])
@pytest.mark.parametrize("selector", [{}, {"deviceSelector": None}])
def test_a_rule_without_a_selector_taints_no_device_from_a_patch_on(
    release: str, fits: bool, selector: dict[str, Any]
) -> None:
    rule = {"spec": {**selector, "taint": {"key": "a", "effect": "NoSchedule"}}}

    assert asked(release, [request()], rule)["fits"] is fits
    assert asked(release, [request()], {"spec": rule["spec"] | {"deviceSelector": {}}})["fits"] is False


@pytest.mark.parametrize(
    ("release", "requests"), [("1.34.1", [None, None]), ("1.34.2", [["r", "more"]]), ("1.34", [["r", "more"]])]
)
def test_the_configuration_of_a_class_names_its_requests_from_a_patch_on(
    release: str, requests: list[list[str] | None]
) -> None:
    config = [{"opaque": {"driver": "d.example.com", "parameters": {}}}]
    node = asked(release, [request(), request("more")], config=config, devices=2)
    entries = node["allocations"][0]["devices"]["config"]

    assert [entry.get("requests") or None for entry in entries] == requests


def asked(
    release: str, requests: list[dict[str, Any]], *rules: dict[str, Any], devices: int = 1, **of_class: Any
) -> dict[str, Any]:
    """Return what a release says of a claim on a node with so many devices."""
    scenario = {
        "release": release,
        "profile": "all",
        "nodes": [{"name": "node-a"}],
        "classes": [{"metadata": {"name": "any"}, "spec": of_class}],
        "slices": [make_slice("s", [{"name": f"device-{number}"} for number in range(devices)])],
        "claims": [make_claim(*requests)],
        "taintRules": list(rules),
    }
    (node,) = answer(json.dumps(scenario))["nodes"]
    return dict(node)
