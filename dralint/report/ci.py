"""The formats that CI systems and code hosts read: GitHub, GitLab, JUnit, SARIF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from dralint import __repository__, __version__
from dralint.finding import catalogue
from dralint.finding.finding import RENDERED_HERE
from dralint.report.json import indented
from dralint.report.words import (
    fingerprints,
    object_name,
    one_line,
    repository_path,
    severities,
    told_once,
    verdict,
    verdict_and_place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.finding import Finding, Fix, Related
    from dralint.finding.report import Report, Skipped
    from dralint.report import Style

# github: workflow commands that GitHub Actions shows as annotations in a review.

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github(report: Report, style: Style) -> str:
    """Return one workflow command per finding; files have their names in the repository."""
    return "".join(_command(finding, style) + "\n" for finding in report.findings)


def _command(finding: Finding, style: Style) -> str:
    file = repository_path(finding.file, style)
    properties: dict[str, object] = {} if file.startswith("<") else {"file": file}
    template = next((place.file for place in finding.related if place.message == RENDERED_HERE), None)
    output = ""
    if template is not None:
        properties = {"file": repository_path(template, style), "line": 1}
        output = f"line {finding.line} of the output of the template"
    else:
        properties["line"] = finding.line
        properties["endLine"] = max(finding.end_line, finding.line)
        if finding.end_line == finding.line:  # for several lines, GitHub accepts no columns
            properties |= {"col": finding.column, "endColumn": max(finding.end_column, finding.column)}
    properties["title"] = f"{finding.rule} {finding.name}"
    written = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    lines = [finding.message, f"hint: {finding.hint}" if finding.hint else "", verdict_and_place(finding, style)]
    lines.append(output)
    return f"::{_COMMANDS[finding.severity]} {written}::{_data(chr(10).join(filter(None, lines)))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# gitlab: a Code Quality report that GitLab shows in merge requests.

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def gitlab(report: Report, style: Style) -> str:
    """Return a JSON list with one entry per finding."""
    entries = [
        {
            "type": "issue",
            "check_name": finding.rule,
            "description": f"{finding.rule} {finding.name}: {told_once(finding)}",
            "content": {"body": f"{verdict(finding, style)}; {finding.url}"},
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES[finding.severity],
            "fingerprint": fingerprint,
            "location": {
                "path": repository_path(finding.file, style),
                "lines": {"begin": finding.line, "end": max(finding.end_line, finding.line)},
            },
        }
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings, style), strict=True)
    ]
    return indented(entries) + "\n"


# junit: a test case per file, for clean files too.


def junit(report: Report, style: Style) -> str:
    """Return an XML document with a test case for each file that has something to judge.

    A file fails by findings that make the exit status 1; other findings are its output. A failure of dralint is an
    error. The dialect is that of Jenkins (junit-10.xsd of its xUnit plugin), which other readers accept too.
    """
    found: dict[str, list[Finding]] = {file: [] for file, number in sorted(report.read.items()) if number}
    for finding in report.findings:
        found.setdefault(finding.file, []).append(finding)
    skipped: dict[str, Skipped] = {s.file: s for s in report.skipped if s.relevant and s.file not in found}
    cases = [_case(file, findings, style) for file, findings in sorted(found.items())]
    errors, failures = (sum(outcome == kind for outcome, _ in cases) for kind in ("error", "failure"))
    total = (len(cases) + len(skipped), failures, errors, len(skipped))
    numbers = ' tests="{}" failures="{}" errors="{}" skipped="{}" time="0"'.format(*total)
    out = ['<?xml version="1.0" encoding="UTF-8"?>']
    out.append(f'<testsuites name="dralint" tests="{total[0]}" failures="{total[1]}" errors="{total[2]}">')
    out.append(f'  <testsuite name="dralint"{numbers}>')
    for _, lines in cases:
        out += lines
    for file, why in sorted(skipped.items()):
        name = repository_path(file, style)
        out.append(f'    <testcase classname="dralint" name={quoteattr(name)} time="0">')
        out += [f"      <skipped message={quoteattr(why.reason)}/>", "    </testcase>"]
    out += ["  </testsuite>", "</testsuites>"]
    return "\n".join(out) + "\n"


def _case(file: str, findings: Sequence[Finding], style: Style) -> tuple[str, list[str]]:
    """Return what a file is, `error`, `failure` or neither (empty), and its lines."""
    found: dict[str, list[Finding]] = {"error": [], "failure": [], "": []}
    for finding in findings:
        own = finding.effect == "tool" and finding.severity == "error"
        found["error" if own else "failure" if finding.is_one_of(style.failing) else ""].append(finding)
    outcome = next((kind for kind, several in found.items() if several), "")
    opening = f'    <testcase classname="dralint" name={quoteattr(repository_path(file, style))} time="0"'
    if not findings:
        return outcome, [f"{opening}/>"]
    lines = [f"{opening}>"]
    if outcome:  # readers of such reports expect one result per case
        lines += _outcome(outcome, [*found["error"], *found["failure"]], style)
    if found[""]:
        lines.append(f"      <system-out>{escape(_lines(found[''], style))}</system-out>")
    return outcome, [*lines, "    </testcase>"]


def _outcome(tag: str, findings: Sequence[Finding], style: Style) -> Iterator[str]:
    rules = ", ".join(dict.fromkeys(f"{finding.rule} {finding.name}" for finding in findings))
    message = severities(findings) if len(findings) > 1 else findings[0].message
    yield f"      <{tag} message={quoteattr(message)} type={quoteattr(rules)}>{escape(_lines(findings, style))}</{tag}>"


def _lines(findings: Sequence[Finding], style: Style) -> str:
    return "\n".join(f"{one_line(finding)}\n  {verdict_and_place(finding, style)}" for finding in findings)


# sarif: SARIF 2.1.0 (OASIS), for code scanning.

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif(report: Report, style: Style) -> str:
    """Return the report as one SARIF log with one run; columns are Unicode characters, files are below SRCROOT."""
    rules = sorted({finding.rule for finding in report.findings})
    results = (
        _result(finding, rules.index(finding.rule), fingerprint, style)
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings, style), strict=True)
    )
    driver = {
        "name": "dralint",
        "version": __version__,
        "informationUri": __repository__,
        "rules": [_rule(id_) for id_ in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.failures}],
        "results": results,
    }
    return indented({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(id_: str) -> dict[str, Any]:
    rule = catalogue.rules()[id_]
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary} {rule.why}"},
        "help": {
            "text": f"{rule.why}\n\n{rule.fix}",
            "markdown": f"{rule.why}\n\n{rule.fix}\n\n[{rule.id} {rule.name}]({rule.url})",
        },
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["kubernetes", rule.effect]},
    }


def _result(finding: Finding, rule_index: int, fingerprint: str, style: Style) -> dict[str, Any]:
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    location = _location(finding, style)
    where = ".".join(filter(None, (object_name(finding), finding.path)))
    if where:
        location["logicalLocations"] = [{"fullyQualifiedName": where, "kind": "member"}]
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": _unlinked(f"{finding.message} ({verdict(finding, style)}){hint}")},
        "locations": [location],
        "partialFingerprints": {"dralint/v1": fingerprint},
        "properties": {"effect": finding.effect, "reason": finding.reason, "releases": list(finding.releases)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": number, **_location(related, style), "message": {"text": _unlinked(related.message)}}
            for number, related in enumerate(finding.related, 1)
        ]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding, finding.fix, style)]
    return result


def _unlinked(text: str) -> str:
    """Return a message without links (`[text](target)`)."""
    return text.replace("](", "] (")


def _location(place: Finding | Related, style: Style) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.column}
    if place.end_line:
        region |= {"endLine": place.end_line, "endColumn": place.end_column}
    return {"physicalLocation": {"artifactLocation": _artifact(place.file, style), "region": region}}


def _artifact(file: str, style: Style) -> dict[str, str]:
    path = repository_path(file, style)
    if path.startswith("/"):
        return {"uri": "file://" + quote(path)}
    return {"uri": quote(path), "uriBaseId": "%SRCROOT%"}


def _fix(finding: Finding, fix: Fix, style: Style) -> dict[str, Any]:
    text = finding.hint or "repair it"
    return {
        "description": {"text": text if fix.safe else f"{text} (a guess)"},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(finding.file, style),
                "replacements": [
                    {
                        "deletedRegion": {"charOffset": edit.start, "charLength": edit.end - edit.start},
                        "insertedContent": {"text": edit.text},
                    }
                    for edit in fix.edits
                ],
            }
        ],
    }
