"""Finds the known value or key that an unknown one stands for, and makes its hint and its repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.repair import Repair, renamed, replaced
from dralint.kubernetes.certain import is_certain
from dralint.kubernetes.near import did_you_mean, distance, is_numbered, is_slip, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dralint.yaml import Path


class Meant(NamedTuple):
    """What to write instead: the hint, and the repair if there is one candidate."""

    hint: str | None
    repair: Repair | None


def meant(
    value: str,
    allowed: Iterable[str],
    path: Path,
    *,
    key: bool = False,
    taken: Collection[str | None] = (),
    closed: bool = False,
    otherwise: str | None = None,
) -> Meant:
    """Return what to write instead of a value (with `key`, of the key) at the path.

    The hint offers all names that are equally near. There is a repair only for a single name that shares most of its
    letters. It is safe if the value can only be that name (see `is_certain`).

    Args:
        closed: whether Kubernetes or a driver gives the allowed names, and not the user.
        taken: names that are already used next to it, so that they cannot be the repair.
        otherwise: the hint if no name is near, or only a neighbour in a series, such as `gpu-0` for `gpu-1`.
    """
    allowed = tuple(allowed)
    names = near(value, allowed)
    if len(names) != 1 or names[0] in taken:
        return Meant(did_you_mean(names) or otherwise, None)
    if is_numbered(value, names[0]):
        return Meant(otherwise or did_you_mean(names), None)
    short = len(names[0]) <= 4 and len(value) == len(names[0]) and value.lower() != names[0].lower()
    if (short and not is_slip(value, names[0])) or 2 * distance(value.lower(), names[0].lower()) > len(names[0]):
        return Meant(did_you_mean(names), None)
    mend = renamed if key else replaced
    sure = is_certain("word" if closed else "name", value, names[0], allowed)
    return Meant(did_you_mean(names), mend(path, names[0], safe=sure))
