"""A replacement that is proposed can be copied: it keeps the user's words, means what was meant, and compiles."""

from __future__ import annotations

import pytest

from dralint.cel import Issue, environment
from dralint.cel.advice import makes_sense
from dralint.cel.machine import Device
from dralint.cel.values import parse_semver
from tests.cel.ran import ran

CAPACITY = 'device.capacity["a.b"].x'
ATTRIBUTE = 'device.attributes["a.b"].x'
PROPOSED = [
    # expression, what the first issue proposes for it
    (f'{CAPACITY} > quantity("1Gi")', f'{CAPACITY}.isGreaterThan(quantity("1Gi"))'),
    (f'{CAPACITY} < quantity("1Gi")', f'{CAPACITY}.isLessThan(quantity("1Gi"))'),
    (f'{CAPACITY} >= quantity("1Gi")', f'{CAPACITY}.compareTo(quantity("1Gi")) >= 0'),
    (f'{CAPACITY} <= quantity("1Gi")', f'{CAPACITY}.compareTo(quantity("1Gi")) <= 0'),
    (f'quantity("1Gi") > {CAPACITY}', f'{CAPACITY}.isLessThan(quantity("1Gi"))'),
    (f'quantity("1Gi") < {CAPACITY}', f'{CAPACITY}.isGreaterThan(quantity("1Gi"))'),
    (f'quantity("1Gi") >= {CAPACITY}', f'{CAPACITY}.compareTo(quantity("1Gi")) <= 0'),
    (f'quantity("1Gi") <= {CAPACITY}', f'{CAPACITY}.compareTo(quantity("1Gi")) >= 0'),
    (f"{CAPACITY} > 10", f'{CAPACITY}.isGreaterThan(quantity("10"))'),
    (f"1.5 > {CAPACITY}", f'{CAPACITY}.isLessThan(quantity("1.5"))'),
    (f'{CAPACITY} == "10Gi"', f'{CAPACITY} == quantity("10Gi")'),
    (f'"10Gi" != {CAPACITY}', f'{CAPACITY}.compareTo(quantity("10Gi")) != 0'),
    (f"{CAPACITY} > size(device.driver)", f"{CAPACITY}.asInteger() > size(device.driver)"),
    (f'({CAPACITY}) > quantity("1Gi")', f'({CAPACITY}).isGreaterThan(quantity("1Gi"))'),
    (
        f'{CAPACITY} + device.capacity["a.b"].y == quantity("2Gi")',
        f'{CAPACITY}.add(device.capacity["a.b"].y)',
    ),
    (
        f'(true ? {CAPACITY} : quantity("1")) > quantity("2Gi")',
        f'(true ? {CAPACITY} : quantity("1")).isGreaterThan(quantity("2Gi"))',
    ),
    (f'{ATTRIBUTE} > quantity("1Gi")', f'{CAPACITY}.isGreaterThan(quantity("1Gi"))'),
    (f'quantity("1Gi") <= {ATTRIBUTE}', f'{CAPACITY}.compareTo(quantity("1Gi")) >= 0'),
    (f'{ATTRIBUTE} >= semver("1.2.3")', f'{ATTRIBUTE}.compareTo(semver("1.2.3")) >= 0'),
    (f'{ATTRIBUTE} < semver("1.2.3")', f'{ATTRIBUTE}.isLessThan(semver("1.2.3"))'),
    (f'semver("1.2.3") < {ATTRIBUTE}', f'{ATTRIBUTE}.isGreaterThan(semver("1.2.3"))'),
    (f'{ATTRIBUTE}.isGreaterThan("1.2.3")', f'{ATTRIBUTE}.isGreaterThan(semver("1.2.3"))'),
    (f'{ATTRIBUTE}.compareTo("v1.2") > 0', f'{ATTRIBUTE}.compareTo(semver("1.2.0"))'),
    (f'{ATTRIBUTE}.isGreaterThan("40Gi")', f'{CAPACITY}.isGreaterThan(quantity("40Gi"))'),
    (f"{ATTRIBUTE}.isLessThan(5)", f"{ATTRIBUTE} < 5"),
    (f'{CAPACITY}.isGreaterThan("40Gi")', f'{CAPACITY}.isGreaterThan(quantity("40Gi"))'),
    (f"{CAPACITY}.isGreaterThan(40)", f'{CAPACITY}.isGreaterThan(quantity("40"))'),
    ('startsWith(device.driver, "y")', 'device.driver.startsWith("y")'),
    ('device.driver.quantity() == quantity("1")', "quantity(device.driver)"),
    ("device.driver == 3", 'device.driver == "3"'),
    ("true != device.driver", '"true" != device.driver'),
    ('size(device.driver) == "3"', "size(device.driver) == 3"),
    ('has(device.attributes.d.x) == "true"', "has(device.attributes.d.x) == true"),
    ("1 + 2.5 == 3.5", "1.0 + 2.5"),
    ("size(device.driver) * 2.0 > 3.0", "double(size(device.driver)) * 2.0"),
    ("1u + 2 == 3", "1 + 2"),
    (f'["1Gi"].exists(q, {CAPACITY} > quantity(q))', f"{CAPACITY}.isGreaterThan(quantity(q))"),
    (f'{CAPACITY} >\n  quantity("1Gi")', f'{CAPACITY}.isGreaterThan(quantity("1Gi"))'),
]


