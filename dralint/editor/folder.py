"""A folder that an editor has open: finds configuration, manifests and inventory as `dralint check` does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.config import baseline
from dralint.config.configuration import ChoiceError, ConfigurationError, Mistake
from dralint.config.file import checked, fits, load, parsed
from dralint.config.find_file import NAMES, PYPROJECT, find, with_nearest
from dralint.config.resolve import resolve
from dralint.config.settings import Settings
from dralint.config.table import schema
from dralint.editor.text import LARGEST_TEXT
from dralint.editor.workspace import Workspace
from dralint.files import kustomization
from dralint.files.discover import SUFFIXES, Discovery, discover
from dralint.files.ignore import Excluded
from dralint.files.source import LARGEST_FILE, read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dralint.config.configuration import Configuration

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

    def load(self) -> None:
        """Read the configuration and the files; texts that an editor shows stay."""
        baseline.load.cache_clear()
        kustomization.patches.cache_clear()
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
        folders = set(map(os.path.dirname, names))
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
        slices = self._read(discover(settings.slices, documents=False), LARGEST_FILE) if settings.slices else {}
        self.workspace.set_inventory(slices)

    def choose(self, chosen: Mapping[str, Any]) -> None:
        """Replace the choices of an editor."""
        if dict(chosen) != self._chosen:
            self._chosen = dict(chosen)
            self.load()

    def changed(self, paths: Iterable[str]) -> None:
        """Take changes on disk; the paths are those of files that have changed, appeared or disappeared."""
        inventory, known = self.workspace.inventory, set(self.workspace.file_names)
        again = False
        for path in paths:
            name = os.path.basename(path)
            if name in (*NAMES, PYPROJECT, ".gitignore") or path == str(self.workspace.settings.baseline):
                self.load()
                return
            if name in kustomization.NAMES:
                kustomization.patches.cache_clear()
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

    def mistakes_of(self, path: str, raw: bytes) -> list[Mistake]:
        """Return the mistakes that a configuration file with these bytes would have."""
        try:
            configuration = parsed(Path(path), raw)
            checked(configuration)
            resolve({}, configuration)
        except ConfigurationError as error:
            return error.mistakes
        return []

    def _settings(self, configuration: Configuration | None) -> Settings | None:
        """Return the settings; None where the configuration has mistakes. Wrong choices of the editor are left out."""
        chosen = {key: value for key, value in self._chosen.items() if fits({key: value}, self._schema)}
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
        if os.path.basename(path) in NAMES:
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
