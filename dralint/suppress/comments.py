"""Reads and writes the comments that suppress findings, removes suppressed findings, and sets severities.

Verdicts do not change.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from dralint.config.baseline import load, rest
from dralint.config.settings import matches, names, settings_of, wanted
from dralint.finding import catalogue
from dralint.finding.finding import Edit, Fix, Pattern, Suppression, of_rule
from dralint.finding.rule_ids import MALFORMED_SUPPRESSION, UNKNOWN_RULE_IN_SUPPRESSION, UNUSED_SUPPRESSION
from dralint.kubernetes.near import closest
from dralint.records import grouped
from dralint.yaml import Span
from dralint.yaml.nodes import SCALAR, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.config.choices import Ignore
    from dralint.config.settings import Settings
    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.yaml import Document


_COMMENT = re.compile(r"(?:^|[ \t])(#[ \t]*dralint\b.*)$", re.IGNORECASE)
_EXACT = re.compile(r"#[ \t]*dralint:[ \t]*(ignore|ignore-file)\[([^\]]*)\](?:[ \t]+(.*))?$")
_MEANT = re.compile(
    r"(?i)#[ \t]*dralint\b[ \t:=-]*(?:(ignore|disable|skip|noqa|suppress|allow|off)(?P<file>[-_ ]?(?:file|all))?)"
)
_ID = re.compile(r"(?i)\bDRA\d{1,3}\b")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A line of YAML: it ends with LF, CRLF or CR."""
_EVERYTHING = 1 << 60


class Comments:
    """The comments of a file that suppress findings. The documents of the file come in order; none of them is kept.

    Args:
        name: the name of the file in findings.
        raw: all of its bytes.
    """

    def __init__(self, name: str, raw: bytes) -> None:
        utf16 = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        self._comments = [*_suppressions(name, raw.decode("utf-16" if utf16 else "utf-8", "replace"))]
        self._document: Document | None = None
        self._indexes: list[int | None] = []
        self._ends: list[int] = []

    def add(self, document: Document) -> None:
        """Take the next document."""
        self._place(document.first_line)
        self._document = document

    def suppressions(self) -> list[Suppression]:
        """Return the suppressions, after the last document."""
        self._place(_EVERYTHING)
        return [
            comment._replace(document=index, last=max(comment.last, last))
            for comment, index, last in zip(self._comments, self._indexes, self._ends, strict=True)
            if index is not None
        ]

    def _place(self, end: int) -> None:
        """Find the document of each comment before a line, and the last line that it covers.

        A comment within a scalar has no document: it is none. What a comment covers may be in a later document.
        """
        if self._document is None:
            return
        values: Values | None = None
        for at in range(len(self._indexes), len(self._comments)):
            comment = self._comments[at]
            if comment.line >= end:
                break
            values = values or Values(self._document)
            inside = values.in_a_scalar(comment.line, comment.column)
            self._indexes.append(None if inside else self._document.index)
        for at in range(len(self._ends), len(self._comments)):
            first = self._comments[at].first
            if first >= end:
                break
            values = values or Values(self._document)
            self._ends.append(values.last.get(first, first))


def _suppressions(name: str, text: str) -> Iterator[Suppression]:
    """Yield the comments of a file that may suppress findings: on its own line or, if nothing is before it, on the next
    one with a value. Their documents are not known yet, nor how many lines the values have."""
    lines = LINE.findall(text)
    filled = [number for number, line in enumerate(lines, 1) if _is_filled(line)]
    offset, before_objects = 0, True
    for number, whole in enumerate(lines, 1):
        line = whole.rstrip("\r\n")
        bare = line.lstrip("\ufeff \t")
        if bare and not bare.startswith(("#", "---", "%")):
            before_objects = False
        match = _COMMENT.search(line) if "dralint" in line.lower() else None
        if match is not None:
            begin = match.start(1)
            alone = not line[:begin].strip("\ufeff \t")
            following = bisect_right(filled, number)
            target = filled[following] if alone and following < len(filled) else number
            start = offset + (0 if alone else len(line[:begin].rstrip()))
            column = begin + 1 - line.startswith("\ufeff")
            at = Suppression(name, 0, number, column, column, start, offset + begin, target, target, ())
            yield _read(line[begin:].rstrip(), at, at_top=before_objects)
        offset += len(whole)


def _read(text: str, at: Suppression, *, at_top: bool) -> Suppression:
    """Return what a comment suppresses; `at` has its place.

    Args:
        at_top: whether it is before the first object of the file.
    """
    exact = _EXACT.match(text)
    patterns: tuple[Pattern, ...] = ()
    malformed = meant = reason = ""
    whole_file = False
    if exact is None:
        malformed, meant = _nearly(text)
    else:
        whole_file = exact[1] == "ignore-file"
        reason = (exact[3] or "").strip()
        patterns = tuple(_patterns(exact[2], at.end + exact.start(2)))
        if not patterns:
            malformed = "it names no rule"
        elif whole_file and not at_top:
            malformed = "`ignore-file` must be before the first object of the file"
        elif whole_file:
            at = at._replace(first=1, last=_EVERYTHING)
    return at._replace(
        end_column=at.column + len(text),
        end=at.end + len(text),
        patterns=() if malformed else patterns,
        reason=reason,
        whole_file=whole_file,
        malformed=malformed,
        meant=meant,
    )


def _patterns(text: str, start: int) -> Iterator[Pattern]:
    for match in re.finditer(r"[^,\s][^,]*", text):
        word = match[0].rstrip()
        yield Pattern(word, start + match.start(), start + match.start() + len(word))


