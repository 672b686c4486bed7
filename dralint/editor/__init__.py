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
    from dralint.editor.code_actions import Action as Action
    from dralint.editor.code_actions import actions as actions
    from dralint.editor.completion import Item as Item
    from dralint.editor.completion import complete as complete
    from dralint.editor.completion import signature_help as signature_help
    from dralint.editor.cursor import Position as Position
    from dralint.editor.cursor import Span as Span
    from dralint.editor.cursor import Text as Text
    from dralint.editor.hints import Hint as Hint
    from dralint.editor.hints import code_lenses as code_lenses
    from dralint.editor.hints import inlay_hints as inlay_hints
    from dralint.editor.hints import simulated as simulated
    from dralint.editor.hover_text import Hover as Hover
    from dralint.editor.hover_text import explain as explain
    from dralint.editor.hover_text import hover as hover
    from dralint.editor.navigation import Location as Location
    from dralint.editor.navigation import RenameError as RenameError
    from dralint.editor.navigation import Symbol as Symbol
    from dralint.editor.navigation import definition as definition
    from dralint.editor.navigation import folds as folds
    from dralint.editor.navigation import highlights as highlights
    from dralint.editor.navigation import references as references
    from dralint.editor.navigation import rename as rename
    from dralint.editor.navigation import renamed_at as renamed_at
    from dralint.editor.navigation import symbols as symbols
    from dralint.editor.navigation import workspace_symbols as workspace_symbols
    from dralint.editor.workspace import Folder as Folder
    from dralint.editor.workspace import Workspace as Workspace
    from dralint.work import Stopped as Stopped

_HOMES = {
    "Action": "editor.code_actions",
    "Folder": "editor.workspace",
    "Hint": "editor.hints",
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
    "code_lenses": "editor.hints",
    "complete": "editor.completion",
    "definition": "editor.navigation",
    "explain": "editor.hover_text",
    "hover": "editor.hover_text",
    "folds": "editor.navigation",
    "highlights": "editor.navigation",
    "workspace_symbols": "editor.navigation",
    "signature_help": "editor.completion",
    "inlay_hints": "editor.hints",
    "references": "editor.navigation",
    "rename": "editor.navigation",
    "renamed_at": "editor.navigation",
    "simulated": "editor.hints",
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
