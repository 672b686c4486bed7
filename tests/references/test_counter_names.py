"""A name of a counter that no counter can have: one finding, with the hint of the counter set."""

from __future__ import annotations

import pytest

from tests.conftest import Run

SLICES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-gpu}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  devices:
  - name: gpu-0
    consumesCounters:
    - counterSet: gpu-0
      counters:
        memory: {value: 10Gi}
        smCount: {value: "20"}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n1-counters}
spec:
  driver: gpu.example.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 2}
  sharedCounters:
  - name: gpu-0
    counters: {memory: {value: 40Gi}, sms: {value: "108"}}
"""


@pytest.mark.parametrize(
    ("have", "hint"),
    [
        ("sms", 'did you mean "sms"?'),
        ("sm-count", 'did you mean "sm-count"?'),
        ('sms: {value: "1"}, slots', 'did you mean "sms" or "slots"?'),
    ],
)
def test_the_counter_set_says_which_name_was_meant(check: Run, have: str, hint: str) -> None:
    (finding,) = check("-", stdin=SLICES.replace("sms", have)).report["findings"]

    assert (finding["rule"], finding["line"], finding["hint"], finding["fix"]) == ("DRA201", 14, hint, None)
    assert [(other["line"], other["message"]) for other in finding["related"]] == [(25, "the counter set")]


def test_a_name_that_there_could_be_is_told_by_the_pool_alone(check: Run) -> None:
    (finding,) = check("-", stdin=SLICES.replace("smCount", "smcount")).report["findings"]

    assert (finding["rule"], finding["hint"]) == ("DRA422", "add it to the counter set, or remove it here")
