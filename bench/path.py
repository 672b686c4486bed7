"""Count the modules and functions of dralint that run on the way of one finding, and what they do again.

    python bench/path.py            # the numbers of each way
    python bench/path.py --list     # the functions that one misspelt field enters, in the order of their first calls
    python bench/path.py --list template

The ways: `field`, a misspelt field is checked; `template`, a Pod whose template is missing is checked; `write`, the
misspelt field is repaired with `fix --write`.

A function counts once, however often it is called. Bodies of modules and classes do not count: they run when something
is imported, whatever is checked. Nor do lambdas, comprehensions and generator expressions. A module counts if something
in it counts. `read` says how often one of the two readers reads the same text at most, and `judged` how often a release
judges the same object at most.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import CodeType, FrameType

FIELD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        alocationMode: All
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: large-gpu
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.example.com
---
apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  containers:
  - name: train
    image: train
    resources:
      claims:
      - name: gpu
  resourceClaims:
  - name: gpu
    resourceClaimTemplateName: large-gpus
"""


class Way(NamedTuple):
    """A command, the manifest that it gets, and a word that it shows or writes."""

    command: tuple[str, ...]
    manifest: str
    word: str


WAYS = {
    "field": Way(("check",), FIELD, "alocationMode"),
    "template": Way(("check",), TEMPLATE, "large-gpus"),
    "write": Way(("fix", "--write"), FIELD, "allocationMode"),
}
_AGAIN = {"quick": "text", "compose": "text", "Judge._found": "item"}
"""Functions that should see the same value once → the parameter with it."""
_HOME = Path(__file__).resolve().parent.parent


class Followed(NamedTuple):
    """The functions (module, name, line) in the order of their first calls, and how often the same is done at most."""

    functions: list[tuple[str, str, int]]
    read: int
    judged: int


def follow(way: Way) -> Followed:
    """Return what runs on a way."""
    seen: dict[CodeType, None] = {}
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.setdefault(frame.f_code)
            parameter = _AGAIN.get(frame.f_code.co_qualname)
            if parameter is not None:
                value = frame.f_locals[parameter]
                calls[frame.f_code.co_qualname, repr(getattr(value, "data", value))] += 1

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "claim.yaml")
        file.write_text(way.manifest, encoding="utf-8")
        sys.argv[1:] = [*way.command, str(file)]
        shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(shown), contextlib.chdir(folder), contextlib.suppress(SystemExit):
            from dralint.__main__ import main

            sys.setprofile(note)
            try:
                main()
            finally:
                sys.setprofile(None)
        shown.seek(0)
        if way.word not in shown.read() + file.read_text("utf-8"):
            raise SystemExit(f"dralint has not come to {way.word}")
    ours = str(_HOME / "dralint") + "/"
    entered = [
        (code.co_filename.removeprefix(ours), code.co_qualname, code.co_firstlineno)
        for code in seen
        if code.co_filename.startswith(ours)
        and not code.co_name.startswith("<")
        and code.co_flags & inspect.CO_OPTIMIZED  # not the body of a class
    ]
    judged = max(count for (name, _), count in calls.items() if _AGAIN[name] == "item")
    return Followed(entered, max(count for (name, _), count in calls.items() if _AGAIN[name] == "text"), judged)


def _main(chosen: list[str]) -> None:
    if not chosen:  # each in a process of its own: what a way imports or keeps must not shorten the next
        for name in WAYS:
            run = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True, check=True)
            print(run.stdout, end="")
        return
    sys.path.insert(0, str(_HOME))
    name = chosen[-1] if chosen[-1] in WAYS else "field"
    found = follow(WAYS[name])
    if "--list" in chosen:
        for module, function, line in found.functions:
            print(f"{module}:{line} {function}")
    modules = {module for module, _, _ in found.functions}
    print(f"{name}: {len(modules)} modules, {len(found.functions)} functions, read {found.read}, judged {found.judged}")


if __name__ == "__main__":
    _main(sys.argv[1:])
