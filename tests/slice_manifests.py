"""Manifests of slices for the tests, and the findings of one release on a manifest."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

from tests.judged import judged

EVERYTHING = "AllAlpha=true,AllBeta=true"
SHOWN = ("rejected", "unreadable", "advice")


class Said(NamedTuple):
    """One finding, without what other tests look at."""

    rule: str
    path: str
    line: int
    message: str


def said(text: str, release: str, switched: str = EVERYTHING, *, version_advice: bool = False) -> list[Said]:
    """Return the refusals and advice that a release gives on a manifest, in the order of lines."""
    return [
        Said(f.rule, f.path, f.line, f.message)
        for f in judged(text, release, switched=switched).findings
        if f.effect in SHOWN and (version_advice or not f.rule.startswith("DRA5"))
    ]


def reasons(text: str, release: str, switched: str = EVERYTHING) -> list[tuple[str, str | None]]:
    """Return path and reason of each refusal."""
    found = judged(text, release, switched=switched).findings
    return [(f.path, f.reason) for f in found if f.effect in ("rejected", "unreadable")]


def block(text: str, depth: int) -> str:
    """Return the text indented by `depth` spaces."""
    return textwrap.indent(textwrap.dedent(text).strip("\n") + "\n", " " * depth)


def slice_of(
    devices: str = "", *, version: str = "v1", spec: str = "nodeName: node-1", driver: str = "gpu.example.com"
) -> str:
    """Return a ResourceSlice; `devices` are the items of its list, `spec` more fields of its spec."""
    text = f"""\
apiVersion: resource.k8s.io/{version}
kind: ResourceSlice
metadata:
  name: node-1-gpu
spec:
  driver: {driver}
  pool: {{name: node-1, generation: 1, resourceSliceCount: 1}}
"""
    if spec:
        text += block(spec, 2)
    if devices:
        text += "  devices:\n" + block(devices, 2)
    return text


def device_of(fields: str, **settings: str) -> str:
    """Return a slice (see `slice_of`) with one device; its fields begin in line 11."""
    return slice_of("- name: gpu-0\n" + block(fields, 2), **settings)
