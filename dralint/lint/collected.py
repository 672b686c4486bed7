"""What a run keeps next to its report: facts of objects for other files, and comments that suppress findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dralint.finding.finding import Suppression
    from dralint.finding.report import Report
    from dralint.references.facts import Facts
    from dralint.yaml import Document


SOURCE = b"# Source: "
"""What `helm template` writes before the name of a template, above each object."""


class CrossFileFacts:
    """What the stages after the reading of files need.

    Attributes:
        facts: the facts of each object that matter to others.
        documents: the documents with these objects, by file; those of other processes are not kept.
        guessed: the facts that objects have after the guesses for their values.
        defining: the files that may define kinds.
        suppressions: the comments that suppress findings.
        unsearched: the files with findings for which no search has looked for a repair.
        rendered: the files that name the templates of their objects, as `helm template` does.
        shortened: the files with full reports that a normal report would shorten.
    """

    def __init__(self, defining: Iterable[str] = ()) -> None:
        self.facts: list[Facts] = []
        self.documents: dict[str, list[Document]] = {}
        self.guessed: list[Facts] = []
        self.defining = set(defining)
        self.suppressions: list[Suppression] = []
        self.unsearched: set[str] = set()
        self.rendered: set[str] = set()
        self.shortened: set[str] = set()

    def extend(self, other: CrossFileFacts) -> None:
        """Add what another part of the run has gathered."""
        if other is NOTHING:  # as of most files
            return
        self.facts += other.facts
        self.documents.update(other.documents)
        self.guessed += other.guessed
        self.defining |= other.defining
        self.suppressions += other.suppressions
        self.unsearched |= other.unsearched
        self.rendered |= other.rendered
        self.shortened |= other.shortened

    def without(self, files: Collection[str]) -> CrossFileFacts:
        """Return a record without these files."""
        rest = CrossFileFacts()
        rest.facts = [entry for entry in self.facts if entry.file not in files]
        rest.documents = {name: kept for name, kept in self.documents.items() if name not in files}
        rest.guessed = [entry for entry in self.guessed if entry.file not in files]
        rest.defining = self.defining - set(files)
        rest.unsearched = self.unsearched - set(files)
        rest.rendered = self.rendered - set(files)
        rest.shortened = self.shortened - set(files)
        rest.suppressions = [suppression for suppression in self.suppressions if suppression.file not in files]
        return rest


NOTHING: Final = CrossFileFacts()
"""What is gathered in a file that holds nothing; nobody adds to it."""


class FilesJudged(NamedTuple):
    """The report on some files, and what was gathered in them."""

    report: Report
    gathered: CrossFileFacts

    def extend(self, other: FilesJudged) -> None:
        """Add another part to this one."""
        self.report.extend(other.report)
        self.gathered.extend(other.gathered)

    def without(self, files: Collection[str]) -> FilesJudged:
        """Return a part without these files."""
        return FilesJudged(self.report.without(files), self.gathered.without(files))
