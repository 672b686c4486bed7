"""What to write instead of a value of the wrong type, in a text that no table should have."""

from __future__ import annotations

from tests.judged import judged


def test_a_very_long_number_is_not_written_again() -> None:
    request = f"{{name: gpu, exactly: {{deviceClassName: c, count: '1{',000' * 2000}'}}}}"
    head = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\n"
    (finding,) = judged(f"{head}spec: {{devices: {{requests: [{request}]}}}}\n", "1.34").findings

    assert (finding.rule, finding.hint) == ("DRA102", "write a whole number")
