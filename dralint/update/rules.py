"""Judges the update of an object or of a workload's claims by a release, in contrast to its creation.

Two values of a type are equal as the API server compares them: null, a missing field and an empty list or map are
equal, as are a quantity or a default written in two ways. Source: apimachinery pkg/api/equality/semantic.go;
SetDefaults in pkg/apis/resource/*/defaults.go (v1.26.15 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.values import parse_timestamp
from dralint.edit.repairs import unlike
from dralint.finding.problem import Problem, at, dict_of, list_of, map_key, path_text
from dralint.finding.rule_ids import IMMUTABLE_FIELD, STATUS_SET_ONCE, STATUS_STEP
from dralint.finding.words import quoted, shared
from dralint.kubernetes import shipped
from dralint.kubernetes.quantity import parse_quantity
from dralint.kubernetes.types import CONTAINERS, Shape, field_at
from dralint.kubernetes.updates import fixed_changes
from dralint.kubernetes.workloads import POD_SPECS, is_group_of_pods
from dralint.lint.passes import DECODING
from dralint.lint.release_judge import by_release
from dralint.lint.workloads import by_releases_of_pods, check_parts, not_served
from dralint.manifest.pod_parts import PodPart, claim_parts, displaced_claims
from dralint.migrate.convert import V1BETA1, V1BETA2, changed, changes
from dralint.validate.relations.claim import device_identity
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.finding.problem import ByRelease
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import Struct
    from dralint.lint.release_judge import Judge, Releases
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_LONGEST_SHOWN, _SHOWN_BEFORE, _CUT = 60, 25, "..."
"""How many characters of a text a message shows, how many of them before the first difference, and the mark for the
rest."""


class Fixed(NamedTuple):
    """A part of an object that an update cannot change, with its kinds and API versions (None: all)."""

    kinds: tuple[str, ...]
    path: Path
    hint: str
    only_in: str | None = None
    not_in: str | None = None


_ANEW = "delete the object and create it again, or give the new one another name"
_OTHER_SLICE = "delete the slice and publish a new one under another name"
_OF_DELETION = (("metadata", "deletionTimestamp"), ("metadata", "deletionGracePeriodSeconds"))
_CLASSIC_SLICE = "resource.k8s.io/v1alpha2"
FIXED = (
    Fixed(("ResourceClaim", "ResourceClaimTemplate", "ResourcePoolStatusRequest"), ("spec",), _ANEW),
    Fixed(("ResourceSlice",), ("nodeName",), _OTHER_SLICE, only_in=_CLASSIC_SLICE),
    Fixed(("ResourceSlice",), ("driverName",), _OTHER_SLICE, only_in=_CLASSIC_SLICE),
    Fixed(("ResourceSlice",), ("spec", "driver"), _OTHER_SLICE, not_in=_CLASSIC_SLICE),
    Fixed(("ResourceSlice",), ("spec", "nodeName"), _OTHER_SLICE, not_in=_CLASSIC_SLICE),
    Fixed(("ResourceSlice",), ("spec", "pool", "name"), _OTHER_SLICE, not_in=_CLASSIC_SLICE),
)
"""What no release allows an update to change."""


class Version(NamedTuple):
    """One side of an update: the object, and the release that reads it."""

    item: ApiObject
    judge: Judge

    @property
    def types(self) -> Types:
        """The types of its API version."""
        return Types(self.judge.api(self.item.api_version).structs, shipped.index()["limits"])


def check_update(old: Version, new: Version) -> list[Problem]:
    """Return the problems of the update in the release of `new`; a release that serves its API version reads `old`."""
    verdict = new.judge.examine(new.item.api_version, new.item.kind, new.item.data, new.item)
    changes = [*verdict.decoding, *verdict.dropped]
    stored = old.judge.examine(old.item.api_version, old.item.kind, old.item.data, old.item).value
    compared = _Compared(old, new, stored, verdict.value)
    changes += [problem for problem in verdict.validation if not compared.stands(problem)]
    if not verdict.decoding:
        changes += compared.fixed_parts()
        changes += compared.status_steps()
    return changes


class _Compared:
    """The two objects as the API server has them after decoding."""

    def __init__(self, old: Version, new: Version, before: dict[str, Any], after: dict[str, Any]) -> None:
        self.old, self.new = old, new
        self.types = new.types
        self.before, self.after = before, after
        self.kind = new.item.kind
        self._unnest = False
        self._known: dict[Path, Path | None] = {}
        if self.kind in ("ResourceClaim", "ResourceClaimTemplate") and old.types.flat != new.types.flat:
            self._unnest = self.types.flat
            self.types = old.types if new.types.flat else new.types
            self.before, self.after = (
                changed(side, changes(side, self.kind, V1BETA1, V1BETA2)) for side in (before, after)
            )

    def differs(self, path: Path) -> Path | None:
        """Return the path, from the object, at which the values at a path differ; None when they are equal."""
        if path not in self._known:  # a thousand problems may need the same part
            self._known[path] = self._difference(path)
        return self._known[path]

    def _difference(self, path: Path) -> Path | None:
        shape = self._shape(path)
        if shape is None:
            return None
        found = difference(at(self.before, path), at(self.after, path), shape, self.types, str(path[-1]))
        return None if found is None else (*path, *found)

    def _shape(self, path: Path) -> Shape | None:
        found = field_at(self.types.structs, self.kind, path)
        return None if found is None else found.shape

    # What is not validated again.

    def stands(self, problem: Problem) -> bool:
        """Say whether the release does not check this in an update, because it has not changed or cannot change."""
        does, path = self.new.judge.does, problem.path
        if path[:1] == ("status",):
            if self.differs(("status",)) is None:
                return True  # an unchanged status is not written
            return self.kind == "ResourceClaim" and (self._allocation_stands(path) or self._device_status_goes(path))
        if path == ("metadata", "generation"):
            return True  # the server restores its own value
        if path == ("metadata", "generateName") and self._keeps_prefix():
            return not any(character in at(self.after, path) for character in "/%")
        if self.kind == "ResourceClaim" and "update-keeps-claim-spec" in does:
            return path[:1] == ("spec",)
        if self.kind == "ResourcePoolStatusRequest":
            return path[:1] == ("spec",)  # any difference is refused as a whole
        if self.kind == "DeviceClass" and "update-keeps-class-parts" in does:
            return path[:2] in (("spec", "selectors"), ("spec", "config")) and self.differs(path[:2]) is None
        if self.kind == "DeviceTaintRule":
            if path[:3] == ("spec", "deviceSelector", "selectors"):
                return self.differs(path[:3]) is None
            effect = ("spec", "taint", "effect")
            return "update-keeps-taints" in does and path == effect and self.differs(effect) is None
        if self.kind == "ResourceSlice":
            return self._device_part_stands(path)
        return False

    def _allocation_stands(self, path: Path) -> bool:
        """Say whether an allocation was there before: then it is only compared."""
        allocation = ("status", "allocation")
        both = at(self.before, allocation) is not None and at(self.after, allocation) is not None
        return path[:2] == allocation and both and "update-keeps-allocation" in self.new.judge.does

    def _device_status_goes(self, path: Path) -> bool:
        """Say whether the server removes the status of a device, as the update takes the device away from the claim.

        Source: dropDeallocatedStatusDevices in pkg/registry/resource/resourceclaim/strategy.go (v1.32.13 to v1.37.0).
        """
        if path[:2] != ("status", "devices") or len(path) < 3 or "classic" in self.new.judge.does:
            return False
        device = device_identity(at(self.after, path[:3]) or {})
        results = ("status", "allocation", "devices", "results")
        was, now = (
            {device_identity(result or {}) for result in at(v, results) or ()} for v in (self.before, self.after)
        )
        return device in was and device not in now

    def _keeps_prefix(self) -> bool:
        """Say whether an update checks a generateName only as a part of a URL.

        Source: validateCommonFields in k8s.io/apiserver pkg/registry/rest/update.go (v0.26.15 to v0.37.0), and the
        functions for updates of pkg/apis/resource/validation/validation.go, which do not check more.
        """
        if self.kind == "ResourceSlice":
            return self.new.item.api_version != _CLASSIC_SLICE
        return self.kind in ("DeviceTaintRule", "ResourcePoolStatusRequest")

    def _device_part_stands(self, path: Path) -> bool:
        does = self.new.judge.does
        kept = {"taints": "update-keeps-taints", "capacity": "update-keeps-capacity"}
        names = [name for name, behaviour in kept.items() if behaviour in does]
        part = next((i for i in (3, 4) if len(path) > i and path[i] in names), None)
        if part is None or path[:2] != ("spec", "devices"):
            return False
        name = at(self.after, (*path[:3], "name"))
        devices = at(self.before, ("spec", "devices")) or []
        before = next((device for device in devices if device is not None and device.get("name") == name), None)
        shape = self._shape(path[: part + 1])
        if before is None or shape is None:
            return False
        return difference(at(before, path[3 : part + 1]), at(self.after, path[: part + 1]), shape, self.types) is None

    # What cannot change.

    def fixed_parts(self) -> Iterator[Problem]:
        """Yield the changes of what no update can change."""
        version = self.new.item.api_version
        for fixed in FIXED:
            if self.kind not in fixed.kinds or version == fixed.not_in or fixed.only_in not in (None, version):
                continue
            where = self.differs(fixed.path)
            if where is not None:
                yield self._refused(IMMUTABLE_FIELD, fixed.path, where, "cannot be changed", fixed.hint)
        # A client that leaves the deletion fields out keeps them.
        # Source: ValidateObjectMetaAccessorUpdate in apimachinery pkg/api/validation/objectmeta.go (v0.26.15 to
        # v0.37.0).
        hint = "remove it: only a request to delete the object sets it"
        for path in _OF_DELETION:
            was, now = at(self.before, path), at(self.after, path)
            restored = was is not None and path[-1] == "deletionTimestamp"
            if now is not None and now != was and not restored:
                yield self._refused(IMMUTABLE_FIELD, path, path, "cannot be changed", hint)

    def _refused(self, rule: str, path: Path, where: Path, what: str, hint: str) -> Problem:
        was, now = at(self.before, where), at(self.after, where)
        where = tuple(part for part in where if part != "exactly") if self._unnest else where
        text = f"{path_text(path)} of a {self.kind} {what}: {describe_change(where, was, now)}"
        place = None if where == path else where
        return Problem(rule, path, text, "Invalid", hint, place, before=("before the update", where))

    def status_steps(self) -> Iterator[Problem]:
        """Yield the status transitions that the API server refuses."""
        if self.kind == "ResourcePoolStatusRequest" and at(self.before, ("status",)):
            where = self.differs(("status",))
            if where is not None:
                hint = "create a new request"
                yield self._refused(STATUS_SET_ONCE, ("status",), where, "cannot be changed once it is set", hint)
        if self.kind != "ResourceClaim" or self.differs(("status",)) is None:
            return
        allocation = ("status", "allocation")
        was, now = at(self.before, allocation), at(self.after, allocation)
        if was is not None and now is not None and "allocation-immutable" in self.new.judge.does:
            where = self.differs(allocation)
            if where is not None:
                hint = "remove the allocation first; then a new one can be set"
                yield self._refused(STATUS_SET_ONCE, allocation, where, "cannot be changed once it is set", hint)
        asked = ("status", "deallocationRequested")
        if at(self.before, asked) and not at(self.after, asked) and now is not None:
            message = "`deallocationRequested` cannot be cleared while the claim has an allocation"
            hint, before = "remove the allocation in the same update", ("requested before the update", asked)
            yield Problem(STATUS_STEP, asked, message, "Forbidden", hint, before=before)
        deleted = at(self.after, ("metadata", "deletionTimestamp"))
        if deleted or (at(self.before, asked) and at(self.after, asked)):
            reason = "deallocation is requested" if not deleted else "the claim is being deleted"
            yield from self._new_consumers(reason)

    def _new_consumers(self, reason: str) -> Iterator[Problem]:
        """Yield the first Pod that reserves the claim although none can any more."""
        path = ("status", "reservedFor")
        known = {(consumer or {}).get("uid") for consumer in at(self.before, path) or []}
        for position, consumer in enumerate(at(self.after, path) or []):
            if (consumer or {}).get("uid") not in known:
                text = f"no Pod can reserve the claim any more: {reason}"
                yield Problem(STATUS_STEP, path, text, "Forbidden", None, (*path, position))
                return


def describe_change(where: Path, was: Any, now: Any) -> str:
    """Describe the change of the value at a path."""
    place = path_text(where)
    if was is None:
        return f"{place} is new"
    if now is None:
        return f"{place} is gone"
    if isinstance(was, dict | list) or isinstance(now, dict | list):
        return f"{place} is another"
    was, now = _around_difference(was, now)
    return f"{place} was {quoted(was)} and is {quoted(now)}"


def _around_difference(was: Any, now: Any) -> tuple[Any, Any]:
    """Return two values shortened for a message: of long texts, the part around their first difference."""
    if not (isinstance(was, str) and isinstance(now, str)) or max(len(was), len(now)) <= _LONGEST_SHOWN:
        return was, now
    same = shared(was, now)
    start = max(0, same - _SHOWN_BEFORE)

    def window(text: str) -> str:
        end = start + _LONGEST_SHOWN - 2 * len(_CUT)
        return (_CUT if start else "") + text[start:end] + (_CUT if end < len(text) else "")

    return window(was), window(now)


_GROUPS = ("PodGroupSpec", "PodGroupTemplate")


def workload_update(releases: Releases, old: ApiObject, new: ApiObject) -> ByRelease | None:
    """Return the problems of the update of a Pod or workload; None where neither side has claims."""
    refused = not_served(releases, new)
    if refused is not None:
        return refused
    before, after = claim_parts(old), claim_parts(new)
    if not before and not after and not displaced_claims(new):
        return None

    def check(release: Release) -> list[Problem]:
        judge = releases.judge(release)
        changes = [problem for problem in check_parts(judge, new, after) if not _only_compared(problem, after)]
        if not any(problem.reason in DECODING for problem in changes):
            changes += _fixed_claims(new, _kept(judge, old, before), _kept(judge, new, after))
            known = {change.path for change in changes}
            changes += [change for change in _fixed_fields(old, new, release) if change.path not in known]
        return changes

    if is_group_of_pods(new.group, new.kind):
        return by_release(releases, new, check)
    return by_releases_of_pods(releases, new, after, check)


def _only_compared(problem: Problem, parts: list[PodPart]) -> bool:
    """Say whether a problem is in the claims of a group: unchanged ones are not validated again, changed ones are
    refused."""
    if problem.reason is None or problem.reason in DECODING:
        return False
    claims = [(*part.path, "resourceClaims") for part in parts if part.type in _GROUPS]
    return any(problem.path[: len(path)] == path for path in claims)


def _kept(judge: Judge, item: ApiObject, parts: list[PodPart]) -> list[PodPart]:
    """Return the parts without the fields that a disabled gate removes."""
    return [
        part._replace(view=judge.examine("v1", part.type, part.view, item, part.path).value)
        if part.type in (*_GROUPS, "JobSpec")
        else part
        for part in parts
    ]


def _fixed_claims(item: ApiObject, before: list[PodPart], after: list[PodPart]) -> list[Problem]:
    out: list[Problem] = []
    old_views = {(part.path, part.type): part.view for part in before}
    new_views = {(part.path, part.type): part.view for part in after}
    for path, type_name in {**new_views, **old_views}:
        blamed = _blamed(item, path, type_name)
        if blamed is None or any(change.path == blamed[0] for change in out):
            continue
        was = _claims(old_views.get((path, type_name), {}), type_name)
        now = _claims(new_views.get((path, type_name), {}), type_name)
        where = next((place for place in {**now, **was} if unlike(was.get(place), now.get(place)) is not None), None)
        if where is None:
            continue
        old_value, new_value = was.get(where), now.get(where)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            keys = [key for key in {**new_value, **old_value} if old_value.get(key) != new_value.get(key)]
            where, old_value, new_value = (*where, keys[0]), old_value.get(keys[0]), new_value.get(keys[0])
        full = (*path, *where)
        subject, reason, hint = blamed
        text = f"claims of a {item.kind} cannot be changed: {describe_change(full, old_value, new_value)}"
        place = None if full == subject else full
        seen = ("before the update", full)
        out.append(Problem(IMMUTABLE_FIELD, subject, text, reason, hint, place, before=seen))
    return out


def _fixed_fields(old: ApiObject, new: ApiObject, release: Release) -> Iterator[Problem]:
    """Yield the changes of a workload that no update can make, whatever its claims are."""
    if (new.api_version, new.kind) in POD_SPECS:
        was, now = (dict_of(item.data.get("spec")) for item in (old, new))
        for change in fixed_changes(new.kind, was, now, release):
            path, full = ("spec", change.path[0]), ("spec", *change.path)
            said = f"; it {change.reason}" if change.reason.startswith("can") else ""
            text = f"{path[1]} of a {new.kind} cannot be changed: {describe_change(full, change.was, change.now)}{said}"
            hint = f"delete the {new.kind} and create it again, or give the new one another name"
            place, before = None if path == full else full, ("before the update", path)
            yield Problem(IMMUTABLE_FIELD, path, text, "Invalid", hint, place, before=before)


def _blamed(item: ApiObject, path: Path, type_name: str) -> tuple[Path, str, str] | None:
    """Return the field to blame for changed claims, the reason, and what to do; None where claims may change."""
    anew = f"delete the {item.kind} and create it again"
    if type_name in ("PodGroupSpec", "PodGroupTemplate"):
        return (*path, "resourceClaims"), "Invalid", anew
    if type_name == "JobSpec":
        return None if item.kind != "Job" else ((*path, "scheduling", "resourceClaims"), "Invalid", anew)
    if (item.api_version, item.kind) == ("v1", "Pod"):
        return path, "Forbidden", anew
    if (item.api_version, item.kind) == ("batch/v1", "Job"):
        return path[:-1], "Invalid", anew
    return None


def _claims(view: dict[str, Any], type_name: str) -> dict[Path, Any]:
    """Return every claim, or use of one, by its place."""
    if type_name == "JobSpec":
        inner = _claims(view.get("scheduling") or {}, "JobScheduling")
        return {("scheduling", *path): value for path, value in inner.items()}
    out: dict[Path, Any] = {}
    for position, claim in enumerate(list_of(view.get("resourceClaims"))):
        # Up to 1.30, the fields below `source` are those of the same claim.
        entry = {**dict_of(claim), **dict_of(dict_of(claim).get("source"))}
        out["resourceClaims", position] = {k: v for k, v in entry.items() if v is not None and k != "source"}
    for kind in CONTAINERS:
        for index, container in enumerate(list_of(view.get(kind))):
            for position, claim in enumerate(list_of(at(container, ("resources", "claims")))):
                place = (kind, index, "resources", "claims", position)
                out[place] = {key: value for key, value in dict_of(claim).items() if value}
    return out


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
        return None if unlike(old, new) is None else ()
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
