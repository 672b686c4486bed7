"""Tables of what dralint says of manifests and of selectors: the files `*.said.yaml` beside the tests.

A table has `heads`, which are manifests, most of them with the line BODY, and `cases`. A head that begins with `IN
HEAD` stands in the BODY of another one; with `IN HEAD VERSION`, the whole is of that API version. A case has:

- `case`, a sentence; without it, the case goes on with the sentence of the one above;
- `manifest`; or the text for BODY below the name of a head; or, where the head has no BODY, `as it is` or what changes
  in it from its start to its end: lines are taken out (`-`), put in (`+`) and passed (`=`), and a part of the next line
  that has it becomes another (`~ OLD => NEW`); or `cel`, an expression;
- for an update, the manifest `before` it;
- below a release or `newest`, and the feature gates that are switched (`all`: all of them), what is said. Releases that
  say the same share a key.

- `fixed` and `guessed`: the lines that `fix` and `fix --unsafe-fixes` take out (`-`) and put in (`+`) at the first
  release.

A finding is `LINE RULE REASON PATH: MESSAGE`, that of an expression `EFFECT CODE UNDERLINED: MESSAGE`. Its hint, the
text it underlines, and the other places that it shows stand below it if the case has any; expressions always have their
hints. A case can have `complete`, `namespace` and `slices` as the examples of rules can. `before` and `slices` can be
the name of a head, with the lines that change below it.

pytest collects the tables (`tests/conftest.py`). With `--update-golden` it writes what is said now; read the
difference. The cases of a file whose name has the word `slow` have that mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import yaml

from dralint.cel import environment
from dralint.cel.advice import advice
from dralint.finding.catalogue import API_VERSION_NOTICES, rules
from dralint.finding.finding import Finding
from dralint.kubernetes.release import Release
from rules.examples import Bench

ALL = "AllAlpha=true,AllBeta=true"
HINT, MARKED, RELATED = "  hint: ", "  under ", "  see line "
NONE = "none"
OPTIONS = ("before", "complete", "namespace", "slices")
_BENCH = Bench()


class Table:
    """The heads and the cases of a file, in their order."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")
        self.comment = text.partition("heads:\n")[0].partition("cases:\n")[0]
        loaded = yaml.load(text, yaml.CBaseLoader)
        self.heads: dict[str, str] = loaded.get("heads", {})
        self.cases: list[dict[str, str]] = loaded["cases"]

    def manifest(self, case: dict[str, str]) -> str:
        """Return the whole manifest of a case."""
        if "manifest" in case:
            return case["manifest"]
        (name,) = self.heads.keys() & case.keys()
        return self._within(name, case[name].removesuffix("\n") + "\n")

    def _named(self, value: str) -> str:
        name, _, change = value.partition("\n")
        return changed(self.heads[name], change) if name in self.heads else value

    def _within(self, head: str, body: str) -> str:
        if "BODY\n" not in self.heads[head]:
            return changed(self.heads[head], body)
        before, _, after = self.heads[head].partition("BODY\n")
        start = before.rfind("\n") + 1
        text = before[:start] + indent(body, before[start:]) + after
        if not text.startswith("IN "):
            return text
        first, _, rest = text.partition("\n")
        _, outer, *version = first.split()
        whole = self._within(outer, rest)
        return whole.replace("/v1\n", f"/{version[0]}\n", 1) if version else whole

    def judged(self, case: dict[str, str]) -> dict[str, str]:
        """Return what is said now, by the keys of the case that name releases."""
        releases = [key for key in case if key[0].isdigit() or key.startswith("newest")]
        repaired = {key: self._repaired(case, releases[0], key) for key in ("fixed", "guessed") if key in case}
        return {key: self._said(case, key) for key in releases} | repaired

    def _example(self, case: dict[str, str], gates: str) -> dict[str, Any]:
        options = {name: self._named(case[name]) for name in OPTIONS if name in case}
        return {"manifest": self.manifest(case), "gates": ALL if gates == "all" else gates, **options}

    def _repaired(self, case: dict[str, str], key: str, how: str) -> str:
        releases, _, gates = key.replace(", ", "\n").partition(" ")
        example = self._example(case, gates)
        first = _release(releases.partition("\n")[0])
        after, _ = _BENCH.fixed(rules()["DRA101"], example, first, unsafe=how == "guessed")
        lines = unified_diff(example["manifest"].splitlines(), after.splitlines(), n=0, lineterm="")
        changed = [line for line in lines if line[:1] in "-+" and line[:3] not in ("---", "+++")]
        bare = dedent("\n".join(line[1:] for line in changed)).splitlines()
        return "".join(f"{line[0]} {text}\n" for line, text in zip(changed, bare, strict=True)) or NONE

    def _said(self, case: dict[str, str], key: str) -> str:
        releases, _, gates = key.replace(", ", "\n").partition(" ")
        if "cel" in case:
            found = {_of_expression(case["cel"], release) for release in releases.split("\n")}
        else:
            example = self._example(case, gates)
            shown = [part for part in (HINT, MARKED, RELATED) if any(part in value for value in case.values())]
            lines = example["manifest"].splitlines()
            found = {words(_findings(example, release), lines, shown) for release in releases.split("\n")}
        return found.pop() if len(found) == 1 else "\n".join(["the releases differ:", *sorted(found)])

    def written(self) -> str:
        """Return the text of the file with its cases as they are."""
        heads = "".join(f"  {name}: |\n{indent(text, '    ')}" for name, text in self.heads.items())
        cases = "".join(_case(case) for case in self.cases)
        return self.comment + (f"heads:\n{heads}" if heads else "") + f"cases:\n{cases}"


