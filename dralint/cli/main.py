"""The command line: loads the module of a command when it is called."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, cast

import click
from click.shell_completion import CompletionItem

from dralint import __version__
from dralint.cli.output import shown, silence, tell

if TYPE_CHECKING:
    from collections.abc import Iterator


COMMANDS = {
    "check": "Check manifests as the API server does.",
    "diff": "Check changed manifests as updates of existing objects.",
    "fix": "Repair manifests where the correction is known.",
    "migrate": "Rewrite manifests to another API version.",
    "upgrade": "Report what an upgrade of the cluster changes for manifests.",
    "simulate": "Simulate the scheduler: which devices does a Pod get, and why not?",
    "triage": "Report what is wrong in a dump of a cluster.",
    "baseline": "Accept the findings of today, so that only new ones are reported.",
    "cel": "Try a CEL selector: verdict, type, cost, matching devices.",
    "explain": "Explain a rule, a field, a feature gate or a driver.",
    "rules": "List the rules.",
    "new": "Write a claim, template, class or Pod for the devices of a driver.",
    "pack": "Check, make and show driver packs: parameters and devices of drivers.",
    "server": "Serve an editor: findings while you type, fixes, hover, completion.",
    "schema": "Print or export JSON Schemas for editors and other tools.",
    "completion": "Print the shell completion for bash, zsh or fish.",
}
"""Command → its line in the list of commands; the module of the same name is imported when the command is called."""

_MEANT = {
    "allocate": "simulate",
    "apply": "check",
    "convert": "migrate",
    "create": "new",
    "generate": "new",
    "init": "new",
    "lint": "check",
    "list": "rules",
    "plan": "upgrade",
    "schedule": "simulate",
    "test": "check",
    "update": "diff",
    "validate": "check",
    "verify": "check",
}
"""What other programs call a command → its name here."""
_OPTIONS = ("help", "version")


starved = False
"""Whether a command has ended for lack of memory: an orderly end needs some, too."""

_OF_OUTPUT = {errno.EBADF, errno.EFBIG, errno.EIO, errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextlib.contextmanager
def _exit_status_3() -> Iterator[None]:
    """End the program with 3 where it cannot finish: the status of click and of a traceback is 1, which means
    "findings"."""
    try:
        yield
    except click.ClickException as error:
        tell(*shown(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        tell("dralint: interrupted")
        sys.exit(3)
    except MemoryError as error:
        error.__traceback__ = None  # an orderly end needs the memory that its frames hold
        with contextlib.suppress(OSError, MemoryError):
            silence(sys.stdout)
        with contextlib.suppress(OSError, MemoryError):
            tell("dralint: there is not enough memory to finish")
        global starved
        starved = True
        sys.exit(3)
    except OSError as error:
        what = error.filename or ("standard output cannot be written" if error.errno in _OF_OUTPUT else "")
        if error.errno == errno.ENOENT and not what:  # reading the working directory names no file
            error.strerror = "the working directory does not exist"
        stopped = error.errno == errno.EPIPE  # the reader has stopped early, such as head
        if not stopped:
            with contextlib.suppress(OSError):
                tell(": ".join(filter(None, ("dralint", str(what), error.strerror or str(error)))))
        silence(sys.stdout)
        silence(sys.stderr)
        sys.exit(0 if stopped else 3)


def command(name: str) -> click.Command:
    """Return a command of COMMANDS, importing its module."""
    return cast("click.Command", getattr(importlib.import_module(f"dralint.cli.{name}"), name))


def _meant(word: str) -> str:
    """Return a suggestion for an unknown command, as the end of a sentence."""
    from dralint.cli.options import closest_word

    meant = closest_word(word, list(COMMANDS), _MEANT)
    if meant is not None:
        return f"; did you mean {meant!r}?"
    if word in _OPTIONS:
        return f"; did you mean --{word}?"
    if os.path.exists(word):  # noqa: PTH110 - it may be no path at all
        return f"; to check it, write: dralint check {word}"
    return f"; there are {', '.join(COMMANDS)}"


class _Lazy(click.Group):
    def main(self, *args: Any, **extra: Any) -> Any:
        with _exit_status_3():
            if sys.stdout is None:
                raise OSError(errno.EBADF, "it is closed")
            if "_DRALINT_COMPLETE" in os.environ:
                importlib.import_module("dralint.cli.completion")
            return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _exit_status_3():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        with _exit_status_3():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}{_meant(args[0])}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command(cmd_name) if cmd_name in COMMANDS else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        options = super().shell_complete(ctx, incomplete) if incomplete.startswith("-") else []

        named = [CompletionItem(name, help=said) for name, said in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="dralint", message="%(prog)s %(version)s")
def dralint() -> None:
    """Check manifests of Kubernetes Dynamic Resource Allocation as the API server does, offline, with line and reason.

    Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or configuration, 3 could not finish.
    """
