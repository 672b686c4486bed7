"""Judges CEL expressions of Dynamic Resource Allocation as the API server of a release does.

from dralint.cel import environment compilation = environment("1.34").compile('device.driver == "gpu.example.com"')
compilation.ok, compilation.cost

The package works without YAML and without Kubernetes objects; README.md next to this file has more. Names are resolved
when they are first used, so an import of the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dralint.cel.compile import Environment as Environment
    from dralint.cel.compile import environment as environment
    from dralint.cel.issue import Compilation as Compilation
    from dralint.cel.issue import Issue as Issue

_HOME = {
    "Compilation": "issue",
    "Environment": "compile",
    "Issue": "issue",
    "environment": "compile",
}

__all__ = ["Compilation", "Environment", "Issue", "environment"]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"dralint.cel.{home}"), name)
    globals()[name] = value
    return value
