"""Reads JSON texts: a quick decoder for values, and an exact one for places, duplicate keys and errors."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from dralint.yaml.nodes import MAPPING, MAX_DEPTH, SEQUENCE, Composition, Node, Parent, TextError
from dralint.yaml.scalars import JsonFloat, json_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.yaml.nodes import Edits, Json


_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(
    r'[ \t\r\n]*+(?:("(?>(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)")'
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)"
    r"|(true|false|null)|([][{}:,]))"
)
_SURROGATE = re.compile(r"\\u[dD][89abAB]", re.ASCII)
_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))")
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_LONGEST_INTEGER = 400
_LAST_COMMA = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"|(,)(?=[ \t\r\n]*[}\]])')
"""A string, or a comma after the last entry."""


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _constant(name: str) -> None:
    raise ValueError(name)


def json_integer(text: str) -> int | float:
    """Return the number that a text of JSON writes, however many digits it has; `int` takes only some thousands."""
    return int(text) if len(text) <= _LONGEST_INTEGER else JsonFloat(text)


def _float(text: str) -> int | float:
    """Return the number that kubectl sends for one with a point or an exponent: 1.0 and 1e2 become 1 and 100.

    Source: ConvertInterfaceNumbers in pkg/util/json/json.go of k8s.io/apimachinery v0.37.0, floatEncoder of Go's
    encoding/json.
    """
    number = float(text)
    return json_number(number) if math.isfinite(number) else JsonFloat(text)


_decoder = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=json_integer, parse_float=_float, parse_constant=_constant
)


def skip_space(text: str, pos: int) -> int:
    """Return the offset after the JSON white space at `pos`."""
    space = _SPACE.match(text, pos)
    assert space is not None
    return space.end()


def quick_json(text: str, pos: int) -> tuple[Json, int] | None:
    """Return the JSON value at `pos` and the offset after it; None when only the exact decoder can decide."""
    try:
        value, end = _decoder.raw_decode(text, pos)
    except (ValueError, RecursionError):
        return None
    if _SURROGATE.search(text, pos, end):
        return None
    return value, end


def compose_json(text: str, start: int) -> tuple[Composition, int]:
    """Return the JSON value at `start` with its places, and the offset after it.

    Raises TextError (json-syntax, too-deep).
    """
    composition = Composition()
    stack: list[Node] = []
    pos = start
    want_value, may_close = True, False
    while True:
        match = _TOKEN.match(text, pos)
        if match is None:
            raise _broken(text, skip_space(text, pos), stack)
        string, number, word, mark = match.groups()
        start, pos = match.start(match.lastindex or 0), match.end()
        top = stack[-1] if stack else None
        is_key = False
        if mark in (",", ":"):
            fits = not want_value and top is not None and _expects_colon(top) == (mark == ":")
        elif mark in ("]", "}"):
            fits = may_close and top is not None and (top.style == "{") == (mark == "}")
        else:
            is_key = want_value and top is not None and top.style == "{" and len(top.children) % 2 == 0
            fits = want_value and (string is not None or not is_key)
        if not fits:
            raise _unexpected(text, start, pos, stack, want_value, key=is_key)
        if mark in (",", ":"):
            want_value, may_close = True, False
            continue
        if mark in ("[", "{"):
            stack.append(Parent(SEQUENCE if mark == "[" else MAPPING, start, start, None, mark))
            if len(stack) > MAX_DEPTH:
                raise TextError(f"more than {MAX_DEPTH:,} nested levels", start, kind="too-deep")
            want_value, may_close = True, True
            continue
        if mark is not None:
            node = stack.pop()
            node.end = pos
            _finish(node, composition, stack)
        else:
            data: Json = _WORDS.get(word)
            if string is not None:
                data = string_of(string)
            elif number is not None:
                data = json_integer(number) if number.lstrip("-").isdigit() else _float(number)
            node = Node(start, pos, data, "j" if string is not None else "")
            node.key = data if isinstance(data, str) else None
        want_value = False
        if not stack:
            composition.root = node
            return composition, pos
        stack[-1].children.append(node)
        may_close = not _expects_colon(stack[-1])


def _expects_colon(node: Node) -> bool:
    return node.style == "{" and len(node.children) % 2 == 1


def _step(node: Node) -> str | int:
    if node.style == "[":
        return len(node.children)
    return node.children[-1].key or ""


def _finish(node: Node, composition: Composition, parents: list[Node]) -> None:
    if node.kind == SEQUENCE:
        node.data = [child.data for child in node.children]
        return
    data: dict[str, Json] = {}
    seen: dict[str, Node] = {}
    for i in range(0, len(node.children), 2):
        key = node.children[i]
        name = key.key or ""
        if name in seen and len(composition.problems) < 100:
            path = [_step(parent) for parent in parents]
            error = TextError(
                f'the key "{name[:60]}" occurs twice',
                key.start,
                key.end,
                kind="duplicate-key",
                hint="remove one of the two: the server keeps the last, or refuses both",
                related=((f'the first "{name[:60]}"', seen[name].start, seen[name].end),),
            )
            composition.problems.append((error, (*path, name)))
        seen[name] = key
        data[name] = node.children[i + 1].data
    node.data = data


def string_of(token: str) -> str:
    """Return the value of a string with its quotes."""
    body = token[1:-1]
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


def _unescape(match: re.Match[str]) -> str:
    high, low, code, char = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if code:
        value = int(code, 16)
        return "\ufffd" if 0xD800 <= value <= 0xDFFF else chr(value)
    return _SIMPLE.get(char, char)


_PYTHON = {"True": "true", "False": "false", "None": "null"}
"""Constants of Python → their form in JSON."""


def _broken(text: str, pos: int, stack: list[Node]) -> TextError:
    if pos >= len(text):
        if stack:
            top = stack[-1]
            closing = "]" if top.style == "[" else "}"
            return TextError(
                f"`{top.style}` is never closed",
                top.start,
                hint=f"close it with `{closing}`",
                kind="json-syntax",
            )
        return TextError("expected a JSON value, found the end of the text", pos, kind="json-syntax")
    char = text[pos]
    if char == '"':
        return _bad_string(text, pos)
    word = re.compile(r"[^\s,:\[\]{}\"]+").match(text, pos)
    end = word.end() if word else pos + 1
    found = text[pos:end][:40]
    hint = "JSON has no comments" if char in "#/" else "put text into double quotes"
    edits: Edits = ()
    if found in _PYTHON:
        hint = f"write {_PYTHON[found]}"
        edits = ((pos, end, _PYTHON[found]),)
    return TextError(f"`{found}` is not a JSON value", pos, end, hint=hint, kind="json-syntax", edits=edits)


def _bad_string(text: str, pos: int) -> TextError:
    good = re.compile(r'"(?>(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)').match(text, pos)
    assert good is not None
    at = good.end()
    related = (("the string starts here", pos, pos + 1),)
    if at >= len(text) or text[at] == "\n":
        return TextError("the string is never closed", pos, hint='close it with `"`', kind="json-syntax")
    if text[at] == "\\":
        return TextError(
            f"`{text[at : at + 2]}` is not an escape that JSON knows",
            at,
            at + 2,
            hint="write `\\\\` for a backslash",
            kind="json-syntax",
            related=related,
            edits=((at, at, "\\"),),
        )
    return TextError(
        f"the character U+{ord(text[at]):04X} is not allowed in a JSON string",
        at,
        hint=f"write it as `\\u{ord(text[at]):04x}`",
        kind="json-syntax",
        related=related,
    )


def _unexpected(
    text: str, start: int, end: int, stack: list[Node], want_value: bool, *, key: bool = False
) -> TextError:
    found = text[start:end][:40]
    hint: str | None = None
    if key:
        expected = "a key in double quotes"
    elif want_value:
        expected = "a value"
        if found in "}]":
            hint = "remove the comma before it"
    elif stack and _expects_colon(stack[-1]):
        expected = "`:`"
    elif stack:
        expected = "`,` or " + ("`]`" if stack[-1].style == "[" else "`}`")
        hint = "is a comma missing before it?"
    else:
        expected = "a value"
    return TextError(
        f"expected {expected}, found `{found}`",
        start,
        end,
        hint=hint,
        kind="json-syntax",
        related=tuple((f"`{top.style}` was opened here", top.start, top.start + 1) for top in stack[-1:]),
    )


def ended_early(text: str, following: str) -> TextError:
    """Return the error of a JSON value that is followed by text that cannot begin a value."""
    closing = text[-1]
    hint = f"remove the `{following}` that is one too many: this one, or one before it"
    if following == ",":
        hint = f"remove this `{closing}` if the rest belongs to the object, otherwise the `,` after it"
    elif following != closing:
        hint = f"remove the `{following}`"
    return TextError(
        f"the JSON value ends with this `{closing}`, but `{following}` follows",
        len(text) - 1,
        hint=hint,
        kind="json-syntax",
    )


def only_yaml(text: str, error: TextError) -> TextError:
    """Return the error for a text that begins like JSON and that only a YAML reader can read."""
    commas = tuple((match.start(1), match.end(1), "") for match in _LAST_COMMA.finditer(text) if match[1])
    kept = _LAST_COMMA.sub(lambda match: "" if match[1] else match[0], text) if commas else ""
    edits = error.edits if quick_json(kept, skip_space(kept, 0)) is None else commas
    return TextError(
        f"{error.message}: JSON readers and kubectl before 1.33 refuse this text, later ones read it as YAML",
        error.start,
        error.end,
        hint=error.hint,
        kind="only-yaml",
        related=error.related,
        edits=edits,
    )


_STRING = r'"(?>(?:[^"\\]++|\\.)*)"'
_VALUE = rf"(?:({_STRING}|[-+.0-9A-Za-z]++)|([\[{{]))"
_MEMBER = re.compile(rf"[ \t\r\n,]*+(?:({_STRING})[ \t\r\n]*+:[ \t\r\n]*+{_VALUE}|\}})")
_ITEM = re.compile(rf"[ \t\r\n,]*+(?:(){_VALUE}|\])")
"""An entry of an object or a list, with what comes before it; or the end."""
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_int=str).scan_once  # type: ignore[attr-defined] # not in its stubs
"""Returns a value and the offset after it; integers stay texts, as `int` refuses those of many digits."""
_DEEPEST = 8
"""Levels that are skipped before they are read. Deeper ones are read at once: each level would read them again."""


def quick_json_nodes(text: str, data: Json) -> Composition:
    """Return the composition of a text, as `compose_json` does.

    Args:
        text: a text that `json_text.quick_json` has read from its beginning.
        data: the value it has returned.
    """
    if not isinstance(data, dict | list):
        return compose_json(text, 0)[0]
    composition = Composition()
    start = skip_space(text, 0)
    composition.root = _Opened(text, start, len(text.rstrip()), data, 0)
    return composition


def _behind(text: str, start: int) -> int:
    """Return the offset after a value."""
    try:
        return _scan(text, start)[1]
    except RecursionError:  # the first reading had more room on the stack
        return compose_json(text, start)[1]


class _Opened(Parent):
    """An object or a list of JSON, whose children are read when they are needed."""

    __slots__ = ("_level", "_text")

    def __init__(self, text: str, start: int, end: int, data: Json, level: int) -> None:
        """Take text[start:end], at this depth below the root."""
        super().__init__(SEQUENCE if text[start] == "[" else MAPPING, start, end, data, text[start])
        self._text = text
        self._level = level
        del self.children

    def __getattr__(self, name: str) -> list[Node]:
        if name != "children":
            raise AttributeError(name)
        self.children = self._read()
        return self.children

    def _read(self) -> list[Node]:
        children: list[Node] = []
        data: Any = self.data
        pattern, pos = _ITEM if self.kind == SEQUENCE else _MEMBER, self.start + 1
        while True:
            match = pattern.match(self._text, pos)
            assert match is not None
            if match[1] is None:
                break
            if self.kind == SEQUENCE:
                child, pos = self._value(match, data[len(children)])
            else:
                name = string_of(match[1])
                key = Node(match.start(1), match.end(1), name, "j")
                key.key = name
                child, pos = self._value(match, data[name])
                children.append(key)
            children.append(child)
        return children

    def _value(self, match: re.Match[str], data: Json) -> tuple[Node, int]:
        """Return the node of the matched value, and the offset after it."""
        if match[2] is not None:
            return Node(match.start(2), match.end(), data, "j" if isinstance(data, str) else ""), match.end()
        start = match.start(3)
        if self._level < _DEEPEST:
            end = _behind(self._text, start)
            return _Opened(self._text, start, end, data, self._level + 1), end
        composition, end = compose_json(self._text, start)
        assert composition.root is not None
        return composition.root, end
