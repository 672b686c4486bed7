"""The differences between releases and implementations of the allocator, as data, and which implementation runs.

The scheduler has three implementations; the first that supports all features switched on is used. Here there is one
search, and every difference is a named behaviour with the releases and implementations that have it. Sources (v1.34.4,
v1.35.4, v1.36.3, v1.37.0): k8s.io/dynamic-resource-allocation/structured/allocator.go (NewAllocator) and
internal/{stable,incubating,experimental}; pkg/scheduler/framework/plugins/dynamicresources (AllocatorFeatures).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dralint.kubernetes import gates as gate_table
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release, in_range, patch_of
from dralint.kubernetes.served import full_name
from dralint.kubernetes.taints import EFFECTS_MATTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STABLE, INCUBATING, EXPERIMENTAL = "stable", "incubating", "experimental"

FIRST = Release(1, 34)
"""The oldest release whose allocator is simulated."""

_ADMIN, _LISTS, _PARTITIONS, _TAINTS = (
    "DRAAdminAccess",
    "DRAPrioritizedList",
    "DRAPartitionableDevices",
    "DRADeviceTaints",
)
_CAPACITY, _FRACTIONS = "DRAConsumableCapacity", "DRAFractionalCapacityRange"
_BINDING, _STATUS = "DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"
_BINDING_AND_STATUS = "DRADeviceBindingConditions and DRAResourceClaimDeviceStatus"
_FOUR = (_ADMIN, _LISTS, _PARTITIONS, _TAINTS)

_FEATURES: dict[str, tuple[str, ...]] = {
    "1.34": (*_FOUR, _CAPACITY, _BINDING, _STATUS),
    "1.35..": (*_FOUR, _CAPACITY, _BINDING_AND_STATUS),
    # The scheduler of 1.36 does not pass DRAListTypeAttributes to the allocator.
    "1.37..": (
        _FRACTIONS,
        "DRAListTypeAttributes",
        "DRAOptionalNodeOperations",
        "DRADerivedAttributes",
        "DRADeviceCompatibilityGroups",
    ),
}
"""Release range → the features that the scheduler requires of an implementation; each is the gate of that name."""

_SUPPORTED: dict[str, dict[str, tuple[str, ...]]] = {
    STABLE: {"1.36..": _FOUR},
    INCUBATING: {
        "1.34..": _FOUR,
        "1.36..": (_CAPACITY, _BINDING_AND_STATUS),
        "1.37..": (_FRACTIONS,),
    },
}
"""What an implementation supports, beginning with a release; the experimental one supports everything."""

_ALL_GATES = (
    *_FOUR,
    "DRADeviceTaintRules",
    _CAPACITY,
    _BINDING,
    _STATUS,
    "DRAExtendedResource",
    "DRAListTypeAttributes",
    _FRACTIONS,
    "DRADeviceCompatibilityGroups",
    "DRADerivedAttributes",
    "DRAOptionalNodeOperations",
)

_ANY = f"{STABLE} {INCUBATING} {EXPERIMENTAL}"
_NEWER = f"{INCUBATING} {EXPERIMENTAL}"

BEHAVIOURS: dict[str, dict[str, str]] = {
    # Pools
    "skips_counter_slices_without_gate": {"1.35..": _ANY},
    "skips_grouped_slices_without_gate": {"1.37..": _ANY},
    "counter_slices_everywhere": {"1.35..1.36": _ANY, "1.37..": STABLE},
    "consults_other_nodes": {"1.35..": _ANY},
    "uses_incomplete_pools": {"1.34": _ANY},
    "validates_counters": {"1.35..": _ANY},
    "orders_pools": {"1.36..": _NEWER},
    "binding_pools_last": {"1.34..1.35": EXPERIMENTAL, "1.36..": _NEWER},
    "binding_slices_last": {"1.34..1.35": EXPERIMENTAL},
    # Preparation
    "checks_capacity_gate": {"1.34..1.35": EXPERIMENTAL, "1.36..": _NEWER},
    "blames_parent_for_capacity": {"1.34": _ANY},
    "checks_derived_gate": {"1.37..": _ANY},
    "all_needs_room_now": {"1.34..1.36": _ANY},
    "all_shares_verdicts": {"1.34..1.35": _ANY},
    "knows_distinct": {"1.34..1.35": EXPERIMENTAL, "1.36..": _NEWER},
    # Search
    "tries_combinations": {"1.36..": _NEWER},
    "all_forgets_alternative": {"1.34..1.35": _ANY},
    "leaks_on_refusal": {"1.34..1.35": _ANY},
    "shares_keep_counters": {"1.34..1.35": EXPERIMENTAL},
    "weighs_wrong_device": {"1.34": EXPERIMENTAL},
    "invalid_pool_is_fatal": {"1.34": _ANY},
    "effects_matter": {EFFECTS_MATTER: _ANY},
    "names_device_in_cel_errors": {"1.37..": _ANY},
    "hides_sharing_from_cel": {"1.34..1.35": INCUBATING},
    # Constraints
    "distinct_by_identity": {"1.34": EXPERIMENTAL},
    "distinct_by_request": {"1.35": EXPERIMENTAL, "1.36": _NEWER},
    # Counters and capacity
    "counters_by_slice": {"1.34": _ANY},
    "counters_by_pool_name": {"1.35": _ANY},
    "counts_shared_devices": {"1.36..": _NEWER},
    "charges_shares_once": {"1.35..": _ANY},
    "any_share_charges": {"1.37..": _ANY},
    "refuses_odd_capacity": {"1.37..": _ANY},
    # Results
    "returns_tolerations": {"1.35..": _ANY},
    "config_once": {"1.37..": _ANY},
    "scores": {"1.35..": _ANY},
    # The scheduler's plugin around it
    "scores_by_index": {"1.35": _ANY},
    "scores_earlier_claims": {"1.36..": _ANY},
    "explicit_extended_name_wins": {"1.34": _ANY},
    "zero_allocatable_is_absent": {"1.35..": _ANY},
    "asks_for_plugin_resources": {"1.34": _ANY},  # of a device plugin, where the Pod needs other devices
    "reuses_extended_requests": {"1.35..": _ANY},
    "tells_post_filter": {"1.34..1.36": _ANY},
    "owner_in_lower_case": {"1.34..1.35": _ANY},
    "group_claims_need_gate": {"1.37..": _ANY},  # else the controller makes them for each Pod
    "gangs_end_early": {"1.37..": _ANY},  # as soon as too few of their Pods are left
    "shares_pending_claims_anywhere": {"1.36": _ANY},  # issue 140087
    "taint_rules_with_taints": {"1.34": _ANY},
    "skips_operations": {"1.37..": EXPERIMENTAL},  # of slices, and needs a node that declares so
}
"""Behaviour → release range → implementations that have it."""

_OF_FEATURES = {
    "admin_access": _ADMIN,
    "prioritized_lists": _LISTS,
    "derived_attributes": "DRADerivedAttributes",
    "partitions": _PARTITIONS,
    "taints": _TAINTS,
    "groups": "DRADeviceCompatibilityGroups",
    "capacity": _CAPACITY,
    "fractions": _FRACTIONS,
    "list_attributes": "DRAListTypeAttributes",
    "optional_operations": "DRAOptionalNodeOperations",
}
"""Behaviour → the feature that it has to reach the allocator with.

