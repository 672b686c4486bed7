"""Judges one object by the releases of a run: decodes it, drops the fields that gates remove, validates it."""

from __future__ import annotations

from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from dralint.decode.decoder import Decoded, Decoders
from dralint.finding.problem import Link, Problem, at, copied, path_of
from dralint.finding.rule_ids import CEL_RESULT, CEL_SYNTAX, CEL_TYPE, CEL_UNKNOWN_NAME, GATE_OFF
from dralint.kubernetes import gates, shipped, workloads
from dralint.kubernetes.near import is_slip
from dralint.kubernetes.release import Release, in_range
from dralint.kubernetes.served import ADMISSION, ApiVersions, is_ours
from dralint.kubernetes.shipped import Limits
from dralint.kubernetes.types import pod_types
from dralint.kubernetes.workloads import GROUP, is_group_of_pods
from dralint.lint.passes import PASSES, SAID, Examined, through
from dralint.manifest.objects import is_manifest
from dralint.records import NamedTuple
from dralint.validate import relations
from dralint.validate.constraints import Constraints, Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path as FilePath

    from dralint.config.settings import Settings
    from dralint.decode.decoder import Explain
    from dralint.finding.problem import ByRelease
    from dralint.kubernetes.types import Struct
    from dralint.kubernetes.workloads import OwnKind
    from dralint.manifest.objects import ApiObject
    from dralint.validate.cascade import Telling
    from dralint.validate.constraints import Validate
    from dralint.yaml import Path


class Api(NamedTuple):
    """One group and version of a release: its types, decoders and validators, compiled when a kind is first needed."""

    structs: Mapping[str, Struct]
    decoders: Decoders
    constraints: Constraints


