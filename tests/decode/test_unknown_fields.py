"""The right place of a misplaced field, in words that can be followed literally."""

from __future__ import annotations

from typing import Any

import pytest

import dralint
from dralint.edit.apply import apply
from dralint.finding.problem import path_text
from dralint.kubernetes.release import Release
from dralint.lint.release_judge import Judge
from dralint.manifest.objects import ApiObject
from dralint.yaml import read

Told = tuple[str, str, str, str | None]


def told(data: dict[str, Any], release: str = "1.37") -> list[Told]:
    judge = Judge(Release.parse(release))
    item = ApiObject((), data["apiVersion"], data["kind"], {"metadata": {"name": "a"}, **data})
    return [(p.rule, path_text(p.path), p.message, p.hint) for p in judge.check(item)]


def claim(devices: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": devices}}


def requested(**fields: Any) -> dict[str, Any]:
    return claim({"requests": [{"name": "gpu", **fields}]})


def exactly(**fields: Any) -> dict[str, Any]:
    return requested(exactly={"deviceClassName": "x", **fields})


def object_of(kind: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "spec": spec}


def sliced(**spec: Any) -> dict[str, Any]:
    pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
    return object_of("ResourceSlice", driver="d.example.com", nodeName="n", pool=pool, **spec)


ALLOWED = (
    "allowed here: adminAccess, allocationMode, capacity, count, derivedAttributes, deviceClassName, selectors, "
    "tolerations"
)
CONFIG = "config: [{opaque: {driver: DRIVER, parameters: {sharing: ...}}}]"
CLASS_BELOW = (
    "write `deviceClassName`; put `exactly:` below `name`, and move `deviceClassName` one level deeper, under it"
)
BY_EXPRESSION = (
    "a class selects devices by expressions: write `selectors: [{cel: {expression: ...}}]`; allowed here: config, "
    "extendedResourceName, selectors"
)
ALTERNATIVES = [
    {"name": "gpu", "firstAvailable": [{"name": name, "deviceClassName": "g"} for name in ("big", "small")]}
]
TWO = [{"name": name, "exactly": {"deviceClassName": "x"}} for name in ("a", "b")]
OPAQUE = {"opaque": {"driver": "a.b", "parameters": {"a": 1}}}
PARAMETERS = {"driver": "a.b", "apiVersion": "a.b/v1", "kind": "GpuConfig", "sharing": {"strategy": "MPS"}}
SAME = {"matchAttribute": "a.b/c"}
COUNTERS = {"counters": {"memory": {"value": "1Gi"}}}
VALUES = {"memory": {"quantity": "80Gi"}, "cores": {"value": 6912}, "ecc": {"value": True}}
RANGE = {"b": {"value": "4G", "requestPolicy": {"default": "1G", "validRange": {"minimum": "1G", "maximum": "2G"}}}}


def by_selector(expression: str) -> str:
    return f"compare what devices have in `selectors`: `{expression}`; {ALLOWED}"


@pytest.mark.parametrize(
    ("data", "hints"),
    [
        # requests
        (requested(exactly={"deviceClassName": "g", "count": 1}, count=2), [
            "remove it, or the one under `exactly:`: a request has one `count`",  # and not: move it onto the other
        ]),
        (requested(count=2, firstAvailable=[{"name": "a", "deviceClassName": "g"}]), [
            "move `count` into the items of `firstAvailable:`, or use `exactly:` instead",
        ]),
        (requested(firstAvailable=["h100"]), [
            "write `{name: NAME, deviceClassName: h100}`, with a name of your choice",
        ]),
        (requested(oneOf=[{"name": "a", "deviceClassName": "g"}]), ['did you mean "firstAvailable"?']),
        (requested(subRequests=[{"name": "a", "deviceClassName": "g"}]), ['did you mean "firstAvailable"?']),
        (requested(**{"class": "x"}), [CLASS_BELOW]),
        (requested(deviceClass="x"), [CLASS_BELOW]),
        (requested(resourceClassName="x"), [CLASS_BELOW]),
        (requested(amount=2), [
            "write `count`; put `exactly:` below `name`, and move `count` one level deeper, under it",
        ]),
        (requested(deviceClassNamme="x", deviceClassName="y"), [
            "`deviceClassName` is there as well: keep one of the two",
            "put `exactly:` below `name`, and move `deviceClassName` one level deeper, under it",
        ]),
        (requested(deviceClassNamme="x", exactly={"deviceClassName": "y"}), [
            "`deviceClassName` is there as well: keep one of the two",
        ]),
        (claim({"requests": ["gpu.example.com"], "constraints": ["a.b/c"]}), [
            "write `{name: NAME, exactly: {deviceClassName: gpu.example.com}}`, with a name of your choice",
            "put it under `matchAttribute:`: `matchAttribute: a.b/c`",
        ]),
        (claim({"deviceClassName": "x", "count": 1, "name": "gpu"}), [
            "write it as an item of `requests:`: `- exactly: {deviceClassName: ..., count: ...}`",
            "move it into the same item of `requests:` as `deviceClassName`, under `exactly:`",
            "move it into the same item of `requests:` as `deviceClassName`",
        ]),
        (exactly(quantity=2), ['did you mean "count"?']),
        (exactly(sharing={"strategy": "TimeSlicing"}), [f"parameters for a driver go to `{CONFIG}`; {ALLOWED}"]),
        (exactly(resources={"limits": {"a.b/c": 1}}), [
            f"`count` is the number of devices, and the class selects their kind; {ALLOWED}",
        ]),
        (exactly(capacity={"request": {"memory": "10Gi"}}), ['did you mean "requests"?']),
        (exactly(capacity={"limits": {"memory": "1Gi"}}), ['did you mean "requests"?']),
        (exactly(profile="1g.5gb"), [by_selector('device.attributes["DRIVER"].profile == "1g.5gb"')]),
        (exactly(index=4), [by_selector('device.attributes["DRIVER"].index == 4')]),
        (exactly(ecc=True), [by_selector('device.attributes["DRIVER"].ecc == true')]),
        (exactly(memory="40Gi"), [
            by_selector('device.capacity["DRIVER"].memory.compareTo(quantity("40Gi")) >= 0'),
        ]),
        # what refers to requests
        (claim({"requests": ALTERNATIVES, "config": [{"requests": ["big"], **OPAQUE}]}), [
            'did you mean "gpu/big"?',
        ]),
        (claim({"requests": TWO, "constraints": [{"requests": [{"name": "a"}, {"name": "b"}], **SAME}]}), [
            "write the name alone: a",
            "write the name alone: b",
        ]),
        (claim({"requests": TWO, "config": [{"opaque": {"driver": "a.b", "interface": {"name": "eth1"}}}]}), [
            "move it one level deeper, under `parameters:`, if it is for the driver; allowed here: driver, parameters",
        ]),
        # slices
        (object_of("ResourceSlice", driverName="d.example.com", nodeName="n", poolName="p"), [
            'did you mean "driver"?',
            "write `pool: {name: p}`",
        ]),
        (sliced(sharedCounters=[{"name": "a", "coounters": {"value": "1Gi"}}]), [
            'did you mean "counters"?',
            "a capacity or counter has a name: write `NAME: {value: 1Gi}`",
        ]),
        (sliced(devices=[{"id": "gpu-0"}]), ['did you mean "name"?']),
        (sliced(devices=[{"name": "a", "consumesCounters": [{"name": "set", **COUNTERS}]}]), [
            'did you mean "counterSet"?',
        ]),
        (sliced(devices=[{"name": "a", "attributes": VALUES, "capacity": {"memory": {"quantity": "80Gi"}}}]), [
            "an amount is a capacity: write `memory: {value: 80Gi}` under `capacity:`",
            'did you mean "int"?',
            'did you mean "bool"?',
            'did you mean "value"?',
        ]),
        (sliced(devices=[{"name": "a", "allowMultipleAllocations": True, "capacity": RANGE}]), [
            'did you mean "min"?',
            'did you mean "max"?',
        ]),
        (sliced(devices=[{"name": "a", "taints": ["a.b/xid=79:NoSchedule"]}]), [
            'write `{key: a.b/xid, value: "79", effect: NoSchedule}`',
        ]),
        (sliced(devices=[{"name": "a", "taints": ["a.b/xid:NoExecute"]}]), [
            "write `{key: a.b/xid, effect: NoExecute}`",
        ]),
        (sliced(devices=[{"name": "a", "taints": ["xid"]}]), ["write `{key: KEY, value: VALUE, effect: EFFECT}`"]),
        # classes
        (object_of("DeviceClass", devices={"requests": []}), [BY_EXPRESSION]),
        (object_of("DeviceClass", deviceSelector={"driver": "a.b"}), [BY_EXPRESSION]),
    ],
)  # fmt: skip
def test_the_hint_says_what_to_write(data: dict[str, Any], hints: list[str]) -> None:
    assert [hint for _, _, _, hint in told(data)] == hints


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (claim(SAME), 'unknown field "matchAttribute"; it belongs in an item of `constraints:`',
         "write it as an item of `constraints:`: `- matchAttribute: ...`"),
        (claim(OPAQUE), 'unknown field "opaque"; it belongs in an item of `config:`',
         "write it as an item of `config:`: `- opaque: ...`"),
        (exactly(cel={"expression": "true"}), 'unknown field "cel"; it belongs in an item of `selectors:`',
         "write it as an item of `selectors:`: `- cel: ...`"),
        (claim({"constraints": [SAME], **SAME}),
         'unknown field "matchAttribute"; it belongs in an item of `constraints:`',
         "move it into an item of the `constraints:` that is there, or add one: `- matchAttribute: ...`"),
        (claim({"deviceClassName": "x"}),
         'unknown field "deviceClassName"; it belongs in an item of `requests:`, under `exactly:`',
         "write it as an item of `requests:`: `- exactly: {deviceClassName: ...}`"),
        (claim({"sharing": {"strategy": "MPS"}}), 'unknown field "sharing"',
         f"parameters for a driver go to `{CONFIG}`; allowed here: config, constraints, requests"),
        (exactly(capacity={"memory": "10Gi", "slots": 2}),
         'unknown fields "memory" and "slots": they belong under `requests:`',
         "move `memory` and `slots` one level deeper, under `requests:`"),
        (claim({"requests": TWO, "constraints": [{"matchAttribute": 'device.attributes["a.b"].uuid'}]}),
         '"device.attributes["a.b"].uuid" is an expression, not a name',
         'did you mean "a.b/uuid"?'),
        (sliced(devices=[{"name": "a", "string": "x"}]),
         'unknown field "string"; it belongs in an entry of `attributes:`',
         "write it as an entry of `attributes:`: `NAME: {string: ...}`"),
        (sliced(devices=[{"name": "a", "model": {"string": "x"}}]),
         'unknown field "model": it belongs under `attributes:`',
         "move `model` one level deeper, under `attributes:`"),
        (sliced(devices=[{"name": "a", "memory": {"value": "1Gi"}}]),
         'unknown field "memory": it belongs under `capacity:`',
         "move `memory` one level deeper, under `capacity:`"),
        (sliced(sharedCounters=[{"name": "a", "memory": {"value": "1Gi"}}]),
         'unknown field "memory": it belongs under `counters:`',
         "move `memory` one level deeper, under `counters:`"),
        (sliced(devices=[{"name": "a", "taints": ["xid"]}]), 'expected an object, got the string "xid"',
         "write `{key: KEY, value: VALUE, effect: EFFECT}`"),
        (object_of("DeviceClass", suitableNodes={"nodeSelectorTerms": []}),
         'unknown field "suitableNodes": only v1alpha3 has it',
         "remove it: ResourceSlices say on which nodes the devices are"),
        (object_of("DeviceClass", config=[{"parametersRef": {"kind": "A", "name": "b"}}]),
         'unknown field "parametersRef": up to 1.30 a claim and a class had it',
         "write the parameters themselves, not a reference: `opaque: {driver: DRIVER, parameters: {...}}`"),
        (object_of("DeviceClass", config=[{"opaque": PARAMETERS}]),
         'unknown fields "apiVersion", "kind" and "sharing": they belong under `parameters:`',
         "move `apiVersion`, `kind` and `sharing` one level deeper, under `parameters:`"),
    ],
)  # fmt: skip
def test_the_right_place_is_told(data: dict[str, Any], message: str, hint: str) -> None:
    assert told(data)[0][2:] == (message, hint)


