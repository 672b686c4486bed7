"""Checks whether the replacement of a part makes a sensible expression."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.cel.advise.advice import advice
from dralint.cel.advise.syntax_errors import FOREIGN_OPERATORS, FOREIGN_QUOTES, unescaped
from dralint.cel.advise.type_errors import TRUTH_VALUES
from dralint.cel.syntax.parser import parse
from dralint.cel.syntax.tree import Call, Literal, walk
from dralint.kubernetes.near import is_certain as is_certain_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dralint.cel.issue import Compilation, Issue, Replacement

_MOST = 8
"""The most mistakes of one expression that are repaired together."""
_OF_NAMES = ("undeclared-reference", "unknown-field")
_NAMES = re.compile(r"""[\w."'\[\]-]+""")
"""Names and texts without an operator between them."""
_SIGNS = {"=": ("",), ";": ("", "&&"), "<>": ("!=",)}
"""What signs stand for: the third of `===` for nothing, a semicolon for nothing or for the `&&` between conditions."""
_CONSTANT = "constant-result"
_COMPARING = ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_")


def makes_sense(compilation: Compilation, issue: Issue, compile_again: Callable[[str], Compilation]) -> bool:
    """Say whether an expression is accepted with the replacement of an issue, and those of the remaining issues.

    Then it must not have the same result for all devices, nor compare two literal texts.
    """
    if len(compilation.issues) > _MOST:
        return False
    found = issue.replacement
    current = compilation
    for _ in range(_MOST):
        if found is None:
            return False
        text = current.expression[: found.start] + found.text + current.expression[found.end :]
        current = compile_again(text)
        if current.ok:
            break
        found = _next(current.issues)
    if not current.ok or _compared(current) > _compared(compilation):
        return False
    left = [other.code for other in advice(current)]
    was = [other.code for other in advice(compilation)] if compilation.ok else []
    return left.count(issue.code) < max(was.count(issue.code), 1) and (_CONSTANT not in left or _CONSTANT in was)


def is_certain(issue: Issue, expression: str) -> bool:
    """Say whether the replacement of an issue has one possible meaning.

    This is so for a misspelt name that the compiler knows, for `True`, for a name or text that gets its quotes and
    brackets, and for what other languages and texts write for an operator, for the end or for quotes. It is not so for
    `=`: a letter may be missing from `>=` or `!=`.
    """
    found = issue.replacement
    if found is None:
        return False
    written, meant = expression[found.start : found.end], found.text
    if meant in TRUTH_VALUES:  # a letter is missing: it may be a text without its quotes
        return is_certain_word("truth value", written, meant)
    if _NAMES.fullmatch(written) and is_certain_word("quoted text", written, meant):
        return True
    if issue.code in _OF_NAMES:
        return is_certain_word("name", written, meant)
    return issue.code == "syntax" and is_certain_word("sign", written, meant, _stands_for(written))


def _stands_for(sign: str) -> tuple[str, ...]:
    """Return what a sign of another language can stand for."""
    if sign[:1] in FOREIGN_QUOTES:
        return (f'"{sign[1:-1]}"',)
    return _SIGNS.get(sign) or (FOREIGN_OPERATORS.get(sign.lower(), unescaped(sign)),)


def _next(issues: Sequence[Issue]) -> Replacement | None:
    return next((issue.replacement for issue in issues if issue.replacement is not None), None)


def _compared(compilation: Compilation) -> int:
    """Return how many comparisons of two literals an expression has."""
    root = parse(compilation.expression, compilation.environment.dialect).root
    if root is None:
        return 0
    return sum(
        isinstance(node, Call) and node.function in _COMPARING and all(isinstance(arg, Literal) for arg in node.args)
        for node in walk(root)
    )
