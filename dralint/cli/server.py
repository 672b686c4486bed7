"""`dralint server`: a language server for editors."""

from __future__ import annotations

import sys

import click

from dralint import __repository__


@click.command()
@click.option("--stdio", is_flag=True, expose_value=False, help="Use standard input and output, as without the option.")
def server() -> None:
    """Serve an editor: findings while you type, fixes, hover, completion. It speaks the Language Server Protocol.

    An editor starts this command and talks to it on standard input and output. It needs the
    library pygls, which dralint installs with its extra `server`.

    Exit status: 0 the editor has ended it, 1 the editor has ended it without a shutdown, 2 wrong usage or a missing
    library.
    """
    try:
        from dralint.server.language_server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        command = f"pip install 'dralint[server] @ git+{__repository__}'"
        raise click.UsageError(f"the language server needs a library: {command}") from error
    sys.exit(serve())
