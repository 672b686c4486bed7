"""The report of an upgrade as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.report.printable import printable
from dralint.report.words import counted, object_name
from dralint.upgrade.plan import SECTIONS

if TYPE_CHECKING:
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
    _section(out, "API versions that end", [row for end in plan.ends for row in _end(end)], len(plan.ends))
    for name, words, entries_of in SECTIONS:
        rows = [
            row for entry in entries_of(plan) for row in _entry(entry, words, hint=name not in ("kept", "accepted"))
        ]
        _section(out, titles[name], rows, len(entries_of(plan)))
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
    ended = sum(not end.announced for end in plan.ends)
    counts = f"{counted(plan.report.files, 'file')}, {counted(plan.report.objects, 'object')}: "
    parts = [f"{counted(ended, 'object')} in API versions that end"] if ended else []
    if plan.refused:
        parts.append(counted(len(plan.refused), "refusal"))
    if plan.broken:
        parts.append(f"{len(plan.broken)} no longer working")
    if plan.dropped:
        parts.append(f"{counted(len(plan.dropped), 'field')} removed")
    text = counts + (", ".join(parts) or "nothing stands in the way of the upgrade")
    if plan.before:
        text += f"; {counted(plan.before, 'object')} refused before and afterwards (see `dralint check`)"
    if plan.report.skipped:
        text += f"; {counted(len(plan.report.skipped), 'document')} skipped"
    return text


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


def _end(end: End) -> list[str]:
    item = end.finding.object or {}
    now = "announced: " if end.announced else ""
    rows = [f"{_place(end.finding)}: {now}{item.get('apiVersion')} is not served from {end.ends_in} on"]
    if end.announced:
        return rows
    if end.common is not None and end.common != item.get("apiVersion"):
        rows.append(f"    every release on the way serves {end.common}: migrate before the upgrade")
    elif end.common is None:
        rows.append("    no API version is served all the way: migrate while the cluster is upgraded")
    return rows


def _place(finding: Finding) -> str:
    where = f"{printable(finding.file)}:{finding.line}:{finding.column}"
    name = printable(object_name(finding))
    return f"{where}: {name}, {printable(finding.path)}" if name else where


def _named(item: dict[str, str | None]) -> str:
    full = "/".join(part for part in (item["namespace"], item["name"]) if part)
    return f"{item['kind']} {full}".rstrip()
