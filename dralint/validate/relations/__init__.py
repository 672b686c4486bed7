"""Checks relations between the fields of an object, type by type.

A check is a function (value, link, context) of its type. It adds problems to the context, and may return the names of
fields that the API server does not check any more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.validate.constraints import Hook

CHECKS = {
    "ResourceClaimStatus": ("claim", "status"),
    "ResourceClaimTemplate": ("claim", "claim_template"),
    "DeviceClaim": ("claim", "device_claim"),
    "DeviceRequest": ("claim", "request"),
    "ExactDeviceRequest": ("claim", "amount"),
    "DeviceSubRequest": ("claim", "amount"),
    "DeviceToleration": ("claim", "toleration"),
    "DeviceConstraint": ("claim", "constraint"),
    "DeviceClaimConfiguration": ("claim", "configuration"),
    "DeviceAllocationConfiguration": ("claim", "configuration"),
    "DeviceRequestAllocationResult": ("claim", "result"),
    "NetworkDeviceData": ("claim", "network_data"),
    "ResourceSliceSpec": ("slices", "spec"),
    "Counter": ("slices", "counter"),
    "Device": ("slices", "device"),
    "BasicDevice": ("slices", "basic_device"),
    "DeviceAttribute": ("slices", "attribute"),
    "CapacityRequestPolicy": ("slices", "request_policy"),
    "ResourceHandle": ("claim", "resource_handle"),
    "NamedResourcesAttribute": ("slices", "named_resources_attribute"),
    "CELDeviceSelector": ("selectors", "device"),
    "DeviceDerivedAttribute": ("selectors", "derived"),
    "NamedResourcesRequest": ("selectors", "named_resources"),
    "NamedResourcesFilter": ("selectors", "named_resources"),
    "DeviceTaintRuleSpec": ("slices", "taint_rule"),
    "ObjectMeta": ("metadata", "object_meta"),
    "core.PodSpec": ("pod", "pod_spec"),
    "core.PodResourceClaim": ("pod", "pod_claim"),
    "PodGroupResourceClaim": ("pod", "one_of_names"),
    "core.NodeSelectorTerm": ("metadata", "term"),
    "core.NodeSelectorRequirement": ("metadata", "requirement"),
}
"""Type → the module of this package and its function that checks it."""


def hook(name: str) -> Hook | None:
    """Return the check of a type; None when there is none. Its module is imported for the first value of the type."""
    if name not in CHECKS:
        return None
    module, function = CHECKS[name]
    check: Hook = getattr(import_module(f"{__name__}.{module}"), function)
    return check
