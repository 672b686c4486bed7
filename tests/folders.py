"""Folders that tests fill: with files, and with a repository of git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

_SETTINGS = ("user.name=a", "user.email=a@example.com", "commit.gpgsign=false", "core.hooksPath=/dev/null")
_GIT = ("git", *(word for setting in _SETTINGS for word in ("-c", setting)))


def write(folder: Path, files: Mapping[str, str | None]) -> None:
    """Write files by their paths in a folder, as they are; None deletes one."""
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            file.unlink()
        else:
            file.write_bytes(text.encode())


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder; return what it prints."""
    return subprocess.run([*_GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
