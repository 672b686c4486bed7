"""What a judge makes of problems of decoding and of fields that a gate removes."""

from __future__ import annotations

from tests.conftest import GOOD_CLAIM
from tests.judged import judged

CLAIM = GOOD_CLAIM.replace("\n  name: train\n  namespace: team-a", " {name: train, namespace: a}")


def said(text: str, release: str) -> list[tuple[str, str]]:
    report = judged(text, release)
    return [(finding.rule, finding.path) for finding in report.findings]


def test_few_problems_of_validation_are_reported_besides_one_of_decoding() -> None:
    names = "".join(f"    - name: GPU_{n}\n      exactly: {{deviceClassName: a}}\n" for n in range(9))
    text = f"{CLAIM}{names}    config: 5\n"

    assert said(text, "1.37") == [
        ("DRA201", "spec.devices.requests[1].name"),
        ("DRA201", "spec.devices.requests[2].name"),
        ("DRA201", "spec.devices.requests[3].name"),
        ("DRA102", "spec.devices.config"),
        ("DRA109", "spec.devices.config"),
    ]


def test_a_mistake_that_repeats_along_a_list_is_told_each_time() -> None:
    text = f"{CLAIM}    constraints: [{', '.join('5' for _ in range(16))}]\n"

    assert said(text, "1.37") == [("DRA102", f"spec.devices.constraints[{n}]") for n in range(16)]


def test_at_most_a_hundred_unknown_fields_are_told() -> None:
    text = CLAIM.replace("namespace: a}", ", ".join(f"x{n}: 1" for n in range(120)) + "}")
    found = said(text, "1.37")

    assert found.count(("DRA109", "metadata.x99")) == 1
    assert [rule for rule, _ in found].count("DRA101") == 100
