"""Words libyaml's errors: what was found, what was expected, and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from dralint.yaml import reading_repairs, tokens
from dralint.yaml.nodes import ALIAS, MAPPING
from dralint.yaml.nodes import SCALAR as SCALAR_NODE
from dralint.yaml.place import TextError
from dralint.yaml.possessive import compiled
from dralint.yaml.quoted import decode_escapes
from dralint.yaml.syntax_errors import (
    bad_anchor,
    cannot_start,
    missing_colon,
    no_node,
    tab_indents,
    unexpected,
    unexpected_in_flow,
    value_not_allowed,
)
from dralint.yaml.tokens import BREAKS, MOST_LEVELS, PLAIN, Token, line_start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from yaml import MarkedYAMLError

    from dralint.yaml.nodes import Node

_BLANK = f"(?=[ \t{BREAKS}]|\\Z)"
_QUOTED = compiled(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_HEADER = re.compile("[|>][-+0-9]*")
_LINE = re.compile(f"[^{BREAKS}]*")
_AFTER_KEY = re.compile(f"[ \t]*:{_BLANK}")
_BLANKS = re.compile(r"[ \t]+(?=\S)")
_FLOW = ("[", "{")
_TOKENS: Final = (
    (tokens.DOCUMENT_START, re.compile(f"---{_BLANK}")),
    (tokens.DOCUMENT_END, re.compile(rf"\.\.\.{_BLANK}")),
    (tokens.ENTRY, re.compile(f"-{_BLANK}")),
    (tokens.VALUE, re.compile(f":{_BLANK}")),
    (tokens.KEY, re.compile(rf"\?{_BLANK}")),
    (tokens.FLOW_SEQUENCE, re.compile(r"\[")),
    (tokens.FLOW_MAP, re.compile(r"\{")),
    (tokens.FLOW_SEQUENCE_END, re.compile(r"\]")),
    (tokens.FLOW_MAP_END, re.compile(r"\}")),
    (tokens.COMMA, re.compile(",")),
    (tokens.ANCHOR, re.compile("&[0-9A-Za-z_-]+")),
    (tokens.ALIAS, re.compile(r"\*[0-9A-Za-z_-]+")),
    (tokens.TAG, re.compile(r"![^\s,\[\]{}]*")),
    (tokens.SCALAR, compiled(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)),
    (tokens.SCALAR, compiled("'(?:[^']++|'')*+'")),
)
"""The tokens that an error can be about, each with its expression."""
_WORD = re.compile(r"(?:[^\s:]|:(?!\s|\Z))+(?:[ \t]+(?!#)(?:[^\s:]|:(?!\s|\Z))+)*")
_FLOW_WORD = re.compile(r"(?:[^\s:,?\[\]{}]|:(?!\s|\Z))+(?:[ \t]+(?!#)(?:[^\s:,?\[\]{}]|:(?!\s|\Z))+)*")


class _Failure(NamedTuple):
    """An error of libyaml: where its context begins, where it is, and the open collections, the innermost last."""

    text: str
    context: str
    begin: int
    pos: int
    opened: Sequence[Node]

    @property
    def node(self) -> Node:
        """The innermost open collection."""
        return self.opened[-1]


def error_of(text: str, error: MarkedYAMLError, begin: int, pos: int, opened: Sequence[Node]) -> TextError:
    """Return an error of libyaml in dralint's words."""
    found = _Failure(text, error.context or "", begin, pos, opened)
    wording = _WORDS.get(error.problem or "")
    if wording is None:
        where = f" {found.context}" if found.context else ""
        return TextError(f"{error.problem or 'bad syntax'}{where}", pos, related=())
    return wording(found)


