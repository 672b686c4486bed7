"""No expression, however nested or broken, does harm."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import pytest

from dralint.cel import Compilation, environment
from dralint.cel.advice import advice
from dralint.cel.parser import parse

SEEDS = [
    'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model.lowerAscii().matches("^a.*$")',
    'device.capacity["d"].memory.compareTo(quantity("40Gi")) >= 0 || has(device.attributes["d"].x)',
    "device.attributes.all(k, device.attributes[k].exists(n, v, n == 'x' && v == 1)) ? [1, 2u, 3.5] : {'a': b'c'}",
    "cel.bind(d, device.attributes['d'], d.?x.orValue(0) in [0, 1]) && !(-1 < 2) && 'a\\n' + r'\\d' != \"\"\"x\"\"\"",
    "[1, 2].map(x, x * 2).filter(y, y % 3 == 1).sortBy(z, -z)[?0].optMap(o, o).value() == size('é') // end",
]
TOKEN = re.compile(r"\s+|\w+|'[^']*'|\"[^\"]*\"|.", re.DOTALL)
PIECES = ["(", ")", "[", "]", "{", "}", ".", "?", ":", ",", "&&", "||", "!", "-", "==", "in", "null", "1", "1u", ".5"]
PIECES += ["'", '"', '"""', "\\", "`a-b`", "#", "&", "=", "//", "\n", "\x00", "é", "if", "has", "all", "x", "0x", "1e"]


LIMIT = 0.1
"""Seconds of processor time that one expression may take on an idle machine."""
_BUSY = 4
"""How much slower a busy processor may be."""


def quickest(judge: Callable[[], object]) -> float:
    """Return the least processor time of up to three tries; the first that is within the limit ends them."""
    times = []
    for _ in range(3):
        before = time.process_time()
        judge()
        times.append(time.process_time() - before)
        if times[-1] <= LIMIT:
            break
    return min(times)


def mutations(count: int) -> list[str]:
    chance = random.Random(20261120)
    made = []
    for _ in range(count):
        tokens = TOKEN.findall(chance.choice(SEEDS))
        for _ in range(chance.randrange(1, 5)):
            at = chance.randrange(len(tokens) + 1)
            what = chance.random()
            if what < 0.35:
                tokens.insert(at, chance.choice(PIECES))
            elif what < 0.7:
                tokens[at : at + 1] = []
            elif what < 0.85:
                tokens[at : at + 1] = [chance.choice(PIECES)]
            else:
                tokens[at:at] = tokens[at : at + 4]
        made.append("".join(tokens))
    return made


@pytest.mark.slow
def test_5_000_mutations_are_parsed_without_harm() -> None:
    dialects = [environment(release).declarations.dialect for release in ("1.31", "1.34", "1.37")]
    slow = []
    for i, expression in enumerate(mutations(5_000)):
        before = time.process_time()
        parsed = parse(expression, dialects[i % 3])
        if time.process_time() - before > LIMIT:
            slow.append((expression, dialects[i % 3]))

        assert (parsed.root is None) == bool(parsed.issues), expression
        for issue in parsed.issues:
            assert 0 <= issue.start <= issue.end <= len(expression), expression

    # A collection of garbage may fall to any of them.
    assert [e for e, dialect in slow if quickest(partial(parse, e, dialect)) > LIMIT] == []


@pytest.mark.slow
def test_mutations_are_judged_without_harm() -> None:
    judge = environment("1.37")
    for expression in mutations(2_000):
        compilation = judge.compile(expression)
        for issue in (*compilation.issues, *advice(compilation)):
            assert 0 <= issue.start <= issue.end <= len(expression), expression


def many(piece: str, separator: str, before: str = "", after: str = "") -> str:
    count = (10_000 - len(before) - len(after)) // (len(piece) + len(separator))
    return before + separator.join([piece] * count) + after


def binds(first: str, depth: int) -> str:
    """Each variable is a map from the one before to the one before: the type doubles with every step."""
    steps = "".join(f"cel.bind(v{i}, {{v{i - 1}: v{i - 1}}}, " for i in range(1, depth))
    return f"cel.bind(v0, {first}, {steps}true{')' * depth}"


LARGE = {
    "parentheses": "(" * 5_000 + "1" + ")" * 5_000,
    "open parentheses": "(" * 10_000,
    "lists": "[" * 5_000 + "]" * 5_000,
    "braces": "{" * 10_000,
    "long list": many("1", ",", "[", "] == []"),
    "long list of lists": many("[]", ",", "[", "] == []"),
    "long conjunction": many("1 < 2", " && "),
    "long sum": many("1", "+", "", " == 0"),
    "long selection": "device" + ".a" * 4_900,
    "many negations": "!" * 9_000 + "true",
    "many unknown names": many("x", ",", "[", "] == []"),
    "many unknown functions": many("f()", ",", "[", "] == []"),
    "quotes": '"' * 9_999,
    "triple quotes": "'''" * 3_333,
    "bad escapes": '"' + "\\d" * 4_900,
    "nested macros": "[1].all(x, " * 240 + "true" + ")" * 240,
    "chained optMap": "optional.of(1)" + ".optMap(a, a)" * 200,
    "doubling types": binds("1", 150),
    "doubling open types": binds("[]", 150),
    "long pattern": '"a".matches("' + "(a|b)*" * 1_500 + '")',
    "nested pattern": '"a".matches("' + "(" * 900 + ")" * 900 + '")',
    "null characters": "\x00" * 5_000,
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("release", ["1.31", "1.37"])
@pytest.mark.slow
def test_large_expressions_are_judged_in_time(release: str, name: str) -> None:
    judge = environment(release)
    judge.compile("device.driver == ''")
    compilations: list[Compilation] = []

    def compile_anew() -> None:
        # What is kept is kept by expression.
        compilations.append(judge.compile(LARGE[name] + " " * len(compilations)))

    took = quickest(compile_anew)

    assert all(c.ok or c.issues for c in compilations)
    assert took < LIMIT * _BUSY


@pytest.mark.parametrize("release", ["1.31", "1.37"])
@pytest.mark.slow
def test_ten_thousand_parentheses_are_answered_as_the_compiler_does(release: str) -> None:
    compilation = environment(release).compile("(" * 10_000 + "true" + ")" * 10_000)
    if release == "1.37":
        assert compilation.stage == "too-long"
        compilation = environment(release).compile("(" * 5_000 + "true" + ")" * 5_000)

    (issue,) = compilation.issues
    assert (compilation.stage, issue.code, issue.line, issue.column) == ("compile", "too-deep", -1, 0)
    assert issue.message == "the expression nests more than 250 levels deep: the compiler gives up"


@pytest.mark.parametrize(("levels", "accepted"), [(249, True), (250, False)])
def test_the_limit_of_nesting_is_the_compilers(levels: int, accepted: bool) -> None:
    judge = environment("1.37")

    assert judge.compile("(" * levels + "true" + ")" * levels).ok is accepted
    assert judge.compile("1" + "+1" * levels + " == 0").ok is accepted
    assert judge.compile('"a"' + ".trim()" * levels + ' == ""').ok is accepted


def test_importing_the_package_costs_nothing() -> None:
    code = (
        "import sys, dralint.cel; loaded = sorted(m for m in sys.modules if m.startswith('dralint.cel.'));"
        "assert loaded == [], loaded;"
        "from dralint.cel import environment; environment('1.34').compile('true');"
        "assert 'dralint.cel.machine' not in sys.modules and 'difflib' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
