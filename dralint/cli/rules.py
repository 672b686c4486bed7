"""`dralint rules`: the catalogue as a list."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import click

from dralint.cli import options, output
from dralint.cli.output import show_json, show_text, wrong_usage
from dralint.config import choices
from dralint.config.settings import Settings, wanted
from dralint.finding import catalogue
from dralint.finding.words import counted
from dralint.report.screen import draw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.finding.catalogue import Rule
    from dralint.report.screen import Part, Words


@click.command(short_help="List the rules.")
@click.argument("rule", nargs=-1, metavar="[RULE]...", shell_complete=options.complete_rules)
@click.option(
    "--select",
    multiple=True,
    metavar="RULE,...",
    shell_complete=options.complete_rules,
    help="The same as RULE.",
)
@options.option("format", words=["text", "json"])
@options.color
def rules(rule: tuple[str, ...], select: tuple[str, ...], format_: str, color: str) -> None:
    """List the rules by area: id, name, effect and summary.

    RULE is an id, the beginning of an id (DRA2), or a name. By default, list all rules.
    """
    patterns: tuple[str, ...] = ()
    for where, given in (("RULE", rule), ("--select", select)):
        with wrong_usage(choices.ChoiceError, of=f"{where}: "):
            patterns += choices.rule_patterns(given)
    found = [rule for rule in catalogue.rules().values() if wanted(rule, Settings(select=patterns))]
    if format_ == "json":
        show_json(json.dumps([_row(rule) for rule in found], indent=1, ensure_ascii=False))
        return
    style = output.style(color, sys.stdout, os.environ)
    show_text(draw(_parts(found), style).removesuffix("\n"), painted=style.color)


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


def _parts(found: Sequence[Rule]) -> Iterator[Part]:
    names = max(len(rule.name) for rule in found)
    effects = max(len(rule.effect) for rule in found)
    for beginning, area in catalogue.AREAS.items():
        rows: list[list[Words]] = [
            [
                (rule.id, rule.severity),
                f"{rule.name:{names}}",
                (f"{rule.effect:{effects}}", rule.severity),
                rule.summary,
            ]
            for rule in found
            if rule.id.startswith(beginning)
        ]
        if rows:
            yield (f"{beginning}xx: {area}", "bold")
            yield rows
            yield ""
    yield f"{counted(len(found), 'rule')}; `dralint explain RULE` explains one"
