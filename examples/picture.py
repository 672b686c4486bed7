"""Draws the picture of the README: what a terminal shows of examples/bad/claim.yaml, as SVG.

python examples/picture.py           writes examples/report.svg
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
COMMAND = ("check", "examples/bad/claim.yaml")
COLUMNS = 96
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""What would fetch fonts from elsewhere."""


def report() -> str:
    """Return what dralint prints for the example in a terminal."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    command = [sys.executable, "-m", "dralint", *COMMAND, "--no-config"]
    with subprocess.Popen(command, cwd=ROOT, env={**environment, "TERM": "xterm"}, stdout=its):
        os.close(its)
        shown = b""
        while part := _read(ours):
            shown += part
    os.close(ours)
    return shown.decode("utf-8").replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def svg(text: str) -> str:
    """Return the picture of a terminal with the command and its output."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text(f"$ dralint {' '.join(COMMAND)}"))
    for line in text.rstrip("\n").split("\n"):
        console.print(Text.from_ansi(line), no_wrap=True)
    return _FONTS.sub("", console.export_svg(title="dralint", unique_id="dralint"))


if __name__ == "__main__":
    (ROOT / "examples" / "report.svg").write_text(svg(report()), "utf-8")
