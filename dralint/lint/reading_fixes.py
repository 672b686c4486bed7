"""Proves the edits of a reading problem: the text must be readable with them and mean what its author wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.edit.apply import apply, between
from dralint.finding.finding import Edit
from dralint.finding.problem import copied
from dralint.finding.rule_ids import MORE_BEHIND_DECODING
from dralint.lint.report_builder import locate
from dralint.manifest.objects import objects
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dralint.lint.placeholders import Found
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path, ReadingProblem

    Judged = Callable[[ApiObject], Found | None]

_STRUCTURE = ("Unknown", "TypeInvalid")
"""Reasons of problems about the structure of an object."""
_ONLY_TEXT = "@`%"
_MOST_AT_ONCE = 8
"""dralint mends at most this many reading problems together: reading stops at the first, and each one hides the next.
"""


def readable(document: Document, problem: ReadingProblem, judged: Judged) -> list[Edit]:
    """Return the edits of a reading problem; none where the text is not readable with them.

    Every judging release must accept a value that the edits put into quotes. Of a value that begins with a character
    that no YAML value can begin with, so that it can only be text, this applies to a selector alone.
    """
    pieces = [Edit(*edit) for edit in sorted(problem.edits)]
    text, quoted = apply(document.text, pieces), _quoted(document.text, pieces)
    after = list(read(text.encode("utf-8", "surrogatepass")))
    current = problem
    for _ in range(_MOST_AT_ONCE):
        further = _next_problem(after, current)
        if further is None:
            break
        more = [Edit(*edit) for edit in sorted(further.edits)]
        quoted += _quoted(text, more)
        text = apply(text, more)
        after, current = list(read(text.encode("utf-8", "surrogatepass"))), further
    left = sum(len(other.problems) for other in after)
    if left >= len(document.problems) or any(other.state not in ("read", "empty") for other in after):
        return []
    if not all(_is_accepted(after, offset, source, judged) for offset, source in quoted):
        return []
    written = frozenset(text.splitlines()).difference(document.text.splitlines())
    whole = problem.sure and not any(edit.text[:1] in ("'", '"') for edit in pieces)
    if not quoted and _is_misplaced(after, written, judged, () if whole else _STRUCTURE):
        return []
    return pieces if current is problem else between(document.text, text)


def _quoted(text: str, pieces: list[Edit]) -> list[tuple[int, str]]:
    """Return the offset and the source of each value that the edits put into quotes, or whose quotes they close."""
    out = []
    for edit in pieces:
        source = text[edit.start : edit.end]
        if edit.text[:1] in ("'", '"') and source:
            out.append((edit.start, source))
        elif edit.text in ("'", '"') and not source:
            out.append((edit.start, edit.text))
    return out


def _next_problem(after: list[Document], problem: ReadingProblem) -> ReadingProblem | None:
    """Return the next problem at which reading stops, further down, if its repair is as certain."""
    if len(after) != 1 or after[0].state != "unreadable" or not problem.sure:
        return None
    further = after[0].problems[0]
    return further if further.edits and further.sure and further.span.line > problem.span.line else None


def _is_accepted(documents: list[Document], offset: int, source: str, judged: Judged) -> bool:
    """Say whether the quoted text at an offset is a value, and one that its object can have."""
    held = [document for document in documents if document.state != "empty"]
    path = None if len(held) != 1 or held[0].root is None else _path_to(held[0].root, offset)
    if path is None:
        return False
    if source[0] in _ONLY_TEXT and path[-1] != "expression":
        return True
    for item in objects(held[0].data):
        depth = len(item.path)
        if path[:depth] == item.path:
            if _refused(judged(item), path[depth:]):
                return False
            # A text that looks like a collection or like two entries is only quoted where the field accepts nothing
            # else.
            return not _like_more(source) or _refused(judged(_with(item, path[depth:], [])), path[depth:])
    return not _like_more(source)


def _like_more(source: str) -> bool:
    return source[0] in "[{" or ": " in source or source.endswith(":")


def _is_misplaced(documents: list[Document], written: frozenset[str], judged: Judged, reasons: Collection[str]) -> bool:
    """Say whether a new line has a problem: any refusal, or one with one of the `reasons`.

    Such a line may have been cut off, or may be meant as something else.
    """
    for document in documents:
        lines = document.text.splitlines()
        for item in objects(document.data) if document.state == "read" else ():
            for problem, _ in judged(item) or ():
                if problem.reason is None or (reasons and problem.reason not in reasons):
                    continue
                if problem.repair is not None and problem.repair.safe:
                    continue
                line = locate(document, item.path, problem).line - document.first_line
                if 0 <= line < len(lines) and lines[line] in written:
                    return True
    return False


def _refused(found: Found | None, path: Path) -> bool:
    """Say whether there is a problem at a path or below it, reported or not."""
    return any(
        problem.rule == MORE_BEHIND_DECODING
        or (problem.reason is not None and (problem.where or problem.path)[: len(path)] == path)
        for problem, _ in found or ()
    )


def _with(item: ApiObject, path: Path, value: object) -> ApiObject:
    """Return an object with another value at a path."""
    outcome = [item.data]
    copied(outcome, item.data, path[:-1])[path[-1]] = value
    return item._replace(data=outcome[0])


def _path_to(root: Node, offset: int) -> Path | None:
    """Return the path of the scalar that begins or ends at an offset; None where there is none, or it is a key."""
    path: list[str | int] = []
    node = root
    while node.kind in (MAPPING, SEQUENCE):
        step = 2 if node.kind == MAPPING else 1
        number = next(
            (n for n in range(len(node.children) - step, -1, -step) if node.children[n].start <= offset), None
        )
        if number is None:
            return None
        key = node.children[number].key if step == 2 else number
        if key is None:
            return None
        path.append(key)
        node = node.children[number + step - 1]
    return tuple(path) if node.kind == SCALAR and node.start <= offset <= node.end else None