def changed(text: str, change: str) -> str:
    """Return a text with the lines that a case changes."""
    lines, place = text.splitlines(), 0
    for line in change.removeprefix("as it is").lstrip("\n").splitlines():
        mark, rest = line[0], line[2:]
        old, _, new = rest.partition(" => ")
        if mark == "+":
            lines.insert(place, rest)
        elif mark == "~":
            place = next(number for number in range(place, len(lines)) if old in lines[number])
            lines[place] = lines[place].replace(old, new, 1)
        else:
            place = lines.index(rest, place)
        if mark == "-":
            del lines[place]
        else:
            place += 1
    return "".join(f"{line}\n" for line in lines)


def _of_expression(expression: str, release: str) -> str:
    compilation = environment(release).compile(expression)
    return (
        "".join(
            f"{one.severity_effect} {one.code} {expression[one.start : one.end]}: {one.message}\n"
            + (f"{HINT}{one.hint}\n" if one.hint else "")
            for one in compilation.issues or advice(compilation)
        )
        or NONE
    )


def _release(name: str) -> Release | None:
    return None if name == "newest" else Release.parse(name)


def _findings(example: dict[str, Any], release: str) -> list[Finding]:
    report = _BENCH.report(example, _release(release))
    assert report.failures == []
    return [finding for finding in report.findings if finding.rule not in API_VERSION_NOTICES]


def words(findings: list[Finding], lines: Sequence[str] = (), shown: Sequence[str] = ()) -> str:
    """Return findings in the lines of a text as a table has them, with the parts that are `shown` below a message."""
    return "".join(f"{line}\n" for finding in findings for line in _finding(finding, lines, shown)) or NONE


def _finding(finding: Finding, lines: Sequence[str], shown: Sequence[str]) -> Iterator[str]:
    head = " ".join(part for part in (str(finding.line), finding.rule, finding.reason, finding.path) if part)
    yield f"{head}: {finding.message}"
    if HINT in shown and finding.hint:
        yield f"{HINT}{finding.hint}"
    if MARKED in shown:
        end = finding.end_column - 1 if finding.end_line == finding.line else None
        yield f"{MARKED}`{lines[finding.line - 1][finding.column - 1 : end]}`"
    if RELATED in shown:
        yield from (f"{RELATED}{place.line}: {place.message}" for place in finding.related)


def _is_block(text: str) -> bool:
    """Say whether YAML would read the text otherwise, or not at all, behind its key."""
    plain = text[:1].isalnum() or text[:1] == "("
    return not plain or text.endswith(":") or any(mark in text for mark in ("\n", ": ", " #"))


def _case(case: dict[str, str]) -> str:
    lines = []
    for key, value in case.items():
        style = "|" if value.endswith("\n") else "|-"
        lines.append(f"{key}: {style}\n{indent(value, '    ')}" if _is_block(value) else f"{key}: {value}")
    return "".join(f"{'  ' if number else '- '}{line.rstrip()}\n" for number, line in enumerate(lines))
