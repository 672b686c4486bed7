"""Rewords problems by the text of a manifest: placeholders, tags, missing spaces and commas that the data does not
show."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.decode.wrong_type import quoted
from dralint.finding.problem import NO_OBJECT_HERE, NUMBER_FOR_TEXT, at, replaced
from dralint.lint.expression_scalars import in_its_scalar

if TYPE_CHECKING:
    from dralint.finding.problem import Problem
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document

_NUMBER = re.compile(r"[-+]?[0-9.][0-9A-Fa-f_.xXoObeE+-]*", re.ASCII)
_BOOLEANS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false"})


def as_written(document: Document, item: ApiObject, problem: Problem) -> Problem:
    """Return the problem in the words that its text needs: an apparent mistake may be a slip in the YAML."""
    of_words = problem.kind == NUMBER_FOR_TEXT or problem.reason in ("TypeInvalid", "Unknown")
    if not (of_words or problem.target == "scalar" or document.may_have_placeholders or document.may_have_tags):
        return problem  # the usual case where there are many problems
    value = at(item.data, problem.path if problem.where is None else problem.where)
    if document.may_have_placeholders and (names := _placeholders(item, problem)):
        message = f"`{names[0][:60]}` has not been replaced yet"
        return problem._replace(message=message, hint="check the result of the substitution", repair=None)
    if isinstance(value, str) and document.may_have_tags:
        tag = document.tag_at(_place(item, problem))
        if tag is not None:
            what = f"only `{value[:40]}`" if value else "empty"
            hint = "quote the expression" if problem.path[-1:] == ("expression",) else "quote the value"
            message = f"YAML reads `{tag[:60]}` as a tag, so the value is {what}"
            text = f"{tag} {value}".rstrip()
            return problem._replace(message=message, hint=hint, repair=replaced(problem.path, text, safe=True))
    if problem.target == "scalar" and isinstance(value, str):
        return in_its_scalar(document, _place(item, problem), value, problem)
    if problem.kind == NUMBER_FOR_TEXT:
        return _quoted(document, item, problem)
    if problem.reason in ("TypeInvalid", "Unknown") and problem.where is None:  # not the key of a map
        key = problem.path[-1] if problem.path and problem.reason == "Unknown" else None
        word = value if key is None and problem.kind == NO_OBJECT_HERE else key
        if isinstance(word, str) and (":" in word or word[:1] == "-"):
            import dralint.yaml.reading_repairs as reading_repairs

            slip = reading_repairs.missing_space(word, is_key=key is not None)
            if slip is not None and not _is_taint(word):
                return problem._replace(hint=slip, repair=None)
        cut = document.cut_at_comma(_place(item, problem)) if key is not None and value is None else None
        if cut is not None:
            return problem._replace(message=cut[0], hint=cut[1], repair=None)
    return problem


def _is_taint(word: str) -> bool:
    """Say whether a word is a taint as kubectl writes it: `example.com/key:NoSchedule`."""
    return "/" in word.partition(":")[0] and word.endswith((":NoSchedule", ":NoExecute", ":PreferNoSchedule"))


def _placeholders(item: ApiObject, problem: Problem) -> list[str]:
    from dralint.lint.placeholders import concerning  # only where there may be some

    return concerning(item, problem)


def _quoted(document: Document, item: ApiObject, problem: Problem) -> Problem:
    """Return a problem whose hint quotes what was written: YAML reads 0123 as 83, 1.10 as 1.1, yes as true."""
    place = _place(item, problem)
    if cut := document.cut_text(place):
        return problem._replace(hint=f"quote it: {cut} (between braces a comma ends a value)", repair=None)
    text = document.written(place)
    if not _NUMBER.fullmatch(text) and text.lower() not in _BOOLEANS:
        return problem

    place = problem.path if problem.where is None else problem.where
    advice = quoted(text, place)
    hint = advice.hint if text.lower() not in _BOOLEANS else f'quote it: "{text}" (without quotes YAML reads a boolean)'
    return problem._replace(hint=hint, repair=advice.repair(place))


def _place(item: ApiObject, problem: Problem) -> tuple[str | int, ...]:
    return (*item.path, *(problem.path if problem.where is None else problem.where))
