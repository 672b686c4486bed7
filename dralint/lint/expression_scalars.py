"""Problems of expressions that depend on the YAML around them: comments that cut an expression, and quotes in hints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.finding.problem import replaced

if TYPE_CHECKING:
    from dralint.finding.problem import Problem, Repair
    from dralint.yaml import Document, Path

_COMMENT = re.compile(r"[ \t]+#.*")
_CODE = re.compile(r"""[\[(]["']|[=<>] ?["']|["'][\])]""")
_LONGEST, _SHOWN = 160, 30


def in_its_scalar(document: Document, path: Path, value: str, problem: Problem) -> Problem:
    """Return the problem of a part of the string at `path`, worded for the way the string is written."""
    style = document.scalar_style(path)
    if style == "" and problem.reason is not None and problem.end >= len(value):
        rest = document.behind(path)
        comment = _COMMENT.match(rest)
        if comment is not None:
            return _cut_off(problem, value, comment[0].rstrip())
    if problem.hint is None or style is None:
        return problem
    return problem._replace(hint=_quoted(problem.hint, style, problem), repair=_fitting(problem.repair, style))


def _cut_off(problem: Problem, value: str, comment: str) -> Problem:
    whole = value + comment
    hint = "quote the whole value"
    if len(whole) <= _LONGEST:
        hint += ": '" + whole.replace("'", "''") + "'"
    shown = comment.strip()
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
    return problem._replace(
        message=f"the expression ends here, because YAML takes `{shown}` for a comment",
        hint=hint,
        repair=replaced(problem.path if problem.where is None else problem.where, whole),
        start=len(value) - 1,
        end=len(value),
    )


def _fitting(repair: Repair | None, style: str) -> Repair | None:
    """Return the repair of an expression with quotes that need no escape within those of YAML."""
    if style != '"' or repair is None:
        return repair
    return repair._replace(
        changes=tuple(
            change._replace(value=within(change.value, style))
            if change.do == "replace-part"
            and isinstance(change.value, str)
            and not set("'\\").intersection(change.value)
            else change
            for change in repair.changes
        )
    )


def _quoted(hint: str, style: str, problem: Problem) -> str:
    """Return the hint with its code written for a string in quotes of this style."""
    if style not in ("'", '"'):
        return hint
    changes = () if problem.repair is None else problem.repair.changes
    codes = [c.value for c in changes if c.do == "replace-part" and isinstance(c.value, str) and c.value]
    if len(codes) == 1 and codes[0] in hint:
        return hint.replace(codes[0], within(codes[0], style))
    if style in hint and _CODE.search(hint):
        mark = '\\"' if style == '"' else "''"
        return f"{hint} (within these quotes of YAML, {style} is written {mark})"
    return hint


def within(text: str, style: str) -> str:
    """Return the text as it is written inside single or double quotes of YAML."""
    if style == "'":
        return text.replace("'", "''")
    if "'" not in text and "\\" not in text:
        return text.replace('"', "'")  # CEL accepts both kinds of quotes, and these need no escape
    return text.replace("\\", "\\\\").replace('"', '\\"')
