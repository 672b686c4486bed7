"""Judges CEL expressions of Dynamic Resource Allocation as the API server of a release does.

from dralint.cel import environment compilation = environment("1.34").compile('device.driver == "gpu.example.com"')
compilation.ok, compilation.cost

The package works without YAML and without Kubernetes objects; README.md next to this file has more. Names are resolved
when they are first used, so an import of the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import lazily

if TYPE_CHECKING:
    from dralint.cel.compile import Environment as Environment
    from dralint.cel.compile import environment as environment
    from dralint.cel.issue import Compilation as Compilation
    from dralint.cel.issue import Issue as Issue

_HOMES = {
    "Compilation": "cel.issue",
    "Environment": "cel.compile",
    "Issue": "cel.issue",
    "environment": "cel.compile",
}

__all__ = ["Compilation", "Environment", "Issue", "environment"]

__getattr__ = lazily(globals(), _HOMES)
