"""The sarif format: SARIF 2.1.0 (OASIS), for code scanning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dralint import __repository__, __version__
from dralint.finding import catalogue
from dralint.report.json import indented
from dralint.report.words import fingerprints, object_name, repository_path, verdict

if TYPE_CHECKING:
    from dralint.finding.finding import Finding, Fix, Related
    from dralint.finding.report import Report
    from dralint.report import Style

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report, style: Style) -> str:
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
    rule = catalogue.rules().get(id_)
    if rule is None:  # from another catalogue
        return {"id": id_}
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
