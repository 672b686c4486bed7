"""`dralint upgrade`: shows what an upgrade of the cluster means for manifests."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand
from dralint.cli.output import tell_unread, write_bytes, wrong_usage
from dralint.config import choices
from dralint.files.discover import discover
from dralint.upgrade.plan import as_json, plan, render

if TYPE_CHECKING:
    from dralint.config.settings import Settings
    from dralint.kubernetes.release import Release


class _Upgrade(ConfiguredCommand):
    of_a_call = frozenset({"format"})


@click.command(cls=_Upgrade, short_help="Report what an upgrade of the cluster changes for manifests.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.configuration
@click.option(
    "--from",
    "before",
    required=True,
    metavar="RELEASE",
    shell_complete=options.complete_releases,
    help="The present release of the cluster, such as 1.33.",
)
@click.option(
    "--to",
    "after",
    required=True,
    metavar="RELEASE",
    shell_complete=options.complete_releases,
    help="The release after the upgrade, such as 1.36.",
)
@options.option("feature-gates", help="Switch feature gates for both releases.")
@options.option("ignore-status")
@options.option("exclude")
@options.option("format", words=["text", "json"])
@options.color
def upgrade(
    paths: tuple[str, ...],
    before: str,
    after: str,
    settings: Settings,
    format_: str,
    color: str,
) -> None:
    """Report what an upgrade of the cluster means for manifests.

    PATH is a file, a directory, a glob, or - for standard input. The default is the current directory.

    The report begins with what blocks the upgrade: API versions that end, and objects that the new release refuses.
    Then it lists objects that no longer work, fields that the new release removes without a message or deprecates, what
    `dralint migrate` would do, what the new release accepts and the old one refuses, and fields that become usable.
    Each entry names the release in which the change begins. Patches, such as 1.36.1, decide on known faults.

    Exit status: 0 nothing blocks the upgrade, 1 the new release refuses objects that the old one accepts, 2 wrong usage
    or a path that does not exist, 3 could not finish.
    """
    source, target = _release("--from", before), _release("--to", after)
    patches = choices.patches([before, after])
    is_patch = len(patches) == len((before, after)) and patches[0] < patches[1]
    if target < source or (target == source and not is_patch):
        raise click.UsageError(f"--to {target} is not an upgrade from {source}; it must be a later release")
    with wrong_usage(choices.ChoiceError, of="--feature-gates: "):
        gates = choices.feature_gates(dict(settings.gates), choices.releases([f"{source}..{target}"]))
    found = discover(paths or (".",), settings.exclude)
    out = plan(found.sources, source, target, gates=gates, ignore_status=settings.ignore_status, patches=patches)
    style = output.style(color, sys.stdout, os.environ)
    text = as_json(out) if format_ == "json" else render(out, style)
    write_bytes(text.encode("utf-8", "backslashreplace"))
    failures = [*found.failures, *out.report.failures]
    tell_unread(failures, found.missing)
    sys.exit(3 if failures else 2 if found.missing else 1 if out.stops else 0)


def _release(option: str, text: str) -> Release:
    with wrong_usage(choices.ChoiceError, of=f"{option}: "):
        releases = choices.releases([text])
    if len(releases) != 1:
        raise click.UsageError(f"{option}: {text!r} is a range; name one release")
    return releases[0]
