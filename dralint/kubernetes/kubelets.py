"""The API version in which a kubelet reads claims, if it knows only one."""

from __future__ import annotations

from dralint.kubernetes.release import Release
from dralint.kubernetes.workloads import GROUP

_ASKED = {Release(1, 31): f"{GROUP}/v1alpha3", Release(1, 32): f"{GROUP}/v1beta1", Release(1, 33): f"{GROUP}/v1beta1"}
"""Source: pkg/kubelet/cm/dra of v1.31.14, v1.32.13 and v1.33.13. Later ones use the newest that the server has."""


def asked_for(kubelet: str | None) -> str | None:
    """Return the one API version in which a kubelet of that version reads claims; None where it can read several."""
    try:
        release = Release.parse(kubelet or "")
    except ValueError:
        return None
    return _ASKED.get(release)
