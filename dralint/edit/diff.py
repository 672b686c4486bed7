"""What a rewriting changes, as a unified diff."""

from __future__ import annotations

from difflib import unified_diff

from dralint.edit.file_text import FileText

_STYLES = {"-": "31", "+": "32", "@": "36"}


def unified(name: str, before: bytes, after: bytes, *, color: bool = False) -> str:
    """Return the unified diff of the texts of a file, which `patch -p1` understands; with ANSI colours on demand."""
    old, new = (FileText(raw).text.splitlines(keepends=True) for raw in (before, after))
    out: list[str] = []
    for row in unified_diff(_ended(old), _ended(new), f"a/{name}", f"b/{name}"):
        line = row.removesuffix("\n")
        style = "1" if row.startswith(("--- ", "+++ ")) and len(out) < 2 else _STYLES.get(row[:1])
        out.append(f"\x1b[{style}m{line}\x1b[0m\n" if color and style else f"{line}\n")
    return "".join(out)


def _ended(lines: list[str]) -> list[str]:
    """Return the lines with what `patch` expects where the last has no end."""
    if lines and not lines[-1].endswith("\n"):
        return [*lines[:-1], f"{lines[-1]}\n\\ No newline at end of file\n"]
    return lines
