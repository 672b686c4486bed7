"""Whole objects with places to fill in, in the API version that a release serves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.kubernetes.release import Release
    from dralint.kubernetes.served import ApiVersions

_CLAIM = """\
kind: ResourceClaim
metadata:
  name: ${{1:name}}
spec:
  devices:
{requests}
"""
_TEMPLATE = """\
kind: ResourceClaimTemplate
metadata:
  name: ${{1:name}}
spec:
  spec:
    devices:
{requests}
"""
_CLASS = """\
kind: DeviceClass
metadata:
  name: ${1:gpu.example.com}
spec:
  selectors:
  - cel:
      expression: device.driver == "${2:gpu.example.com}"
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: ${1:name}
spec:
  resourceClaims:
  - name: ${2:device}
    resourceClaimTemplateName: ${3:template}
  containers:
  - name: ${4:main}
    image: ${5:image}
    resources:
      claims:
      - name: ${2:device}
"""

FIELDS = frozenset(re.findall(r"^[ -]*(\w+):", "\n".join([_CLAIM, _CLASS, _POD]), re.MULTILINE)) | {
    "requests",
    "exactly",
}
"""The fields of whole objects: what most objects have, so that it is offered before the rest."""


def of(versions: ApiVersions, release: Release) -> Iterator[tuple[str, str]]:
    """Yield the kinds that a release serves, each with a whole object."""
    for kind in ("ResourceClaim", "ResourceClaimTemplate", "DeviceClass"):
        version = versions.by_default(kind, release) or next(iter(versions.versions(kind, release)), None)
        if version is not None:
            yield kind, f"apiVersion: {version}\n{_body(kind, version)}"
    yield "Pod", _POD


def _body(kind: str, version: str) -> str:
    if kind == "DeviceClass":
        return _CLASS
    layer = not version.endswith(("v1alpha3", "v1beta1"))
    lines = ["requests:", "- name: ${2:device}"]
    lines += ["  exactly:"] if layer else []
    lines.append(f"{'    ' if layer else '  '}deviceClassName: ${{3:class}}")
    indent = 4 if kind == "ResourceClaim" else 6
    text = "\n".join(" " * indent + line for line in lines)
    return (_CLAIM if kind == "ResourceClaim" else _TEMPLATE).format(requests=text)
