"""Requests in both forms, constraints, and the relations between them."""

from __future__ import annotations

import pytest

from tests.conftest import Run
from tests.validate.claim_text import claim, findings, said

REQUEST = "spec.devices.requests[0]"


@pytest.mark.parametrize("field", ["selectors: []", "adminAccess: false", "count: 2"])
def test_a_flat_request_without_a_class_has_no_defaults(field: str) -> None:
    text = claim(f"requests:\n- name: gpu\n  {field}", "v1beta1")

    assert [(rule, path) for rule, path, _, _ in said(text, "1.34")] == [
        ("DRA212", f"{REQUEST}.deviceClassName"),
        ("DRA213", f"{REQUEST}.allocationMode"),
    ]


def test_a_request_whose_only_alternatives_are_removed_by_a_gate_asks_for_nothing() -> None:
    text = claim(
        "requests:\n- name: gpu\n  firstAvailable: [{name: a, deviceClassName: b}, {name: c, deviceClassName: d}]",
        "v1beta2",
    )

    assert [(rule, path) for rule, path, _, _ in said(text, "1.33")] == [("DRA215", REQUEST)]
    assert said(text, "1.33", "DRAPrioritizedList=true") == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("allocationMode: All, count: 2", "`count` is 2, but allocationMode All takes every matching device"),
        ("allocationMode: ExactCount, count: -1", "`count` is -1; it must be at least 1"),
        ("count: -2", "`count` is -2; it must be at least 1"),
    ],
)
def test_the_count_goes_with_the_mode(fields: str, message: str) -> None:
    text = claim(f"requests:\n- name: gpu\n  exactly: {{deviceClassName: a, {fields}}}")

    assert said(text) == [("DRA240", f"{REQUEST}.exactly.count", 9, message)]


@pytest.mark.parametrize("fields", ["allocationMode: All, count: 0", "count: null", "allocationMode: '', count: 3"])
def test_zero_and_empty_stand_for_the_default(fields: str) -> None:
    assert said(claim(f"requests:\n- name: gpu\n  exactly: {{deviceClassName: a, {fields}}}")) == []


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


@pytest.mark.parametrize("names", ["", "requests: [gpu], ", "requests: [gpu/big], "])
def test_a_derived_attribute_is_used_by_a_constraint_on_its_request(names: str) -> None:
    text = claim(DERIVED.replace("CONSTRAINT", f"{{{names}matchAttribute: a.com/rack}}"))

    assert said(text, switched="DRADerivedAttributes=true") == []


@pytest.mark.parametrize("rest", ["requests: [gpu/small], matchAttribute: a.com/rack", "matchAttribute: a.com/row"])
def test_a_derived_attribute_that_no_constraint_uses_is_refused(rest: str) -> None:
    text = claim(DERIVED.replace("CONSTRAINT", f"{{{rest}}}"))

    assert said(text, switched="DRADerivedAttributes=true") == [
        (
            "DRA242",
            f"{REQUEST}.firstAvailable[0].derivedAttributes[0].name",
            12,
            'no constraint on "gpu/big" uses the derived attribute "a.com/rack"',
        )
    ]


def toleration(fields: str) -> str:
    return claim(f"requests:\n- name: gpu\n  exactly:\n    deviceClassName: a\n    tolerations:\n    - {{{fields}}}")


def test_equal_takes_a_label_value() -> None:
    ((rule, path, line, _),) = said(toleration("key: a, value: b c"))

    assert (rule, path, line) == ("DRA208", f"{REQUEST}.exactly.tolerations[0].value", 12)


@pytest.mark.parametrize("fields", ["", "operator: Exists", "key: a, value: ''", "key: a, effect: None"])
def test_tolerations_may_leave_out_most(fields: str) -> None:
    assert said(toleration(fields)) == []


def test_the_effect_is_required_where_declarative_validation_has_taken_over() -> None:
    text, switched = toleration("operator: Exists"), "DRADeviceTaints=true,DeclarativeValidationTakeover=true"

    assert said(text, "1.35", "DRADeviceTaints=true") == []
    assert [(rule, path) for rule, path, _, _ in said(text, "1.35", switched)] == [
        ("DRA213", f"{REQUEST}.exactly.tolerations[0].effect")
    ]


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


def test_the_value_of_an_operator_that_there_is_not_is_not_looked_at() -> None:
    path = f"{REQUEST}.exactly.tolerations[0].operator"

    assert said(toleration("key: a, operator: Foo, value: a b")) == [
        ("DRA213", path, 12, '"Foo" is not supported; allowed: "Equal", "Exists"')
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
