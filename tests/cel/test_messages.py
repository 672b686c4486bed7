"""The messages on refused expressions, and their places."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.issue import underlined
from dralint.cel.table import releases


@pytest.mark.parametrize(("length", "shown"), [(200, True), (201, False)])
def test_what_is_long_is_not_repeated_in_a_hint(length: int, shown: bool) -> None:
    text = f"'{'a' * (length - 2)}'"
    (issue,) = environment("1.37").compile(text).issues

    assert issue.hint == f'compare it: {text if shown else "..."} == "value"'


@pytest.mark.parametrize(
    ("release", "expression", "reason"),
    [
        ("1.37", "1 +", "Invalid"),
        ("1.37", "device.driver", "Invalid"),
        ("1.37", 'int("x") == 1', "InternalError"),
        ("1.37", "string == string", "Forbidden"),
        ("1.37", f"device.driver == '{'x' * 10_240}'", "TooLong"),
    ],
)
def test_a_refusal_has_the_servers_reason(release: str, expression: str, reason: str) -> None:
    assert environment(release).compile(expression).issues[0].reason == reason


def test_the_length_is_counted_in_bytes_from_1_32_on() -> None:
    expression = f"device.driver == '{'é' * 5_200}'"

    assert environment("1.31").compile(expression).ok
    assert environment("1.32").compile(expression).stage == "too-long"
    assert environment("1.32").compile(expression).issues[0].message == (
        "the expression has 10419 bytes; allowed are 10240"
    )


def test_a_call_is_underlined_from_its_parenthesis_to_its_end() -> None:
    expression = 'device.driver.startWith("a)" + (device.driver), [")"]) && true'
    (issue,) = environment("1.37").compile(expression).issues
    start, end = underlined(issue, expression)

    assert (issue.line, issue.column, issue.message) == (1, 24, "there is no function startWith()")
    assert (start, expression[start:end]) == (23, '("a)" + (device.driver), [")"])')


def test_an_operator_or_dot_is_underlined_alone() -> None:
    def shown(expression: str) -> str:
        start, end = underlined(environment("1.37").compile(expression).issues[0], expression)
        return expression[start:end]

    assert shown("device.driver == 3") == "=="
    assert shown("device.drivers == 3") == ".drivers"
    assert shown('device.driver["(" ] == 3') == '["(" ]'


def test_positions_are_the_compilers() -> None:
    issue = environment("1.37").compile('device.driver == "é" &&\n  nothing == 1').issues[0]

    assert (issue.line, issue.column) == (2, 3)
    assert (issue.start, issue.end) == (26, 33)


def test_derived_attributes_may_be_scalars() -> None:
    judge = environment("1.37", kind="derived")

    assert judge.compile("device.driver").ok
    issue = judge.compile('device.capacity["d"].memory').issues[0]
    assert issue.message == "a derived attribute must be a bool, int, string or Semver, but this is a Quantity"
    assert issue.hint == 'make it an int: device.capacity["d"].memory.asInteger()'


def test_named_resources_have_variables_of_their_own() -> None:
    judge = environment("1.30", kind="named-resources")

    assert judge.compile('attributes.bool["ready"] && attributes.quantity["a"].isLessThan(quantity("1"))').ok
    issue = judge.compile('attributes["a"] == 1').issues[0]
    assert issue.message.startswith('"attributes" alone is not a variable; there are attributes.<type>')
    assert judge.compile("").issues[0].reason == "Required"


def test_a_compilation_is_kept() -> None:
    judge = environment("1.37")

    assert environment("1.37") is judge
    assert judge.compile('device.driver == "kept"') is judge.compile('device.driver == "kept"')


@pytest.mark.parametrize(
    ("release", "options", "message"),
    [
        (
            "1.99",
            {},
            "the CEL of release 1.99 is not known to this version of dralint; known are those of "
            + ", ".join(releases()),
        ),
        ("1.34", {"list_attributes": True}, "release 1.34 has no feature gate DRAListTypeAttributes"),
        ("1.36", {"kind": "derived"}, "release 1.36 has no expressions of the kind 'derived'"),
    ],
)
def test_an_unknown_environment_is_refused(release: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message[:20]) as refusal:
        environment(release, **options)  # type: ignore[arg-type]  # options come from the table above

    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("precision", "refused"),
    [(".f", True), (".", True), (".9223372036854775808f", True), (".9223372036854775807f", False)],
)
def test_a_format_has_a_precision_that_is_a_number_of_64_bits(precision: str, refused: bool) -> None:
    issues = environment("1.34").compile(f'"%{precision}".format([1.0]) == ""').issues

    message = 'the format has a "." without a precision and a letter'
    assert [issue.message for issue in issues] == ([message] if refused else [])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("(true ? optional.of(dyn(1)) : optional.of(1)).value() == 'a'", None),
        ("(true ? optional.of(1) : optional.of(dyn(1))).value() == 'a'", None),
        ("(true ? [dyn(1)] : [1])[0] == 'a'", None),
        ("(true ? [1] : [dyn(1)])[0] == 'a'", None),
        ("(true ? optional.of(1) : optional.of(1)).value() == 'a'", '"==" does not apply to an int and a string'),
        ("[].exists(x, x == [x])", '"==" does not apply to a value of unknown type and a list(dyn)'),
        ("[].exists(x, [x] == x)", '"==" does not apply to a list(dyn) and a value of unknown type'),
    ],
)
def test_of_two_types_the_one_that_says_less_stands_for_both(expression: str, message: str | None) -> None:
    """A type that would hold itself stands for nothing (cel-go checker/types.go: isAssignable, occurs)."""
    issues = environment("1.37").compile(expression).issues

    assert [issue.message for issue in issues[:1]] == ([] if message is None else [message])


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ("quantity(80)", 'write quantity("80Gi") for 80 GiB, or quantity("80") for a number'),
        ("semver(1.2)", 'write a text of three numbers: semver("MAJOR.MINOR.PATCH")'),
    ],
)
def test_a_number_without_a_unit_is_no_guess(expression: str, hint: str) -> None:
    (issue,) = environment(releases()[-1]).compile(f"{expression} == {expression}").issues[:1]

    assert (issue.hint, issue.replacement) == (hint, None)
