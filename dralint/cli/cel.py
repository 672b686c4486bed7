"""`dralint cel`: tries expressions."""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dralint.cel.advice import advice, unguarded
from dralint.cel.compile import environment_for
from dralint.cel.declarations import MAX_COST
from dralint.cel.machine import Device, Evaluation, devices_of, evaluate
from dralint.cel.render import render
from dralint.cel.table import UnknownDialectError, releases, value
from dralint.cli import options, output
from dralint.cli.options import ConfiguredCommand, OneOf
from dralint.cli.output import show_json, show_text, tell_faults, wrong_usage
from dralint.files.source import read_file, read_stdin
from dralint.finding.report import Failure, unread
from dralint.kubernetes import gates
from dralint.kubernetes.served import known_releases
from dralint.manifest.objects import objects
from dralint.report.safe import printable
from dralint.report.screen import ansi
from dralint.simulate.selection import explain, values
from dralint.validate.relations.selectors import rule_of
from dralint.yaml import read

if TYPE_CHECKING:
    from dralint.cel.compile import Environment
    from dralint.cel.issue import Compilation, Issue
    from dralint.cel.machine import Undecided
    from dralint.config.settings import Settings


class _Cel(ConfiguredCommand):
    of_a_call = frozenset({"format", "slices"})


@click.command(cls=_Cel)
@click.argument("expression", required=False)
@options.configuration
@click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Read the expression from a file, or - for standard input. FILE.jsonl has one expression per line, as a JSON"
    " string.",
)
@options.one_release
@options.option("feature-gates", help="Switch feature gates. By default, they are as in the release.")
@click.option(
    "--kind",
    type=OneOf(["selector", "derived"]),
    default="selector",
    help="Check a selector of devices, or a derived attribute (1.37).",
)
@click.option(
    "--slices",
    type=click.Path(exists=True),
    help="Evaluate the expression for the devices of these ResourceSlices. Unreadable documents are skipped and named.",
)
@options.option("format", words=["text", "json"])
@options.color
def cel(
    expression: str | None,
    file: str | None,
    settings: Settings,
    kind: str,
    slices: str | None,
    format_: str,
    color: str,
) -> None:
    """Try a CEL selector: does the API server accept it, what does it cost, which devices match?

    Without EXPRESSION and --file, read the expression from standard input.

    Exit status: 0 accepted, 1 rejected, 2 wrong usage.
    """
    environment = _environment(settings, kind)
    expressions = _expressions(expression, file)
    devices = _devices(slices) if slices is not None else None
    ran = [_run(environment.compile(each), devices) for each in expressions]
    if format_ == "json":
        show_json(json.dumps({"version": 1, "release": environment.release, "results": list(map(_result, ran))}))
    else:
        painted = output.colored(color, sys.stdout, os.environ)
        for number, one in enumerate(ran):
            if number:
                show_text()
            paint = ansi if painted else None
            text = render(one.compilation, one.issues, one.outcomes, printable, rule_of, paint, (one.why, one.hint))
            show_text(text, painted=painted)
    sys.exit(0 if all(one.compilation.ok for one in ran) else 1)


def _environment(settings: Settings, kind: str) -> Environment:
    known = releases()
    release = settings.releases[-1] if settings.releases else known_releases()[-1]
    name = str(release)
    with wrong_usage(ValueError, of="--kubernetes-version: "):
        if name not in known:
            raise UnknownDialectError(name, known)
        on = gates.enabled(release, dict(settings.gates))
        if kind == "derived":
            return environment_for(name, on, "derived")
        return environment_for(name, on, "device" if value("kinds", "device", name) else "named-resources")


def _expressions(expression: str | None, file: str | None) -> list[str]:
    if expression is not None and file is not None:
        raise click.UsageError("give an expression or --file, not both")
    if expression is not None and expression != "-":
        return [expression]
    of_stdin = file is None or file == "-"
    name = "standard input" if file is None or of_stdin else file
    try:
        text = (read_stdin() if of_stdin else read_file(name)).decode("utf-8")
    except UnicodeDecodeError:
        raise click.UsageError(f"{printable(name)} is not UTF-8") from None
    except OSError as error:
        if error.errno == errno.EBADF:
            raise  # standard input is closed: nothing can be read
        raise click.UsageError(printable(f"cannot read {name}: {error.strerror}")) from None
    if of_stdin or not name.endswith((".jsonl", ".json")):
        return [text.removesuffix("\n")]
    expressions = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, str):
            raise click.UsageError(f"{printable(name)}:{number}: each line must be a JSON string")
        expressions.append(value)
    return expressions


