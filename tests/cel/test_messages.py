"""The messages on refused expressions, and their places."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.check.table import releases
from dralint.cel.issue import underlined

REFUSED = [
    # expression, code, underlined, message, hint
    (
        'device.capacity["d"].memory > quantity("10Gi")',
        "no-overload",
        'device.capacity["d"].memory > quantity("10Gi")',
        '"memory" is a Quantity: compare with isGreaterThan(quantity("10Gi")), not with ">"',
        'write device.capacity["d"].memory.isGreaterThan(quantity("10Gi"))',
    ),
    (
        'device.capacity["d"].memory >= 40',
        "no-overload",
        'device.capacity["d"].memory >= 40',
        '"memory" is a Quantity, and 40 without a unit is 40 bytes',
        'write device.capacity["d"].memory.compareTo(quantity("40Gi")) >= 0 for 40 GiB',
    ),
    (
        'device.capacity["d"].memory.isGreaterThan("40Gi")',
        "no-overload",
        'isGreaterThan("40Gi")',
        "isGreaterThan() does not take (string); it takes (Quantity)",
        'write device.capacity["d"].memory.isGreaterThan(quantity("40Gi"))',
    ),
    (
        'device.attributes["example.com/memory"].quantity >= quantity("40Gi")',
        "no-overload",
        'device.attributes["example.com/memory"].quantity >= quantity("40Gi")',
        (
            "attributes hold no quantities, capacities do (device.capacity): "
            'compare with compareTo(quantity("40Gi")) >= 0, not with ">="'
        ),
        (
            'write device.capacity["DOMAIN"].NAME.compareTo(quantity("40Gi")) >= 0, with the domain and name that the '
            "driver publishes"
        ),
    ),
    (
        'device.attribute["d"].x == 1',
        "unknown-field",
        "attribute",
        'device has no field "attribute"; it has driver, attributes, capacity, allowMultipleAllocations',
        'did you mean "attributes"?',
    ),
    (
        'Device.driver == "x"',
        "undeclared-reference",
        "Device",
        '"Device" is not a variable; there is device',
        'did you mean "device"?',
    ),
    (
        'device.driver.startWith("x")',
        "undeclared-reference",
        "startWith",
        "there is no function startWith()",
        'write device.driver.startsWith("x")',
    ),
    (
        "device.driver && true",
        "type-mismatch",
        "device.driver",
        '"&&" joins conditions (bool), but this is a string',
        'compare it: device.driver == "value"',
    ),
    (
        'device.attributes["d"].x.all(v, v == 1)',
        "not-iterable",
        'device.attributes["d"].x',
        "all() cannot iterate over an attribute: its type is not known before the expression runs",
        "Kubernetes 1.37 accepts it with feature gate DRAListTypeAttributes only",
    ),
    (
        'device.driver = "x"',
        "syntax",
        "= ",
        'a single "=" is not an operator: equality is written "=="',
        'write "=="',
    ),
    (
        'device.driver == "x" and true',
        "syntax",
        "and",
        'found "and" where an operator or the end of the expression should follow',
        'write "&&" for "and"',
    ),
    (
        "device.driver",
        "output-type",
        "device.driver",
        "the selector must be true or false (bool), but it is a string",
        'compare it: device.driver == "value"',
    ),
    (
        'device.driver.matches("[")',
        "literal-regex",
        '"["',
        'the pattern "[" has a "[" that is not closed',
        'close it with "]", or write "[[]" for the character itself',
    ),
    ('device.driver.find("[") == ""', "plan", '"["', 'the pattern "[" has a "[" that is not closed', None),
    ('int("x") == 1', "plan", 'int("x")', 'int() always fails here: "x" is not an integer', None),
    (
        'duration("1d") == duration("24h")',
        "literal-duration",
        '"1d"',
        '"1d" has the unknown unit "d"; units are ns, us, ms, s, m and h',
        None,
    ),
    (
        '[1, "a"].size() == 2',
        "mixed-types",
        '"a"',
        "the elements of a list must have one type: the first is an int, this is a string",
        None,
    ),
    ('"%d".format(["a"]) == ""', "format", '"a"', "'%d' takes int or uint, but this is a string", None),
    (
        "string == string",
        "cost",
        "string == string",
        "the estimated cost is practically without bound; allowed is 1,000,000",
        "compare what comes from device directly: the sizes of computed strings and lists are not known in advance",
    ),
    ("has(device)", "macro", "device", "has() tests a field: its argument must end in .name", None),
    (
        "package == 1",
        "reserved-word",
        "package",
        '"package" is a reserved word and cannot be the name of a variable or function',
        None,
    ),
    (
        "-gpu == 1",
        "undeclared-reference",
        "gpu",
        '"gpu" is not a variable; there is device',
        'if it is a text, put it in quotes: "gpu"',
    ),
    (
        "[a.example.com] == []",
        "undeclared-reference",
        "a",
        '"a" is not a variable; there is device',
        'put the domain in quotes: ["a.example.com"]',
    ),
    (
        "quantity('1').sign() == 1",
        "no-overload",
        "sign()",
        "sign() is not called on a value",
        "write sign(quantity('1'))",
    ),
    (
        "device.driver.exists(x, true)",
        "not-iterable",
        "device.driver",
        "exists() iterates over a list or a map, but this is a string",
        "a string has contains(), startsWith(), matches(), split()",
    ),
    (
        'device.all(d, d.driver == "x")',
        "not-iterable",
        "device",
        "all() iterates over a list or a map, but this is a kubernetes.DRADevice",
        "a selector runs for one device: write its condition without all()",
    ),
    (
        'device.attributes.get("d").model == "x"',
        "undeclared-reference",
        "get",
        "there is no function get()",
        'write device.attributes["d"]',
    ),
    (
        'device.attributes["model"] == "x"',
        "no-overload",
        'device.attributes["model"]',
        '"model" looks like the name of an attribute: before it comes its domain, mostly the name of a driver',
        'write device.attributes["DRIVER"].model, with the name of the driver',
    ),
    (
        'device.attributes["gpu.example.com.productName"] == "x"',
        "no-overload",
        'device.attributes["gpu.example.com.productName"]',
        (
            '"gpu.example.com.productName" is not a domain: the part after the last "." looks like the name of the '
            "attribute"
        ),
        'write device.attributes["gpu.example.com"].productName',
    ),
    (
        'exists(device.attributes["d"].x)',
        "undeclared-reference",
        "exists",
        "there is no function exists()",
        'test with has(): has(device.attributes["d"].x)',
    ),
    (
        '4 <= device.attributes["d"].x <= 8',
        "no-overload",
        '4 <= device.attributes["d"].x <= 8',
        '"<=" does not apply to a bool and an int',
        'write 4 <= device.attributes["d"].x && device.attributes["d"].x <= 8',
    ),
    (
        'device.driver in "x"',
        "no-overload",
        '"x"',
        'what follows "in" must be a list or a map, but it is a string',
        'write == to compare it, or a list: ["x"]; for part of a string use contains()',
    ),
    (
        'device.driver in "x, y.z"',
        "no-overload",
        '"x, y.z"',
        'what follows "in" must be a list or a map, but it is a string',
        'write a list: ["x", "y.z"]',
    ),
    (
        'device.attributes["d"].?x == "y"',
        "no-overload",
        'device.attributes["d"].?x == "y"',
        '"==" does not apply to an optional(any) and a string',
        'use its value, with a default for a missing one: device.attributes["d"].?x.orValue("")',
    ),
    (
        'has(device.attributes["d"]["x"])',
        "macro",
        '["x"]',
        "has() tests a field: its argument must end in .name",
        'write has(device.attributes["d"].x)',
    ),
    (
        'has(device.attributes["d"]["x-y"])',
        "macro",
        '["x-y"]',
        "has() tests a field: its argument must end in .name",
        'write "x-y" in device.attributes["d"]',
    ),
    (
        'device.has("driver")',
        "undeclared-reference",
        "has",
        "has() is not called on a value",
        'for example: has(device.attributes["d"].x)',
    ),
    (
        'device.nodeName == "x"',
        "unknown-field",
        "nodeName",
        'device has no field "nodeName"; it has driver, attributes, capacity, allowMultipleAllocations',
        "the node of a device is not visible to selectors; select nodes with the nodeSelector or affinity of the Pod",
    ),
    (
        "[1].sortBy(x, [x]) == [1]",
        "no-overload",
        "[1].sortBy(x, [x])",
        "sortBy() cannot work with a list(int)",
        None,
    ),
    (
        'device.allowMultipleAllocations == "true"',
        "no-overload",
        'device.allowMultipleAllocations == "true"',
        '"==" does not apply to a bool and a string',
        "write device.allowMultipleAllocations == true",
    ),
    (
        'device.capacity["d"].memory > size("abc")',
        "no-overload",
        'device.capacity["d"].memory > size("abc")',
        '">" does not apply to a Quantity and an int',
        'write device.capacity["d"].memory.asInteger() > size("abc")',
    ),
    ("99999999999999999999 == 1", "literal-range", "99999999999999999999", None, 'for an amount use quantity("...")'),
]


@pytest.mark.parametrize(("expression", "code", "underlined", "message", "hint"), REFUSED)
def test_a_refusal_says_what_where_and_what_instead(
    expression: str, code: str, underlined: str, message: str | None, hint: str | None
) -> None:
    issue = environment("1.37").compile(expression).issues[0]

    assert (issue.code, expression[issue.start : issue.end]) == (code, underlined)
    assert issue.severity_effect == "rejected"
    if message is not None:
        assert issue.message == message
    if hint is not None:
        assert issue.hint == hint


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('device.allowMultipleAllocations == "abc"', '"==" does not apply to a bool and a string'),
        ('"a".replace("b") == "a"', "replace() takes 2 or 3 arguments, but gets 1"),
        ('device.driver.contains("a", "b")', "contains() takes 1 argument, but gets 2"),
    ],
)
def test_nothing_is_proposed_where_nothing_tells_what_was_meant(expression: str, message: str) -> None:
    (issue,) = environment("1.37").compile(expression).issues

    assert (issue.message, issue.hint) == (message, None)


def test_two_words_with_a_minus_between_are_one_text() -> None:
    hints = [issue.hint for issue in environment("1.37").compile("gpu-count == 1").issues]

    assert hints == ['if it is a text, put it in quotes: "gpu-count"', None]


def test_a_function_of_a_later_release_is_told_with_it() -> None:
    (issue,) = environment("1.31").compile("device.driver.reverse() == 'a'").issues

    assert (issue.message, issue.hint) == (
        "there is no function reverse()",
        "reverse() exists from Kubernetes 1.35 on",
    )


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


def test_a_part_in_parentheses_is_shown_with_them() -> None:
    expression = "(device.driver) && true"
    (issue,) = environment("1.37").compile(expression).issues

    assert expression[issue.start : issue.end] == "(device.driver)"


def test_a_refusal_names_the_release_that_accepts() -> None:
    issue = environment("1.32").compile("[3, 1].sort()[0] == 1").issues[0]

    assert issue.message == "there is no function sort()"
    assert issue.hint == "Kubernetes 1.35 and later accept this expression"


def test_positions_are_the_compilers() -> None:
    issue = environment("1.37").compile('device.driver == "é" &&\n  nothing == 1').issues[0]

    assert (issue.line, issue.column) == (2, 3)
    assert (issue.start, issue.end) == (26, 33)


def test_an_unregistered_type_has_no_fields() -> None:
    issue = environment("1.37").compile('device.capacity["d"].memory.value == 1').issues[0]

    assert issue.message == 'a Quantity has no fields, so "value" cannot be selected from it'


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


def test_of_several_refusals_the_first_says_which_gate_it_takes() -> None:
    issues = (
        environment("1.37")
        .compile("device.attributes['a.b'].c.all(x, x == 1) && device.attributes['a.b'].d.all(x, x == 1)")
        .issues
    )

    message = "all() cannot iterate over an attribute: its type is not known before the expression runs"
    assert [(issue.message, issue.hint) for issue in issues] == [
        (message, "Kubernetes 1.37 accepts it with feature gate DRAListTypeAttributes only"),
        (message, "lists in attributes need the feature gate DRAListTypeAttributes (1.36 and later)"),
    ]


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
