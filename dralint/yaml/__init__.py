"""Text of manifests to data with exact places, meaning what Kubernetes' own decoder says it means.

`read` takes the bytes of a file and yields its documents. Everything is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.yaml.document import Document as Document
    from dralint.yaml.place import Json as Json
    from dralint.yaml.place import Path as Path
    from dralint.yaml.place import ReadingProblem as ReadingProblem
    from dralint.yaml.place import Span as Span
    from dralint.yaml.scalars import JsonFloat as JsonFloat
    from dralint.yaml.scalars import number_text as number_text
    from dralint.yaml.stream import read as read

__all__ = ["Document", "Json", "JsonFloat", "Path", "ReadingProblem", "Span", "number_text", "read"]

_HOMES = {
    "Document": "document",
    "Json": "place",
    "JsonFloat": "scalars",
    "Path": "place",
    "ReadingProblem": "place",
    "Span": "place",
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
