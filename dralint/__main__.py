"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    # What cannot even be raised (an object that finds no memory to go) is nothing that a user can act upon.
    sys.unraisablehook = id
    from dralint.cli import main as command_line

    try:
        command_line.dralint(prog_name="dralint")
    finally:
        if command_line.starved:
            import os

            os._exit(3)


if __name__ == "__main__":
    main()
