"""Count the modules and functions of dralint that run when one file with one misspelt field is checked.

    python bench/path.py            # the two numbers
    python bench/path.py --list     # the functions, in the order of their first calls

A function counts once, however often it is called. Bodies of modules and classes do not count: they run when something
is imported, whatever is checked. Nor do lambdas, comprehensions and generator expressions. A module counts if something
in it counts.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType

MANIFEST = """\
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
_HOME = Path(__file__).resolve().parent.parent


def functions() -> list[tuple[str, str, int]]:
    """Return module, name and line of each function that runs, in the order of the first calls."""
    seen: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.setdefault(frame.f_code)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "claim.yaml")
        file.write_text(MANIFEST, encoding="utf-8")
        sys.argv[1:] = ["check", str(file)]
        shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(shown), contextlib.chdir(folder), contextlib.suppress(SystemExit):
            from dralint.__main__ import main

            sys.setprofile(note)
            try:
                main()
            finally:
                sys.setprofile(None)
    shown.seek(0)
    if "alocationMode" not in shown.read():
        raise SystemExit("dralint has not reported the misspelt field")
    ours = str(_HOME / "dralint") + "/"
    return [
        (code.co_filename.removeprefix(ours), code.co_qualname, code.co_firstlineno)
        for code in seen
        if code.co_filename.startswith(ours)
        and not code.co_name.startswith("<")
        and code.co_flags & inspect.CO_OPTIMIZED  # not the body of a class
    ]


if __name__ == "__main__":
    listed = "--list" in sys.argv
    sys.path.insert(0, str(_HOME))
    found = functions()
    if listed:
        for module, name, line in found:
            print(f"{module}:{line} {name}")
    print(f"{len({module for module, _, _ in found})} modules, {len(found)} functions")
