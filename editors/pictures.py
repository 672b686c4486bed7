"""Draws what an editor shows: hover, completion and a fix, as `dralint.editor` answers; the frame is drawn by rich.

python editors/pictures.py           writes docs/pictures/*.svg
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text as Shown

from dralint.editor import Workspace, actions, complete, hover

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 100
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""What would fetch fonts from elsewhere."""
_NAME = "claim.yaml"
_THEME = "monokai"
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        selectors:
        - cel:
            expression: device.attributes["gpu.nvidia.com"].architecture == "Hopper"
    constraints:
    - requests: [gpus]
      matchAttribute: resource.kubernetes.io/pcieRoot
"""


def _opened(text: str = CLAIM) -> Workspace:
    workspace = Workspace()
    workspace.open(_NAME, text)
    return workspace


def _picture(text: str, title: str, place: int, box: RenderableType) -> str:
    """Return the picture of a text with a box below the line of a place."""
    line, column = text[:place].count("\n"), place - text.rfind("\n", 0, place) - 1
    lines = text.rstrip("\n").split("\n")
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for part, first in ((lines[: line + 1], 1), (lines[line + 1 :], line + 2)):
        if first > 1:
            console.print(Padding(box, (0, 0, 0, min(column, 24) + 5)))
        if part:
            console.print(Syntax("\n".join(part), "yaml", theme=_THEME, line_numbers=True, start_line=first))
    return _FONTS.sub("", console.export_svg(title=title, unique_id="dralint"))


def hovering() -> str:
    """Return the picture of a hover over an attribute in an expression."""
    place = CLAIM.index("architecture")
    said = hover(_opened(), _NAME, place + 1)
    assert said is not None
    return _picture(CLAIM, "hover", place, Panel(Markdown(said.markdown), width=70))


def completing() -> str:
    """Return the picture of the fields that can be added to a request."""
    text = CLAIM.replace("        selectors:\n", "        \n        selectors:\n")
    place = text.index("        \n") + 8
    rows = Table.grid(padding=(0, 2))
    for item in complete(_opened(text), _NAME, place)[:7]:
        rows.add_row(
            Shown(item.label, style="bold"), Shown(item.says or item.detail, overflow="ellipsis", no_wrap=True)
        )
    return _picture(text, "completion", place, Panel(rows, width=74))


def fixing() -> str:
    """Return the picture of a finding and the actions that an editor offers for it."""
    workspace, place = _opened(), CLAIM.index("[gpus]") + 1
    (finding,) = workspace.findings()[_NAME]
    offered = actions(workspace, _NAME, workspace.text(_NAME).span(*finding[9:13]), lambda kind: kind == "quickfix")
    said = Group(
        Shown(f"{finding.rule}: {finding.message}", style="red"), *(Shown(f"  {one.title}") for one in offered)
    )
    return _picture(CLAIM, "quick fix", place, Panel(said, width=76))


DRAWN = {"hover": hovering, "completion": completing, "fix": fixing}

if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (PICTURES / f"{name}.svg").write_text(draw(), "utf-8")
