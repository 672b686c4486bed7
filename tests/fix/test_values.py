"""A value that is written with its type, or next to its entry."""

from __future__ import annotations

import pytest

from tests.judged import fixed

CLASS = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClass
metadata: {name: shared}
driverName: gpu.example.com
parametersRef: {kind: ConfigMap, name: defaults}
namespace: dra-system
"""
ALTERNATIVES = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one}
spec:
  devices:
    requests:
    - name: gpu
      firstAvailable:
      - {name: large, deviceClassName: large.example.com}
    - name: small
      deviceClassName: small.example.com
"""


@pytest.mark.parametrize("text", [CLASS, ALTERNATIVES])
def test_a_field_that_may_belong_to_what_stands_before_it_does_not_move_by_a_safe_fix(text: str) -> None:
    assert fixed(text) == text
    assert fixed(text, unsafe=True) != text
