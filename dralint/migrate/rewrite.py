"""Migrates the text of one file: keeps comments and layout, and proves that the result has the intended data."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.edit import block
from dralint.edit.apply import FileText, OverlapError, Rewriting, UnplaceableError, combine, in_lines, moved
from dralint.edit.place import EditPlanner
from dralint.edit.repairs import differences
from dralint.finding.problem import Problem, copied, path_text
from dralint.finding.rule_ids import LEFT_ALONE
from dralint.manifest.objects import RELEVANT, ApiObject, is_patch
from dralint.migrate.convert import Conversion
from dralint.migrate.plans import MAY_BE_CLASSIC, MigrationPlan, Partner, partners, planned
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.edit.repairs import SecondReader
    from dralint.finding.finding import Edit
    from dralint.migrate.plans import Target
    from dralint.yaml import Document, Json, Path

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class MigratedObject:
    """One rewritten object: its document and line, its API version before and after (the same for a workload).

    `data` is its new data, None for a list whose items move.
    """

    document: int
    line: int
    item: ApiObject
    target: str
    data: Any


@dataclass(slots=True)
class MigratedFile:
    """The result for one file.

    `written` is the new file, None where nothing changes; `problems` are those of objects that do not change.
    """

    written: Rewriting | None = None
    documents: list[Document] = field(default_factory=list)
    items: list[tuple[Document, ApiObject]] = field(default_factory=list)
    moves: list[MigratedObject] = field(default_factory=list)
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
            found = planned(document, target, classic)
            outcome.items += [(document, item) for item in found.items]
            outcome.problems += [(document, item, problem) for item, problem in found.problems]
            plans += found.plans
    while plans:
        try:
            written = _written(raw, outcome.documents, plans)
            if second is not None and written.raw != raw and second.disagrees(raw, written.raw):
                why = "another YAML reader reads the result differently"
                raise _RefusedError([_Refusal(document, None, why) for document in {p.document for p in plans}])
            outcome.written = written
        except _RefusedError as refused:
            gone = refused.concerned(plans)
            plans = [plan for plan in plans if plan not in gone]
            for plan, problem in gone.items():
                outcome.problems.append((outcome.documents[plan.document], plan.item, problem))
            continue
        outcome.moves = [
            MigratedObject(plan.document, plan.line, plan.item, plan.target, plan.intended) for plan in plans
        ]
        break
    return outcome


class _Refusal(NamedTuple):
    """A part that cannot be rewritten: the document, the path of the problem (None: all of it), and the reason."""

    document: int
    path: Path | None
    why: str


class _RefusedError(Exception):
    """Objects cannot be rewritten."""

    def __init__(self, refusals: list[_Refusal]) -> None:
        super().__init__(refusals[0].why)
        self.refusals = refusals

    def concerned(self, plans: list[MigrationPlan]) -> dict[MigrationPlan, Problem]:
        """Return the plans that it concerns, at least one, each with a message; lists go with their items."""
        first: dict[int, list[_Refusal]] = {}
        for refusal in self.refusals:
            first.setdefault(refusal.document, []).append(refusal)
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


def _left_alone(plan: MigrationPlan, refusal: _Refusal) -> Problem:
    inside = refusal.path is not None and refusal.path[: len(plan.item.path)] == plan.item.path
    path = refusal.path[len(plan.item.path) :] if inside and refusal.path is not None else ()
    message = f"{refusal.why}; dralint leaves the object unchanged"
    return Problem(LEFT_ALONE, path or ("apiVersion",), message, None, "rewrite it by hand", target="key")


def _written(raw: bytes, documents: list[Document], plans: list[MigrationPlan]) -> Rewriting:
    """Return the file after all plans; _RefusedError where the layout has no place, or the result differs."""
    by_document: dict[int, list[MigrationPlan]] = {}
    for plan in plans:
        by_document.setdefault(plan.document, []).append(plan)
    current = Rewriting(raw)
    for number in range(max(len(plan.passes) for plan in plans)):
        current = current.then(_pass(current.raw, documents if not number else None, by_document, number))
    intended = {index: _intended(documents[index].data, here) for index, here in by_document.items()}
    wrong = [
        _Refusal(found.document, found.path, f"the rewritten text would not mean the same: {found}")
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
    refused: list[_Refusal] = []
    for index, here in plans.items():
        document = documents[index]
        planner = EditPlanner(document)
        for plan in here:
            try:
                made = combine(_edits(planner, plan, number, document))
            except OverlapError as error:
                refused.append(_Refusal(index, plan.item.path, str(error)))
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
        raise _RefusedError([_Refusal(index, None, str(error)) for index in plans]) from error


def _edits(planner: EditPlanner, plan: MigrationPlan, number: int, document: Document) -> Iterator[Edit]:
    if number == 0 and plan.version_at is not None:
        yield from _placed(planner, Conversion("replace", plan.version_at, value=plan.target), (), document)
    for change in plan.passes[number] if number < len(plan.passes) else ():
        yield from _placed(planner, change, plan.item.path, document)


def _placed(planner: EditPlanner, change: Conversion, base: Path, document: Document) -> list[Edit]:
    path = (*base, *change.path)
    try:
        if change.way not in ("wrap", "insert") and planner.is_inherited(path):
            return []  # the change of the inherited mapping counts here, too; the proof checks it
        if change.way == "wrap":
            return planner.wrap(path, change.key, lambda name: name not in change.beside)
        if change.way == "unwrap":
            return planner.unwrap(path)
        if change.way == "nest":
            return planner.nest(path, change.key)
        if change.way == "unnest":
            return planner.unnest(path)
        if change.way == "remove":
            return planner.remove(path)
        return planner.insert(path, {}) if change.way == "insert" else planner.replace(path, change.value)
    except UnplaceableError as error:
        name = path_text(path[-1:])
        raise _RefusedError([_Refusal(document.index, path, f"`{name}` cannot be rewritten: {error}")]) from error


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
