"""Rewrite damaged manifests and report each that `fix` or `migrate` changed and that has an error of our making.

    python -m tests.fuzz.rewriting --count 20000 --seed 7 [--corpus FOLDER] [--keep FOLDER]

An error is of our making where its line is one that was written, or its rule speaks of a place, or of an expression,
and its line was moved or quoted. On every other line it was there before: visible, or hidden behind something that
could not be read or decoded. What was hidden comes to light in a text that has the same words, but can be read, and
spells its keys right. The same seed gives the same texts in the same order. The exit status is 1 where something was
found.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dralint.config.settings import Settings
from dralint.edit.apply import FileText, Rewriting, apply
from dralint.edit.repairs import disjoint
from dralint.files.source import Source
from dralint.finding.finding import Edit, Finding
from dralint.finding.rule_ids import UNKNOWN_FIELD, WRONG_TYPE
from dralint.fix.files import fix
from dralint.kubernetes.near import near
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_texts
from dralint.lint.report_builder import STATUS_NOTE
from dralint.manifest.objects import objects
from dralint.migrate.convert import VERSIONS
from dralint.migrate.rewrite import Target, rewrite
from dralint.references.misspelt_names import is_misspelt
from dralint.yaml import read
from tests.fuzz.mutate import CHANGES, text_of
from tests.fuzz.program import chance_of, numbers, options, tell

_STRUCTURE = ("DRA101", "DRA102", "DRA108")
"""Rules about where a field stands."""
_EXPRESSION = "DRA3"
_WRITTEN = str.maketrans("", "", "'\"\\ ")
_KEY = re.compile(r"""[^\s,:{}\[\]"'-][^\s,:{}\[\]"']*""")
_PARENTS = re.compile(r"^`(?:\w+\.)+(?=\w+` is required)")
_NOTHING = "the request requests nothing"
_LARGEST = 20_000
_ROUNDS = 12


@dataclass(slots=True)
class Outcome:
    """How many texts each way of rewriting changed, and those that it made worse."""

    changed: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, bytes, bytes]] = field(default_factory=list)
    """The way and the new errors, the text before and after."""


def findings(linter: Linter, raw: bytes, *, searching: bool) -> list[Finding]:
    """Return the findings of a run over a text; a search adds only fixes and hints."""
    return judge_texts(linter, [("a.yaml", raw)], Task(linter.settings, searching=searching)).findings


def errors(linter: Linter, raw: bytes) -> list[Finding]:
    """Return the errors of a text by itself."""
    return [finding for finding in findings(linter, raw, searching=False) if finding.severity == "error"]


def hidden(linter: Linter, raw: bytes) -> set[tuple[str, str]]:
    """Return rule and message of what is wrong in the objects of a text, also where nobody is told."""
    return {
        (problem.rule, problem.message)
        for document in read(raw)
        for item in (objects(document.data) if document.state == "read" else ())
        for problem, _ in linter.everything(document, item) or ()
    }


def brought_to_light(linter: Linter, raw: bytes) -> set[tuple[str, str]]:
    """Return rule and message of what is wrong with a text, also where it cannot be read or a key is misspelt.

    Only such fixes are made that leave the words of the text as they are, write one key in place of another that is
    like it, or remove a line that the next one repeats.
    """
    thorough = Linter(linter.settings, thorough=True)
    out: set[tuple[str, str]] = set()
    for _ in range(_ROUNDS):
        old = FileText(raw).text
        found = findings(linter, raw, searching=True) + thorough.check("a.yaml", raw).report.findings
        out |= hidden(linter, raw) | {_words(finding) for finding in found}
        fixes = [finding.fix.edits for finding in found if finding.fix is not None]
        fixes = [
            edits
            for edits in fixes
            if _same_words(old, apply(old, edits)) or _only_spelling(old, edits) or _only_repeated(old, edits)
        ]
        edits = [edit for number in disjoint(dict(enumerate(fixes))) for edit in fixes[number]]
        after = Rewriting(raw).then(edits).raw
        if after == raw:
            break
        raw = after
    return out


