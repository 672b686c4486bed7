"""What dralint imports of PyYAML, for a browser: the events of libyaml, which runs as WebAssembly beside Python."""

from __future__ import annotations


class Mark:
    """A place in the text: its offset in characters."""

    def __init__(self, index: int) -> None:
        self.index = index


class MarkedYAMLError(Exception):
    """An error of libyaml: what it was reading, and what it found."""

    def __init__(self, context: str | None, context_mark: Mark | None, problem: str, problem_mark: Mark) -> None:
        super().__init__(problem)
        self.context = context
        self.context_mark = context_mark
        self.problem = problem
        self.problem_mark = problem_mark


class Event:
    """An event and its place. Those that have no anchor, tag, value and so on do not use these attributes."""

    version: tuple[int, int] | None = None
    explicit = flow_style = False
    anchor: str | None = None
    tag: str | None = None
    value = style = ""

    def __init__(self, start: int, end: int) -> None:
        self.start_mark = Mark(start)
        self.end_mark = Mark(end)


class StreamStartEvent(Event):
    """The start of a text."""


class StreamEndEvent(Event):
    """The end of a text."""


class DocumentStartEvent(Event):
    """The start of a document."""


class DocumentEndEvent(Event):
    """The end of a document."""


class AliasEvent(Event):
    """An alias."""


class ScalarEvent(Event):
    """A scalar."""


class SequenceStartEvent(Event):
    """The start of a sequence."""


class SequenceEndEvent(Event):
    """The end of a sequence."""


class MappingStartEvent(Event):
    """The start of a mapping."""


class MappingEndEvent(Event):
    """The end of a mapping."""
