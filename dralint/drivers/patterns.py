"""Patterns of driver packs: regular expressions as in Go, for names and values of attributes.

Authors of packs are strangers, so dralint's own engine runs them, and only on texts that a device can have.
"""

from __future__ import annotations

from typing import Final

from dralint.cel.regex.dialect import NEWEST

_LARGEST: Final = 1000
"""The most instructions of a pattern."""
_LONGEST: Final = 64
"""The longest name or string of an attribute, in bytes.

Source: DeviceMaxIDLength and DeviceAttributeMaxValueLength in pkg/apis/resource/types.go of Kubernetes (v1.34).
"""


def is_in(pattern: str, text: str) -> bool:
    """Say whether a pattern may match in a name or value of an attribute; it is one that has no `mistake`."""
    from dralint.cel.regex.program import is_in as found_in  # few packs have patterns

    return len(text) <= _LONGEST and found_in(pattern, text) is not False


def is_all_of(pattern: str, text: str) -> bool:
    """Say whether a pattern may match the whole of a name or value of an attribute."""
    return is_in(rf"\A(?:{pattern})\z", text)


def mistake(pattern: str) -> str | None:
    """Return what is wrong with a pattern, and how to write it; None for a usable one."""
    from dralint.cel.regex.classes import NotRunError
    from dralint.cel.regex.parse import RegexError
    from dralint.cel.regex.program import program

    try:
        size = len(program(pattern, NEWEST).code)
    except RegexError as error:
        return f"not a regular expression of Go: it {error}"
    except NotRunError:
        size = _LARGEST + 1
    return None if size <= _LARGEST else "dralint does not run so large a pattern; write smaller repetitions"
