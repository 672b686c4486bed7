"""Compares dralint's results for expressions with a recording: the verdict, its place, the cost, and the devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import modules
from conformance.cel.cases import DEVICES
from conformance.cel.record import gates_on
from conformance.differences import Difference
from dralint.cel.compile import environment_for
from dralint.cel.machine import Undecided, device_of, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.recording import Row
    from dralint.cel import Compilation


def differing(release: str, rows: Sequence[Row]) -> list[Difference]:
    """Return the verdicts of a recording that dralint does not share."""
    found = []
    minor = modules.minor(release)
    for row in rows:
        judge = environment_for(minor, gates_on(minor, row["gates"]), row["kind"])
        for cause, what in _of(row, judge.compile(row["expression"])):
            found.append(Difference(row["kind"], row["about"], cause, row["id"], f"{row['expression']!r}: {what}"))
    return found


def _of(row: Row, mine: Compilation) -> Iterator[tuple[str, str]]:
    if mine.ok != row["ok"]:
        if row["ok"]:
            yield f"accepted, dralint refuses ({mine.stage})", mine.issues[0].message
        else:
            yield f"refused ({row['stage']}), dralint accepts", row.get("message", "")
    elif not mine.ok:
        place = (mine.issues[0].line, mine.issues[0].column)
        if "line" in row and place != (row["line"], row["column"]):
            yield "another place", f"at {row['line']}:{row['column']}, dralint at {place[0]}:{place[1]}"
    elif "cost" in row and mine.cost != row["cost"]:
        yield "another cost", f"{row['cost']}, dralint {mine.cost}"
    else:
        yield from _of_devices(row, mine)


def _of_devices(row: Row, mine: Compilation) -> Iterator[tuple[str, str]]:
    for data, outcome in zip(DEVICES, row.get("outcomes", ()), strict=False):
        found = evaluate(mine, device_of(data, data))
        if isinstance(found, Undecided):
            continue
        got = "error" if found.error is not None else str(found.matches).lower()
        if got != outcome:
            yield f"{outcome} of a device, dralint {got}", f"{data['driver']}: {found.error or got}"