def _token(text: str, pos: int, in_flow: bool) -> tuple[int, int]:
    """Return the kind of the token at `pos`, and the offset after it."""
    if pos >= len(text):
        return tokens.STREAM_END, pos
    at_start = line_start(text, pos) == pos
    for kind, pattern in _TOKENS:
        if kind in (tokens.DOCUMENT_START, tokens.DOCUMENT_END) and not at_start:
            continue
        if found := pattern.match(text, pos):
            break
    else:
        kind, found = tokens.SCALAR, (_FLOW_WORD if in_flow else _WORD).match(text, pos)
    end = found.end() if found else pos + 1
    if in_flow and text[pos] in ":?":
        return (tokens.VALUE if text[pos] == ":" else tokens.KEY), pos + 1
    if kind in (tokens.SCALAR, tokens.ALIAS, tokens.ANCHOR, tokens.TAG) and not in_flow:
        return (tokens.KEY, pos) if _is_key(text, pos, kind, end) else (kind, end)
    return kind, end


def _is_key(text: str, pos: int, kind: int, end: int) -> bool:
    """Say whether the token at `pos` begins a key: a colon follows on its line, and no value comes before it."""
    if text[line_start(text, pos) : pos].strip(" \t-?"):
        return False
    if kind in (tokens.ANCHOR, tokens.TAG):
        rest = _BLANKS.match(text, end)
        return rest is not None and _token(text, rest.end(), in_flow=False)[0] == tokens.KEY
    return _AFTER_KEY.match(text, end) is not None and "\n" not in text[pos:end]


def _unexpected(found: _Failure) -> TextError:
    kind, end = _token(found.text, found.pos, in_flow=False)
    return unexpected(found.text, kind, found.pos, end, found.node)


def _no_colon(found: _Failure) -> TextError:
    text, begin = found.text, found.begin
    column = begin - line_start(text, begin)
    for node in reversed(found.opened):
        if node.style in (":", "-") and node.children and node.start - line_start(text, node.start) == column:
            kind, end = _token(text, begin, in_flow=False)
            return unexpected(text, kind, begin, end, node)
    return missing_colon(text, begin)


def _unexpected_in_flow(found: _Failure) -> TextError:
    kind, end = _token(found.text, found.pos, in_flow=True)
    return unexpected_in_flow(found.text, kind, found.pos, end, found.node)


def _no_node(found: _Failure) -> TextError:
    in_flow = found.node.style in _FLOW
    kind, end = _token(found.text, found.pos, in_flow)
    if in_flow:
        return unexpected_in_flow(found.text, kind, found.pos, end, found.node)
    return no_node(found.text, kind, found.pos, end)


def _second_colon(found: _Failure) -> TextError:
    text, pos = found.text, found.pos
    line = line_start(text, pos)
    read: list[Token] = []
    node = found.node
    if node.kind == MAPPING and node.style == ":" and node.children:
        children = node.children
        at = len(children) - (2 if len(children) % 2 == 0 else 1)
        key = children[at]
        colon = text.find(":", key.end)
        read.append((tokens.SCALAR, key.start, key.end, key.data if isinstance(key.data, str) else "", key.style))
        read.append((tokens.VALUE, colon, colon + 1, "", PLAIN))
    last = node
    while last.kind != ALIAS and last.children:
        last = last.children[-1]
    if last.kind == SCALAR_NODE and last.end > last.start and (not read or last.start > read[0][1]):
        value = last.data if isinstance(last.data, str) else text[last.start : last.end]
        read.append((tokens.SCALAR, last.start, last.end, value, last.style))
    return value_not_allowed(text, read or [(tokens.ENTRY, pos, pos, "", PLAIN)], pos, line)


def _escape(found: _Failure) -> TextError:
    body = _QUOTED.match(found.text, found.begin)
    assert body is not None
    try:
        decode_escapes(found.text, found.begin, body.end(), check_only=True)
    except TextError as error:
        return error
    return _open_quote(found)  # the text ends with its backslash


