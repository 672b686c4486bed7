"""Finds the version of a driver that the input installs: by the label of its chart, or by the tag of its image."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.drivers.shipped import CLASSES
from dralint.references.facts import Class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.drivers.choice import Choice
    from dralint.references.facts import Facts

_VERSION = rb"v?([0-9][0-9A-Za-z.+-]*)"


def installed(
    choice: Choice, known: Sequence[Facts], reader: Callable[[str], bytes | None]
) -> Iterator[tuple[str, str]]:
    """Yield the drivers that the input installs with their versions, if the files of their classes show one.

    Args:
        choice: the packs.
        known: the facts of the input.
        reader: reads a file of the run.
    """
    files: dict[str, set[str]] = {}
    for entry in known:
        driver = CLASSES.get(str(entry.name)) if isinstance(entry.body, Class) else None
        if driver is not None:
            files.setdefault(driver, set()).add(entry.file)
    for driver, names in files.items():
        pack = choice.pack(driver)
        if pack is None:
            continue
        pattern = _pattern(pack.data.get("charts", ()), pack.data.get("images", ()))
        found = {match for name in names for match in _versions(pattern, reader(name) or b"")} if pattern else set()
        if len(found) == 1:
            yield driver, found.pop()


def _pattern(charts: Sequence[str], images: Sequence[str]) -> re.Pattern[bytes] | None:
    parts = [rb"helm\.sh/chart[\"']?:\s*[\"']?(?:" + _any(charts) + rb")-" + _VERSION] if charts else []
    parts += [rb"[/\"'\s](?:" + _any(images) + rb"):" + _VERSION] if images else []
    return re.compile(rb"|".join(parts)) if parts else None


def _any(names: Sequence[str]) -> bytes:
    return b"|".join(re.escape(name.encode()) for name in names)


def _versions(pattern: re.Pattern[bytes], raw: bytes) -> Iterator[str]:
    for match in pattern.finditer(raw):
        yield next(group for group in match.groups() if group).decode()
