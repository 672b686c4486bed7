"""Removes suppressed findings and sets severities; verdicts do not change."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING

from dralint.config.baseline import load
from dralint.config.settings import matches, names, settings_of, wanted
from dralint.finding import catalogue
from dralint.finding.finding import Edit, Fix, of_rule
from dralint.finding.rule_ids import MALFORMED_SUPPRESSION, UNKNOWN_RULE_IN_SUPPRESSION, UNUSED_SUPPRESSION
from dralint.kubernetes.near import closest
from dralint.yaml import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path as FilePath

    from dralint.config.choices import Ignore
    from dralint.config.settings import Settings
    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding, Pattern, Suppression
    from dralint.finding.report import Report


def suppress(report: Report, settings: Settings, suppressions: Sequence[Suppression]) -> None:
    """Remove what comments, the configuration and the baseline suppress, and apply the severities."""
    if suppressions:
        _commented(report, settings, suppressions)  # first: a comment that suppresses nothing is a finding too
    if settings.ignores or settings.overrides:
        _ignored(report, settings)
    if settings.baseline is not None:
        _accepted(report, settings.baseline)  # a baseline counts what is left
    if settings.severity or settings.overrides:
        _weighed(report, settings)


def covers(ignore: Ignore, finding: Finding, rule: Rule) -> bool:
    """Say whether an entry ignores the finding: its rule, file, object and field path must match, where it has them."""
    return (
        any(names(pattern, rule) for pattern in ignore.rules)
        and (not ignore.object or _is_object(ignore.object, finding))
        and (
            not ignore.path
            or finding.path == ignore.path
            or finding.path.startswith((ignore.path + ".", ignore.path + "["))
        )
        and (not ignore.paths or matches(ignore.paths, ignore.base, finding.file))
    )


def _is_object(text: str, finding: Finding) -> bool:
    """Say whether NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME is the object of the finding."""
    if finding.object is None:
        return False
    kind, namespace, name = (finding.object.get(key) or "" for key in ("kind", "namespace", "name"))
    return text in (name, f"{namespace}/{name}", f"{kind}/{name}", f"{kind}/{namespace}/{name}")


OFF = "off"
_MOST_COMPARED = 500
"""How many unknown names of rules are compared with the known ones in one run."""
_Lines = dict[tuple[str, str], list[int]]
"""The lines of the findings that match a pattern, in order, by file and pattern."""


def _commented(report: Report, settings: Settings, suppressions: Sequence[Suppression]) -> None:
    """Remove and count the findings that comments suppress, and report comments that suppress nothing."""
    rules = catalogue.rules(settings.rules_index)
    kept, lines = _uncommented(report, suppressions, rules, catalogue.by_pattern(settings.rules_index))
    report.suppressed += len(report.findings) - len(kept)
    report.findings = [*kept, *_about(report, suppressions, lines, settings, rules)]


def _ignored(report: Report, settings: Settings) -> None:
    """Remove and count the findings that `ignores` of the configuration covers."""
    rules = catalogue.rules(settings.rules_index)
    held = cache(lambda file: settings_of(file, settings))
    _keep(
        report,
        [
            finding
            for finding in report.findings
            if not any(covers(ignore, finding, rules[finding.rule]) for ignore in held(finding.file).ignores)
        ],
    )


def _accepted(report: Report, baseline: FilePath) -> None:
    """Remove and count the findings that a baseline accepts."""
    _keep(report, load(baseline).rest(report.findings))


def _keep(report: Report, kept: list[Finding]) -> None:
    report.suppressed += len(report.findings) - len(kept)
    report.findings = kept


def _weighed(report: Report, settings: Settings) -> None:
    """Set the severities of the configuration; remove the findings of rules that it switches off."""
    rules = catalogue.rules(settings.rules_index)
    held = cache(lambda file: settings_of(file, settings))
    report.findings = [
        finding if severity is None else finding._replace(severity=severity)
        for finding in report.findings
        if (severity := _severity(rules[finding.rule], held(finding.file).severity)) != OFF
    ]


def _uncommented(
    report: Report, suppressions: Sequence[Suppression], rules: Mapping[str, Rule], known: Mapping[str, Sequence[Rule]]
) -> tuple[list[Finding], _Lines]:
    """Return the findings that no comment suppresses, and the lines of all findings that match a pattern."""
    covered: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for one in sorted(suppressions, key=lambda suppression: suppression.first):
        for pattern in one.patterns:
            spans = covered.setdefault((one.file, _key(pattern, known)), [])
            spans.append((one.first, max(one.last, spans[-1][1] if spans else 0)))  # the last line of all up to here
    kept: list[Finding] = []
    lines: _Lines = {}
    for finding in report.findings:
        suppressed = False
        for key in ((finding.file, name) for name in catalogue.patterns(rules[finding.rule])):
            if spans := covered.get(key, []):
                lines.setdefault(key, []).append(finding.line)
                begun = bisect_right(spans, finding.line, key=itemgetter(0))
                suppressed |= begun > 0 and spans[begun - 1][1] >= finding.line
        if not suppressed:
            kept.append(finding)
    for found in lines.values():
        found.sort()
    return kept, lines


def _key(pattern: Pattern, known: Mapping[str, Sequence[Rule]]) -> str:
    """Return a pattern as the catalogue has it: only an id may be in small letters."""
    return pattern.text if pattern.text in known else pattern.text.upper()


def _is_used(suppression: Suppression, found: Sequence[int]) -> bool:
    """Say whether a comment covers one of the lines."""
    at = bisect_left(found, suppression.first)
    return at < len(found) and found[at] <= suppression.last


def _about(
    report: Report,
    suppressions: Sequence[Suppression],
    lines: _Lines,
    settings: Settings,
    rules: Mapping[str, Rule],
) -> Iterator[Finding]:
    """Yield the findings on the suppressions themselves."""
    known = catalogue.by_pattern(settings.rules_index)
    on_lines: dict[tuple[str, int], list[Finding]] = {}
    for finding in report.findings if any(suppression.malformed for suppression in suppressions) else ():
        on_lines.setdefault((finding.file, finding.line), []).append(finding)
    hints: dict[str, str | None] = {}
    for suppression in suppressions:
        held = settings_of(suppression.file, settings)
        if suppression.malformed:
            if wanted(rules[MALFORMED_SUPPRESSION], held):
                yield _malformed(
                    suppression, rules[MALFORMED_SUPPRESSION], of_use=_would_serve(suppression, on_lines, rules)
                )
            continue
        unused: list[Pattern] = []
        for pattern in suppression.patterns:
            key = _key(pattern, known)
            meant = known.get(key, ())
            if not meant:
                if wanted(rules[UNKNOWN_RULE_IN_SUPPRESSION], held):
                    yield _unknown(suppression, pattern, rules, hints)
            elif not _is_used(suppression, lines.get((suppression.file, key), ())) and all(
                wanted(rule, held) for rule in meant
            ):
                unused.append(pattern)
        if unused and wanted(rules[UNUSED_SUPPRESSION], held):
            yield _unused(suppression, unused, rules[UNUSED_SUPPRESSION])


def _would_serve(
    suppression: Suppression, on_lines: Mapping[tuple[str, int], Sequence[Finding]], rules: Mapping[str, Rule]
) -> bool:
    """Say whether a malformed comment would suppress something on its line or the next in its correct form."""
    named = suppression.meant.partition("[")[2].partition("]")[0].split(",")
    return any(
        names(name.strip(), rules[finding.rule])
        for line in (suppression.line, suppression.line + 1)
        for finding in on_lines.get((suppression.file, line), ())
        for name in named
    )


def _malformed(suppression: Suppression, rule: Rule, *, of_use: bool) -> Finding:
    hint = "write `# dralint: ignore[RULE] reason` after the value, or alone on the line above it"
    fix = None
    if suppression.meant:
        hint = f"write `{suppression.meant}`"
        width = suppression.end_column - suppression.column
        edit = Edit(suppression.end - width, suppression.end, suppression.meant)
        fix = Fix((edit,), safe=False) if of_use else None
    elif suppression.whole_file:
        hint = "move it to the top of the file, or write `ignore` for a single value"
    return _finding(suppression, rule, f"this comment suppresses nothing: {suppression.malformed}", hint, fix)


def _unknown(
    suppression: Suppression, pattern: Pattern, rules: Mapping[str, Rule], hints: dict[str, str | None]
) -> Finding:
    """Return the finding on an unknown rule; `hints` remembers the rules with a name like its own."""
    text = pattern.text
    if text not in hints and len(hints) < _MOST_COMPARED:
        hints[text] = None if catalogue.is_numbered(text) else closest(text, [rule.name for rule in rules.values()])
    hint = hints.get(text)
    message = f'no rule has the id, prefix or name "{pattern.text}"'
    return _finding(
        suppression,
        rules[UNKNOWN_RULE_IN_SUPPRESSION],
        message,
        hint or f"{catalogue.listing(pattern.text)} lists them",
        None,
    )


def _unused(suppression: Suppression, unused: list[Pattern], rule: Rule) -> Finding:
    listed = ", ".join(pattern.text for pattern in unused)
    finds = "finds" if len(unused) == 1 else "find"
    whole = len(unused) == len(suppression.patterns)
    if whole:
        fix = Fix((Edit(suppression.start, suppression.end, ""),), safe=True)
        return _finding(suppression, rule, f"{listed} {finds} nothing here", "remove the comment", fix)
    kept = [pattern for pattern in suppression.patterns if pattern not in unused]
    first, last = suppression.patterns[0].start, suppression.patterns[-1].end
    fix = Fix((Edit(first, last, ", ".join(pattern.text for pattern in kept)),), safe=True)
    return _finding(suppression, rule, f"{listed} {finds} nothing here", f"remove {listed} from the comment", fix)


def _finding(suppression: Suppression, rule: Rule, message: str, hint: str, fix: Fix | None) -> Finding:
    span = Span(suppression.line, suppression.column, suppression.line, suppression.end_column)
    return of_rule(rule, suppression.file, suppression.document, span, message=message, hint=hint, fix=fix)


def _severity(rule: Rule, chosen: tuple[tuple[str, str], ...]) -> str | None:
    """Return the severity of a rule in the settings; None where they have none.

    The longest beginning of an id wins. A name is as good as a whole id, and of two the last one wins.
    """
    matching = [
        (len(rule.id if pattern == rule.name else pattern), number)
        for number, (pattern, _) in enumerate(chosen)
        if names(pattern, rule)
    ]
    return chosen[max(matching)[1]][1] if matching else None
