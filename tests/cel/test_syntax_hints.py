"""A syntax error comes with what to write."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.advice import is_certain

HINTS = [
    ('device.driver == "x" # why', 'a comment begins with "//"'),
    ('device.driver == "x";', 'leave it out: a selector is one expression; conditions are joined with "&&"'),
    ("device.driver == 'x\"", "it begins with ' and seems to end with \": write 'x'"),
    ("device.driver == 'single quoted \"", "it begins with ' and seems to end with \": write 'single quoted'"),
    ('device.driver == "x', 'close it: "x"'),
    ('device.driver == "x && true', 'close it with "'),
    ('device.driver == "x""', 'remove the stray "'),
    ('size(device.driver) == 2"', 'remove the stray "'),
    ('device.driver == x"', 'remove the stray ", or begin the text with one, too: "x"'),
    ("device.driver == 'it's'", "a ' inside of the text ends it: write \\', or the text between the other quotes"),
    ('device.driver.matches("^a\\.b")', 'write r"^a\\.b"'),
    ('device.driver == "x" and true', 'write "&&" for "and"'),
    ('device.driver == "x" OR true', 'write "||" for "OR"'),
    ('not device.driver == "x"', 'write "!" for "not", before a condition in parentheses: !(...)'),
    ('device.driver not in ["x"]', "write !(x in [...])"),
    ('device.driver is "x"', 'write "==" for "is"'),
    ('device.driver startsWith "x"', 'call it: .startsWith("x")'),
    ('device.driver like "x"', 'a pattern is tried with matches(): device.driver.matches("^gpu")'),
    ("['a'].exists(x => x == 'a')", 'the variable of a macro is a separate argument: write "," for "=>"'),
    ("device.driver.matches(/^gpu/)", "a pattern is a text: write it in quotes, without the slashes"),
    ('device.driver =~ "x"', 'write device.driver.matches("x")'),
    ("device.driver ~ 'x'", "write device.driver.matches('x')"),
    (
        'device.attributes["d"].model =~ "^a.*" && true',
        'write device.attributes["d"].model.matches("^a.*")',
    ),
    ("device.driver =~ /^gpu/", 'a pattern is tried with matches(): device.driver.matches("^gpu")'),
    ('device.driver === "x"', 'write "=="'),
    ('device.driver !== "x"', 'write "!="'),
    ('device.driver <> "x"', 'write "!=" for "<>"'),
    ('device.driver ! = "x"', 'write "!=" without a space'),
    ("size(device.driver) => 1", 'write ">="'),
    ("size(device.driver) =< 1", 'write "<="'),
    ("size(device.driver) =! 1", 'write "!="'),
    ("size(device.driver) =!1", 'write "!="'),
    ("device.driver =!'x'", 'write "!="'),
    ("size(device.driver) > = 1", 'write ">="'),
    ("size(device.driver) <  = 1", 'write "<="'),
    ("size(device.driver) = = 1", 'write "=="'),
    ("true =!has(device.driver)", 'write "=="'),
    ("size(device.driver) \u2265 1", 'write ">="'),
    ("device.driver == \u201cx\u201d", 'write straight quotes: "x"'),
    ("device.driver\u00a0== 'x'", "write a plain space"),
    ('device->driver == "x"', 'write "." for "->"'),
    ('device.driver in ("a", "b")', "a list is written in brackets: [a, b]"),
    ('device.driver == "a", device.driver == "b"', 'conditions are joined with "&&"'),
    ('device.driver == "a" device.driver == "b"', 'write an operator between the two, such as "==" or "&&"'),
    ('device.driver in ["a" "b"]', 'write "," between the two'),
    ("1 in [1, 2 3]", 'write "," between the two'),
    ('device.driver in ["a" device.driver]', 'write "," or an operator between the two'),
    ('device.driver.startsWith("a" "b")', 'write "," or an operator between the two'),
    ("[1, 2][0 1] == 1", 'write an operator between the two, such as "==" or "&&"'),
    ('device.driver == "x" &&', 'write a condition after "&&", or leave "&&" out'),
    ('&& device.driver == "x"', 'write a condition before "&&", or leave "&&" out'),
    ("device.driver ==", 'write the compared value after "=="; texts are put in quotes'),
    ('device.driver == "x")', 'leave it out, or write the "(" that it closes'),
    ('(device.driver == "x"', 'close the "(": write ")"'),
    ('device.driver in ["x"', 'close the "[": write "]"'),
    ("((true)", 'close the "(": write ")"'),
    ("(true && (true", '2 brackets are not closed: write "))"'),
    ("true ? true", "write what holds otherwise: condition ? value : other value"),
    ("if true", 'leave "if" out: a selector is a condition'),
    ('device.attributes.["d"].x == 1', 'leave the "." out before "["'),
    ('device.capacity["d"].m > 10Gi', 'write quantity("10Gi")'),
    ('device.capacity["d"].m.isGreaterThan(1.5Gi)', 'write quantity("1.5Gi")'),
    ('device.attributes["d"].v == 1.2.3', 'write semver("1.2.3")'),
    ('device.attributes["d"].model == 3090ti', 'if it is a text, put it in quotes: "3090ti"'),
    ("device.driver == {{ .Values.driver }}", "this looks like a template that was not expanded"),
    (
        "device.driver == $DRIVER",
        "variables cannot be put in here; this looks like a template that was not expanded",
    ),
]


@pytest.mark.parametrize("release", ["1.31", "1.37"])
@pytest.mark.parametrize(("expression", "hint"), HINTS)
@pytest.mark.slow
def test_what_to_write(release: str, expression: str, hint: str) -> None:
    compilation = environment(release).compile(expression)

    assert compilation.stage == "compile"
    assert compilation.issues[0].code in ("syntax", "reserved-word")
    assert compilation.issues[0].hint == hint


@pytest.mark.parametrize(
    ("expression", "instead"),
    [
        ("size(device.driver) =! 1", "size(device.driver) != 1"),
        ("size(device.driver) ! = 1", "size(device.driver) != 1"),
        ("size(device.driver) > = 1", "size(device.driver) >= 1"),
        ('device.driver in ["a" "b"]', 'device.driver in ["a", "b"]'),
    ],
)
def test_the_hint_of_an_odd_operator_or_a_missing_comma_can_be_followed_and_is_a_guess(
    expression: str, instead: str
) -> None:
    (issue,) = environment("1.37").compile(expression).issues

    assert issue.replacement is not None
    start, end, text = issue.replacement
    assert expression[:start] + text + expression[end:] == instead
    assert not is_certain(issue, expression)


@pytest.mark.parametrize(
    ("expression", "instead"),
    [
        ('device.driver == "x"; ', 'device.driver == "x" '),
        ('device.driver == "x"; true', 'device.driver == "x" && true'),
        ('device.driver == "x";true', 'device.driver == "x" && true'),
        ('device.driver == "x" AND true', 'device.driver == "x" && true'),
        ('device.driver == "x" or true', 'device.driver == "x" || true'),
        ('device.driver <> "x"', 'device.driver != "x"'),
    ],
)
def test_the_signs_and_words_of_other_languages_stand_for_one_operator(expression: str, instead: str) -> None:
    issue = environment("1.37").compile(expression).issues[0]

    assert issue.replacement is not None
    start, end, text = issue.replacement
    assert expression[:start] + text + expression[end:] == instead
    assert is_certain(issue, expression)
