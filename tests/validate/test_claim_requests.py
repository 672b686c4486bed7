"""Requests in both forms, constraints, and the relations between them."""

from __future__ import annotations

from tests.conftest import Run
from tests.validate.claim_text import claim, said

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
