"""What formats and messages share: short phrases, names of files in their repository, fingerprints of findings."""

from __future__ import annotations

import posixpath
import shlex
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from dralint.finding.report import LEADS_OUT, NO_TEXT
from dralint.finding.rule_ids import MORE_BEHIND_DECODING
from dralint.finding.words import counted
from dralint.kubernetes.served import full_name
from dralint.records import grouped

GRAVEST_FIRST = ("error", "warning", "info")
"""The severities."""

_NAMED = 3
"""The number of binary files to name before the rest is counted."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.report import Style


def severities(findings: Sequence[Finding]) -> str:
    """Return `2 errors, 1 warning`: the number of findings of each severity that occurs."""
    table = dict.fromkeys(GRAVEST_FIRST, 0)
    for finding in findings:
        table[finding.severity] += 1
    return ", ".join(counted(number, noun) for noun, number in table.items() if number) or "no findings"


def release_spans(releases: Sequence[str], previews: Sequence[str] | None = None) -> str:
    """Return `1.32 to 1.34, 1.36` for releases in order; `previews` has the names of those that are not final."""
    spans: list[tuple[str, str]] = []
    for release in releases:
        major, minor = map(int, release.split("."))
        if spans and spans[-1][1] == f"{major}.{minor - 1}":
            spans[-1] = (spans[-1][0], release)
        else:
            spans.append((release, release))
    texts: list[str] = []
    for first, last in spans:
        end = full_name(last) if previews is None else next((p for p in previews if p.split()[0] == last), last)
        if first == last:
            texts.append(end)
        elif int(last.split(".")[1]) - int(first.split(".")[1]) == 1:
            texts += [first, end]
        else:
            texts.append(f"{first} to {end}")
    return ", ".join(texts)


def verdict(finding: Finding, style: Style) -> str:
    """Return what Kubernetes does with the problem, and in which releases.

    This does not describe the object as a whole: another finding may be the reason why it is rejected.
    """
    releases = f"Kubernetes {release_spans(finding.releases, style.previews)}" if finding.releases else ""
    by, in_ = (f" {word} {releases}" if releases else "" for word in ("by", "in"))
    return {
        "rejected": f"rejected{by}",
        "dropped": f"removed silently{by}",
        "broken": f"does not work as written{in_}",
        "deprecated": f"deprecated{in_}",
        "advice": f"advice{f' for {releases}' if releases else ''}",
        "unreadable": "unreadable",
        "tool": "no verdict of Kubernetes",
    }.get(finding.effect, finding.effect)


def object_name(finding: Finding) -> str:
    """Return `ResourceClaim team-a/train`; empty where the finding has no object."""
    if finding.object is None:
        return ""
    kind, namespace, name = (finding.object.get(key) for key in ("kind", "namespace", "name"))
    full = f"{namespace}/{name}" if namespace and name else name or ""
    return f"{kind or 'object'} {full}".rstrip()


def verdict_and_place(finding: Finding, style: Style) -> str:
    """Return `rejected by Kubernetes 1.37: ResourceClaim team-a/train, spec.devices`."""
    place = ", ".join(filter(None, (object_name(finding), finding.path)))
    return f"{verdict(finding, style)}{': ' if place else ''}{place}"


def told_once(finding: Finding) -> str:
    """Return a finding in one line without its place: its message and the first line of its hint."""
    hint = finding.hint.partition("\n")[0].rstrip(":") if finding.hint else ""
    return f"{finding.message} ({hint})" if hint else finding.message


ALL_PLACES, _FIRST_PLACES = 8, 3
"""Up to the first number, all places are named; of more, only the second number."""


def places(findings: Sequence[Finding]) -> str:
    """Return the places of the findings: `a.yaml:1:13, b.yaml:1:13, b.yaml:9:13 and 7 more`."""
    most = ALL_PLACES if len(findings) <= ALL_PLACES else _FIRST_PLACES
    shown = [f"{finding.file}:{finding.line}:{finding.column}" for finding in findings[:most]]
    left = len(findings) - len(shown)
    return f"{', '.join(shown)} and {left:,} more" if left else ", ".join(shown)


def problems(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those that only announce more findings: they do not count."""
    return [finding for finding in findings if finding.rule != MORE_BEHIND_DECODING]


def summary(report: Report) -> str:
    """Return the last line of a report."""
    findings = problems(report.findings)
    if report.unchanged:
        text = report.unchanged
    elif nothing := nothing_judged(report):
        text = f"warning: {nothing}"
    else:
        text = f"{counted(report.files, 'file')}, {counted(report.objects, 'object')}: {severities(findings)}"
    text += fixable(findings)
    text += f", {report.suppressed:,} suppressed" if report.suppressed else ""
    text += f", {report.hidden:,} below --min-severity" if report.hidden else ""
    text += f"; {' and '.join(report.previews)} is a preview of Kubernetes" if report.previews else ""
    left = report.skipped or report.left_out or report.not_simulated or report.not_searched or report.without_devices
    return text + skipped(report) if left else text


def fixable(findings: Sequence[Finding]) -> str:
    """Return how many findings have a fix, and how to apply it: ` (2 fixable with `dralint fix`)`; empty for none."""
    fixes = [finding.fix for finding in findings if finding.fix is not None]
    guesses = sum(not fix.safe for fix in fixes)
    sure = len(fixes) - guesses
    shown = [f"{sure:,} fixable with `dralint fix`"] if sure else []
    if guesses:
        how = "more with `--unsafe-fixes`" if sure else "fixable with `dralint fix --unsafe-fixes`"
        shown.append(f"{guesses:,} {how}")
    return f" ({', '.join(shown)})" if shown else ""


