"""Requests in both forms, constraints, and the relations between them."""

from __future__ import annotations

import pytest

from tests.conftest import Run
from tests.validate.claim_text import claim, findings, said

REQUEST = "spec.devices.requests[0]"
DERIVED = """
requests:
- name: gpu
  firstAvailable:
  - name: big
    deviceClassName: a
    derivedAttributes: [{name: a.com/rack, expression: device.driver}]
  - name: small
    deviceClassName: a
constraints:
- CONSTRAINT
"""


def exactly(fields: str) -> str:
    return claim(f"requests:\n- name: gpu\n  exactly: {{deviceClassName: a, {fields}}}")


def toleration(fields: str) -> str:
    return claim(f"requests:\n- name: gpu\n  exactly:\n    deviceClassName: a\n    tolerations:\n    - {{{fields}}}")


def derived(constraint: str) -> str:
    return claim(DERIVED.replace("CONSTRAINT", f"{{{constraint}}}"))


COUNT = f"{REQUEST}.exactly.count"
TOLERATION = f"{REQUEST}.exactly.tolerations[0]"
UNUSED = "firstAvailable[0].derivedAttributes[0].name"
NOBODY = 'no constraint on "gpu/big" uses the derived attribute "a.com/rack"'
NO_LABEL = '"b c" is not a label value: letters, digits, `-`, `_` and `.`, a letter or digit at both ends'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # zero and empty stand for the default
        (exactly("allocationMode: All, count: 0"), []),
        (exactly("count: null"), []),
        (exactly("allocationMode: '', count: 3"), []),
        (exactly("allocationMode: All, count: 2"), [
            ("DRA240", COUNT, 9, "`count` is 2, but allocationMode All takes every matching device"),
        ]),
        (exactly("allocationMode: ExactCount, count: -1"), [
            ("DRA240", COUNT, 9, "`count` is -1; it must be at least 1"),
        ]),
        (exactly("count: -2"), [("DRA240", COUNT, 9, "`count` is -2; it must be at least 1")]),
        # a derived attribute is used by a constraint on its request
        (derived("matchAttribute: a.com/rack"), []),
        (derived("requests: [gpu], matchAttribute: a.com/rack"), []),
        (derived("requests: [gpu/big], matchAttribute: a.com/rack"), []),
        (derived("requests: [gpu/small], matchAttribute: a.com/rack"), [("DRA242", f"{REQUEST}.{UNUSED}", 12, NOBODY)]),
        (derived("matchAttribute: a.com/row"), [("DRA242", f"{REQUEST}.{UNUSED}", 12, NOBODY)]),
        # tolerations may leave out most
        (toleration(""), []),
        (toleration("operator: Exists"), []),
        (toleration("key: a, value: ''"), []),
        (toleration("key: a, effect: None"), []),
        (toleration("key: a, value: b c"), [("DRA208", f"{TOLERATION}.value", 12, NO_LABEL)]),
        (toleration("key: a, operator: Foo, value: a b"), [
            ("DRA213", f"{TOLERATION}.operator", 12, '"Foo" is not supported; allowed: "Equal", "Exists"'),
        ]),
    ],
)  # fmt: skip
def test_what_is_said_of_requests(text: str, expected: list[tuple[str, str, int, str]]) -> None:
    assert said(text, switched="DRADerivedAttributes=true") == expected


FLAT = "requests:\n- name: gpu\n  "
ALTERNATIVES = "firstAvailable: [{name: a, deviceClassName: b}, {name: c, deviceClassName: d}]"
BOTH = "exactly: {}\n  firstAvailable: [{name: A, deviceClassName: b}]"
NO_CLASS = [("DRA212", f"{REQUEST}.deviceClassName"), ("DRA213", f"{REQUEST}.allocationMode")]
TAKEN_OVER = "DRADeviceTaints=true,DeclarativeValidationTakeover=true"


@pytest.mark.parametrize(
    ("text", "release", "gates", "expected"),
    [
        # a flat request without a class has no defaults
        (claim(f"{FLAT}selectors: []", "v1beta1"), "1.34", "", NO_CLASS),
        (claim(f"{FLAT}adminAccess: false", "v1beta1"), "1.34", "", NO_CLASS),
        (claim(f"{FLAT}count: 2", "v1beta1"), "1.34", "", NO_CLASS),
        # a gate removes the alternatives
        (claim(FLAT + ALTERNATIVES, "v1beta2"), "1.33", "", [("DRA215", REQUEST)]),
        (claim(FLAT + ALTERNATIVES, "v1beta2"), "1.33", "DRAPrioritizedList=true", []),
        # both forms exclude each other, and hide their fields since 1.35
        (claim(FLAT + BOTH), "1.34", "", [
            ("DRA212", f"{REQUEST}.exactly.deviceClassName"),
            ("DRA215", REQUEST),
            ("DRA201", f"{REQUEST}.firstAvailable[0].name"),
        ]),
        (claim(FLAT + BOTH), "1.35", "", [("DRA215", REQUEST)]),
        (claim(FLAT + BOTH), "1.37", "", [("DRA215", REQUEST)]),
        # the effect is required where declarative validation has taken over
        (toleration("operator: Exists"), "1.35", "DRADeviceTaints=true", []),
        (toleration("operator: Exists"), "1.35", TAKEN_OVER, [("DRA213", f"{TOLERATION}.effect")]),
    ],
)  # fmt: skip
def test_what_releases_and_gates_change(text: str, release: str, gates: str, expected: list[tuple[str, str]]) -> None:
    assert [(rule, path) for rule, path, _, _ in said(text, release, gates)] == expected


