"""Short phrases that several formats and messages share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report


def counted(number: int, noun: str) -> str:
    """Return `1 error`, `2 errors`, `2 patches`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}{'es' if noun.endswith('ch') else 's'}"


def severities(report_counts: dict[str, int]) -> str:
    """Return `2 errors, 1 warning`, leaving out what there is none of."""
    parts = [counted(number, noun) for noun, number in report_counts.items() if number]
    return ", ".join(parts) or "no findings"


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the number of findings by severity, the gravest first."""
    table = {"error": 0, "warning": 0, "info": 0}
    for finding in findings:
        table[finding.severity] += 1
    return table


def release_spans(releases: Sequence[str]) -> str:
    """Return `1.32 to 1.34, 1.36` for releases in order."""
    spans: list[tuple[str, str]] = []
    for release in releases:
        major, minor = map(int, release.split("."))
        if spans and spans[-1][1] == f"{major}.{minor - 1}":
            spans[-1] = (spans[-1][0], release)
        else:
            spans.append((release, release))
    texts: list[str] = []
    for first, last in spans:
        if first == last:
            texts.append(first)
        elif int(last.split(".")[1]) - int(first.split(".")[1]) == 1:
            texts += [first, last]
        else:
            texts.append(f"{first} to {last}")
    return ", ".join(texts)


def verdict(finding: Finding) -> str:
    """Return what Kubernetes does with that which was found, and in which releases.

    Nothing is said of the object as a whole: another finding may be why it is rejected.
    """
    releases = release_spans(finding.releases)
    by = f" by {releases}" if releases else ""
    why = f" ({finding.reason})" if finding.reason else ""
    return {
        "rejected": f"rejected{by}{why}",
        "dropped": f"removed silently{by}",
        "broken": f"does not work as written{f' ({releases})' if releases else ''}",
        "deprecated": f"deprecated{f' in {releases}' if releases else ''}",
        "advice": f"advice{f' ({releases})' if releases else ''}",
        "unreadable": "unreadable",
        "tool": "not judged",
    }.get(finding.effect, finding.effect)


def object_name(finding: Finding) -> str:
    """Return `ResourceClaim team-a/train`, empty where the finding concerns no object."""
    if finding.object is None:
        return ""
    kind, namespace, name = (finding.object.get(key) for key in ("kind", "namespace", "name"))
    full = f"{namespace}/{name}" if namespace and name else name or ""
    return f"{kind or 'object'} {full}".rstrip()


def summary(report: Report) -> str:
    """Return the last line of a text report."""
    text = (
        f"{counted(report.files, 'file')}, {counted(report.objects, 'object')}: {severities(counts(report.findings))}"
    )
    if report.skipped:
        patches = sum(skipped.kind == "patch" for skipped in report.skipped)
        kinds = [(len(report.skipped) - patches, "template"), (patches, "patch")]
        text += f"; {' and '.join(counted(number, kind) for number, kind in kinds if number)} skipped"
    return text
