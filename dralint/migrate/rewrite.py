"""Plans the migration of the objects in a file, explains what cannot move, and rewrites the text.

The text keeps its comments and its layout, and is proven to have the intended data.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.edit import block, write
from dralint.edit.apply import FileText, OverlapError, Rewriting, UnplaceableError, combine, in_lines, moved
from dralint.edit.place import EditPlanner
from dralint.edit.repairs import Refusal, at_once, differences
from dralint.finding.problem import Change, Problem, at, copied, dict_of, list_of, path_text
from dralint.finding.rule_ids import LEFT_ALONE, LOST_FIELD, NO_COUNTERPART
from dralint.finding.words import quoted
from dralint.kubernetes.release import ReleaseRange
from dralint.kubernetes.served import CLASSIC, ApiVersions, is_ours, known_releases, shape
from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import RELEVANT, ApiObject, is_manifest, is_patch, objects, type_meta
from dralint.migrate import convert
from dralint.migrate.convert import VERSIONS, ConflictError, changed, short, stepwise, unwrapped
from dralint.records import grouped
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.edit.repairs import SecondReader
    from dralint.finding.finding import Edit
    from dralint.kubernetes.release import Release
    from dralint.migrate.convert import Conversion
    from dralint.yaml import Document, Json, Path


_BECOMES = {
    "ResourceClass": "DeviceClass",
    "ResourceClaim": "ResourceClaim",
    "ResourceClaimTemplate": "ResourceClaimTemplate",
    "ResourceSlice": "ResourceSlice",
}
_WHY = {
    "ResourceClass": "a DeviceClass chooses devices by CEL selectors; the content of parametersRef goes into the "
    "opaque configuration of the driver",
    "ResourceClaim": "a claim lists its requests; the content of parametersRef goes into selectors, "
    "or into the opaque configuration of the driver",
    "ResourceSlice": "the driver creates its ResourceSlices: update the driver, and remove the manifest",
    "ResourceClaimParameters": "its content goes into the opaque configuration (`config`) of each ResourceClaim that "
    "refers to it",
    "ResourceClassParameters": "its content goes into the opaque configuration (`config`) of each DeviceClass that "
    "refers to it",
    "PodScheduling": "the scheduler manages such objects: remove the manifest",
    "PodSchedulingContext": "the scheduler manages such objects: remove the manifest",
}
_WHY["ResourceClaimTemplate"] = _WHY["ResourceClaim"]


def older_problem(item: ApiObject, target: Target) -> Problem | None:
    """Return how to replace an object of an API version with another model; the hint has a skeleton.

    None for a kind that no such API version has.
    """
    becomes = _BECOMES.get(item.kind)
    why = _WHY.get(item.kind)
    if why is None:
        return None
    hint = why
    if becomes is not None:
        try:
            version, _ = target.version_for(becomes)
        except NoTargetError:
            version = VERSIONS[-1]
        skeleton = write.block(_skeleton(item, becomes, version), -2).lstrip("\n")
        hint = f"{why}; the new object begins as\n{skeleton}"
    message = f"{item.api_version} has another model, which cannot be translated; dralint leaves the object unchanged"
    return Problem(NO_COUNTERPART, ("apiVersion",), message, None, hint)


def _skeleton(item: ApiObject, kind: str, version: str) -> dict[str, Any]:
    """Return the new object, filled with what the old one shows."""
    kept = dict_of(item.data.get("metadata"))
    out: dict[str, Any] = {
        "apiVersion": version,
        "kind": kind,
        "metadata": {key: kept[key] for key in ("name", "generateName", "namespace", "labels") if kept.get(key)},
    }
    if kind == "DeviceClass":
        driver = item.data.get("driverName")
        name = driver if isinstance(driver, str) else "DRIVER"
        out["spec"] = {"selectors": [{"cel": {"expression": f'device.driver == "{name}"'}}]}
    elif kind == "ResourceSlice":
        out["spec"] = {
            "driver": item.data.get("driverName") or "DRIVER",
            "nodeName": item.data.get("nodeName") or "NODE",
            "pool": {"name": item.data.get("nodeName") or "POOL", "generation": 1, "resourceSliceCount": 1},
            "devices": [],
        }
    else:
        path = ("spec", "spec") if kind == "ResourceClaimTemplate" else ("spec",)
        fields = {"deviceClassName": at(item.data, (*path, "resourceClassName")) or "CLASS"}
        nested = VERSIONS.index(version) >= VERSIONS.index("resource.k8s.io/v1beta2")
        request = {"name": "device", "exactly": fields} if nested else {"name": "device", **fields}
        claim = {"devices": {"requests": [request]}}
        out["spec"] = {"spec": claim} if kind == "ResourceClaimTemplate" else claim
    return out


_NAMES = {"resourceClaimName": "ResourceClaim", "resourceClaimTemplateName": "ResourceClaimTemplate"}
MAY_BE_CLASSIC = re.compile(rb"resource\.k8s\.io/v1alpha[12]\b")
"""A text without these bytes has no object of the older model."""


class Partner(NamedTuple):
    """A claim or template of the older model that Pods can name."""

    kind: str
    namespace: str | None
    name: str
    api_version: str


def partners(documents: Iterable[Document]) -> frozenset[Partner]:
    """Return the claims and templates of the older model."""
    return frozenset(
        Partner(item.kind, item.namespace, item.name, item.api_version)
        for document in documents
        if document.state == "read"
        for item in objects(document.data)
        if item.kind in _NAMES.values() and shape(item.api_version, item.kind) == CLASSIC and item.name is not None
    )


def staying(item: ApiObject, made: list[Conversion], classic: frozenset[Partner]) -> tuple[Path, Partner] | None:
    """Return the first `source` of an object that names one of the partners, and the partner of the newest version."""
    newest = _newest(classic)
    for change in chain(*made) if newest else ():
        name, kind = at(item.data, change.path), _NAMES.get(str(change.path[-1]))
        if isinstance(name, str) and kind and (near := _near(newest, item, kind, name)):
            return change.path, max(near, key=lambda partner: partner.api_version)
    return None


@lru_cache(maxsize=1)
def _newest(classic: frozenset[Partner]) -> dict[tuple[str | None, ...], Partner]:
    """Return the newest partner of each kind and name, and of each kind, name and namespace."""
    return {
        key: partner
        for partner in sorted(classic, key=lambda each: each.api_version)
        for key in ((partner.kind, partner.name), (partner.kind, partner.name, partner.namespace))
    }


def _near(newest: dict[tuple[str | None, ...], Partner], item: ApiObject, kind: str, name: str) -> list[Partner]:
    """Return the partners of a kind and name that are, or may be, in the namespace of an object."""
    keys: list[tuple[str | None, ...]] = [(kind, name)]
    if item.namespace is not None:
        keys = [(kind, name, item.namespace), (kind, name, None)]
    return [newest[key] for key in keys if key in newest]


def pod_changes(item: ApiObject) -> list[Conversion]:
    """Return the changes that turn the claims of an object with Pod specs into the form of 1.31 and later."""
    out: list[Conversion] = []
    for spec in item.pod_specs():
        for position, entry in enumerate(list_of(at(item.data, (*spec, "resourceClaims")))):
            source = at(entry, ("source",))
            if isinstance(source, dict) and source and set(source) <= set(_NAMES) and not set(_NAMES) & set(entry):
                out.append(unwrapped((*spec, "resourceClaims", position, "source"), source))
    return out


@dataclass(slots=True, eq=False)
class MigrationPlan:
    """The plan for one object: changes by pass, and the data at the end, None for a list whose items have plans.

    Its target is the API version afterwards, for a workload the same as before.
    """

    document: int
    item: ApiObject
    target: str
    passes: list[list[Conversion]]
    intended: Any
    version_at: Path | None = None
    group: Path | None = None
    """The path of the typed list whose API version the object shares with all other items."""
    line: int = 0
    """The line of the file on which the object starts; set when its edits are made."""


def planned(
    document: Document, target: Target, classic: frozenset[Partner], outcome: MigratedFile
) -> list[MigrationPlan]:
    """Return the plans for the objects of a document that was read; note these and what cannot move in the outcome.

    Pods that name one of the `classic` claims and templates, which are of the older model, do not change.
    """
    out: list[MigrationPlan] = []
    inherited: dict[Path, list[MigrationPlan | None]] = {}
    for item in objects(document.data):
        ours = is_ours(item.api_version) and bool(item.kind)
        if ours and not is_manifest(item):
            continue
        if not ours:
            if made := pod_changes(item):
                outcome.items.append((document, item))
                if (kept := staying(item, made, classic)) is not None:
                    outcome.problems.append((document, item, _stays(*kept)))
                else:
                    out.append(MigrationPlan(document.index, item, item.api_version, [made], changed(item.data, made)))
            continue
        outcome.items.append((document, item))
        found = _plan(document, item, target)
        if isinstance(found, Problem):
            outcome.problems.append((document, item, found))
        own = type_meta(item.data, "apiVersion") is not None or type_meta(item.data, "kind") is not None
        if not own and len(item.path) >= 2:
            inherited.setdefault(item.path[:-2], []).append(found if isinstance(found, MigrationPlan) else None)
        if isinstance(found, MigrationPlan):
            out.append(found)
    for path, plans in inherited.items():
        if any(plan is None for plan in plans):
            gone = set(plans)  # all items of a typed list share its API version
            out = [plan for plan in out if plan not in gone]
        elif plans and plans[0] is not None:
            for plan in plans:
                assert plan is not None
                plan.group = path
            out.append(_list_head(document, path, plans[0].target))
    return out


def _list_head(document: Document, path: Path, target: str) -> MigrationPlan:
    data = at(document.data, path)
    item = ApiObject(path, str(type_meta(data, "apiVersion")), str(type_meta(data, "kind")), data)
    key = next(key for key in data if key.lower() == "apiversion")
    # The items have their own plans.
    return MigrationPlan(document.index, item, target, [[]], None, (*path, key), path)


def _plan(document: Document, item: ApiObject, target: Target) -> MigrationPlan | Problem | None:
    """Return the plan for an object of resource.k8s.io, the reason why it cannot move, or None where it need not."""
    kind = item.kind
    if item.api_version not in VERSIONS:
        return older_problem(item, target)
    if not convert.newest(item.api_version, kind):
        return None  # no release has it, as `check` reports
    try:
        version, releases = target.version_for(kind, item.api_version)
    except NoTargetError as error:
        return Problem(NO_COUNTERPART, ("kind",), f"{error}; dralint leaves the object unchanged", None, error.hint)
    if version == item.api_version:
        return None
    if target.version is not None and (problem := _never_together(item, kind, version)) is not None:
        return problem
    try:
        data, lost = convert.object(item.data, item.api_version, version, kind=kind, releases=releases)
        if lost:
            return _lost(item, version, releases, lost)
        passes = [made for made, _ in stepwise(item.data, item.kind, item.api_version, version) if made] or [[]]
    except ConflictError as error:
        return Problem(
            LEFT_ALONE, error.path, f"{error}; dralint leaves the object unchanged", None, error.hint, target="key"
        )
    own = next((key for key in item.data if key.lower() == "apiversion"), None)
    if own is not None and own != "apiVersion":
        return None  # no API server accepts it, as `check` reports
    return MigrationPlan(document.index, item, version, passes, data, None if own is None else (*item.path, own))


def _never_together(item: ApiObject, kind: str, version: str) -> Problem | None:
    """Return why an object cannot move to an older API version that no release serves together with its own.

    No API server has ever converted one to the other, so the result is undefined. The user can still name a release
    that serves the older one.
    """
    if convert.reachable(kind, item.api_version, version):
        return None
    serving = convert.serving(version, kind)[::-1]
    span = f"{serving[0]}" if len(serving) == 1 else f"{serving[0]} to {serving[-1]}"
    message = (
        f"no release serves {kind} both in {item.api_version} and in {version}; dralint leaves the object unchanged"
    )
    hint = f"name the release it is for ({span} serve it): --to {serving[0]}"
    return Problem(NO_COUNTERPART, ("apiVersion",), message, None, hint)


def _lost(item: ApiObject, version: str, releases: Iterable[Release], lost: list[Path]) -> Problem:
    path = lost[0]
    lacking = next((release for release in releases if not _has(release, version, item, path)), None)
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    of = f" of {lacking}" if lacking is not None else ""
    name = path_text(path[-1:])
    there = [
        short(other)
        for other in VERSIONS
        if other not in (version, item.api_version)
        and any(_has(release, other, item, path) for release in convert.newest(other, item.kind))
        and convert.reachable(item.kind, item.api_version, other)
    ]
    also = f", or migrate to one that has it: {', '.join(there)}" if there else ""
    message = f"`{name}`{more} does not exist in {short(version)}{of}; dralint leaves the object unchanged"
    related = tuple(("lost as well", other) for other in lost[1:8])
    return Problem(LOST_FIELD, path, message, "Unknown", f"remove the field{also}", target="key", related=related)


def _has(release: Release, version: str, item: ApiObject, path: Path) -> bool:
    return convert.has_field(release, version, item.kind, convert.respelled(path, item.kind, version))


def _stays(path: Path, partner: Partner) -> Problem:
    """Return why a Pod or workload keeps the form that matches the objects it names."""
    message = (
        f"`source` goes with the {partner.kind} {quoted(partner.name)} in {partner.api_version}; "
        "the object is left as it is"
    )
    hint = f"write the {partner.kind} in a newer API version first"
    return Problem(LEFT_ALONE, path, message, None, hint)


_VERSION = re.compile(r"(?:resource\.k8s\.io/)?(v\d+(?:(?:alpha|beta)\d+)?)\Z")


class TargetError(ValueError):
    """A value of `--to` that dralint cannot migrate to; the text lists what it can."""


class NoTargetError(Exception):
    """There is no API version for a kind; the text has the reason, `hint` what exists."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Target:
    """What to migrate to: an API version, or the releases that must serve the result."""

    version: str | None = None
    releases: tuple[Release, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Target:
        """Return the target `resource.k8s.io/v1`, `v1beta2`, `1.34`, `latest` or `1.32..1.36`; else TargetError."""
        written = text.strip()
        known = known_releases()
        if (match := _VERSION.match(written)) and "." not in match[1]:
            version = f"{GROUP}/{match[1]}"
            if version in VERSIONS:
                return cls(version)
            there = ", ".join(map(short, VERSIONS))
            raise TargetError(f"{version} is none of the API versions that can be migrated to: {there}")
        try:
            wanted = ReleaseRange.parse(re.sub("(?i)latest", str(known[-1]), written))
        except ValueError as error:
            raise TargetError(
                f"{text!r} is neither an API version (such as {VERSIONS[-1]}) nor a release: {error}"
            ) from error
        ends = [end for end in (wanted.first, wanted.last) if end is not None]
        unknown = [str(end) for end in ends if end not in known] or ([] if ends else [repr(text)])
        if unknown:
            raise TargetError(f"release {unknown[0]} is not known; known are {', '.join(map(str, known))}")
        releases = tuple(release for release in known if release in wanted)
        first = releases[0]
        if not any((version, "ResourceClaim") in ApiVersions().served(first) for version in VERSIONS):
            raise TargetError(f"{first} serves an older model of resource.k8s.io; 1.31 is the first to migrate to")
        return cls(None, releases)

    def __str__(self) -> str:
        if self.version is not None:
            return self.version
        first, last = self.releases[0], self.releases[-1]
        return str(first) if first == last else f"{first}..{last}"

    def version_for(self, kind: str, own: str | None = None) -> tuple[str, Sequence[Release]]:
        """Return the API version to write a kind in, and the releases whose types decide which fields it has.

        Args:
            own: the API version that the object has; this target does not depend on it.

        Raises:
            NoTargetError: the API version does not have the kind, or no API version is served by all of the releases.
        """
        return _version_for(self, kind)


@lru_cache(maxsize=256)
def _version_for(target: Target, kind: str) -> tuple[str, Sequence[Release]]:
    there = [version for version in VERSIONS if convert.newest(version, kind)]
    hint = f"it is served in {', '.join(there)}" if there else None
    if target.version is not None:
        if target.version not in there:
            raise NoTargetError(f"{target.version} has no kind {kind}", hint)
        return target.version, convert.newest(target.version, kind)
    versions = ApiVersions()
    served = {release: [v for v in versions.versions(kind, release) if v in VERSIONS] for release in target.releases}
    common = [version for version in served[target.releases[0]] if all(version in row for row in served.values())]
    if not common:
        rows = [f"{release} in {', '.join(short(v) for v in row) or 'none'}" for release, row in served.items()]
        if len(rows) == 1:
            raise NoTargetError(f"{target.releases[0]} does not serve {kind}", hint)
        hint = f"{kind} is served by {'; '.join(rows)}"
        raise NoTargetError(f"no API version of {kind} is served by all of {target}", hint)
    by_default = [v for v in common if all(v in versions.default(release) for release in target.releases)]
    return (by_default or common)[0], target.releases


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(slots=True)
class MigratedFile:
    """The result for one file.

    `written` is the new file, None where nothing changes; `moves` are the plans of the objects that do,
    `problems` are those of objects that do not.
    """

    written: Rewriting | None = None
    documents: list[Document] = field(default_factory=list)
    items: list[tuple[Document, ApiObject]] = field(default_factory=list)
    moves: list[MigrationPlan] = field(default_factory=list)
    problems: list[tuple[Document, ApiObject, Problem]] = field(default_factory=list)
    skipped: list[tuple[Document, str]] = field(default_factory=list)

    @property
    def raw(self) -> bytes | None:
        """Its bytes afterwards, None where nothing changes."""
        return None if self.written is None else self.written.raw


def rewrite(
    raw: bytes, target: Target, second: SecondReader | None = None, classic: frozenset[Partner] = frozenset()
) -> MigratedFile:
    """Return the file with its objects in the API version of the target, or in one that fits its releases.

    `second` is another reader, to compare the result with; `classic` are the claims and templates of the older
    model in other files.
    """
    outcome = MigratedFile()
    if not raw.startswith(_UTF_16) and not RELEVANT.search(raw):
        return outcome
    outcome.documents = list(read(raw, relevant=RELEVANT))
    if MAY_BE_CLASSIC.search(raw) and not (own := partners(outcome.documents)) <= classic:
        classic |= own
    plans: list[MigrationPlan] = []
    for document in outcome.documents:
        if document.state == "template":
            outcome.skipped.append((document, document.reason or "a template, not a manifest yet"))
        elif document.state == "read":
            if "$" in document.text and is_patch(document.data):
                outcome.skipped.append((document, "a strategic merge patch"))
                continue
            plans += planned(document, target, classic, outcome)
    while plans:
        try:
            written = _written(raw, outcome.documents, plans)
            if second is not None and written.raw != raw and second.disagrees(raw, written.raw):
                why = "another YAML reader reads the result differently"
                raise _RefusedError([Refusal(document, None, why) for document in {p.document for p in plans}])
            outcome.written = written
        except _RefusedError as refused:
            gone = refused.concerned(plans)
            plans = [plan for plan in plans if plan not in gone]
            for plan, problem in gone.items():
                outcome.problems.append((outcome.documents[plan.document], plan.item, problem))
            continue
        outcome.moves = plans
        break
    return outcome


class _RefusedError(Exception):
    """Objects cannot be rewritten."""

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__(refusals[0].why)
        self.refusals = refusals

    def concerned(self, plans: list[MigrationPlan]) -> dict[MigrationPlan, Problem]:
        """Return the plans that it concerns, at least one, each with a message; lists go with their items."""
        first = grouped((refusal.document, refusal) for refusal in self.refusals)
        out: dict[MigrationPlan, Problem] = {}
        for plan in plans:
            for refusal in first.get(plan.document, ()):
                if refusal.path is None or refusal.path[: len(plan.item.path)] == plan.item.path:
                    out[plan] = _left_alone(plan, refusal)
                    break
        lists = {(plan.document, plan.group) for plan in out if plan.group is not None}
        last = self.refusals[0]
        out |= {
            plan: _left_alone(plan, last)
            for plan in plans
            if plan not in out and plan.group is not None and (plan.document, plan.group) in lists
        }
        return out or {plan: _left_alone(plan, last) for plan in plans}


def _left_alone(plan: MigrationPlan, refusal: Refusal) -> Problem:
    inside = refusal.path is not None and refusal.path[: len(plan.item.path)] == plan.item.path
    path = refusal.path[len(plan.item.path) :] if inside and refusal.path is not None else ()
    message = f"{refusal.why}; dralint leaves the object unchanged"
    return Problem(LEFT_ALONE, path or ("apiVersion",), message, None, "rewrite it by hand", target="key")


def _written(raw: bytes, documents: list[Document], plans: list[MigrationPlan]) -> Rewriting:
    """Return the file after all plans; _RefusedError where the layout has no place, or the result differs."""
    by_document = grouped((plan.document, plan) for plan in plans)
    current = Rewriting(raw)
    for number in range(max(len(plan.passes) for plan in plans)):
        current = current.then(_pass(current.raw, documents if not number else None, by_document, number))
    intended = {index: _intended(documents[index].data, here) for index, here in by_document.items()}
    wrong = [
        found._replace(why=f"the rewritten text would not mean the same: {found.why}")
        for found in differences(documents, intended, current.raw)
    ]
    if wrong:
        raise _RefusedError(wrong)
    return current


def _pass(
    raw: bytes, documents: list[Document] | None, plans: dict[int, list[MigrationPlan]], number: int
) -> list[Edit]:
    """Return the edits of one pass over a file; `documents` are those of its bytes, None where they are to be read."""
    documents = list(read(raw, relevant=RELEVANT)) if documents is None else documents
    file = FileText(raw)
    offsets = file.offsets(documents)
    edits: list[Edit] = []
    refused: list[Refusal] = []
    for index, here in plans.items():
        document = documents[index]
        planner = EditPlanner(document)
        for plan in here:
            try:
                made = combine(_edits(planner, plan, number, document))
            except OverlapError as error:
                refused.append(Refusal(index, plan.item.path, str(error)))
            except _RefusedError as error:
                refused += error.refusals
            else:
                edits += moved(made, offsets[index])
            if number == 0:
                plan.line = document.span(plan.item.path).line
        block.starts.cache_clear()  # it holds nodes, as the planner does
        del planner
        document.forget_nodes()
    if refused:
        raise _RefusedError(refused)
    try:
        return in_lines(file.text, edits)
    except OverlapError as error:
        raise _RefusedError([Refusal(index, None, str(error)) for index in plans]) from error


def _edits(planner: EditPlanner, plan: MigrationPlan, number: int, document: Document) -> Iterator[Edit]:
    if number == 0 and plan.version_at is not None:
        yield from _placed(planner, (Change("replace", plan.version_at, plan.target),), (), document)
    for each in plan.passes[number] if number < len(plan.passes) else ():
        yield from _placed(planner, each, plan.item.path, document)


def _placed(planner: EditPlanner, changes: Conversion, base: Path, document: Document) -> list[Edit]:
    last = changes[-1]
    path = (*base, *(last.path[:-1] if last.do == "move" else last.path))
    try:
        if last.do in ("replace", "remove") and planner.is_inherited(path):
            return []  # the change of the inherited mapping counts here, too; the proof checks it
        return at_once(planner, document, base, changes)
    except UnplaceableError as error:
        name = path_text(path[-1:])
        raise _RefusedError([Refusal(document.index, path, f"`{name}` cannot be rewritten: {error}")]) from error


def _intended(data: Json, plans: list[MigrationPlan]) -> Json:
    """Return the intended data of a document after the plans."""
    outcome = [data]
    for plan in sorted(plans, key=lambda plan: -len(plan.item.path)):
        if plan.intended is None:
            assert plan.version_at is not None
            copied(outcome, data, plan.version_at[:-1])[plan.version_at[-1]] = plan.target
        elif plan.item.path:
            copied(outcome, data, plan.item.path[:-1])[plan.item.path[-1]] = plan.intended
        else:
            outcome[0] = plan.intended
    return outcome[0]