@pytest.mark.parametrize("field", ["operator", "tolerationSeconds"])
def test_what_only_a_toleration_has_is_left_out_of_a_taint(field: str) -> None:
    device = {"name": "a", "taints": [{"key": "a.b/c", "effect": "NoExecute", field: 1}]}
    slice_ = {"driver": "d.e", "nodeName": "n", "pool": {"name": "p", "resourceSliceCount": 1}, "devices": [device]}
    found = told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": slice_}, "1.37")

    assert [(rule, path) for rule, path, _, hint in found if hint and hint.startswith("remove it: a toleration ")] == [
        ("DRA101", f"spec.devices[0].taints[0].{field}")
    ]


def test_each_flat_request_of_a_long_list_is_one_mistake() -> None:
    requests = [{"name": f"gpu-{number}", "deviceClassName": "g", "count": 2} for number in range(12)]
    found = told(claim({"requests": requests}))

    assert [path for _, path, _, _ in found] == [
        f"spec.devices.requests[{number}].deviceClassName" for number in range(12)
    ]


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: a
spec:
  CLAIMS
  containers:
  - name: c
    image: i
    resources: {claims: [{name: gpu}]}
"""
BESIDE = "`- name: gpu`, with the fields under it next to that"


@pytest.mark.parametrize(
    ("claims", "message", "hint", "safe", "mended"),
    [
        (
            "resourceClaims:\n  gpu:\n    resourceClaimTemplateName: one",
            'unknown field "gpu"; it belongs in `resourceClaims:`',
            f"write it as an item there: {BESIDE}",
            True,
            "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]",
        ),
        (
            "gpu:\n    resourceClaimName: one",
            'unknown field "gpu"; it belongs in `resourceClaims:`',
            f"write it as an item there: {BESIDE}",
            False,
            "resourceClaims: [{name: gpu, resourceClaimName: one}]",
        ),
        (
            "resourceClaims:\n  gpu: {resourceClaimName: one}\n  nic: {resourceClaimName: two}",
            'unknown fields "gpu" and "nic"; they belong in `resourceClaims:`',
            f"write each as an item there, the first {BESIDE}",
            True,
            "resourceClaims: [{name: gpu, resourceClaimName: one}, {name: nic, resourceClaimName: two}]",
        ),
    ],
)
def test_a_claim_beside_the_list_of_a_pod_is_written_in_it(
    claims: str, message: str, hint: str, safe: bool, mended: str
) -> None:
    text = POD.replace("CLAIMS", claims)
    [finding] = dralint.lint_text(text).findings

    assert (finding.rule, finding.path, finding.message, finding.hint) == ("DRA108", "spec.gpu", message, hint)
    assert finding.fix is not None
    assert finding.fix.safe is safe
    after, meant = (
        [document.data for document in read(one.encode())]
        for one in (apply(text, finding.fix.edits), POD.replace("CLAIMS", mended))
    )
    assert after == meant


@pytest.mark.parametrize(
    "claims", ["resourceClaim: {resourceClaimName: one}", "gpu: {limits: 1}", "nodeSelector: {resourceClaimName: one}"]
)
def test_what_is_no_claim_by_name_is_told_as_before(claims: str) -> None:
    found = dralint.lint_text(POD.replace("CLAIMS", claims)).findings

    assert all("belongs in `resourceClaims:`" not in finding.message for finding in found)
    assert found[0].rule == ("DRA101" if claims.startswith("resourceClaim") else "DRA280")


def test_a_claim_outside_of_the_pod_spec_is_no_repair() -> None:
    text = """apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    gpu:
      resourceClaimTemplateName: one
    spec:
      resourceClaims:
      containers: [{name: c, image: i}]