def test_too_many_derived_attributes_are_still_told_apart_and_held_against_the_constraints() -> None:
    names = ["a.com/rack", "a.com/rack", *(f"a.com/x{n}" for n in range(31))]
    items = ", ".join(f"{{name: {name}, expression: device.driver}}" for name in names)
    text = claim(
        f"requests:\n- name: gpu\n  exactly: {{deviceClassName: a, derivedAttributes: [{items}]}}\n"
        "constraints:\n- matchAttribute: a.com/rack"
    )
    path = f"{REQUEST}.exactly.derivedAttributes"

    assert sorted((rule, at) for rule, at, _, _ in said(text, switched="DRADerivedAttributes=true")) == sorted(
        [("DRA210", path), ("DRA214", f"{path}[1]"), *(("DRA242", f"{path}[{n}].name") for n in range(2, 33))]
    )


def test_the_expressions_of_too_many_derived_attributes_are_still_compiled() -> None:
    expressions = ["devices.driver", "x" * 10241, *("device.driver" for _ in range(31))]
    items = ", ".join(f"{{name: a.com/x{n}, expression: {text}}}" for n, text in enumerate(expressions))
    constraints = "".join(f"- matchAttribute: a.com/x{n}\n" for n in range(32))
    request = f"{{deviceClassName: a, derivedAttributes: [{items}]}}"
    text = claim(f"requests:\n- name: gpu\n  exactly: {request}\nconstraints:\n{constraints}")
    path = f"{REQUEST}.exactly.derivedAttributes"

    assert [(rule, at) for rule, at, _, _ in said(text, switched="DRADerivedAttributes=true")] == [
        ("DRA302", f"{path}[0].expression"),
        ("DRA211", f"{path}[1].expression"),
        ("DRA210", path),
        ("DRA242", f"{path}[32].name"),
    ]


def test_lists_beside_both_forms_may_be_as_long_as_the_table_says() -> None:
    def text(count: int) -> str:
        selectors = ", ".join("{cel: {expression: device.driver == 'a.com'}}" for _ in range(count))
        derived = ", ".join(f"{{name: a.com/a{n}, expression: device.driver}}" for n in range(count))
        exactly = f"{{deviceClassName: a, selectors: [{selectors}], derivedAttributes: [{derived}]}}"
        return claim(f"requests:\n- name: a\n  exactly: {exactly}\n  firstAvailable: [{{name: b, deviceClassName: a}}]")

    gates = "DRADerivedAttributes=true"
    both = ("DRA215", REQUEST, 10, "a request has either `exactly` or `firstAvailable`, not both")
    assert said(text(32), "1.37", gates) == [both]
    assert said(text(33), "1.37", gates) == [
        ("DRA210", f"{REQUEST}.exactly.selectors", 9, "`selectors` has 33 entries; at most 32 are allowed"),
        (
            "DRA210",
            f"{REQUEST}.exactly.derivedAttributes",
            9,
            "`derivedAttributes` has 33 entries; at most 32 are allowed",
        ),
        both,
    ]


def test_a_claim_without_requests_is_told_at_the_key_that_is_empty() -> None:
    empty = "the claim requests no device"
    null = f"`requests` is null, which is the same as leaving it out: {empty}"

    assert [(f.rule, f.line, f.column, f.message) for f in findings(claim("requests: null"))] == [
        ("DRA702", 7, 5, null)
    ]
    assert [(f.rule, f.line, f.column, f.message) for f in findings(claim("constraints: []"))] == [
        ("DRA702", 6, 3, empty)
    ]


def test_an_effect_beside_toleration_seconds_can_only_be_one(check: Run) -> None:
    text = toleration("key: a, operator: Exists, effect: PreferNoSchedule, tolerationSeconds: 60")
    (finding,) = check("--kubernetes-version", "1.36..1.37", "-", stdin=text).report["findings"]

    assert (finding["rule"], finding["path"], finding["hint"]) == (
        "DRA213",
        f"{REQUEST}.exactly.tolerations[0].effect",
        'write "NoExecute": `tolerationSeconds` applies to no other effect',
    )
    assert [edit["safe"] for edit in finding["fix"]] == [False]


def test_what_releases_allow_does_not_make_two_findings_of_a_slip(check: Run) -> None:
    text, gates = toleration("key: a, operator: Exists, effect: Never"), "DRADeviceTaints=true"
    outcome = check("--kubernetes-version", "1.34..1.37", "--feature-gates", gates, "-", stdin=text)

    assert [(f["releases"], f["message"]) for f in outcome.report["findings"]] == [
        (["1.34", "1.35", "1.36", "1.37"], '"Never" is not supported; allowed: "NoSchedule", "NoExecute", "None"')
    ]


def test_values_in_the_status_are_not_looked_at_where_declarative_validation_has_taken_over() -> None:
    wrong = "tolerations: [{key: a, operator: Exists, value: x, effect: NoSchedule}]"
    result = f"{{request: gpu, driver: a.com, pool: a, device: a, {wrong}}}"
    text = claim(
        f"requests:\n- name: gpu\n  exactly:\n    deviceClassName: a\n    {wrong}",
        status=f"allocation:\n  devices:\n    results:\n    - {result}",
    )

    gates = "DRADeviceTaints=true,DeclarativeValidationTakeover=true"
    assert [(rule, path) for rule, path, _, _ in said(text, "1.35", gates)] == [
        ("DRA241", f"{REQUEST}.exactly.tolerations[0].value")
    ]
