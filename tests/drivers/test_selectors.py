"""Selectors on the devices that a driver publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dralint
from tests.drivers.inputs import NVIDIA, SELECTOR, claim, device_class, reported, rules
from tests.judged import fixed

FALSE = "the selector is false for every device, and Pods that use the claim stay Pending"
FAILS = "the selector fails on every device, and this stops the scheduling of the Pod"
OWN = 'device.attributes["gpu.nvidia.com"]'
CAPACITY = 'device.capacity["gpu.nvidia.com"]'


NO = "no device of the driver has the"
INDEX = "no device of the driver has the attribute gpu.nvidia.com/index in v0.5.0: it was there up to v25.3.2"
USED = "and the selector uses it with"
USERS = "sriovnetwork.k8snetworkplumbingwg.io"
ONE_CHANNEL = "compute-domain-default-channel.nvidia.com"
NET = 'device.attributes["dra.net"].rdma == "true"'


@pytest.mark.parametrize(
    ("expression", "rule", "message"),
    [
        (f'{OWN}.modle == "A100"', "DRA810", f"{NO} attribute gpu.nvidia.com/modle; {FAILS}"),
        (f'"modle" in {OWN} && {OWN}.modle == "A100"', "DRA810", f"{NO} attribute gpu.nvidia.com/modle; {FALSE}"),
        (f"{OWN}.memory >= 40", "DRA810", f"{NO} attribute gpu.nvidia.com/memory: it is a capacity; {FAILS}"),
        (f'{CAPACITY}.brand.compareTo(quantity("1")) >= 0', "DRA810",
         f"{NO} capacity gpu.nvidia.com/brand: it is an attribute; {FAILS}"),
        ('device.attributes["nvidia.com"].brand == "Nvidia"', "DRA810", f"{NO} attribute nvidia.com/brand; {FAILS}"),
        (f'{OWN}.driverVersion == "550.0.0"', "DRA812",
         f"gpu.nvidia.com/driverVersion is a version (semver), {USED} a string; {FAILS}"),
        (f"{OWN}.brand == 1", "DRA812", f"gpu.nvidia.com/brand is a string, {USED} an int; {FALSE}"),
        (f'{OWN}.type == "GPU"', "DRA811", f'gpu.nvidia.com/type is never "GPU"; it has only gpu, mig, vfio; {FALSE}'),
        (f'{OWN}.profile == "1g.5gb"', "DRA811",
         f"no device of kind gpu has the attribute gpu.nvidia.com/profile, only those of kind mig; {FAILS}"),
        (f'["mig", "vfio"].exists(x, {OWN}.type == x)', "DRA811",
         f'gpu.nvidia.com/type is gpu for devices that get here, never "mig"; {FALSE}'),
        (f'{OWN}.type.startsWith("m") || {OWN}.type.endsWith("g")', "DRA811",
         f"no value of gpu.nvidia.com/type fits; it has only gpu, mig, vfio; {FALSE}"),
        (f'{OWN}.architecture == "ampere"', "DRA813", '"ampere" is not a value of architecture that dralint knows'),
        (f"{OWN}.index == 0", "DRA813", f"{INDEX}; as of v0.5.0, {FAILS}"),
    ],
)  # fmt: skip
def test_a_selector_that_no_device_matches_is_reported(expression: str, rule: str, message: str) -> None:
    assert reported(claim(NVIDIA, expression)) == [(rule, SELECTOR, f"{message} (driver gpu.nvidia.com)")]


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
        # a device can match
        [claim(NVIDIA, f'{OWN}.productName.lowerAscii().matches("^.*a100.*$")')],
        [claim(NVIDIA, f'{OWN}.productName == "Tesla V100-SXM2-16GB"')],
        [claim(NVIDIA, f'{OWN}.driverVersion.compareTo(semver("550.0.0")) >= 0')],
        [claim(NVIDIA, f'{CAPACITY}.memory.isGreaterThan(quantity("40Gi"))')],
        [claim(NVIDIA, f'{OWN}.?addressingMode.orValue("") == "ATS"')],
        [claim(NVIDIA, f'has({OWN}.addressingMode) ? {OWN}.addressingMode == "ATS" : true')],
        [claim(NVIDIA, f'!("x" in {OWN})')],
        [claim(NVIDIA, f'{OWN}.brand == "Nvidia" || {OWN}.index == 0')],
        [claim(NVIDIA, 'device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:00"')],
        [claim(NVIDIA, f'cel.bind(a, {OWN}, a.brand == "Nvidia")')],
        [claim(NVIDIA, f'{OWN}.brand in ["Nvidia", "Tesla"]')],
        [claim(NVIDIA, f'{OWN}.exists(k, k == "brand")')],
        [claim(NVIDIA, "true")],
        [claim(NVIDIA, "false")],
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
        # what is open, or refused
        [claim(NVIDIA, f"{OWN}.${{NAME}} == 1")],
        [claim(NVIDIA, f"{OWN}.architecture >= 1 &&")],
        [claim(NVIDIA, f'{OWN}.architecture + quantity("1") > quantity("1")')],
    ],
)
def test_a_selector_that_a_device_can_match_or_that_nobody_can_judge(objects: list[dict[str, Any]]) -> None:
    assert rules(*objects) == []


def test_a_configuration_that_may_be_for_another_request_names_no_driver() -> None:
    assert "DRA812" not in rules(of_two_requests())


def test_an_old_version_has_its_attributes() -> None:
    assert rules(claim(NVIDIA, f"{OWN}.index == 0"), driver_versions={NVIDIA: "v25.3.2"}) == []


def test_a_product_name_begins_with_the_brand() -> None:
    report = dralint.lint_text(json.dumps(claim(NVIDIA, f'{OWN}.productName == "H100"')))

    (finding,) = report.findings
    assert (finding.rule, finding.path) == ("DRA811", SELECTOR)
    assert finding.message.startswith('"H100" has not the form of gpu.nvidia.com/productName')
    assert finding.hint == 'did you mean "NVIDIA H100 80GB HBM3"?'


def test_where_the_domain_is_missing_before_a_member_the_hint_has_the_whole_lookup() -> None:
    report = dralint.lint_text(json.dumps(claim(NVIDIA, 'device.attributes["brand"].string == "Nvidia"')))

    (finding,) = report.findings
    assert (finding.rule, finding.path, finding.hint) == (
        "DRA810",
        SELECTOR,
        "write device.attributes['gpu.nvidia.com'].brand",
    )
    assert finding.fix is not None
    assert not finding.fix.safe


def test_a_selector_that_the_server_refuses_gets_the_name_that_is_meant() -> None:
    expression = 'device.attributes["nvidia.com/gpu-memory"].quantity >= quantity("40Gi")'
    report = dralint.lint_text(json.dumps(claim(NVIDIA, expression)))

    (found,) = [finding for finding in report.findings if finding.rule == "DRA810"]
    assert found.message == "no device of the driver has the attribute nvidia.com/gpu-memory (driver gpu.nvidia.com)"
    assert (found.hint or "").startswith('if the capacity is meant, write device.capacity["gpu.nvidia.com"].memory')


def test_the_selector_of_a_class_is_judged_too() -> None:
    ((rule, path, message),) = reported(device_class("mine", f'device.driver == "{NVIDIA}" && {OWN}.typ == "gpu"'))

    assert (rule, path) == ("DRA810", "spec.selectors[0].cel.expression")
    assert "Pods that use the class" not in message
    assert message.startswith("no device of the driver has the attribute gpu.nvidia.com/typ;")


def published(*devices: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "node-1"},
        "spec": {
            "driver": NVIDIA,
            "nodeName": "node-1",
            "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


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
    ("written", "meant"),
    [
        (f'{OWN}.architectur == "Ampere"', f'{OWN}.architecture == "Ampere"'),
        ('device.attributes["nvidia.com"].brand == "Nvidia"', f'{OWN}.brand == "Nvidia"'),
        (f'{OWN}["architectur"] == "Ampere"', f'{OWN}.architecture == "Ampere"'),
        (f"has({OWN}.architectur)", f"has({OWN}.architecture)"),
    ],
)
def test_the_attribute_that_was_meant_is_a_guess(written: str, meant: str) -> None:
    text = json.dumps(claim(NVIDIA, "X")).replace('"X"', f"'{written}'")

    assert fixed(text, unsafe=True) == text.replace(written, meant)


@pytest.mark.parametrize("written", [f'"architectur" in {OWN}', f'{OWN}[?"architectur"].hasValue()'])
def test_an_attribute_that_is_written_in_another_way_is_left_alone(written: str) -> None:
    text = json.dumps(claim(NVIDIA, written))

    assert fixed(text, unsafe=True) == text
    assert rules(claim(NVIDIA, written)) == ["DRA810"]


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
