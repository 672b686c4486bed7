"""A client for the tests of the server: a process of `dralint server`, and the requests of an editor by name."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from inspect import Signature, signature
from pathlib import Path
from typing import Any

import pytest

from tests.folders import write

pytest.importorskip("pytest_lsp", reason="the server and its tests need the extra dev")

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

SECONDS = 120
COMMAND = [sys.executable, "-m", "dralint", "server"]


class Editor:
    """An editor that shows texts of a folder.

    Args:
        client: speaks to the server.
        folder: where the files are.
        encoding: what positions count.
    """

    def __init__(self, client: LanguageClient, folder: Path, encoding: str) -> None:
        self.client = client
        self.folder = folder
        self.encoding = encoding
        self.texts: dict[str, str] = {}
        self._versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str) -> None:
        """Show a text."""
        self.texts[name], self._versions[name] = text, 1
        document = types.TextDocumentItem(self.uri(name), "yaml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def replace(self, name: str, start: int, end: int, new: str) -> None:
        """Change characters of a text."""
        old = self.texts[name]
        self._versions[name] += 1
        where = types.Range(self.position(name, start), self.position(name, end))
        self.texts[name] = old[:start] + new + old[end:]
        document = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        change = types.TextDocumentContentChangePartial(where, new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def write(self, name: str, text: str) -> None:
        """Replace a whole text."""
        self.replace(name, 0, len(self.texts[name]), text)

    def position(self, name: str, offset: int) -> types.Position:
        """Return the position of an offset, as the protocol counts."""
        before = self.texts[name][:offset].replace("\r\n", "\n").replace("\r", "\n")
        line = before.rpartition("\n")[2]
        if self.texts[name][:offset].endswith("\r") and self.texts[name][offset : offset + 1] == "\n":
            before, line = before[:-1], before[:-1].rpartition("\n")[2]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        width = len(line.encode(f"{self.encoding}-le" if size > 1 else self.encoding)) // size
        return types.Position(before.count("\n"), width)

    def at(self, name: str, part: str, behind: int = 1) -> dict[str, Any]:
        """Return the place behind the first characters of a part of a text."""
        offset = self.texts[name].index(part) + behind
        return {"text_document": self.document(name), "position": self.position(name, offset)}

    async def pull(self, name: str) -> list[types.Diagnostic]:
        """Return the diagnostics of a text."""
        params = types.DocumentDiagnosticParams(self.document(name))
        report = await self.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def pushed(self, name: str, wanted: Callable[[list[types.Diagnostic]], bool]) -> list[types.Diagnostic]:
        """Return the diagnostics of a text once the server has sent those that are wanted."""
        while True:
            found = list(self.client.diagnostics.get(self.uri(name), []))
            if self.uri(name) in self.client.diagnostics and wanted(found):
                return found
            await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)

    def applied(self, edit: types.WorkspaceEdit) -> dict[str, str]:
        """Return the texts after edits, by name."""
        out = dict(self.texts)
        edits: dict[str, list[types.TextEdit]] = {uri: [*each] for uri, each in (edit.changes or {}).items()}
        for change in edit.document_changes or ():
            assert isinstance(change, types.TextDocumentEdit)
            name = next(name for name in self.texts if self.uri(name) == change.text_document.uri)
            assert change.text_document.version == self._versions[name]
            edits[change.text_document.uri] = [one for one in change.edits if isinstance(one, types.TextEdit)]
        for uri, each in edits.items():
            name = next(name for name in self.texts if self.uri(name) == uri)
            for one in sorted(each, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
                start, end = self._offset(name, one.range.start), self._offset(name, one.range.end)
                out[name] = out[name][:start] + one.new_text + out[name][end:]
        return out

    def _offset(self, name: str, position: types.Position) -> int:
        return next(n for n in range(len(self.texts[name]) + 1) if self.position(name, n) == position)


def capabilities(encoding: str, watches: bool = True) -> types.ClientCapabilities:
    """Return what the client can do."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)]),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(version_support=True),
            diagnostic=types.DiagnosticClientCapabilities(),
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(
                    snippet_support=True, documentation_format=[types.MarkupKind.Markdown]
                )
            ),
        ),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watches),
        ),
        window=types.WindowClientCapabilities(),
    )


@asynccontextmanager
async def _editor(folder: Path, encoding: str, watches: bool, settings: dict[str, Any]) -> AsyncIterator[Editor]:
    client: Any = await ClientServerConfig(server_command=COMMAND).start()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator] # pygls gives it no types
    def register(params: types.RegistrationParams) -> None:
        """The tests say themselves when a file changes."""

    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities(encoding, watches),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "folder")],
                initialization_options=settings,
            )
        )
        yield Editor(client, folder, encoding)
    finally:
        await client.shutdown_session()
        await client.stop()


def session(
    folder: Path,
    use: Callable[[Editor], Awaitable[None]],
    encoding: str = "utf-16",
    *,
    watches: bool = True,
    **settings: Any,
) -> None:
    """Use an editor that has a folder open, with settings of the client; `watches` says whether it watches files."""

    async def run() -> None:
        async with _editor(folder, encoding, watches, settings) as editor:
            await use(editor)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def in_session(
    *, files: dict[str, str] | None = None, **options: Any
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Return a decorator for a test that uses an editor: its folder is a new one with these files; see `session`."""

    def decorate(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @wraps(test)
        def run(tmp_path: Path, **given: Any) -> None:
            write(tmp_path, files or {})
            session(tmp_path, lambda editor: test(editor, **given), **options)

        own = signature(run, follow_wrapped=False).parameters["tmp_path"]
        others = [one for one in signature(test).parameters.values() if one.name != "editor"]
        run.__signature__ = Signature([own, *others])  # type: ignore[attr-defined] # what pytest gives to the test
        return run

    return decorate
