"""Finds where two values of a type differ in meaning, as the API server compares them.

Null, a missing field and an empty list or map are equal, as are a quantity or a default written in two ways. Source:
apimachinery pkg/api/equality/semantic.go; SetDefaults in pkg/apis/resource/*/defaults.go (v1.26.15 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.values import parse_timestamp
from dralint.finding.problem import map_key
from dralint.kubernetes.quantity import parse_quantity
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Shape, Struct
    from dralint.yaml import Path

POINTERS = frozenset(
    """
    adminAccess controller blockOwnerDeletion deletionGracePeriodSeconds distinctAttribute limit matchAttribute
    poolName tolerationSeconds
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
"""Fields of specs for which an explicit zero value differs from none (pointers in the Go types)."""

_QUANTITY_POINTERS = frozenset(
    {"capacityMultiplier", "default", "deviceMultiplier", "max", "min", "perContainer", "perPod", "step"}
)
"""Quantities that may be missing; for all others, a missing one equals zero."""
_ZERO_TIME = -62_135_596_800 * 10**9
"""The start of the year 1, relative to 1970: Go's value where there is no time."""
_PLAIN_TIMES = frozenset({"creationTimestamp", "lastTransitionTime"})
"""Times that are not pointers in the Go types, so that the zero time equals a missing one."""

FLAT = "DeviceRequest"
_BESIDE = ("name", "firstAvailable", "exactly")


class Types:
    """The types of one API version, with the defaults of the table of limits that the server fills in."""

    __slots__ = ("_limits", "structs")

    def __init__(self, structs: Mapping[str, Struct], limits: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        self.structs = structs
        self._limits = limits

    @property
    def flat(self) -> bool:
        """Whether the fields of a request are directly in it (v1alpha3, v1beta1)."""
        request = self.structs.get(FLAT)
        return request is not None and "deviceClassName" in request.fields

    def filled(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        """Return the value of a type with its defaults."""
        fields = self.structs[name].fields
        defaults = {
            key: row["default"]
            for key, row in self._limits.get(name, {}).items()
            if "default" in row
            and key in fields
            and (value.get(key) is None if key in POINTERS else not value.get(key))
        }
        if "count" in fields and "allocationMode" in fields and not value.get("count"):
            mode = value.get("allocationMode") or defaults.get("allocationMode")
            if mode == "ExactCount":
                defaults["count"] = 1
        return {**value, **defaults} if defaults else value


def nested_requests(claim: Any) -> Any:
    """Return the spec of a claim with the fields of each flat request under `exactly`, as later versions have it."""
    devices = (claim or {}).get("devices") or {}
    requests = devices.get("requests")
    if not claim or not requests:
        return claim
    moved = [_nested(request or {}) for request in requests]
    return {**claim, "devices": {**devices, "requests": moved}}


def _nested(request: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in request.items() if key in _BESIDE}
    moved = _moved(request)
    return {**kept, "exactly": moved} if moved else kept


def _moved(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a flat request that make an `exactly` of it: an empty list and false among them."""
    return {
        key: value
        for key, value in request.items()
        if key not in _BESIDE and value is not None and (value is False or value not in ("", 0))
    }


def difference(old: Any, new: Any, shape: Shape, types: Types, key: str = "") -> Path | None:
    """Return the path of the first place where two values of the field `key` differ in meaning; None for equal ones.

    The depth of the recursion is that of the types.
    """
    kind = shape.shape
    if kind == "struct":
        return _structs(old, new, shape, types)
    if kind == "list" and shape.of is not None:
        return _lists(old or [], new or [], shape.of, types)
    if kind == "map" and shape.of is not None:
        old, new = old or {}, new or {}
        for name in (*new, *(name for name in old if name not in new)):
            if name not in old or name not in new:
                return (map_key(name),)
            found = difference(old[name], new[name], shape.of, types)
            if found is not None:
                return (map_key(name), *found)
        return None
    if kind == "any":
        return None if same_json(old, new) else ()
    if kind == "quantity":
        if key not in _QUANTITY_POINTERS:
            old, new = "0" if old is None else old, "0" if new is None else new
        if old is not None and new is not None:
            return None if _quantity(old) == _quantity(new) else ()
    if kind == "time" and old != new:
        return None if _moment(old, key, stored=True) == _moment(new, key) else ()
    if key not in POINTERS:
        old, new = old or None, new or None
    return None if type(old) is type(new) and old == new else ()


def _structs(old: Any, new: Any, shape: Shape, types: Types) -> Path | None:
    if shape.present:
        old, new = old or {}, new or {}
    if old is None or new is None:
        return None if old is new else ()
    fields = types.structs[shape.type].fields
    if shape.type == FLAT and types.flat and "firstAvailable" in fields:
        before, after = _moved(old), _moved(new)
        if bool(before) != bool(after):
            return (next(iter(after or before)),)
    old, new = types.filled(shape.type, old), types.filled(shape.type, new)
    for name in (*new, *(name for name in old if name not in new)):
        if name in fields:
            found = difference(old.get(name), new.get(name), fields[name], types, name)
            if found is not None:
                return (name, *found)
    return None


def _lists(old: list[Any], new: list[Any], of: Shape, types: Types) -> Path | None:
    empty: Any = {} if of.shape == "struct" else None
    for position in range(max(len(old), len(new))):
        if position >= len(old) or position >= len(new):
            return (position,)
        before, after = old[position], new[position]
        found = difference(empty if before is None else before, empty if after is None else after, of, types)
        if found is not None:
            return (position, *found)
    return None


def _quantity(value: Any) -> Any:
    try:
        return parse_quantity(value if isinstance(value, str) else number_text(value))
    except ValueError:
        return value


def _moment(value: Any, key: str, *, stored: bool = False) -> Any:
    """Return the moment that a time names, in nanoseconds since 1970; what is stored has no parts of a second."""
    if not value:
        return None
    try:
        moment: int = parse_timestamp(value).nanos
    except ValueError:
        return value
    if stored:
        moment -= moment % 10**9
    return None if moment == _ZERO_TIME and key in _PLAIN_TIMES else moment


def same_json(old: Any, new: Any) -> bool:
    """Say whether two values are the same JSON; 1, 1.0 and true are three values."""
    todo = [(old, new)]
    while todo:
        before, after = todo.pop()
        if type(before) is not type(after):
            return False
        if isinstance(before, dict):
            if before.keys() != after.keys():
                return False
            todo += [(member, after[name]) for name, member in before.items()]
        elif isinstance(before, list):
            if len(before) != len(after):
                return False
            todo += zip(before, after, strict=True)
        elif before != after:
            return False
    return True
