"""Turns problems into findings: adds the fields of the rule and the place in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding import rule_ids
from dralint.finding.finding import Related, of_rule
from dralint.finding.problem import at
from dralint.yaml import Span

if TYPE_CHECKING:
    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding, Fix
    from dralint.finding.problem import Problem
    from dralint.finding.report import Failure
    from dralint.manifest.objects import ApiObject, Place
    from dralint.yaml import Document, Path, ReadingProblem

READING_RULES = {
    "invalid-utf8": rule_ids.INVALID_UTF8,
    "yaml-syntax": rule_ids.YAML_SYNTAX,
    "json-syntax": rule_ids.JSON_SYNTAX,
    "duplicate-key": rule_ids.DUPLICATE_KEY,
    "missing-separator": rule_ids.DUPLICATE_KEY,
    "no-object": rule_ids.NOT_A_MANIFEST,
    "bad-key": rule_ids.BAD_KEY,
    "no-json-form": rule_ids.NO_JSON_FORM,
    "excessive-aliasing": rule_ids.EXCESSIVE_ALIASING,
    "too-deep": rule_ids.TOO_DEEP,
    "bad-separator": rule_ids.BAD_SEPARATOR,
    "ignored-after-document-end": rule_ids.IGNORED_AFTER_DOCUMENT_END,
    "too-large": rule_ids.TOO_LARGE,
    "cut-object": rule_ids.CUT_OBJECT,
    "only-yaml": rule_ids.ONLY_YAML,
}
_READING_REASONS = {
    rule_ids.DUPLICATE_KEY: "DuplicateKey",
    rule_ids.BAD_KEY: "Decode",
    rule_ids.NO_JSON_FORM: "Decode",
    rule_ids.TOO_LARGE: "TooLong",
    rule_ids.NOT_A_MANIFEST: "TypeInvalid",
}
_MISPLACED = frozenset({rule_ids.DISPLACED_FIELD, rule_ids.OTHER_SHAPE})
STATUS_NOTE = " (judged as if written to the status subresource)"


def finding_of(
    place: Place, rule: Rule, problem: Problem, releases: tuple[str, ...], note: str = "", fix: Fix | None = None
) -> Finding:
    """Return the finding of a problem of an object; `note` follows its message, `fix` repairs it."""
    return of_rule(
        rule,
        place.file,
        place.document.index,
        locate(place.document, place.item.path, problem),
        reason=problem.reason,
        message=problem.message + note,
        hint=problem.hint,
        object=describe(place.item),
        path=problem.path,
        releases=releases,
        related=tuple([_related(place, text, path, problem.target) for text, path in problem.related]),
        parent=_parent(place, rule, problem.path),
        fix=fix,
    )


def _related(place: Place, text: str, path: Path, target: str) -> Related:
    """Return a related place of the object; for a problem of a key, this is a key too."""
    span_of = place.document.key_span if target == "key" else place.document.span
    return related_place(text, place.file, span_of((*place.item.path, *path)))


def _parent(place: Place, rule: Rule, path: Path) -> Related | None:
    """Return the path of the field that contains a misplaced field; None at the top or for other rules."""
    if rule.id not in _MISPLACED:
        return None
    names = [depth for depth, part in enumerate(path[:-1], 1) if isinstance(part, str)]
    if not names:
        return None
    text = "has no such field" if names[-1] == len(path) - 1 else "its entries have no such field"
    return related_place(text, place.file, place.document.key_span((*place.item.path, *path[: names[-1]])))


def reading_finding(
    rule: Rule, problem: ReadingProblem, file: str, document: Document, item: ApiObject | None, fix: Fix | None = None
) -> Finding:
    """Return the finding of a reading problem; inside of an object, its path starts at the object."""
    return of_rule(
        rule,
        file,
        document.index,
        problem.span,
        reason=_READING_REASONS.get(rule.id),
        message=problem.message,
        hint=problem.hint,
        object=None if item is None else describe(item),
        path=problem.path if item is None else problem.path[len(item.path) :],
        related=tuple(related_place(text, file, at) for text, at in problem.related),
        fix=fix,
    )


def related_place(message: str, file: str, span: Span) -> Related:
    """Return a place that explains a finding."""
    return Related(message, file, span.line, span.column, span.end_line, span.end_column)


def failure_finding(rule: Rule, failure: Failure) -> Finding:
    """Return the finding of a failure: it has no object, and its place is the start of its text."""
    span = Span(failure.line, 1, failure.line, 1)
    return of_rule(rule, failure.file, failure.document, span, message=failure.message)


def describe(item: ApiObject) -> dict[str, str | None]:
    """Return the object as the JSON contract names it."""
    return {"apiVersion": item.api_version, "kind": item.kind, "namespace": item.namespace, "name": item.name}


def locate(document: Document, base: tuple[str | int, ...], problem: Problem) -> Span:
    """Return where a problem is in the file: at its value, at its key, or where a missing field belongs."""
    path = (*base, *(problem.path if problem.where is None else problem.where))
    if problem.target == "key":
        return document.key_span(path)
    if problem.target == "scalar":
        line, column = document.scalar_position(path, problem.start)
        end_line, end_column = document.scalar_position(path, max(problem.end, problem.start + 1))
        return Span(line, column, end_line, end_column)
    if not exists(document.data, path):
        return document.missing_span(path)
    if problem.reason == "Required" and not isinstance(at(document.data, path), str | int):
        return document.key_span(path)  # the missing field belongs to it
    return document.span(path)


def exists(value: object, path: tuple[str | int, ...]) -> bool:
    """Say whether the path leads to a value in the data, even to null."""
    for part in path:
        if isinstance(value, dict) and part in value:  # noqa: SIM114 - mypy follows each type by itself
            value = value[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return False
    return True
