"""Helm charts: finds the chart that a template belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPLATES = "templates"


def charts(files: Iterable[str]) -> list[str]:
    """Return the folders of the charts whose templates are among the files, in order.

    A chart has a `Chart.yaml`, and its templates are in `templates` next to it.
    """
    found: dict[str, None] = {}
    known: dict[str, bool] = {}
    for file in files:
        folders = file.replace("\\", "/").split("/")[:-1]
        for depth, name in enumerate(folders):
            if name != TEMPLATES:
                continue
            chart = "/".join(folders[:depth]) or ("/" if depth else ".")
            if chart not in known:
                known[chart] = Path(chart, "Chart.yaml").is_file()
            if known[chart]:
                found[chart] = None
                break
    return list(found)
