"""Functions for editors over a workspace of texts, without a protocol, a process or a thread.

    from dralint.editor import Workspace, complete, hover

    workspace = Workspace()
    workspace.open("claim.yaml", text)
    workspace.findings()["claim.yaml"]
    hover(workspace, "claim.yaml", workspace.text("claim.yaml").offset(line, character, "utf-16"))

Names are resolved when they are first used. docs/editor.md describes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import lazily

if TYPE_CHECKING:
    from dralint.editor.code_actions import Action, actions
    from dralint.editor.completion import Item, complete, signature_help
    from dralint.editor.cursor import Position, Span, Text
    from dralint.editor.hover_text import Hint, Hover, code_lenses, explain, hover, inlay_hints, simulated
    from dralint.editor.navigation import (
        Location,
        RenameError,
        Symbol,
        definition,
        folds,
        highlights,
        references,
        rename,
        renamed_at,
        symbols,
        workspace_symbols,
    )
    from dralint.editor.workspace import Folder, Workspace
    from dralint.work import Stopped

_HOMES = {
    "Action": "editor.code_actions",
    "Folder": "editor.workspace",
    "Hint": "editor.hover_text",
    "Hover": "editor.hover_text",
    "Item": "editor.completion",
    "Location": "editor.navigation",
    "Position": "editor.cursor",
    "RenameError": "editor.navigation",
    "Span": "editor.cursor",
    "Stopped": "work",
    "Symbol": "editor.navigation",
    "Text": "editor.cursor",
    "Workspace": "editor.workspace",
    "actions": "editor.code_actions",
    "code_lenses": "editor.hover_text",
    "complete": "editor.completion",
    "definition": "editor.navigation",
    "explain": "editor.hover_text",
    "hover": "editor.hover_text",
    "folds": "editor.navigation",
    "highlights": "editor.navigation",
    "workspace_symbols": "editor.navigation",
    "signature_help": "editor.completion",
    "inlay_hints": "editor.hover_text",
    "references": "editor.navigation",
    "rename": "editor.navigation",
    "renamed_at": "editor.navigation",
    "simulated": "editor.hover_text",
    "symbols": "editor.navigation",
}

__all__ = [
    "Action",
    "Folder",
    "Hint",
    "Hover",
    "Item",
    "Location",
    "Position",
    "RenameError",
    "Span",
    "Stopped",
    "Symbol",
    "Text",
    "Workspace",
    "actions",
    "code_lenses",
    "complete",
    "definition",
    "explain",
    "folds",
    "highlights",
    "hover",
    "inlay_hints",
    "references",
    "rename",
    "renamed_at",
    "signature_help",
    "simulated",
    "symbols",
    "workspace_symbols",
]

__getattr__ = lazily(globals(), _HOMES)
