"""The differences between releases in the language, and between versions of Go in reading patterns."""

from __future__ import annotations

from typing import Final

from dralint.records import NamedTuple


class Patterns(NamedTuple):
    """How the Go version of a release reads patterns."""

    class_names: str
    """How names of classes are found: `exact` (until Go 1.24), or `folded` (Go 1.25 and later)."""


NEWEST: Final = Patterns("folded")
"""How the newest Go reads patterns: those of schemas and packs."""


class Dialect(NamedTuple):
    """The differences between releases in the language, due to their versions of cel-go."""

    macros: frozenset[str]
    accumulator: str
    """The name of the hidden variable of macros: an ordinary name until 1.32."""
    backquotes: str
    """`unknown` characters to the lexer, `refused` by the parser, or `accepted` as quotes of field names."""
    backquotes_since: str
    """The first release that accepts them."""
    late_lines: bool
    """Whether the first character of a line counts as the one after the end of the line before (until 1.31)."""
    surrogates: bool
    """Whether an escape of half a surrogate pair is taken for U+FFFD (until 1.32) instead of refused."""
    guards_accumulator: bool
    """Whether macros refuse `__result__` as the name of a variable (until 1.32 it hides theirs)."""
    format_check: str
    """How format() is checked against literal arguments: `none` (1.30), `panics` on other receivers (1.31), `full`."""
    declares_types: bool
    """Whether `duration`, `timestamp` and `kubernetes.DRADevice` name types (until 1.31: values of that type)."""
    copies_target: bool
    """Whether optMap evaluates a copy of its receiver (the same node is checked twice in 1.31)."""
    scoped_names: bool
    """Whether a local variable `a` keeps `a.b` from being looked up as one declared name."""
    negative_range: bool
    """Whether lists.range() of a negative number is an empty list (until 1.36), and not an error."""
    exact_result: bool
    """Whether a protobuf wrapper of bool is refused as a result (until 1.36)."""
