"""Updates: immutable parts, transitions of the status, what is not validated again, and pairing."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.files.git import Text
from dralint.finding.report import Report
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.update.linter import Updates
from tests.conftest import Calls

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: train, labels: {a: b}}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        selectors:
        - cel: {expression: device.driver == "a"}
        tolerations:
        - {key: a, operator: Exists}
        capacity:
          requests: {memory: 1Gi}
"""
FLAT = """\
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: train}
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com
      selectors:
      - cel: {expression: device.driver == "a"}
      tolerations:
      - {key: a, operator: Exists}
      capacity:
        requests: {memory: 1Gi}
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    taints:
    - {key: k, effect: NoSchedule}
"""


STATUS = (
    CLAIM
    + """\
status:
  allocation:
    devices:
      results:
      - {request: gpu, driver: gpu.example.com, pool: p, device: d}
  reservedFor:
  - {resource: pods, name: a, uid: "1"}
"""
)
ALLOCATED = STATUS[STATUS.index("status:") :]
CLASSIC = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: c}
spec: {resourceClassName: a}
status:
  driverName: a.example.com
  allocation: {shareable: true}
  deallocationRequested: true
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  metadata: {labels: {a: b}}
  spec: {}
"""
CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {}\n"
RULE = """\
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec:
  deviceSelector: {driver: a.com}
  taint: {key: k, effect: NoSchedule}
"""
STATUS_REQUEST = """\
apiVersion: resource.k8s.io/v1alpha3
kind: ResourcePoolStatusRequest
metadata: {name: r}
spec:
  driver: a.com
"""
POD_GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec:
  resourceClaims:
  - {name: a, resourceClaimName: x}
"""
POD = """\
apiVersion: {version}
kind: {kind}
metadata: {{name: web}}
spec:
  {template}resourceClaims: [{{name: gpu, resourceClaimName: a}}]
  {space}containers:
  {space}- name: main
  {space}  resources: {{claims: [{{name: gpu}}], limits: {{cpu: 1}}}}
"""


def pod(kind: str) -> str:
    if kind == "Pod":
        return POD.format(version="v1", kind=kind, template="", space="")
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return POD.format(version=version, kind=kind, template="template:\n    spec:\n      ", space="    ")


def compare(old: str, new: str, *releases: str, switched: str = "") -> Report:
    chosen = tuple(Release.parse(release) for release in releases)
    updates = Updates(Settings(releases=chosen, gates=tuple(gates.parse(switched).items())))
    report = updates.compare([Text("old.yaml", "a", old.encode)], [Text("new.yaml", "a", new.encode)])
    assert report.failures == []
    return report


def rows(report: Report) -> list[tuple[str, str | None, str, int]]:
    """What the server refuses."""
    return [(f.rule, f.reason, f.path, f.line) for f in report.findings if f.effect == "rejected"]


def changed(old: str, before: str, after: str) -> str:
    assert before in old
    return old.replace(before, after)


TAINTS = "DRADeviceTaints=true"
GROUPS = "GenericWorkload=true,DRAWorkloadResourceClaims=true"
FIRST = "        deviceClassName"
CAPACITY = "        capacity:\n          requests: {memory: 1Gi}\n"
BAD_STATUS = STATUS.replace("pool: p", "pool: P_")
BAD_TAINT = SLICE.replace("NoSchedule", "Never")
RESERVED = "  reservedFor: [{resource: pods, name: a, uid: '1'}]\n"
TIME = "  allocation:\n    allocationTimestamp: '2024-01-01T00:00:00Z'\n"
TIMED = STATUS.replace("  allocation:\n", TIME)
NO_TIME = STATUS.replace("  allocation:\n", TIME.replace("2024", "0001"))