def proposal(issue: Issue) -> str:
    assert issue.hint is not None
    assert issue.hint.startswith("write ")
    return issue.hint.removeprefix("write ").partition("; Kubernetes")[0]


@pytest.mark.parametrize("release", ["1.31", "1.34", "1.37"])
@pytest.mark.parametrize(("expression", "wanted"), PROPOSED)
@pytest.mark.slow
def test_a_replacement_keeps_the_words_and_compiles(release: str, expression: str, wanted: str) -> None:
    judge = environment(release)
    issue = judge.compile(expression).issues[0]

    assert proposal(issue) == wanted
    start, end = whole(expression, issue)
    replaced = expression[:start] + wanted + expression[end:]
    assert judge.compile(replaced).ok, replaced


def whole(expression: str, issue: Issue) -> tuple[int, int]:
    """The part that a proposal is for: what is underlined, with the receiver of a call before it."""
    start = issue.start
    if issue.start and expression[issue.start - 1] == ".":
        start = expression.rindex("device", 0, start)
    return start, issue.end


def test_a_replacement_of_versions_means_what_was_written() -> None:
    judge = environment("1.37")
    replaced = judge.compile(proposal(judge.compile(f'semver("1.2.3") <= {ATTRIBUTE}').issues[0]))

    def with_version(text: str) -> Device:
        return Device("d", attributes={"a.b/x": parse_semver(text)})

    assert ran(replaced, with_version("1.2.3")).matches is True
    assert ran(replaced, with_version("1.10.0")).matches is True
    assert ran(replaced, with_version("1.2.2")).matches is False


@pytest.mark.parametrize(
    "expression",
    [
        f'{CAPACITY} > "lots"',
        f'{CAPACITY}.isGreaterThan("1.2.3")',
        f'{CAPACITY} > semver("1.2.3")',
        f'{CAPACITY} * 2 > quantity("1")',
        'size(device.driver) == "x"',
        "device.driver > null",
        'size(device.driver) > quantity("1")',
        f'{CAPACITY} // why\n > "1Gi"',
        f'{CAPACITY} > quantity("{"9" * 300}")',
    ],
)
def test_what_does_not_compile_is_not_proposed(expression: str) -> None:
    judge = environment("1.37")
    for issue in judge.compile(expression).issues:
        if issue.hint is not None and issue.hint.startswith("write "):
            start, end = whole(expression, issue)
            assert judge.compile(expression[:start] + proposal(issue) + expression[end:]).ok


def test_an_expression_with_many_faults_gets_no_repairs_and_is_compiled_once() -> None:
    compilation = environment("1.37").compile(" || ".join(f"device.driver == name{number}" for number in range(9)))
    again: list[str] = []

    assert len(compilation.issues) == 9
    assert not makes_sense(compilation, compilation.issues[0], again.append)  # type: ignore[arg-type]
    assert again == []
