"""A guess makes its finding go away, and nothing worse comes in its place."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.files.source import Source
from dralint.finding.finding import Finding
from dralint.fix.files import fix
from dralint.lint.linter import Linter

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: card
      {}
"""
SELECTED = CLAIM.format(
    "exactly:\n        deviceClassName: c\n        selectors:\n        - cel:\n            expression: {}"
)


def found(text: str) -> list[Finding]:
    return Linter(Settings()).check("a.yaml", text.encode()).report.findings


def guessed(text: str) -> str:
    after = fix([Source("a.yaml", None, text.encode())], Settings(), unsafe=True).files[0].after
    return text if after is None else after.decode()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("device.driver == 'x' || ['b'].exist(s, s == 'a')", "device.driver == 'x' || ['b'].exists(s, s == 'a')"),
        ("device.driver == a.example.com", 'device.driver == "a.example.com"'),
        ("device.driver == 'a' and device.driver != 'b' or true", None),
        ("attrs.dna != ''", None),
        ('"device.driver == \\"a\\x01\\" |"', None),
        ("device.driver == 'a' and device.capacity['d'] = ", None),
    ],
)
def test_a_selector_compiles_afterwards_or_stays(written: str, meant: str | None) -> None:
    text = SELECTED.format(written)
    after = guessed(text)

    if meant is not None:
        assert after in (SELECTED.format(meant), SELECTED.format(f"'{meant}'"))
    elif after != text:
        assert not {finding.rule for finding in found(after)} & {"DRA301", "DRA302", "DRA303", "DRA311"}


def test_a_reference_to_an_alternative_stays_where_the_list_of_them_is_misspelt() -> None:
    text = CLAIM.format("firstAvailabl:\n      - {name: large, deviceClassName: c}")
    text += "    constraints:\n    - {requests: [card/large], matchAttribute: d/a}\n"

    assert "card/large" in guessed(text)


def test_the_quotes_of_a_selector_in_double_quotes_need_no_escape() -> None:
    text = SELECTED.format("\"device.capacity['d'].memory.isGreaterThan(40Gi)\"")

    assert guessed(text) == text.replace("(40Gi)", "(quantity('40Gi'))")


def test_an_item_without_its_dash_is_not_swallowed_by_the_one_before() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims: [{name: a, resourceClaimName: a}]\n"
    containers = "  - name: c\n    image: i\n    name: d\n    image: i\n    resources: {claims: [{name: a}]}\n"
    text = f"{pod}  containers:\n{containers}"

    assert guessed(text) == text


def test_limits_that_held_only_claims_are_gone_with_them() -> None:
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  resourceClaims:\n"
    pod = head + "  - {name: a, resourceClaimName: a}\n  containers:\n  - name: c\n    image: i\n    resources:\n"

    assert (
        guessed(f"{pod}      limits:\n        claims:\n        - name: a\n") == f"{pod}      claims:\n      - name: a\n"
    )


@pytest.mark.parametrize(
    ("request_", "hint"),
    [
        ("{gpu12, exactly: {deviceClassName: c}}", "allowed here: exactly, firstAvailable, name"),
        ("{name: a, exactly: {deviceClassName: c, count3}}", 'did you mean "count"?'),
    ],
)
def test_a_key_without_a_value_may_be_one_so_no_guess_drops_it(request_: str, hint: str) -> None:
    text = CLAIM.partition("- name")[0] + f"- {request_}\n"

    assert guessed(text) == text
    assert [(f.rule, f.line, f.hint) for f in found(text) if f.rule == "DRA101"] == [("DRA101", 8, hint)]


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims:
  - {name: a, resourceClaimName: My_Claim}
  containers:
  - {name: c, image: i, resources: {claims: [{name: a}]}}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-1}
spec:
  driver: d.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu
    attributes: {index: {int: 0}}
    capacity: {memory: {value: 40Gi}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c}
spec: {selectors: [{cel: {expression: 'device.driver == "d.example.com"'}}]}
---
"""


def test_a_reference_is_not_renamed_where_the_claim_keeps_its_name() -> None:
    claim = CLAIM.format("exactly: {deviceClassName: c}").replace("name: train", "name: My_Claim")
    unserved = claim.replace("/v1\n", "/v1alpha9\n")

    assert guessed(f"{claim}---\n{POD}") == f"{claim}---\n{POD}".replace("My_Claim", "my-claim")
    assert guessed(f"{unserved}---\n{POD}") == guessed(f"{claim}---\n{POD}")


@pytest.mark.parametrize(
    ("name", "asked"),
    [("index", "index > 3"), ("memory", 'memory.isGreaterThan(quantity("3"))')],
)
def test_an_attribute_of_the_slices_is_not_compared_as_a_capacity(name: str, asked: str) -> None:
    text = SLICE + SELECTED.format(f"device.capacity['d.example.com'].{name} > 3")

    assert guessed(text) == SLICE + SELECTED.format(f"device.capacity['d.example.com'].{asked}")


def test_a_guess_is_held_against_the_slices_also_where_an_object_has_more_problems_than_are_listed() -> None:
    claim = SELECTED.format("device.capacity['d.example.com'].index > 3").replace(
        "exactly:", "exactly:\n        count: '1'"
    )
    wrong = "".join(
        f"    - name: Bad_{number}_\n      exactly: {{deviceClassName: c, count: -1, allocationMode: x}}\n"
        for number in range(8)
    )
    text = SLICE + claim + wrong

    assert "DRA109" in {finding.rule for finding in found(text)}
    assert guessed(text) == text.replace("count: '1'", "count: 1")


@pytest.mark.parametrize(
    ("written", "meant"), [("namr: card", "name: card"), ("spwc:", "spec:"), ("expr:", "expression:")]
)
def test_a_misspelt_key_that_resembles_one_field_is_renamed(written: str, meant: str) -> None:
    text = SELECTED.format('device.driver == "d.example.com"')

    assert guessed(text.replace(meant, written)) == text


def test_no_guess_changes_a_value_whose_key_occurs_twice() -> None:
    device_class = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\n"
    text = f"{device_class}apiVersion: v1\n---\nkind: ResourceQuota\nmetadata: {{name: q}}\n"

    assert next((f.rule, f.line, f.hint) for f in found(text)) == ("DRA501", 4, "write apiVersion: resource.k8s.io/v1")
    assert guessed(text) == text
