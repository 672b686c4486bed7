"""Updates: immutable parts, transitions of the status, what is not validated again, and pairing."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.files.git import Text
from dralint.finding.finding import Finding
from dralint.finding.problem import Problem
from dralint.finding.report import Report
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.manifest.objects import ApiObject
from dralint.update.linter import Updates
from dralint.yaml import Document

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


def text(name: str, manifest: str, key: str = "a") -> Text:
    return Text(name, key, manifest.encode)


def compare(old: str, new: str, *releases: str, gates: dict[str, bool] | None = None) -> Report:
    chosen = tuple(Release.parse(release) for release in releases)
    updates = Updates(Settings(releases=chosen, gates=tuple((gates or {}).items())))
    report = updates.compare([text("old.yaml", old)], [text("new.yaml", new)])
    assert report.failures == []
    return report


def rows(report: Report) -> list[tuple[str, str | None, str, int]]:
    """What the server refuses."""
    return [(f.rule, f.reason, f.path, f.line) for f in report.findings if f.effect == "rejected"]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


def test_a_changed_spec_is_refused_at_the_value_that_changed() -> None:
    finding = next(f for f in compare(CLAIM, CLAIM.replace("Exists", "Equal"), "1.36").findings if f.rule == "DRA601")

    assert (finding.rule, finding.reason, finding.path) == ("DRA601", "Invalid", "spec")
    assert (finding.file, finding.line, finding.column) == ("new.yaml", 13, 30)
    assert finding.message == (
        "spec of a ResourceClaim cannot be changed: "
        'spec.devices.requests[0].exactly.tolerations[0].operator was "Exists" and is "Equal"'
    )
    assert [(r.file, r.line, r.column) for r in finding.related] == [("old.yaml", 13, 30)]


def test_what_is_gone_is_reported_at_its_parent() -> None:
    finding = only(compare(CLAIM, CLAIM.replace("        capacity:\n          requests: {memory: 1Gi}\n", ""), "1.36"))

    assert (finding.rule, finding.path, finding.line) == ("DRA601", "spec", 8)
    assert finding.message.endswith("spec.devices.requests[0].exactly.capacity is gone")
    assert [(r.file, r.line) for r in finding.related] == [("old.yaml", 15)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("memory: 1Gi", "memory: 1024Mi"),
        ("        deviceClassName", "        allocationMode: ExactCount\n        count: 1\n        deviceClassName"),
        ("        deviceClassName", "        adminAccess: null\n        deviceClassName"),
        ("    requests:\n    - name", "    constraints: []\n    config:\n    requests:\n    - name"),
        ("{key: a, operator: Exists}", "{operator: Exists, key: a, value: ''}"),
        ("labels: {a: b}", "labels: {a: c}, annotations: {x: z}"),
    ],
)
def test_what_means_the_same_is_no_change(before: str, after: str) -> None:
    assert rows(compare(CLAIM, CLAIM.replace(before, after), "1.36")) == []
    assert rows(compare(CLAIM.replace(before, after), CLAIM, "1.36")) == []


@pytest.mark.parametrize(
    "after",
    [
        "        adminAccess: false\n        deviceClassName",
        "        count: 2\n        deviceClassName",
        "        allocationMode: All\n        deviceClassName",
    ],
)
def test_what_means_something_else_is_a_change(after: str) -> None:
    finding = only(compare(CLAIM, CLAIM.replace("        deviceClassName", after), "1.36"))

    assert (finding.rule, finding.path, finding.line) == ("DRA601", "spec", 9)


def test_another_api_version_is_the_same_object() -> None:
    assert rows(compare(FLAT, CLAIM, "1.36")) == []
    assert [row for row in rows(compare(CLAIM, FLAT, "1.36")) if row[0] != "DRA503"] == []


def test_a_change_across_api_versions_is_named_as_the_new_one_has_it() -> None:
    report = compare(CLAIM, FLAT.replace("Exists", "Equal"), "1.36")
    finding = next(f for f in report.findings if f.rule == "DRA601")

    assert finding.line == 12
    assert "spec.devices.requests[0].tolerations[0].operator was" in finding.message


def test_a_bad_spec_is_validated_again_up_to_1_34() -> None:
    old = CLAIM.replace("        capacity:\n          requests: {memory: 1Gi}\n", "")
    new = old.replace("name: gpu\n", "name: GPU\n")

    assert rows(compare(old, new, "1.34")) == [
        ("DRA201", "Invalid", "spec.devices.requests[0].name", 7),
        ("DRA601", "Invalid", "spec", 7),
    ]
    assert rows(compare(old, new, "1.35")) == [("DRA601", "Invalid", "spec", 7)]


def test_a_spec_that_cannot_be_decoded_is_all_that_is_reported() -> None:
    report = compare(CLAIM, CLAIM.replace("name: gpu\n", "name: gpu\n      foo: 1\n"), "1.36")

    assert rows(report) == [("DRA101", "Unknown", "spec.devices.requests[0].foo", 8)]


def test_template_labels_cannot_be_changed_either() -> None:
    old = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
        "spec:\n  metadata: {labels: {a: b}}\n  spec: {}\n"
    )
    finding = only(compare(old, old.replace("a: b", "a: c"), "1.34"))

    assert (finding.rule, finding.path, finding.line) == ("DRA601", "spec", 5)
    assert finding.message == (
        'spec of a ResourceClaimTemplate cannot be changed: spec.metadata.labels[a] was "b" and is "c"'
    )


@pytest.mark.parametrize(
    ("before", "after", "path", "line"),
    [
        ("driver: gpu", "driver: gpus", "spec.driver", 5),
        ("node-1", "node-2", "spec.nodeName", 6),
        ("  nodeName: node-1", "  allNodes: true", "spec.nodeName", 4),
        ("name: p,", "name: q,", "spec.pool.name", 7),
    ],
)
def test_driver_pool_and_node_of_a_slice_are_fixed(before: str, after: str, path: str, line: int) -> None:
    report = compare(SLICE, SLICE.replace(before, after), "1.36")

    assert rows(report) == [("DRA601", "Invalid", path, line)]


def test_devices_of_a_slice_may_change() -> None:
    assert rows(compare(SLICE, SLICE.replace("gpu-0", "gpu-1").replace("generation: 1", "generation: 2"), "1.36")) == []


def test_unchanged_taints_are_not_validated_again_since_1_35() -> None:
    bad = SLICE.replace("NoSchedule", "Never")
    new = bad.replace("generation: 1", "generation: 2")
    gates = {"DRADeviceTaints": True}

    assert rows(compare(bad, new, "1.34", gates=gates)) == [
        ("DRA213", "NotSupported", "spec.devices[0].taints[0].effect", 11)
    ]
    assert rows(compare(bad, new, "1.35", gates=gates)) == []
    assert rows(compare(bad, new.replace("gpu-0", "gpu-1"), "1.35", gates=gates)) == [
        ("DRA213", "NotSupported", "spec.devices[0].taints[0].effect", 11)
    ]


def test_everything_in_a_class_may_change() -> None:
    old = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {}\n"
    new = old.replace("spec: {}", "spec:\n  selectors:\n  - cel: {expression: 'true'}")

    assert rows(compare(old, new, "1.36")) == []


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


def test_an_allocation_is_set_once() -> None:
    finding = only(compare(STATUS, STATUS.replace("device: d}", "device: e}"), "1.36"))

    assert (finding.rule, finding.reason, finding.path, finding.line) == ("DRA602", "Invalid", "status.allocation", 20)
    assert 'status.allocation.devices.results[0].device was "d" and is "e"' in finding.message


def test_an_allocation_may_be_set_and_removed() -> None:
    removed = STATUS[: STATUS.index("status:")] + "status: {}\n"

    assert rows(compare(STATUS, removed, "1.36")) == []
    assert rows(compare(removed, STATUS, "1.36")) == []


def test_a_status_that_stays_is_not_validated() -> None:
    bad = STATUS.replace("pool: p", "pool: P_")

    assert rows(compare(bad, bad.replace("a: b", "a: c"), "1.36")) == []


def test_an_allocation_that_was_there_is_compared_and_not_validated() -> None:
    bad = STATUS.replace("pool: p", "pool: P_")
    more = '  - {resource: pods, name: b, uid: "2"}\n'

    assert [row[2] for row in rows(compare(STATUS, bad, "1.36"))] == ["status.allocation"]
    assert rows(compare(bad, bad + more, "1.36")) == []


def test_the_time_of_an_allocation_comes_with_binding_conditions_in_1_34() -> None:
    timed = STATUS.replace("  allocation:\n", "  allocation:\n    allocationTimestamp: '2024-01-01T00:00:00Z'\n")

    assert rows(compare(timed, STATUS, "1.34")) == []
    assert [row[2] for row in rows(compare(timed, STATUS, "1.35"))] == ["status.allocation"]


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", True),
        ("2024-01-01T00:00:00.5Z", "2024-01-01T0:00:00Z", True),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.5Z", False),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:01Z", False),
        ("0001-01-01T00:00:00Z", "2024-01-01T00:00:01Z", False),
        ("0001-01-01T00:00:00Z", "", False),
    ],
)
def test_a_time_is_the_same_however_it_is_written(before: str, after: str, same: bool) -> None:
    def text(time: str) -> str:
        line = f"    allocationTimestamp: '{time}'\n" if time else ""
        return STATUS.replace("  allocation:\n", f"  allocation:\n{line}")

    found = [row[:3] for row in rows(compare(text(before), text(after), "1.37"))]
    assert found == ([] if same else [("DRA602", "Invalid", "status.allocation")])


@pytest.mark.parametrize(("quantity", "same"), [("'0'", True), ("0Gi", True), ("'1'", False)])
@pytest.mark.slow
def test_no_quantity_is_zero(quantity: str, same: bool) -> None:
    none, some = (CLAIM.replace("memory: 1Gi", f"memory: {text}") for text in ("null", quantity))

    for old, new in ((none, some), (some, none)):
        assert [row[:3] for row in rows(compare(old, new, "1.36"))] == ([] if same else [("DRA601", "Invalid", "spec")])


def test_the_zero_time_of_a_template_is_none() -> None:
    new = TEMPLATE.replace("  metadata: {}", "  metadata: {creationTimestamp: '0001-01-01T00:00:00Z'}")

    assert "DRA601" not in [row[0] for row in rows(compare(TEMPLATE, new, "1.37"))]


def test_the_status_of_a_device_goes_with_its_allocation() -> None:
    entry = "  - {driver: gpu.example.com, pool: p, device: d, conditions: [{type: a b}]}\n"
    allocated = STATUS[: STATUS.index("  reservedFor")] + "  devices:\n" + entry.replace("a b", "Ready")
    freed = STATUS[: STATUS.index("status:")] + "status:\n  devices:\n" + entry

    assert rows(compare(allocated, freed, "1.36")) == []
    assert ("DRA229", "Invalid", "status.devices[0]", 18) in rows(
        compare(allocated, freed.replace("device: d", "device: e"), "1.36")
    )


CLASSIC = """\
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata: {name: c}
spec: {resourceClassName: a}
status:
  driverName: a.example.com
  allocation: {shareable: true}