class Judge:
    """Judges objects as one release does.

    Args:
        release: the release that judges.
        chosen: gates switched by the user, by name.
        schemas: a folder of releases that `schema generate` has written; it comes before the shipped ones.

    Raises FileNotFoundError when there are no types for the release.
    """

    def __init__(
        self,
        release: Release,
        chosen: Mapping[str, bool] | None = None,
        *,
        schemas: FilePath | None = None,
    ) -> None:
        self.release = release
        self.schemas = schemas
        self.gates = gates.enabled(release, chosen or {})
        self._document = shipped.openapi(str(release), schemas)
        self._catalogue = shipped.index()
        self.does = frozenset(name for name, span in self._catalogue["behaviours"].items() if in_range(span, release))
        self.limits = Limits(self._catalogue["limits"], self._catalogue["totals"], release)
        self._gone = gates.dropped_fields(release, self.gates)
        self._apis: dict[str, Api] = {}
        self._repaired: Examined | None = None
        """What the last look behind a repair has found in the repaired object."""
        self.namespaced: dict[tuple[str, str], bool] = {
            (version, row["kind"]): row["namespaced"]
            for version, kinds in self._document["kinds"].items()
            for row in kinds
        }
        """API version and kind that the release serves → whether it is namespaced."""

    def api(self, api_version: str) -> Api:
        """Return the compiled API version. For `v1`, this is only the part of the core group that claims need."""
        api = self._apis.get(api_version)
        if api is None:
            types = shipped.structs_of(str(self.release), api_version, self.schemas)
            if api_version == "v1":
                types = pod_types(types, self.release)

            @cache
            def explain() -> Explain:
                from dralint.decode import unknown_fields  # few objects have such a field

                origin = unknown_fields.TypesOf(self.release, self.schemas)
                return unknown_fields.explain(origin, api_version, types, self._gone)

            decoders = Decoders(types, self._gone, explain)
            constraints = Constraints(types, self.limits, self.does, relations.hook)
            api = self._apis[api_version] = Api(types, decoders, constraints)
        return api

    def check(self, item: ApiObject, telling: Telling = "first") -> list[Problem]:
        """Return the problems that this release finds in an object of an API version that it serves."""
        if telling != "everything":
            self._repaired = None  # of another object, perhaps judged when no work was left
        known = self._repaired  # a proof asks what the repairs lead to
        if known is not None and _is_alike(known.item, item):
            return through(PASSES, known._replace(item=item, telling=telling)).problems
        return self.examine(item.api_version, item.kind, item.data, item, telling=telling).problems

    def examine(
        self,
        api_version: str,
        type_name: str,
        value: Any,
        item: ApiObject,
        prefix: Path = (),
        telling: Telling = "first",
    ) -> Examined:
        """Judge a value of a type: the whole object `item`, or the part of it at `prefix`."""
        return through(PASSES, self._found(api_version, type_name, value, item, prefix, telling))

    def _found(
        self, api_version: str, type_name: str, value: Any, item: ApiObject, prefix: Path, telling: Telling
    ) -> Examined:
        """Return what there is, before the passes; `again` also keeps it for the proof of the repairs."""

        def again(changed: ApiObject) -> Examined:
            found = self._found(api_version, type_name, at(changed.data, prefix), changed, prefix, telling)
            if not prefix:
                self._repaired = found
            return through(SAID, found)

        api = self.api(api_version)
        start: Link = None
        for part in prefix:
            start = (start, part)
        found = Decoded([], [])
        api.decoders.struct(type_name)(value, start, found)
        dropped: list[Problem] = []
        gone = [(path_of(link), gate) for link, gate in found.gone]
        if item.kind == "ResourceClaimTemplate" and "template-keeps-controller" in self.does:
            gone = [(path, gate) for path, gate in gone if gate != "DRAControlPlaneController"]
        whole, depth = value, len(prefix)
        if found.problems or gone:
            refused = ((problem.parent, problem.last) for problem in found.problems)
            value = pruned(value, chain(refused, ((path[:-1], path[-1]) for path, _ in gone)), depth)
        if gone:
            parents = {problem.path for problem in found.problems}
            dropped = [
                self._drop(path, gate) for path, gate in gone if not _below(path, parents) and _loses(item.data, path)
            ]
        validation: list[Problem] = []
        caused: set[int] = set()
        validate = api.constraints.struct(type_name)
        if validate is not None:
            context = Context(
                self.release,
                self.does,
                self.gates,
                self.limits,
                item.api_version,
                item.kind,
                value,
                namespaced=self.namespaced.get((item.api_version, item.kind), True),
                dropped=frozenset(path for path, _ in gone) if gone else frozenset(),
            )
            validate(value, start, context)
            validation = context.problems
            if validation and gone:
                kept = pruned(whole, ((problem.parent, problem.last) for problem in found.problems), depth)
                every = context.over(kept, self.gates.union(gate for _, gate in gone))
                caused = self._caused(validate, start, context, every)
        return Examined(
            item,
            prefix,
            again,
            telling,
            value,
            found.problems,
            dict(gone),
            caused,
            dropped,
            validation,
            [],
        )

    @staticmethod
    def _caused(validate: Validate, start: Link, context: Context, every: Context) -> set[int]:
        """Return the ids of the refusals that disappear with the gates and all fields of `every`."""
        validate(every.root, start, every)
        remaining = {(problem.rule, problem.path) for problem in every.problems}
        refused = (problem for problem in context.problems if problem.reason is not None)
        return {id(problem) for problem in refused if (problem.rule, problem.path) not in remaining}

    def _drop(self, path: Path, gate: str) -> Problem:
        known = [Release.parse(text) for text in self._catalogue["releases"]["releases"]]
        since = gates.on_by_default_since(gate, known)
        later = f" ({since} is the first release with it on by default)" if since is not None else ""
        stage = gates.stage(gate, self.release)
        what = "is switched off" if stage is None or stage.default else f"is off by default{later}"
        return Problem(
            GATE_OFF,
            path,
            f"the server silently removes `{path[-1]}`: feature gate {gate} {what}",
            None,
            f"remove the field, or switch the gate on (and run dralint with --feature-gates {gate}=true)",
            target="key",
        )


