"""One release with its gates, judging one object at a time: decode, drop what gates remove, validate."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.decode.decoder import Decoders, Findings
from dralint.finding.path import Link, at, path_of
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import GATE_OFF
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.limit_rows import Limits
from dralint.kubernetes.release import Release, in_range
from dralint.validate import relations
from dralint.validate.cascade import beside, decoding_of, name_gates
from dralint.validate.constraints import Constraints
from dralint.validate.context import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path as FilePath

    from dralint.finding.repair import Change
    from dralint.kubernetes.types import Struct
    from dralint.manifest.objects import ApiObject
    from dralint.validate.cascade import Telling
    from dralint.validate.constraints import Validate
    from dralint.yaml import Path

    Unknown = Callable[[Struct, str, Mapping[str, object], Link], Problem]


class Served(NamedTuple):
    """One kind of one API version of a release."""

    api_version: str
    kind: str
    namespaced: bool


class Verdict(NamedTuple):
    """What a release says of a value: problems of decoding, fields that gates remove, problems of validation.

    `value` is what is left of it: without what cannot be decoded and what is removed.
    """

    decoding: list[Problem]
    dropped: list[Problem]
    validation: list[Problem]
    value: Any

    @property
    def problems(self) -> list[Problem]:
        """All of them, in this order."""
        return [*self.decoding, *self.dropped, *self.validation]


class Api(NamedTuple):
    """One group and version of a release: its types, decoders and validators, compiled as kinds are met."""

    structs: Mapping[str, Struct]
    decoders: Decoders
    constraints: Constraints


class Judge:
    """The verdict of one release.

    Args:
        release: the release that judges.
        chosen: gates switched by the user, by name.
        index: a compiled catalogue other than the shipped one.
        schemas: a folder of releases that `schema generate` has written, looked at before the shipped ones.

    Raises FileNotFoundError when there are no types for the release.
    """

    def __init__(
        self,
        release: Release,
        chosen: Mapping[str, bool] | None = None,
        *,
        index: FilePath | None = None,
        schemas: FilePath | None = None,
    ) -> None:
        self.release = release
        self.index = index
        self.schemas = schemas
        self.gates = gates.enabled(release, chosen or {}, index)
        self._document = shipped.openapi(str(release), schemas)
        self._catalogue = shipped.index(index)
        self.does = frozenset(name for name, span in self._catalogue["behaviours"].items() if in_range(span, release))
        self.limits = Limits(self._catalogue["limits"], self._catalogue["totals"], release)
        self._gone = gates.dropped_fields(release, self.gates, index)
        self._apis: dict[str, Api] = {}
        self.tells: Telling = "first"
        """How much is told of an object."""
        self.served: dict[tuple[str, str], Served] = {
            (version, row["kind"]): Served(version, row["kind"], row["namespaced"])
            for version, kinds in self._document["kinds"].items()
            for row in kinds
        }

    def telling(self, telling: Telling) -> Judge:
        """Return the same judge telling more; it shares what is compiled."""
        other = copy.copy(self)
        other.tells = telling
        return other

    def api(self, api_version: str) -> Api:
        """Return the compiled API version (`v1` is the core group's part that claims need)."""
        api = self._apis.get(api_version)
        if api is None:
            types = shipped.structs_of(str(self.release), api_version, self.schemas)
            if api_version == "v1":
                from dralint.kubernetes.pod_types import pod_types

                types = pod_types(types, self.release)
            decoders = Decoders(types, self._gone, self._unknown(api_version, types))
            constraints = Constraints(types, self.limits, self.does, relations.hook)
            api = self._apis[api_version] = Api(types, decoders, constraints)
        return api

    def _unknown(self, api_version: str, types: Mapping[str, Struct]) -> Unknown:
        """Return the words for unknown fields of an API version; what finds them is made when there is one."""
        explain: Unknown | None = None

        def unknown(struct: Struct, key: str, beside: Mapping[str, object], link: Link) -> Problem:
            nonlocal explain
            if explain is None:
                from dralint.decode import unknown_fields

                origin = unknown_fields.TypesOf(self.release, self.index, self.schemas)
                explain = unknown_fields.explain(origin, api_version, types, self._gone)
            return explain(struct, key, beside, link)

        return unknown

    def check(self, item: ApiObject) -> list[Problem]:
        """Return what this release says of an object of its own (see `served`)."""
        return self.examine(item.api_version, item.kind, item.data, item).problems

    def examine(self, api_version: str, type_name: str, value: Any, item: ApiObject, prefix: Path = ()) -> Verdict:
        """Judge a value of a type: all of the object `item`, or the part of it that lies at `prefix`."""
        verdict = self._examined(api_version, type_name, value, item, prefix)
        if self.tells != "everything" and (verdict.decoding or verdict.validation):
            verdict = self._without_empty_entries(verdict, api_version, type_name, item, prefix)
        if (
            self.tells != "first"
            or not verdict.decoding
            or not any(problem.repair is not None for problem in verdict.decoding)
        ):
            return verdict
        from dralint.lint.look_through import beyond  # only where something is wrong

        def judge(other: Any) -> list[Problem]:
            inner = self._examined(api_version, type_name, other, item, prefix)
            # Of a Pod only what speaks of claims is known: what else is meant by a field shows too little.
            return [*(() if prefix else inner.decoding), *inner.validation]

        more = beyond(value, prefix, verdict.decoding, verdict.validation, judge)
        return verdict._replace(validation=[*verdict.validation, *more])

    def _without_empty_entries(
        self, verdict: Verdict, api_version: str, type_name: str, item: ApiObject, prefix: Path
    ) -> Verdict:
        """Return the verdict with repairs that take away what says nothing."""
        import dralint.validate.empty_entries as empty_entries  # only where something is wrong

        problems = verdict.problems
        if not empty_entries.has_any(problems, item.data):
            return verdict

        def judge(data: Any) -> list[Problem]:
            other = item._replace(data=data)
            return self._examined(api_version, type_name, at(data, prefix), other, prefix).problems

        entries = empty_entries.EmptyEntries(item.data, problems, judge)
        return verdict._replace(
            decoding=entries.offered(verdict.decoding), validation=entries.offered(verdict.validation)
        )

    def _examined(self, api_version: str, type_name: str, value: Any, item: ApiObject, prefix: Path) -> Verdict:
        api = self.api(api_version)
        start: Link = None
        for part in prefix:
            start = (start, part)
        found = Findings([], [])
        api.decoders.struct(type_name)(value, start, found)
        dropped: list[Problem] = []
        gone = [(path_of(link), gate) for link, gate in found.gone]
        if item.kind == "ResourceClaimTemplate" and "template-keeps-controller" in self.does:
            gone = [(path, gate) for path, gate in gone if gate != "DRAControlPlaneController"]
        whole, depth = value, len(prefix)
        poisoned = [(problem.parent, problem.last) for problem in found.problems]
        if found.problems or gone:
            value = pruned(value, [*poisoned, *((path[:-1], path[-1]) for path, _ in gone)], depth)
        if gone:
            parents = {problem.path for problem in found.problems}
            dropped = [
                self._drop(path, gate) for path, gate in gone if not _below(path, parents) and _loses(item.data, path)
            ]
        validation: list[Problem] = []
        validate = api.constraints.struct(type_name)
        if validate is not None:
            served = self.served.get((item.api_version, item.kind))
            namespaced = served is None or served.namespaced
            context = Context(
                self.release,
                self.does,
                self.gates,
                self.limits,
                item.api_version,
                item.kind,
                value,
                namespaced=namespaced,
                dropped=frozenset(path for path, _ in gone) if gone else frozenset(),
            )
            validate(value, start, context)
            if context.problems:
                caused: set[int] = set()
                if gone:
                    kept = pruned(whole, poisoned, depth)
                    every = context.over(kept, self.gates.union(gate for _, gate in gone))
                    caused = self._caused(validate, start, context, every)
                refused, dropped = name_gates(context.problems, dropped, dict(gone), caused)
                validation = beside(refused, found.problems, item.data, self.tells)
        decoding = _settled(decoding_of(found.problems, self.tells), item.data) if found.problems else []
        return Verdict(decoding, dropped, validation, value)

    @staticmethod
    def _caused(validate: Validate, start: Link, context: Context, every: Context) -> set[int]:
        """Return which refusals (by id) there would not be with the gates and all fields of `every`."""
        validate(every.root, start, every)
        remaining = {(problem.rule, problem.path) for problem in every.problems}
        refused = (problem for problem in context.problems if problem.reason is not None)
        return {id(problem) for problem in refused if (problem.rule, problem.path) not in remaining}

    def _drop(self, path: Path, gate: str) -> Problem:
        known = [Release.parse(text) for text in self._catalogue["releases"]["releases"]]
        since = gates.on_by_default_since(gate, known, self.index)
        later = f" ({since} is the first release with it on by default)" if since is not None else ""
        stage = gates.stage(gate, self.release, self.index)
        what = "is switched off" if stage is None or stage.default else f"is off by default{later}"
        return Problem(
            GATE_OFF,
            path,
            f"the server silently removes `{path[-1]}`: feature gate {gate} {what}",
            None,
            f"remove the field, or switch the gate on (and run dralint with --feature-gates {gate}=true)",
            target="key",
        )


def _loses(value: Any, path: Path) -> bool:
    """Say whether the removal of a field is a loss: not of an empty one, nor in a status, which a create ignores."""
    return bool(at(value, path)) and path[:1] != ("status",)


def _settled(problems: list[Problem], data: Any) -> list[Problem]:
    """Return the problems without the repairs that would move something to where there is something already."""
    import dralint.decode.dedented as dedented  # only where something is wrong

    return [
        dedented.with_its_entry(dedented.without_empty_parent(problem, data), data)
        if problem.repair is None or not any(_is_taken(data, change) for change in problem.repair.changes)
        else problem._replace(repair=None)
        for problem in problems
    ]


def _is_taken(data: Any, change: Change) -> bool:
    """Say whether something stands where a change wants to move a field, or is in the way to there."""
    if change.do != "move":
        return False
    for part in change.to:
        if isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        elif not isinstance(data, dict):
            return True
        elif part not in data:
            return False
        else:
            data = data[part]
    return True


def _below(path: Path, parents: set[Path]) -> bool:
    return any(path[:depth] in parents for depth in range(len(path) + 1))


def pruned(value: Any, places: Iterable[tuple[Path, str | int]], depth: int = 0) -> Any:
    """Return a copy of the value without what lies at the places (items of lists become null); the rest is shared.

    Args:
        places: the path of a parent, and the element of it.
        depth: how many levels down the value lies that the paths lead to.
    """
    top: _Cuts = {}
    before: Path | None = None
    cuts: _Cuts | None = None
    for parent, last in places:
        if parent is not before:
            before, cuts = parent, top
            for part in parent[depth:]:
                if cuts is None:
                    break
                if part not in cuts:
                    cuts[part] = {}
                cuts = cuts[part]
        if cuts is not None:
            cuts[last] = None
    return _cut(value, top) if top else value


_Cuts = dict["str | int", "_Cuts | None"]
"""What to cut out of a value: an element of a path → what to cut out of what it leads to, or None, all of it."""


def _cut(value: Any, cuts: _Cuts) -> Any:
    if isinstance(value, dict):
        fields = dict(value)
        for head, inner in cuts.items():
            if head in fields and isinstance(head, str):
                if inner is None:
                    del fields[head]
                else:
                    fields[head] = _cut(fields[head], inner)
        return fields
    if isinstance(value, list):
        items = list(value)
        for head, inner in cuts.items():
            if isinstance(head, int) and head < len(items):
                items[head] = None if inner is None else _cut(items[head], inner)
        return items
    return value