def _devices(path: str) -> list[Device]:
    """Return the devices of the ResourceSlices at a path; tell what is left out, and end the command without any."""
    devices: list[Device] = []
    faults: list[Failure] = []
    for source in options.sources_of([path]):
        try:
            documents = list(read(source.read()))
        except OSError as error:
            faults.append(unread(source.name, error))
            continue
        for document in documents:
            if document.state == "unreadable":
                line, message = document.fault
                faults.append(Failure(source.name, f"the document is left out: {message}", line=line))
            for item in objects(document.data):
                for at, found in devices_of(item.data) if item.kind == "ResourceSlice" else ():
                    if isinstance(found, Device):
                        devices.append(found)
                    else:
                        line = document.span((*item.path, *at, *found.path)).line
                        faults.append(Failure(source.name, str(found), line=line))
    tell_faults(faults)
    if not devices:
        raise click.UsageError(f"{path} has no ResourceSlice with devices")
    return devices


class _Run(NamedTuple):
    """What was found out about an expression; `outcomes` are those of the devices, None where it does not run."""

    compilation: Compilation
    issues: list[Issue]
    outcomes: list[dict[str, Any]] | None
    why: str | None = None
    hint: str | None = None


def _run(compilation: Compilation, devices: list[Any] | None) -> _Run:
    outcomes, why, hint = None, None, None
    if devices is not None and compilation.ok:
        outcomes = [_outcome(evaluate(compilation, device), device) for device in devices]
        why, hint = _why(compilation, devices, outcomes)
    return _Run(compilation, _issues(compilation, devices or [], explained=why is not None), outcomes, why, hint)


def _result(ran: _Run) -> dict[str, Any]:
    compilation = ran.compilation
    first = compilation.issues[0] if compilation.issues else None
    result: dict[str, Any] = {
        "expression": compilation.expression,
        "ok": compilation.ok,
        "stage": compilation.stage,
        "type": compilation.result_type or None,
        "cost": compilation.cost,
        "costLimit": MAX_COST if compilation.cost is not None else None,
        "line": first.line if first is not None else None,
        "column": first.column if first is not None else None,
        "issues": [_issue(issue) for issue in ran.issues],
    }
    if ran.outcomes is not None:
        result |= {"devices": ran.outcomes, "why": ran.why, "hint": ran.hint}
    return result


def _issues(compilation: Compilation, devices: list[Any], *, explained: bool) -> list[Issue]:
    """Return the issues of an expression.

    Args:
        explained: whether the output shows why no device matches. Then it is no help to suggest a check for a name
            that no device has.
    """
    issues = [*compilation.issues, *advice(compilation)]
    if not explained or compilation.root is None:
        return issues

    nowhere = set()
    for node, lookup in unguarded(compilation.root):
        kind, domain, name = map(str, lookup.parts)
        if not values(devices, (kind, domain, name)):
            nowhere.add((node.start, node.end))
    return [one for one in issues if one.code != "unguarded-lookup" or (one.start, one.end) not in nowhere]


def _why(compilation: Compilation, devices: list[Any], outcomes: list[dict[str, Any]]) -> tuple[str | None, str | None]:
    """Return why no device matches, and what to write instead; None where one does, or where this is unknown."""
    if (
        compilation.root is None
        or not devices
        or any(one["matches"] or one["undecided"] is not None for one in outcomes)
    ):
        return None, None

    why, hint = explain(devices, compilation.root)
    return why or None, hint if why else None


def _issue(issue: Issue) -> dict[str, Any]:
    return {
        "rule": rule_of(issue),
        "code": issue.code,
        "effect": issue.severity_effect,
        "reason": issue.reason,
        "message": issue.message,
        "hint": issue.hint,
        "start": issue.start,
        "end": issue.end,
        "line": issue.line,
        "column": issue.column,
    }


def _outcome(outcome: Evaluation | Undecided, device: Device) -> dict[str, Any]:
    known = outcome if isinstance(outcome, Evaluation) else None
    return {
        "device": device.name,
        "driver": device.driver,
        "pool": device.pool,
        "matches": known and known.matches,
        "error": known and known.error,
        "undecided": None if isinstance(outcome, Evaluation) else outcome.why,
        "decidedBy": known and known.decided_by,
        "start": known and known.start,
        "end": known and known.end,
    }
