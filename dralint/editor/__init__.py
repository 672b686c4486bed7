"""What an editor asks about manifests, as plain functions over a workspace of texts; no protocol, process or thread.

    from dralint.editor import Workspace, complete, hover

    workspace = Workspace()
    workspace.open("claim.yaml", text)
    workspace.findings()["claim.yaml"]
    hover(workspace, "claim.yaml", workspace.text("claim.yaml").offset(line, character, "utf-16"))

Names are resolved when they are first used. docs/editor.md describes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dralint.editor.code_actions import Action as Action
    from dralint.editor.code_actions import actions as actions
    from dralint.editor.completion import Item as Item
    from dralint.editor.completion import complete as complete
    from dralint.editor.hovering import Hover as Hover
    from dralint.editor.hovering import hover as hover
    from dralint.editor.text import Text as Text
    from dralint.editor.workspace import Workspace as Workspace
    from dralint.lint.remembering import Stopped as Stopped

_HOMES = {
    "Action": "editor.code_actions",
    "Hover": "editor.hovering",
    "Item": "editor.completion",
    "Stopped": "lint.remembering",
    "Text": "editor.text",
    "Workspace": "editor.workspace",
    "actions": "editor.code_actions",
    "complete": "editor.completion",
    "hover": "editor.hovering",
}

__all__ = ["Action", "Hover", "Item", "Stopped", "Text", "Workspace", "actions", "complete", "hover"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"dralint.{home}")
    globals().update({each: getattr(module, each) for each, where in _HOMES.items() if where == home})
    return globals()[name]