def _words(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.message.removesuffix(STATUS_NOTE)


def _same_words(old: str, new: str) -> bool:
    """Say whether two texts differ only in blanks, line breaks, quotes and brackets."""
    return re.findall(r"\w+", old) == re.findall(r"\w+", new)


def _only_spelling(text: str, edits: Sequence[Edit]) -> bool:
    """Say whether edits only write keys as what they are like."""
    for edit in edits:
        line = text[text.rfind("\n", 0, edit.start) + 1 :].partition("\n")[0]
        at = edit.start - text.rfind("\n", 0, edit.start) - 1
        keys = (key for key in _KEY.finditer(line) if key.start() <= at <= key.end())
        key = next(keys, None)
        if key is None or at + edit.end - edit.start > key.end():
            return False
        old, new = key[0], line[key.start() : at] + edit.text + line[at + edit.end - edit.start : key.end()]
        if not (_bare(old) == _bare(new) or is_misspelt(_bare(old), _bare(new)) or near(_bare(old), [_bare(new)])):
            return False
    return True


def _only_repeated(text: str, edits: Sequence[Edit]) -> bool:
    """Say whether edits only remove lines that equal the next line, apart from their indentation."""
    return all(
        not edit.text and text[edit.start : edit.end].strip() == text[edit.end :].partition("\n")[0].strip() != ""
        for edit in edits
    )


def _bare(key: str) -> str:
    return re.sub(r"\W|_", "", key).lower()


def rewritten(raw: bytes, target: Target) -> Iterator[tuple[str, bytes]]:
    """Yield the ways of rewriting, and what each makes of a text; guesses are made where there is a fix at all."""
    sources = [Source("a.yaml", None, raw)]
    fixing = fix(sources, Settings())
    yield "fix", fixing.files[0].after or raw
    if any(finding.fix is not None for finding in fixing.before.findings):
        yield "fix --unsafe-fixes", fix(sources, Settings(), unsafe=True).files[0].after or raw
    yield "migrate", rewrite(raw, target).raw or raw


def _place(finding: Finding) -> str:
    """Return the path of a finding, the same for each API version."""
    return f"{finding.path}.".replace("[", ".[").replace(".basic.", ".").replace(".exactly.", ".")


def _unmoved(message: str) -> str:
    """Return a message with the paths that an older API version has; a field is missing with or without its parent."""
    if message.startswith(_NOTHING):
        return _NOTHING  # what to add differs
    return _PARENTS.sub("`", message.replace(".exactly", "").replace(".basic", ""))


def of_our_making(before: list[Finding], after: list[Finding], old: bytes, new: bytes) -> list[Finding]:
    """Return the errors of a text after its rewriting that were not there before, nor hidden."""
    known = Counter((finding.rule, _unmoved(finding.message)) for finding in before)
    there = set(old.decode("utf-8", "replace").split("\n"))
    stripped = {line.strip(" -").translate(_WRITTEN) for line in there}
    lines = new.decode("utf-8", "replace").split("\n")
    out = []
    for finding in after:
        words = finding.rule, _unmoved(finding.message)
        if known[words]:
            known[words] -= 1
            continue
        line = lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""
        same = line.strip(" -").translate(_WRITTEN) in stripped
        if line in there or (same and finding.rule not in _STRUCTURE and not finding.rule.startswith(_EXPRESSION)):
            continue
        out.append(finding)
    return out


def run(texts: Iterable[bytes], linter: Linter, target: Target, outcome: Outcome | None = None) -> Outcome:
    """Rewrite texts in each way, and judge what comes out; add it to an outcome."""
    outcome = outcome or Outcome()
    for raw in texts:
        before = errors(linter, raw)
        for way, after in rewritten(raw, target):
            if after == raw:
                continue
            outcome.changed[way] += 1
            found = of_our_making(before, errors(linter, after), raw, after)
            if (
                way == "migrate"
            ):  # what lies in an unknown field, or in a value of the wrong type, has no form to convert
                left = tuple(_place(f) for f in before if f.rule in (UNKNOWN_FIELD, WRONG_TYPE))
                found = [finding for finding in found if not _place(finding).startswith(left)]
            if found:
                unseen = brought_to_light(linter, raw)
                found = [finding for finding in found if _words(finding) not in unseen]
            if found:
                what = "; ".join(f"{finding.rule} line {finding.line}: {finding.message}" for finding in found)
                outcome.faults.append((f"{way}: {what}", raw, after))
    return outcome


def text(seed: int, number: int, corpus: list[bytes]) -> bytes:
    """Return one damaged text: of the recorded manifests, or of other files where there are some."""
    chance = chance_of(seed, number)
    if not corpus:
        return text_of(chance)
    out = chance.choice(corpus).decode("utf-8", "replace")
    for _ in range(chance.choice((1, 1, 2, 3))):
        out = chance.choice(CHANGES)(out, chance)[:_LARGEST]
    return out.encode("utf-8", "surrogatepass")


def main() -> int:
    """Run as a script."""
    parser = options(__doc__, seed=1)
    parser.add_argument("--corpus", type=Path, help="damage the manifests of this folder")
    chosen = parser.parse_args()
    corpus = [] if chosen.corpus is None else [path.read_bytes() for path in sorted(chosen.corpus.rglob("*.y*ml"))]
    corpus = [raw for raw in corpus if len(raw) <= _LARGEST]
    linter, target, outcome = Linter(Settings()), Target(VERSIONS[-1]), Outcome()
    for number in numbers(chosen):
        known = len(outcome.faults)
        run([text(chosen.seed, number, corpus)], linter, target, outcome)
        for way, (what, before, after) in enumerate(outcome.faults[known:]):
            tell(chosen, f"{number}-{way}", what, before=before, after=after)
    print(f"{chosen.count} texts; changed: {dict(outcome.changed)}; made worse: {len(outcome.faults)}")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
