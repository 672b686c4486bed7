"""The verdict on an expression, and its issues."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from dralint.cel.declarations import Declarations
    from dralint.cel.tree import Node


REJECTED, BROKEN, ADVICE = "rejected", "broken", "advice"
NOT_DECIDED = "not-decided"
"""The code of an issue that only says which limit of dralint is reached; also the stage of a verdict."""


class TooComplexError(Exception):
    """The expression or its types grow beyond a limit of dralint, which the message names."""


class Instead(NamedTuple):
    """A hint that is a replacement for a part of the expression: its words, and the text from `start` to `end`."""

    words: str
    start: int
    end: int
    text: str

    @classmethod
    def of(cls, start: int, end: int, text: str) -> Instead:
        """Return the hint that quotes its replacement."""
        return cls(f'write "{text}"', start, end, text)


Hint = str | Instead | None
"""What to write instead: in words, or as a replacement with its words."""


class Issue(NamedTuple):
    """One issue of an expression.

    `code` never changes its meaning. `severity_effect` is `rejected` (the API server refuses the object), `broken`
    (accepted, but it cannot work) or `advice`. `reason` is the API server's for a refusal: Invalid, TooLong, Forbidden
    or InternalError. `start` and `end` are code points in the expression; `line` (from 1) and `column` (from 1) are the
    compiler's. Both are None where it gives no position, or -1 and 0 where it gives that. `replacement` is the hint as
    data, if the hint is a replacement.
    """

    code: str
    severity_effect: str
    message: str
    start: int
    end: int
    reason: str | None = None
    hint: str | None = None
    line: int | None = None
    column: int | None = None
    replacement: Instead | None = None


def issue_of(code: str, effect: str, message: str, start: int, end: int, hint: Hint) -> Issue:
    """Return an issue with its hint."""
    if isinstance(hint, Instead):
        return Issue(code, effect, message, start, end, None, hint.words, replacement=hint)
    return Issue(code, effect, message, start, end, None, hint)


def refusal(code: str, message: str, span: tuple[int, int], hint: Hint, expression: str, at: int, late: bool) -> Issue:
    """Return an issue of the compiler, which gives its place: that of the code point `at` (`late`: see `place`)."""
    line, column = place(expression, at, late_lines=late)
    issue = issue_of(code, REJECTED, message, *span, hint)
    return issue._replace(reason="Invalid", line=line, column=column)


_TOKEN = re.compile(r"\.?[A-Za-z_]\w*|[0-9][\w.]*|[=!<>]=|&&|\|\||.", re.ASCII | re.DOTALL)


def underlined(issue: Issue, expression: str) -> tuple[int, int]:
    """Return start and end of the part to underline, from the compiler's position, if any.

    That is the token there; from a parenthesis or bracket on, it is everything up to its end.
    """
    if issue.line is None or issue.column is None or issue.line < 1:
        return issue.start, issue.end
    at = sum(len(line) + 1 for line in expression.split("\n")[: issue.line - 1]) + issue.column - 1
    if at == issue.start:
        return issue.start, issue.end
    if expression[at : at + 1] in ("(", "["):
        return at, closing(expression, at) or at + 1
    token = _TOKEN.match(expression, at)
    return at, max(at + 1, at if token is None else token.end())


_BRACKET = re.compile(
    r"""[rR](?:\"\"\".*?\"\"\"|'''.*?'''|"[^"\n]*"|'[^'\n]*')"""
    r"""|\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''"""
    r"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|//[^\n]*|[][(){}]""",
    re.DOTALL,
)


def closing(expression: str, at: int) -> int | None:
    """Return the end of the bracket that closes the one at `at`, None where it is not closed."""
    level = 0
    for match in _BRACKET.finditer(expression, at):
        mark = match.group()
        if mark in "([{":
            level += 1
        elif mark in ")]}":
            level -= 1
            if level == 0:
                return match.end()
    return None


def place(expression: str, at: int, *, late_lines: bool = False) -> tuple[int, int]:
    """Return line and column of a code point as the compiler counts them: from 1, only line feeds end a line.

    `late_lines`: the first character of a line counts as the one behind the end of the line before (until 1.31).
    """
    end = at - 1 if late_lines and at > 0 else at
    return expression.count("\n", 0, end) + 1, at - expression.rfind("\n", 0, end)


class Compilation(NamedTuple):
    """The verdict on one expression in one environment.

    `stage` is where the API server stops: None, or `too-long`, `compile`, `output-type`, `plan`, `cost`; or it is
    `not-decided`, where a limit of dralint is reached and the server may have any verdict. The issue names the limit.
    `result_type` is spelled as the compiler does, empty where there is none. `cost` is the estimate, None where the
    release makes none or does not get that far. `issues` are refusals; `advice` finds what the server does not say.
    """

    expression: str
    environment: Declarations
    stage: str | None
    issues: tuple[Issue, ...]
    result_type: str = ""
    cost: int | None = None
    root: Node | None = None

    @property
    def ok(self) -> bool:
        """Whether the API server accepts the expression."""
        return self.stage is None

    @property
    def is_refused(self) -> bool:
        """Whether the API server refuses the expression."""
        return self.stage not in (None, NOT_DECIDED)
