"""The server survives every message, and ends when its client does."""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

import dralint.work as work
from dralint.editor.cursor import LARGEST_TEXT
from tests.editor.manifests import BROKEN, CLAIM
from tests.server.client import COMMAND, Editor, in_session, session

from dralint.server.language_server import create  # isort: skip # as the next line
from lsprotocol import types  # isort: skip # the line before leaves the tests out where it is missing

pytestmark = pytest.mark.slow
NAME = "claims.yaml"


def message(**content: Any) -> bytes:
    raw = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw)


def served(
    *messages: bytes, awaited: int | None = None, end: bytes = b"", command: list[str] = COMMAND
) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit status of a server that gets these bytes, and the messages that it sends.

    The bytes of the end are sent after the answer to the request with the awaited number.
    """
    answers: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"".join(messages))
        server.stdin.flush()
        if awaited is None:
            server.stdin.close()
        while header := server.stdout.readline():
            length = int(header.split(b":")[1])
            while server.stdout.readline().strip():
                pass
            answers.append(json.loads(server.stdout.read(length)))
            if awaited is not None and answers[-1].get("id") == awaited and "method" not in answers[-1]:
                server.stdin.write(end)
                server.stdin.close()
        return server.wait(120), answers


INITIALIZE = message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
TEXT = {"textDocument": {"uri": "file:///a.yaml"}}
RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
ENDLESS = """
from dralint.server.language_server import serve
from dralint.server.session import Session

def judge(self):
    while True:
        pass

