"""Rewords problems by the text of a manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.decode.wrong_type import quoted
from dralint.finding.problem import NO_OBJECT_HERE, NUMBER_FOR_TEXT, at, replaced
from dralint.lint.placeholders import concerning
from dralint.yaml import reading_repairs

if TYPE_CHECKING:
    from dralint.finding.problem import Problem, Repair
    from dralint.manifest.objects import ApiObject
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
    return problem._replace(hint=_hint_in_quotes(problem.hint, style, problem), repair=_fitting(problem.repair, style))


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
        repair=replaced(problem.place, whole),
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


def _hint_in_quotes(hint: str, style: str, problem: Problem) -> str:
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


_NUMBER = re.compile(r"[-+]?[0-9.][0-9A-Fa-f_.xXoObeE+-]*", re.ASCII)
_BOOLEANS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false"})


def as_written(document: Document, item: ApiObject, problem: Problem) -> Problem:
    """Return the problem in the words that its text needs: an apparent mistake may be a slip in the YAML."""
    of_words = problem.kind == NUMBER_FOR_TEXT or problem.reason in ("TypeInvalid", "Unknown")
    if not (of_words or problem.target == "scalar" or document.may_have_placeholders or document.may_have_tags):
        return problem  # the usual case where there are many problems
    value = at(item.data, problem.place)
    if document.may_have_placeholders and (names := concerning(item, problem)):
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
    if problem.repair is not None and type(value) is int and problem.place[-2:-1] == ("attributes",):
        whole = "." not in document.written(_place(item, problem))  # 9.0 may be a version
        problem = problem._replace(repair=problem.repair._replace(safe=problem.repair.safe and whole))
    if problem.reason in ("TypeInvalid", "Unknown") and problem.where is None:  # not the key of a map
        key = problem.path[-1] if problem.path and problem.reason == "Unknown" else None
        word = value if key is None and problem.kind == NO_OBJECT_HERE else key
        if isinstance(word, str) and (":" in word or word[:1] == "-"):
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


def _quoted(document: Document, item: ApiObject, problem: Problem) -> Problem:
    """Return a problem whose hint quotes what was written: YAML reads 0123 as 83, 1.10 as 1.1, yes as true."""
    place = _place(item, problem)
    if cut := document.cut_text(place):
        return problem._replace(hint=f"quote it: {cut} (between braces a comma ends a value)", repair=None)
    text = document.written(place)
    if not _NUMBER.fullmatch(text) and text.lower() not in _BOOLEANS:
        return problem

    advice = quoted(text, problem.place)
    hint = advice.hint if text.lower() not in _BOOLEANS else f'quote it: "{text}" (without quotes YAML reads a boolean)'
    return problem._replace(hint=hint, repair=advice.repair(problem.place))


def _place(item: ApiObject, problem: Problem) -> tuple[str | int, ...]:
    return (*item.path, *problem.place)
