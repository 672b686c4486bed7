"""Verdicts that once differed from those of the API server's own code on random manifests."""

from __future__ import annotations

import pytest

from dralint.kubernetes.types import Shape, Struct
from dralint.update.equality import Types, difference
from tests.validate.claim_text import claim, findings, said

BOTH = """
requests:
- name: gpu
  exactly:
    deviceClassName: gpu.example.com
    tolerations: [{key: a b}]
  firstAvailable:
  - name: fast
    deviceClassName: gpu.example.com
    tolerations: [{operator: In, effect: Never}]
    derivedAttributes: [{name: model}]
"""

PLAIN = "requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]"
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  nodeName: a
  devices:
"""


@pytest.mark.parametrize(
    "version",
    [
        "1.0.20240101120000123456789",
        "18446744073709551616.0.0",
        "1.18446744073709551616.0",
        "1.0.0-rc.18446744073709551616",
    ],
)
def test_the_numbers_of_a_version_have_no_limit(version: str) -> None:
    text = SLICE + f"  - name: a\n    attributes:\n      v: {{version: '{version}'}}\n"

    assert said(text, "1.34") == []
    assert said(text, "1.37") == []


def test_an_empty_list_makes_an_exact_request_of_a_flat_one_and_so_changes_the_spec() -> None:
    text, names = Shape("string"), Shape("list", of=Shape("string"))
    fields = {"name": text, "deviceClassName": text, "selectors": names, "firstAvailable": names}
    types = Types({"DeviceRequest": Struct("DeviceRequest", fields)}, {})
    request = Shape("struct", "DeviceRequest")

    assert difference({"name": "a"}, {"name": "a", "selectors": []}, request, types) == ("selectors",)
    assert difference({"name": "a", "selectors": None}, {"name": "a", "deviceClassName": ""}, request, types) is None


def test_an_unknown_field_that_repeats_along_a_long_list_is_counted_after_2000_characters() -> None:
    devices = "".join(f"  - {{name: a{n}, unknown: 1}}\n" for n in range(128))

    found = said(SLICE + devices)

    assert found[0][:3] == ("DRA101", "spec.devices[0].unknown", 9)
    assert found[-2][:3] == ("DRA101", "spec.devices[46].unknown", 55)
    assert found[-1] == (
        "DRA109",
        "spec.devices[46].unknown",
        55,
        "dralint does not list every problem of this kind here, because they repeat along the list",
    )


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("model", {"1.32": "Invalid", "1.34": "Invalid", "1.37": "Invalid"}),
        ("a.com/", {"1.32": "Required", "1.34": "Required", "1.36": "Invalid", "1.37": "Invalid"}),
        ("/b", {"1.34": "Required", "1.35": "Invalid"}),
        ("/", {"1.34": "Required", "1.35": "Invalid"}),
        ("a.com/b-c", {"1.32": "TypeInvalid", "1.33": "TypeInvalid", "1.34": "Invalid", "1.37": "Invalid"}),
    ],
)
@pytest.mark.slow
def test_reasons_of_a_fully_qualified_name(name: str, reasons: dict[str, str]) -> None:
    path = "spec.devices.constraints[0].matchAttribute"
    for release, reason in reasons.items():
        request = "requests: [{name: gpu, deviceClassName: gpu.example.com}]"
        text = claim(f"{request}\nconstraints: [{{matchAttribute: {name}}}]", version="v1beta1")
        assert [(f.rule, f.path, f.reason, f.line) for f in findings(text, release)] == [("DRA206", path, reason, 8)]


@pytest.mark.parametrize(
    ("key", "reasons"),
    [
        ("''", {"1.33": "Required", "1.34": "Required", "1.35": "Invalid"}),
        ("a.com/", {"1.34": "Required", "1.35": "Invalid"}),
        ("/a", {"1.34": "Required", "1.35": "Invalid"}),
        ("a-b", {"1.33": "TypeInvalid", "1.34": "Invalid"}),
    ],
)
def test_reasons_of_the_name_of_an_attribute(key: str, reasons: dict[str, str]) -> None:
    text = SLICE.replace("/v1\n", "/v1beta1\n") + f"  - name: a\n    basic:\n      attributes: {{{key}: {{int: 1}}}}\n"
    for release, reason in reasons.items():
        assert [(f.rule, f.reason, f.line) for f in findings(text, release)] == [("DRA206", reason, 11)]


def test_advice_is_not_what_a_removed_field_brings_about() -> None:
    """Without its gate `ints` goes, and `int` stays: the loss is told beside advice on the name."""
    text = SLICE + "  - {name: b, attributes: {gpu.example.com/index: {int: 0, ints: [1]}}}\n"
    found = findings(text, "1.37")

    assert [(f.rule, f.effect, f.path) for f in found] == [
        ("DRA713", "advice", "spec.devices[0].attributes[gpu.example.com/index]"),
        ("DRA502", "dropped", "spec.devices[0].attributes[gpu.example.com/index].ints"),
    ]
    assert found[0].message.startswith('"gpu.example.com/index" begins with the driver\'s own domain')


def test_the_empty_pool_of_a_status_request_is_an_empty_part() -> None:
    head = "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\nmetadata: {name: a}\n"
    text = head + "spec: {driver: a.com, poolName: ''}\n"

    assert [(f.rule, f.reason, f.path) for f in findings(text, "1.37")] == [("DRA205", "Invalid", "spec.poolName")]


def test_the_reason_of_an_empty_pool_of_a_taint_rule() -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: a}\nspec:\n"
    text += "  deviceSelector: {pool: ''}\n  taint: {key: a, effect: NoSchedule}\n"

    (finding,) = findings(text)
    assert (finding.rule, finding.reason, finding.line) == ("DRA205", "Required", 5)
    assert finding.path == "spec.deviceSelector.pool"


@pytest.mark.parametrize("version", ["a/", "v1/", "/", "a/b/c"])
@pytest.mark.parametrize(("release", "index"), [("1.34", ""), ("1.37", "[0]")])
@pytest.mark.slow
def test_the_api_version_of_an_owner_has_a_version(version: str, release: str, index: str) -> None:
    text = claim(PLAIN)
    owner = f"ownerReferences: [{{apiVersion: {version}, kind: Node, name: a, uid: b}}]"
    (finding,) = findings(text.replace("namespace: a", f"namespace: a, {owner}"), release)

    assert (finding.rule, finding.reason, finding.line) == ("DRA225", "Invalid", 3)
    assert finding.path == f"metadata.ownerReferences{index}.apiVersion"
    assert finding.message == f'"{version}" is not an apiVersion: GROUP/VERSION or VERSION'


@pytest.mark.parametrize("version", ["v1", "/v1"])
def test_an_event_owns_nothing(version: str) -> None:
    text = claim(PLAIN)
    owner = f"ownerReferences: [{{apiVersion: {version}, kind: Event, name: a, uid: b}}]"

    assert said(text.replace("namespace: a", f"namespace: a, {owner}")) == [
        ("DRA225", "metadata.ownerReferences[0]", 3, "an Event cannot own objects")
    ]


def test_a_grace_period_of_zero_is_set() -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec:\n  metadata:\n"
    text += "    generation: 0\n    deletionGracePeriodSeconds: 0\n"
    text += "  spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x}}]}}\n"

    assert [(f.rule, f.path, f.reason, f.line) for f in findings(text)] == [
        ("DRA226", "spec.metadata.deletionGracePeriodSeconds", "Forbidden", 7)
    ]


@pytest.mark.parametrize("labels", ["{1: v, '1': w}", "{1: v, 1.0: w}", "{true: v, 'true': w}"])
def test_keys_that_only_json_makes_equal_are_no_duplicates(labels: str) -> None:
    text = claim(PLAIN)

    assert said(text.replace("namespace: a", f"namespace: a, labels: {labels}")) == []


@pytest.mark.parametrize("labels", ["{1: v, 01: w}", "{true: v, yes: w}", "{1.0: v, 1.00: w}", "{'1': v, \"1\": w}"])
def test_keys_of_the_same_value_are_duplicates(labels: str) -> None:
    text = claim(PLAIN)
    (finding,) = findings(text.replace("namespace: a", f"namespace: a, labels: {labels}"))

    assert (finding.rule, finding.reason, finding.line) == ("DRA004", "DuplicateKey", 3)


@pytest.mark.parametrize("key", ["$patch", "$retainKeys", "$setElementOrder/x"])
def test_the_directives_of_a_patch_are_data_in_what_is_free_form(key: str) -> None:
    text = claim(
        "requests: [{name: gpu, exactly: {deviceClassName: a, count: -1}}]\n"
        f"config: [{{opaque: {{driver: d.example.com, parameters: {{{key}: replace}}}}}}]"
    )

    assert said(text) == [
        ("DRA240", "spec.devices.requests[0].exactly.count", 7, "`count` is -1; it must be at least 1")
    ]
    assert [row[:3] for row in said(text.replace("namespace: a", f"namespace: a, labels: {{{key}: x}}"))] == [
        ("DRA207", "metadata.labels", 3),
        ("DRA240", "spec.devices.requests[0].exactly.count", 7),
    ]
    assert said(text.replace("spec:\n", f"spec:\n  {key}: replace\n")) == []


@pytest.mark.parametrize("number", ["1.0", "1e1"])
def test_an_integer_in_json_may_be_written_as_kubectl_reads_it(number: str) -> None:
    text = (
        '{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"}, "spec": {"devices": '
        '{"requests": [{"name": "a", "exactly": {"deviceClassName": "b", "count": %s}}]}}}'
    )

    assert said(text % number) == []
    assert [row[:2] for row in said(text % "1.5")] == [("DRA102", "spec.devices.requests[0].exactly.count")]


def test_a_list_without_items_sends_nothing() -> None:
    assert said("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems: null\n") == []


def test_resources_of_the_whole_pod_name_claims_it_has_not() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, image: x}]\n"
    text += "  resources: {claims: [{name: a}]}\n"

    assert [(f.rule, f.path, f.reason, f.line) for f in findings(text)] == [
        ("DRA281", "spec.resources.claims", "Forbidden", 6),
        ("DRA280", "spec.resources.claims[0]", "NotFound", 6),
    ]


def test_resources_of_the_whole_pod_are_decoded_where_it_has_claims() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, image: x}]\n"
    text += "  resourceClaims: [{name: a, resourceClaimName: a}]\n  resources: {foo: 1}\n"

    assert [(f.rule, f.path, f.reason, f.line) for f in findings(text)] == [
        ("DRA101", "spec.resources.foo", "Unknown", 7)
    ]
