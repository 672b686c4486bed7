"""Builds the playground: dralint, Python for the browser, and the editor, as files that any server can serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from string import Template


def build_playground(out: Path, template: Template, navigation: Sequence[tuple[str, str, str]]) -> None:
    """Write the playground to a folder."""
    raise SystemExit("the playground is not written yet: use --no-playground")
