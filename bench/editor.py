"""Times the language server: the processor time that one keystroke costs it, and one question of an editor.

    python -m bench.editor [--keystrokes 40]

The processor time is that of the server process with all its threads, from /proc (Linux). "At once" is the time until
the server has sent the findings of the text that changes. Where the comparison of all objects takes more than 5 ms, it
follows after a pause without keystrokes; the last column has the time until the server has nothing more to do.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench import loads

_QUIET = 0.4
"""After this many seconds without a message, the server has nothing more to do."""


class Client:
    """A process of `dralint server`, and the messages to and from it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "dralint", "server"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._number = 0
        folders = [{"uri": folder.as_uri(), "name": "bench"}]
        text = {"publishDiagnostics": {"versionSupport": True}}
        capabilities = {"textDocument": text, "general": {"positionEncodings": ["utf-16"]}}
        self.ask("initialize", {"processId": None, "capabilities": capabilities, "workspaceFolders": folders})
        self.tell("initialized", {})

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
                while stream.readline().strip():
                    pass
                self.messages.put(json.loads(stream.read(length)))

    def _send(self, message: dict[str, Any]) -> None:
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw))
        self.process.stdin.flush()

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """Send a request, and return its result."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            message = self.messages.get(timeout=120)
            if message.get("id") == self._number and "method" not in message:
                return message["result"]

    def wait(self, uri: str, version: int) -> None:
        """Wait for the findings of a version of a text."""
        while True:
            message = self.messages.get(timeout=120)
            params = message.get("params") or {}
            known = message.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
            if known and params.get("version") == version:
                return

    def rest(self) -> None:
        """Wait until the server has nothing more to do."""
        before = -1.0
        while before != (before := self.processor_time()):
            time.sleep(_QUIET)

    def processor_time(self) -> float:
        """Return the seconds of processor time that the server has used."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def end(self) -> None:
        """End the server."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.wait()


def texts() -> dict[str, str]:
    """Return the texts by their names in the table."""
    made = list(loads.stream(400_000))
    rng = random.Random(3)
    claims = [loads.claim(number, rng) for number in range(300)]

    def of_lines(wanted: int) -> str:
        out: list[str] = []
        while sum(text.count("\n") for text in out) < wanted:
            out.append(claims[len(out)])
        return "---\n".join(out)

    assert made
    return {
        "100 lines": of_lines(100),
        "2,000 lines": of_lines(2_000),
        "5,000 lines": of_lines(5_000),
        "300 documents": "---\n".join(claims),
    }


def keystrokes(client: Client, uri: str, text: str, number: int) -> tuple[float, float]:
    """Return the medians of the milliseconds of a keystroke: at once, and until the server rests."""
    client.tell("textDocument/didOpen", {"textDocument": _document(uri, text)})
    client.wait(uri, 1)
    client.rest()
    line = text[: text.index("compareTo", len(text) // 2)].count("\n")
    column = text.splitlines()[line].index("compareTo")
    first: list[float] = []
    whole: list[float] = []
    for version in range(2, number + 2):
        before = client.processor_time()
        where = {"line": line, "character": column}
        end = {"line": line, "character": column + (version % 2)}
        change = {"range": {"start": where, "end": end}, "text": "" if version % 2 else "x"}
        document = {"uri": uri, "version": version}
        client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        client.wait(uri, version)
        first.append(client.processor_time() - before)
        client.rest()
        whole.append(client.processor_time() - before)
    return statistics.median(first) * 1000, statistics.median(whole) * 1000


def questions(client: Client, uri: str, text: str, number: int) -> dict[str, float]:
    """Return the median of the milliseconds of each kind of request."""
    offset = text.index("].productName", len(text) // 2) + 4
    before = text[:offset]
    place = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
    out: dict[str, float] = {}
    for name in ("hover", "completion", "definition"):
        taken: list[float] = []
        for _ in range(number):
            start = client.processor_time()
            client.ask(f"textDocument/{name}", {"textDocument": {"uri": uri}, "position": place})
            taken.append(client.processor_time() - start)
        out[name] = statistics.median(taken) * 1000
    return out


def _document(uri: str, text: str) -> dict[str, Any]:
    return {"uri": uri, "languageId": "yaml", "version": 1, "text": text}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Time the language server.")
    parser.add_argument("--keystrokes", type=int, default=40)
    chosen = parser.parse_args()
    print("| load | at once | until it rests |")
    print("|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client = Client(folder)
        answers: dict[str, float] = {}
        for load, text in texts().items():
            uri = (folder / f"{load.replace(' ', '-').replace(',', '')}.yaml").as_uri()
            first, whole = keystrokes(client, uri, text, chosen.keystrokes)
            print(f"| keystroke, {load} | {first:.1f} ms | {whole:.1f} ms |")
            if load == "2,000 lines":
                answers = questions(client, uri, text, chosen.keystrokes)
            client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
            client.rest()
        for question, taken in answers.items():
            print(f"| {question}, 2,000 lines | {taken:.1f} ms | |")
        client.end()
        for number in (1_000, 5_000):
            among_files(folder, number, chosen.keystrokes)


def among_files(folder: Path, number: int, strokes: int) -> None:
    """Print the rows of a folder with so many files."""
    loads.tree(folder, number)
    start = time.perf_counter()
    client = Client(folder)
    text = texts()["100 lines"]
    uri = (folder / "open.yaml").as_uri()
    client.tell("textDocument/didOpen", {"textDocument": _document(uri, text)})
    client.wait(uri, 1)
    print(f"| first findings, {number:,} files, with the start | {time.perf_counter() - start:.2f} s | |")
    client.rest()
    print(f"| all of that | {client.processor_time():.2f} s of processor time | |")
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    first, whole = keystrokes(client, uri, text, strokes)
    print(f"| keystroke, 100 lines among {number:,} files | {first:.1f} ms | {whole:.1f} ms |")
    client.end()


if __name__ == "__main__":
    main()
