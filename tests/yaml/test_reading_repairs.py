"""What makes a text readable again: each repair of a reading problem, applied by `dralint fix`."""

from __future__ import annotations

import pytest

from tests.conftest import GOOD_CLAIM
from tests.judged import fixed, judged

HEAD = GOOD_CLAIM.replace("train\n  namespace: team-a", "a")
EXPRESSION = HEAD + "        selectors:\n        - cel:\n            expression: {}\n"
ANCHORED = HEAD.replace("exactly:", "exactly: &gpu") + "    - name: b\n      exactly: {}\n"
CLASS = '{{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {{"name": "a"{}}}}}'


def annotated(line: str) -> str:
    return HEAD.replace("name: a\n", f"name: a\n  annotations:\n    {line}\n")


CERTAIN = [
    (annotated('x: "a'), annotated('x: "a"')),
    (EXPRESSION.format('\'device.driver == "x"'), EXPRESSION.format("'device.driver == \"x\"'")),
    (annotated("x: see: a b: c"), None),
    (EXPRESSION.format("true ? true : false"), EXPRESSION.format("'true ? true : false'")),
    (annotated("x: @me"), annotated("x: '@me'")),
    (annotated("x: && me"), annotated("x: '&& me'")),
    (annotated("x: *.example.com"), annotated("x: '*.example.com'")),
    (HEAD.replace("- name", "-name"), HEAD),
    (HEAD.replace("name: a\n", "name: a\n  labels: {b: c\n"), HEAD.replace("name: a\n", "name: a\n  labels: {b: c}\n")),
    (EXPRESSION.format('"device.driver == "x""'), EXPRESSION.format("'device.driver == \"x\"'")),
    (
        EXPRESSION.format("'device.attributes['d'].x == 3'"),
        EXPRESSION.format("'device.attributes[''d''].x == 3'"),
    ),
    (EXPRESSION.format('"x" == device.driver'), EXPRESSION.format("'\"x\" == device.driver'")),
    (
        EXPRESSION.format("'gpu' == device.driver || device.driver == 'x'"),
        EXPRESSION.format("\"'gpu' == device.driver || device.driver == 'x'\""),
    ),
    (
        EXPRESSION.format('["a"].exists(x, device.driver == x)'),
        EXPRESSION.format("'[\"a\"].exists(x, device.driver == x)'"),
    ),
    (EXPRESSION.format('{"a": true}[device.driver]'), EXPRESSION.format("'{\"a\": true}[device.driver]'")),
    (
        EXPRESSION.format(
            '!device.attributes["d"].shared\n        - cel:\n            expression: "a" == device.driver'
        ),
        EXPRESSION.format(
            "'!device.attributes[\"d\"].shared'\n        - cel:\n            expression: '\"a\" == device.driver'"
        ),
    ),
    (HEAD.replace("name: a\n", "name: 'a' b\n"), None),
    (HEAD.replace("name: gpu\n", 'name: "gpu" extra\n'), None),
    (EXPRESSION.format('"a" in device.attributes["d"] && device.driver = "a"'), None),
    (annotated('x: "\\d+\\.\\n"'), annotated('x: "\\\\d+\\\\.\\n"')),
    (CLASS.format(' "uid": "x"'), CLASS.format(', "uid": "x"')),
]


@pytest.mark.parametrize(("text", "wanted"), CERTAIN)
@pytest.mark.slow
def test_what_can_mean_nothing_else_is_fixed(text: str, wanted: str | None) -> None:
    assert fixed(text) == (text if wanted is None else wanted)


GUESSED = [
    (annotated("x: this text: and more"), annotated("x: 'this text: and more'")),
    (annotated("x: it's a: b"), annotated('x: "it\'s a: b"')),
    (annotated("x: note: this is text"), annotated("x: 'note: this is text'")),
    (HEAD.replace("      exactly", "\t  exactly"), HEAD),
    (HEAD.replace("        deviceClassName", "\t\t\t\tdeviceClassName"), HEAD),
    (annotated("x: *me"), annotated("x: '*me'")),
    (annotated("x: 'me' &a"), annotated("x: &a 'me'")),
    (ANCHORED.format("*gpus"), ANCHORED.format("*gpu")),
]


