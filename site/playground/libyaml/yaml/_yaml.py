"""The parser of libyaml, as PyYAML binds it: `readEvents` of the worker reads a text, this makes its events."""

from __future__ import annotations

import js

import yaml

_KINDS = (
    None,
    yaml.StreamStartEvent,
    yaml.StreamEndEvent,
    yaml.DocumentStartEvent,
    yaml.DocumentEndEvent,
    yaml.AliasEvent,
    yaml.ScalarEvent,
    yaml.SequenceStartEvent,
    yaml.SequenceEndEvent,
    yaml.MappingStartEvent,
    yaml.MappingEndEvent,
)
"""The kinds of events, by their numbers in yaml.h."""
_STYLES = ("", "", "'", '"', "|", ">")
_ERROR = 99
_SIZE = 11


class CParser:
    """The events of a text, up to the end of its first document."""

    def __init__(self, stream: str) -> None:
        answer: bytes = js.readEvents(stream).to_bytes()
        self._end = 4 + 4 * _SIZE * int.from_bytes(answer[:4], "little")
        self._numbers = memoryview(answer)[4 : self._end].cast("i")
        self._answer = answer
        self._next = 0

    def get_event(self) -> yaml.Event:
        """Return the next event; raise MarkedYAMLError where libyaml finds one."""
        kind, start, end, style, flag, *strings = self._numbers[self._next : self._next + _SIZE]
        self._next += _SIZE
        value, anchor, tag = (self._string(*strings[at : at + 2]) for at in (0, 2, 4))
        if kind == _ERROR:
            context = None if start < 0 else yaml.Mark(start)
            raise yaml.MarkedYAMLError(value, context, anchor or "", yaml.Mark(end))
        made = _KINDS[kind]
        assert made is not None
        event = made(start, end)
        event.anchor, event.tag = anchor, tag
        if made is yaml.ScalarEvent:
            event.value, event.style = value or "", _STYLES[style]
        elif made is yaml.DocumentStartEvent:
            event.version = divmod(style, 100) if style else None
        event.explicit = event.flow_style = flag != 0
        return event

    def _string(self, start: int, length: int) -> str | None:
        begin = self._end + start
        return None if start < 0 else self._answer[begin : begin + length].decode()
