"""A value that is written with its type, or next to its entry."""

from __future__ import annotations

import pytest

from tests.judged import fixed

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: node-1}}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {{name: node-1, generation: 1, resourceSliceCount: 1}}
  devices:
  - name: gpu-0
    {}
"""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("attributes: {index: int 5}", "attributes: {index: {int: 5}}"),
        ("attributes: {symbol: string=slingshot}", "attributes: {symbol: {string: slingshot}}"),
        ("attributes: {model: 'string \"x y\"'}", "attributes: {model: {'string': 'x y'}}"),
        ("attributes: {driver: version=1.2.3}", "attributes: {driver: {version: 1.2.3}}"),
        ("attributes: {shared: 'bool: true'}", "attributes: {shared: {'bool': true}}"),
        ("capacity: {memory: value 80Gi}", "capacity: {memory: {value: 80Gi}}"),
        ("capacity:\n      cores:\n      value: 8", "capacity:\n      cores:\n        value: 8"),
        ("attributes:\n      a:\n      int: 8", "attributes:\n      a:\n        int: 8"),
    ],
)
def test_what_was_meant_is_written(written: str, meant: str) -> None:
    assert fixed(SLICE.format(written)) == SLICE.format(meant)


@pytest.mark.parametrize(
    "written",
    [
        "attributes: {model: string theory}",
        "attributes: {profile: 'string: 1g.10gb}'}",
        "attributes: {index: int five}",
        "attributes: {index: int}",
        "capacity: {value: 80Gi}",
        "nodeAllocatableResources:\n      mapping:\n        capacityKey: cores",
        "capacity: {memory: 80 or so}",
        "attributes:\n      int: 8",
    ],
)
def test_what_may_mean_something_else_stays(written: str) -> None:
    assert fixed(SLICE.format(written)) == SLICE.format(written)


SPEC = "apiVersion: {}\nkind: {}\nmetadata: {{name: a}}\nspec:\n  "
TAINT_RULE = SPEC.format("resource.k8s.io/v1", "DeviceTaintRule") + "deviceSelector: {driver: d.example.com}\n"
POD = SPEC.format("v1", "Pod") + "containers:\n  - name: c\n    image: i\n    resources:\n      claims: [{name: gpu}]\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{TAINT_RULE}  timeAdded: {{key: d.example.com/a, effect: NoSchedule}}\n",
        f"{POD}      resourceClaims: {{cpu: '1'}}\n  resourceClaims: [{{name: gpu, resourceClaimName: a}}]\n",
        SLICE.partition("metadata")[0] + "spec:\n  name: a\n  driver: d.example.com\n  nodeName: a\n",
        SLICE.partition("metadata")[0] + "pool: a\nspec:\n  driver: d.example.com\n  nodeName: a\n",
    ],
)
def test_a_field_does_not_move_to_where_it_does_not_fit(text: str) -> None:
    assert fixed(text) == text


def test_a_field_does_not_move_to_where_it_does_not_fit_because_another_value_gets_its_type() -> None:
    text = SLICE.format("attributes: {}").replace("  pool: {", "  resourceSliceCount: {").replace("node-1\n", "n\n")

    assert fixed(text) == text.replace("nodeName: n\n", 'nodeName: "n"\n')


def test_an_entry_is_not_made_an_object_under_a_name_that_is_refused() -> None:
    counters = "  sharedCounters:\n  - name: c\n    counters:\n      memory: {value: 1Gi}\n      a  value: '152'\n"
    text = SLICE.format("attributes: {}").partition("  devices")[0] + counters

    assert fixed(text.replace("\nspec:", "\nSPEC:")) == text


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
