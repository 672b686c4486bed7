"""The text of one file from API versions to others: comments and layout kept, and proven to mean what is intended."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.edit.apply import OverlapError, apply_to_lines
from dralint.edit.edit import UnplaceableError, moved
from dralint.edit.file_text import FileText
from dralint.edit.place import Placer
from dralint.edit.proof import difference
from dralint.finding.path import at, path_text
from dralint.finding.problem import Problem
from dralint.kubernetes.groups import is_ours
from dralint.lint.linter import RELEVANT
from dralint.manifest.objects import ApiObject, is_manifest, is_patch, objects, type_meta
from dralint.migrate import convert, older_model, pods
from dralint.migrate.changes import Change, ConflictError, changed, changes, steps
from dralint.migrate.moves import VERSIONS
from dralint.migrate.target import NoTargetError
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.finding import Edit
    from dralint.migrate.target import Target
    from dralint.yaml import Document, Json, Path

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LOST_FIELD, NO_TARGET, LEFT_ALONE = "DRA507", "DRA508", "DRA097"


@dataclass(frozen=True, slots=True)
class Move:
    """One object that is rewritten: where it stands, from which API version to which (the same for a workload)."""

    document: int
    item: ApiObject
    target: str


@dataclass(slots=True)
class Outcome:
    """What becomes of one file.

    `raw` are its bytes afterwards, None where nothing changes; `problems` are of objects that are left alone.
    """

    raw: bytes | None = None
    documents: list[Document] = field(default_factory=list)
    items: list[tuple[Document, ApiObject]] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    problems: list[tuple[Document, ApiObject, Problem]] = field(default_factory=list)
    skipped: list[tuple[Document, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Plan:
    """What is to happen to one object: changes by pass, and the data that it is to have in the end."""

    document: int
    item: ApiObject
    target: str
    passes: list[list[Change]]
    intended: Any
    version_at: Path | None = None
    group: Path | None = None
    """Where the list is whose API version the object shares with all other items of it."""


def rewrite(raw: bytes, target: Target) -> Outcome:
    """Return what becomes of a file whose objects are to be in the API version, or fit the releases, of the target."""
    outcome = Outcome()
    if not raw.startswith(_UTF_16) and not RELEVANT.search(raw):
        return outcome
    outcome.documents = list(read(raw, relevant=RELEVANT))
    plans: list[_Plan] = []
    for document in outcome.documents:
        if document.state == "template":
            outcome.skipped.append((document, document.reason or "a template, not a manifest yet"))
        elif document.state == "read":
            if "$" in document.text and is_patch(document.data):
                outcome.skipped.append((document, "a strategic merge patch"))
                continue
            plans += _plans(document, target, outcome)
    while plans:
        try:
            outcome.raw = _written(raw, outcome.documents, plans)
        except _RefusedError as refused:
            gone = [plan for plan in plans if refused.concerns(plan)] or plans
            lists = {(plan.document, plan.group) for plan in gone if plan.group is not None}
            gone += [plan for plan in plans if plan not in gone and (plan.document, plan.group) in lists]
            plans = [plan for plan in plans if plan not in gone]
            for plan in gone:
                outcome.problems.append((outcome.documents[plan.document], plan.item, refused.problem(plan)))
            continue
        outcome.moves = [Move(plan.document, plan.item, plan.target) for plan in plans]
        break
    return outcome


def _plans(document: Document, target: Target, outcome: Outcome) -> list[_Plan]:
    """Return what is to happen to the objects of a document; what cannot is added to the problems of the outcome."""
    out: list[_Plan] = []
    inherited: dict[Path, list[_Plan | None]] = {}
    for item in objects(document.data):
        ours = is_ours(item.api_version) and bool(item.kind)
        if ours and not is_manifest(item):
            continue
        if not ours:
            plan = _workload(document, item)
            if plan is not None:
                outcome.items.append((document, item))
                out.append(plan)
            continue
        outcome.items.append((document, item))
        found = _plan(document, item, target)
        if isinstance(found, Problem):
            outcome.problems.append((document, item, found))
        own = type_meta(item.data, "apiVersion") is not None or type_meta(item.data, "kind") is not None
        if not own and len(item.path) >= 2:
            inherited.setdefault(item.path[:-2], []).append(found if isinstance(found, _Plan) else None)
        if isinstance(found, _Plan):
            out.append(found)
    for path, plans in inherited.items():
        if any(plan is None for plan in plans):
            out = [plan for plan in out if plan not in plans]  # all items of a typed list share its API version
        elif plans and plans[0] is not None:
            for plan in plans:
                assert plan is not None
                plan.group = path
            out.append(_list_head(document, path, plans[0].target))
    return out


def _list_head(document: Document, path: Path, target: str) -> _Plan:
    data = at(document.data, path)
    item = ApiObject(path, str(type_meta(data, "apiVersion")), str(type_meta(data, "kind")), data)
    key = next(key for key in data if key.lower() == "apiversion")
    # What its items become is their own plans' business.
    return _Plan(document.index, item, target, [[]], None, (*path, key), path)


def _plan(document: Document, item: ApiObject, target: Target) -> _Plan | Problem | None:
    """Return what is to happen to an object of resource.k8s.io, why nothing can, or None where nothing has to."""
    kind = item.kind
    if item.api_version not in VERSIONS:
        return older_model.problem(item, target)
    if not convert.newest(item.api_version, kind):
        return None  # no release has it, as `check` says
    try:
        version, releases = target.version_for(kind)
    except NoTargetError as error:
        return Problem(NO_TARGET, ("kind",), f"{error}; the object is left as it is", None, error.hint)
    if version == item.api_version:
        return None
    try:
        data, lost = convert.object(item.data, item.api_version, version, kind=kind, releases=releases)
        if lost:
            return _lost(item, version, releases, lost)
        passes = _passes(item, version)
    except ConflictError as error:
        return Problem(
            LEFT_ALONE,
            error.path,
            f"{error}, as in no API version; the object is left as it is",
            None,
            "remove one of the two",
            target="key",
        )
    own = next((key for key in item.data if key.lower() == "apiversion"), None)
    if own is not None and own != "apiVersion":
        return None  # no server takes it, as `check` says
    return _Plan(document.index, item, version, passes, data, None if own is None else (*item.path, own))


def _passes(item: ApiObject, version: str) -> list[list[Change]]:
    out: list[list[Change]] = []
    data: Any = item.data
    for one, other in steps(item.api_version, version):
        made = changes(data, item.kind, one, other)
        if made:
            out.append(made)
            data = changed(data, made)
    return out or [[]]


def _lost(item: ApiObject, version: str, releases: Iterable[Any], lost: list[Path]) -> Problem:
    path = lost[0]
    lacking = next(
        (
            release
            for release in releases
            if not convert.has_field(
                convert.types_of(str(release), version), item.kind, convert.respelled(path, item.kind, version)
            )
        ),
        None,
    )
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    of = f" of {lacking}" if lacking is not None else ""
    name = path_text(path[-1:])
    there = [
        other.rpartition("/")[2]
        for other in VERSIONS
        if other not in (version, item.api_version) and _keeps(item, path, other)
    ]
    also = f", or migrate to one that has it: {', '.join(there)}" if there else ""
    return Problem(
        LOST_FIELD,
        path,
        f"`{name}`{more} does not exist in {version.rpartition('/')[2]}{of}; the object is left as it is",
        "Unknown",
        f"remove the field{also}",
        target="key",
        related=tuple(("lost as well", other) for other in lost[1:8]),
    )


def _keeps(item: ApiObject, path: Path, version: str) -> bool:
    return any(
        convert.has_field(
            convert.types_of(str(release), version), item.kind, convert.respelled(path, item.kind, version)
        )
        for release in convert.newest(version, item.kind)
    )


def _workload(document: Document, item: ApiObject) -> _Plan | None:
    made = pods.changes(item)
    if not made:
        return None
    return _Plan(document.index, item, item.api_version, [made], changed(item.data, made))


class _RefusedError(Exception):
    """An object cannot be rewritten: `path` leads to what is the matter, from the document's root."""

    def __init__(self, document: int, path: Path | None, why: str) -> None:
        super().__init__(why)
        self.document = document
        self.path = path

    def concerns(self, plan: _Plan) -> bool:
        """Say whether the object of the plan is the one, or may be it."""
        if plan.document != self.document:
            return False
        return self.path is None or self.path[: len(plan.item.path)] == plan.item.path

    def problem(self, plan: _Plan) -> Problem:
        """Return it as a problem of the object."""
        path = () if self.path is None else self.path[len(plan.item.path) :]
        return Problem(
            LEFT_ALONE,
            path or ("apiVersion",),
            f"{self}; the object is left as it is",
            None,
            "rewrite it by hand",
            target="key",
        )


