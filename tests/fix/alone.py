"""The fixes of one text, judged by a linter that reports everything."""

from __future__ import annotations

from dralint.edit.apply import Rewriting
from dralint.finding.report import Report
from dralint.fix.files import FixedTexts, fix_alone
from dralint.lint.linter import Linter
from dralint.lint.passes import conclude
from dralint.lint.pool import Task, judge_bytes


def fixed(linter: Linter, raw: bytes, *, unsafe: bool = False) -> tuple[Rewriting, FixedTexts]:
    """Return the text with its fixes, and what they did."""

    def judge(text: bytes) -> Report:
        part = judge_bytes(linter, "manifest.yaml", text, Task(linter.settings))
        conclude(part.report, linter.settings, part.gathered.suppressions)
        return part.report

    return fix_alone("manifest.yaml", raw, judge(raw), judge, unsafe=unsafe)
