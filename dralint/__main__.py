"""Runs the command line: `python -m dralint` and the `dralint` command."""

from __future__ import annotations

import gc
import os
import sys
from importlib.machinery import PathFinder

_OBJECTS_A_COLLECTION = 100_000
"""New objects between two searches for reference cycles: there are few cycles, and a search takes time."""


def _leave_out_working_directory() -> None:
    """Import nothing from the working directory, which `python -m` and PYTHONPATH add: its author may be anyone.

    If dralint itself is there, the directory stays.
    """
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if here != os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
        sys.path[:] = [place for place in sys.path if place not in ("", os.curdir, here)]
    os.environ["PYTHONSAFEPATH"] = "1"  # for the processes of a run


def _needs_libyaml() -> None:
    """End with a sentence where PyYAML has no libyaml; to import it would take ten times as long."""
    package = PathFinder.find_spec("yaml")
    if package is None or PathFinder.find_spec("yaml._yaml", package.submodule_search_locations) is None:
        print("Error: dralint needs PyYAML with libyaml, and this one has none: install a wheel", file=sys.stderr)  # noqa: T201
        sys.exit(3)


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    _leave_out_working_directory()
    _needs_libyaml()
    gc.set_threshold(_OBJECTS_A_COLLECTION)
    # A user cannot act upon an error that cannot even be raised (an object whose removal finds no memory).
    sys.unraisablehook = id
    try:
        from dralint.cli import main as command_line

        try:
            command_line.dralint(prog_name="dralint")
        except SystemExit:
            if command_line.starved:
                os._exit(3)
            gc.freeze()  # the process ends: a search for cycles is useless
            raise
    except MemoryError:  # there is not even memory for the message
        os._exit(3)


if __name__ == "__main__":
    main()