def _written(raw: bytes, documents: list[Document], plans: list[_Plan]) -> bytes:
    """Return the bytes after all plans; _RefusedError where the layout of one has no place, or the outcome differs."""
    current = raw
    shown = documents
    for number in range(max(len(plan.passes) for plan in plans)):
        if number:
            shown = list(read(current, relevant=RELEVANT))
        file = FileText(current)
        edits: list[Edit] = []
        for index in dict.fromkeys(plan.document for plan in plans):
            here = [plan for plan in plans if plan.document == index]
            edits += moved(_document_edits(shown[index], here, number), file.offset(shown[index]))
        try:
            current = file.encode(apply_to_lines(file.text, edits))
        except OverlapError as error:
            raise _RefusedError(plans[0].document, None, str(error)) from error
    intended = {
        index: _intended(documents[index].data, [plan for plan in plans if plan.document == index])
        for index in dict.fromkeys(plan.document for plan in plans)
    }
    wrong = difference(documents, intended, current)
    if wrong is not None:
        raise _RefusedError(wrong.document, wrong.path, f"the rewritten text would not mean the same: {wrong}")
    return current


def _document_edits(document: Document, plans: list[_Plan], number: int) -> Iterator[Edit]:
    placer = Placer(document)
    for plan in plans:
        if number == 0 and plan.version_at is not None:
            yield from _placed(placer, Change("replace", plan.version_at, value=plan.target), (), document)
        for change in plan.passes[number] if number < len(plan.passes) else ():
            yield from _placed(placer, change, plan.item.path, document)


