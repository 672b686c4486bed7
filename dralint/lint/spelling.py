"""What the text of a manifest shows about a problem that its data does not: placeholders, tags, missing spaces."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dralint.finding.path import at
from dralint.finding.problem import NO_OBJECT_HERE, NUMBER_FOR_TEXT

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document

_CEL_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_NUMBER = re.compile(r"[-+]?[0-9.][0-9A-Fa-f_.xXoObeE+-]*", re.ASCII)
_NOT_DECODED = ("TypeInvalid", "Decode")


def unrendered(item: ApiObject, problem: Problem) -> str | None:
    """Return why the document of a problem is a template, not a manifest yet; None when the problem does not show it.

    Template code (`{{ ... }}`) in what is wrong shows it, and a variable (`${NAME}`) in place of structure or of a
    number. A variable within a string does not: a server that gets it refuses it, see `as_written`.
    """
    for text in _blamed(item, problem):
        if "{{" not in text and "{%" not in text and "${" not in text:
            continue
        from dralint.yaml.template import code_in, cut, variable_in

        code = code_in(text)
        if code is not None and _concerns(problem, text, code):
            return f"`{cut(code[0])}` is template code"
        variable = variable_in(text)
        if variable is not None and problem.reason in _NOT_DECODED:
            return f"`{cut(variable[0])}` stands in place of structure"
    return None


def as_written(document: Document, item: ApiObject, problem: Problem) -> Problem:
    """Return the problem in the words that its text calls for: what seems wrong may be a slip in the YAML."""
    value = _value(item, problem)
    for text in _blamed(item, problem):
        if "${" not in text:
            continue
        from dralint.yaml.template import variable_in

        variable = variable_in(text)
        if variable is not None and _concerns(problem, text, variable):
            message = f"`{variable[0][:60]}` has not been replaced yet"
            return replace(problem, message=message, hint="check what the substitution makes of the file")
    if isinstance(value, str) and document.may_have_tags:
        tag = document.tag_at(_place(item, problem))
        if tag is not None:
            what = f"only `{value[:40]}`" if value else "empty"
            hint = "quote the expression" if problem.path[-1:] == ("expression",) else "quote the value"
            return replace(problem, message=f"YAML reads `{tag[:60]}` as a tag, so the value is {what}", hint=hint)
    if problem.kind == NUMBER_FOR_TEXT:
        return replace(problem, hint=_quoted(document, item, problem))
    if problem.reason in ("TypeInvalid", "Unknown") and problem.where is None:  # not the entry of a map
        from dralint.yaml.complaints import missing_space

        key = problem.path[-1] if problem.path and problem.reason == "Unknown" else None
        word = value if key is None and problem.kind == NO_OBJECT_HERE else key
        slip = missing_space(word, is_key=key is not None) if isinstance(word, str) else None
        if slip is not None:
            return replace(problem, hint=slip)
    return problem


def _quoted(document: Document, item: ApiObject, problem: Problem) -> str | None:
    """Return the hint to quote a number with the number as it was written: 0123 is read as 83, 1.10 as 1.1."""
    text = document.written(_place(item, problem))
    if not _NUMBER.fullmatch(text):
        return problem.hint
    from dralint.decode.wrong_type import quoted  # only where something is wrong

    return quoted(text, problem.where or problem.path)


def _place(item: ApiObject, problem: Problem) -> tuple[str | int, ...]:
    return (*item.path, *(problem.path if problem.where is None else problem.where))


def _value(item: ApiObject, problem: Problem) -> object:
    return at(item.data, problem.path if problem.where is None else problem.where)


def _blamed(item: ApiObject, problem: Problem) -> list[str]:
    """Return what a problem is about: the value, or what its message quotes (a key, what values make together)."""
    value = _value(item, problem)
    if problem.target == "scalar":
        return [value] if isinstance(value, str) else []
    return [value, problem.message] if isinstance(value, str) else [problem.message]


def _concerns(problem: Problem, text: str, found: re.Match[str]) -> bool:
    """Say whether a placeholder has to do with the problem; one in a string literal of an expression mostly has not."""
    if problem.target != "scalar":
        return True
    if found.start() < max(problem.end, problem.start + 1) and problem.start < found.end():
        return True
    return found[0] in _CEL_STRING.sub("", text)