def _mark_in_quotes(found: _Failure) -> TextError:
    text, start, pos = found.text, found.begin, found.pos
    quote = text[start]
    return TextError(
        f"found `{text[pos : pos + 3]}` inside a quoted value",
        pos,
        pos + 3,
        hint=f"close the quote with {quote}",
        edits=reading_repairs.closed(text, start, quote),
        related=((f"the value starts with {quote} here", start, start + 1),),
    )


def _open_quote(found: _Failure) -> TextError:
    text, start = found.text, found.begin
    quote = text[start]
    return TextError(
        f"the quote {quote} is never closed",
        start,
        start + 1,
        hint=f"close the value with {quote}",
        edits=reading_repairs.closed(text, start, quote),
    )


def _tab(found: _Failure) -> TextError:
    is_block = found.text[found.begin] in "|>"
    what = f"the block value starts with `{found.text[found.begin]}` here" if is_block else "the value starts here"
    line = _LINE.match(found.text, found.begin)
    end = found.begin + (1 if is_block or line is None else len(line[0].rstrip()))
    return tab_indents(found.text, found.pos, ((what, found.begin, end),))


def _no_line_end(found: _Failure) -> TextError:
    rest = _LINE.match(found.text, found.pos)
    assert rest is not None
    if found.context != "while scanning a block scalar":
        return TextError("only a comment may follow a directive on its line", found.pos, max(rest.end(), found.pos + 1))
    header = _HEADER.match(found.text, found.begin)
    assert header is not None
    return TextError(
        f"only a comment may follow `{header[0]}` on its line",
        found.pos,
        rest.end(),
        hint="start the value on the next line, or quote it",
    )


def _no_name(found: _Failure) -> TextError:
    if "directive" in found.context or "tag" in found.context.lower():
        return _directive(found)
    return bad_anchor(found.text, found.begin, found.text[found.begin])


def _directive(found: _Failure) -> TextError:
    whole = _LINE.match(found.text, found.begin)
    assert whole is not None
    line = whole[0]
    if line.startswith("%YAML"):
        return TextError("expected a version after `%YAML`", found.begin, whole.end(), hint="write `%YAML 1.1`")
    if line.startswith("%TAG"):
        return TextError(
            "expected a handle and a prefix after `%TAG`",
            found.begin,
            whole.end(),
            hint="write `%TAG !name! prefix`",
        )
    if line.startswith("%"):
        return TextError(
            f"`{line[:40]}` is not a directive that YAML 1.1 knows",
            found.begin,
            whole.end(),
            hint="a line that starts with `%` is a directive: quote the value",
        )
    return _tag(found)


def _tag(found: _Failure) -> TextError:
    text, start, pos = found.text, found.begin, found.pos
    if text[start : start + 1] != "!":
        return _directive(found) if text[start : start + 1] == "%" else TextError("a tag is not complete", pos)
    if text.startswith("!<", start):
        return TextError("the tag `!<` is never closed", start, max(pos, start + 1), hint="close it with `>`")
    if pos >= len(text) or text[pos].isspace():
        return TextError(
            f"expected the name of a tag after `{text[start:pos]}`", start, max(pos, start + 1), hint="quote the value"
        )
    return bad_tag(text, start, pos)


def too_many_levels(pos: int) -> TextError:
    """Return the error that a collection lies too deep."""
    hint = "put it less deep: no field of Kubernetes lies so deep"
    return TextError(f"more nested levels than dralint reads ({MOST_LEVELS:,})", pos, kind="too-large", hint=hint)


def bad_tag(text: str, start: int, pos: int) -> TextError:
    """Return the error that the tag at `start` has a character that none can have."""
    edits = reading_repairs.rest_quoted(text, start)
    hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
    related = (("the tag starts here", start, pos),)
    return TextError(f"`{text[pos]}` is not allowed in a tag", pos, hint=hint, related=related, edits=edits)


def _no_handle(found: _Failure) -> TextError:
    handle = re.compile("![0-9A-Za-z_-]*!?").match(found.text, found.pos)
    assert handle is not None
    tag = _TOKENS[12][1].match(found.text, found.pos)
    assert tag is not None
    edits = reading_repairs.rest_quoted(found.text, found.pos)
    hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
    return TextError(f"the tag handle `{handle[0]}` is not declared", found.pos, tag.end(), hint=hint, edits=edits)