def _placed(placer: Placer, change: Change, base: Path, document: Document) -> list[Edit]:
    path = (*base, *change.path)
    try:
        if change.way not in ("wrap", "insert") and placer.is_inherited(path):
            return []  # the change of the mapping that has it counts here, too; the proof tells whether there is one
        if change.way == "wrap":
            return placer.wrap(path, change.key, lambda name: name not in change.beside)
        if change.way == "unwrap":
            return placer.unwrap(path)
        if change.way == "nest":
            return placer.nest(path, change.key)
        if change.way == "unnest":
            return placer.unnest(path)
        if change.way == "remove":
            return placer.remove(path)
        return placer.insert(path, {}) if change.way == "insert" else placer.replace(path, change.value)
    except UnplaceableError as error:
        name = path_text(path[-1:])
        raise _RefusedError(document.index, path, f"`{name}` cannot be rewritten: {error}") from error


def _intended(data: Json, plans: list[_Plan]) -> Json:
    """Return the data of a document as it is to be after the plans."""
    for plan in sorted(plans, key=lambda plan: -len(plan.item.path)):
        if plan.intended is None:
            assert plan.version_at is not None
            data = _with(data, plan.version_at, plan.target)
        else:
            data = _with(data, plan.item.path, plan.intended)
    return data


def _with(data: Any, path: Path, value: Json) -> Json:
    if not path:
        return value
    step = path[0]
    if isinstance(data, list):
        assert isinstance(step, int)
        return [*data[:step], _with(data[step], path[1:], value), *data[step + 1 :]]
    return {**data, step: _with(data[step], path[1:], value)}
