"""`dralint rules`: the catalogue as a list."""

from __future__ import annotations

import json
import os
import sys
import textwrap

import click

from dralint.cli.options import terminal_width
from dralint.finding import catalogue


@click.command(short_help="List the rules.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="The format.")
def rules(format_: str) -> None:
    """List the rules: id, name, what Kubernetes does with such an object, and a sentence."""
    found = list(catalogue.rules().values())
    if format_ == "json":
        rows = [
            {
                "id": rule.id,
                "name": rule.name,
                "effect": rule.effect,
                "severity": rule.severity,
                "kinds": list(rule.kinds),
                "releases": rule.releases,
                "summary": rule.summary,
                "url": rule.url,
            }
            for rule in found
        ]
        click.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    names = max(len(rule.name) for rule in found)
    effects = max(len(rule.effect) for rule in found)
    lead = 6 + 2 + names + 2 + effects + 2
    width = max(terminal_width(sys.stdout, os.environ), lead + 24)
    for rule in found:
        lines = textwrap.wrap(rule.summary, width - lead) or [""]
        click.echo(f"{rule.id:6}  {rule.name:{names}}  {rule.effect:{effects}}  {lines[0]}")
        for line in lines[1:]:
            click.echo(" " * lead + line)
    click.echo(f"\n{len(found)} rules; `dralint explain RULE` says more of one")
