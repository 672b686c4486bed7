"""Selects the findings that need a search for a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import NO_JSON_FORM, NOT_SERVED
from dralint.kubernetes import shipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report
    from dralint.lint.fixes import Fixes
    from dralint.yaml import Document

_OF_VALUES, _ENDS_IN_MARK = "DRA2", ',"'
"""The start of the ids of rules about values, and the end of a quoted value with a comma in a message."""
_NAMELESS = "has a name: write `NAME"
"""The words of a hint for a name that only the author knows."""
_SEARCHED = ("DRA0", "DRA1", "DRA3")
"""The start of the ids of rules about text, fields and expressions."""


def unrepaired(report: Report, faulty: Sequence[tuple[Document, int, int]], fixes: Fixes) -> list[tuple[Document, int]]:
    """Return the findings to search a repair for, by their number in the report, with their documents.

    Args:
        faulty: the documents with findings, each with the range of its findings in the report.
        fixes: places edits in the file.
    """
    return [
        (document, number)
        for document, first, last in faulty
        for number in range(first, min(last, len(report.findings)))
        if _is_searched(report.findings[number], fixes)
    ]


def _is_searched(finding: Finding, fixes: Fixes) -> bool:
    """Say whether to search for a repair of a finding.

    For problems of a value, of several objects or of a release, only the author knows what is meant.
    """
    if finding.rule == NOT_SERVED:
        wanted = _is_no_version(finding)
    elif finding.rule.startswith(_OF_VALUES) or finding.rule == NO_JSON_FORM:
        wanted = _ENDS_IN_MARK in finding.message
    else:
        wanted = finding.rule.startswith(_SEARCHED) and (finding.severity == "error" or finding.effect == "broken")
    if not wanted or not (finding.fix is None or (not finding.fix.safe and _is_removal(finding.fix.edits, fixes.text))):
        return False
    from dralint.yaml.reading_repairs import CUT_AT_COMMA  # few findings have no repair

    said = f"{finding.message} {finding.hint}"
    return CUT_AT_COMMA not in said and _NAMELESS not in said  # the first shows that a value is cut in two


def _is_no_version(finding: Finding) -> bool:
    """Say whether an object has an API version that no release has ever served, nor one like an early one of those.

    What stood in an early version had other fields; to name a newer one is for `migrate`.
    """
    version = str((finding.object or {}).get("apiVersion"))
    releases = shipped.index()["releases"]["releases"]
    known = any(version == each for release in releases for each, _ in shipped.served(release))
    return not known and "alpha" not in version.lower()


def _is_removal(edits: Sequence[Edit], text: str) -> bool:
    """Say whether edits only remove words: the author may have meant them for another place."""
    gone = any(character.isalnum() for edit in edits for character in text[edit.start : edit.end])
    return gone and not any(edit.text.strip() for edit in edits)
