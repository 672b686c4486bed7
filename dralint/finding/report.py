"""The report of a run: its findings, what was skipped or failed, and what was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.rule_ids import INTERNAL_ERROR, UNOPENED_FILE
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.finding import Finding


class Excerpt(NamedTuple):
    """What stands around a finding: a stretch of its line, of which the first character has the column `column`."""

    text: str
    column: int
    cut: bool


NO_TEXT = "no-text"


class Skipped(NamedTuple):
    """A document that was not judged, and why; `kind` is `template`, `patch` or, for a whole file, `NO_TEXT`.

    `relevant` says whether its text speaks of anything that dralint judges.
    """

    file: str
    document: int
    reason: str
    kind: str = "template"
    relevant: bool = True


class Failure(NamedTuple):
    """Something that kept dralint from finishing: a file that cannot be opened, an internal error. Exit status 3.

    `rule` is the one under which reports show it; `document` and `line` are where it was met.
    """

    file: str
    message: str
    rule: str = UNOPENED_FILE
    document: int = 0
    line: int = 1


def unread(file: str, error: Exception | str) -> Failure:
    """Return that a file cannot be read."""
    reason = error if isinstance(error, str) else isinstance(error, OSError) and error.strerror
    return Failure(file, f"cannot be read: {reason or str(error) or type(error).__name__}")


def internal_error(file: str, error: Exception, where: str = "", document: int = 0, line: int = 1) -> Failure:
    """Return that dralint has failed, with what a report of it needs; `where` says in what."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    message = (
        f"internal error{where and ' '}{where}: {type(error).__name__}: {error} "
        f"({last.name}, {last.filename.rpartition('/')[2]}:{last.lineno}); please report it with the manifest"
    )
    return Failure(file, message, INTERNAL_ERROR, document, line)


class LeftOut(NamedTuple):
    """A file or directory that was not looked at, and why."""

    file: str
    reason: str


LEADS_OUT = "a link that leads out of the directory; name its target to check it"
"""The reason why a link is left out that the user has not named."""


class Report:
    """The outcome of a run.

    `excerpts` has the line of each place of a finding by file, line and column, where the run was asked to keep it;
    `read` has each file that was read with the number of objects judged in it; `left_out` has what discovery passed
    over. `suppressed` is how many findings are left out, `hidden` how many lie below --min-severity.
    `charts` are the folders of the Helm charts of which templates were skipped. `unchanged` is what to say where no
    file was judged because none differs from what it was compared with. `not_simulated` is how many claims and Pods the
    simulation had no time for. `previews` are the judging releases that are not final: `1.38 (alpha.2)`.
    """

    def __init__(
        self,
        findings: list[Finding] | None = None,
        skipped: list[Skipped] | None = None,
        failures: list[Failure] | None = None,
        left_out: list[LeftOut] | None = None,
        *,
        files: int = 0,
        documents: int = 0,
        objects: int = 0,
        suppressed: int = 0,
        hidden: int = 0,
        read: dict[str, int] | None = None,
        excerpts: dict[tuple[str, int, int], Excerpt] | None = None,
        charts: list[str] | None = None,
    ) -> None:
        self.findings = [] if findings is None else findings
        self.skipped = [] if skipped is None else skipped
        self.failures = [] if failures is None else failures
        self.left_out = [] if left_out is None else left_out
        self.files = files
        self.documents = documents
        self.objects = objects
        self.suppressed = suppressed
        self.hidden = hidden
        self.read: dict[str, int] = {} if read is None else read
        self.excerpts: dict[tuple[str, int, int], Excerpt] = {} if excerpts is None else excerpts
        self.charts: list[str] = [] if charts is None else charts
        self.unchanged = ""
        self.not_simulated = 0
        self.previews: list[str] = []

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Report) else NotImplemented

    __hash__ = None  # type: ignore[assignment] # it is changed as the run goes on

    def but(self, **changes: Any) -> Report:
        """Return a report that differs in these attributes, and shares the others."""
        other = Report()
        for name, value in {**vars(self), **changes}.items():
            setattr(other, name, value)
        return other

    def without(self, files: Collection[str]) -> Report:
        """Return a report that says nothing of these files; what is counted of all files together stays."""
        other = self.but(
            findings=[finding for finding in self.findings if finding.file not in files],
            skipped=[skipped for skipped in self.skipped if skipped.file not in files],
            failures=[failure for failure in self.failures if failure.file not in files],
            read={name: objects for name, objects in self.read.items() if name not in files},
            left_out=list(self.left_out),
            excerpts={},
        )
        other.objects -= sum(objects for name, objects in self.read.items() if name in files)
        other.files -= len([name for name in self.read if name in files])
        return other

    def extend(self, other: Report) -> None:
        """Add another report to this one."""
        self.findings += other.findings
        self.skipped += other.skipped
        self.failures += other.failures
        self.left_out += other.left_out
        self.files += other.files
        self.documents += other.documents
        self.objects += other.objects
        self.suppressed += other.suppressed
        self.hidden += other.hidden
        self.read.update(other.read)
        self.excerpts.update(other.excerpts)

    def count(self, severity: str) -> int:
        """Return how many findings have that severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def sort(self) -> None:
        """Put everything into the order in which it is reported, each finding once: with all its releases."""
        merged: dict[tuple[Any, ...], list[Finding]] = {}
        for finding in self.findings:
            merged.setdefault(finding.identity, []).append(finding)
        findings = [group[0] if len(group) == 1 else _merge(group) for group in merged.values()]
        self.findings = sorted(findings, key=lambda finding: finding.order)
        self.skipped.sort(key=lambda skipped: (skipped.file, skipped.document))
        self.failures.sort(key=lambda failure: (failure.file, failure.message))
        self.left_out.sort(key=lambda left_out: left_out.file)


def _merge(group: list[Finding]) -> Finding:
    """Return one finding for all, in the words for the newest release."""
    releases = sorted({r for finding in group for r in finding.releases}, key=Release.parse)
    newest = max(group, key=lambda finding: [Release.parse(release) for release in finding.releases])
    return newest._replace(releases=tuple(releases))