Session.take = judge
raise SystemExit(serve())
"""
HOVER = {"textDocument": {"uri": "file:///none.yaml"}, "position": {"line": 9, "character": 9}}


def test_nonsense_between_messages_is_logged_and_the_next_message_answered() -> None:
    nonsense = (
        b"Content-Length: 5\r\n\r\n{nope",
        message(id=2, method="textDocument/hover", params={"position": "nowhere"}),
        message(id=3, method="there/isNoSuch", params={}),
        message(
            method="textDocument/didChange",
            params={"textDocument": {"uri": "file:///x", "version": 2}, "contentChanges": []},
        ),
        message(method="initialized", params={}),
        message(id=4, method="textDocument/hover", params=HOVER),
    )
    end = message(id=5, method="shutdown") + message(method="exit")
    status, answers = served(INITIALIZE, *nonsense, awaited=4, end=end)
    by_id = {answer["id"]: answer for answer in answers if "id" in answer and "method" not in answer}

    assert status == 0
    assert by_id[2]["error"]["code"] == types.ErrorCodes.InvalidParams
    assert "error" in by_id[3]
    assert by_id[4]["result"] is None
    assert "window/logMessage" in {answer.get("method") for answer in answers}


@pytest.mark.parametrize("length", [b"9" * 9, b"9" * 20, b"9" * 5_000])
def test_a_length_that_no_message_has_ends_the_server_with_the_reason(length: bytes) -> None:
    stream = message(method="initialized", params={}) + b"Content-Length: " + length + b"\r\n\r\n{}"
    ended = subprocess.run(COMMAND, input=INITIALIZE + stream, capture_output=True, timeout=60, check=False)

    assert ended.returncode == 3
    assert ended.stderr.decode().strip() == "dralint: standard input: a message of the client has more than 100 MB"


@pytest.mark.parametrize(
    ("method", "params", "said"),
    [
        ("textDocument/hover", {**TEXT, "position": {"line": -1, "character": 0}}, "params.position"),
        ("textDocument/hover", {**TEXT, "position": {"line": 0, "character": 2**31}}, "params.position"),
        (
            "textDocument/completion",
            {**TEXT, "position": {"line": "a", "character": 0}},
            "int @ message.params.position",
        ),
        ("textDocument/codeAction", {**TEXT, "range": RANGE, "context": {}}, "params.context.diagnostics"),
        ("textDocument/codeAction", {**TEXT, "range": RANGE, "context": {"diagnostics": [], "triggerKind": 9}}, "kind"),
        ("textDocument/references", {**TEXT, "position": RANGE["start"]}, "required field missing @ message.params.co"),
        ("textDocument/hover", None, "expected HoverParams @ message.params"),
        ("workspace/executeCommand", {"command": "dralint.simulate", "arguments": ["file:///x", -1, 0]}, "in range"),
    ],
)
def test_a_request_that_does_not_fit_gets_an_error_that_names_the_place(method: str, params: Any, said: str) -> None:
    started = message(method="initialized", params={})
    end = message(id=5, method="shutdown") + message(id=6, method="textDocument/hover", params=HOVER)
    end += message(method="exit")
    status, answers = served(INITIALIZE, started, message(id=4, method=method, params=params), awaited=4, end=end)
    errors = {answer["id"]: answer["error"] for answer in answers if "error" in answer}

    assert status == 0
    assert said in errors[4]["message"]
    assert errors[6]["code"] == types.ErrorCodes.InvalidRequest


def test_requests_before_the_start_and_without_a_version_get_an_error() -> None:
    early = message(id=2, method="textDocument/hover", params=HOVER)
    status, answers = served(early, early.replace(b"jsonrpc", b"jsonrcp"), INITIALIZE, message(method="exit"))

    codes = [answer["error"]["code"] for answer in answers if "error" in answer]
    assert status == 1
    assert codes == [types.ErrorCodes.ServerNotInitialized, types.ErrorCodes.InvalidRequest]


def test_the_server_answers_and_ends_while_a_text_is_judged_without_an_end() -> None:
    text = {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": CLAIM}
    messages = (
        message(method="initialized", params={}),
        message(method="textDocument/didOpen", params={"textDocument": text}),
        message(id=3, method="textDocument/hover", params=HOVER),
        message(method="$/cancelRequest", params={"id": 3}),
        message(id=4, method="shutdown"),
    )
    command = [*COMMAND[:1], "-c", ENDLESS]
    status, answers = served(INITIALIZE, *messages, awaited=4, end=message(method="exit"), command=command)

    assert status == 0
    assert [answer["id"] for answer in answers if "id" in answer] == [1, 3, 4]


def test_a_question_that_is_cancelled_is_given_up() -> None:
    begun = threading.Event()

    def endless() -> None:
        begun.set()
        while True:
            work.pause()

    async def use() -> None:
        server = create()
        server._ready.set()
        asked = asyncio.ensure_future(server.ask(endless))
        await asyncio.to_thread(begun.wait)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert await server.ask(lambda: "next") == "next"
        server.shutdown()

    asyncio.run(use())


@in_session()
async def test_a_text_that_is_too_large_says_so_until_it_is_smaller(editor: Editor) -> None:
    editor.open(NAME, BROKEN + "#" * LARGEST_TEXT)
    (found,) = await editor.pushed(NAME, bool)
    assert found.message == (
        "the text has more than 8 MiB, so dralint does not judge it in an editor\nrun dralint check on the file"
    )
    assert found.range.start == types.Position(0, 0)
    where = types.HoverParams(**editor.at(NAME, "devices:"))
    assert await editor.client.text_document_hover_async(where) is None
    editor.replace(NAME, len(BROKEN), len(BROKEN) + LARGEST_TEXT, "")
    (found,) = await editor.pushed(NAME, lambda found: [one.code for one in found] == ["DRA101"])


def test_an_end_without_a_shutdown_has_status_1() -> None:
    assert served(INITIALIZE, message(method="exit"))[0] == 1


def test_a_client_that_is_gone_ends_the_server() -> None:
    text = {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": CLAIM * 400}
    opened = message(method="textDocument/didOpen", params={"textDocument": text})

    assert served(INITIALIZE, message(method="initialized", params={}), opened)[0] == 0


def test_a_cancelled_request_has_no_result(tmp_path: Path) -> None:
    large = "---\n".join(CLAIM.replace("name: train", f"name: train-{number}") for number in range(3_000))

    async def use(editor: Editor) -> None:
        editor.open(NAME, large)
        where = types.Range(types.Position(0, 0), types.Position(0, 0))
        params = types.CodeActionParams(editor.document(NAME), where, types.CodeActionContext([]))
        asked = asyncio.ensure_future(editor.client.text_document_code_action_async(params))
        await asyncio.sleep(0)
        identity = next(iter(editor.client.protocol._request_futures))
        editor.client.cancel_request(types.CancelParams(identity))
        with pytest.raises(Exception, match="cancel"):
            await asked
        found = await editor.client.text_document_hover_async(types.HoverParams(**editor.at(NAME, "devices:")))
        assert found is not None

    session(tmp_path, use)


@in_session()
async def test_of_many_changes_at_once_the_last_one_is_judged(editor: Editor) -> None:
    editor.open(NAME, CLAIM)
    for number in range(100):
        editor.write(NAME, BROKEN if number % 2 == 0 else CLAIM)
    editor.write(NAME, BROKEN.replace("deviceClasName", "deviceClassNam"))
    (found,) = await editor.pushed(NAME, lambda found: bool(found) and 'ClassNam"' in found[0].message)
    assert found.code == "DRA101"
    assert len(editor.client.log_messages) == 1


def test_a_text_of_five_megabytes_and_a_folder_of_files_are_judged(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.yaml").write_text(CLAIM.replace("name: train", f"name: train-{number}"))
    large = (
        "---\n".join(CLAIM.replace("name: train", f"name: large-{number}") for number in range(10_000))
        + "---\n"
        + BROKEN
    )

    async def use(editor: Editor) -> None:
        editor.open(NAME, large)
        editor.open("small.yaml", BROKEN)
        assert await editor.pushed("small.yaml", bool)
        found = await editor.pushed(NAME, bool)
        lines = [one.range.start.line for one in found if one.code == "DRA101"]
        assert lines == [large[: large.index("deviceClasName")].count("\n")]

    session(tmp_path, use)


def test_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(BROKEN)

    async def use(editor: Editor) -> None:
        editor.open(NAME, BROKEN)
        await editor.pushed(NAME, bool)
        place = editor.at(NAME, "deviceClasName")["position"]
        params = types.CodeActionParams(editor.document(NAME), types.Range(place, place), types.CodeActionContext([]))
        assert await editor.client.text_document_code_action_async(params)

    session(tmp_path, use)

    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(NAME, BROKEN)]
