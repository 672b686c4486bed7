"""The state of one client: its folders, its settings and its open texts; only one thread at a time uses it."""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any

from dralint.config.configuration import LARGEST, Mistake
from dralint.config.table import SETTINGS
from dralint.editor.cursor import LARGEST_TEXT, Text
from dralint.editor.workspace import Folder
from dralint.files.atomic import within
from dralint.files.discover import CONFIGURATIONS
from dralint.files.source import read_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dralint.editor.workspace import Workspace

_SETTINGS = {re.sub("-(.)", lambda found: found[1].upper(), row.key): row for row in SETTINGS.values() if row.editor}
"""Name of a setting at a client → the setting."""

_SLOW = 0.005
"""Seconds of the processor."""
_TOO_LARGE = f"the text has more than {LARGEST_TEXT >> 20} MiB, so dralint does not judge it in an editor"
_NOWHERE = ""
"""The folder of texts without a file."""


class Session:
    """Folders and texts. The reading thread sets texts; the judging thread does everything else."""

    def __init__(self) -> None:
        self.folders: dict[str, Folder] = {}
        self.texts: dict[str, Text] = {}
        self._roots: list[str] = []
        self._chosen: dict[str, Any] = {}
        self._own: dict[str, dict[str, Any]] = {}
        self._waiting: list[tuple[str, Text | None]] = []
        self._lock = threading.Lock()

    # Called by the reading thread.

    def set_text(self, name: str, text: Text | None) -> None:
        """Take a text that a client shows; None when it no longer shows it."""
        with self._lock:
            if text is None:
                self.texts.pop(name, None)
            else:
                self.texts[name] = text
            self._waiting.append((name, text))

    # Called by the judging thread.

    def open_folders(self, roots: Iterable[str]) -> None:
        """Take the folders that a client has open, and read their files."""
        self._roots = [os.path.abspath(root) for root in roots]
        for root, folder in [*self.folders.items()]:
            if root not in self._roots or not folder.scans:
                del self.folders[root]
        for root in self._roots:
            if root not in self.folders:
                self._add(root, scans=True)
        with self._lock:
            self._waiting = [*self.texts.items()]

    def choose(self, settings: Mapping[str, Any], own: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Take the settings of a client, and those of folders that differ; missing ones and null are not choices."""
        self._chosen = _choices(settings)
        self._own = {os.path.abspath(root): _choices(each) for root, each in (own or {}).items()}
        for folder in self.folders.values():
            folder.choose(self._chosen_in(folder.root))

    def _chosen_in(self, root: str) -> dict[str, Any]:
        chosen = dict(self._own.get(root, self._chosen))
        if "slices" in chosen:
            paths = [chosen["slices"]] if isinstance(chosen["slices"], str) else chosen["slices"]
            chosen["slices"] = [os.path.join(root, str(path)) for path in paths]
        return chosen

    def take(self) -> None:
        """Give the texts that came since the last call to their workspaces."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for name, text in dict(waiting).items():
            workspace = self.folder(name).workspace
            if text is None:
                workspace.close(name)
            else:
                workspace.show(name, text)

    def folder(self, name: str) -> Folder:
        """Return the folder of a text: the innermost open one of the client, or the one that contains the file."""
        root = self._root_of(name)
        if root is None:
            root = os.path.dirname(name) if os.path.isabs(name) else _NOWHERE
        return self.folders.get(root) or self._add(root, scans=False)

    def _root_of(self, name: str) -> str | None:
        return max((root for root in self._roots if within(name, root)), key=len, default=None)

    def workspace(self, name: str) -> Workspace:
        """Return the workspace of a text."""
        return self.folder(name).workspace

    def compares_slowly(self, name: str) -> bool:
        """Say whether a keystroke must not wait for the comparison of a text with others."""
        root = self._root_of(name)
        folder = None if root is None else self.folders.get(root)
        return folder is not None and folder.workspace.comparing > _SLOW

    def text(self, name: str) -> Text:
        """Return a text as the client shows it, or from its file; for a baseline, for example, as it is on disk."""
        shown = self.texts.get(name)
        if shown is not None or self.workspace(name).raw(name) is not None:
            return shown or self.workspace(name).text(name)
        try:
            return Text(read_plain(name, LARGEST).decode("utf-8", "replace"))
        except OSError:
            return Text("")

    def changed(self, paths: Iterable[str]) -> None:
        """Take changes of files on disk."""
        listed = list(paths)
        for folder in self.folders.values():
            folder.changed(listed)

    def look(self) -> bool:
        """Take what has changed on disk since the last call; say whether something has."""
        found = [(folder, folder.look()) for folder in self.folders.values()]
        for folder, paths in found:
            folder.changed(paths)
        return any(paths for _, paths in found)

    def mistakes(self) -> Iterator[tuple[str, Text, list[Mistake]]]:
        """Yield the texts that nothing judges, with what is wrong in them: configurations that apply or are open, and
        texts that are too large."""
        for name, text in self.texts.items():
            if os.path.basename(name) in CONFIGURATIONS:
                yield name, text, self.folder(name).mistakes_of(name, text.raw)
        for folder in self.folders.values():
            for name in folder.workspace.too_large:
                yield name, self.text(name), [Mistake(_TOO_LARGE, 1, 1, "run dralint check on the file")]
            name = str(folder.configuration)
            if folder.mistakes and name not in self.texts:
                yield name, self.text(name), folder.mistakes

    def _add(self, root: str, *, scans: bool) -> Folder:
        folder = self.folders[root] = Folder(root, self._chosen_in(root), scans=scans)
        folder.load()
        return folder


def _choices(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {row.key: settings[name] for name, row in _SETTINGS.items() if settings.get(name) not in (None, "", [], {})}
