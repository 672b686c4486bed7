"""Judges the code blocks of a document: each is an input of its own, because blocks are often alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.files.code_blocks import Blocks
from dralint.files.source import Source
from dralint.finding.report import Report
from dralint.lint.pool import judge_bytes, judge_together
from dralint.lint.run_files import CrossFileFacts, FilesJudged

if TYPE_CHECKING:
    from dralint.finding.finding import Finding
    from dralint.lint.linter import Linter
    from dralint.lint.pool import Task


def judge_document(linter: Linter, name: str, raw: bytes, task: Task) -> FilesJudged:
    """Return the findings in the blocks of a document, with the lines, columns and offsets of the document.

    References are judged within a block. A block is never all that exists: the rest may be in the prose.
    """
    whole = FilesJudged(Report(files=1, read={name: 0}), CrossFileFacts())
    blocks = Blocks(raw, name)
    task = task._replace(alone=False, settings=task.settings._replace(complete=False))
    for number in range(len(blocks)):
        text = blocks.text(number)
        part = judge_bytes(linter, name, text, task)
        judge_together(part, linter.releases, task, {name: Source("", None, text)})
        part.report.findings = [_placed(one, blocks) for one in part.report.findings]
        gathered = CrossFileFacts()
        gathered.suppressions, gathered.unsearched = part.gathered.suppressions, part.gathered.unsearched
        gathered.shortened = part.gathered.shortened
        whole.report.extend(part.report.but(files=0, documents=0))
        whole.report.documents = part.report.documents
        whole.report.read[name] = whole.report.objects
        whole.gathered.extend(gathered)
    return whole


def _placed(finding: Finding, blocks: Blocks) -> Finding:
    """Return a finding whose fix stays within its block."""
    if finding.fix is None:
        return finding
    edits = blocks.placed(finding.fix.edits)
    return finding._replace(fix=None if edits is None else finding.fix._replace(edits=edits))
