"""The report of a run: its findings, what was skipped or failed, and the counts; and what is new in a later report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import INTERNAL_ERROR, MORE_BEHIND_DECODING, NOT_DECIDED, UNOPENED_FILE
from dralint.kubernetes.release import Release
from dralint.records import NamedTuple
from dralint.work import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from dralint.finding.finding import Finding


class Excerpt(NamedTuple):
    """The text around a finding: a part of its line whose first character has the column `column`."""

    text: str
    column: int
    cut: bool


NO_TEXT = "no-text"


class Skipped(NamedTuple):
    """A document that dralint skipped, and why; `kind` is `template`, `patch` or, for a whole file, `NO_TEXT`.

    `relevant` says whether its text mentions anything that dralint judges.
    """

    file: str
    document: int
    reason: str
    kind: str = "template"
    relevant: bool = True


class Failure(NamedTuple):
    """What kept dralint from finishing: a file that cannot be opened, or an internal error. The exit status is 3.

    Reports show it under `rule`; `document` and `line` are its place.
    """

    file: str
    message: str
    rule: str = UNOPENED_FILE
    document: int = 0
    line: int = 1


def unread(file: str, error: Exception | str) -> Failure:
    """Return the failure that a file cannot be read."""
    reason = error if isinstance(error, str) else isinstance(error, OSError) and error.strerror
    return Failure(file, f"cannot be read: {reason or str(error) or type(error).__name__}")


def internal_error(file: str, error: Exception, where: str = "", document: int = 0, line: int = 1) -> Failure:
    """Return the failure of dralint itself, with the data that a bug report needs; `where` names the place."""
    import traceback  # no run should need it

    last = traceback.extract_tb(error.__traceback__)[-1]
    message = (
        f"internal error{where and ' '}{where}: {type(error).__name__}: {error} "
        f"({last.name}, {last.filename.rpartition('/')[2]}:{last.lineno}); please report it with the manifest"
    )
    return Failure(file, message, INTERNAL_ERROR, document, line)


def not_compiled(file: str, times: int) -> Failure:
    """Return the failure that a file has more expressions than dralint compiles; `times` is how often it did not."""
    limit = f"dralint's limit of {CHARACTERS:,} characters of different expressions for a file is reached"
    message = f"not decided {times:,} times what Kubernetes says of an expression: {limit}; divide the file"
    return Failure(file, message, NOT_DECIDED)


class LeftOut(NamedTuple):
    """A file or directory that dralint skipped, and why."""

    file: str
    reason: str


PACKED = "it is not text (gzip; unpack it first)"
LEADS_OUT = "a link that leads out of the directory; name its target to check it"
"""The reason for skipping a link that the user has not named."""


class Report:
    """The result of a run.

    `excerpts` has the line of each place of a finding by file, line and column, if the run keeps them. `read` has each
    file that was read with the number of objects judged in it; `left_out` has what discovery skipped. `suppressed`
    counts the suppressed findings, `hidden` those below --min-severity. `charts` are the folders of the Helm charts
    whose templates were skipped. `unchanged` is the note if dralint judged no file because none has changed.
    `not_simulated` counts the claims and Pods that the simulation had no time for, `not_searched` the files with
    findings for which no search has looked for a repair. `previews` are the judging releases that are not final:
    `1.38 (alpha.2)`. `extended` are extended resources that DeviceClasses can offer, in files with nothing to judge.
    `without_devices` counts the workloads and Pods that find no devices beside those in use.
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
        self.without_devices = 0
        self.not_searched = 0
        self.previews: list[str] = []
        self.extended: list[str] = []

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other) if isinstance(other, Report) else NotImplemented

    __hash__ = None  # type: ignore[assignment] # it is changed as the run goes on

    def but(self, **changes: Any) -> Report:
        """Return a report with other values for these attributes; it shares the others."""
        other = Report()
        for name, value in {**vars(self), **changes}.items():
            setattr(other, name, value)
        return other

    def without(self, files: Collection[str]) -> Report:
        """Return a report without these files; counts over all files stay."""
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
        """Return the number of findings of that severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def sort(self) -> None:
        """Sort everything for output and merge equal findings, with all their releases."""
        merged: dict[tuple[Any, ...], list[Finding]] = {}
        for finding in self.findings:
            merged.setdefault(finding.identity, []).append(finding)
        findings = [group[0] if len(group) == 1 else _merge(group) for group in merged.values()]
        self.findings = sorted(findings, key=lambda finding: finding.order)
        self.skipped.sort(key=lambda skipped: (skipped.file, skipped.document))
        self.failures.sort(key=lambda failure: (failure.file, failure.message))
        self.left_out.sort(key=lambda left_out: left_out.file)


def _merge(group: list[Finding]) -> Finding:
    """Return one finding for all, in the words of the newest release."""
    releases = sorted({r for finding in group for r in finding.releases}, key=Release.parse)
    newest = max(group, key=lambda finding: [Release.parse(release) for release in finding.releases])
    return newest._replace(releases=tuple(releases))


UNREADABLE = "unreadable"
"""The effect of findings on texts that cannot be read."""


def exact(finding: Finding) -> tuple[object, ...]:
    """Return the key of a finding that is the same in all releases."""
    return (finding.rule, finding.file, finding.document, finding.path, finding.message)


def _moved(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, finding.message)


def _reworded(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document, "" if finding.rule == MORE_BEHIND_DECODING else finding.path)


_WAYS: tuple[Callable[[Finding], tuple[object, ...]], ...] = (exact, _moved, _reworded)
"""Keys by which a finding before and one after are the same: everything, everything but the place, or but the words."""


def fresh(before: Report, after: Report, *, by_release: bool) -> list[Finding]:
    """Return the findings of a report that an earlier report of the same file does not have.

    Args:
        by_release: whether a finding in more releases than before is a new one.
    """
    unread = {(f.file, f.document) for f in before.findings if f.effect == UNREADABLE}
    # No check had reached the text that could not be read.
    judged = [f for f in after.findings if f.effect == UNREADABLE or (f.file, f.document) not in unread]
    old, new = _told(before.findings, by_release=by_release), _told(judged, by_release=by_release)
    for way in _WAYS:
        left = Counter((way(finding), release) for finding, release in old)
        unmatched: list[tuple[Finding, str]] = []
        for finding, release in new:
            key = (way(finding), release)
            left[key] -= 1
            if left[key] < 0:
                unmatched.append((finding, release))
        rest: list[tuple[Finding, str]] = []
        for finding, release in reversed(old):
            key = (way(finding), release)
            left[key] -= 1
            if left[key] >= 0:
                rest.append((finding, release))
        old, new = rest[::-1], unmatched
    return list({id(finding): finding for finding, _ in new}.values())


def _told(findings: Iterable[Finding], *, by_release: bool) -> list[tuple[Finding, str]]:
    return [(finding, release) for finding in findings for release in (finding.releases if by_release else ()) or ("",)]


def remaining(findings: Iterable[Finding], before: Report, after: Report) -> list[Finding]:
    """Return the findings that still exist."""
    counts = [(Counter(map(way, before.findings)), Counter(map(way, after.findings))) for way in (exact, _rule)]
    ways = tuple(zip((exact, _rule), counts, strict=True))
    return [f for f in findings if not any(new[way(f)] < old[way(f)] for way, (old, new) in ways)]


def unproven(made: Mapping[str, Sequence[Finding]], before: Report, after: Report) -> set[str]:
    """Return the files that still have a finding whose fix was made, or that lost an object or a part that was judged.

    Args:
        made: the findings with fixes that were made, by file.
    """
    wrong = {file for file in made if after.read.get(file, 0) < before.read.get(file, 0)}
    for old, new in ((before.failures, after.failures), (before.skipped, after.skipped)):
        more = Counter(each.file for each in new)
        more.subtract(each.file for each in old)
        wrong |= {file for file in made if more[file] > 0}
    left = remaining([finding for findings in made.values() for finding in findings], before, after)
    return wrong | {finding.file for finding in left}


def _rule(finding: Finding) -> tuple[object, ...]:
    return (finding.rule, finding.file, finding.document)
