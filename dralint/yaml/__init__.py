"""Reads the text of manifests into data with exact places, as Kubernetes' own decoder understands it.

`read` takes the bytes of a file and yields its documents. Everything is imported when it is first used.

Four readers share the work. The savings are CPU time, measured with the loads of `bench/run.py` and on files with a
finding:

- `fast_path` reads the common block style of YAML without places. Almost all files need no other reader.
- `composer` reads all of YAML with libyaml, with the place of each value. It is the reference for `fast_path`, and
  reads what that does not.
- `json_text` reads JSON, with places if they are needed.
- `json_nodes` opens only the parts of JSON that lead to a finding. A list of 14 MB, as `kubectl get -o json` writes it,
  takes 1.2 s and 120 MB. With all places it takes 3.7 s and 250 MB.
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