"""
    found = dralint.lint_text(text).findings

    assert [(f.rule, f.path, f.hint) for f in found] == [
        ("DRA101", "spec.template.gpu", "a Pod declares its claims under `spec.template.spec.resourceClaims:`")
    ]


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("spec: {resourceClaimName: one, ", "spec.resourceClaimName"),
        ("metadata: {name: a, resourceClaimName: one}\nspec: {", "metadata.resourceClaimName"),
        ("status: {resourceClaimName: one}\nspec: {", None),
        ("spec: {selector: {resourceClaimName: one}, ", None),
    ],
)
def test_what_holds_the_name_of_a_claim_is_not_blamed_for_it(where: str, path: str | None) -> None:
    spec = "resourceClaims: [{name: gpu, resourceClaimName: one}], containers: [{name: c, image: i}]"
    text = f"apiVersion: v1\nkind: ReplicationController\n{where}template: {{spec: {{{spec}}}}}}}\n"

    assert [f.path for f in dralint.lint_text(text).findings if f.rule == "DRA101"] == ([path] if path else [])


def test_what_an_unknown_field_leaves_missing_is_not_told_again() -> None:
    taints = {"taints": {"key": "a.b/c", "effect": "NoExecute"}}
    found = told({"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "spec": taints}, "1.37")

    assert [(rule, path) for rule, path, _, _ in found if rule not in ("DRA505", "DRA510")] == [
        ("DRA101", "spec.taints")
    ]


@pytest.mark.parametrize("key", ["deviceClas", "deviceClss", "clas", "devicClass"])
def test_a_misspelt_word_for_the_class_means_the_class(key: str) -> None:
    found = told(claim({"requests": [{"name": "gpu", key: "g"}]}))

    where = "in v1 it belongs under `exactly:` (only v1alpha3 and v1beta1 have it here)"
    assert (found[0][0], found[0][2]) == ("DRA107", f'unknown field "{key}", probably "deviceClassName": {where}')
