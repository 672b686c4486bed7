"""Draws the picture of the README: what a terminal shows of examples/bad/claim.yaml, as SVG.

python examples/picture.py           writes examples/report.svg
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
COMMAND = ("check", "examples/bad/claim.yaml")
COLUMNS = 118
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""What would fetch fonts from elsewhere."""


def report() -> str:
    """Return what dralint prints for the example, with the colours of a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "dralint", *COMMAND, "--color", "always", "--no-config"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def svg(text: str) -> str:
    """Return the picture of a terminal with the command and its output."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ dralint {' '.join(COMMAND)}"))
    console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=True)
    return _FONTS.sub("", console.export_svg(title="dralint", unique_id="dralint"))


if __name__ == "__main__":
    (ROOT / "examples" / "report.svg").write_text(svg(report()), "utf-8")
