"""Regular expressions are read and run as Go does, by the Go version of each release."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import pytest

from dralint.cel import environment
from dralint.cel.machine import Device
from dralint.cel.regex import parse, program
from dralint.cel.regex_nodes import NotRunError, RegexError
from tests.cel.ran import ran, why_not

DATA = Path(__file__).parents[1] / "data" / "cel" / "patterns.jsonl.gz"
NEW, OLD = "folded", "exact"


def rows() -> list[dict[str, Any]]:
    with gzip.open(DATA, "rt", encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def accepted(pattern: str, patterns: str) -> bool:
    try:
        parse(pattern, patterns)
    except RegexError:
        return False
    return True


@pytest.mark.slow
def test_what_go_compiles_and_what_it_finds() -> None:
    wrong, run = [], 0
    for row in rows():
        pattern = row["pattern"]
        if accepted(pattern, NEW) is not row["ok"]:
            wrong.append(row)
        elif row["ok"]:
            try:
                found = program(pattern, NEW).find_all(row["text"])
                first = program(pattern, NEW).search(row["text"])
            except NotRunError:
                continue
            run += 1
            if found != row["all"] or (first is not None) != bool(row["all"]):
                wrong.append({**row, "ours": found})

    assert wrong == []
    assert run > 700


@pytest.mark.parametrize(
    ("release", "accepts"),
    [("1.34", False), ("1.35", True), ("1.36", True), ("1.37", True)],
)
@pytest.mark.parametrize(
    "name", ["ASCII", "Assigned", "Cn", "LC", "any", "Letter", "Decimal_Number", "lu", "latin", "han"]
)
def test_names_of_classes_are_folded_from_go_1_25_on(name: str, release: str, accepts: bool) -> None:
    compilation = environment(release).compile(f'device.driver.matches("\\\\p{{{name}}}")')

    assert compilation.ok is accepts
    # matches() as a function looks at the wrong argument when it checks: the planner has to find it.
    assert environment(release).compile(f'matches(device.driver, "\\\\p{{{name}}}")').ok is accepts


@pytest.mark.parametrize("name", ["Old_Italic", "Phags_Pa", "Tai_Le", "Linear_B", "Nag_Mundari", "SignWriting"])
def test_scripts_of_several_words_are_not_found_from_go_1_25_on(name: str) -> None:
    expression = f'device.driver.matches("\\\\p{{{name}}}")'

    assert environment("1.34").compile(expression).ok
    issue = environment("1.37").compile(expression).issues[0]
    assert issue.code == "literal-regex"
    assert issue.message == f'the pattern "\\p{{{name}}}" has the unknown class "\\p{{{name}}}"'


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (r"\Q\E*", 'has a "*" with nothing before it to repeat'),
        ("(a|b" * 334 + ")" * 334, "nests too deeply: at most 1000 levels"),
        ("(" + "a" * 4000 + "){1000}", "is too large: its repetitions multiply to more than Go compiles"),
        ("(?<=a)b", 'has "(?<=", which Go does not know (no look-around, no atomic groups)'),
        ("(?P<a-b>c)", 'has the invalid group name "a-b"'),
        ("a{2}{3}", 'repeats a repetition: "}{3}"'),
        ("(a{500}){3}", "repeats more than 1000 times in all"),
        ("a{3,2}", 'has the invalid repetition "{3,2}": at most 1000, the smaller number first'),
        ("a)", 'has a ")" that closes nothing'),
        ("(a", 'has a "(" that is not closed'),
        ("[a", 'has a "[" that is not closed'),
        ("[b-a]", "has the range b-a, which runs backwards"),
        ("[[:alhpa:]]", 'has the unknown class "[:alhpa:]"'),
        (r"\p{Greek", 'has the unfinished class "\\p{Greek"'),
        (r"\q", 'has the escape "\\q", which Go does not know'),
        ("a\\", "ends in a backslash"),
    ],
)
def test_what_go_refuses(pattern: str, message: str) -> None:
    for patterns in (OLD, NEW):
        with pytest.raises(RegexError) as refusal:
            parse(pattern, patterns)

        assert str(refusal.value) == message


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?P<v>\d+)\.(?P<v>\d+)",
        "(" * 501 + "a" + ")" * 501,
        "(?:" * 1001 + "a" + ")" * 1001,
        "a{01}",
        r"\Qa\E*",
    ],
)
def test_what_go_accepts(pattern: str) -> None:
    for patterns in (OLD, NEW):
        assert accepted(pattern, patterns)


@pytest.mark.parametrize(
    "pattern",
    [
        "a?" * 25 + "c",
        "(a|a)" * 24 + "c",
        "(a|b)?" * 24 + "c",
        "a{0,1}" * 20 + "c",
        "(a+)+$",
        "(a|aa)+c",
        "a*" * 30 + "c",
    ],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    device = Device("d", attributes={"m": "a" * 63})
    compilation = environment("1.37").compile(f'device.attributes["d"].m.matches("{pattern}")')
    before = time.process_time()

    outcome = ran(compilation, device)

    assert outcome.matches is (pattern == "(a+)+$")
    assert time.process_time() - before < 1


@pytest.mark.slow
def test_a_pattern_that_is_too_large_is_not_run_and_said_so() -> None:
    large = environment("1.37").compile('device.driver.matches("a{1000}b{1000}c{1000}(.{20}){50}")')
    huge = environment("1.37").compile('device.driver.matches("' + "a{1000}" * 30 + '")')

    assert ran(large, Device("a" * 200)).matches is False
    assert why_not(huge, Device("a")) == "dralint's limit of 20,000 instructions of a pattern is reached"


def test_a_pattern_from_an_attribute_that_go_refuses_aborts() -> None:
    compilation = environment("1.37").compile('device.driver.matches(device.attributes["d"].p)')

    outcome = ran(compilation, Device("d", attributes={"p": "(a"}))

    assert outcome.error == 'the pattern "(a" has a "(" that is not closed'


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"\p{Lu}", "aÉ", ["É"]),
        (r"(?i)k", "Kk\u212a", ["K", "k", "\u212a"]),
        (r"[^\pL]", "a1é-", ["1", "-"]),
        (r"(?m)^.$", "a\nb", ["a", "b"]),
        (r"\bab?", "ab a cab", ["ab", "a"]),
        (r"a*?", "aa", ["", "", ""]),
        (r"(?s).b", "\nb", ["\nb"]),
        (r"(?U)a+", "aa", ["a", "a"]),
    ],
)
def test_what_is_found(pattern: str, text: str, found: list[str]) -> None:
    assert program(pattern, NEW).find_all(text) == found


def test_what_is_not_known_is_not_guessed() -> None:
    for pattern, text in ((r"\p{Greek}", "a"), (r"\pL", "\u0378")):
        with pytest.raises(NotRunError):
            program(pattern, NEW).search(text)