"""


def test_deallocation_ends_with_the_allocation() -> None:
    asked = CLASSIC + "  deallocationRequested: true\n"
    report = compare(asked, CLASSIC, "1.30")

    assert rows(report) == [("DRA603", "Forbidden", "status.deallocationRequested", 5)]
    assert rows(compare(asked, CLASSIC.replace("  allocation: {shareable: true}\n", ""), "1.30")) == []


def test_nobody_reserves_a_claim_that_is_to_be_deallocated() -> None:
    asked = CLASSIC + "  deallocationRequested: true\n"
    new = asked + "  reservedFor:\n  - {resource: pods, name: a, uid: '1'}\n"
    report = compare(asked, new, "1.30")

    assert ("DRA603", "Forbidden", "status.reservedFor", 10) in rows(report)


def test_the_allocation_could_be_changed_in_1_26() -> None:
    old = CLASSIC.replace("v1alpha2", "v1alpha1")

    assert rows(compare(old, old.replace("shareable: true", "shareable: false"), "1.26")) == []


def test_a_pool_status_request_is_answered_once() -> None:
    old = (
        "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\nmetadata: {name: r}\n"
        "spec: {driver: a.example.com}\nstatus: {poolCount: 1}\n"
    )
    report = compare(old, old.replace("poolCount: 1", "poolCount: 2"), "1.36")

    assert ("DRA602", "Invalid", "status", 5) in rows(report)


def test_another_name_is_another_object() -> None:
    finding = only(compare(SLICE, SLICE.replace("name: s}", "name: t}").replace("node-1", "node-2"), "1.36"))

    assert (finding.rule, finding.effect, finding.path, finding.line) == ("DRA604", "advice", "metadata.name", 3)
    assert finding.message.startswith('ResourceSlice "s" has become "t"')
    assert [(r.file, r.line) for r in finding.related] == [("old.yaml", 3)]


def test_another_kind_is_another_object() -> None:
    new = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: train}\nspec: {spec: {}}\n"
    finding = only(compare(CLAIM, new, "1.36"))

    assert (finding.rule, finding.path, finding.line) == ("DRA604", "kind", 2)
    assert finding.message.startswith('ResourceClaim "train" has become a ResourceClaimTemplate')


def test_another_namespace_is_another_object() -> None:
    finding = only(compare(CLAIM, CLAIM.replace("{name: train,", "{name: train, namespace: b,"), "1.36"))

    assert (finding.rule, finding.path, finding.line) == ("DRA604", "metadata.namespace", 3)


def test_a_new_object_is_judged_as_one_and_a_deleted_one_is_nothing() -> None:
    new = CLAIM + "---\n" + CLAIM.replace("name: train", "name: b").replace("name: gpu\n", "name: GPU\n")

    assert rows(compare(CLAIM, new, "1.36")) == [("DRA201", "Invalid", "spec.devices.requests[0].name", 23)]
    assert rows(compare(CLAIM + "---\n" + SLICE, CLAIM, "1.36")) == []


def test_objects_that_moved_to_another_file_are_found() -> None:
    updates = Updates(Settings(releases=(Release.parse("1.36"),)))
    changed = CLAIM.replace("Exists", "Equal")
    report = updates.compare(
        [text("old/a", CLAIM, "a"), text("old/b", SLICE, "b")], [text("new/b", SLICE, "b"), text("new/c", changed, "c")]
    )

    assert [(f.rule, f.file, f.related[0].file) for f in report.findings] == [("DRA601", "new/c", "old/a")]


def test_items_of_lists_are_paired() -> None:
    def listed(count: int) -> str:
        items = "".join(
            f"- metadata: {{name: {name}}}\n  spec:\n    devices:\n      requests:\n"
            f"      - {{name: a, exactly: {{deviceClassName: x, count: {count}}}}}\n"
            for name in ("one", "two")
        )
        return f"apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems:\n{items}"

    report = compare(listed(1), listed(2), "1.36")

    assert [(f.path, f.line, f.object and f.object["name"]) for f in report.findings] == [
        ("spec", 8, "one"),
        ("spec", 13, "two"),
    ]


def test_several_releases_are_one_finding_where_they_agree() -> None:
    finding = only(compare(SLICE, SLICE.replace("node-1", "node-2"), "1.36", "1.37"))

    assert finding.releases == ("1.36", "1.37")


def test_what_was_never_served_is_judged_as_new() -> None:
    old = CLAIM.replace("resource.k8s.io/v1", "resource.k8s.io/v9")

    assert rows(compare(old, CLAIM, "1.36")) == []


def test_what_the_release_does_not_serve_is_said() -> None:
    finding = only(compare(CLAIM, CLAIM, "1.33"))

    assert (finding.rule, finding.reason, finding.path) == ("DRA501", "NotServed", "apiVersion")


@pytest.mark.parametrize("old", ["spec: []", "spec:", "spec: {devices: {requests: [null, 5]}}", "spec: {devices: 1}"])
def test_any_old_object_can_be_compared(old: str) -> None:
    before = f"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {{name: train}}\n{old}\n"

    assert "DRA601" in [row[0] for row in rows(compare(before, CLAIM, "1.36"))]


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


def test_claims_of_a_pod_cannot_be_changed() -> None:
    finding = only(compare(pod("Pod"), pod("Pod").replace("resourceClaimName: a", "resourceClaimName: b"), "1.36"))

    assert (finding.rule, finding.reason, finding.path, finding.line) == ("DRA601", "Forbidden", "spec", 5)
    assert finding.message == (
        'claims of a Pod cannot be changed: spec.resourceClaims[0].resourceClaimName was "a" and is "b"'
    )


def test_claims_of_a_pod_cannot_be_added_or_removed() -> None:
    without = (
        pod("Pod")
        .replace("claims: [{name: gpu}], ", "")
        .replace("resourceClaims: [{name: gpu, resourceClaimName: a}]", "nodeName: x")
    )

    assert rows(compare(without, pod("Pod"), "1.36")) == [("DRA601", "Forbidden", "spec", 5)]
    assert rows(compare(pod("Pod"), without, "1.36")) == [("DRA601", "Forbidden", "spec", 4)]


def test_other_resources_of_a_pod_are_left_alone() -> None:
    assert rows(compare(pod("Pod"), pod("Pod").replace("cpu: 1", "cpu: 2"), "1.36")) == []


def test_the_template_of_a_job_cannot_be_changed_but_that_of_a_deployment() -> None:
    def changed(kind: str) -> Report:
        return compare(pod(kind), pod(kind).replace("resourceClaimName: a", "resourceClaimName: b"), "1.36")

    assert rows(changed("Job")) == [("DRA601", "Invalid", "spec.template", 7)]
    assert rows(changed("Deployment")) == []


def test_moving_out_of_source_is_the_same_claim() -> None:
    old = pod("Pod").replace("resourceClaimName: a", "source: {resourceClaimName: a}")

    assert rows(compare(old, pod("Pod"))) == []


def test_claims_of_a_pod_group_cannot_be_changed() -> None:
    old = (
        "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
        "spec:\n  resourceClaims:\n  - {name: a, resourceClaimName: x}\n"
    )
    gates = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}
    report = compare(old, old.replace("resourceClaimName: x", "resourceClaimName: z"), "1.37", gates=gates)

    assert rows(report) == [("DRA601", "Invalid", "spec.resourceClaims", 6)]


POD_GROUP = """\
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: g}
spec:
  resourceClaims:
  - {name: a, resourceClaimName: x}
