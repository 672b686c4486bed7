"""`python -m dralint` and the `dralint` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line; never returns (click exits with the status)."""
    from dralint.cli.main import dralint

    dralint(prog_name="dralint")


if __name__ == "__main__":
    main()
