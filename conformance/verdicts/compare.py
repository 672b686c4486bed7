"""Compares dralint's findings on manifests with a recording."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance import modules
from conformance.differences import Difference
from tests.conformance import verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.recording import Row
    from dralint.finding.finding import Finding

_LISTS = re.compile(r"'([^']*)'")
_PLACES = re.compile(r"\[[^\]]*\]|\.\d+(?=\.|$)")


def differing(release: str, rows: Sequence[Row]) -> list[Difference]:
    """Return the verdicts of a recording that dralint does not share."""
    partial = {row["id"] for row in rows if row.get("partial")}
    return list(_differing([_case(modules.minor(release), row) for row in rows], partial))


def _case(release: str, row: Row) -> verdicts.Verdict:
    causes = tuple((reason, path) for reason, path in row["causes"])
    return verdicts.Verdict(
        row["id"],
        release,
        row["gates"],
        row["mode"],
        row["yaml"],
        row["accepted"],
        row["stage"],
        causes,
        tuple(row.get("dropped", ())),
        row.get("old", ""),
    )


def _differing(cases: list[verdicts.Verdict], partial: set[str]) -> Iterator[Difference]:
    for case, found in verdicts.findings(cases):
        said = _missing(case, found) if case.id in partial else verdicts.disagreement(case, found)
        if said is not None and not _same_but_for_positions(case, found):
            kind = re.search(r"^kind: (\w+)", case.text, re.MULTILINE)
            first = _LISTS.search(said)
            field = _PLACES.sub("", first[1]) if first else ""
            cause = re.sub(r"\[.*?\]", "", said).strip(" ,")
            yield Difference(kind[1] if kind else "?", field, cause, case.id, said)


def _missing(case: verdicts.Verdict, found: list[Finding]) -> str | None:
    """Return the refusals of a judge that knows only a part of the server's checks, if dralint lacks them."""
    mine = {verdicts.form(one.path, case) for one in found if one.effect in ("rejected", "unreadable")}
    theirs = {verdicts.form(path, case) for _, path in case.causes}
    return None if theirs <= mine else f"refused {sorted(theirs - mine)}, dralint {sorted(mine)}"


def _same_but_for_positions(case: verdicts.Verdict, found: list[Finding]) -> bool:
    """Say whether both sides name the same fields of a text that cannot be decoded: dralint names the first items."""
    mine = {_PLACES.sub("", verdicts.form(one.path, case)) for one in found if one.effect in ("rejected", "unreadable")}
    theirs = {_PLACES.sub("", verdicts.form(path, case)) for _, path in case.causes}
    return case.stage == "decode" and theirs <= mine and len(mine) <= len(theirs) + 3