"""


def test_claims_of_a_pod_group_that_its_gate_removes_may_change() -> None:
    without = POD_GROUP[: POD_GROUP.index("spec:")] + "spec: {}\n"

    assert rows(compare(POD_GROUP, without, "1.37")) == []
    assert rows(compare(without, POD_GROUP, "1.37")) == []


def test_changed_claims_of_a_pod_group_are_refused_and_not_validated() -> None:
    gates = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}
    bad = POD_GROUP.replace("name: a", "name: A")

    assert rows(compare(POD_GROUP, bad, "1.37", gates=gates)) == [("DRA601", "Invalid", "spec.resourceClaims", 6)]
    assert rows(compare(bad, bad + "  x: 1\n", "1.37", gates=gates)) == []


def test_what_gets_its_name_from_the_server_is_created_anew() -> None:
    old = CLAIM.replace("name: train", "generateName: train-")

    assert rows(compare(old, old.replace("Exists", "Equal"), "1.36")) == []


def test_objects_of_the_classic_api_are_not_updated_to_the_next_one() -> None:
    old = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: train}\nspec: {}\n"

    assert rows(compare(old, CLAIM, "1.36")) == []


RULE = """\
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec:
  deviceSelector: {driver: a.com}
  taint: {key: k, effect: NoSchedule}
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  metadata: {}
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.example.com}
"""
STATUS_REQUEST = """\
apiVersion: resource.k8s.io/v1alpha3
kind: ResourcePoolStatusRequest
metadata: {name: r}
spec:
  driver: a.com
