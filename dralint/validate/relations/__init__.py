"""What one field alone cannot tell: relations within an object, type by type.

A check is a function (value, link, context) of the type it is listed for; it reports to the context, and may return the
names of fields that the server does not look at any more. They are imported when their type is first met.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.constraints import Hook
    from dralint.validate.context import Context

HOOKS = {
    "ResourceClaimStatus": "classic:claim_status claim_status:status",
    "DeviceClaim": "claim:device_claim selectors:derived_cost advice:empty_claim",
    "DeviceRequest": "claim_request:request",
    "ExactDeviceRequest": "claim_request:exact",
    "DeviceSubRequest": "claim_request:exact",
    "DeviceToleration": "toleration:toleration",
    "DeviceConstraint": "claim:constraint",
    "DeviceClaimConfiguration": "claim:configuration",
    "DeviceAllocationConfiguration": "claim:configuration",
    "DeviceRequestAllocationResult": "claim_status:result",
    "NetworkDeviceData": "claim_status:network_data",
    "ResourceSliceSpec": "slices:spec advice:driver_case advice:own_domain",
    "Device": "slice_device:device",
    "BasicDevice": "slice_device:basic_device",
    "DeviceAttribute": "slice_device:attribute",
    "CapacityRequestPolicy": "capacity:request_policy",
    "ResourceHandle": "classic:resource_handle",
    "NamedResourcesAttribute": "classic:named_resources_attribute",
    "CELDeviceSelector": "selectors:device",
    "DeviceDerivedAttribute": "selectors:derived",
    "NamedResourcesRequest": "selectors:named_resources",
    "NamedResourcesFilter": "selectors:named_resources",
    "ObjectMeta": "metadata:object_meta",
    "core.PodSpec": "pod:pod_spec",
    "core.PodResourceClaim": "pod:pod_claim",
    "PodGroupResourceClaim": "pod:one_of_names",
    "core.NodeSelectorTerm": "node_selector:term",
    "core.NodeSelectorRequirement": "node_selector:requirement",
}
"""Type → `module:function` below dralint.validate.relations, several where a type has several checks."""


@cache
def hook(name: str) -> Hook | None:
    """Return the check of a type, None when it has none."""
    found = [_load(place) for place in HOOKS.get(name, "").split()]
    return found[0] if len(found) == 1 else _all(found) if found else None


def _load(place: str) -> Hook:
    """Return the function of `module:function`, whose module is imported when it is first called."""
    module, _, name = place.partition(":")
    function: Hook | None = None

    def check(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
        nonlocal function
        if function is None:
            function = cast("Hook", getattr(importlib.import_module(f"dralint.validate.relations.{module}"), name))
        return function(value, link, context)

    return check


def _all(hooks: list[Hook]) -> Hook:
    def check(value: dict[str, Any], link: Link, context: Context) -> Collection[str]:
        hidden: list[str] = []
        for one in hooks:
            names = one(value, link, context)
            if names:
                hidden += names
        return hidden

    return check
