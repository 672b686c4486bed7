"""The tokens of YAML, and the characters that break its lines."""

from __future__ import annotations

from typing import Final

KEY: Final = 1
VALUE: Final = 2
ENTRY: Final = 3
FLOW_SEQUENCE: Final = 7
FLOW_MAP: Final = 8
FLOW_SEQUENCE_END: Final = 9
FLOW_MAP_END: Final = 10
COMMA: Final = 11
SCALAR: Final = 12
ALIAS: Final = 13
ANCHOR: Final = 14
TAG: Final = 15
DOCUMENT_START: Final = 16
DOCUMENT_END: Final = 17
STREAM_END: Final = 20

PLAIN: Final = ""

MAX_DEPTH: Final = 10_000
"""go-yaml's limit for nested flow collections and for indentations, and the JSON decoder's for all nesting."""

MOST_LEVELS: Final = 1_000
"""Levels of nesting that dralint reads in YAML: as many as libyaml 0.2.6. The API server takes 10,000."""

BREAKS: Final = "\n\r\x85\u2028\u2029"
"""The characters that end a line of YAML 1.1; CR and LF together end one."""

Token = tuple[int, int, int, "str | tuple[str, str]", str]
"""Kind, first offset, offset after the last character, value, style of a scalar."""


def line_start(text: str, pos: int) -> int:
    """Return the offset at which the line of text[pos] starts."""
    while pos and text[pos - 1] not in BREAKS:
        pos -= 1
    return pos
