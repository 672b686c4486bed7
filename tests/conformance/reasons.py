"""Recorded causes with their reasons, held against those of dralint's findings.

Counted are refusals in which both sides name the field; a server that says several reasons at one field is agreed with
by any of them, because a mistake is one finding.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dralint.finding.finding import Finding
from tests.conformance import verdicts


class Compared(NamedTuple):
    """One finding of a refusal: its reason, and those that the server says at its field."""

    case: verdicts.Verdict
    path: str
    mine: str | None
    theirs: frozenset[str]

    @property
    def agrees(self) -> bool:
        """Whether the server says this reason."""
        return self.mine in self.theirs


def compared(case: verdicts.Verdict, found: Iterable[Finding]) -> list[Compared]:
    """Return the findings of a validation error at whose field the server has a cause."""
    theirs: dict[str, set[str]] = {}
    for reason, path in case.causes:
        theirs.setdefault(verdicts.form(path, case), set()).add(reason)
    out = []
    for finding in found:
        if finding.effect != "rejected" or case.accepted or case.stage != "validate":
            continue
        said = theirs.get(verdicts.form(finding.path, case))
        if said is not None:
            out.append(Compared(case, finding.path, finding.reason, frozenset(said)))
    return out
