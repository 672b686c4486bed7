"""What to write instead of a value of the wrong type."""

from __future__ import annotations

import pytest

from tests.judged import judged

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: c, %s}
"""
SPEC = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests: [{name: gpu, exactly: {deviceClassName: c}}]
    %s
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: n
  pool: {name: n, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, %s}]
"""
JSON = """\
{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"}, "spec": {"devices":
 {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "c", "count": 1.5}}]}}}
"""
LATER = """\
apiVersion: resource.k8s.io/v1alpha3
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: n
  pool: {name: n, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, basic: {capacity: {memory: {value: 10Gi}}}}]
"""
HINTS = [
    # manifest, end of the path, hint
    (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: [{name: g, exactly: {count: 2}}]}\n",
        "devices",
        "put `requests:` above this list, and the list one level deeper, under it",
    ),
    (
        SLICE % "attributes: {string: A100}",
        "attributes",
        "an attribute has a name: write `NAME: {string: A100}`",
    ),
    (
        SLICE % "capacity: {value: 40Gi}",
        "capacity",
        "a capacity or counter has a name: write `NAME: {value: 40Gi}`",
    ),
    (CLAIM % "count: '2'", "count", "remove the quotes: 2"),
    (CLAIM % 'count: 2"', "count", 'remove the stray ": 2'),
    (CLAIM % "count: two", "count", "did you mean 2?"),
    (CLAIM % "count: '1,024'", "count", "write it without separators: 1024"),
    (CLAIM % "count: 1 024 000", "count", "write it without separators: 1024000"),
    (CLAIM % "count: '1,02'", "count", "write a whole number"),
    (CLAIM % f"count: '1{',000' * 2000}'", "count", "write a whole number"),
    (JSON, "count", "write a whole number"),
    (CLAIM % "selectors: [{cel: device.driver == 'x'}]", "cel", "put it under `expression:`"),
    (CLAIM % "selectors: [device.driver == 'x']", "selectors[0]", "put it under `cel:` and there under `expression:`"),
    (CLAIM % "adminAccess: 'true'", "adminAccess", "remove the quotes"),
    (CLAIM % "adminAccess: True'", "adminAccess", "write true"),
    (CLAIM % "adminAccess: 1", "adminAccess", "write true"),
    (CLAIM % "adminAccess: 0", "adminAccess", "write false"),
    (CLAIM % "adminAccess: tru", "adminAccess", "did you mean true?"),
    (CLAIM % "adminAccess: flase", "adminAccess", "did you mean false?"),
    (CLAIM % "adminAccess: maybe", "adminAccess", "write true or false"),
    (CLAIM % "adminAccess: 2", "adminAccess", "write true or false"),
    (SPEC % "constraints: [{requests: gpu}]", "requests", "make it a list: `[gpu]`"),
    (SPEC % 'constraints: [{requests: "gpu, nic"}]', "requests", "make it a list: `[gpu, nic]`"),
    (SPEC % 'constraints: [{requests: "yes"}]', "requests", 'make it a list: `["yes"]`'),
    (
        SPEC % "constraints: [{matchAttribute: [a.example.com/b]}]",
        "matchAttribute",
        "this field is not a list: write a.example.com/b",
    ),
    (SLICE % "capacity: {memory: 10Gi}", "capacity", "write `{value: 10Gi}`"),
    (SLICE % "capacity: {memory: 10}", "capacity", "write `{value: 10}`"),
    (SLICE % "attributes: {a: x}", "attributes", "write `{string: x}`"),
    (SLICE % 'attributes: {a: "yes"}', "attributes", 'write `{string: "yes"}`'),
    (SLICE % "attributes: {a: 3}", "attributes", "write `{int: 3}`"),
    (SLICE % "attributes: {a: true}", "attributes", "write `{bool: true}`"),
    (SLICE % "attributes: {a: 1.5}", "attributes", 'write `{string: "1.5"}`'),
    (
        SLICE % "attributes: {a: 1.2.3}",
        "attributes",
        "write `{version: 1.2.3}`, or `{string: 1.2.3}` if it is not a version",
    ),
    (SLICE % "attributes: {a: {string: 1.5}}", "string", 'quote it: "1.5"'),
    (
        SLICE.replace("{name: n, generation: 1, resourceSliceCount: 1}", "node-1") % "",
        "pool",
        "put it under `name:`: `name: node-1`",
    ),
    (LATER, "capacity", "write the quantity itself: 10Gi"),
]


def hint(text: str, field: str) -> str | None:
    release = "1.31" if "v1alpha3" in text else "1.34"
    report = judged(text, release)
    (finding,) = (f for f in report.findings if f.rule == "DRA102" and field in str(f.path))
    return finding.hint


@pytest.mark.parametrize(("text", "field", "expected"), HINTS)
def test_a_wrong_type_comes_with_what_to_write(text: str, field: str, expected: str | None) -> None:
    assert hint(text, field) == expected


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("version: 1.2", 'quote it: "1.2.0"'),
        ("version: 1.10", 'quote it: "1.10.0"'),
        ("version: 3", 'quote it: "3.0.0"'),
        ("version: 1e3", 'quote it: "1e3"'),
        ("string: 1.10", 'quote it: "1.10"'),
    ],
)
def test_a_version_without_quotes_is_completed_as_well(written: str, hint: str) -> None:
    text = SLICE % f"attributes: {{v: {{{written}}}}}"
    report = judged(text, "1.34")

    assert [(f.rule, f.hint) for f in report.findings if "attributes" in str(f.path)] == [("DRA102", hint)]
