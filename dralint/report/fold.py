"""What is the same is said once: facts about API versions for all objects that have them, repetitions as a count."""

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
"""How often the same message, and the same rule, is told before the rest is counted."""
_KIND = "\0"
"""Stands for a kind in a message; nothing that is shown has it."""


class Told(NamedTuple):
    """A finding that is told, and those that it stands for besides."""

    finding: Finding
    more: list[Finding]


class Folded(NamedTuple):
    """What a reader is told.

    `told` are findings one by one, `facts` those about an API version that several objects have; `waiting` says of
    objects that not all of their problems are listed.
    """

    told: list[Told]
    facts: list[list[Finding]]
    waiting: list[Finding]


def fold(findings: Iterable[Finding], *, show_all: bool = False) -> Folded:
    """Return the findings as they are told; with `show_all` each by itself."""
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
    told = [Told(finding, []) for finding in single] if show_all or len(single) < 2 else _told(_of_one_mistake(single))
    return Folded(told, [group for group in facts.values() if len(group) > 1], waiting)


def messages_of(group: Sequence[Finding]) -> list[str]:
    """Return the messages of facts about one API version; of those that differ in the kind alone one with all kinds."""
    kinds: dict[str, list[str]] = {}
    for message, kind in dict.fromkeys((finding.message, _kind(finding)) for finding in group):
        before, named, behind = message.partition(f" {kind} ")
        kinds.setdefault(f"{before} {_KIND} {behind}" if kind and named else message, []).append(kind)
    shown = [(message, f"{of[0]} (also {', '.join(of[1:])})" if of[1:] else of[0]) for message, of in kinds.items()]
    return [message.replace(_KIND, names) for message, names in shown]


def hints_of(group: Sequence[Finding]) -> list[str]:
    """Return the hints of facts about one API version, each once; of several it is said for which kinds each is.

    One that another goes on from is told with that: what is to be done is the same.
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
    """Return the findings with unknown fields of one mapping that one hint mends told at the first of them."""
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


def _told(findings: Sequence[Finding]) -> list[Told]:
    alike = Counter((finding.rule, finding.message) for finding in findings)
    told: list[Told] = []
    seen: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], Told] = {}
    for finding in findings:
        same, rule = (finding.rule, finding.message), (finding.rule,)
        folds = alike[same] > ALIKE + 1  # one more is told, not counted
        if folds and seen[same] >= ALIKE:
            last[same].more.append(finding)
        elif seen[rule] >= OF_A_RULE:
            last[rule].more.append(finding)
        else:
            seen[same] += 1
            seen[rule] += 1
            last[same] = last[rule] = Told(finding, [])
            told.append(last[rule])
    return told
