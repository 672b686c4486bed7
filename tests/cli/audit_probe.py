"""Runs commands of dralint in one process and notes what each opens for writing, starts and connects to.

python audit_probe.py COMMANDS LOG    COMMANDS is JSON: [[folder, [argument, ...]], ...]; an event is a line of LOG
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

import dralint.__main__ as program

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.mkfifo")
_STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn", "os.startfile", "pty.spawn")
number = -1
log = -1


def note(kind: str, *what: Any) -> None:
    row = json.dumps([number, kind, *(os.fsdecode(w) if isinstance(w, bytes | os.PathLike) else w for w in what)])
    os.write(log, f"{row}\n".encode("utf-8", "backslashreplace"))


def hook(event: str, arguments: tuple[Any, ...]) -> None:
    if number < 0:
        return
    if event == "open":
        path, mode, flags = arguments
        writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else bool((flags or 0) & _WRITING)
        if writes and not isinstance(path, int):
            note("write", os.path.join(os.getcwd(), os.fsdecode(path)))
    elif event in _CHANGING:
        paths = [
            os.path.join(os.getcwd(), os.fsdecode(a)) for a in arguments if isinstance(a, str | bytes | os.PathLike)
        ]
        note("write", *paths)
    elif event == "subprocess.Popen":
        note("start", list(map(os.fsdecode, arguments[1])))
    elif event in _STARTING:
        note("start", [event, repr(arguments)])
    elif event == "socket.__new__" and arguments[1] == socket.AF_UNIX:
        pass  # the two ends that wake the event loop of the server; `bind` and `connect` are noted
    elif event.startswith("socket.") and event != "socket.gethostname":
        note("socket", event)


def main() -> None:
    global number, log
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open(sys.argv[1], encoding="utf-8") as file:
        commands = json.load(file)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.addaudithook(hook)
    for place, (folder, arguments) in enumerate(commands):
        os.chdir(folder)
        sys.path.insert(0, folder)
        sys.argv = ["dralint", *arguments]
        number = place
        status: object = None
        try:
            program.main()
        except SystemExit as end:
            status = end.code
        except BaseException as error:  # noqa: BLE001 - the log says so, and the test fails
            status = repr(error)
        note("end", status or 0)
        number = -1
    number = len(commands)
    for name, module in list(sys.modules.items()):
        note("module", name, getattr(module, "__file__", None) or "")


main()
