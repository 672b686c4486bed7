"""A replacement that is proposed can be copied: it keeps the user's words, means what was meant, and compiles."""

from __future__ import annotations

import pytest

from dralint.cel import Issue, environment
from dralint.cel.advice import makes_sense
from dralint.cel.machine import Device
from dralint.cel.values import parse_semver
from tests.cel.ran import OUTCOMES, ran

CAPACITY = 'device.capacity["a.b"].x'
ATTRIBUTE = 'device.attributes["a.b"].x'


def proposal(issue: Issue) -> str:
    assert issue.hint is not None
    assert issue.hint.startswith("write ")
    return issue.hint.removeprefix("write ").partition("; Kubernetes")[0]


@pytest.mark.parametrize("release", ["1.31", "1.34", "1.37"])
@pytest.mark.parametrize(("expression", "wanted"), OUTCOMES["proposed"].items())
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
