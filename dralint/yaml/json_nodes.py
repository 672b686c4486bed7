"""Places in JSON that the quick decoder has read: makes only the nodes that are needed.

The text is known to be JSON and its value is known, so nothing is checked again. The decoder skips what is not needed.
tests/fuzz compares the nodes with those of `json_text.compose_json`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from dralint.yaml.json_text import compose_json, skip_space, string_of
from dralint.yaml.nodes import MAPPING, SEQUENCE, Composition, Node, Unread
from dralint.yaml.possessive import compiled

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from dralint.yaml.place import Json

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_VALUE = rf"(?:({_STRING}|[-+.0-9A-Za-z]++)|([\[{{]))"
_MEMBER = compiled(rf"[ \t\r\n,]*+(?:({_STRING})[ \t\r\n]*+:[ \t\r\n]*+{_VALUE}|\}})")
_ITEM = compiled(rf"[ \t\r\n,]*+(?:(){_VALUE}|\])")
"""An entry of an object or a list, with what comes before it; or the end."""
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_int=str).scan_once  # type: ignore[attr-defined] # not in its stubs
"""Returns a value and the offset after it; integers stay texts, as `int` refuses those of many digits."""
_DEEPEST: Final = 8
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


class _Opened(Unread):
    """An object or a list of JSON."""

    __slots__ = ("_found", "_level", "_text")

    def __init__(self, text: str, start: int, end: int, data: Json, level: int) -> None:
        """Take text[start:end], at this depth below the root."""
        super().__init__(SEQUENCE if text[start] == "[" else MAPPING, start, data, text[start])
        self.ends(end)
        self._text = text
        self._level = level
        self._found: tuple[Node, Node] | None = None

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """Return an entry of the object; the first one is found without reading the others."""
        if self._found is not None and self._found[0].key == name:
            return self._found
        if self._children is not None or self._found is not None or not isinstance(self.data, dict):
            return super().entry(name)
        if name not in self.data:
            return None
        pos = self.start + 1
        while True:
            match = _MEMBER.match(self._text, pos)
            assert match is not None
            raw = match[1]
            if raw[1:-1] == name or ("\\" in raw and string_of(raw) == name):
                self._found = self._key(match, name), self._value(match, self.data[name])[0]
                return self._found
            pos = match.end() if match[2] is not None else _behind(self._text, match.start(3))

    def _read(self) -> list[Node]:
        children: list[Node] = []
        entries: dict[str, tuple[Node, Node]] = {}
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
                key = self._key(match, name)
                child, pos = self._value(match, data[name])
                if self._found is not None and self._found[0].key == name:
                    key, child = self._found
                children.append(key)
                entries[name] = key, child
            children.append(child)
        self.entries = entries if self.kind == MAPPING else None
        return children

    def _key(self, match: re.Match[str], name: str) -> Node:
        key = Node(match.start(1), match.end(1), name, "j")
        key.key = name
        return key

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
