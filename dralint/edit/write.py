"""Writes values as YAML or JSON so that Kubernetes' decoder reads the same values."""

from __future__ import annotations

import re
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import TYPE_CHECKING

from dralint.yaml import JsonFloat, number_text
from dralint.yaml.scalars import resolve

if TYPE_CHECKING:
    from dralint.yaml import Json

_PLAIN = re.compile(r"[A-Za-z0-9./][A-Za-z0-9 ._/+@%()-]*(?::[A-Za-z0-9._/+@%()-]+)*\Z", re.ASCII)

_DATE = re.compile(r"\d+-\d")
"""Text that other readers of YAML read as a date."""


def scalar(value: Json, quote: str = "") -> str:
    """Return a scalar as YAML.

    Args:
        quote: the quotes to put around a string if they are possible; if empty, quotes are only used where needed.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | JsonFloat):
        return number_text(value)
    assert isinstance(value, str)
    if quote == "'" and value.isprintable() and value.isascii():
        return "'" + value.replace("'", "''") + "'"
    if not quote and is_plain(value):
        return value
    return encode_basestring(value) if value.isprintable() else encode_basestring_ascii(value)


def is_plain(value: str) -> bool:
    """Say whether a string is read as the same string without quotes."""
    return bool(_PLAIN.match(value)) and not _DATE.match(value) and value[-1] != " " and resolve(value) == value


_BRACKETS = frozenset(",[]{}")
_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")


def stays_plain(value: str, *, flow: bool) -> bool:
    """Say whether a string that had no quotes is still read as the same string without them.

    Args:
        flow: whether it is in a mapping or list in flow style.
    """
    if is_plain(value):
        return True
    if not value.isprintable() or value != value.strip() or not value or value[0] in _INDICATORS or _DATE.match(value):
        return False
    if ": " in value or " #" in value or value[-1] == ":" or (flow and not _BRACKETS.isdisjoint(value)):
        return False
    return resolve(value) == value


def flow(value: Json, quote: str = "") -> str:
    """Return a value as YAML on one line; with `"` as quote it is also JSON."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{scalar(key, quote)}: {flow(entry, quote)}" for key, entry in value.items())
        return "{" + pairs + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(entry, quote) for entry in value) + "]"
    return scalar(value, quote)


def block(value: Json, indent: int, step: int = 2, newline: str = "\n", *, indented_lists: bool = False) -> str:
    """Return a value as it is written after `key:` in block style, with the white space before it.

    Args:
        indent: the column of the key.
        step: how much further a mapping in it is indented.
        newline: the line end of the file.
        indented_lists: whether lists are indented like mappings.
    """
    if isinstance(value, dict) and value:
        lines = _lines(value, step, indented_lists=indented_lists)
        inner = indent + step
    elif isinstance(value, list) and value:
        lines = _lines(value, step, indented_lists=indented_lists)
        inner = indent + (step if indented_lists else 0)
    else:
        return f" {flow(value)}"
    return "".join(f"{newline}{' ' * inner}{line}" for line in lines)


def _lines(value: Json, step: int, *, indented_lists: bool) -> list[str]:
    """Return the lines of a mapping or list in block style, of any other value in flow style."""
    out: list[str] = []
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            nested = isinstance(entry, dict | list) and bool(entry)
            inner = _lines(entry, step, indented_lists=indented_lists)
            deep = step if isinstance(entry, dict) or indented_lists else 0
            out += (
                [f"{scalar(key)}:", *(" " * deep + line for line in inner)]
                if nested
                else [f"{scalar(key)}: {inner[0]}"]
            )
        return out
    if isinstance(value, list) and value:
        for entry in value:
            first, *rest = _lines(entry, step, indented_lists=indented_lists)
            out += [f"- {first}", *(f"  {line}" for line in rest)]
        return out
    return [flow(value)]
