"""`dralint check`: findings on manifests."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from dralint import gates as gate_table
from dralint.engine import Engine, Settings, known_releases
from dralint.finding import Report
from dralint.release import Release


@click.command()
@click.argument("paths", nargs=-1)
@click.option("--format", "format_", default="text")
@click.option("--kubernetes-version", "versions", multiple=True)
@click.option("--feature-gates", "gates", default="")
def check(paths: tuple[str, ...], format_: str, versions: tuple[str, ...], gates: str) -> None:
    """Check manifests."""
    known = known_releases()
    releases = tuple(Release.parse(v) for v in versions)
    chosen = gate_table.parse(gates)
    gate_table.check(chosen, releases or known)
    engine = Engine(Settings(releases=releases, gates=tuple(chosen.items())))
    report = Report()
    for name in paths:
        path = Path(name)
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            report.extend(engine.check(str(file), file.read_bytes()))
    report.sort()
    from dralint.report import json

    if format_ == "json":
        sys.stdout.write(json.render(report))
    else:
        for f in report.findings:
            click.echo(f"{f.file}:{f.line}:{f.column}: {f.rule} {f.path}: {f.message} [{f.hint}]")
    for failure in report.failures:
        click.echo(f"{failure.file}: {failure.message}", err=True)
    sys.exit(3 if report.failures else 1 if report.count("error") else 0)
