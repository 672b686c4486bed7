"""Text of manifests to data with exact places, meaning what Kubernetes' own decoder says it means.

`read` takes the bytes of a file and yields its documents. Everything is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.reading.document import Document as Document
    from dralint.reading.problem import Json as Json
    from dralint.reading.problem import Path as Path
    from dralint.reading.problem import Problem as Problem
    from dralint.reading.problem import Span as Span
    from dralint.reading.scalars import JsonFloat as JsonFloat
    from dralint.reading.scalars import number_text as number_text
    from dralint.reading.stream import read as read

__all__ = ["Document", "Json", "JsonFloat", "Path", "Problem", "Span", "number_text", "read"]

_HOMES = {
    "Document": "document",
    "Json": "problem",
    "JsonFloat": "scalars",
    "Path": "problem",
    "Problem": "problem",
    "Span": "problem",
    "number_text": "scalars",
    "read": "stream",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