def _is_alike(one: ApiObject, other: ApiObject) -> bool:
    from dralint.edit.repairs import unlike  # only where something is wrong

    return (one.api_version, one.kind) == (other.api_version, other.kind) and unlike(one.data, other.data) is None


def _loses(value: Any, path: Path) -> bool:
    """Say whether removing a field is a loss; an empty field, or one of a status that a create ignores, is not."""
    return bool(at(value, path)) and path[:1] != ("status",)


def _below(path: Path, parents: set[Path]) -> bool:
    return any(path[:depth] in parents for depth in range(len(path) + 1))


def pruned(value: Any, places: Iterable[tuple[Path, str | int]], depth: int = 0) -> Any:
    """Return a copy of the value without the given places (list items become null); the rest is shared.

    Args:
        places: the path of a parent, and the key or index in it.
        depth: the number of path elements that lead to the value itself.
    """
    outcome = [value]
    before: Path | None = None
    inner: Any = None
    for parent, last in places:
        if parent is not before:
            before, inner = parent, copied(outcome, value, parent[depth:])
        if isinstance(inner, dict):
            inner.pop(last, None)
        elif isinstance(inner, list) and isinstance(last, int) and last < len(inner):
            inner[last] = None
    return outcome[0]


DESCRIBED: list[tuple[OwnKind, ...]] = [()]
"""The kinds of custom resources that the settings describe and this process knows."""


def use_workloads(settings: Settings) -> None:
    """Make this process know the kinds that the settings describe."""
    DESCRIBED[0] = settings.workloads
    workloads.use(settings.workloads)


