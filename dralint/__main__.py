"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations

import gc
import os
import sys

_OBJECTS_A_COLLECTION = 100_000
"""Objects that are made before those that refer to themselves are looked for: there are few, and it takes time."""


def _leave_out_working_directory() -> None:
    """Import nothing from the working directory, which may be a tree of anyone; `python -m` and PYTHONPATH add it.

    Where dralint itself lies there, it stays.
    """
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if here != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
        sys.path[:] = [place for place in sys.path if place not in ("", os.curdir, here)]
    os.environ["PYTHONSAFEPATH"] = "1"  # for the processes of a run


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    _leave_out_working_directory()
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    # What cannot even be raised (an object that finds no memory to go) is nothing that a user can act upon.
    sys.unraisablehook = id
    try:
        from dralint.cli import main as command_line

        try:
            command_line.dralint(prog_name="dralint")
        except SystemExit:
            if command_line.starved:
                os._exit(3)
            gc.freeze()  # the process ends: nothing is worth looking for
            raise
    except MemoryError:  # not even enough to say so
        os._exit(3)


if __name__ == "__main__":
    main()
