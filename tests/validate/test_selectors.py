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


def test_an_expression_that_is_too_long_is_reported_once() -> None:
    text = f'{HEAD}  - cel:\n      expression: device.driver == "{"x" * 10300}"\n'
    (finding,) = findings(text)

    assert (finding.rule, finding.path, finding.reason, finding.line) == (
        "DRA211",
        "spec.selectors[0].cel.expression",
        "TooLong",
        8,
    )


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
