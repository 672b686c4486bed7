"""Searches repairs for findings without one: small edits of the text that pass validation."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from dralint import work
from dralint.cel.tree import OF_DRIVER
from dralint.drivers.devices import Name, is_published
from dralint.edit.apply import apply
from dralint.edit.repairs import disjoint
from dralint.edit.write import newline
from dralint.finding.finding import Related
from dralint.finding.problem import at, list_of
from dralint.finding.report import UNREADABLE, fresh
from dralint.finding.rule_ids import (
    CEL_SYNTAX,
    DEPRECATED_API_VERSION,
    DUPLICATE_KEY,
    IGNORED_AFTER_DOCUMENT_END,
    MUST_BE_ENABLED,
    NOT_A_MANIFEST,
    NOT_SERVED,
    OFF_BY_DEFAULT,
    REMOVED_API_VERSION,
    UNKNOWN_KIND,
)
from dralint.finding.words import shared
from dralint.kubernetes.near import is_certain, near
from dralint.kubernetes.workloads import GROUP, POD_SPECS
from dralint.search.lines import TextLines, grammar
from dralint.search.search import (
    FASTER,
    LARGEST,
    NOT_READ,
    OF_EXPRESSIONS,
    Around,
    RepairChoices,
    Step,
    Verdict,
    search,
)
from dralint.search.selectors import nearest
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.finding.finding import Edit, Finding
    from dralint.finding.report import Report
    from dralint.lint.linter import Linter
    from dralint.lint.report_builder import ReportBuilder
    from dralint.yaml import Document

_ROOM, _FEW = 90_000, 12
"""How many characters the search reads for a file with few findings; the more findings a file has, the less it reads.
So checking a file with a thousand findings takes little more time than without the search."""
_LARGEST = {"read": LARGEST, "unreadable": LARGEST * FASTER}
"""State of a document → characters up to which it is searched."""
_SEEN = 200_000
"""The search looks for known names in this many bytes of a file."""
_UNKNOWN = "Unknown"
_STRUCTURE = (_UNKNOWN, "TypeInvalid")
"""Reasons of findings about the structure of an object."""
_MAPS = ("labels", "annotations", "matchLabels", "nodeSelector", "parameters", "data", "limits", "hard")
"""Fields of Kubernetes whose keys are the author's."""
_TWICE = "DuplicateKey"
_MORE_LINES = 1
"""An edit adds at most this many lines to those below an unknown field."""
_STRUCTURAL = 3
"""A finding about structure counts as this many findings."""
_HIDING = (NOT_SERVED, UNKNOWN_KIND, NOT_A_MANIFEST)
"""Rules about what prevents dralint from judging an object."""
_OLD = 0.4
"""The cost of an API version that not all releases serve."""
_OF_TIME = (DEPRECATED_API_VERSION, REMOVED_API_VERSION, MUST_BE_ENABLED, OFF_BY_DEFAULT)
"""Rules about valid API versions that not all releases serve."""
_LINE_FEED = re.compile(r"(?<!\r)\n")
_WORD = re.compile(r"[\w.-]*\w|[=!<>]=|&&|\|\|")
_ODD_KEY = re.compile(r"[^\w./-]")
_STRUCTURED = re.compile(r"^[\[{]|: |[\]}:]$|\w ?[{\[;=] ")
_SWALLOWED = re.compile(
    r"(['\"])(?:(?!\1).)* (?:&&|\|\|) (?:(?!\1).)*\1(?!.*['\"])|'\"[^'\"]*\"'|\"'[^'\"]*'\""
    r"|(?<=[\[,]) *(['\"])(?:(?!\2)[^,])*, (?:(?!\2).)*\2 *(?=[,\]])"
)
"""Conditions that have become the last text of a selector, a text in quotes that has become another one, or two texts
of a list that have become one."""
_CLOSED_TEXTS = re.compile(r"""(?:[^"'\\]|\\.|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')*""", re.DOTALL)
"""A selector all of whose texts have both quotes."""
_TEXT = re.compile(r"""\"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_ANY_QUOTE = re.compile(r"\\?'|\\*\"")
_LAYOUT = ("column", "line break")
"""Kinds of edits that can be certain where they leave all dashes: an item more or less may be meant. And in objects of
DRA alone: of Pods and workloads, no release judges what does not concern claims."""
_OF_DRA = re.compile(rf"^(?:- |  )*[\"']?apiVersion[\"']?: *[\"']?{re.escape(GROUP)}/", re.MULTILINE)
_CERTAIN_IN_CEL = ("domain", "quote", "quoted name", "bracket", "wrapped", "letters", "hint", "word")
"""Kinds of edits that can be certain in a selector: they leave its operators as they are."""
_CERTAIN = ("mark", "comma", "separator", *_CERTAIN_IN_CEL, *_LAYOUT)
"""Those that can be certain elsewhere: no line takes another place, and items stay as they are."""
_BETWEEN_WORDS = ("mark", "comma")
"""Kinds of edits that can be certain whatever else is wrong."""
_PAIR_IN_LIST = re.compile(r"\[ *[\w./-]+: ")
"""A key with its value as the first item of a list in brackets."""
_IN_A_VALUE = re.compile(r"\w,\w")
"""A comma that may be part of a number or a name."""
_TAGGED = re.compile(r"^[ -]*[\w./-]+: +![\w&|=]", re.MULTILINE)
"""A value that begins with a tag."""
_KEY = re.compile(r"[ -]*\"?'?([\w./-]+)")
_ENTRY = re.compile(r"^[ -]*[\"']?([\w./-]+)[\"']?:(?=\s|\Z)", re.MULTILINE)
"""The key of an entry on its own line."""
_EXACTLY = re.compile(r"such as (\S+)$|^write ([\w.]*[(\"].*)")
"""What a hint without quotes says to write."""
_DRIVER = re.compile(r"\bDRIVER\b")
_LOOKED_UP = re.compile(r"device\.(attributes|capacity)\[\\?[\"']([\w.-]+)\\?[\"']\]\.(\w+)")
_AT_ROOT = {"apiVersion", "kind", "metadata", "spec", "status"}
"""The fields of a Pod or workload at its root; dralint does not judge others there."""
_LISTS = ("containers", "initContainers", "resourceClaims")
"""Fields of a Pod spec that are lists."""
_CONFLICT = r"(?m)^(?:<{7}|\|{7}|>{7})(?: |\r?$)"
"""The lines that git writes around the two sides of a merge conflict."""
_SIDES = (
    "this text is of a merge conflict: keep one of its two sides, and remove the lines that begin with `<<<<<<<`,"
    " `=======` and `>>>>>>>`"
)
_HAS_KEY = r"^[ -]*[\"']?%s[\"']?:|[{,] *[\"']?%s[\"']?:"
_OF_ITEMS = frozenset(
    {
        *("exactly", "firstAvailable", "deviceClassName", "matchAttribute", "distinctAttribute", "opaque", "cel"),
        *("expression", "name", "driver", "key", "value"),
    }
)
"""Fields that an item of a list has to have, so that they are for that item alone."""
_LONGEST_HINT = 160
_MOST_CHOICES = 3


def with_repairs(
    report: Report, wanted: Sequence[tuple[Document, int]], raw: bytes, judge: Linter, builder: ReportBuilder
) -> None:
    """Give findings of a file the repairs that a search finds.

    Args:
        wanted: the findings, by their number in the report, with their documents.
        raw: the bytes of the file.
        judge: reports all problems of a text, and offers no fixes.
        builder: places edits in the file.
    """
    around = Around(raw[:_SEEN].decode("utf-8", "replace"), min(_ROOM, _ROOM * _FEW // max(1, len(wanted))))
    known: tuple[Document, Report] | None = None
    for document, number in wanted:
        if around.left < 0 or work.current().is_spent:
            break
        text = document.text
        if report.findings[number].effect == UNREADABLE and re.search(_CONFLICT, text):
            report.findings[number] = report.findings[number]._replace(hint=_SIDES)
            continue
        if len(text) > _LARGEST.get(document.state, 0) or "\ufffd" in text:
            continue
        twice = any(problem.kind == "duplicate-key" for problem in document.problems)
        if twice and report.findings[number].rule != DUPLICATE_KEY:  # dralint does not know which is meant
            continue
        if known is None or known[0] is not document:
            known = document, judge.check("", text.encode("utf-8", "surrogatepass")).report
        try:
            _repair(report, number, document, known[1], judge, builder, around)
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            continue


def _repair(
    report: Report,
    number: int,
    document: Document,
    before: Report,
    judge: Linter,
    builder: ReportBuilder,
    around: Around,
) -> None:
    """Give one finding of a document its repair, if one is found."""
    finding, text = report.findings[number], document.text
    same = [other for other in before.findings if _at(other) == _at(finding)]
    if not same:  # the finding is between documents
        return
    mine = next((other for other in same if other.message == finding.message), same[0])  # of a map, each has its path
    around.begin()
    step = Step(finding, finding.line - document.first_line, _Judge(judge, text, before, mine))
    found = search(text, step, around)
    if found is None:
        report.findings[number] = finding._replace(hint=_with_driver(finding.hint, text, step.line, around))
        return
    if len(found.choices) > 1:
        report.findings[number] = finding._replace(hint=_choice(finding, text, found.choices))
        return
    made = [edit._replace(text=_LINE_FEED.sub(newline(text), edit.text)) for edit in found.choices[0]]
    fix = builder.in_file(document, made, safe=_is_certain(found, finding, text))
    others = [f.fix.edits for f in report.findings if f.fix is not None and f.document == finding.document]
    if fix is not None and _go_together(finding, fix.edits, others, builder.file.text, judge):
        hint, related = _hint(finding, text, found.choices[0]), _elsewhere(finding, document, found.choices[0])
        report.findings[number] = finding._replace(fix=fix, hint=hint, related=(*finding.related, *related))


def _with_driver(hint: str | None, text: str, line: int, around: Around) -> str | None:
    """Return a hint with the name of the driver in place of DRIVER, if the file names one near the line.

    A driver with a pack must publish what the hint looks up.
    """
    if not hint or not _DRIVER.search(hint):
        return hint
    costs = nearest(TextLines(text), line, around.domains)
    near = [domain for domain, cost in costs.items() if cost == min(costs.values())]
    said = _DRIVER.sub(near[0], hint.replace(OF_DRIVER, "")) if len(near) == 1 else hint
    return hint if _lacks({name for name in _looked_up(said) if name[2] != "NAME"}) else said


def _elsewhere(finding: Finding, document: Document, edits: tuple[Edit, ...]) -> Sequence[Related]:
    """Return the first place of a repair where none of it lies on the lines of the finding, or beside these."""
    lines = TextLines(document.text)
    numbers = [bisect_right(lines.starts, edit.start) - 1 for edit in edits]
    if any(finding.line - 1 <= document.first_line + number <= finding.end_line + 1 for number in numbers):
        return ()
    line = document.first_line + numbers[0]
    start, end = (at - lines.starts[numbers[0]] + 1 for at in (lines.first(numbers[0]), lines.end(numbers[0])))
    return (Related("the repair is here", finding.file, line, start, line, end),)


def _is_certain(found: RepairChoices, finding: Finding, text: str) -> bool:
    """Say whether a repair can only be what was meant.

    Nothing is left wrong, where the edits are not only between words. And all letters and digits stay as they are, or
    one word becomes a name that it is a slip of. A colon must make a known field, and a comma not be part of a value.
    """
    kinds = _CERTAIN_IN_CEL if finding.rule.startswith(OF_EXPRESSIONS) else _CERTAIN
    if found.kind not in kinds or (found.left and found.kind not in _BETWEEN_WORDS):
        return False
    if finding.rule == IGNORED_AFTER_DOCUMENT_END:  # the objects that are ignored would count
        return False
    edits = found.choices[0]
    after = apply(text, edits)
    if len(_PAIR_IN_LIST.findall(after)) > len(_PAIR_IN_LIST.findall(text)):  # a brace may be meant
        return False
    if found.kind in _LAYOUT and (text.count("-") != after.count("-") or not _OF_DRA.search(after)):
        return False
    if found.kind in _LAYOUT and (_hides_field(after, edits) or _touches_ellipsis(text, edits)):
        return False
    if found.kind == "column":
        number = text.count("\n", 0, edits[0].start)
        if _is_for_others(TextLines(text), TextLines(after), number, unknown=finding.reason == _UNKNOWN):
            return False
    if _letters(text) != _letters(after):
        return (
            not found.left
            and len(edits) == 1
            and is_certain("name", text[edits[0].start : edits[0].end], edits[0].text)
        )
    if found.kind == "mark":
        return all(_makes_known_field(text, edit) for edit in edits)
    return found.kind != "comma" or not any(_IN_A_VALUE.search(text, max(0, e.start - 1), e.end + 1) for e in edits)


def _hides_field(after: str, edits: Sequence[Edit]) -> bool:
    """Say whether edits put a line with the name of a field into a map whose keys are the author's: its order may be
    wrong instead."""
    lines, grown, moved = TextLines(after), 0, set()
    for edit in edits:
        moved.add(after.count("\n", 0, edit.start + grown + len(edit.text)))
        grown += len(edit.text) - (edit.end - edit.start)
    for number in moved:
        key, above = _KEY.match(lines.lines[number]), lines.opened_by(number)
        name = "" if key is None else key[1]
        known = name in grammar().parents or name in grammar().scalars
        while above is not None and above not in moved:
            home = _KEY.match(lines.lines[above])
            if home is not None and home[1] in _MAPS and (known or (home[1] != "parameters" and not name.islower())):
                return True
            above = lines.opened_by(above)
    return False


def _items_around(lines: TextLines, number: int) -> set[int]:
    """Return the first lines of the items of lists that a line lies in."""
    above = lines.opened_by(number)
    own = {above} if above is not None and _begins_item(lines, above) else set()
    return own if above is None else own | _items_around(lines, above)


def _is_for_others(old: TextLines, new: TextLines, number: int, *, unknown: bool) -> bool:
    """Say whether a field whose column changes can be meant for other items of a list, or for one item alone.

    A field that enters an item has been in the column of its dash, and no earlier item lacks it. An unknown field that
    leaves one of several items names its requests, as constraints and configuration do.
    """
    before, after = _items_around(old, number), _items_around(new, number)
    columns = old.lead(number), new.lead(number)
    for item in after - before:
        if (unknown and columns != (new.lead(item), new.key_column(item))) or _is_lacked_before(new, item, number):
            return True
    moved = "\n".join(old.lines[number : old.last_of_block(number) + 1])
    return unknown and "requests:" not in moved and any(_earlier_items(old, item) for item in before - after)


def _begins_item(lines: TextLines, number: int) -> bool:
    return lines.body(number).startswith("- ") or lines.body(number) == "-"


def _earlier_items(lines: TextLines, item: int) -> list[int]:
    """Return the first lines of the items before an item of a list, the nearest first."""
    lead, found = lines.lead(item), []
    for other in reversed(lines.content[: bisect_left(lines.content, item)]):
        if lines.lead(other) < lead or (lines.lead(other) == lead and not _begins_item(lines, other)):
            break
        if lines.lead(other) == lead:
            found.append(other)
    return found


def _is_lacked_before(lines: TextLines, item: int, number: int) -> bool:
    """Say whether an earlier item of a list lacks the key of a line that enters the item: it may be for both."""
    key = _KEY.match(lines.lines[number])
    if key is None or key[1] in _OF_ITEMS:
        return False
    name = re.escape(key[1])
    has_key = re.compile(_HAS_KEY % (name, name)).search
    end = item
    for start in _earlier_items(lines, item):
        if not any(has_key(lines.lines[line]) for line in range(start, end) if lines.is_content(line)):
            return True
        end = start
    return False


def _touches_ellipsis(text: str, edits: Sequence[Edit]) -> bool:
    """Say whether an edit is on a line of three dots, which may stand for what is left out."""
    lines = TextLines(text)
    return any(lines.body(text.count("\n", 0, edit.start)) == "..." for edit in edits)


def _makes_known_field(text: str, edit: Edit) -> bool:
    """Say whether the line of an edit begins with the name of a field, so that it does not cut a text of a user."""
    key = _KEY.match(text, text.rfind("\n", 0, edit.start) + 1)
    return key is not None and (key[1] in grammar().parents or key[1] in grammar().scalars)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _go_together(
    finding: Finding, edits: Sequence[Edit], others: Sequence[Sequence[Edit]], text: str, judge: Linter
) -> bool:
    """Say whether a repair with those of others writes no key twice, and leaves fewer unknown fields if for one."""
    if not others or len(text) > LARGEST:
        return True
    after = _findings_with([edits, *others], text, judge)
    known = sum(other.reason == _UNKNOWN for other in _findings_with(others, text, judge))
    left = sum(other.reason == _UNKNOWN for other in after)
    return left <= known - (finding.reason == _UNKNOWN) and all(other.rule != DUPLICATE_KEY for other in after)


def _findings_with(edits: Sequence[Sequence[Edit]], text: str, judge: Linter) -> list[Finding]:
    """Return what is found in a text with repairs, as far as they can be made together."""
    together = [edit for number in disjoint(dict(enumerate(edits))) for edit in edits[number]]
    return judge.check("", apply(text, together).encode("utf-8", "surrogatepass")).report.findings


class _Judge:
    """Says whether a text is better than the one with a finding, and what the text means."""

    def __init__(self, linter: Linter, text: str, before: Report, finding: Finding, origin: str | None = None) -> None:
        self._linter = linter
        self._text = text
        self._origin = text if origin is None else origin
        self._before = before
        self._finding = finding
        self._expression = finding.rule.startswith(OF_EXPRESSIONS)
        self._unread = finding.effect == UNREADABLE and not before.objects
        data = [document.data for document in read(text.encode("utf-8", "surrogatepass"))]
        name = finding.path.rpartition(".")[2]
        # where dralint knows the field's home, or says more of it, a move is not a guess at a map's key
        at_home = name in grammar().parents or finding.message != f'unknown field "{name}"'
        # of what a text has no more than before, or than so many more; and of what a text that is read has none
        limits: list[tuple[Callable[[object], int], int]] = [(_mixes, 0)]
        if finding.reason in _STRUCTURE and at_home:
            limits.append((partial(_mapped, name=name), 0))
        hides = self._unread or finding.rule == IGNORED_AFTER_DOCUMENT_END
        if not hides:
            limits += [(_strange, 0), (_empty, -any(_is_without_value(each, name) for each in data))]
        if not hides and finding.rule != DUPLICATE_KEY and "<<: *" not in text:  # no key is there twice
            limits.append((_lacking_keys, 0))
        self._limits = [(count, sum(map(count, data)) + more) for count, more in limits]
        if hides:
            self._limits += [(_astray, 0), (_odd_items, 0)]
        self._tagged = len(_TAGGED.findall(text))
        self._ways = [(way, Counter(map(way, before.findings))) for way in (_at, _saying)]

    def __call__(self, text: str) -> Verdict | None:
        work.pause()
        raw = text.encode("utf-8", "surrogatepass")
        after = self._linter.check("", raw).report
        if work.current().is_spent:  # what is not decided any more is no repair
            return None
        if after.failures or len(after.skipped) > len(self._before.skipped):
            return None
        others = _looked_up(text) - _looked_up(self._text)
        if (others and _lacks(others)) or len(_TAGGED.findall(text)) > self._tagged:
            return None
        serious = _of_mistakes(after.findings)
        written = _written(self._text, text)
        stop = next((finding for finding in serious if finding.effect == UNREADABLE), None)
        unknown = (finding.line for finding in after.findings if finding.reason == _UNKNOWN)
        whole = written if self._origin is self._text else _written(self._origin, text)
        hidden = any(_is_below(text, line, whole) for line in unknown)  # what lies in an unknown field is not judged
        if self._unread:
            if stop is not None:
                return self._progress(text, after, stop, written)
            new = serious
        elif stop is not None and not self._unread_line:
            return NOT_READ
        elif after.objects < self._before.objects:
            return None
        else:
            new = _of_mistakes(fresh(self._before, after, by_release=False))
            if self._expression:
                there = [f for f in after.findings if f.path == self._finding.path and f.severity == "error"]
                if there:
                    return self._next_in_expression(text, after, there, new)
            if self._is_left(after):
                return None
            if any(finding.rule == DUPLICATE_KEY for finding in new):
                return None
            new = [each for each in new if each.effect != "dropped" or each.path != self._finding.path]  # read only now
            if self._finding.reason == _UNKNOWN and any(self._is_renamed(finding, written) for finding in new):
                return None
            if hidden:
                return None
            inner = [finding for finding in new if not finding.rule.startswith(OF_EXPRESSIONS)]
            if new and (not self._opens(after, new) or any(finding.line in written for finding in inner)):
                return None
        if any(finding.reason in (*_STRUCTURE, _TWICE) and finding.line in whole for finding in new):
            return None
        unjudged = hidden or not after.objects or any(finding.rule in _HIDING for finding in serious)
        if self._finding.effect == UNREADABLE and unjudged and not self._keeps_places(text):
            return None
        said = self._ways[1][1]
        if any(f.reason == "TypeInvalid" and f.line in whole and not said[_saying(f)] for f in serious):
            return None  # the wrong type hides what is in it
        if any(finding.rule == IGNORED_AFTER_DOCUMENT_END for finding in new):
            return None
        data = [document.data for document in read(raw) if document.state != "empty"]
        ended = self._finding.rule == IGNORED_AFTER_DOCUMENT_END
        parted = self._unread or ended or after.documents > self._before.documents
        if parted and not all(map(_is_object, data)):
            return None
        if any(sum(map(count, data)) > most for count, most in self._limits):
            return None
        left = sum(_STRUCTURAL if finding.reason in (*_STRUCTURE, _TWICE) else 1 for finding in serious)
        left += sum(map(_empty, data)) + sum(map(_unlikely, data)) + _STRUCTURAL * hidden
        less = _OLD * sum(finding.rule in _OF_TIME for finding in after.findings)
        torn = self._torn(text, serious, written) if self._unread else None
        if torn is not None:
            line = text.split("\n")[written.start - 1]
            if line.count('"') % 2 or line.count("'") % 2:  # a quote of the selector is lost
                return None
            return Verdict(None, 0, Step(torn, torn.line - 1, self._next(text, after, torn)))
        return Verdict(tuple(map(_meaning, data)), left, less=less)

    def _keeps_places(self, text: str) -> bool:
        """Say whether words stay in their order and fields lie where a type has them, by their names alone.

        No release judges what is moved or written in a part of a text that it does not know.
        """
        if _letters(text) != _letters(self._origin):
            return False
        keys = Counter(_ENTRY.findall(text)) - Counter(_ENTRY.findall(self._origin))
        if keys.keys() - grammar().parents.keys() - grammar().scalars:
            return False
        return not any(_strange(document.data, judged=False) for document in read(text.encode("utf-8", "replace")))

    def _is_renamed(self, finding: Finding, written: range) -> bool:
        """Say whether the value of an unknown field is refused as the expression that a new name makes of it."""
        beside = finding.path.rpartition(".")[0] == self._finding.path.rpartition(".")[0]
        return finding.rule.startswith(OF_EXPRESSIONS) and finding.line in written and beside

    def _is_left(self, after: Report) -> bool:
        """Say whether the finding is still there, at its place or in its words."""
        for way, known in self._ways:
            mine = way(self._finding)
            if sum(way(other) == mine for other in after.findings) >= max(1, known[mine]):
                return True
        return False

    def _next_in_expression(
        self, text: str, after: Report, there: Sequence[Finding], new: Sequence[Finding]
    ) -> Verdict | None:
        """Return the step to the next error of the expression if it is further right and all else is unchanged."""
        first = there[0]
        known = [f for f in self._before.findings if f.path == self._finding.path and f.severity == "error"]
        if any(other.path != self._finding.path for other in new) or not known:
            return None
        was, now = (each.rule == CEL_SYNTAX for each in (known[0], first))
        if now and not was:
            return None
        if (
            was == now
            and len(there) >= len(known)
            and (first.line, first.column) <= (known[0].line, known[0].column + 1)
        ):
            return None
        return Verdict(None, 0, Step(first, first.line - 1, self._next(text, after, first)))

    def _torn(self, text: str, serious: Sequence[Finding], written: range) -> Finding | None:
        """Return the error of a selector that the edit of a line has written, and not only indented."""
        if len(written) != 1 or text.split("\n")[written.start - 1].strip() in map(str.strip, self._text.split("\n")):
            return None
        block = range(written.start, TextLines(text).last_of_block(written.start - 1) + 2)
        found = (f for f in serious if f.rule.startswith(OF_EXPRESSIONS) and f.severity == "error")
        return next((finding for finding in found if finding.line in block), None)

    def _progress(self, text: str, after: Report, stop: Finding, written: range) -> Verdict | None:
        if stop.line <= self._unread_line or stop.line in written or stop.line < written.start:
            return NOT_READ
        return Verdict(None, 0, Step(stop, stop.line - 1, self._next(text, after, stop)))

    def _next(self, text: str, after: Report, finding: Finding) -> _Judge:
        """Return the judge of edits that follow a better text."""
        return _Judge(self._linter, text, after, finding, self._origin)

    @cached_property
    def _unread_line(self) -> int:
        return next((f.line for f in self._before.findings if f.effect == UNREADABLE), 0)

    def _opens(self, after: Report, new: Sequence[Finding]) -> bool:
        """Say whether the new findings are in a part that no check had reached before."""
        finding = self._finding
        if after.objects > self._before.objects:
            return True
        if finding.rule in _HIDING:
            return all(other.rule not in _HIDING or other.path == "apiVersion" != finding.path for other in new)
        lines = TextLines(self._text)
        block = range(finding.line, lines.last_of_block(finding.line - 1) + 2 + _MORE_LINES)
        fits = all(other.line in block and other.reason not in _STRUCTURE for other in new)
        expression = all(other.rule.startswith(OF_EXPRESSIONS) for other in new)
        return fits and (finding.reason == "Unknown" or (finding.reason in _STRUCTURE and expression))


def _looked_up(text: str) -> set[tuple[str, ...]]:
    """Return the attributes and capacities that the selectors of a text look up."""
    return {found.groups() for found in _LOOKED_UP.finditer(text)}


def _lacks(names: set[tuple[str, ...]]) -> bool:
    """Say whether a driver with a pack does not publish one of the attributes and capacities."""
    return any(is_published(Name(*name)) is False for name in names)


def _of_mistakes(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that a repair must not cause: no advice, and no deprecations."""
    return [finding for finding in findings if finding.severity != "info" and finding.rule not in _OF_TIME]


def _parts(data: object, above: tuple[str, ...] = ()) -> Iterator[tuple[object, tuple[str, ...]]]:
    """Yield each value in the data, with the keys above it; an entry of a map lies between the map and its fields."""
    yield data, above
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _parts(value, (*above, str(key)))
    elif isinstance(data, list):
        for item in data:
            yield from _parts(item, above)


def _mappings(data: object) -> Iterator[dict[str, object]]:
    return (value for value, _ in _parts(data) if isinstance(value, dict))


def _lists(data: object) -> Iterator[list[object]]:
    return (value for value, _ in _parts(data) if isinstance(value, list))


def _unlikely(data: object) -> int:
    """Return how many parts of a document its author hardly meant.

    Such a part is a text that looks like structure or is in place of an object, a key with characters that names do not
    have, an item without a name among others with one, an item that shares no field with the others, a condition within
    a text of a selector, a text of a selector that is not closed, or a field of the metadata at the root.
    """
    known = grammar()
    count = len(data.keys() & known.children["metadata"]) if isinstance(data, dict) else 0
    for items in _lists(data):
        named = sum(isinstance(item, dict) and "name" in item for item in items)
        count += max(_apart(items), len(items) - named if named else 0)
    for mapping in _mappings(data):
        for key, value in mapping.items():
            count += _ODD_KEY.search(key) is not None
            if not isinstance(value, str):
                continue
            if key == "expression":
                count += (_SWALLOWED.search(value) is not None) + (not _CLOSED_TEXTS.fullmatch(value))
                count += sum(text[1:-1] != text[1:-1].strip() for text in _TEXT.findall(value))
            else:
                count += _STRUCTURED.search(value) is not None
            count += key in known.children and key not in known.scalars
    return count


def _strange(data: object, *, judged: bool = True) -> int:
    """Return how many fields lie where no type has them, or are no lists: of a Pod or workload, few places are judged.

    Args:
        judged: whether objects of DRA are judged otherwise, so that they do not count. In what nobody judges, `devices`
            may be a list or not.
    """
    if not isinstance(data, dict) or (judged and str(data.get("apiVersion")).startswith(GROUP)):
        return 0
    homes, lists = grammar().parents, grammar().lists
    count = _astray(data) + (0 if judged else len(data.keys() - _AT_ROOT))
    for value, above in _parts(data):
        near = above[-1:] if lists.issuperset(above[-2:-1]) else above[-2:]
        for key, inner in value.items() if isinstance(value, dict) else ():
            count += bool(above) and key in homes and homes[key].isdisjoint(near)
            count += judged and key in lists and isinstance(inner, dict)
    return count


def _mapped(data: object, name: str) -> int:
    """Return how many maps that take any key have a key of this name, where a field is accepted and means nothing."""
    entries = (entry for mapping in _mappings(data) for entry in mapping.items())
    return sum(key in _MAPS and isinstance(value, dict) and name in value for key, value in entries)


def _mixes(data: object) -> bool:
    """Say whether a list has both objects and texts, or lists, as no list of Kubernetes has."""
    return any({dict, str} <= (types := set(map(type, items))) or list in types for items in _lists(data))


def _astray(data: object) -> int:
    """Return how many fields of a Pod or workload lie beside its spec, and how many parts of that have another type."""
    path = POD_SPECS.get((str(data.get("apiVersion")), str(data.get("kind")))) if isinstance(data, dict) else None
    if path is None or not isinstance(data, dict):
        return 0
    spec = at(data, path)
    if not isinstance(spec, dict):
        return len(data.keys() - _AT_ROOT - {path[0]}) + 1
    mappings = sum(isinstance(spec.get(name), dict) for name in _LISTS)
    holders = (each for name in _LISTS for each in (spec, *list_of(spec.get(name))) if isinstance(each, dict))
    return len(data.keys() - _AT_ROOT - {path[0]}) + mappings + sum("apiVersion" in each for each in holders)


def _apart(items: list[object]) -> int:
    """Return how many items share no field with others, or are half of one: others have fields of it and the next."""
    keys = [item.keys() for item in items if isinstance(item, dict)] if len(items) <= _FEW else []
    shared = Counter(key for each in keys for key in each)
    alone = sum(all(shared[key] == 1 for key in each) for each in keys) if len(keys) > 1 else 0
    return alone + sum(
        one.isdisjoint(other) and any(one & whole and other & whole for whole in keys) for one, other in pairwise(keys)
    )


def _odd_items(data: object) -> int:
    """Return how many items of lists are apart."""
    return sum(map(_apart, _lists(data)))


def _meaning(data: object) -> str:
    """Return what a document means, regardless of the quotes inside a selector."""
    return _ANY_QUOTE.sub('"', json.dumps(data, sort_keys=True, default=repr))


def _empty(data: object) -> int:
    """Return how many fields and items have no value."""
    return sum(value is None for value, _ in _parts(data))


def _is_without_value(data: object, key: str) -> bool:
    """Say whether a field of this name has no value."""
    return any(mapping.get(key, key) is None for mapping in _mappings(data))


def _is_object(data: object) -> bool:
    names = [data.get(key) for key in ("apiVersion", "kind")] if isinstance(data, dict) else [None]
    return all(isinstance(name, str) and " " not in name for name in names)


def _lacking_keys(data: object) -> int:
    """Return how many keys with a value the mappings of the data have, below zero: text that was structure has none."""
    return -sum(value is not None for mapping in _mappings(data) for value in mapping.values())


def _alike(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines two texts share at their beginning, and how many of the rest at their end."""
    head = shared(old, new)
    return head, shared(old[head:][::-1], new[head:][::-1])


def _written(old: str, new: str) -> range:
    """Return the range of new lines in a text, from 1: from the first to the last that the other text does not have."""
    before, after = old.split("\n"), new.split("\n")
    head, tail = _alike(before, after)
    return range(head + 1, len(after) - tail + 1)


def _is_below(text: str, number: int, written: range) -> bool:
    """Say whether a written line lies in the block of the unknown field on a line, which counts from 1.

    Not if the unknown field is like one that has the field on the written line, or a field between them has it.
    """
    lines = text.split("\n")
    margin, field = _lead(lines[number - 1]), _KEY.match(lines[number - 1])
    between: set[str] = set()
    for below in range(number + 1, min(len(lines), written.stop - 1) + 1):
        line = lines[below - 1]
        if line.strip() and _lead(line) <= margin:
            return False
        key = _KEY.match(line)
        if key is not None and below in written:
            homes = grammar().parents.get(key[1], frozenset())
            if field is None or not (near(field[1], homes) or homes & between):
                return True
        between |= set() if key is None else {key[1]}
    return False


def _at(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.path


def _saying(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.message


def _hint(finding: Finding, text: str, edits: tuple[Edit, ...]) -> str:
    """Return the hint of a finding if it has all words that the edits write; otherwise describe the edits.

    Where they write no new word, an entry that the hint quotes must be in the repaired text. Of several choices, any
    will do.
    """
    after, hint = apply(text, edits), finding.hint or ""
    new = Counter(_WORD.findall(after)) - Counter(_WORD.findall(text))
    quoted = [part for part in hint.split("`")[1::2] if ": " in part] or [
        found[0] or found[1] for found in _EXACTLY.findall(hint)
    ]
    leads = all(word in hint for word in new) if new else " or " in hint or all(part in after for part in quoted)
    leads = leads and (bool(hint and new) or finding.effect != UNREADABLE)
    words = hint_of(text, edits)
    says = all(part in (finding.hint or "") for part in words.split("`")[1::2])
    return finding.hint if finding.hint and (leads or says) else words


def _choice(finding: Finding, text: str, choices: Sequence[tuple[Edit, ...]]) -> str | None:
    """Return the hint of a finding if it leads to one of the repairs; otherwise list the repairs."""
    if finding.hint and any(_hint(finding, text, edits) == finding.hint for edits in choices):
        return finding.hint
    words = list(dict.fromkeys(hint_of(text, edits) for edits in choices))
    if finding.hint and " column " in finding.hint and all(word.startswith("indent ") for word in words):
        return finding.hint
    if len(words) > _MOST_CHOICES or sum(map(len, words)) > _MOST_CHOICES * _LONGEST_HINT:
        return finding.hint or words[0]
    return ", or ".join(words)


def hint_of(text: str, edits: tuple[Edit, ...]) -> str:
    """Describe edits: show the lines as they must be, or how far they move."""
    after = apply(text, edits)
    old, new = text.split("\n"), after.split("\n")
    head, tail = _alike(old, new)
    before, behind = old[head : len(old) - tail], new[head : len(new) - tail]
    if [line.strip() for line in before] == [line.strip() for line in behind]:
        by = {_lead(b) - _lead(a) for a, b in zip(before, behind, strict=True) if a.strip()}
        if len(by) == 1:
            (spaces,) = by
            what = f"`{before[0].strip()[:_LONGEST_HINT]}`" + (" and what is below it" if len(before) > 1 else "")
            unit = "space" if abs(spaces) == 1 else "spaces"
            return f"indent {what} by {abs(spaces)} {unit} {'more' if spaces > 0 else 'less'}"
    joined = ", below it "
    if len(before) == len(behind):
        other = [b for a, b in zip(before, behind, strict=True) if a.strip() != b.strip()]
        behind, joined = (behind, joined) if len(other) < 2 else (other, ", and ")
    shown = [line.strip() for line in behind if line.strip()]
    if not shown:
        return f"remove `{before[0].strip()[:_LONGEST_HINT]}`"
    if len(shown) > 2 and sorted(shown) == sorted(line.strip() for line in before if line.strip()):
        moved = shown[0] if shown[0] == before[-1].strip() else shown[-1]
        if ": " not in f"{moved} ":  # no field
            return f"remove `{moved[:_LONGEST_HINT]}`, or move it to its place"
    if len(shown) > 2 or sum(map(len, shown)) > _LONGEST_HINT:
        return f"write `{shown[0][:_LONGEST_HINT]}`"
    return f"write {joined.join(f'`{line}`' for line in shown)}"


def _lead(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
