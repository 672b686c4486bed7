"""Code actions for findings, as edits: repairs, choices, comments that suppress, migration, the baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.config import baseline
from dralint.edit.apply import between, moved
from dralint.edit.repairs import SecondReader
from dralint.editor.completion import names_to_write
from dralint.editor.cursor import cursor_at, document_at
from dralint.editor.schema import kind_of, limits_of
from dralint.finding.finding import Edit
from dralint.finding.report import fresh
from dralint.fix.files import applies, fix_alone
from dralint.kubernetes.served import is_ours
from dralint.kubernetes.types import field_at
from dralint.manifest.objects import objects
from dralint.migrate.rewrite import MAY_BE_CLASSIC, Target, TargetError, rewrite
from dralint.report.safe import printable
from dralint.report.text import code
from dralint.suppress.comments import with_comments

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from dralint.editor.cursor import OpenDocument, Span, Text
    from dralint.editor.workspace import Workspace
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.dralint"
_MOST_CHOICES, _LONGEST = 6, 40


class Action(NamedTuple):
    """Edits of texts that an editor can apply.

    Attributes:
        edits: the edits of each text, by its name; a text that does not exist counts as empty.
        findings: the findings that it concerns.
        safe: whether it has one possible meaning; otherwise it is a guess, or one of several choices.
    """

    title: str
    kind: str
    edits: dict[str, tuple[Edit, ...]]
    findings: tuple[Finding, ...] = ()
    safe: bool = False


def actions(
    workspace: Workspace,
    name: str,
    span: Span,
    wanted: Callable[[str], bool] = lambda _: True,
    shown: Collection[tuple[str, Span]] = (),
) -> list[Action]:
    """Return the actions for a part of a text.

    Args:
        wanted: returns whether an editor requests actions of a kind.
        shown: the rule and place of further findings, which the editor shows beside that part.
    """
    text = workspace.text(name)
    out: list[Action] = []
    if wanted(QUICK_FIX):
        placed = [(one, text.span(*one[9:13])) for one in workspace.findings().get(name, ())]
        here = [one for one, place in placed if _touches(place, span) or (one.rule, place) in shown]
        for finding in here:
            out += _of_finding(workspace, text, finding)
        out += suppressions(workspace, name, here)
        out += _accepted(workspace, here)
    if wanted(FIX_ALL):
        out += fix_all(workspace, name)
    if wanted(REWRITE):
        out += migrations(workspace, name, span.start)
    return out


def _touches(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


# Repairs and choices.


def _of_finding(workspace: Workspace, text: Text, finding: Finding) -> Iterator[Action]:
    if finding.fix is not None:
        title = _title(text.text, finding.fix.edits, finding)
        title = title if finding.fix.safe else f"Guess: {title[0].lower()}{title[1:]}"
        yield Action(title, QUICK_FIX, {finding.file: finding.fix.edits}, (finding,), finding.fix.safe)
    if finding.fix is None or not finding.fix.safe:
        yield from _choices(workspace, finding)


def _title(text: str, edits: Sequence[Edit], finding: Finding) -> str:
    """Return a title for the edits."""
    if len(edits) == 1:
        old, new = text[edits[0].start : edits[0].end].strip(), edits[0].text.strip()
        if "\n" not in old + new and len(old) <= _LONGEST and len(new) <= _LONGEST:
            if old and new:
                return f"Replace {code(old)} by {code(new)}"
            return f"Insert {code(new)}" if new else f"Remove {code(old)}"
        if not new:
            return f"Remove {len(old.splitlines())} lines"
    hint = printable(" ".join(map(str.strip, (finding.hint or finding.message).splitlines())))
    return hint[0].upper() + hint[1:]


def _choices(workspace: Workspace, finding: Finding) -> Iterator[Action]:
    """Yield a replacement for each allowed value of a field that ends the finding, if there are few."""
    text = workspace.text(finding.file)
    cursor = cursor_at(workspace, finding.file, text.place(finding.line, finding.column))
    if cursor is None or cursor.is_key or not isinstance(cursor.value, str):
        return
    kind = kind_of(workspace, finding.file, cursor.item.api_version, cursor.item.kind)
    place = None if kind is None else field_at(kind.types, kind.name, cursor.path)
    if kind is None or place is None or place.shape.shape != "string":
        return
    values = [str(value) for value in limits_of(kind, place.owner, place.name).get("enum") or ()]
    values = values or [one for one, _ in names_to_write(workspace, place, cursor.item, cursor.path)]
    span = cursor.span
    for value in [] if len(values) > _MOST_CHOICES else dict.fromkeys(values):
        edit = Edit(span.start, span.end, value)
        guessed = finding.fix is not None and finding.fix.edits == (edit,)
        if value != cursor.value and not guessed and _settles(workspace, finding, edit):
            yield Action(f"Write {code(value)}", QUICK_FIX, {finding.file: (edit,)}, (finding,))


def _settles(workspace: Workspace, finding: Finding, edit: Edit) -> bool:
    """Say whether a finding is gone after an edit, and no other one has come."""
    text = workspace.text(finding.file)
    before = workspace.report()
    after = workspace.with_text(finding.file, text.changed([edit])).report()
    if any(f.rule == finding.rule and f.path == finding.path and f.line == finding.line for f in after.findings):
        return False
    return not [one for one in fresh(before, after, by_release=False) if one.severity != "info"]


# Suppressions.


def suppressions(workspace: Workspace, name: str, findings: Sequence[Finding]) -> Iterator[Action]:
    """Yield a comment for each rule that has findings here."""
    raw, documents = workspace.raw(name), [held.document for held in workspace.held(name)]
    for rule in dict.fromkeys(finding.rule for finding in findings):
        found = [finding for finding in findings if finding.rule == rule]
        changed = None if raw is None else with_comments(raw, documents, found, "")
        if raw is not None and changed is not None:
            edits = between(raw.decode(), changed.decode())
            yield Action(f"Suppress {rule} here with a comment", QUICK_FIX, {name: tuple(edits)}, tuple(found))


def _accepted(workspace: Workspace, findings: Sequence[Finding]) -> Iterator[Action]:
    """Yield the addition of each finding to the baseline, if the settings name one."""
    file = workspace.settings.baseline
    if file is None:
        return
    name = str(file)
    try:
        old = file.read_text("utf-8")
    except (OSError, ValueError):
        return
    for finding in findings:
        new = baseline.write([finding], baseline.read(old))
        title = f"Add {finding.rule} to the baseline {file.name}"
        yield Action(title, QUICK_FIX, {name: tuple(between(old, new))}, (finding,))


# Whole texts and objects.


def fix_all(workspace: Workspace, name: str) -> Iterator[Action]:
    """Yield all safe repairs of a text as one action, including those that become possible after the first."""
    if not any(applies(one, unsafe=False) for one in workspace.findings().get(name, ())):
        return
    text = workspace.text(name)
    if not workspace.is_open(name):
        workspace = workspace.with_text(name, text.text)  # in UTF-8, whatever the encoding of the file is
    report, raw = workspace.report(), text.raw

    def judge(changed: bytes) -> Report:
        return _only(workspace.with_text(name, changed.decode("utf-8", "surrogatepass")).report(), name)

    after, fixed = fix_alone(name, raw, _only(report, name), judge)
    if after.raw != raw and not SecondReader().disagrees(raw, after.raw):
        count = len(fixed.made)
        title = f"Fix all {count} safe problems" if count > 1 else "Fix the safe problem"
        yield Action(title, FIX_ALL, {name: tuple(after.edits)}, tuple(fixed.made), True)


def _only(report: Report, name: str) -> Report:
    return report.but(findings=[finding for finding in report.findings if finding.file == name])


def migrations(workspace: Workspace, name: str, offset: int) -> Iterator[Action]:
    """Yield the migration of the objects in the document at an offset to the API version that is served by default."""
    held = document_at(workspace, name, offset)
    if held is None or held.document.state != "read":
        return
    releases = workspace.linter(name).releases
    for item in objects(held.document.data):
        target = releases.versions.by_default(item.kind, releases.newest) if is_ours(item.api_version) else None
        if target is not None and target != item.api_version:
            edits = _migrated(held, target)
            if edits:
                yield Action(f"Migrate to {target}", REWRITE, {name: edits}, (), True)
            return


def _migrated(held: OpenDocument, target: str) -> tuple[Edit, ...]:
    text = held.document.text
    raw = text.encode("utf-8", "surrogatepass")
    if MAY_BE_CLASSIC.search(raw):
        return ()
    try:
        outcome = rewrite(raw, Target.parse(target), SecondReader())
    except TargetError:
        return ()
    return () if outcome.written is None else tuple(moved(outcome.written.edits, held.start))
