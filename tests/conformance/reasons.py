"""Recorded causes with their reasons, held against those of dralint's findings.

    python -m tests.conformance.reasons [--from DIR] [--release 1.34] [--show N]

reads the committed sample, or DIR/RELEASE.GATES[.KIND].jsonl.gz, and prints how many findings say the reason that the
server says at the same field, and which pairs of reasons differ. Counted are refusals in which both sides name the
field; a server that says several reasons at one field is agreed with by any of them, because a mistake is one finding.
"""

from __future__ import annotations

import argparse
import collections
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.conformance import verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.finding.finding import Finding


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


def main() -> None:
    """Compare, and print the figures by release."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", type=Path)
    parser.add_argument("--release")
    parser.add_argument("--show", type=int, default=10)
    arguments = parser.parse_args()
    total: collections.Counter[bool] = collections.Counter()
    for release in [f"1.{minor}" for minor in range(26, 38)]:
        if arguments.release not in (None, release):
            continue
        cases = verdicts.verdicts(release) if arguments.folder is None else verdicts.recorded(arguments.folder, release)
        every = [one for case, found in verdicts.findings(cases) for one in compared(case, found)]
        count = collections.Counter(one.agrees for one in every)
        total.update(count)
        print(f"{release:6} {count[True]:7} of {len(every):7} {100 * count[True] / max(len(every), 1):8.3f} %")
        differing = collections.Counter((one.mine, tuple(sorted(one.theirs))) for one in every if not one.agrees)
        for (mine, theirs), number in differing.most_common(arguments.show):
            some = next(one for one in every if (one.mine, tuple(sorted(one.theirs))) == (mine, theirs))
            print(f"       {number:5} x {mine}, the server {', '.join(theirs)}: {some.path} of {some.case.id}")
    both = total[True] + total[False]
    print(f"all    {total[True]:7} of {both:7} {100 * total[True] / max(both, 1):8.3f} %")


if __name__ == "__main__":
    main()