def _no_start(found: _Failure) -> TextError:
    text, start = found.text, found.pos
    _, end = _token(text, start, in_flow=False)
    if start >= len(text):
        start = text.find("%")
        line = _LINE.match(text, start)
        assert line is not None
        end = line.end()
    return TextError("expected `---` after the directives", start, max(end, start + 1), hint="add a line `---`")


def _second(directive: str) -> Callable[[_Failure], TextError]:
    def wording(found: _Failure) -> TextError:
        line = _LINE.match(found.text, found.pos)
        assert line is not None
        what = f"a second {directive} directive"
        if directive == "%TAG":
            what += f" for `{line[0].split()[1]}`"
        return TextError(what, found.pos, line.end(), hint="remove it")

    return wording


def _other_version(found: _Failure) -> TextError:
    line = _LINE.match(found.text, found.pos)
    assert line is not None
    return TextError(
        f"YAML {line[0].split()[1]} is not what Kubernetes reads: it accepts YAML 1.1 only",
        found.pos,
        line.end(),
        hint="remove the directive, or write `%YAML 1.1`",
    )


_WORDS: Final[dict[str, Callable[[_Failure], TextError]]] = {
    "could not find expected ':'": _no_colon,
    "block sequence entries are not allowed in this context": lambda found: TextError(
        "a list item cannot start here", found.pos, hint="start the list on its own line, or quote the value"
    ),
    "mapping keys are not allowed in this context": lambda found: TextError(
        "a `? ` key cannot start here", found.pos, hint="quote the value"
    ),
    "mapping values are not allowed in this context": _second_colon,
    "found character that cannot start any token": lambda found: cannot_start(
        found.text, found.pos, found.text[found.pos]
    ),
    "found an indentation indicator equal to 0": lambda found: TextError(
        "the indentation of a block value cannot be 0",
        found.pos,
        hint="leave the digit out: the first line shows the indentation",
    ),
    "found a tab character where an indentation space is expected": _tab,
    "found a tab character that violates indentation": _tab,
    "did not find expected comment or line break": _no_line_end,
    "found unexpected document indicator": _mark_in_quotes,
    "found unexpected end of stream": _open_quote,
    "found unknown escape character": _escape,
    "did not find expected hexdecimal number": _escape,
    "found invalid Unicode character escape code": _escape,
    "did not find expected alphabetic or numeric character": _no_name,
    "could not find expected directive name": _directive,
    "found unexpected non-alphabetical character": _directive,
    "found unknown directive name": _directive,
    "found extremely long version number": _directive,
    "did not find expected version number": _directive,
    "did not find expected digit or '.' character": _directive,
    "did not find expected whitespace": _directive,
    "did not find expected whitespace or line break": _tag,
    "did not find expected tag URI": _tag,
    "did not find the expected '>'": _tag,
    "did not find expected '!'": _tag,
    "did not find URI escaped octet": _tag,
    "found an incorrect leading UTF-8 octet": _tag,
    "found an incorrect trailing UTF-8 octet": _tag,
    "found undefined tag handle": _no_handle,
    "did not find expected <document start>": _no_start,
    "found duplicate %YAML directive": _second("%YAML"),
    "found duplicate %TAG directive": _second("%TAG"),
    "found incompatible YAML document": _other_version,
    "did not find expected node content": _no_node,
    "did not find expected '-' indicator": _unexpected,
    "did not find expected key": _unexpected,
    "did not find expected ',' or ']'": _unexpected_in_flow,
    "did not find expected ',' or '}'": _unexpected_in_flow,
    "exceeded maximum nesting depth": lambda found: too_many_levels(found.pos),
}
"""What libyaml says -> what dralint says. An error that is not here keeps libyaml's words."""
