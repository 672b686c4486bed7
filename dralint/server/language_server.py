"""`dralint server`: requests and notifications of the protocol, bound to `dralint.editor`.

One thread reads messages and writes answers. Another one judges, one question at a time: a run over the workspace is
given up when a text changes or a question waits, and what it has done until then serves the next run. A question is
given up when the client cancels it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from dralint import __version__, work
from dralint.editor import Stopped, explain, simulated
from dralint.editor.cursor import Text
from dralint.report.safe import printable
from dralint.server.requests import PULLS, REQUESTS, SIMULATE, Converter, bind, name_of
from dralint.server.session import Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from typing import BinaryIO

    from dralint.editor import Workspace
    from dralint.editor.cursor import Units

T = TypeVar("T")
EXPLAIN = "dralint.explain"
_PAUSE, _LONG_PAUSE = 0.02, 0.15
"""Seconds without a change before a text is judged, and before it is compared with many others."""
_PATIENCE = 5
"""Seconds in which a client has to answer."""
_LOOK = 2.0
"""Seconds between two looks at the files of a client that does not watch them, and that asks something."""
_LAST_MOMENT = 0.2
"""Seconds in which a run that is given up has to end before the process does."""
_UNITS: dict[str, Units] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_WATCHED = ("**/*.{yaml,yml,json}", "**/{pyproject.toml,.gitignore}")
_log = logging.getLogger("dralint")


class _Protocol(LanguageServerProtocol):
    """The protocol, with texts kept by us: lines end as YAML and the protocol say, and a change takes one step."""

    _server: Server

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message. A request that does not fit gets an error, because its client waits for an answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            reasons = "; ".join(transform_error(error.__cause__ or error, "message"))
            self._refuse(data, types.ErrorCodes.InvalidParams, f"the message does not fit the protocol: {reasons}")
            raise

    def handle_message(self, message: Any) -> None:
        """Handle a message. A request before the start or after the end gets an error, as the protocol requires."""
        method = getattr(message, "method", None)
        if self._shutdown:
            self._refuse(message, types.ErrorCodes.InvalidRequest, "the server is shut down; only exit is allowed")
        elif isinstance(message, dict):
            self._refuse(message, types.ErrorCodes.InvalidRequest, 'the message has no "jsonrpc"; write "2.0"')
        elif self._workspace is None and method not in (types.INITIALIZE, types.EXIT):
            self._refuse(message, types.ErrorCodes.ServerNotInitialized, "only initialize is allowed at first")
            return
        super().handle_message(message)

    def _refuse(self, message: Any, code: types.ErrorCodes, reason: str) -> None:
        """Answer a request with an error; any other message gets no answer."""
        given = message.get if isinstance(message, dict) else partial(getattr, message)
        identity, method = given("id", None), given("method", None)
        if method is not None and isinstance(identity, (int, str)):
            self._send_response(identity, error=types.ResponseError(int(code), reason))

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a text."""
        document = params.text_document
        self._server.show(document.uri, Text(document.text, document.version))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Take changes of a text."""
        document = params.text_document
        text = self._server.session.texts.get(name_of(document.uri))
        if text is None:
            return
        for change in params.content_changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                first, last = change.range.start, change.range.end
                start = text.offset(first.line, first.character, self._server.units)
                end = text.offset(last.line, last.character, self._server.units)
                whole = text.text[:start] + change.text + text.text[max(start, end) :]
            else:
                whole = change.text
            text = Text(whole, document.version)
        self._server.show(document.uri, text)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Give a text up."""
        self._server.show(params.text_document.uri, None)

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Take folders that were added or removed."""
        self._server.change_folders(params.event)


class Server(LanguageServer):
    """The server for one client."""

    def __init__(self) -> None:
        super().__init__("dralint", __version__, protocol_cls=_Protocol)
        self.session = Session()
        self.units: Units = "utf-16"
        self.convert = Converter(self.units, self.session.text, lambda name: self._uris.get(name))
        self._uris: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._judging = ThreadPoolExecutor(1, thread_name_prefix="dralint")
        self.busy = threading.Lock()
        """It is held while something is judged."""
        self._closing = threading.Event()
        self._ready = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reading = threading.get_ident()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._generation = 0
        self._asked = 0
        self._due: asyncio.Task[Any] | None = None
        self._changed: set[str] = set()
        self._published: dict[str, tuple[int | None, Sequence[object]]] = {}
        self._client: dict[str, Any] = {}
        self._look_from = float("inf")
        self._warned: set[str] = set()
        self.ended = False
        self.pulls = False
        self.versions = False
        self.snippets = False

    # The two threads.

    async def ask(self, question: Callable[[], T]) -> T:
        """Return the answer to a question, given by the thread that judges; what it does at the moment is given up."""
        await self._ready.wait()
        return await self._now(question)

    async def _now(self, question: Callable[[], T]) -> T:
        self._asked += 1
        cancelled = threading.Event()
        try:
            return await self._judged(question, cancelled.is_set)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        finally:
            self._asked -= 1

    async def _judged(self, question: Callable[[], T], stopped: Callable[[], bool]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._judging, self._answer, question, stopped)

    def _answer(self, question: Callable[[], T], stopped: Callable[[], bool]) -> T:
        with self.busy, work.stopping(lambda: self._closing.is_set() or stopped()):
            self.session.take()
            return question()

    def shutdown(self) -> None:
        """End the threads; a run is given up."""
        self._closing.set()
        self._judging.shutdown(wait=False, cancel_futures=True)
        super().shutdown()  # type: ignore[no-untyped-call] # pygls gives it no types

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Write an error to the log of the client: most concern one message, and no message is worth a window."""
        self.log(f"{type(error).__name__}: {error}", types.MessageType.Error)

    def log(self, message: str, level: types.MessageType = types.MessageType.Info) -> None:
        """Write to the log of the client."""
        self._write(lambda: self.window_log_message(types.LogMessageParams(level, printable(message))))

    def _write(self, send: Callable[[], None]) -> None:
        """Send a message from the reading thread; if that has ended, no client reads it."""
        if self._loop is None or threading.get_ident() == self._reading:
            send()
        else:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(send)

    # Texts and folders.

    def start(self, params: types.InitializeParams) -> None:
        """Take the data that the client sends about itself."""
        capabilities = params.capabilities
        encoding = self.workspace.position_encoding
        self.units = self.convert.units = _UNITS.get(str(getattr(encoding, "value", encoding)), "utf-16")
        documents, workspace = capabilities.text_document, capabilities.workspace
        if isinstance(params.initialization_options, dict):
            self._client = params.initialization_options
        pushed = documents is not None and documents.publish_diagnostics is not None
        can_pull = documents is not None and documents.diagnostic is not None
        self.pulls = can_pull and (self._client.get("diagnostics") == "pull" or not pushed)
        edit = None if workspace is None else workspace.workspace_edit
        self.versions = edit is not None and bool(edit.document_changes)
        item = documents and documents.completion and documents.completion.completion_item
        about = documents and documents.hover
        self.convert.documents = list((item and item.documentation_format) or ())
        self.convert.hovers = list((about and about.content_format) or ())
        self.snippets = bool(item and item.snippet_support)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        if not folders and params.root_uri:
            folders = [params.root_uri]
        self._roots = {uri: name_of(uri) for uri in folders if uri.startswith("file:")}

    async def started(self) -> None:
        """Watch files, ask for settings, and read the folders."""
        self._loop, self._reading = asyncio.get_running_loop(), threading.get_ident()
        workspace = self.client_capabilities.workspace
        watch = workspace and workspace.did_change_watched_files
        if watch and watch.dynamic_registration:
            watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("dralint-files", name, options)
            self._later(self._answered(self.client_register_capability_async(types.RegistrationParams([registration]))))
        try:
            await self.configure(None)
            await self._now(lambda: self.session.open_folders(self._roots.values()))
            if not (watch and watch.dynamic_registration):
                await self._now(self.session.look)
                self._look_from = 0
        finally:
            self._ready.set()
        await self.ask(self._told)
        folders = f"{len(self._roots)} folder{'' if len(self._roots) == 1 else 's'}"
        self.log(f"dralint {__version__}: {folders}, positions in {self.units}")
        self.judge()

    async def configure(self, given: Any) -> None:
        """Take the settings that a client sends, or request them if it can answer."""
        settings = given.get("dralint", given) if isinstance(given, dict) else None
        own: dict[str, Any] = {}
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.configuration:
            uris = list(self._roots)
            items = [types.ConfigurationItem(uri, "dralint") for uri in (None, *uris)]
            answer = await self._answered(self.workspace_configuration_async(types.ConfigurationParams(items)))
            settings = answer[0] if answer else settings
            given_to = zip(uris, (answer or ())[1:], strict=False)
            own = {self._roots[uri]: each for uri, each in given_to if isinstance(each, dict) and each != settings}
        if isinstance(settings, dict):
            self._client = {**self._client, **settings}
        await self._now(lambda: self.session.choose(self._client, own))

    async def _answered(self, request: Awaitable[T]) -> T | None:
        """Return the answer of the client to a request; None without one."""
        try:
            return await asyncio.wait_for(request, _PATIENCE)
        except Exception as error:  # noqa: BLE001 - whatever a client answers, the server goes on
            self.log(f"the client does not answer: {str(error) or type(error).__name__}", types.MessageType.Warning)
            return None

    def setting(self, name: str, default: bool) -> bool:
        """Return a setting that is true or false."""
        value = self._client.get(name)
        return value if isinstance(value, bool) else default

    def look(self, *, at_once: bool = False) -> None:
        """Look soon whether files have changed on disk, for a client that does not say so itself."""
        if self._look_from == float("inf") or (not at_once and time.monotonic() < self._look_from):
            return

        async def looked() -> None:
            begun = time.monotonic()
            changed = await self.ask(self.session.look)
            now = time.monotonic()
            self._look_from = now + max(_LOOK, 20 * (now - begun))  # a twentieth of the time at most
            if changed:
                self.judge()

        self._look_from = time.monotonic() + _LOOK
        self._later(looked())

    def _told(self) -> None:
        """Show the settings that cannot be used, once each, and log the files that cannot be read."""
        refused = {reason for folder in self.session.folders.values() for reason in folder.refused}
        for reason in sorted(refused - self._warned):
            shown = types.ShowMessageParams(
                types.MessageType.Warning, printable(f"dralint ignores a setting: {reason}")
            )
            self._write(partial(self.window_show_message, shown))
        self._warned = refused
        for folder in self.session.folders.values():
            for reason in folder.failures[:10]:
                self.log(reason, types.MessageType.Warning)

    def show(self, uri: str, text: Text | None) -> None:
        """Take a text that the client shows; None when it no longer shows it."""
        name = name_of(uri)
        self._uris[name] = uri
        if name not in self.session.texts:
            self._published.pop(name, None)
            self.look(at_once=True)
        self.session.set_text(name, text)
        self._changed.add(name)
        self.judge()

    def change_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Take folders that were added or removed."""
        for gone in event.removed:
            self._roots.pop(gone.uri, None)
        self._roots |= {new.uri: name_of(new.uri) for new in event.added if new.uri.startswith("file:")}

        async def reread() -> None:
            await self._ready.wait()
            await self.configure(None)
            await self.ask(lambda: self.session.open_folders(self._roots.values()))
            self.judge()

        self._later(reread())

    def _later(self, begun: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.ensure_future(begun)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Diagnostics.

    def judge(self) -> None:
        """Judge soon, and stop any present run."""
        self._generation += 1
        if self._due is not None:
            self._due.cancel()
        self._due = self._later(self._judge(self._generation))

    async def _judge(self, generation: int) -> None:
        await self._ready.wait()
        await asyncio.sleep(_PAUSE)
        if self.pulls:
            return await self._refresh()
        changed = [name for name in self._changed if name in self.session.texts]
        large = [name for name in changed if self.session.compares_slowly(name)]
        if large:
            await self._run(generation, lambda: self._publish_alone(large), self._closing.is_set)
            await asyncio.sleep(_LONG_PAUSE)
        await self._run(generation, self._publish_all, lambda: self._generation != generation or self._asked > 0)
        self._changed.clear()
        return None

    async def _run(self, generation: int, question: Callable[[], None], stopped: Callable[[], bool]) -> None:
        """Run a function in the judging thread, again if it was stopped for a request."""
        while True:
            try:
                await self._judged(question, stopped)
                return
            except Stopped:
                if self._closing.is_set() or self._generation != generation:
                    raise asyncio.CancelledError from None
                await asyncio.sleep(_PAUSE)

    def _publish_alone(self, names: Sequence[str]) -> None:
        for name in names:
            self._publish(name, self.session.workspace(name).findings_at_once(name), self.convert.diagnostic)

    def _publish_all(self) -> None:
        """Send the findings of each text whose findings have changed for the client."""
        there: set[str] = set()
        for name, found, convert in self.found():
            self._publish(name, found, convert)
            there.add(name)
        for folder in self.session.folders.values():
            for failure in folder.workspace.report().failures:
                _log.warning("%s: %s", failure.file, failure.message)
        for name in self._published.keys() - there:
            self._publish(name, (), self.convert.diagnostic)
        if self.protocol.trace != types.TraceValue.Off:
            took = sum(folder.workspace.comparing for folder in self.session.folders.values())
            message = f"{len(there)} texts with findings or open; the comparison took {took * 1000:.0f} ms"
            self._write(lambda: self.log_trace(types.LogTraceParams(message)))

    def found(self) -> Iterator[tuple[str, Sequence[Any], Callable[[Any], types.Diagnostic]]]:
        """Yield each text that is open or has findings, with these or its mistakes, and what makes a diagnostic."""
        there: set[str] = set()
        for name, text, mistakes in self.session.mistakes():
            there.add(name)
            yield name, mistakes, partial(self.convert.mistake, text)
        for folder in [*self.session.folders.values()]:
            found = folder.workspace.findings()
            for name in {*found, *folder.workspace.open_names} - there:
                there.add(name)
                yield name, found.get(name, []), self.convert.diagnostic

    def _publish(self, name: str, found: Sequence[T], convert: Callable[[T], types.Diagnostic]) -> None:
        version = self.session.text(name).version
        if self._published.get(name, (None, ())) == (version, found):
            return
        if found or name in self.session.texts:
            self._published[name] = version, found
        else:
            self._published.pop(name, None)
        params = types.PublishDiagnosticsParams(self.convert.uri(name), list(map(convert, found)), version)
        self._write(lambda: self.text_document_publish_diagnostics(params))

    async def _refresh(self) -> None:
        """Ask a client that pulls to pull again; it pulls the text that it has changed without a request."""
        workspace = self.client_capabilities.workspace
        diagnostics = None if workspace is None else workspace.diagnostics
        if (
            diagnostics is not None
            and diagnostics.refresh_support
            and (not self._changed or len(self.session.texts) > 1)
        ):
            await self._answered(self.workspace_diagnostic_refresh_async(None))
        self._changed.clear()

    def pulled_all(self) -> list[types.WorkspaceDocumentDiagnosticReport]:
        """Return the diagnostics of each text in the folders."""
        there = {name: list(map(convert, found)) for name, found, convert in self.found()}
        gone: dict[str, list[types.Diagnostic]] = {name: [] for name in self._published.keys() - there.keys()}
        self._published = dict.fromkeys(there, (None, ()))
        return [
            types.WorkspaceFullDocumentDiagnosticReport(self.convert.uri(name), found, self.session.text(name).version)
            for name, found in sorted((there | gone).items())
        ]

    # Places.

    def at(self, document: types.TextDocumentIdentifier, position: types.Position) -> tuple[Workspace, str, int]:
        """Return the workspace, the name of a text, and the offset of a position."""
        name = name_of(document.uri)
        workspace = self.session.workspace(name)
        return workspace, name, self.convert.offset(workspace.text(name), position)


class _ToClient(logging.Handler):
    """Sends what is logged to the client."""

    def __init__(self, server: Server) -> None:
        super().__init__(logging.WARNING)
        self._server = server

    def emit(self, record: logging.LogRecord) -> None:
        """Send a record; if the client is gone, nothing reads it."""
        level = types.MessageType.Error if record.levelno >= logging.ERROR else types.MessageType.Warning
        with contextlib.suppress(Exception):
            self._server.log(record.getMessage(), level)


def create() -> Server:
    """Return a server with all its request handlers."""
    server = Server()

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.start(params)
        if server.pulls:
            bind(server, PULLS)

    @server.feature(types.EXIT)
    def ended(params: None) -> None:
        server.ended = True

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await server.started()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configure(params: types.DidChangeConfigurationParams) -> None:
        await server.configure(params.settings)
        await server.ask(server._told)
        server.judge()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def watched(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [name_of(change.uri) for change in params.changes]
        await server.ask(lambda: server.session.changed(paths))
        await server.ask(server._told)
        server.judge()

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        name = name_of(params.text_document.uri)
        await server.ask(lambda: server.session.changed([name]))
        server.judge()
        server.look(at_once=True)

    bind(server, REQUESTS)

    @server.command(EXPLAIN)
    async def explained(topic: str) -> str | None:
        return await server.ask(lambda: explain(topic))

    @server.command(SIMULATE)
    async def simulated_(uri: str, line: int, character: int) -> str | None:
        def question() -> str | None:
            position = types.Position(int(line), int(character))
            return simulated(*server.at(types.TextDocumentIdentifier(uri), position))

        return await server.ask(question)

    return server


_LONGEST_HEADER = 1_000
_LARGEST_LENGTH = len(b"Content-Length: 99999999\r\n")
"""A header with a longer length is of no client: the largest text of an editor has 8 MiB."""


class _Input:
    """Standard input; pygls allocates what a header announces, however much it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.read = stream.read

    def readline(self) -> bytes:
        """Return a line of a header; OSError where it announces more than a message has."""
        line = self._stream.readline(_LONGEST_HEADER)
        if line.startswith(b"Content-Length:") and len(line) > _LARGEST_LENGTH:
            raise OSError(errno.EMSGSIZE, "a message of the client has more than 100 MB", "standard input")
        return line


def serve() -> int:
    """Serve a client on standard input and output until it ends; return the exit status.

    It is 1 if the client ends the server without a shutdown request before, as the protocol requires. OSError for a
    message that is too large.
    """
    server = create()
    logging.getLogger().handlers = [_ToClient(server)]
    output, sys.stdout = sys.stdout.buffer, sys.stderr  # no other text goes between the messages
    server.start_io(_Input(sys.stdin.buffer), output)  # type: ignore[arg-type] # no more of a stream is used
    status = 1 if server.ended and not server.protocol._shutdown else 0
    if not server.busy.acquire(timeout=_LAST_MOMENT):
        os._exit(status)  # nothing is lost: the server writes no file, and what it judges is not read any more
    return status
