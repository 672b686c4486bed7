"""Judges the update of an object or of a workload's claims by a release, in contrast to its creation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import Problem, at, dict_of, list_of, path_text
from dralint.finding.rule_ids import IMMUTABLE_FIELD, STATUS_SET_ONCE, STATUS_STEP
from dralint.finding.words import quoted, shared
from dralint.kubernetes import shipped
from dralint.kubernetes.types import CONTAINERS, Shape
from dralint.kubernetes.updates import fixed_changes
from dralint.kubernetes.workloads import POD_SPECS, is_group_of_pods
from dralint.lint.workloads import check_parts, judging, not_served, removed_field
from dralint.manifest.pod_parts import PodPart, claim_parts, displaced_claims
from dralint.update.equality import Types, difference, nested_requests, same_json
from dralint.validate.relations.claim import device_identity
from dralint.validate.served import refusal

if TYPE_CHECKING:
    from dralint.kubernetes.release import Release
    from dralint.lint.release_judge import Judge, Releases
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_LONGEST_SHOWN, _SHOWN_BEFORE, _CUT = 60, 25, "..."
"""How many characters of a text a message shows, how many of them before the first difference, and the mark for the
rest."""


class UpdateProblem(NamedTuple):
    """A problem of an update; `before` is what to look at in the old object, with the words for it."""

    problem: Problem
    before: tuple[str, Path] | None = None


@dataclass(frozen=True, slots=True)
class Fixed:
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
        return Types(self.judge.api(self.item.api_version).structs, shipped.index(self.judge.index)["limits"])


def check_update(old: Version, new: Version) -> list[UpdateProblem]:
    """Return the problems of the update in the release of `new`; a release that serves its API version reads `old`."""
    verdict = new.judge.examine(new.item.api_version, new.item.kind, new.item.data, new.item)
    changes = [UpdateProblem(problem) for problem in (*verdict.decoding, *verdict.dropped)]
    stored = old.judge.examine(old.item.api_version, old.item.kind, old.item.data, old.item).value
    compared = _Compared(old, new, stored, verdict.value)
    changes += [UpdateProblem(problem) for problem in verdict.validation if not compared.stands(problem)]
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
            self.before, self.after = _nested(before, self.kind), _nested(after, self.kind)

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
        shape = Shape("struct", self.kind)
        for part in path:
            step: Shape | None
            if isinstance(part, int):
                step = shape.of
            else:
                step = self.types.structs[shape.type].fields.get(part) if shape.shape == "struct" else shape.of
            if step is None:
                return None
            shape = step
        return shape

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

    def fixed_parts(self) -> list[UpdateProblem]:
        """Return the changes of what no update can change."""
        version = self.new.item.api_version
        out: list[UpdateProblem] = []
        for fixed in FIXED:
            if self.kind not in fixed.kinds or version == fixed.not_in or fixed.only_in not in (None, version):
                continue
            where = self.differs(fixed.path)
            if where is not None:
                out.append(self._refused(IMMUTABLE_FIELD, fixed.path, where, "cannot be changed", fixed.hint))
        return out + self._fixed_metadata()

    def _fixed_metadata(self) -> list[UpdateProblem]:
        """Return the changes of the deletion fields; a client that leaves these out keeps them.

        Source: ValidateObjectMetaAccessorUpdate in apimachinery pkg/api/validation/objectmeta.go (v0.26.15 to v0.37.0).
        """
        out: list[UpdateProblem] = []
        hint = "remove it: only a request to delete the object sets it"
        for path in _OF_DELETION:
            was, now = at(self.before, path), at(self.after, path)
            restored = was is not None and path[-1] == "deletionTimestamp"
            if now is not None and now != was and not restored:
                out.append(self._refused(IMMUTABLE_FIELD, path, path, "cannot be changed", hint))
        return out

    def _refused(self, rule: str, path: Path, where: Path, what: str, hint: str) -> UpdateProblem:
        was, now = at(self.before, where), at(self.after, where)
        where = tuple(part for part in where if part != "exactly") if self._unnest else where
        text = f"{path_text(path)} of a {self.kind} {what}: {describe_change(where, was, now)}"
        problem = Problem(rule, path, text, "Invalid", hint, None if where == path else where)
        return UpdateProblem(problem, ("before the update", where))

    def status_steps(self) -> list[UpdateProblem]:
        """Return the status transitions that the API server refuses."""
        if self.kind == "ResourcePoolStatusRequest" and at(self.before, ("status",)):
            where = self.differs(("status",))
            if where is not None:
                hint = "create a new request"
                return [self._refused(STATUS_SET_ONCE, ("status",), where, "cannot be changed once it is set", hint)]
        if self.kind != "ResourceClaim" or self.differs(("status",)) is None:
            return []
        out: list[UpdateProblem] = []
        allocation = ("status", "allocation")
        was, now = at(self.before, allocation), at(self.after, allocation)
        if was is not None and now is not None and "allocation-immutable" in self.new.judge.does:
            where = self.differs(allocation)
            if where is not None:
                hint = "remove the allocation first; then a new one can be set"
                out.append(self._refused(STATUS_SET_ONCE, allocation, where, "cannot be changed once it is set", hint))
        asked = ("status", "deallocationRequested")
        if at(self.before, asked) and not at(self.after, asked) and now is not None:
            message = "`deallocationRequested` cannot be cleared while the claim has an allocation"
            problem = Problem(STATUS_STEP, asked, message, "Forbidden", "remove the allocation in the same update")
            out.append(UpdateProblem(problem, ("requested before the update", asked)))
        deleted = at(self.after, ("metadata", "deletionTimestamp"))
        if deleted or (at(self.before, asked) and at(self.after, asked)):
            out += self._new_consumers("deallocation is requested" if not deleted else "the claim is being deleted")
        return out

    def _new_consumers(self, reason: str) -> list[UpdateProblem]:
        path = ("status", "reservedFor")
        known = {(consumer or {}).get("uid") for consumer in at(self.before, path) or []}
        for position, consumer in enumerate(at(self.after, path) or []):
            if (consumer or {}).get("uid") not in known:
                text = f"no Pod can reserve the claim any more: {reason}"
                return [UpdateProblem(Problem(STATUS_STEP, path, text, "Forbidden", None, (*path, position)))]
        return []


def _nested(value: dict[str, Any], kind: str) -> dict[str, Any]:
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return value
    if kind == "ResourceClaim":
        return {**value, "spec": nested_requests(spec)}
    return {**value, "spec": {**spec, "spec": nested_requests(spec.get("spec"))}}


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
_OF_DECODING = ("TypeInvalid", "Unknown", "Decode")


def workload_update(
    releases: Releases, old: ApiObject, new: ApiObject
) -> list[tuple[UpdateProblem, list[Release]]] | None:
    """Return the problems of the update of a Pod or workload; None where neither side has claims."""
    refused = not_served(releases, new)
    if refused is not None:
        return [(UpdateProblem(problem), releases) for problem, releases in refused]
    before, after = claim_parts(old), claim_parts(new)
    if not before and not after and not displaced_claims(new):
        return None
    merged: dict[UpdateProblem, list[Release]] = {}
    key = new.api_version, new.kind
    alone, paths = judging(releases, new, after)
    removed = [] if releases.chosen else [UpdateProblem(removed_field(path, alone)) for path in paths]
    for release in releases.chosen or (alone,):
        if is_group_of_pods(new.group, new.kind) and key not in releases.versions.served(release):
            refused_by = UpdateProblem(refusal(releases.versions, new, release, releases.chosen))
            merged.setdefault(refused_by, []).append(release)
            continue
        judge = releases.judge(release)
        problems = [problem for problem in check_parts(judge, new, after) if not _only_compared(problem, after)]
        changes = [UpdateProblem(problem) for problem in problems]
        if not any(problem.reason in _OF_DECODING for problem in problems):
            changes += _fixed_claims(new, _kept(judge, old, before), _kept(judge, new, after))
            known = {change.problem.path for change in changes}
            changes += [change for change in _fixed_fields(old, new, release) if change.problem.path not in known]
        for change in (*changes, *removed):
            merged.setdefault(change, []).append(release)
    return list(merged.items())


def _only_compared(problem: Problem, parts: list[PodPart]) -> bool:
    """Say whether a problem is in the claims of a group: unchanged ones are not validated again, changed ones are
    refused."""
    if problem.reason is None or problem.reason in _OF_DECODING:
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


def _fixed_claims(item: ApiObject, before: list[PodPart], after: list[PodPart]) -> list[UpdateProblem]:
    out: list[UpdateProblem] = []
    old_views = {(part.path, part.type): part.view for part in before}
    new_views = {(part.path, part.type): part.view for part in after}
    for path, type_name in {**new_views, **old_views}:
        blamed = _blamed(item, path, type_name)
        if blamed is None or any(change.problem.path == blamed[0] for change in out):
            continue
        was = _claims(old_views.get((path, type_name), {}), type_name)
        now = _claims(new_views.get((path, type_name), {}), type_name)
        where = next((place for place in {**now, **was} if not same_json(was.get(place), now.get(place))), None)
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
        out.append(
            UpdateProblem(Problem(IMMUTABLE_FIELD, subject, text, reason, hint, place), ("before the update", full))
        )
    return out


def _fixed_fields(old: ApiObject, new: ApiObject, release: Release) -> list[UpdateProblem]:
    """Return the changes of a workload that no update can make, whatever its claims are."""
    out = []
    if (new.api_version, new.kind) in POD_SPECS:
        was, now = (dict_of(item.data.get("spec")) for item in (old, new))
        for change in fixed_changes(new.kind, was, now, release):
            path, full = ("spec", change.path[0]), ("spec", *change.path)
            said = f"; it {change.reason}" if change.reason.startswith("can") else ""
            text = f"{path[1]} of a {new.kind} cannot be changed: {describe_change(full, change.was, change.now)}{said}"
            hint = f"delete the {new.kind} and create it again, or give the new one another name"
            problem = Problem(IMMUTABLE_FIELD, path, text, "Invalid", hint, None if path == full else full)
            out.append(UpdateProblem(problem, ("before the update", path)))
    return out


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
        entry = claim if isinstance(claim, dict) else {}
        # Up to 1.30, the fields below `source` are those of the same claim.
        entry = {**entry, **(entry.get("source") or {})}
        out["resourceClaims", position] = {k: v for k, v in entry.items() if v is not None and k != "source"}
    for kind in CONTAINERS:
        for index, container in enumerate(list_of(view.get(kind))):
            resources = (container or {}).get("resources")
            claims = resources.get("claims") if isinstance(resources, dict) else None
            for position, claim in enumerate(list_of(claims)):
                used = claim if isinstance(claim, dict) else {}
                place = (kind, index, "resources", "claims", position)
                out[place] = {key: value for key, value in used.items() if value}
    return out
