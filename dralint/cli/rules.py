"""`dralint rules`: the catalogue as a list."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from dralint.cli import candidates
from dralint.cli.one_of import OneOf
from dralint.cli.options import colored, terminal_width
from dralint.cli.output import show_text
from dralint.finding import catalogue
from dralint.report.paint import ansi, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.catalogue import Rule
    from dralint.report.paint import Paint


@click.command(short_help="List the rules.")
@click.argument("rule", nargs=-1, metavar="[RULE]...", shell_complete=candidates.rules)
@click.option(
    "--select",
    multiple=True,
    metavar="RULE,...",
    shell_complete=candidates.rules,
    help="The same as RULE.",
)
@click.option("--format", "format_", type=OneOf(["text", "json"]), default="text", help="The format of the output.")
@click.option("--color", type=OneOf(["auto", "always", "never"]), default="auto", help="When to use colours in text.")
def rules(rule: tuple[str, ...], select: tuple[str, ...], format_: str, color: str) -> None:
    """List the rules by area: id, name, effect and summary.

    RULE is an id, the beginning of an id (DRA2), or a name. By default, list all rules.
    """
    from dralint.config import choices

    patterns: tuple[str, ...] = ()
    for where, given in (("RULE", rule), ("--select", select)):
        try:
            patterns += choices.rule_patterns(given)
        except choices.ChoiceError as error:
            raise click.UsageError(f"{where}: {error}") from error
    found = [rule for rule in catalogue.rules().values() if not patterns or _matches(rule, patterns)]
    if format_ == "json":
        show_text(json.dumps([_row(rule) for rule in found], indent=1, ensure_ascii=False))
        return
    painted = colored(color, sys.stdout, os.environ)
    lines = _lines(found, terminal_width(sys.stdout, os.environ), ansi if painted else plain)
    show_text("\n".join(lines), painted=painted)


def _matches(rule: Rule, patterns: Sequence[str]) -> bool:
    return any(rule.id.startswith(pattern) or rule.name == pattern for pattern in patterns)


def _row(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "name": rule.name,
        "effect": rule.effect,
        "severity": rule.severity,
        "kinds": list(rule.kinds),
        "releases": rule.releases,
        "summary": rule.summary,
        "url": rule.url,
    }


def _lines(found: Sequence[Rule], width: int, paint: Paint) -> Iterator[str]:
    names = max(len(rule.name) for rule in found)
    effects = max(len(rule.effect) for rule in found)
    lead = 6 + 2 + names + 2 + effects + 2
    width = max(width, lead + 24)
    for beginning, area in catalogue.AREAS.items():
        of_area = [rule for rule in found if rule.id.startswith(beginning)]
        if of_area:
            yield paint(f"{beginning}xx: {area}", "bold")
        for rule in of_area:
            lines = textwrap.wrap(rule.summary, width - lead) or [""]
            yield (
                f"{paint(rule.id, rule.severity)}  {rule.name:{names}}"
                f"  {paint(rule.effect, rule.severity)}{' ' * (effects - len(rule.effect))}  {lines[0]}"
            )
            yield from (" " * lead + line for line in lines[1:])
        if of_area:
            yield ""
    yield f"{len(found)} {'rule' if len(found) == 1 else 'rules'}; `dralint explain RULE` explains one"
