"""What `check --changed` reports: the findings of changed files, and what an update of their objects cannot change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from dralint.files.git import SourceError, changed_files, from_git
from dralint.update.linter import Updates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.config.settings import Settings
    from dralint.finding.report import Report

_OF_UPDATES = "DRA6"
"""How the ids of rules about updates begin."""
_SHOWN = 10
"""So many characters of a commit name it in a finding."""


class OnlyChanged:
    """The files that have changed since the merge base with a revision; a UsageError if git does not know it."""

    def __init__(self, revision: str) -> None:
        try:
            self._files, self._since = changed_files(revision)
        except SourceError as error:
            raise click.UsageError(str(error)) from error

    def apply(self, report: Report, paths: Iterable[str], settings: Settings) -> None:
        """Keep the findings of changed files, and add what the server refuses of their changes, of files at `paths`."""
        report.findings = [finding for finding in report.findings if os.path.realpath(finding.file) in self._files]
        own = {os.path.realpath(path): path for path in paths if os.path.realpath(path) in self._files}
        if not own or not self._since:
            return
        sources = from_git(self._since[:_SHOWN], (), settings.exclude)
        updates = Updates(settings).compare(sources.old, sources.new, excerpts=True)
        names = {finding.file: own.get(os.path.realpath(finding.file)) for finding in updates.findings}
        for finding in updates.findings:
            path = names[finding.file]
            if path is not None and finding.rule.startswith(_OF_UPDATES):
                report.findings.append(finding._replace(file=path))
        for (name, line, column), text in updates.excerpts.items():
            report.excerpts.setdefault((names.get(name) or name, line, column), text)
        report.sort()
