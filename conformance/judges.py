"""The judges: how to build each one, how to run it, and how to compare dralint with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import conformance.allocation.compare
import conformance.allocation.record
import conformance.cel.compare
import conformance.cel.record
import conformance.control_plane.compare
import conformance.control_plane.record
import conformance.verdicts.compare
import conformance.verdicts.record
from conformance import modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from conformance.differences import Difference
    from conformance.recording import Row


class Judge(NamedTuple):
    """A judge, by the folder of its program.

    Attributes:
        module: what it is built with.
        old: the last minor release that needs another file, which has the tag `before<minor + 1>`.
        number: the cases that are recorded where no number is named.
    """

    name: str
    module: str
    record: Callable[[str, str, str, int, Iterable[str]], Iterator[Row]]
    differing: Callable[[str, Sequence[Row]], list[Difference]]
    number: int
    old: int = 0

    def build(self, release: str) -> Path:
        """Build the program with the modules of a release, and return it."""
        minor = int(modules.minor(release).partition(".")[2])
        tags = [f"before{self.old + 1}"] if minor <= self.old else []
        if self.module == modules.KUBERNETES:
            return modules.build_server_program(self.name, release, tags)
        return modules.build_module_program(self.name, release, self.module)


_VERDICTS = conformance.verdicts.record.record, conformance.verdicts.compare.differing
_CEL = conformance.cel.record.record, conformance.cel.compare.differing
_ALLOCATION = conformance.allocation.record.record, conformance.allocation.compare.differing
_CONTROL_PLANE = conformance.control_plane.record.record, conformance.control_plane.compare.differing
JUDGES = {
    judge.name: judge
    for judge in (
        Judge("verdicts", modules.KUBERNETES, *_VERDICTS, number=20_000, old=31),
        Judge("declared", "k8s.io/api", *_VERDICTS, number=20_000),
        Judge("cel", "k8s.io/dynamic-resource-allocation", *_CEL, number=10_000),
        Judge("allocation", modules.KUBERNETES, *_ALLOCATION, number=2_000, old=34),
        Judge("control-plane", modules.KUBERNETES, *_CONTROL_PLANE, number=400),
    )
}
