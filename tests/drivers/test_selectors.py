"""Selectors on the devices that a driver publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dralint
from tests.drivers.inputs import NVIDIA, SELECTOR, claim, device_class, reported, rules
from tests.objects import slice_of

FALSE = "the selector is false for every device, and Pods that use the claim stay Pending"
FAILS = "the selector fails on every device, and this stops the scheduling of the Pod"
OWN = 'device.attributes["gpu.nvidia.com"]'
INDEX = "no device of the driver has the attribute gpu.nvidia.com/index in v0.5.0: it was there up to v25.3.2"
USERS = "sriovnetwork.k8snetworkplumbingwg.io"
ONE_CHANNEL = "compute-domain-default-channel.nvidia.com"
NET = 'device.attributes["dra.net"].rdma == "true"'


@pytest.mark.parametrize(
    ("name", "expression", "versions", "rule", "part"),
    [
        ("gpu.amd.com", 'device.attributes["gpu.amd.com"].type == "gpu"', {}, "DRA811", "; it has only amdgpu"),
        (NVIDIA, f"{OWN}.index == 0", {NVIDIA: "v0.5.0"}, "DRA810", f"{INDEX}; {FAILS} (gpu.nvidia.com v0.5.0)"),
        (NVIDIA, f"{OWN}.minor == 0", {NVIDIA: "v0.4.1"}, "DRA810", "in v0.4.1: it was there up to v25.3.2"),
        (NVIDIA, f'{OWN}.vendorID == "0x10de"', {NVIDIA: "v25.8.1"}, "DRA810",
         "in v25.8.1: it is there since v25.12.0"),
        (ONE_CHANNEL, 'device.attributes["compute-domain.nvidia.com"].id == 1', {}, "DRA811",
         "compute-domain.nvidia.com/id is never 1; it has only 0;"),  # what a class asks for holds for its requests
        (USERS, f'device.attributes["{USERS}"].rdmaCapable == "yes"', {}, "DRA813", ""),
    ],
)  # fmt: skip
def test_versions_classes_and_users_decide(
    name: str, expression: str, versions: dict[str, str], rule: str, part: str
) -> None:
    ((found, path, message),) = reported(claim(name, expression), driver_versions=versions)

    assert (found, path) == (rule, SELECTOR)
    assert part in message


def of_two_requests() -> dict[str, Any]:
    """Return a claim whose configuration may be for another request."""
    two = claim("mine", NET, driver="dra.net", parameters={})
    two["spec"]["devices"]["requests"].append({"name": "other", "exactly": {"deviceClassName": "other"}})
    del two["spec"]["devices"]["config"][0]["requests"]
    return two


UNKNOWN = claim("mine", f"{OWN}.x == 1")


@pytest.mark.parametrize(
    "objects",
    [
        [claim(USERS, f'device.attributes["{USERS}"].pool == "fast"')],
        # the class of the input goes before that of the chart
        [device_class(NVIDIA, 'device.driver == "gpu.nvidia.com"'), claim(NVIDIA, f'{OWN}.type == "mig"')],
        # nobody knows the driver
        [UNKNOWN],
        [device_class("mine", "true"), UNKNOWN],
        [device_class("mine", 'device.driver == "other.example.org"'), UNKNOWN],
        [claim("gpu.example.com", 'device.attributes["gpu.example.com"].model == "a100"')],
        [claim("mine", NET)],
        [claim("mine", NET, driver="other.example.com", parameters={})],
    ],
)
def test_a_selector_that_a_device_can_match_or_that_nobody_can_judge(objects: list[dict[str, Any]]) -> None:
    assert rules(*objects) == []


def test_a_configuration_that_may_be_for_another_request_names_no_driver() -> None:
    assert "DRA812" not in rules(of_two_requests())


def test_an_old_version_has_its_attributes() -> None:
    assert rules(claim(NVIDIA, f"{OWN}.index == 0"), driver_versions={NVIDIA: "v25.3.2"}) == []


def test_the_selector_of_a_class_is_judged_too() -> None:
    ((rule, path, message),) = reported(device_class("mine", f'device.driver == "{NVIDIA}" && {OWN}.typ == "gpu"'))

    assert (rule, path) == ("DRA810", "spec.selectors[0].cel.expression")
    assert "Pods that use the class" not in message
    assert message.startswith("no device of the driver has the attribute gpu.nvidia.com/typ;")


def published(*devices: dict[str, Any]) -> dict[str, Any]:
    return slice_of(NVIDIA, "node-1", [*devices])


def gpu(attribute: str) -> dict[str, Any]:
    return {"name": "gpu-0", "attributes": {attribute: {"string": "gpu"}}}


def test_slices_with_other_devices_switch_the_pack_off() -> None:
    assert rules(published(gpu("type")), claim(NVIDIA, f"{OWN}.size == 1")) == ["DRA810"]
    assert reported(published(gpu("size")), claim(NVIDIA, f"{OWN}.size == 1")) == [
        (
            "DRA820",
            "spec.devices[0].attributes.size",
            (
                "no version of the driver publishes the attribute size: another program uses the name gpu.nvidia.com,"
                " and dralint does not judge by its pack"
            ),
        )
    ]


def test_a_partition_beside_its_whole_needs_a_counter_of_the_same_set() -> None:
    def devices(whole: str, part: str) -> dict[str, Any]:
        several = [
            {"name": name, "attributes": {attribute: {"string": "GPU-1"}}}
            | ({"consumesCounters": [{"counterSet": counters, "counters": {"b": {"value": 1}}}]} if counters else {})
            for name, attribute, counters in (("gpu-0", "uuid", whole), ("mig-0", "parentUUID", part))
        ]
        return published(*several)

    message = (
        '"mig-0" is a part of "gpu-0", and they share no counter: the scheduler can allocate both at the same time'
    )
    found = ("DRA821", "spec.devices[1].attributes.parentUUID", message)
    assert found in reported(devices("", ""))
    assert found in reported(devices("", "a"))
    assert found in reported(devices("c", "a"))
    assert "DRA821" not in rules(devices("a", "a"))


@pytest.mark.parametrize(
    "objects",
    [
        [claim("mine", NET, driver="dra.net", parameters={})],
        [claim("mine", f'device.driver == "dra.net" && {NET}')],
        [claim("mine", NET), device_class("mine", 'device.driver == "dra.net"')],
        [claim("mine", NET, driver="dra.net", parameters={}), device_class("mine", "true")],
    ],
)
def test_selector_class_or_configuration_names_the_driver(objects: list[dict[str, Any]]) -> None:
    message = f"dra.net/rdma is a bool, and the selector uses it with a string; {FALSE} (driver dra.net)"

    assert ("DRA812", SELECTOR, message) in reported(*objects)


def test_a_capacity_among_the_attributes_is_told_once() -> None:
    text = json.dumps(claim(NVIDIA, f'{OWN}.memory.compareTo(quantity("40Gi")) >= 0'))

    assert [one.rule for one in dralint.lint_text(text).findings] == ["DRA810"]
    assert [one.rule for one in dralint.lint_text(text, select=["DRA310"]).findings] == ["DRA310"]
    other = text.replace(f'"deviceClassName": "{NVIDIA}"', '"deviceClassName": "mine"')
    assert [one.rule for one in dralint.lint_text(other).findings] == ["DRA310"]


def test_a_hyphen_in_the_name_of_an_attribute_is_told_once() -> None:
    selector = json.dumps(claim(NVIDIA, f"{OWN}['product-name'] == 'A100'"))
    constraint = claim(NVIDIA)
    constraint["spec"]["devices"]["constraints"] = [{"matchAttribute": "resource.kubernetes.io/pcie-root"}]

    assert [(f.rule, f.hint) for f in dralint.lint_text(selector).findings] == [
        ("DRA810", 'did you mean "productName"?')
    ]
    assert [(f.rule, f.hint) for f in dralint.lint_text(json.dumps(constraint)).findings] == [
        ("DRA206", 'did you mean "resource.kubernetes.io/pcieRoot"?')
    ]


@pytest.mark.parametrize(
    ("attribute", "hint"),
    [
        ("parentUUID", "constrain another attribute, or remove the constraint"),  # not uuid: no two devices have one
        ("index", "the domain gpu.nvidia.com has type, uuid, productName"),
        ("productname", 'did you mean "gpu.nvidia.com/productName"?'),
    ],
)
def test_what_a_constraint_means_is_no_attribute_of_one_device(attribute: str, hint: str) -> None:
    wanted = claim()
    wanted["spec"]["devices"]["constraints"] = [{"matchAttribute": f"{NVIDIA}/{attribute}"}]

    (found,) = dralint.lint_text(json.dumps(wanted), select=["DRA81"]).findings
    assert (found.hint or "").startswith(hint)
