"""Compares dralint with a recording, and groups what differs by kind, field and cause."""

from __future__ import annotations

import collections
import json
import re
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.conformance import verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.finding.finding import Finding

_AT_ONCE = 500
_LISTS = re.compile(r"'([^']*)'")
_PLACES = re.compile(r"\[[^\]]*\]|\.\d+(?=\.|$)")


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
        return 1 - len(self.differences) / self.total if self.total else 1.0


def compare(release: str, rows: Iterable[dict[str, Any]], processes: int = 1) -> Comparison:
    """Compare dralint's verdicts on manifests with those of a recording."""
    every = list(rows)
    parts = [(release, every[start : start + _AT_ONCE]) for start in range(0, len(every), _AT_ONCE)]
    if processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            found = [one for part in pool.map(_differences, parts) for one in part]
    else:
        found = [one for part in parts for one in _differences(part)]
    return Comparison(len(every), found)


def _differences(part: tuple[str, list[dict[str, Any]]]) -> list[Difference]:
    release, rows = part
    partial = {row["id"] for row in rows if row.get("partial")}
    return list(_differing([_case(release, row) for row in rows], partial))


def _case(release: str, row: dict[str, Any]) -> verdicts.Verdict:
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
    """Return what a judge refuses that knows only a part of what a server does, and dralint does not."""
    mine = {verdicts.form(one.path, case) for one in found if one.effect in ("rejected", "unreadable")}
    theirs = {verdicts.form(path, case) for _, path in case.causes}
    return None if theirs <= mine else f"refused {sorted(theirs - mine)}, dralint {sorted(mine)}"


def _same_but_for_positions(case: verdicts.Verdict, found: list[Finding]) -> bool:
    """Say whether both sides name the same fields of a text that cannot be decoded: dralint names the first items."""
    mine = {_PLACES.sub("", verdicts.form(one.path, case)) for one in found if one.effect in ("rejected", "unreadable")}
    theirs = {_PLACES.sub("", verdicts.form(path, case)) for _, path in case.causes}
    return case.stage == "decode" and theirs <= mine and len(mine) <= len(theirs) + 3


def table(comparison: Comparison, most: int) -> str:
    """Return the groups of differences, the largest first, each with an example."""
    count = comparison.total
    lines = [f"{count} verdicts, {count - len(comparison.differences)} agree: {100 * comparison.agreement:.2f} %"]
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