@pytest.mark.parametrize(("text", "wanted"), GUESSED)
def test_a_guess_is_made_only_where_it_is_asked_for(text: str, wanted: str) -> None:
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == wanted


@pytest.mark.parametrize(
    "text",
    [
        annotated("x: @me # or not"),
        annotated('x: "a # b'),
        annotated("x: ['a' 'b']"),
        annotated("x: 'it''s 'so''"),
        annotated("x: - a"),
    ],
)
def test_what_may_mean_several_things_is_left_to_its_author(text: str) -> None:
    assert [finding.fix for finding in judged(text).findings] == [None] * len(judged(text).findings)
    assert judged(text).findings[0].hint


def test_an_indentation_between_two_names_the_one_that_is_accepted() -> None:
    text = HEAD.replace("        deviceClassName", "     count: 1\n        deviceClassName")

    assert judged(text).findings[0].hint == "indent `count: 1` by 3 spaces more"


def test_what_comes_to_light_in_a_text_that_was_unreadable_does_not_take_its_repair_back() -> None:
    text = HEAD.replace("deviceClassName: gpu.example.com", "deviceClassName: @gpu")

    assert fixed(text) == HEAD.replace("deviceClassName: gpu.example.com", "deviceClassName: '@gpu'")
    assert [finding.rule for finding in judged(fixed(text)).findings] == ["DRA202"]


def test_a_byte_order_mark_and_other_documents_do_not_shift_a_repair() -> None:
    text = f"\ufeff{annotated('x: äöü')}---\n{annotated('x: @me')}"

    assert fixed(text) == f"\ufeff{annotated('x: äöü')}---\n{annotated(chr(120) + ': ' + repr('@me'))}"


@pytest.mark.parametrize("before", [HEAD, annotated("x: |\n      text"), EXPRESSION.format("|\n              true")])
def test_a_separator_with_a_dash_that_is_no_hyphen_is_named_and_repaired(before: str) -> None:
    text = f"{before}\u2013--\n{HEAD}"
    finding = judged(text).findings[0]

    assert (finding.rule, finding.line, finding.message, finding.hint) == (
        "DRA002",
        before.count("\n") + 1,
        "`\u2013--` is not a document separator: it has the dash U+2013 in it",
        "write `---` with three hyphens",
    )
    assert fixed(text) == f"{before}---\n{HEAD}"


SLICE = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n  driver: d.example.com\n"
    "  nodeName: x\n  pool: POOL\n  devices: []\n"
)
BRACES = (
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  selectors:\n"
    "  - cel: {expression: EXPRESSION}\n"
)


@pytest.mark.parametrize(
    "pool",
    [
        "{name: 'p, generation: 1, resourceSliceCount: 1}'",
        "{name: p, generatio",
        "{name: p",
    ],
)
def test_a_bracket_closes_nothing_that_was_cut_off(pool: str) -> None:
    text = SLICE.replace("POOL", pool)

    assert fixed(text) == text


def test_a_bracket_closes_what_is_whole() -> None:
    pool = "{name: p, generation: 1, resourceSliceCount: 1"

    assert fixed(SLICE.replace("POOL", pool)) == SLICE.replace("POOL", pool + "}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"d.example.com" == device.driver', """'"d.example.com" == device.driver'"""),
        ("'device.attributes['d.example.com'].x == 1'", "'device.attributes[''d.example.com''].x == 1'"),
        ('"a" in ["a", "b"]', """'"a" in ["a", "b"]'"""),
    ],
)
def test_an_expression_between_braces_gets_quotes_that_do_not_end_within_it(written: str, meant: str) -> None:
    assert fixed(BRACES.replace("EXPRESSION", written)) == BRACES.replace("EXPRESSION", meant)


def test_a_directive_in_the_middle_is_no_value() -> None:
    text = BRACES.replace("EXPRESSION", "%YAML 1.1")

    assert fixed(text) == text
