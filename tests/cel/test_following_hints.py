"""A hint that says what to write also has it as data; following it literally gives what was meant."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from dralint.cel import Compilation, Issue, environment
from dralint.cel.advice import advice
from dralint.cel.table import releases

DATA = Path(__file__).parents[1] / "data" / "cel"
NEWEST = releases()[-1]
TYPE = 'device.attributes["d"].model'


def said(compilation: Compilation) -> Issue:
    return (compilation.issues or advice(compilation))[0]


def followed(expression: str, issue: Issue) -> str:
    assert issue.replacement is not None
    return expression[: issue.replacement.start] + issue.replacement.text + expression[issue.replacement.end :]


@pytest.mark.parametrize(
    ("written", "meant", "hint"),
    [
        ("len(device.driver) > 3", "device.driver.size() > 3", "write device.driver.size()"),
        ("device.driver.length() > 3", "device.driver.size() > 3", "write device.driver.size()"),
        ("device.driver.length > 3", "device.driver.size() > 3", "write device.driver.size()"),
        (f'{TYPE}.toLowerCase() == "a"', f'{TYPE}.lowerAscii() == "a"', f"write {TYPE}.lowerAscii()"),
        (f'{TYPE}.startswith("A")', f'{TYPE}.startsWith("A")', "did you mean startsWith()?"),
        (f'{TYPE}.hasPrefix("A")', f'{TYPE}.startsWith("A")', f'write {TYPE}.startsWith("A")'),
        ('device.driver.includes("a")', 'device.driver.contains("a")', 'write device.driver.contains("a")'),
        ('device.driver.equals("a")', 'device.driver == "a"', 'write device.driver == "a"'),
        ('device.attributes["d"].has("model")', f"has({TYPE})", f"write has({TYPE})"),
        ('["a"].has(device.driver)', 'device.driver in ["a"]', 'write device.driver in ["a"]'),
        (
            'device.capacity["d"].x == quantity(40000000000)',
            'device.capacity["d"].x == quantity("40000000000")',
            'write quantity("40000000000")',
        ),
        ('!device.driver.equals("a")', '!(device.driver == "a")', 'write (device.driver == "a")'),
        ('equals(device.driver, "a")', 'device.driver == "a"', 'write device.driver == "a"'),
        ('device.driver.toString() == "a"', 'string(device.driver) == "a"', "write string(device.driver)"),
        ('devices.driver == "a"', 'device.driver == "a"', 'did you mean "device"?'),
        ('device.atributes["d"].x == 1', 'device.attributes["d"].x == 1', 'did you mean "attributes"?'),
        (
            f'has({TYPE}) && device.capacity["d"].model >= 4',
            f"has({TYPE}) && {TYPE} >= 4",
            f"write {TYPE}",
        ),
        (
            f'has({TYPE}) && device . capacity["d"].model >= 4',
            f'has({TYPE}) && device . attributes["d"].model >= 4',
            'write device . attributes["d"].model',
        ),
        (
            "has(device.attributes.gpu.example.com.model)",
            'has(device.attributes["gpu.example.com"].model)',
            'write has(device.attributes["gpu.example.com"].model)',
        ),
        (
            'has(device.attributes["gpu.example.com/nvlink"])',
            'has(device.attributes["gpu.example.com"].nvlink)',
            'write has(device.attributes["gpu.example.com"].nvlink)',
        ),
        (
            "has(device.capacity['gpu.example.com.coreCount'])",
            "has(device.capacity['gpu.example.com'].coreCount)",
            "write has(device.capacity['gpu.example.com'].coreCount)",
        ),
        ('has(device.attributes["a.b"])', '"a.b" in device.attributes', 'write "a.b" in device.attributes'),
        ('device.driver => "a"', 'device.driver >= "a"', 'write ">="'),
        ('device.driver = "a"', 'device.driver == "a"', 'write "=="'),
        ('device.driver === "a"', 'device.driver == "a"', 'write "=="'),
        ("true & true", "true && true", 'write "&&"'),
        ("true | true", "true || true", 'write "||"'),
        ("true and true", "true && true", 'write "&&" for "and"'),
        ("true &amp;&amp; true", "true && true", '"&amp;&amp;" is written so in HTML only: write "&&"'),
        ("1 &lt; 2", "1 < 2", '"&lt;" is written so in HTML only: write "<"'),
        ("1 <> 2", "1 != 2", 'write "!=" for "<>"'),
        (r'device.driver.matches("^\d+$")', r'device.driver.matches(r"^\d+$")', r'write r"^\d+$"'),
        ("device.driver == \u201cgpu\u201d", 'device.driver == "gpu"', 'write straight quotes: "gpu"'),
        ('device.driver\u00a0== "gpu"', 'device.driver == "gpu"', "write a plain space"),
        ('device\u200b.driver == "gpu"', 'device.driver == "gpu"', "delete it"),
        ('d\u0435vice.driver == "gpu"', 'device.driver == "gpu"', 'write "e"'),
        ('device.driver == "gpu\u200b"', 'device.driver == "gpu"', 'write "gpu"'),
        ('(device.driver == "a"', '(device.driver == "a")', 'close the "(": write ")"'),
        ("(1 in [1, 2", "(1 in [1, 2])", '2 brackets are not closed: write "])"'),
        ('device.attributes["d".x == 1', 'device.attributes["d"].x == 1', 'close the "[": write "d"]'),
        ('device.driver == "a', 'device.driver == "a"', 'close it: "a"'),
        ("device.driver == 'a\"", "device.driver == 'a'", "it begins with ' and seems to end with \": write 'a'"),
        (
            'device.driver == "d" && device.capacity["d"].m.isGreaterThan(quantity("40 Gi"))',
            'device.driver == "d" && device.capacity["d"].m.isGreaterThan(quantity("40Gi"))',
            'write quantity("40Gi")',
        ),
        (
            'device.driver == "d" && device.attributes["gpu.ex\u0430mple.com"].x == 1',
            'device.driver == "d" && device.attributes["gpu.example.com"].x == 1',
            'did you mean "gpu.example.com"?',
        ),
    ],
)
def test_what_is_followed_is_what_was_meant(written: str, meant: str, hint: str) -> None:
    issue = said(environment(NEWEST).compile(written))

    assert issue.hint == hint
    assert followed(written, issue) == meant


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (
            'device.capacity["d"].m.isGreaterThan(quantity("40GB"))',
            'write quantity("40G") for powers of 1000, quantity("40Gi") for powers of 1024',
        ),
        (
            'device.attributes["resource.kubernetes.io.pcieRoot"].x == 1',
            'if "pcieRoot" is the name of the attribute: device.attributes["resource.kubernetes.io"].pcieRoot',
        ),
        (
            'has(device.attributes["nvlink"])',
            'write has(device.attributes["DRIVER"].nvlink), with the name of the driver',
        ),
        ("[1].all(item_a, [1].all(item_b, item_c == 1))", 'did you mean "item_a" or "item_b"?'),
    ],
)
def test_what_only_the_author_knows_is_not_chosen(written: str, hint: str) -> None:
    compilation = environment(NEWEST).compile(written)
    issues = [issue for issue in (*compilation.issues, *advice(compilation)) if issue.hint == hint]

    assert [issue.replacement for issue in issues] == [None]


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        (
            'exists(device.attributes["nvlink"])',
            'write has(device.attributes["DRIVER"].nvlink), with the name of the driver',
        ),
        (
            'exists(device.attributes["gpu.example.com"]["nvlink"])',
            'write has(device.attributes["gpu.example.com"].nvlink)',
        ),
        ('exists(device.attributes["gpu.example.com"])', 'write "gpu.example.com" in device.attributes'),
    ],
)
def test_what_asks_for_an_entry_can_be_followed(written: str, hint: str) -> None:
    issue = said(environment(NEWEST).compile(written))
    text = hint.removeprefix("write ").partition(", with")[0].replace("DRIVER", "gpu.example.com")

    assert issue.hint == hint
    assert environment(NEWEST).compile(text).ok


@pytest.mark.slow
def test_replacements_of_recorded_refusals_mend_what_they_are_about() -> None:
    recorded = next(release for release in reversed(releases()) if (DATA / f"mutations.{release}.jsonl.gz").exists())
    judge = environment(recorded)
    offered, same = 0, []
    with gzip.open(DATA / f"mutations.{recorded}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as file:
        refused = [row["expression"] for row in map(json.loads, file) if not row["ok"]]
    for expression in refused:
        issue = judge.compile(expression).issues[0]
        if issue.replacement is None:
            continue
        offered += 1
        assert 0 <= issue.replacement.start <= issue.replacement.end <= len(expression)
        after = judge.compile(followed(expression, issue))
        if not after.ok and (after.issues[0].start, after.issues[0].message) == (issue.start, issue.message):
            same.append((expression, issue.hint))

    assert same == []
    assert offered > 80
