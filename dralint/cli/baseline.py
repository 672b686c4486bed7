"""`dralint baseline`: accepts the present findings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dralint.cli import options
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import show_line, tell_unread, wrong_usage
from dralint.config.baseline import BaselineError, load
from dralint.config.baseline import write as text_of
from dralint.files.atomic import write_atomically
from dralint.files.discover import discover
from dralint.finding.words import counted
from dralint.lint.pool import run

if TYPE_CHECKING:
    from dralint.config.settings import Settings

DEFAULT = Path(".dralint-baseline.json")


@click.group()
def baseline() -> None:
    """Accept the findings of today, so that `dralint check --baseline FILE` reports only new ones.

    A baseline identifies a finding by rule, object and field path, so moved lines do not matter.
    """


@baseline.command(cls=ConfiguredCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.configuration
@options.judging
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT,
    show_default=True,
    metavar="FILE",
    help="The file to write the baseline to.",
)
def write(paths: tuple[str, ...], output: Path, settings: Settings) -> None:
    """Write a baseline with all findings of `dralint check`.

    Exit status: 0 written, 2 wrong usage or a path that does not exist, 3 could not finish.
    """
    found = discover(paths or (".",), settings.exclude)
    tell_unread((), found.missing)
    if found.missing:
        sys.exit(2)
    settings = options.for_files(settings, found)
    report = run(found.sources, settings)
    if failures := [*found.failures, *report.failures]:
        tell_unread(failures)
        sys.exit(3)
    write_atomically(output, text_of(report.findings).encode())
    accepted = counted(len(report.findings), "finding")
    show_line(f"{output}: {accepted} accepted; use it with --baseline {output}")


@baseline.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=DEFAULT, metavar="[FILE]")
def show(file: Path) -> None:
    """List the findings that a baseline accepts, and how often."""
    with wrong_usage(BaselineError):
        accepted = load(file)
    for (rule, kind, namespace, name, path, where), count in accepted.items():
        object_name = "/".join(part for part in (namespace, name) if part)
        subject = " ".join(part for part in (kind, object_name) if part) or where
        show_line(f"{count:>5}  {rule}  {subject}  {path}".rstrip())
