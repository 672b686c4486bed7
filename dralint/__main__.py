"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations

import gc
import os
import sys

_OBJECTS_A_COLLECTION = 100_000
"""Objects that are made before those that refer to themselves are looked for: there are few, and it takes time."""


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
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
