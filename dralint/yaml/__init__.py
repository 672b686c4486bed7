"""Reads the text of manifests into data with exact places, as Kubernetes' own decoder understands it.

`read` takes the bytes of a file and yields its documents.

Three readers share the work. The savings are CPU time, measured with the loads of `bench/run.py` and on files with a
finding:

- `fast_path` reads the common block style of YAML without places. Almost all files need no other reader.
- `composer` reads all of YAML with libyaml, with the place of each value. It is the reference for `fast_path`, and
  reads what that does not.
- `json_text` reads JSON, with places if they are needed. Of JSON without a mistake, it opens only the parts that lead
  to a finding: a list of 14 MB, as `kubectl get -o json` writes it, takes 1.2 s and 120 MB. With all places it takes
  3.7 s and 250 MB.
"""

from __future__ import annotations

from dralint.yaml.document import Document
from dralint.yaml.nodes import Json, Path, ReadingProblem, Span
from dralint.yaml.scalars import JsonFloat, number_text
from dralint.yaml.stream import read

__all__ = ["Document", "Json", "JsonFloat", "Path", "ReadingProblem", "Span", "number_text", "read"]
