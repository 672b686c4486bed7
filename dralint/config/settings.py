"""What a run is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path as FilePath

    from dralint.kubernetes.release import Release


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is asked for; plain values, so that it can be handed to another process.

    `releases` are the releases that judge (empty: the newest that serves each object); `gates` the switched gates.
    `namespace` is that of objects that name none, `complete` says that the input is all there is, but for
    `known_classes`, which exist elsewhere; `slices` are paths of the inventory.
    """

    releases: tuple[Release, ...] = ()
    gates: tuple[tuple[str, bool], ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    ignore_status: bool = False
    namespace: str | None = None
    complete: bool = False
    known_classes: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    schemas: FilePath | None = None
    index: FilePath | None = None
