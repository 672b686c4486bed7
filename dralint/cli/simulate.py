"""`dralint simulate`: which devices would a Pod get, and if none, why not?"""

from __future__ import annotations

import json

import click


@click.command(short_help="Which devices would a Pod get on which node, and if none, why not?")
@click.option("--scenarios", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="FILE")
@click.option("--format", "format_", type=click.Choice(["text", "json", "jsonl"]), default="text")
def simulate(scenarios: str, format_: str) -> None:
    """Simulate the allocation of devices."""
    from dralint.simulate.scenarios import answers

    with click.open_file(scenarios, encoding="utf-8") as lines:
        for answer in answers(lines):
            click.echo(json.dumps(answer, ensure_ascii=False))
