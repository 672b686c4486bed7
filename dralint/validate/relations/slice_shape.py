"""The places of a device's fields, by API version (pkg/apis/resource/v1beta1/conversion.go, v1.33.13 to v1.37.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dralint.finding.path import Link
    from dralint.validate.context import Context

_PLAIN_VERSIONS = ("v1alpha3", "v1beta1")


def in_basic(context: Context) -> bool:
    """Say whether the object's version has `basic` in devices, and plain fields that are optional in later versions."""
    return context.api_version.endswith(_PLAIN_VERSIONS)


def nested_device(value: dict[str, Any] | None, context: Context) -> dict[str, Any]:
    """Return the fields of a device: those in it, or under `basic` in v1alpha3 and v1beta1."""
    device = value or {}
    return (device.get("basic") or {}) if in_basic(context) else device


def nested_link(link: Link, context: Context) -> Link:
    """Return the link to these fields."""
    return (link, "basic") if in_basic(context) else link
