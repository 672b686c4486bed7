"""CEL findings are under the character that the compiler means, in every style of YAML."""

from __future__ import annotations

import json

import pytest

from dralint.finding.finding import Finding
from tests.judged import judged
from tests.validate.claim_text import claim
from tests.validate.claim_text import findings as claim_findings

HEAD = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: a
spec:
  selectors:
"""
EXPRESSION = 'device.driver == "x" && devices.driver == "y"'
STYLES = {
    "plain": f"  - cel:\n      expression: {EXPRESSION}\n",
    "single-quoted": f"  - cel:\n      expression: '{EXPRESSION}'\n",
    "double-quoted": "  - cel:\n      expression: "
    + json.dumps(EXPRESSION).replace("driver", "dr\\u0069ver", 1)
    + "\n",
    "literal": f"  - cel:\n      expression: |-\n        {EXPRESSION}\n",
    "folded": '  - cel:\n      expression: >-\n        device.driver == "x" &&\n        devices.driver == "y"\n',
    "literal over several lines": "  - cel:\n      expression: |\n"
    '        device.driver == "x" &&\n\n          devices.driver == "y"\n',
    "plain over several lines": '  - cel:\n      expression: device.driver == "x" &&\n        devices.driver == "y"\n',
    "flow": f"  - {{cel: {{expression: '{EXPRESSION}'}}}}\n",
    "flow of JSON": '  - {"cel": {"expression": ' + json.dumps(EXPRESSION) + "}}\n",
}


def findings(text: str, release: str = "1.34") -> list[Finding]:
    report = judged(text, release)
    return report.findings


@pytest.mark.parametrize("style", list(STYLES))
def test_the_caret_stands_under_the_unknown_variable(style: str) -> None:
    text = HEAD + STYLES[style]
    (finding,) = [f for f in findings(text) if f.effect == "rejected"]
    line = text.splitlines()[finding.line - 1]

    assert (finding.rule, finding.path) == ("DRA302", "spec.selectors[0].cel.expression")
    assert finding.line == finding.end_line
    assert line[finding.column - 1 : finding.end_column - 1] == "devices"
    assert "devices" in finding.message
    assert "device" in (finding.hint or finding.message)


def test_the_caret_stands_under_the_operator_that_does_not_fit() -> None:
    text = f"{HEAD}  - cel:\n      expression: >-\n        true &&\n        device.driver == 3\n"
    (finding,) = findings(text)

    assert (finding.rule, finding.line, finding.column, finding.end_column) == ("DRA303", 10, 23, 25)


def test_an_expression_that_is_too_long_is_reported_once() -> None:
    text = f'{HEAD}  - cel:\n      expression: device.driver == "{"x" * 10300}"\n'
    (finding,) = findings(text)

    assert (finding.rule, finding.path, finding.reason, finding.line) == (
        "DRA211",
        "spec.selectors[0].cel.expression",
        "TooLong",
        8,
    )


def test_a_selector_of_named_resources_has_variables_of_its_own() -> None:
    text = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaimParameters
metadata: {name: a}
driverRequests:
- driverName: d.example.com
  requests:
  - namedResources: {selector: 'attributes.bool["a"] && device.driver == "x"'}
"""
    (finding,) = [f for f in findings(text, "1.30") if f.effect == "rejected"]

    assert (finding.rule, finding.path, finding.line, finding.column) == (
        "DRA302",
        "driverRequests[0].requests[0].namedResources.selector",
        7,
        57,
    )


UNGUARDED = 'device.attributes["gpu.example.com"].model == "x"'


def test_a_class_that_asks_for_the_driver_first_is_not() -> None:
    first = '  - cel:\n      expression: device.driver == "gpu.example.com"\n'

    assert findings(f"{HEAD}{first}  - cel:\n      expression: {UNGUARDED}\n") == []


def test_a_call_is_underlined_from_the_compilers_column_to_its_end() -> None:
    text = f'{HEAD}  - cel:\n      expression: device.driver.startWith("y") && true\n'
    (finding,) = findings(text)
    line = text.splitlines()[finding.line - 1]

    assert line[finding.column - 1 : finding.end_column - 1] == '("y")'
    assert (finding.message, finding.hint) == (
        "there is no function startWith()",
        'write device.driver.startsWith("y")',
    )


def derived(expression: str) -> str:
    """Return a claim with one derived attribute, which a constraint uses."""
    return f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: a, namespace: b}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        count: 2
        derivedAttributes:
        - name: example.com/side
          expression: {json.dumps(expression)}
    constraints:
    - matchAttribute: example.com/side
"""


def test_refusals_of_expressions_have_a_reason_and_advice_has_none() -> None:
    refused = findings(f"{HEAD}  - cel:\n      expression: device.driver == 3\n")
    advised = findings(f'{HEAD}  - cel:\n      expression: device.attributes["gpu.example.com"].model == "a"\n')

    assert [(f.rule, f.effect, f.reason) for f in refused] == [("DRA303", "rejected", "Invalid")]
    assert [(f.rule, f.effect, f.reason) for f in advised] == [("DRA311", "advice", None)]


@pytest.mark.slow
def test_the_derived_attributes_of_a_claim_have_a_limit_of_cost_together(monkeypatch: pytest.MonkeyPatch) -> None:
    many = f"[{', '.join('1' * 48)}]"
    costly = json.dumps(f"{many}.all(x, {many}.all(y, {many}.all(z, x == y)))")
    request = (
        "- name: r{0}\n  exactly:\n    deviceClassName: a\n"
        "    derivedAttributes: [{{name: a.com/a{0}, expression: {1}}}]\n"
    )
    constraints = "constraints:\n- matchAttribute: a.com/a0\n- matchAttribute: a.com/a1\n"
    one, two = (
        claim(f"requests:\n{request.format(0, costly)}{second}{rest}")
        for second, rest in (
            ("", constraints.partition("- matchAttribute: a.com/a1")[0]),
            (request.format(1, costly), constraints),
        )
    )
    gate = "DRADerivedAttributes=true"

    def refused(text: str) -> list[Finding]:
        return [finding for finding in claim_findings(text, "1.37", gate) if finding.effect == "rejected"]

    (finding,) = refused(two)
    assert refused(one) == []
    assert (finding.rule, finding.reason, finding.path) == ("DRA305", "Forbidden", "spec.devices")
    start = "the derived attributes of the claim cost up to "
    assert finding.message.startswith(start)
    total = int(finding.message.removeprefix(start).partition(" ")[0].replace(",", ""))
    assert finding.message == f"{start}{total:,} together; at most 1,000,000 are allowed"
    monkeypatch.setattr("dralint.validate.relations.selectors.MAX_COST", total)
    assert refused(two) == []


@pytest.mark.parametrize(
    ("expression", "rule", "reason"),
    [
        ("devices.driver == 'x'", "DRA302", "Invalid"),
        ("device.driver", "DRA304", "Invalid"),
        ("device.capacity['a'].b != quantity('1')", "DRA305", "Forbidden"),
        ("device.driver.find('[a') == 'x'", "DRA306", "InternalError"),
        ("device.driver == 'x' && 1 == 2", None, None),
        ("1 == 2", "DRA310", None),
        ("true", "DRA311", None),
    ],
)
def test_a_refusal_has_the_servers_reason_and_advice_has_none(
    expression: str, rule: str | None, reason: str | None
) -> None:
    found = findings(f'{HEAD}  - cel:\n      expression: "{expression}"\n', "1.37")

    assert [(f.rule, f.reason) for f in found] == ([] if rule is None else [(rule, reason)])