class Releases:
    """The releases that settings choose. Judges are made when they are first needed, and kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._judges: dict[Release, Judge] = {}
        self._lifecycles: dict[tuple[str, str, bool], ByRelease] = {}

    @cached_property
    def chosen(self) -> tuple[Release, ...]:
        """The chosen releases, in order; none if the newest release that serves an object judges it."""
        return tuple(sorted(set(self._settings.releases)))

    def serving(self, api_version: str, kind: str) -> list[Release]:
        """Return the releases that judge an object of resource.k8s.io: the chosen ones that serve it."""
        if not self.chosen:
            newest = self.versions.newest_serving(api_version, kind)
            return [] if newest is None else [newest]
        return [release for release in self.chosen if (api_version, kind) in self.versions.served(release)]

    def lifecycle(self, item: ApiObject, *, stored: bool = False) -> ByRelease:
        """Return the problems of an object's API version; they are the same for all objects of its kind.

        The cluster of an object that is `stored` serves its API version.
        """
        key = item.api_version, item.kind, stored
        found = self._lifecycles.get(key)
        if found is None:
            serving = self.serving(item.api_version, item.kind)
            if self.versions.is_current(item.api_version, item.kind, serving):
                found = []
            else:
                from dralint.validate.served import lifecycle  # most objects have an API version that stays

                found = lifecycle(self.versions, item, serving, named=bool(self.chosen) and not stored)
            self._lifecycles[key] = found
        return found

    def judge(self, release: Release) -> Judge:
        """Return the judge of a release."""
        judge = self._judges.get(release)
        if judge is None:
            settings = self._settings
            judge = self._judges[release] = Judge(release, dict(settings.gates), schemas=settings.schemas)
        return judge

    @cached_property
    def versions(self) -> ApiVersions:
        """What the known releases serve."""
        return ApiVersions(self._settings.schemas, self._settings.api_versions)

    @property
    def known(self) -> list[Release]:
        """All releases that dralint has types for, in order."""
        return self.versions.known

    @property
    def newest(self) -> Release:
        """The newest release that judges."""
        return (self.chosen or self.known)[-1]


def judge_object(releases: Releases, item: ApiObject, telling: Telling = "first") -> ByRelease | None:
    """Return the problems of an object with their releases; None where dralint does not judge it."""
    if releases.versions.ours(item.api_version, item.kind) or _has_misspelt_version(item):
        own = is_manifest(item)
        return by_release(releases, item, lambda one: releases.judge(one).check(item, telling)) if own else None
    if item.group == ADMISSION:
        return _admission(releases, item)
    from dralint.lint import workloads  # its checks are needed where there are Pods
    from dralint.manifest.pod_parts import claim_parts

    if is_group_of_pods(item.group, item.kind):
        if not (parts := claim_parts(item)):
            return None
        return by_release(releases, item, lambda one: workloads.check_parts(releases.judge(one), item, parts, telling))
    return workloads.judge_workload(releases, item, telling)


def _has_misspelt_version(item: ApiObject) -> bool:
    """Say whether an object has neither `apiVersion` nor `kind`, but an API version of ours under a misspelt key."""
    if item.api_version or item.kind:
        return False
    keys = [key for key, value in item.data.items() if isinstance(value, str) and is_ours(value)]
    if not keys:
        return False

    return any(is_slip(key, "apiVersion") for key in keys)


def _admission(releases: Releases, item: ApiObject) -> ByRelease | None:
    from dralint.validate.admission import admission, speaks_of_ours  # few inputs have policies

    if not speaks_of_ours(item):
        return None
    merged: dict[Problem, list[Release]] = {}
    for problem, release in admission(releases.versions, item, releases.chosen or releases.known[-1:]):
        merged.setdefault(problem, []).append(release)
    return list(merged.items())


_OF_SELECTORS = frozenset({CEL_SYNTAX, CEL_UNKNOWN_NAME, CEL_TYPE, CEL_RESULT})
_MOST_OF_SELECTORS = 3
"""The server itself stops at the API version: more would hide that."""


def _selectors_of(releases: Releases, item: ApiObject, release: Release) -> list[Problem]:
    """Return what is wrong in the selectors of an object that a release does not serve in its API version.

    The last release that serves it judges, or else the release itself in the API version that it prefers.
    """
    if item.group != GROUP:
        return []
    judging, meant = releases.versions.newest_serving(item.api_version, item.kind), item
    if judging is None:
        named = releases.versions.versions(item.kind, release)
        if not named:
            return []
        judging, meant = release, item._replace(api_version=named[0], data={**item.data, "apiVersion": named[0]})
    found = releases.judge(judging).check(meant)
    return [problem for problem in found if problem.rule in _OF_SELECTORS][:_MOST_OF_SELECTORS]


def by_release(
    releases: Releases, item: ApiObject, check: Callable[[Release], list[Problem]], *, stored: bool = False
) -> ByRelease:
    """Return the problems of an object of a group whose served versions are known, by what `check` finds.

    An object that is `stored` is in the cluster before, in the same API version.
    """
    versions = releases.versions
    key = (item.api_version, item.kind)
    if not releases.chosen:
        newest = versions.known[-1]
        release = versions.newest_serving(*key)
        if release is None:
            from dralint.validate import served  # most objects are served

            refused = [served.refusal(versions, item, newest), *_selectors_of(releases, item, newest)]
            return [(problem, [newest]) for problem in refused]
        judging = [release]
        found = [(problem, judging) for problem in check(release)]
        if release != newest:
            from dralint.validate import served

            return [*found, (served.removed(versions, item, release), [release])]
        found += releases.lifecycle(item, stored=stored)
        return found
    merged: dict[Problem, list[Release]] = {}
    for release in releases.chosen:
        if key in versions.served(release):
            problems = check(release)
        else:
            from dralint.validate import served

            refusal = served.refusal(versions, item, release, releases.chosen)
            problems = [refusal, *_selectors_of(releases, item, release)]
        for problem in problems:
            merged.setdefault(problem, []).append(release)
    return [*merged.items(), *releases.lifecycle(item, stored=stored)]
