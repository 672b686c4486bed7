"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    from dralint.cli import main as command_line

    try:
        command_line.dralint(prog_name="dralint")
    finally:
        if command_line.starved:
            import os

            os._exit(3)


if __name__ == "__main__":
    main()
