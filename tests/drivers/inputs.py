"""Manifests for the tests of driver packs, and dralint's findings on them."""

from __future__ import annotations

import json
from typing import Any

import dralint
from tests.objects import item

NVIDIA = "gpu.nvidia.com"
PARAMETERS = "spec.devices.config[0].opaque.parameters"
SELECTOR = "spec.devices.requests[0].exactly.selectors[0].cel.expression"


def claim(
    device_class: str = NVIDIA, *selectors: str, driver: str = NVIDIA, parameters: Any = None, admin: bool = False
) -> dict[str, Any]:
    exactly: dict[str, Any] = {"deviceClassName": device_class}
    if selectors:
        exactly["selectors"] = [{"cel": {"expression": each}} for each in selectors]
    if admin:
        exactly["adminAccess"] = True
    devices: dict[str, Any] = {"requests": [{"name": "gpu", "exactly": exactly}]}
    if parameters is not None:
        devices["config"] = [{"requests": ["gpu"], "opaque": {"driver": driver, "parameters": parameters}}]
    return item("ResourceClaim", "train", "ml", spec={"devices": devices})


def device_class(name: str, expression: str, **metadata: Any) -> dict[str, Any]:
    return item("DeviceClass", name, metadata=metadata, spec={"selectors": [{"cel": {"expression": expression}}]})


def gpu_config(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", **fields}


def reported(*objects: dict[str, Any], **choices: Any) -> list[tuple[str, str, str]]:
    """Return rule, path and message of the findings about drivers."""
    text = "\n".join(map(json.dumps, objects))
    report = dralint.lint_text(text, **choices)
    assert report.failures == []
    return [(f.rule, f.path, f.message) for f in report.findings if f.rule.startswith("DRA8")]


def rules(*objects: dict[str, Any], **choices: Any) -> list[str]:
    return [rule for rule, _, _ in reported(*objects, **choices)]
