"""The differences between neighbouring API versions of resource.k8s.io, as a table.

Sources: pkg/apis/resource/v1beta1/conversion.go and pkg/apis/resource/v1alpha3/conversion.go of v1.33.13 to v1.37.0,
and resource/*/types.go of k8s.io/api of the same releases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from dralint.kubernetes.workloads import GROUP

V1ALPHA3: Final = f"{GROUP}/v1alpha3"
V1BETA1: Final = f"{GROUP}/v1beta1"
V1BETA2: Final = f"{GROUP}/v1beta2"
V1: Final = f"{GROUP}/v1"
VERSIONS: Final = (V1ALPHA3, V1BETA1, V1BETA2, V1)
"""The API versions that can be converted to each other, oldest first."""


def short(version: str) -> str:
    """Return an API version without its group."""
    return version.rpartition("/")[2]


EACH: Final = None
"""In a path, it means every item of a list, or every entry of a map."""

Pattern = tuple[str | None, ...]
Way = Literal["wrap", "unwrap", "nest"]


@dataclass(frozen=True, slots=True)
class Move:
    """A difference between an API version and the next one, described as a change to the newer one.

    `wrap`: the entries of the mappings at `path`, except for those in `beside`, move below the key `key`; `unwrap`:
    they are below it and move out; `nest`: the value at `path` becomes the only entry `key` of a mapping. `inner` is
    the type of the value below the key.
    """

    older: str
    kind: str
    path: Pattern
    way: Way
    key: str
    beside: frozenset[str] = frozenset()
    inner: str = ""


_REQUEST_BESIDE = frozenset({"name", "firstAvailable"})
_EXACT = "ExactDeviceRequest"
_REQUESTS = ("devices", "requests", EACH)

MOVES: Final = (
    Move(V1ALPHA3, "ResourceSlice", ("spec", "devices", EACH, "basic", "capacity", EACH), "nest", "value"),
    Move(V1BETA1, "ResourceClaim", ("spec", *_REQUESTS), "wrap", "exactly", _REQUEST_BESIDE, _EXACT),
    Move(V1BETA1, "ResourceClaimTemplate", ("spec", "spec", *_REQUESTS), "wrap", "exactly", _REQUEST_BESIDE, _EXACT),
    Move(V1BETA1, "ResourceSlice", ("spec", "devices", EACH), "unwrap", "basic", frozenset({"name"}), "BasicDevice"),
)
"""All differences in shape. v1beta2 and v1 have none."""

UNSET: Final = ((V1BETA1, "ResourceSlice", ("spec",), {"nodeName": "", "allNodes": False}),)
"""Values without a meaning up to an API version and with one since the next: older version, kind, path, values."""

UNSET_REQUEST: Final = {"deviceClassName": "", "allocationMode": "", "count": 0}
"""Values that do not count as own fields of a flat request with `firstAvailable`."""
