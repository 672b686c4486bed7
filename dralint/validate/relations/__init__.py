"""Checks relations between the fields of an object, type by type.

A check is a function (value, link, context) of its type. It adds problems to the context, and may return the names of
fields that the API server does not check any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.validate.constraints import Hook


def hook(name: str) -> Hook | None:
    """Return the check of a type; None when there is none. Its module is imported for the first value of the type."""
    match name:
        case "ResourceClaimStatus":
            from dralint.validate.relations.claim_status import status

            return status
        case "ResourceClaimTemplate":
            from dralint.validate.relations.advice import claim_template

            return claim_template
        case "DeviceClaim":
            from dralint.validate.relations.claim import device_claim

            return device_claim
        case "DeviceRequest":
            from dralint.validate.relations.claim import request

            return request
        case "ExactDeviceRequest" | "DeviceSubRequest":
            from dralint.validate.relations.claim import amount

            return amount
        case "DeviceToleration":
            from dralint.validate.relations.claim import toleration

            return toleration
        case "DeviceConstraint":
            from dralint.validate.relations.claim import constraint

            return constraint
        case "DeviceClaimConfiguration" | "DeviceAllocationConfiguration":
            from dralint.validate.relations.claim import configuration

            return configuration
        case "DeviceRequestAllocationResult":
            from dralint.validate.relations.claim_status import result

            return result
        case "NetworkDeviceData":
            from dralint.validate.relations.claim_status import network_data

            return network_data
        case "ResourceSliceSpec":
            from dralint.validate.relations.slices import spec

            return spec
        case "Device":
            from dralint.validate.relations.slice_device import device

            return device
        case "BasicDevice":
            from dralint.validate.relations.slice_device import basic_device

            return basic_device
        case "DeviceAttribute":
            from dralint.validate.relations.slice_device import attribute

            return attribute
        case "CapacityRequestPolicy":
            from dralint.validate.relations.slice_device import request_policy

            return request_policy
        case "ResourceHandle":
            from dralint.validate.relations.claim import resource_handle

            return resource_handle
        case "NamedResourcesAttribute":
            from dralint.validate.relations.claim import named_resources_attribute

            return named_resources_attribute
        case "CELDeviceSelector":
            from dralint.validate.relations.selectors import device

            return device
        case "DeviceDerivedAttribute":
            from dralint.validate.relations.selectors import derived

            return derived
        case "NamedResourcesRequest" | "NamedResourcesFilter":
            from dralint.validate.relations.selectors import named_resources

            return named_resources
        case "DeviceTaintRuleSpec":
            from dralint.validate.relations.advice import taint_rule

            return taint_rule
        case "ObjectMeta":
            from dralint.validate.relations.metadata import object_meta

            return object_meta
        case "core.PodSpec":
            from dralint.validate.relations.pod import pod_spec

            return pod_spec
        case "core.PodResourceClaim":
            from dralint.validate.relations.pod import pod_claim

            return pod_claim
        case "PodGroupResourceClaim":
            from dralint.validate.relations.pod import one_of_names

            return one_of_names
        case "core.NodeSelectorTerm":
            from dralint.validate.relations.metadata import term

            return term
        case "core.NodeSelectorRequirement":
            from dralint.validate.relations.metadata import requirement

            return requirement
    return None
