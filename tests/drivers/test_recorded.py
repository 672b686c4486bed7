"""Allocated claims that a driver has prepared or refused, written as the claims and classes that lead to them.

tests/data/drivers/prepare.jsonl has what the kubelet plugins of gpu.nvidia.com and compute-domain.nvidia.com (v0.4.1)
did: the requests with the kind of their device, and the configurations of the class and of the claim.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dralint
from tests.drivers.inputs import device_class
from tests.objects import item

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data/drivers/prepare.jsonl").read_text("utf-8").splitlines()
]
VERSION = "v0.4.1"
CLASSES = {
    "gpu": "gpu.nvidia.com",
    "mig": "mig.nvidia.com",
    "vfio": "vfio.gpu.nvidia.com",
    "channel": "compute-domain-default-channel.nvidia.com",
    "daemon": "compute-domain-daemon.nvidia.com",
}
REPORTED_ANYWAY = {
    "a mistake in one that is for nothing here": "the server refuses a configuration for a request that does not exist",
    "a compute domain's, for another request": "the server refuses a configuration for a request that does not exist",
    "a mistake in the class's, the claim's is good": "the class is of no use to claims without an own configuration",
}
"""What the driver accepts because it does not apply a configuration that is wrong, and dralint reports."""
UNUSED_GATE = "dp0105"
"""A configuration for devices that the claim does not have, whose strategy needs a gate that is off."""


def objects(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claim of a case, and a class for each request whose class has a configuration."""
    requests: dict[str, dict[str, Any]] = {}
    out = []
    for name, kind in case["results"]:
        of_class = [c for c in case["configs"] if c["source"] == "FromClass" and name in (c["requests"] or [name])]
        if name in requests:
            requests[name]["count"] += 1
        else:
            requests[name] = {"deviceClassName": f"own-{name}" if of_class else CLASSES[kind], "count": 1}
            if of_class:
                driver = case["driver"]
                expression = f'device.driver == "{driver}" && device.attributes["{driver}"].type == "{kind}"'
                own = device_class(f"own-{name}", expression)
                own["spec"]["config"] = [{"opaque": opaque(config)} for config in of_class]
                out.append(own)
    devices: dict[str, Any] = {"requests": [{"name": name, "exactly": each} for name, each in requests.items()]}
    of_claim = [config for config in case["configs"] if config["source"] == "FromClaim"]
    if of_claim:
        devices["config"] = [{"requests": config["requests"], "opaque": opaque(config)} for config in of_claim]
    return [*out, item("ResourceClaim", "train", "ml", spec={"devices": devices})]


def opaque(config: dict[str, Any]) -> dict[str, Any]:
    return {"driver": config["driver"], "parameters": config["parameters"]}


def refused(case: dict[str, Any]) -> bool:
    """Say whether dralint reports that the claim does not work."""
    report = dralint.lint_text(
        "\n".join(map(json.dumps, objects(case))),
        driver_versions={"gpu.nvidia.com": VERSION, "compute-domain.nvidia.com": VERSION},
        driver_gates={"gpu.nvidia.com": case["gates"]} if case["gates"] else {},
    )
    return any(finding.effect in ("broken", "rejected") for finding in report.findings)


def may_be_allocated(case: dict[str, Any]) -> bool:
    """Say whether the devices of a case exist with its gates: the driver was given them even so."""
    return "PassthroughSupport" in case["gates"] or all(kind != "vfio" for _, kind in case["results"])


@pytest.mark.slow
def test_what_the_driver_refuses_is_reported() -> None:
    missed = [case["id"] for case in CASES if not case["ok"] and not refused(case)]

    assert missed == []


@pytest.mark.slow
def test_what_the_driver_prepares_is_not_reported() -> None:
    prepared = [case for case in CASES if case["ok"] and case["what"] not in REPORTED_ANYWAY and may_be_allocated(case)]
    alarms = [case["id"] for case in prepared if refused(case)]

    assert alarms == [UNUSED_GATE]


@pytest.mark.slow
@pytest.mark.parametrize("what", REPORTED_ANYWAY)
def test_what_nobody_applies_is_reported_anyway(what: str) -> None:
    prepared = [case for case in CASES if case["ok"] and case["what"] == what]

    assert prepared != []
    assert all(refused(case) for case in prepared)