@pytest.mark.parametrize(
    ("old", "before", "after", "release"),
    [
        (CLAIM, "memory: 1Gi", "memory: 1024Mi", "1.36"),
        (CLAIM.replace("1Gi", "null"), "null", "'0'", "1.36"),
        (CLAIM.replace("1Gi", "null"), "null", "0Gi", "1.36"),
        (CLAIM, FIRST, f"        allocationMode: ExactCount\n        count: 1\n{FIRST}", "1.36"),
        (CLAIM, FIRST, f"        adminAccess: null\n{FIRST}", "1.36"),
        (CLAIM, "    requests:\n    - name", "    constraints: []\n    config:\n    requests:\n    - name", "1.36"),
        (CLAIM, "{key: a, operator: Exists}", "{operator: Exists, key: a, value: ''}", "1.36"),
        (CLAIM, "labels: {a: b}", "labels: {a: c}, annotations: {x: z}", "1.36"),
        (CLAIM, "name: train", "name: train, generation: -1", "1.37"),  # the server puts the generation back
        (CLAIM, CLAIM, FLAT, "1.36"),  # another API version is the same object
        (CLAIM.replace("name: train", "generateName: a-"), "Exists", "Equal", "1.36"),  # each is created anew
        (CLASS, "spec: {}", "spec:\n  selectors:\n  - cel: {expression: 'true'}", "1.36"),
        (SLICE, "gpu-0", "gpu-1", "1.36"),
        (SLICE, "name: s", "name: s, generateName: ZZ_", "1.37"),
        (BAD_TAINT, "generation: 1", "generation: 2", "1.35"),
        (STATUS_REQUEST, "driver: a.com\n", "driver: a.com\n  limit: 100\n", "1.37"),
        (STATUS_REQUEST, "driver: a.com\n", "driver: a.com\n  limit: null\n", "1.37"),
        # an allocation is set and removed, and one that stays is not validated again
        (STATUS, ALLOCATED, "status: {}\n", "1.36"),
        (BAD_STATUS, "a: b", "a: c", "1.36"),
        (BAD_STATUS, "  - {resource: pods", "  - {resource: pods, name: b, uid: '2'}\n  - {resource: pods", "1.36"),
        (CLASSIC.replace("v1alpha2", "v1alpha1"), "shareable: true", "shareable: false", "1.26"),
        # a time is the same however it is written
        (TIMED, "2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "1.37"),
        # Pods and workloads
        (pod("Pod"), "cpu: 1", "cpu: 2", "1.36"),
        (pod("Deployment"), "resourceClaimName: a", "resourceClaimName: b", "1.36"),
        (POD_GROUP, "\n  resourceClaims:\n  - {name: a, resourceClaimName: x}", " {}", "1.37"),
    ],
)
def test_what_means_the_same_or_may_change(old: str, before: str, after: str, release: str) -> None:
    new = changed(old, before, after)

    assert [row for row in rows(compare(old, new, release)) if row[0] != "DRA503"] == []
    assert [row for row in rows(compare(new, old, release)) if row[0] != "DRA503"] == []


TAINT_EFFECT = ("DRA213", "NotSupported", "spec.devices[0].taints[0].effect", 11)
SPEC = ("DRA601", "Invalid", "spec")
ALLOCATION = ("DRA602", "Invalid", "status.allocation")
SHARED = SLICE.replace(
    "    taints:\n    - {key: k, effect: NoSchedule}\n",
    "    allowMultipleAllocations: true\n    capacity:\n      memory:\n        value: 8Gi\n"
    "        requestPolicy: {default: 1Gi, validRange: {min: 1Gi}}\n",
)


@pytest.mark.parametrize(
    ("old", "before", "after", "release", "refused"),
    [
        # specs
        (CLAIM, FIRST, f"        adminAccess: false\n{FIRST}", "1.36", [(*SPEC, 9)]),
        (CLAIM, FIRST, f"        count: 2\n{FIRST}", "1.36", [(*SPEC, 9)]),
        (CLAIM, FIRST, f"        allocationMode: All\n{FIRST}", "1.36", [(*SPEC, 9)]),
        (CLAIM, CAPACITY, "", "1.36", [(*SPEC, 8)]),
        (CLAIM.replace("1Gi", "null"), "null", "'1'", "1.36", [(*SPEC, 15)]),
        (CLAIM, "name: gpu\n", "name: gpu\n      foo: 1\n", "1.36", [
            ("DRA101", "Unknown", "spec.devices.requests[0].foo", 8),  # what cannot be decoded is all that is told
        ]),
        (CLAIM.replace(CAPACITY, ""), "name: gpu\n", "name: GPU\n", "1.34", [
            ("DRA201", "Invalid", "spec.devices.requests[0].name", 7),  # validated again up to 1.34
            (*SPEC, 7),
        ]),
        (CLAIM.replace(CAPACITY, ""), "name: gpu\n", "name: GPU\n", "1.35", [(*SPEC, 7)]),
        (CLAIM, "name: train", "name: train, generateName: ZZ_", "1.37", [
            ("DRA202", "Invalid", "metadata.generateName", 3),
        ]),
        (TEMPLATE, "a: b", "a: c", "1.34", [(*SPEC, 5)]),
        (TEMPLATE, "{labels: {a: b}}", "{labels: {a: b}, deletionGracePeriodSeconds: 0}", "1.34", [
            ("DRA226", "Forbidden", "spec.metadata.deletionGracePeriodSeconds", 5),  # a pointer: zero is not none
            (*SPEC, 5),
        ]),
        (TEMPLATE, "{labels: {a: b}}", "{labels: {a: b}, creationTimestamp: '0001-01-01T00:00:00Z'}", "1.37", [
            ("DRA226", "Forbidden", "spec.metadata.creationTimestamp", 5),  # and no change: the zero time is none
        ]),
        (SLICE, "driver: gpu", "driver: gpus", "1.36", [("DRA601", "Invalid", "spec.driver", 5)]),
        (SLICE, "node-1", "node-2", "1.36", [("DRA601", "Invalid", "spec.nodeName", 6)]),
        (SLICE, "  nodeName: node-1", "  allNodes: true", "1.36", [("DRA601", "Invalid", "spec.nodeName", 4)]),
        (SLICE, "name: p,", "name: q,", "1.36", [("DRA601", "Invalid", "spec.pool.name", 7)]),
        (STATUS_REQUEST, "a.com\n", "a.com\n  limit: 0\n", "1.37", [(*SPEC, 6)]),
        (STATUS_REQUEST, "a.com\n", "a.com\n  limit: 50\n", "1.37", [(*SPEC, 6)]),
        (STATUS_REQUEST, "a.com\n", "a.com\n  poolName: ''\n", "1.37", [(*SPEC, 6)]),
        (STATUS_REQUEST, "a.com\n", "a.com\n  poolName: A\n", "1.37", [(*SPEC, 6)]),
        # objects that were never served, or have become others
        (CLAIM.replace("k8s.io/v1\n", "k8s.io/v9\n"), "k8s.io/v9\n", "k8s.io/v1\n", "1.36", []),
        (CLASSIC, CLASSIC, CLAIM.replace("name: train", "name: c"), "1.36", []),
        # statuses
        (STATUS, "pool: p", "pool: P_", "1.36", [(*ALLOCATION, 20)]),
        (TIMED, TIME, "  allocation:\n", "1.34", []),  # the time comes with the binding conditions
        (TIMED, TIME, "  allocation:\n", "1.35", [(*ALLOCATION, 17)]),
        (NO_TIME, "0001-01-01T00:00:00Z", "2024-01-01T00:00:01Z", "1.37", [(*ALLOCATION, 18)]),
        (TIMED, "00:00:00Z", "00:00:00.5Z", "1.37", [(*ALLOCATION, 18)]),
        (TIMED.replace("00Z", "00.5Z"), "T00:00:00.5Z", "T0:00:00Z", "1.37", []),
        (TIMED, "00:00:00Z", "00:00:01Z", "1.37", [(*ALLOCATION, 18)]),
        (CLASSIC, "Requested: true\n", f"Requested: true\n{RESERVED}", "1.30", [
            ("DRA229", "Forbidden", "status.deallocationRequested", 8),
            ("DRA229", "Forbidden", "status.reservedFor", 9),
            ("DRA603", "Forbidden", "status.reservedFor", 9),
        ]),
        (CLASSIC, "  deallocationRequested: true\n", "", "1.30", [
            ("DRA603", "Forbidden", "status.deallocationRequested", 5),
        ]),
        # what stays the same and is not validated again, by release
        (BAD_TAINT, "generation: 1", "generation: 2", f"1.34 {TAINTS}", [TAINT_EFFECT]),
        (BAD_TAINT, "generation: 1", "generation: 2", f"1.35 {TAINTS}", []),
        (BAD_TAINT, "gpu-0", "gpu-1", f"1.35 {TAINTS}", [TAINT_EFFECT]),
        (SHARED, "Allocations: true", "Allocations: false", "1.36 DRAConsumableCapacity=true", [
            ("DRA252", "Forbidden", "spec.devices[0].capacity[memory].requestPolicy", 14),
        ]),
        (SHARED, "Allocations: true", "Allocations: false", "1.37 DRAConsumableCapacity=true", []),
        # Pods and workloads
        (pod("Pod"), "claims: [{name: gpu}], ", "", "1.36", [("DRA601", "Forbidden", "spec", 8)]),
        (pod("Pod"), "resourceClaimName: a", "resourceClaimName: b", "1.36", [("DRA601", "Forbidden", "spec", 5)]),
        (pod("Pod").replace("resourceClaimName: a", "source: {resourceClaimName: a}"), "source: {resourceClaimName: a}",
         "resourceClaimName: a", "", []),
        (pod("Job"), "Name: a", "Name: b", "1.36", [("DRA601", "Invalid", "spec.template", 7)]),
        (pod("Job").replace("main", "main\n        image: a:1"), "a:1", "a:2", "1.36", [
            ("DRA601", "Invalid", "spec.template", 10),
        ]),
        (POD_GROUP, "Name: x", "Name: z", f"1.37 {GROUPS}", [("DRA601", "Invalid", "spec.resourceClaims", 6)]),
        (POD_GROUP, "name: a", "name: A", f"1.37 {GROUPS}", [("DRA601", "Invalid", "spec.resourceClaims", 6)]),
        (POD_GROUP.replace("name: a", "name: A"), "Name: x}\n", "Name: x}\n  x: 1\n", f"1.37 {GROUPS}", []),
    ],
)  # fmt: skip
def test_what_an_update_is_refused_for(
    old: str, before: str, after: str, release: str, refused: list[tuple[str, str, str, int]]
) -> None:
    name, _, switched = release.partition(" ")

    assert rows(compare(old, changed(old, before, after), *([name] if name else []), switched=switched)) == refused


def test_several_releases_are_one_finding_where_they_agree() -> None:
    (finding,) = compare(SLICE, SLICE.replace("node-1", "node-2"), "1.36", "1.37").findings

    assert finding.releases == ("1.36", "1.37")


@pytest.mark.parametrize("old", ["spec: []", "spec:", "spec: {devices: {requests: [null, 5]}}", "spec: {devices: 1}"])
def test_any_old_object_can_be_compared(old: str) -> None:
    before = f"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {{name: train}}\n{old}\n"

    assert "DRA601" in [row[0] for row in rows(compare(before, CLAIM, "1.36"))]


@pytest.mark.parametrize("field", ["deletionGracePeriodSeconds: 5", "deletionTimestamp: '2020-01-01T00:00:00Z'"])
@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_an_update_does_not_begin_to_delete(field: str, release: str) -> None:
    new = SLICE.replace("name: s", f"name: s, {field}")

    path = f"metadata.{field.partition(':')[0]}"
    assert rows(compare(SLICE, new, release)) == [("DRA601", "Invalid", path, 3)]
    assert rows(compare(new, SLICE, release)) == []
    assert rows(compare(new, new, release)) == []


@pytest.mark.parametrize("old", [SLICE, RULE, STATUS_REQUEST])
@pytest.mark.parametrize(("prefix", "refused"), [("ZZ_", False), ("..", False), ("a/", True), ("%-", True)])
@pytest.mark.slow
def test_of_a_prefix_an_update_may_ask_no_more_than_that_it_fits_into_a_path(
    old: str, prefix: str, refused: bool
) -> None:
    new = old.replace("metadata: {", f"metadata: {{generateName: '{prefix}', ")

    assert rows(compare(old, new, "1.37")) == ([("DRA202", "Invalid", "metadata.generateName", 3)] if refused else [])


def test_the_repairs_of_an_update_are_proven_together(calls: Calls) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a: b}}\nspec:\n  resourceClaims:\n"
    claims = "".join(f"  - {{name: claim-{n}, resourceClaimName: claim-{n}}}\n" for n in range(40))
    uses = "".join(f"      - name: Claim-{n}\n" for n in range(40))
    pod += f"{claims}  containers:\n  - name: c\n    resources:\n      claims:\n{uses}"
    judged = calls(Linter, "everything")
    found = compare(pod.replace("a: b", "a: c"), pod).findings

    assert len([f for f in found if f.fix is not None]) == 40
    assert len(judged) < 10
