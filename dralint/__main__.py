"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    # What cannot even be raised (an object that finds no memory to go) is nothing that a user can act upon.
    sys.unraisablehook = id
    try:
        from dralint.cli import main as command_line

        try:
            command_line.dralint(prog_name="dralint")
        except SystemExit:
            if command_line.starved:
                os._exit(3)
            raise
    except MemoryError:  # not even enough to say so
        os._exit(3)


if __name__ == "__main__":
    main()
