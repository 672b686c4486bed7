"""Shows repeated findings once: notes on API versions for all their objects, and other repetitions as a count."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.catalogue import API_VERSION_NOTICES
from dralint.finding.finding import Related
from dralint.finding.rule_ids import MORE_BEHIND_DECODING, UNKNOWN_FIELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dralint.finding.finding import Finding

ALIKE, OF_A_RULE = 4, 100
"""How often a report shows the same message, and the same rule, before it counts the rest."""
_KIND = "\0"
"""A placeholder for a kind in a message; no shown text contains it."""


class Shown(NamedTuple):
    """A finding that the report shows, and the findings that it represents."""

    finding: Finding
    more: list[Finding]


class Folded(NamedTuple):
    """The content of a report after folding.

    `rows` are single findings, `facts` those on an API version that several objects have; `waiting` has the objects
    whose problems are not all listed.
    """

    rows: list[Shown]
    facts: list[list[Finding]]
    waiting: list[Finding]


def fold(findings: Iterable[Finding], *, show_all: bool = False) -> Folded:
    """Return the findings as the report shows them; with `show_all`, each one alone."""
    waiting: list[Finding] = []
    single: list[Finding] = []
    facts: dict[tuple[object, ...], list[Finding]] = {}
    for finding in findings:
        if finding.rule == MORE_BEHIND_DECODING:
            waiting.append(finding)
        elif finding.rule in API_VERSION_NOTICES and not show_all:
            api_version = (finding.object or {}).get("apiVersion")
            facts.setdefault((finding.rule, api_version, finding.releases), []).append(finding)
        else:
            single.append(finding)
    single += [group[0] for group in facts.values() if len(group) == 1]
    single.sort(key=lambda finding: finding.order)
    rows = (
        [Shown(finding, []) for finding in single] if show_all or len(single) < 2 else _folded(_of_one_mistake(single))
    )
    return Folded(rows, [group for group in facts.values() if len(group) > 1], waiting)


def messages_of(group: Sequence[Finding]) -> list[str]:
    """Return the messages of notes on one API version; merge those that differ only in the kind."""
    kinds: dict[str, list[str]] = {}
    for message, kind in dict.fromkeys((finding.message, _kind(finding)) for finding in group):
        before, named, behind = message.partition(f" {kind} ")
        kinds.setdefault(f"{before} {_KIND} {behind}" if kind and named else message, []).append(kind)
    shown = [(message, f"{of[0]} (also {', '.join(of[1:])})" if of[1:] else of[0]) for message, of in kinds.items()]
    return [message.replace(_KIND, names) for message, names in shown]


def hints_of(group: Sequence[Finding]) -> list[str]:
    """Return the hints of notes on one API version, each once; if there are several, each one names its kinds.

    A hint that only extends another one is merged with it, because the action is the same.
    """
    kinds: dict[str, list[str]] = {}
    for hint, kind in dict.fromkeys((finding.hint, _kind(finding)) for finding in group if finding.hint):
        kinds.setdefault(hint, []).append(kind)
    for hint in list(kinds):
        longer = next((other for other in kinds if other.startswith(f"{hint}:")), None)
        if longer is not None:
            kinds[longer] += kinds.pop(hint)
    if len(kinds) == 1:
        return list(kinds)
    return [f"for {', '.join(filter(None, of)) or 'the others'}: {hint}" for hint, of in kinds.items()]


def _kind(finding: Finding) -> str:
    return (finding.object or {}).get("kind") or ""


def _of_one_mistake(findings: Sequence[Finding]) -> list[Finding]:
    """Merge the findings on unknown fields of one mapping that one hint mends; show them at the first field."""
    out: dict[tuple[object, ...], Finding] = {}
    for number, finding in enumerate(findings):
        key: tuple[object, ...] = (number,)
        if finding.rule == UNKNOWN_FIELD and finding.hint is not None and finding.fix is None:
            mapping = finding.path.rpartition(".")[0]
            key = (finding.file, finding.document, str(finding.object), mapping, finding.hint, finding.releases)
        first = out.get(key)
        if first is None:
            out[key] = finding
        else:
            span = (finding.line, finding.column, finding.end_line, finding.end_column)
            again = Related(finding.message, finding.file, *span)
            out[key] = first._replace(related=(*first.related, again))
    return list(out.values())


def _folded(findings: Sequence[Finding]) -> list[Shown]:
    alike = Counter((finding.rule, finding.message) for finding in findings)
    rows: list[Shown] = []
    seen: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], Shown] = {}
    for finding in findings:
        same, rule = (finding.rule, finding.message), (finding.rule,)
        folds = alike[same] > ALIKE + 1  # shows one more instead of a count of one
        if folds and seen[same] >= ALIKE:
            last[same].more.append(finding)
        elif seen[rule] >= OF_A_RULE:
            last[rule].more.append(finding)
        else:
            seen[same] += 1
            seen[rule] += 1
            last[same] = last[rule] = Shown(finding, [])
            rows.append(last[rule])
    return rows