def skipped(report: Report) -> str:
    """Return `; 2 templates and 1 patch skipped; a.gz skipped: it is not text (...)`; empty where none was."""
    kinds = [skipped.kind for skipped in report.skipped]
    parts = [counted(kinds.count(kind), kind) for kind in ("template", "patch") if kind in kinds]
    phrases = ([f"{' and '.join(parts)} skipped"] if parts else []) + without_text(report)
    if links := sum(left_out.reason == LEADS_OUT for left_out in report.left_out):
        phrases.append(f"{counted(links, 'link')} not followed: {'it leads' if links == 1 else 'they lead'} outside")
    if late := report.not_simulated:
        phrases.append(f"{counted(late, 'object')} not simulated: the time of a run was over; use `dralint simulate`")
    if short := report.without_devices:
        which = (
            f"{counted(short, 'workload')} {'does' if short == 1 else 'do'} not fit beside what runs in the inventory"
        )
        phrases.append(f"{which}: `dralint simulate --sequence` says why")
    if late := report.not_searched:
        phrases.append(f"{counted(late, 'file')} not searched for repairs: mend the others, then run again")
    return "".join(f"; {phrase}" for phrase in phrases)


def without_text(report: Report) -> list[str]:
    """Return a phrase for each of the first named files that are not text, and the number of the rest."""
    files = [skipped for skipped in report.skipped if skipped.kind == NO_TEXT]
    phrases = [f"{skipped.file} is left out: {skipped.reason}" for skipped in files[:_NAMED]]
    return phrases + ([f"{len(files) - _NAMED:,} more are not text"] if len(files) > _NAMED else [])


def nothing_judged(report: Report) -> str:
    """Return the note that there was nothing to judge; empty where there was."""
    if report.objects or report.findings or report.failures or report.hidden or report.suppressed or report.unchanged:
        return ""
    if report.extended:
        names = ", ".join(report.extended)
        return f"no claims in {counted(report.files, 'file')}, only extended resources that classes can offer: {names}"
    return f"no DRA objects in {counted(report.files, 'file')}" if report.files else "no files to check"


def render_first(report: Report) -> str:
    """Return how to render the skipped Helm templates; empty where there are none."""
    if not report.charts:
        files = [skipped.file for skipped in report.skipped if skipped.kind == "template" and skipped.relevant]
        if any("templates" in file.replace("\\", "/").split("/")[:-1] for file in files):
            return "render the templates, and pipe the result into `dralint check -`"
        return ""

    more = f" (and {len(report.charts) - 1:,} more)" if len(report.charts) > 1 else ""
    return f"render it first: helm template {shlex.quote(report.charts[0])} | dralint check -{more}"


def statistics(report: Report) -> Iterator[str]:
    """Yield how many findings each rule has, the most frequent first."""
    table = grouped((finding.rule, finding) for finding in problems(report.findings))
    groups = sorted(table.values(), key=lambda group: (-len(group), group[0].rule))
    if not groups:
        return
    wide, name = len(f"{len(groups[0]):,}"), max(len(group[0].name) for group in groups)
    for group in groups:
        fixable = sum(finding.fix is not None for finding in group)
        note = f"  {fixable:,} fixable" if fixable else ""
        yield f"{len(group):>{wide},}  {group[0].rule}  {group[0].name:{name}}  {group[0].severity}{note}"


def files(report: Report) -> list[str]:
    """Return which files were read and which not, and why."""
    skipped = {skipped.file for skipped in report.skipped}
    lines = [
        f"read      {name}: {counted(number, 'object') if number else 'nothing to judge'}"
        for name, number in sorted(report.read.items())
        if number or name not in skipped
    ]
    lines += [f"failed    {failure.file}: {failure.message}" for failure in report.failures]
    lines += [f"skipped   {s.file}: document {s.document}: {s.reason}" for s in report.skipped]
    lines += [f"not read  {left_out.file}: {left_out.reason}" for left_out in report.left_out]
    return lines


def repository_path(file: str, style: Style) -> str:
    """Return the path of a file from the top of its repository, with `/` and without `./`.

    Files outside of it and standard input keep their names.
    """
    return _from_top(file, style.top, style.below)


@lru_cache(maxsize=64)
def _from_top(file: str, top: str, below: str) -> str:
    """Return the path of a file from the top; most findings are in the same file as the one before."""
    name = file.replace("\\", "/") if top[1:2] == ":" else file
    if name.startswith("<"):
        return name
    if posixpath.isabs(name):
        inside = top and name.startswith(top.rstrip("/") + "/")
        return posixpath.normpath(name[len(top.rstrip("/")) + 1 :]) if inside else name
    return posixpath.normpath(posixpath.join(below, name))


def fingerprints(findings: Sequence[Finding], style: Style) -> Iterator[str]:
    """Yield the identity of each finding across runs: rule, file, object and field path, never the line.

    Findings that share all of these are numbered.
    """
    from hashlib import sha256  # few formats need it, and it loads a library

    seen: Counter[str] = Counter()
    for finding in findings:
        object_ = finding.object or {}
        names = [str(object_.get(key)) for key in ("apiVersion", "kind", "namespace", "name")]
        identity = "\0".join((finding.rule, repository_path(finding.file, style), *names, finding.path))
        seen[identity] += 1
        yield sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "replace")).hexdigest()[:32]


def one_line(finding: Finding) -> str:
    """Return a finding in one line: `file:line:column: severity RULE message (hint)`."""
    place = f"{finding.file}:{finding.line}:{finding.column}"
    return f"{place}: {finding.severity} {finding.rule} {told_once(finding)}"
