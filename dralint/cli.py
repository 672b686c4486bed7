"""The command line: one lazily loaded module of dralint.commands for each command."""

from __future__ import annotations

import importlib
import sys
from typing import cast

import click

from dralint import __version__

COMMANDS = {
    "check": "Check manifests: what would the API server say?",
    "diff": "Judge changed manifests as updates: what would the API server refuse?",
    "cel": "Try a CEL selector out.",
    "explain": "Explain a rule, or a field of a kind.",
    "rules": "List the rules.",
    "schema": "The JSON Schemas, for editors and other tools.",
}
"""Command → its line in the list of commands; the module of the same name is imported when it is called."""


class _Lazy(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("dralint: interrupted", err=True)
            sys.exit(3)  # click's own 1 would say that there are findings

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return cast("click.Command", getattr(importlib.import_module(f"dralint.commands.{cmd_name}"), cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="dralint")
def dralint() -> None:
    """The API server's verdict on Kubernetes Dynamic Resource Allocation manifests: offline, with line and reason.

    Exit status: 0 nothing found at or above --fail-on, 1 findings, 2 wrong usage or configuration,
    3 could not finish.
    """
