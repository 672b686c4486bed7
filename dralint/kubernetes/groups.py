"""API groups that no kind of resource.k8s.io can be in: Kubernetes' own other groups, and misspelt names.

Sources: pkg/controlplane/instance.go (v1.26.15 to v1.37.0) for the groups; validateCustomResourceDefinitionSpec of
apiextensions-apiserver for the dot that the group of a custom resource needs.
"""

from __future__ import annotations

from functools import lru_cache

from dralint.kubernetes.workloads import GROUP

ADMISSION = "admissionregistration.k8s.io"
"""The group of admission policies and of the configurations of webhooks."""

CLUSTER_SCOPED = frozenset(
    {"DeviceClass", "DeviceTaintRule", "ResourceClass", "ResourcePoolStatusRequest", "ResourceSlice"}
)
"""The cluster-scoped kinds of resource.k8s.io: the API server removes a namespace from such an object."""

OWN = frozenset(
    f"{name}.k8s.io"
    for name in """
    admissionregistration apiextensions apiregistration authentication rbac.authorization authorization certificates
    coordination discovery events flowcontrol.apiserver internal.apiserver networking node scheduling storage
    storagemigration
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Kubernetes' own groups with a dot, other than resource.k8s.io; only Kubernetes can have a group without a dot."""

_MOST = 2


def is_ours(api_version: str) -> bool:
    """Say whether an apiVersion names resource.k8s.io, in any version."""
    return api_version == GROUP or api_version.startswith(f"{GROUP}/")


def is_own(group: str) -> bool:
    """Say whether only Kubernetes itself can serve the group (the core group is the empty text)."""
    return "." not in group or group in OWN


def nearly_ours(group: str) -> bool:
    """Say whether the group can only mean resource.k8s.io: the wrong case, a space, one or two typing mistakes."""
    name = "".join(group.split()).lower().replace("kubernetes.io", "k8s.io")
    if name == GROUP or (len(name) > len("resource") and GROUP.startswith(name)):
        return True
    # Groups of projects around Kubernetes end so.
    return not name.endswith("x-k8s.io") and _distance(name, GROUP) <= _MOST


@lru_cache(maxsize=64)
def nearly_one_of(kind: str, kinds: frozenset[str]) -> bool:
    """Say whether a kind equals one of those apart from its case, a plural, or one character."""
    name = kind.lower()
    for known in map(str.lower, kinds):
        if name in (known, f"{known}s", f"{known}es") or _distance(name, known) < _MOST:
            return True
    return False


def _distance(left: str, right: str) -> int:
    """Return the distance of Levenshtein, or a number above the limit for lengths that are too far apart."""
    if abs(len(left) - len(right)) > _MOST:
        return _MOST + 1
    row = list(range(len(right) + 1))
    for position, char in enumerate(left, 1):
        above, row[0] = row[0], position
        for column, other in enumerate(right, 1):
            above, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, above + (char != other))
    return row[-1]