"""


@pytest.mark.parametrize("after", ["  limit: 100\n", "  limit: null\n"])
def test_the_default_of_a_limit_is_no_change(after: str) -> None:
    assert rows(compare(STATUS_REQUEST, STATUS_REQUEST + after, "1.37")) == []
    assert rows(compare(STATUS_REQUEST + after, STATUS_REQUEST, "1.37")) == []


@pytest.mark.parametrize("after", ["  limit: 0\n", "  limit: 50\n", "  poolName: ''\n", "  poolName: A\n"])
def test_a_changed_status_request_is_refused_as_a_whole(after: str) -> None:
    assert rows(compare(STATUS_REQUEST, STATUS_REQUEST + after, "1.37")) == [("DRA601", "Invalid", "spec", 6)]


@pytest.mark.parametrize("field", ["deletionGracePeriodSeconds: 5", "deletionTimestamp: '2020-01-01T00:00:00Z'"])
@pytest.mark.parametrize("release", ["1.34", "1.37"])
def test_an_update_does_not_begin_to_delete(field: str, release: str) -> None:
    new = SLICE.replace("name: s", f"name: s, {field}")

    path = f"metadata.{field.partition(':')[0]}"
    assert rows(compare(SLICE, new, release)) == [("DRA601", "Invalid", path, 3)]
    assert rows(compare(new, SLICE, release)) == []
    assert rows(compare(new, new, release)) == []


def test_the_generated_name_of_a_slice_is_not_looked_at_again() -> None:
    assert rows(compare(SLICE, SLICE.replace("name: s", "name: s, generateName: ZZ_"), "1.37")) == []
    assert rows(compare(CLAIM, CLAIM.replace("name: train", "name: train, generateName: ZZ_"), "1.37")) == [
        ("DRA202", "Invalid", "metadata.generateName", 3)
    ]


@pytest.mark.parametrize("old", [SLICE, RULE, STATUS_REQUEST])
@pytest.mark.parametrize(("prefix", "refused"), [("ZZ_", False), ("..", False), ("a/", True), ("%-", True)])
@pytest.mark.slow
def test_of_a_prefix_an_update_may_ask_no_more_than_that_it_fits_into_a_path(
    old: str, prefix: str, refused: bool
) -> None:
    new = old.replace("metadata: {", f"metadata: {{generateName: '{prefix}', ")

    assert rows(compare(old, new, "1.37")) == ([("DRA202", "Invalid", "metadata.generateName", 3)] if refused else [])


def test_zero_and_none_are_two_values_of_what_is_a_pointer() -> None:
    old = TEMPLATE
    new = old.replace("  metadata: {}", "  metadata: {deletionGracePeriodSeconds: 0}")

    assert rows(compare(old, new, "1.34")) == [
        ("DRA226", "Forbidden", "spec.metadata.deletionGracePeriodSeconds", 5),
        ("DRA601", "Invalid", "spec", 5),
    ]


def test_the_generation_is_put_back() -> None:
    assert rows(compare(CLAIM, CLAIM.replace("name: train", "name: train, generation: -1"), "1.37")) == []


def test_a_cluster_scoped_object_is_the_same_in_whatever_namespace_a_manifest_puts_it() -> None:
    request = "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\nmetadata: {name: a%s}\n"
    report = compare(f"{request % ''}spec: {{driver: gpu.example.com}}\n", request % ", namespace: team-a", "1.37")

    (found,) = (one for one in report.findings if one.effect == "rejected")
    assert (found.rule, found.path, found.reason, found.line) == ("DRA601", "spec", "Invalid", 1)
    assert found.message == "spec of a ResourcePoolStatusRequest cannot be changed: spec.driver is gone"


@pytest.mark.parametrize(
    ("release", "refused"),
    [("1.36", [("DRA252", "Forbidden", "spec.devices[0].capacity[memory].requestPolicy", 14)]), ("1.37", [])],
)
def test_a_capacity_that_stays_the_same_is_not_validated_again_since_1_37(
    release: str, refused: list[tuple[str, str, str, int]]
) -> None:
    shared = SLICE.replace(
        "    taints:\n    - {key: k, effect: NoSchedule}\n",
        "    allowMultipleAllocations: true\n    capacity:\n      memory:\n        value: 8Gi\n"
        "        requestPolicy: {default: 1Gi, validRange: {min: 1Gi}}\n",
    )
    report = compare(
        shared,
        shared.replace("    allowMultipleAllocations: true\n", "    allowMultipleAllocations: false\n"),
        release,
        gates={"DRAConsumableCapacity": True},
    )

    assert rows(report) == refused


def test_the_repairs_of_an_update_are_proven_together(monkeypatch: pytest.MonkeyPatch) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a: b}}\nspec:\n  resourceClaims:\n"
    claims = "".join(f"  - {{name: claim-{n}, resourceClaimName: claim-{n}}}\n" for n in range(40))
    uses = "".join(f"      - name: Claim-{n}\n" for n in range(40))
    pod += f"{claims}  containers:\n  - name: c\n    resources:\n      claims:\n{uses}"
    judged = []
    everything = Linter.everything

    def counted(linter: Linter, document: Document, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
        judged.append(item)
        return everything(linter, document, item)

    monkeypatch.setattr(Linter, "everything", counted)
    found = compare(pod.replace("a: b", "a: c"), pod).findings

    assert len([f for f in found if f.fix is not None]) == 40
    assert len(judged) < 10


def test_the_completions_of_an_indexed_job_change_only_with_its_parallelism() -> None:
    old = pod("Job").replace(
        "  template:", "  completions: 2\n  completionMode: Indexed\n  parallelism: 2\n  template:"
    )
    report = compare(old, old.replace("completions: 2", "completions: 4"), "1.36")

    assert rows(report) == [("DRA601", "Invalid", "spec.completions", 5)]
    assert report.findings[0].message == (
        "completions of a Job cannot be changed: spec.completions was 2 and is 4; it can only be modified in tandem"
        " with spec.parallelism"
    )


def test_the_image_of_a_job_cannot_be_changed() -> None:
    old = pod("Job").replace("name: main", "name: main\n        image: app:1")
    report = compare(old, old.replace("app:1", "app:2"), "1.36")

    assert rows(report) == [("DRA601", "Invalid", "spec.template", 10)]
    assert 'spec.template.spec.containers[0].image was "app:1" and is "app:2"' in report.findings[0].message
