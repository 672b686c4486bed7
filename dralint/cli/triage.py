"""`dralint triage`: shows what is wrong in a dump of a cluster."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import (
    give_up,
    progress,
    show_json,
    show_text,
    tell_faults,
    tell_packed,
    tell_unread,
    wrong_usage,
)
from dralint.config import choices
from dralint.files.discover import discover
from dralint.files.text_parts import size_of
from dralint.finding.report import internal_error
from dralint.triage.dump import read_dump
from dralint.triage.troubles import document, render
from dralint.triage.troubles import triage as look

if TYPE_CHECKING:
    from dralint.config.settings import Settings


class _Triage(ConfiguredCommand):
    of_a_call = frozenset({"format", "kubernetes-version", "feature-gates"})


@click.command(cls=_Triage, short_help="Report what is wrong in a dump of a cluster.")
@click.argument("dumps", nargs=-1, required=True, metavar="DUMP...")
@options.configuration
@options.one_release
@options.option("feature-gates", help="Switch feature gates, in addition to those of the scheduler in the dump.")
@options.timeout(2, "Search for devices so long on each node; 0 means no limit.")
@options.option("show-all", help="Show every object and every trouble.")
@options.option("format", words=["text", "json"])
@options.color
@options.option("quiet", help="Do not show the progress.")
def triage(
    dumps: tuple[str, ...],
    settings: Settings,
    version: str | None,
    feature_gates: tuple[str, ...],
    timeout: float,
    show_all: bool,
    format_: str,
    color: str,
    quiet: bool,
) -> None:
    """Report what is wrong in a dump of a cluster, on one screen.

    DUMP is a file or a folder: the output of `kubectl get -A -o yaml`, of `kubectl cluster-info dump
    --output-directory`, or a must-gather. dralint cuts objects that have nothing to do with devices, such as Secrets,
    out of the text before it reads it.

    The report says which Pods wait and why, which claims nothing satisfies, which pools are incomplete or stale, which
    objects contradict each other, which known faults the release has, which API versions the next release no longer
    serves, and what the dump lacks. The release is that of the dump, unless --kubernetes-version names one.

    Exit status: 0 nothing wrong was found, 1 something is wrong, 2 wrong usage, 3 could not finish.
    """
    del settings  # a configuration is about manifests; a dump describes its cluster itself
    with wrong_usage(choices.ChoiceError):
        releases = choices.releases([version]) if version is not None else ()
        gates = choices.feature_gates(feature_gates, releases)
    found = discover(dumps, documents=False)
    if found.missing:
        raise click.UsageError(f"the path {found.missing[0]!r} does not exist")
    tell_packed(found.left_out)
    try:
        with progress(sum(map(size_of, found.sources)), quiet=quiet, noun="bytes of the dump") as advance:
            dump = read_dump(found.sources, advance)
        if not dump.kinds:
            tell_faults(dump.unread)
            give_up("the dump has no object that matters here")
        out = look(dump, releases[-1] if releases else None, dict(gates), timeout)
    except Exception as error:  # noqa: BLE001 - a dump can hold anything; no traceback for a user
        give_up(internal_error("", error, "in the triage").message)
    if format_ == "json":
        show_json(json.dumps(document(dump, out), indent=1))
    else:
        style = output.style(color, sys.stdout, os.environ)
        show_text(render(dump, out, style, everything=show_all).rstrip("\n"), painted=style.color)
    tell_unread(found.failures)
    sys.exit(3 if found.failures or dump.unread else 1 if out.troubles else 0)