def _nearly(comment: str) -> tuple[str, str]:
    """Return what is wrong with a comment that is nearly a suppression, and its correct form; empty for any other."""
    match = _MEANT.match(comment)
    if match is None:
        return "", ""
    ids = [found[0].upper() for found in _ID.finditer(comment)]
    word = "ignore-file" if match["file"] else "ignore"
    if not ids:
        return "it names no rule", ""
    tail = comment[[found.end() for found in _ID.finditer(comment)][-1] :].strip(" \t]):;,-\u2013")
    return "it is not of the form `# dralint: ignore[RULE] reason`", " ".join(
        filter(None, (f"# dralint: {word}[{', '.join(ids)}]", tail))
    )


def _is_filled(line: str) -> bool:
    """Say whether a line is neither blank nor a comment."""
    bare = line.strip("\ufeff \t\r\n")
    return bool(bare) and not bare.startswith("#") and bare != "---"


class _Scalar(NamedTuple):
    """A scalar: its first and last character, whether it is a block scalar, and the line of its key, or its own."""

    start: tuple[int, int]
    end: tuple[int, int]
    is_block: bool
    line: int


class Values:
    """The values of a document: the scalars in order, and the last line of what begins on a line."""

    def __init__(self, document: Document) -> None:
        self.last: dict[int, int] = {}
        self._scalars: list[_Scalar] = []
        for node, key in () if document.root is None else walk(document.root):
            line, end = document.position(key.start)[0], document.position(node.end)
            self.last[line] = max(self.last.get(line, line), end[0])
            if node.kind == SCALAR:
                start = document.position(node.start)
                self._scalars.append(_Scalar(start, end, node.style in ("|", ">"), line))
        self._scalars.sort()

    def in_a_scalar(self, line: int, column: int) -> bool:
        """Say whether the character in that column (from 1) belongs to a scalar, not to a block scalar's header."""
        scalar = self._scalar_before((line, column))
        if scalar is None or (line, column) >= scalar.end:
            return False
        return not scalar.is_block or line > scalar.start[0]

    def head_of(self, line: int) -> int:
        """Return the line of the key of a scalar that continues over the line, or the line itself."""
        scalar = self._scalar_before((line, 0))
        return scalar.line if scalar is not None and line <= scalar.end[0] else line

    def _scalar_before(self, place: tuple[int, int]) -> _Scalar | None:
        """Return the last scalar that begins before a place: no other can go on there."""
        found = bisect_left(self._scalars, place, key=lambda scalar: scalar.start)
        return self._scalars[found - 1] if found else None


_LINE_END = re.compile(r"(?:\r\n|\r|\n)\Z")


def with_comments(raw: bytes, documents: list[Document], findings: Iterable[Finding], reason: str) -> bytes | None:
    """Return a file's bytes with a comment above each line with findings; None where the file cannot have comments.

    JSON has no comments, and a text that is not UTF-8 is not changed. Findings on dralint's own input cannot be
    suppressed.

    Args:
        raw: all of the file.
        documents: the documents of the file.
        findings: those of this file.
        reason: the text after the rules; empty for none.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    starts = [document.first_line for document in documents]
    values_of = cache(lambda number: Values(documents[number]))
    above: dict[int, set[str]] = {}
    for finding in findings:
        if finding.effect in ("tool", "unreadable"):
            continue
        values = values_of(max(0, bisect_right(starts, finding.line) - 1))
        above.setdefault(values.head_of(finding.line), set()).add(finding.rule)
    if not above or text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    out: list[str] = []
    for number, line in enumerate(LINE.findall(text), 1):
        rules, kept = above.get(number), line
        if rules:
            kept = line.lstrip("\ufeff")
            mark = line[: len(line) - len(kept)]
            indent = kept[: len(kept) - len(kept.lstrip(" >"))]  # a block of a document may be quoted
            end = _LINE_END.search(line)
            comment = f"{indent}# dralint: ignore[{', '.join(sorted(rules))}]{f' {reason}' if reason else ''}"
            out.append(f"{mark}{comment}{end[0] if end else chr(10)}")
        out.append(kept)
    return "".join(out).encode()


def suppress(report: Report, settings: Settings, suppressions: Sequence[Suppression]) -> None:
    """Remove what comments, the configuration and the baseline suppress, and apply the severities."""
    if not (suppressions or settings.ignores or settings.overrides or settings.baseline or settings.severity):
        return  # as most runs, which need no rule

    rules = catalogue.rules()
    held = cache(lambda file: settings_of(file, settings))
    if suppressions:  # first: a comment that suppresses nothing is a finding too
        kept, lines = _uncommented(report, suppressions, rules, catalogue.by_pattern())
        about = [*_about(report, suppressions, lines, settings, rules)]
        _keep(report, kept)
        report.findings += about
    _keep(
        report,
        [
            finding
            for finding in report.findings
            if not any(covers(ignore, finding, rules[finding.rule]) for ignore in held(finding.file).ignores)
        ],
    )
    if settings.baseline is not None:
        _keep(report, rest(load(settings.baseline), report.findings))  # a baseline counts what is left
    report.findings = [
        finding if severity is None else finding._replace(severity=severity)
        for finding in report.findings
        if (severity := _severity(rules[finding.rule], held(finding.file).severity)) != OFF
    ]


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


def _keep(report: Report, kept: list[Finding]) -> None:
    """Remove and count the other findings."""
    report.suppressed += len(report.findings) - len(kept)
    report.findings = kept


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
    known = catalogue.by_pattern()
    there = report.findings if any(suppression.malformed for suppression in suppressions) else ()
    on_lines = grouped(((finding.file, finding.line), finding) for finding in there)
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
