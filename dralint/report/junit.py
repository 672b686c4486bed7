"""The junit format: a test case per file, for clean files too."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from dralint.report.concise import line
from dralint.report.words import repository_path, severities, verdict_and_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.finding import Finding
    from dralint.finding.report import Report, Skipped
    from dralint.report import Style


def render(report: Report, style: Style) -> str:
    """Return an XML document with a test case for each file that has something to judge.

    A file fails by findings that make the exit status 1; other findings are its output. A failure of dralint is an
    error. The dialect is that of Jenkins (junit-10.xsd of its xUnit plugin), which other readers accept too.
    """
    found: dict[str, list[Finding]] = {file: [] for file, number in sorted(report.read.items()) if number}
    for finding in report.findings:
        found.setdefault(finding.file, []).append(finding)
    skipped: dict[str, Skipped] = {s.file: s for s in report.skipped if s.relevant and s.file not in found}
    cases = [_Case(file, findings, style) for file, findings in sorted(found.items())]
    errors = sum(bool(case.errors) for case in cases)
    failures = sum(bool(case.failures) and not case.errors for case in cases)
    total = (len(cases) + len(skipped), failures, errors, len(skipped))
    numbers = ' tests="{}" failures="{}" errors="{}" skipped="{}" time="0"'.format(*total)
    out = ['<?xml version="1.0" encoding="UTF-8"?>']
    out.append(f'<testsuites name="dralint" tests="{total[0]}" failures="{total[1]}" errors="{total[2]}">')
    out.append(f'  <testsuite name="dralint"{numbers}>')
    for case in cases:
        out += case.lines()
    for file, why in sorted(skipped.items()):
        name = repository_path(file, style)
        out.append(f'    <testcase classname="dralint" name={quoteattr(name)} time="0">')
        out += [f"      <skipped message={quoteattr(why.reason)}/>", "    </testcase>"]
    out += ["  </testsuite>", "</testsuites>"]
    return "\n".join(out) + "\n"


class _Case:
    """A file and its findings."""

    def __init__(self, file: str, findings: Sequence[Finding], style: Style) -> None:
        self._name = repository_path(file, style)
        self._style = style
        self.errors: list[Finding] = []
        self.failures: list[Finding] = []
        self._others: list[Finding] = []
        for finding in findings:
            if finding.effect == "tool" and finding.severity == "error":
                self.errors.append(finding)
            elif finding.is_one_of(style.failing):
                self.failures.append(finding)
            else:
                self._others.append(finding)

    def lines(self) -> Iterator[str]:
        opening = f'    <testcase classname="dralint" name={quoteattr(self._name)} time="0"'
        if not (self.errors or self.failures or self._others):
            yield f"{opening}/>"
            return
        yield f"{opening}>"
        if self.errors:  # readers of such reports expect one result per case
            yield from _outcome("error", [*self.errors, *self.failures], self._style)
        elif self.failures:
            yield from _outcome("failure", self.failures, self._style)
        if self._others:
            yield f"      <system-out>{escape(_text(self._others, self._style))}</system-out>"
        yield "    </testcase>"


def _outcome(tag: str, findings: Sequence[Finding], style: Style) -> Iterator[str]:
    rules = ", ".join(dict.fromkeys(f"{finding.rule} {finding.name}" for finding in findings))
    message = severities(findings) if len(findings) > 1 else findings[0].message
    yield f"      <{tag} message={quoteattr(message)} type={quoteattr(rules)}>{escape(_text(findings, style))}</{tag}>"


def _text(findings: Sequence[Finding], style: Style) -> str:
    lines = []
    for finding in findings:
        lines += [line(finding), f"  {verdict_and_place(finding, style)}"]
    return "\n".join(lines)
