"""The differences between dralint and a recording, in groups of one kind, field and cause."""

from __future__ import annotations

import collections
import json
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conformance.recording import Row

_AT_ONCE = 500


class Difference(NamedTuple):
    """A verdict that dralint does not share."""

    kind: str
    field: str
    cause: str
    case: str
    said: str


class Comparison(NamedTuple):
    """How many verdicts were compared, and those that differ."""

    total: int
    differences: list[Difference]

    @property
    def agreement(self) -> float:
        """The part of the verdicts that agree."""
        differing = len({one.case for one in self.differences})
        return 1 - differing / self.total if self.total else 1.0


def compared(
    differing: Callable[[str, Sequence[Row]], list[Difference]], release: str, rows: Iterable[Row], processes: int = 1
) -> Comparison:
    """Compare rows in parts, and in several processes; `differing` must be a function of a module."""
    every = list(rows)
    parts = [every[start : start + _AT_ONCE] for start in range(0, len(every), _AT_ONCE)]
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            found = [one for part in pool.map(differing, [release] * len(parts), parts) for one in part]
    else:
        found = [one for part in parts for one in differing(release, part)]
    return Comparison(len(every), found)


def table(comparison: Comparison, most: int) -> str:
    """Return the groups of differences, the largest first, each with an example."""
    count = comparison.total
    agreeing = round(count * comparison.agreement)
    lines = [f"{count} verdicts, {agreeing} agree: {100 * comparison.agreement:.2f} %"]
    groups = collections.defaultdict(list)
    for one in comparison.differences:
        groups[one.kind, one.cause, one.field].append(one)
    for (kind, cause, field), members in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:most]:
        lines.append(f"{len(members):6} {kind} {field}: {cause}")
        lines.append(f"       {members[0].case}: {members[0].said}")
    return "\n".join(lines)


def as_json(comparison: Comparison) -> str:
    """Return the comparison as JSON."""
    rows = [one._asdict() for one in comparison.differences]
    return json.dumps({"verdicts": comparison.total, "agreement": comparison.agreement, "differences": rows}, indent=1)
