"""Selectors on the devices that a driver publishes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dralint
from tests.drivers.inputs import NVIDIA, SELECTOR, claim, reported, rules

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


def test_a_configuration_that_may_be_for_another_request_names_no_driver() -> None:
    assert "DRA812" not in rules(of_two_requests())


def test_an_old_version_has_its_attributes() -> None:
    assert rules(claim(NVIDIA, f"{OWN}.index == 0"), driver_versions={NVIDIA: "v25.3.2"}) == []


def test_a_capacity_among_the_attributes_is_told_once() -> None:
    text = json.dumps(claim(NVIDIA, f'{OWN}.memory.compareTo(quantity("40Gi")) >= 0'))

    assert [one.rule for one in dralint.lint_text(text).findings] == ["DRA810"]
    assert [one.rule for one in dralint.lint_text(text, select=["DRA310"]).findings] == ["DRA310"]
    other = text.replace(f'"deviceClassName": "{NVIDIA}"', '"deviceClassName": "mine"')
    assert [one.rule for one in dralint.lint_text(other).findings] == ["DRA310"]


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
