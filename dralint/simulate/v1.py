"""Converts objects of any served API version to resource.k8s.io/v1, which the simulation uses.

Source: pkg/apis/resource/{v1beta1,v1beta2,v1}/conversion.go and zz_generated.conversion.go, v1.34.4 to v1.37.0.
"""

from __future__ import annotations

from typing import Any

from dralint.kubernetes.workloads import GROUP

_EXACT = tuple(
    """
    deviceClassName selectors allocationMode count adminAccess tolerations capacity derivedAttributes
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)


def to_v1(item: dict[str, Any]) -> dict[str, Any]:
    """Return an object of resource.k8s.io in its v1 form; other groups and v1 objects stay the same."""
    group, _, version = str(item.get("apiVersion") or "").partition("/")
    if group != GROUP:
        return item
    kind, spec = item.get("kind"), item.get("spec")
    if not isinstance(spec, dict):
        return item
    if kind == "ResourceClaim":
        spec = _claim(spec)
    elif kind == "ResourceClaimTemplate":
        inner = spec.get("spec")
        spec = {**spec, "spec": _claim(inner)} if isinstance(inner, dict) else spec
    elif kind == "ResourceSlice":
        spec = _slice(spec)
    return {**item, "apiVersion": item["apiVersion"] if version == "v1" else f"{GROUP}/v1", "spec": spec}


def _claim(spec: dict[str, Any]) -> dict[str, Any]:
    devices = spec.get("devices")
    if not isinstance(devices, dict) or not isinstance(devices.get("requests"), list):
        return spec
    return {**spec, "devices": {**devices, "requests": [_request(r) for r in devices["requests"]]}}


def _request(request: Any) -> Any:
    """Return a request with its device class and all related fields below `exactly`."""
    if request is None:
        return {}  # as the decoder takes it
    if not isinstance(request, dict) or "exactly" in request or "firstAvailable" in request:
        return request
    flat = {key: request[key] for key in _EXACT if key in request}
    if not flat:
        return request
    return {**{key: value for key, value in request.items() if key not in flat}, "exactly": flat}


def _slice(spec: dict[str, Any]) -> dict[str, Any]:
    devices = spec.get("devices")
    if not isinstance(devices, list):
        return spec
    return {**spec, "devices": [_device(device) for device in devices]}


def _device(device: Any) -> Any:
    """Return a device without `basic`, whose capacities are objects."""
    if not isinstance(device, dict):
        return {} if device is None else device
    basic = device.get("basic")
    if isinstance(basic, dict):
        device = {**{key: value for key, value in device.items() if key != "basic"}, **basic}
    capacity = device.get("capacity")
    if isinstance(capacity, dict) and any(not isinstance(value, dict) for value in capacity.values()):
        whole = {name: value if isinstance(value, dict) else {"value": value} for name, value in capacity.items()}
        device = {**device, "capacity": whole}
    return device
