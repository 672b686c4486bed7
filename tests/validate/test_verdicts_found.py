"""Verdicts that once differed from those of the API server's own code on random manifests."""

from __future__ import annotations

import pytest

from dralint.kubernetes.types import Shape, Struct
from dralint.update.rules import Types, difference
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


STATUS_REQUEST = "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourcePoolStatusRequest\nmetadata: {name: a}\n"
TAINT_RULE = """\
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: a}
spec:
  deviceSelector: {pool: ''}
  taint: {key: a, effect: NoSchedule}
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t}
spec:
  metadata:
    generation: 0
    deletionGracePeriodSeconds: 0
  spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x}}]}}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [{name: c, image: x}]\n"
CLAIMS = "  resourceClaims: [{name: a, resourceClaimName: a}]\n"


def matching(name: str) -> str:
    request = "requests: [{name: gpu, deviceClassName: gpu.example.com}]"
    return claim(f"{request}\nconstraints: [{{matchAttribute: {name}}}]", version="v1beta1")


def keyed(key: str) -> str:
    """Return a slice with an attribute in line 11."""
    return SLICE.replace("/v1\n", "/v1beta1\n") + f"  - name: a\n    basic:\n      attributes: {{{key}: {{int: 1}}}}\n"


def versioned(version: str) -> str:
    return SLICE + f"  - name: a\n    attributes:\n      v: {{version: '{version}'}}\n"


def labelled(labels: str) -> str:
    return claim(PLAIN).replace("namespace: a", f"namespace: a, labels: {labels}")


def owned(version: str, kind: str = "Node") -> str:
    owner = f"{{apiVersion: {version}, kind: {kind}, name: a, uid: b}}"
    return claim(PLAIN).replace("namespace: a", f"namespace: a, ownerReferences: [{owner}]")


OWNER = "metadata.ownerReferences"


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        # the numbers of a version have no limit
        (versioned("1.0.20240101120000123456789"), "1.34", []),
        (versioned("18446744073709551616.0.0"), "1.34", []),
        (versioned("1.18446744073709551616.0"), "1.34", []),
        (versioned("1.0.0-rc.18446744073709551616"), "1.34", []),
        (versioned("1.18446744073709551616.0"), "1.37", []),
        # names of attributes, with a domain and without one
        (matching("model"), "1.32", [("DRA206", "Invalid", 8)]),
        (matching("model"), "1.34", [("DRA206", "Invalid", 8)]),
        (matching("model"), "1.37", [("DRA206", "Invalid", 8)]),
        (matching("a.com/"), "1.32", [("DRA206", "Required", 8)]),
        (matching("a.com/"), "1.34", [("DRA206", "Required", 8)]),
        (matching("a.com/"), "1.36", [("DRA206", "Invalid", 8)]),
        (matching("a.com/"), "1.37", [("DRA206", "Invalid", 8)]),
        (matching("/b"), "1.34", [("DRA206", "Required", 8)]),
        (matching("/b"), "1.35", [("DRA206", "Invalid", 8)]),
        (matching("/"), "1.34", [("DRA206", "Required", 8)]),
        (matching("/"), "1.35", [("DRA206", "Invalid", 8)]),
        (matching("a.com/b-c"), "1.32", [("DRA206", "TypeInvalid", 8)]),
        (matching("a.com/b-c"), "1.33", [("DRA206", "TypeInvalid", 8)]),
        (matching("a.com/b-c"), "1.34", [("DRA206", "Invalid", 8)]),
        (matching("a.com/b-c"), "1.37", [("DRA206", "Invalid", 8)]),
        (keyed("''"), "1.33", [("DRA206", "Required", 11)]),
        (keyed("''"), "1.34", [("DRA206", "Required", 11)]),
        (keyed("''"), "1.35", [("DRA206", "Invalid", 11)]),
        (keyed("a.com/"), "1.34", [("DRA206", "Required", 11)]),
        (keyed("a.com/"), "1.35", [("DRA206", "Invalid", 11)]),
        (keyed("/a"), "1.34", [("DRA206", "Required", 11)]),
        (keyed("/a"), "1.35", [("DRA206", "Invalid", 11)]),
        (keyed("a-b"), "1.33", [("DRA206", "TypeInvalid", 11)]),
        (keyed("a-b"), "1.34", [("DRA206", "Invalid", 11)]),
        # what is empty or zero
        (STATUS_REQUEST + "spec: {driver: a.com, poolName: ''}\n", "1.37", [("DRA205", "Invalid", 4)]),
        (TAINT_RULE, "1.37", [("DRA205", "Required", 5)]),
        (TEMPLATE, "1.37", [("DRA226", "Forbidden", 7)]),
        ("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems: null\n", "1.37", []),
        # keys of the same value are duplicates; those that only JSON makes equal are none
        (labelled("{1: v, '1': w}"), "1.37", []),
        (labelled("{1: v, 1.0: w}"), "1.37", []),
        (labelled("{true: v, 'true': w}"), "1.37", []),
        (labelled("{1: v, 01: w}"), "1.37", [("DRA004", "DuplicateKey", 3)]),
        (labelled("{true: v, yes: w}"), "1.37", [("DRA004", "DuplicateKey", 3)]),
        (labelled("{1.0: v, 1.00: w}"), "1.37", [("DRA004", "DuplicateKey", 3)]),
        (labelled("{'1': v, \"1\": w}"), "1.37", [("DRA004", "DuplicateKey", 3)]),
        # owners
        (owned("v1", "Event"), "1.37", [("DRA225", "Invalid", 3)]),
        (owned("/v1", "Event"), "1.37", [("DRA225", "Invalid", 3)]),
        (owned("v1/"), "1.34", [("DRA225", "Invalid", 3)]),
        (owned("a/"), "1.37", [("DRA225", "Invalid", 3)]),
        (owned("/"), "1.37", [("DRA225", "Invalid", 3)]),
        (owned("a/b/c"), "1.37", [("DRA225", "Invalid", 3)]),
        # resources of the whole Pod
        (POD + "  resources: {claims: [{name: a}]}\n", "1.37", [
            ("DRA281", "Forbidden", 6),
            ("DRA280", "NotFound", 6),
        ]),
        (POD + CLAIMS + "  resources: {foo: 1}\n", "1.37", [("DRA101", "Unknown", 7)]),
    ],
)  # fmt: skip
def test_reasons(text: str, release: str, expected: list[tuple[str, str, int]]) -> None:
    assert [(f.rule, f.reason, f.line) for f in findings(text, release)] == expected


@pytest.mark.parametrize(("release", "index"), [("1.34", ""), ("1.37", "[0]")])
def test_the_api_version_of_an_owner_has_a_version(release: str, index: str) -> None:
    assert said(owned("a/"), release) == [
        ("DRA225", f"{OWNER}{index}.apiVersion", 3, '"a/" is not an apiVersion: GROUP/VERSION or VERSION')
    ]


def test_an_event_owns_nothing() -> None:
    assert said(owned("v1", "Event")) == [("DRA225", f"{OWNER}[0]", 3, "an Event cannot own objects")]


@pytest.mark.slow
def test_in_1_35_the_gate_lets_declarative_validation_see_a_request_with_both_forms() -> None:
    text = claim(BOTH.replace("    derivedAttributes: [{name: model}]\n", "").replace(", effect: Never", ""))
    where = "spec.devices.requests[0]"
    missing = (
        "`effect` cannot be left out in 1.35 with feature gate DeclarativeValidationTakeover; "
        'allowed: "NoSchedule", "NoExecute", "None"'
    )

    assert said(text, "1.35", "DRADeviceTaints=true") == [
        ("DRA215", where, 12, "a request has either `exactly` or `firstAvailable`, not both")
    ]
    assert said(text, "1.35", "DeclarativeValidationTakeover=true,DRADeviceTaints=true") == [
        ("DRA213", f"{where}.exactly.tolerations[0].effect", 11, missing),
        (
            "DRA207",
            f"{where}.exactly.tolerations[0].key",
            11,
            '"a b" is not a key: letters, digits, `-`, `_` and `.`, a letter or digit at both ends',
        ),
        ("DRA215", where, 12, "a request has either `exactly` or `firstAvailable`, not both"),
        ("DRA213", f"{where}.firstAvailable[0].tolerations[0].effect", 15, missing),
        (
            "DRA213",
            f"{where}.firstAvailable[0].tolerations[0].operator",
            15,
            '"In" is not supported; allowed: "Equal", "Exists"',
        ),
    ]


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


def test_advice_is_not_what_a_removed_field_brings_about() -> None:
    """Without its gate `ints` goes, and `int` stays: the loss is told beside advice on the name."""
    text = SLICE + "  - {name: b, attributes: {gpu.example.com/index: {int: 0, ints: [1]}}}\n"
    found = findings(text, "1.37")

    assert [(f.rule, f.effect, f.path) for f in found] == [
        ("DRA713", "advice", "spec.devices[0].attributes[gpu.example.com/index]"),
        ("DRA502", "dropped", "spec.devices[0].attributes[gpu.example.com/index].ints"),
    ]
    assert found[0].message.startswith('"gpu.example.com/index" begins with the driver\'s own domain')


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
