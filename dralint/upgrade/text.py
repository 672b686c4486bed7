"""The report of an upgrade as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.report.printable import printable
from dralint.report.words import counted, object_name, skipped
from dralint.upgrade.plan import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.finding.finding import Finding
    from dralint.upgrade.plan import End, Entry, Plan, Rewriting


def render(plan: Plan) -> str:
    """Return the report, section by section, with a final newline; a section without entries is left out."""
    first, last = plan.source, plan.target
    way = ", ".join(map(str, plan.steps[1:-1]))
    out = [f"from {first} to {last}{f', by way of {way}' if way else ''}", ""]
    titles = {
        "refused": f"{last} refuses what {first} takes",
        "broken": f"works in {first}, and in {last} no longer",
        "dropped": f"{last} removes silently what {first} keeps",
        "deprecated": f"deprecated in {last}, but not in {first}",
        "enable": f"served by {last} only where the administrator has enabled it",
        "kept": f"{last} keeps what {first} removes silently",
        "accepted": f"{last} takes what {first} refuses",
    }
    ended, announced = _ends(plan)
    rows = [row for end in ended for row in _end(end)]
    _section(out, f"objects in API versions that {last} no longer serves", rows, len(ended))
    for name, words, entries_of in SECTIONS:
        entries = entries_of(plan)
        if name == "deprecated":  # what has an announced end is told there
            entries = [entry for entry in entries if all(entry.finding is not end.finding for end in announced)]
        rows = [row for entry in entries for row in _entry(entry, words, hint=name not in ("kept", "accepted"))]
        _section(out, titles[name], rows, len(entries))
    _section(out, f"objects in API versions that end after {last}", _later(announced), len(announced))
    rows = [f"{printable(row.file)}:{row.line}: {printable(_named(row.object))} {_to(row)}" for row in plan.rewritten]
    _section(out, f"`dralint migrate --to {last}` would rewrite", rows, len(rows))
    rows = [f"{_place(finding)}: {printable(finding.message)}" for finding in plan.left_alone]
    _section(out, f"`dralint migrate --to {last}` would leave alone", rows, len(rows))
    rows = [f"{usable.kind}.{usable.path} (from {usable.release})" for usable in plan.usable]
    _section(out, f"fields that {last} has to use and {first} has not", rows, len(rows))
    out.append(summary(plan))
    return "\n".join(out) + "\n"


def summary(plan: Plan) -> str:
    """Return the last line: what has to be done before the upgrade."""
    ended, announced = map(len, _ends(plan))
    counts = f"{counted(plan.report.files, 'file')}, {counted(plan.report.objects, 'object')}: "
    parts = [f"{counted(ended, 'object')} in API versions that {plan.target} no longer serves"] if ended else []
    if plan.refused:
        parts.append(counted(len(plan.refused), "refusal"))
    if plan.broken:
        parts.append(f"{len(plan.broken)} no longer working")
    if plan.dropped:
        parts.append(f"{counted(len(plan.dropped), 'field')} removed")
    text = counts + (", ".join(parts) or "nothing stands in the way of the upgrade")
    if announced:
        text += f"; {counted(announced, 'object')} in API versions that end later"
    if plan.before:
        text += f"; {counted(plan.before, 'object')} refused before and afterwards (see `dralint check`)"
    return text + printable(skipped(plan.report))


def _section(out: list[str], title: str, rows: list[str], number: int) -> None:
    if rows:
        out += [f"{title}: {number}", *(f"  {row}" for row in rows), ""]


def _entry(entry: Entry, words: str, *, hint: bool) -> list[str]:
    finding = entry.finding
    rows = [
        f"{_place(finding)}: {printable(finding.message)}",
        f"    {words} {entry.release}{' on' if words.endswith('from') else ''}",
    ]
    return [*rows, f"    hint: {printable(finding.hint)}"] if hint and finding.hint else rows


def _to(row: Rewriting) -> str:
    return (
        f"to {row.api_version}" if row.api_version != row.object["apiVersion"] else "to the form of claims since 1.31"
    )


def _ends(plan: Plan) -> tuple[list[End], list[End]]:
    """Return the ends that the upgrade brings, and those that are announced for after it."""
    return [end for end in plan.ends if not end.announced], [end for end in plan.ends if end.announced]


def _end(end: End) -> list[str]:
    version = (end.finding.object or {}).get("apiVersion")
    rows = [f"{_place(end.finding)}: {version} is not served from {end.ends_in} on"]
    if end.common is not None and end.common != version:
        rows.append(f"    every release on the way serves {end.common}: migrate before the upgrade")
    elif end.common is None:
        rows.append("    no API version is served all the way: migrate while the cluster is upgraded")
    return rows


def _later(ends: Sequence[End]) -> list[str]:
    """Return what holds of an API version once, and then the objects in it."""
    groups: dict[tuple[str, str | None], list[End]] = {}
    for end in ends:
        version = (end.finding.object or {}).get("apiVersion")
        groups.setdefault((f"{version} is not served from {end.ends_in} on", end.finding.hint), []).append(end)
    rows: list[str] = []
    for (text, hint), found in groups.items():
        rows += [
            f"{text}{f': {printable(hint)}' if hint else ''}",
            *(f"    {_place(end.finding, path=False)}" for end in found),
        ]
    return rows


def _place(finding: Finding, *, path: bool = True) -> str:
    where = f"{printable(finding.file)}:{finding.line}:{finding.column}"
    name = printable(object_name(finding))
    parts = [part for part in (name, printable(finding.path) if path else "") if part]
    return f"{where}: {', '.join(parts)}" if name else where


def _named(item: dict[str, str | None]) -> str:
    full = "/".join(part for part in (item["namespace"], item["name"]) if part)
    return f"{item['kind']} {full}".rstrip()
