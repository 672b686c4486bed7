"""The texts of an editor and the files on disk, their settings, and the findings in them."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from dralint import work
from dralint.config import baseline
from dralint.config.choices import ChoiceError
from dralint.config.configuration import (
    Configuration,
    ConfigurationError,
    Mistake,
    find,
    load,
    mistakes,
    parsed,
)
from dralint.config.settings import Settings, resolve, with_nearest
from dralint.config.table import schema
from dralint.edit.apply import FileText
from dralint.editor.cursor import LARGEST_TEXT, OpenDocument, Text, open_documents
from dralint.files import kustomize
from dralint.files.discover import CONFIGURATIONS, PYPROJECT, SUFFIXES, Discovery, Excluded, discover
from dralint.files.source import LARGEST_FILE, Source, read_plain, stamp
from dralint.finding.report import Report
from dralint.finding.words import shared
from dralint.lint import pool
from dralint.lint.linter import Linters
from dralint.lint.passes import conclude
from dralint.lint.release_judge import Releases
from dralint.lint.run_files import CrossFileFacts, FilesJudged
from dralint.manifest.objects import objects
from dralint.records import grouped
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dralint.finding.finding import Finding
    from dralint.lint.linter import Linter
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts
    from dralint.yaml import Document


class _Between(NamedTuple):
    """The findings between the objects of a text and others."""

    text: str
    findings: list[Finding]

    def there(self, text: str) -> list[Finding]:
        """Return the findings whose lines are still in a text, at their new places."""
        if not self.findings or text == self.text:
            return self.findings
        before = self.text
        start = shared(before, text)
        end = shared(before[start:][::-1], text[start:][::-1])
        head, tail = before.count("\n", 0, start), before.count("\n", len(before) - end)
        lines = before.count("\n") + 1
        by = text.count("\n") + 1 - lines
        out = [one for one in self.findings if one.end_line <= head]
        behind = [one for one in self.findings if one.end_line > head and one.line > lines - tail]
        return out + [one._replace(line=one.line + by, end_line=one.end_line + by, fix=None) for one in behind]


T = TypeVar("T")
_seconds: Callable[[], float] = getattr(time, "thread_time", time.perf_counter)
"""The processor time of this thread; in a browser, where Python has no threads, the time."""
_MOST_HELD = 16
"""The number of texts whose documents are kept for the next request."""


class Workspace:
    """Texts by name. A name is the path of a file, or any other name for a text that has no file.

    Args:
        settings: what the texts are judged by; see `dralint.settings`.
        paths: whether names are paths, so that a patch of a kustomization is known as one.
    """

    def __init__(self, settings: Settings | None = None, *, paths: bool = False) -> None:
        self._paths = paths
        self._open: dict[str, Text] = {}
        self.too_large: set[str] = set()
        """The names of open texts that are not judged; without them, the input is not complete."""
        self.files: dict[str, bytes] = {}
        """The files on disk."""
        self._texts: dict[str, Text] = {}
        self.inventory: dict[str, bytes] = {}
        """The files with all ResourceSlices."""
        self._known: dict[str, tuple[bytes, FilesJudged]] = {}
        self._answers: dict[str, tuple[object, Any]] = {}
        self._held: dict[str, tuple[bytes, list[OpenDocument]]] = {}
        self._report: Report | None = None
        self._between: dict[str, _Between] = {}
        self._latest: dict[str, list[Finding]] = {}
        self.comparing = 0.0
        """Processor seconds that the last comparison of all texts took."""
        self.excluded: Callable[[str], bool] = lambda _: False
        """Says whether to ignore an open text: its file is excluded, or is not a manifest."""
        self.settings = Settings()
        self.configure(settings or Settings())

    # The texts.

    def configure(self, settings: Settings) -> None:
        """Replace the settings; everything is judged again."""
        self.settings = settings
        self._linters, self._releases = Linters(settings), Releases(settings)
        self._known.clear()
        self._answers.clear()
        self._report = None

    def linter(self, name: str) -> Linter:
        """Return the linter of a text."""
        return self._linters.of(name)

    def open(self, name: str, text: str, version: int | None = None) -> None:
        """Take the text of a document that an editor shows; it replaces an earlier one, and the file of that name."""
        self.show(name, Text(text, version))

    def show(self, name: str, text: Text) -> None:
        """Take the text of a document, as `open`; one that is too large counts as empty."""
        if len(text.raw) > LARGEST_TEXT:
            text = Text("", text.version)
            self.too_large.add(name)
        else:
            self.too_large.discard(name)
        self._open[name] = text
        self._report = None

    def close(self, name: str) -> None:
        """Forget the text of a document; the file of that name counts again."""
        if self._open.pop(name, None) is not None:
            self.too_large.discard(name)
            self._report = None

    def is_open(self, name: str) -> bool:
        """Say whether an editor shows the document."""
        return name in self._open

    @property
    def open_names(self) -> list[str]:
        """The names of the documents that an editor shows."""
        return list(self._open)

    def set_files(self, files: Mapping[str, bytes]) -> None:
        """Replace all files on disk."""
        self.files = dict(files)
        self._texts.clear()
        self._report = None

    def set_file(self, name: str, raw: bytes | None) -> None:
        """Take the bytes of a file on disk; None if it does not exist any more."""
        self._texts.pop(name, None)
        if raw is not None:
            self.files[name] = raw
        elif self.files.pop(name, None) is None:
            return
        if name not in self._open:
            self._report = None

    def set_inventory(self, files: Mapping[str, bytes]) -> None:
        """Replace the files with all ResourceSlices of the cluster; none where they are not known."""
        self.inventory = dict(files)
        self._report = None

    @property
    def names(self) -> list[str]:
        """The names of all used texts, in order."""
        return sorted(self.files.keys() | {name for name in self._open if not self.excluded(name)})

    def raw(self, name: str) -> bytes | None:
        """Return the bytes of a text; None where there is no such text."""
        text = self._open.get(name)
        return text.raw if text is not None else self.files.get(name, self.inventory.get(name))

    def text(self, name: str) -> Text:
        """Return a text; an empty one for an unknown name."""
        text = self._open.get(name) or self._texts.get(name)
        if text is None:
            raw = self.raw(name)
            text = self._texts[name] = Text(FileText(raw or b"").text)
        return text

    def held(self, name: str) -> list[OpenDocument]:
        """Return the documents of a text, with the offset of each; those of the last few texts are kept."""
        raw = self.raw(name) or b""
        known = self._held.get(name)
        if known is None or known[0] is not raw:
            if len(self._held) >= _MOST_HELD:
                self._held.clear()
            known = self._held[name] = raw, open_documents(self._source(name).read())
        return known[1]

    def objects(self, name: str) -> Iterator[tuple[OpenDocument, ApiObject]]:
        """Yield the objects of a text with their documents; those in documents that cannot be read are left out."""
        for held in self.held(name):
            for item in objects(held.document.data) if held.document.state == "read" else ():
                yield held, item

    def facts(self) -> list[Facts]:
        """Return the facts of all texts: what each object shows to others."""
        return [entry for name in self.names for entry in self._part(self._source(name)).gathered.facts]

    def kept(self, name: str, key: object, make: Callable[[], T]) -> T:
        """Return the kept result of `make` for this key, or make it; there is one result per name."""
        known = self._answers.get(name)
        if known is None or known[0] != key:
            known = self._answers[name] = key, make()
        answer: T = known[1]
        return answer

    def with_text(self, name: str, text: str) -> Workspace:
        """Return a workspace that differs in one text; both use the same results for the other texts."""
        other = copy(self)
        other._open = {**self._open, name: Text(text)}
        other._known = dict(self._known)
        other._held, other._answers, other._report = {}, {}, None
        return other

    # The findings.

    def report(self, stopped: Callable[[], bool] | None = None) -> Report:
        """Return the report of `dralint check` on all texts together.

        Args:
            stopped: called now and then; returns whether to give up. Without it, what the caller has said counts.

        Raises:
            Stopped: as `work.pause`. The next call uses the work done until then.
        """
        if self._report is None:
            with nullcontext() if stopped is None else work.stopping(stopped):
                self._report = self._judged()
            self._latest = grouped((finding.file, finding) for finding in self._report.findings)
            self._between = {name: self._compared(name, found) for name, found in self._latest.items()}
        return self._report

    def findings(self, stopped: Callable[[], bool] | None = None) -> dict[str, list[Finding]]:
        """Return the findings by the name of their text; arguments and errors are those of `report`."""
        self.report(stopped)
        return self._latest

    def findings_alone(self, name: str) -> list[Finding]:
        """Return the problems in the objects of a text, each judged alone; comments suppress nothing."""
        return self._part(self._source(name)).report.findings

    def findings_at_once(self, name: str) -> list[Finding]:
        """Return the findings in one text without comparing it with the others again: those of the last report are
        used.

        This takes the same time in a workspace of any size. Findings of the last report between objects stay where the
        text around them is the same.
        """
        part = self._part(self._source(name))
        report = part.report.but(findings=list(part.report.findings))
        before = self._between.get(name)
        if before is not None:
            report.findings += before.there(self.text(name).text)
        conclude(report, self.linter(name).settings, part.gathered.suppressions)
        return report.findings

    def _compared(self, name: str, found: list[Finding]) -> _Between:
        """Return the findings of a text that depend on other texts."""
        known = self._known.get(name)  # None for a file of the inventory
        judged = known[1].report.findings if known is not None else ()
        own = {(one.rule, one.line, one.column, one.message) for one in judged}
        rest = [one for one in found if (one.rule, one.line, one.column, one.message) not in own]
        return _Between(self.text(name).text, rest)

    def _judged(self) -> Report:
        task = pool.Task(self.settings._replace(complete=False) if self.too_large else self.settings)
        whole = FilesJudged(Report(), CrossFileFacts())
        sources: dict[str, Source] = {}
        for name in self.names:
            work.pause()
            source = sources[name] = self._source(name)
            whole.extend(self._part(source))
        for name in self._known.keys() - sources.keys():
            del self._known[name]

        def documents(raw: bytes) -> Iterable[Document]:
            work.pause()
            return read(raw)

        start = _seconds()
        pool.judge_together(whole, self._releases, task, sources, list(self.inventory.items()), documents)
        conclude(whole.report, self.settings, whole.gathered.suppressions)
        self.comparing = _seconds() - start
        return whole.report

    def _source(self, name: str) -> Source:
        return Source(name, name if self._paths else None, self.raw(name) or b"")

    def _part(self, source: Source) -> FilesJudged:
        """Return the findings in a text alone."""
        known = self._known.get(source.name)
        raw = source.whole()
        if known is None or (known[0] is not raw and known[0] != raw):
            part = pool.judge_file(self.linter(source.name), source, pool.Task(self.settings))
            if source.name not in self._open:
                part.gathered.documents.clear()  # a part lives long, and few of the other files have findings
            known = self._known[source.name] = raw, part
        return known[1]


MOST = 20_000, 100_000
"""The largest folder that is read: its manifests, and the folders in it; about 20 seconds."""
MOST_BYTES = 256 * 1024 * 1024
_TOO_MANY = (
    f"dralint reads only the texts that the editor shows, as there are more than {MOST[0]:,} manifests, "
    f"{MOST[1]:,} folders or {MOST_BYTES >> 20} MiB; open a folder below, or write `exclude` in a configuration"
)


class Folder:
    """A folder and its workspace, whose names are absolute paths.

    Args:
        root: the folder.
        chosen: the choices of an editor, by key of a configuration (`kubernetes-version`); they win.
        scans: whether the manifests in the folder count; otherwise only those that the editor shows.

    Attributes:
        configuration: the configuration file; None for none.
        mistakes: its mistakes; while there are some, the settings are those from before.
        refused: the parts of `chosen` that cannot be used, a sentence each.
        failures: what cannot be read, a sentence each.
    """

    def __init__(self, root: str, chosen: Mapping[str, Any] | None = None, *, scans: bool = True) -> None:
        self.root = os.path.abspath(root)
        self.workspace = Workspace(paths=True)
        self.configuration: Path | None = None
        self.mistakes: list[Mistake] = []
        self.refused: list[str] = []
        self.failures: list[str] = []
        self._chosen = dict(chosen or {})
        self._schema = schema()
        self.scans = scans
        self._excluded: Excluded | None = None
        self._too_many = False
        self._run: tuple[Configuration | None, Settings] = None, Settings()
        self._stamps: dict[str, tuple[int, ...] | None] = {}

    def load(self) -> None:
        """Read the configuration and the files; texts that an editor shows stay."""
        baseline.load.cache_clear()
        kustomize.patches.cache_clear()
        self.refused, self.mistakes, self._too_many = [], [], False
        configuration = None
        try:
            self.configuration = find(self.root)
            configuration = None if self.configuration is None else load(self.configuration)
        except ConfigurationError as error:
            self.configuration, self.mistakes = error.file, error.mistakes
        settings = None if self.mistakes else self._settings(configuration)
        if settings is not None:
            self._run = configuration, settings
        exclude = self._run[1].exclude
        self._excluded = Excluded(exclude) if exclude else None
        self.workspace.excluded = self._is_excluded
        self.load_files()

    def load_files(self) -> None:
        """Read the files of the folder and of the inventory, with the configurations that are nearest to the files."""
        configuration, settings = self._run
        self.failures = []
        scans = self.scans and not self._too_many
        found = discover([self.root], settings.exclude, documents=False, most=MOST) if scans else Discovery()
        names = [source.name for source in found.sources] if scans else self.workspace.open_names
        folders = found.homes if scans else set(map(os.path.dirname, names))
        try:
            judging = with_nearest(settings, folders, configuration, self._chosen)
        except ConfigurationError as error:
            self.configuration, self.mistakes = error.file, error.mistakes
            judging = settings
        found.exclude(judging.exclude[len(settings.exclude) :])
        files = self._read(found, LARGEST_TEXT)
        self._too_many = self._too_many or found.too_many
        if self._too_many:
            self.failures = [f"{self.root}: {_TOO_MANY}"]
        if self.failures:  # what cannot be read may have what another text seems to lack
            judging = judging._replace(complete=False)
        if judging != self.workspace.settings:
            self.workspace.configure(judging)
        self.workspace.set_files(files)
        self.workspace.set_inventory(self._read(discover(settings.slices, documents=False), LARGEST_FILE))

    def choose(self, chosen: Mapping[str, Any]) -> None:
        """Replace the choices of an editor."""
        if dict(chosen) != self._chosen:
            self._chosen = dict(chosen)
            self.load()

    def changed(self, paths: Iterable[str]) -> None:
        """Take changes on disk; the paths are those of files that have changed, appeared or disappeared."""
        inventory, known = self.workspace.inventory, self.workspace.files
        again = False
        for path in paths:
            name = os.path.basename(path)
            if name in (*CONFIGURATIONS, PYPROJECT, ".gitignore"):
                self.load()
                return
            if path in map(os.path.abspath, self.workspace.settings.files):
                self.load()
                self.workspace.configure(self.workspace.settings)
                return
            if name in kustomize.NAMES:
                kustomize.patches.cache_clear()
                self.workspace.configure(self.workspace.settings)
            if path in inventory or (path.endswith(SUFFIXES) and (path not in known or not os.path.isfile(path))):
                again = True
            elif path in known:
                try:
                    self.workspace.set_file(path, read_plain(path, LARGEST_TEXT))
                except OSError:
                    again = True
        if again:
            self.load_files()

    def look(self) -> list[str]:
        """Return the files that have changed, appeared or disappeared on disk since the last call."""
        settings = self._run[1]
        found = discover([self.root], settings.exclude, documents=False, most=MOST) if self.scans else Discovery()
        names = [source.name for source in found.sources] + list(self.workspace.inventory)
        names += map(os.path.abspath, self.workspace.settings.files)
        names += [] if self.configuration is None else [str(self.configuration)]
        for folder in {self.root, *map(os.path.dirname, names)}:
            names += [os.path.join(folder, name) for name in (*CONFIGURATIONS, PYPROJECT, ".gitignore")]
        before, self._stamps = self._stamps, {name: stamp(name) for name in names}
        return [name for name in before.keys() | self._stamps.keys() if before.get(name) != self._stamps.get(name)]

    def mistakes_of(self, path: str, raw: bytes) -> list[Mistake]:
        """Return the mistakes that a configuration file with these bytes would have."""
        try:
            resolve({}, parsed(Path(path), raw))
        except ConfigurationError as error:
            return error.mistakes
        return []

    def _settings(self, configuration: Configuration | None) -> Settings | None:
        """Return the settings; None where the configuration has mistakes. Wrong choices of the editor are left out."""
        alone, wanted = Configuration(Path()), self._schema
        chosen = {k: value for k, value in self._chosen.items() if not any(mistakes(alone, (), {k: value}, wanted))}
        self.refused += [f"{key}: a value of this form is not known" for key in self._chosen.keys() - chosen.keys()]
        while True:
            try:
                return resolve(chosen, configuration)
            except ChoiceError as error:
                self.refused.append(f"{error.option}: {error.reason}")
                if chosen.pop(error.option, None) is None:
                    return Settings()
            except ConfigurationError as error:
                self.mistakes = error.mistakes
                return None

    def _is_excluded(self, path: str) -> bool:
        below = os.path.relpath(path, self.root)
        if os.path.basename(path) in CONFIGURATIONS:
            return True
        return self._excluded is not None and self._excluded.matches(path, below)

    def _read(self, found: Discovery, most: int) -> dict[str, bytes]:
        self.failures += [f"{failure.file}: {failure.message}" for failure in found.failures]
        out: dict[str, bytes] = {}
        left = MOST_BYTES
        for source in found.sources:
            try:
                raw = out[source.name] = read_plain(source.path or "", most)
            except (OSError, MemoryError) as error:
                self.failures.append(f"{source.name} cannot be read: {error}")
                continue
            left -= len(raw)
            if left < 0:
                found.too_many = True
                self.failures.append(f"{source.name}: with it, the files have more than {MOST_BYTES >> 20} MiB")
                return {}
        return out
