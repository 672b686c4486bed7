"""What one field alone cannot tell: relations within an object, type by type.

A check is a function (value, link, scope) of the type it is listed for; it reports to the scope, and may return the
names of fields that the server does not look at any more. They are imported when their type is first met.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from dralint.constraints import Hook

HOOKS = {
    "ObjectMeta": "metadata:object_meta",
    "core.NodeSelectorTerm": "node_selector:term",
    "core.NodeSelectorRequirement": "node_selector:requirement",
}
"""Type → `module:function` below dralint.checks."""


@cache
def hook(name: str) -> Hook | None:
    """Return the check of a type, None when it has none."""
    place = HOOKS.get(name)
    if place is None:
        return None
    module, _, function = place.partition(":")
    return cast("Hook", getattr(importlib.import_module(f"dralint.checks.{module}"), function))