Requests may have adminAccess, alternatives and derived attributes; counters, taints and compatibility groups are known;
capacity is consumed and devices may be shared, and ranges of it count in thousandths; constraints compare lists; nodes
may declare that operations can be skipped.
"""

BEHAVIOURS_OF_PATCHES: dict[str, dict[str, tuple[int, int | None]]] = {
    "repeats_class_config": {"1.34": (0, 1)},
    "limits_each_request": {"1.37": (1, None)},
    "spares_extended_users": {"1.34": (0, None), "1.35": (0, None), "1.36": (0, None), "1.37": (0, 1)},
    "needs_selector_of_rules": {"1.37": (1, None)},
}
"""Behaviour → release → its first and its last patch that have it; recordings of two patches show them."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the allocator of one release behaves with one set of gates.

    `gates` are those that are on, `named` the behaviours that the implementation has. `patch` is that of the release
    which was asked for, None where none was named.
    """

    release: Release
    gates: frozenset[str]
    implementation: str
    named: frozenset[str]
    patch: int | None = None

    def __str__(self) -> str:
        """The release by its name: `1.37`, `1.37.1` where a patch was named, `1.38 (alpha.2)`."""
        release = str(self.release)
        name = full_name(release)
        return f"{release}.{self.patch}" if name == release and self.patch is not None else name

    def has(self, name: str) -> bool:
        """Say whether the allocator has a behaviour of one of the tables here, or one that a gate alone switches.

        These are `taint_rules`, whether DeviceTaintRules are applied, `extended_resources`, whether those of a Pod can
        be devices, and `binding`, whether devices with binding conditions may be allocated.
        """
        return name in self.named


def behaviour(release: Release | str, gates: Mapping[str, bool] | None = None, patch: int | None = None) -> Behaviour:
    """Return how the allocator of a release behaves.

    Args:
        release: `1.37`, or a Release.
        gates: feature gates that differ from the defaults of the release, also AllAlpha and AllBeta. One that the
            release does not have is ignored.
        patch: of the release, such as 1 for 1.37.1; None for the one that the tables describe.

    Raises:
        ValueError: a release older than 1.34, or a text that is none.
    """
    judged = Release.parse(release) if isinstance(release, str) else release
    if judged < FIRST:
        raise ValueError(f"allocation is simulated for releases from {FIRST} on, not for {judged}")
    on = gate_table.enabled(judged, dict(gates or {}))
    features = [name for span, names in _FEATURES.items() if in_range(span, judged) for name in names]
    wanted = {name for name in features if all(gate in on for gate in name.split(" and "))}
    supported = {
        name: {feature for span, features in spans.items() if in_range(span, judged) for feature in features}
        for name, spans in _SUPPORTED.items()
    }
    implementation = next((name for name, those in supported.items() if wanted <= those), EXPERIMENTAL)
    named = frozenset(
        name
        for name, spans in BEHAVIOURS.items()
        if any(in_range(span, judged) and implementation in whose.split() for span, whose in spans.items())
    )
    at = _described(judged) if patch is None else patch
    for name, spans in BEHAVIOURS_OF_PATCHES.items():
        first, last = spans.get(str(judged), (at + 1, None))
        if at >= first and (last is None or at <= last):
            named |= {name}
    switched = {
        "taint_rules": _TAINTS if "taint_rules_with_taints" in named else "DRADeviceTaintRules",
        "extended_resources": "DRAExtendedResource",
    }
    named |= {name for name, feature in _OF_FEATURES.items() if feature in wanted}
    named |= {name for name, gate in switched.items() if gate in on}
    named |= {"binding"} if {_BINDING, _STATUS} <= on else set()
    return Behaviour(judged, on, implementation, named, patch)


def _described(release: Release) -> int:
    """Return the patch of a release that the tables describe."""
    row = shipped.index()["releases"]["releases"].get(str(release), {})
    named = patch_of(row.get("tag", ""))
    return 0 if named is None else named[1]


def stand_in(release: Release, gates: Mapping[str, bool], patches: Sequence[int] = ()) -> Behaviour:
    """Return the behaviour that says whether something fits at all; that of `FIRST` stands in for releases before it.

    It is that of the newest of the patches; without any, it has no fault that a patch mends. The gates are those of the
    release itself. Source: structured/{allocator,pools}.go of
    k8s.io/dynamic-resource-allocation v0.31.3, v0.32.3 and v0.33.3, compared with v0.34.3: the search is the same,
    except for admin access and, until 1.32, for mode All where there is no device.
    """
    if release >= FIRST:
        return behaviour(release, gates, max(patches, default=sys.maxsize))
    on = gate_table.enabled(release, dict(gates))
    return behaviour(FIRST, {gate: gate in on for gate in _ALL_GATES})


def every_gate(release: Release) -> dict[str, bool]:
    """Return the gates that concern allocation and exist in a release, all on."""
    return {gate: True for gate in _ALL_GATES if gate_table.stage(gate, release) is not None}
