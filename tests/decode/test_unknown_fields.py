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


def told(
    data: dict[str, Any], release: str = "1.34", gates: dict[str, bool] | None = None
) -> list[tuple[str, str, str, str | None]]:
    judge = Judge(Release.parse(release), gates)
    item = ApiObject((), data["apiVersion"], data["kind"], {"metadata": {"name": "a"}, **data})
    return [(p.rule, path_text(p.path), p.message, p.hint) for p in judge.check(item)]


def claim(devices: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": {"devices": devices}}


@pytest.mark.parametrize("field", ["operator", "tolerationSeconds"])
def test_what_only_a_toleration_has_is_left_out_of_a_taint(field: str) -> None:
    device = {"name": "a", "taints": [{"key": "a.b/c", "effect": "NoExecute", field: 1}]}
    slice_ = {"driver": "d.e", "nodeName": "n", "pool": {"name": "p", "resourceSliceCount": 1}, "devices": [device]}
    found = told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": slice_}, "1.37")

    assert [(rule, path) for rule, path, _, hint in found if hint and hint.startswith("remove it: a toleration ")] == [
        ("DRA101", f"spec.devices[0].taints[0].{field}")
    ]


def test_a_field_beside_exactly_that_is_there_as_well_is_not_moved_onto_it() -> None:
    found = told(claim({"requests": [{"name": "gpu", "exactly": {"deviceClassName": "g", "count": 1}, "count": 2}]}))

    assert found[0][3] == "remove it, or the one under `exactly:`: a request has one `count`"


def test_each_flat_request_of_a_long_list_is_one_mistake() -> None:
    requests = [{"name": f"gpu-{number}", "deviceClassName": "g", "count": 2} for number in range(12)]
    found = told(claim({"requests": requests}))

    assert [path for _, path, _, _ in found] == [
        f"spec.devices.requests[{number}].deviceClassName" for number in range(12)
    ]


def test_a_flat_field_beside_alternatives_goes_into_them() -> None:
    alternatives = [{"name": "a", "deviceClassName": "g"}]
    found = told(claim({"requests": [{"name": "gpu", "count": 2, "firstAvailable": alternatives}]}))

    assert found[0][3] == "move `count` into the items of `firstAvailable:`, or use `exactly:` instead"


@pytest.mark.parametrize(
    ("devices", "message", "hint"),
    [
        (
            {"matchAttribute": "a.b/c"},
            'unknown field "matchAttribute"; it belongs in an item of `constraints:`',
            "write it as an item of `constraints:`: `- matchAttribute: ...`",
        ),
        (
            {"opaque": {"driver": "a.b", "parameters": {}}},
            'unknown field "opaque"; it belongs in an item of `config:`',
            "write it as an item of `config:`: `- opaque: ...`",
        ),
        (
            {"requests": [{"name": "a", "exactly": {"deviceClassName": "x", "cel": {"expression": "true"}}}]},
            'unknown field "cel"; it belongs in an item of `selectors:`',
            "write it as an item of `selectors:`: `- cel: ...`",
        ),
        (
            {"constraints": [{"matchAttribute": "a.b/c"}], "matchAttribute": "a.b/d"},
            'unknown field "matchAttribute"; it belongs in an item of `constraints:`',
            "move it into an item of the `constraints:` that is there, or add one: `- matchAttribute: ...`",
        ),
        (
            {"deviceClassName": "x"},
            'unknown field "deviceClassName"; it belongs in an item of `requests:`, under `exactly:`',
            "write it as an item of `requests:`: `- exactly: {deviceClassName: ...}`",
        ),
    ],
)
def test_a_field_of_the_items_of_a_list_is_shown_with_its_dash(
    devices: dict[str, Any], message: str, hint: str
) -> None:
    assert told(claim(devices))[0][2:] == (message, hint)


def test_fields_that_go_into_one_item_are_told_so() -> None:
    found = told(claim({"deviceClassName": "x", "count": 1, "name": "gpu"}))

    assert [hint for _, _, _, hint in found] == [
        "write it as an item of `requests:`: `- exactly: {deviceClassName: ..., count: ...}`",
        "move it into the same item of `requests:` as `deviceClassName`, under `exactly:`",
        "move it into the same item of `requests:` as `deviceClassName`",
    ]


def test_a_field_of_the_values_of_a_map_is_shown_below_a_name() -> None:
    device = {"name": "a", "string": "x"}
    pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "d", "nodeName": "n", "pool": pool, "devices": [device]}
    found = told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": spec})

    assert found[0][2:] == (
        'unknown field "string"; it belongs in an entry of `attributes:`',
        "write it as an entry of `attributes:`: `NAME: {string: ...}`",
    )


def claimed(**exactly: Any) -> list[tuple[str, str, str, str | None]]:
    return told(claim({"requests": [{"name": "a", "exactly": {"deviceClassName": "x", **exactly}}]}), "1.37")


ALLOWED = (
    "allowed here: adminAccess, allocationMode, capacity, count, derivedAttributes, deviceClassName, selectors, "
    "tolerations"
)


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("profile", "1g.5gb", 'device.attributes["DRIVER"].profile == "1g.5gb"'),
        ("index", 4, 'device.attributes["DRIVER"].index == 4'),
        ("ecc", True, 'device.attributes["DRIVER"].ecc == true'),
        ("memory", "40Gi", 'device.capacity["DRIVER"].memory.compareTo(quantity("40Gi")) >= 0'),
    ],
)
def test_what_devices_have_is_asked_for_by_a_selector(key: str, value: object, hint: str) -> None:
    assert claimed(**{key: value}) == [
        (
            "DRA101",
            f"spec.devices.requests[0].exactly.{key}",
            f'unknown field "{key}"',
            f"compare what devices have in `selectors`: `{hint}`; {ALLOWED}",
        )
    ]


def test_parameters_of_a_driver_are_shown_in_their_place() -> None:
    config = "config: [{opaque: {driver: DRIVER, parameters: {sharing: ...}}}]"

    assert claimed(sharing={"strategy": "TimeSlicing"})[0][3] == f"parameters for a driver go to `{config}`; {ALLOWED}"
    assert told(claim({"sharing": {"strategy": "MPS"}}))[0][2:] == (
        'unknown field "sharing"',
        f"parameters for a driver go to `{config}`; allowed here: config, constraints, requests",
    )
    assert claimed(resources={"limits": {"a.b/c": 1}})[0][3] == (
        f"`count` is the number of devices, and the class selects their kind; {ALLOWED}"
    )


def test_amounts_stand_under_the_requests_of_a_capacity() -> None:
    assert claimed(capacity={"memory": "10Gi", "slots": 2}) == [
        (
            "DRA108",
            "spec.devices.requests[0].exactly.capacity.memory",
            'unknown fields "memory" and "slots": they belong under `requests:`',
            "move `memory` and `slots` one level deeper, under `requests:`",
        )
    ]
    assert claimed(capacity={"request": {"memory": "10Gi"}})[0][3] == 'did you mean "requests"?'


def sliced(**spec: Any) -> list[tuple[str, str, str, str | None]]:
    pool = {"name": "n", "generation": 1, "resourceSliceCount": 1}
    whole = {"driver": "d.example.com", "nodeName": "n", "pool": pool, **spec}
    return told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": whole}, "1.37")


def test_entries_of_maps_are_moved_into_them() -> None:
    device = {"name": "a", "model": {"string": "x"}, "memory": {"value": "1Gi"}}
    assert [row[1:] for row in sliced(devices=[device])] == [
        (
            "spec.devices[0].model",
            'unknown field "model": it belongs under `attributes:`',
            "move `model` one level deeper, under `attributes:`",
        ),
        (
            "spec.devices[0].memory",
            'unknown field "memory": it belongs under `capacity:`',
            "move `memory` one level deeper, under `capacity:`",
        ),
    ]
    assert [row[1:] for row in sliced(sharedCounters=[{"name": "a", "memory": {"value": "1Gi"}}])] == [
        (
            "spec.sharedCounters[0].memory",
            'unknown field "memory": it belongs under `counters:`',
            "move `memory` one level deeper, under `counters:`",
        )
    ]


def test_a_misspelt_map_of_counters_is_no_counter() -> None:
    counters = [{"name": "a", "coounters": {"value": "1Gi"}}]

    assert ("spec.sharedCounters[0].coounters", 'did you mean "counters"?') in [
        (path, hint) for _, path, _, hint in sliced(sharedCounters=counters)
    ]


def test_what_is_consumed_names_its_counter_set() -> None:
    device = {"name": "a", "consumesCounters": [{"name": "set", "counters": {"memory": {"value": "1Gi"}}}]}
    found = sliced(devices=[device])

    assert ("spec.devices[0].consumesCounters[0].name", 'did you mean "counterSet"?') in [
        (path, hint) for _, path, _, hint in found
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


def test_names_behind_a_field_are_the_field_or_its_name() -> None:
    spec = {"driverName": "d.example.com", "nodeName": "n", "poolName": "p", "devices": []}
    found = told({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "spec": spec})

    assert [(path, hint) for _, path, _, hint in found] == [
        ("spec.driverName", 'did you mean "driver"?'),
        ("spec.poolName", "write `pool: {name: p}`"),
    ]


def test_values_of_devices_are_told_by_their_type() -> None:
    attributes = {"memory": {"quantity": "80Gi"}, "cores": {"value": 6912}, "ecc": {"value": True}}
    device = {"name": "a", "attributes": attributes, "capacity": {"memory": {"quantity": "80Gi"}}}

    assert [hint for rule, _, _, hint in sliced(devices=[device]) if rule == "DRA101"] == [
        "an amount is a capacity: write `memory: {value: 80Gi}` under `capacity:`",
        'did you mean "int"?',
        'did you mean "bool"?',
        'did you mean "value"?',
    ]


def test_a_field_may_be_short_for_a_word() -> None:
    policy = {"default": "1G", "validRange": {"minimum": "1G", "maximum": "2G"}}
    device = {
        "name": "a",
        "allowMultipleAllocations": True,
        "capacity": {"b": {"value": "4G", "requestPolicy": policy}},
    }

    assert [hint for rule, _, _, hint in sliced(devices=[device]) if rule == "DRA101"] == [
        'did you mean "min"?',
        'did you mean "max"?',
    ]


@pytest.mark.parametrize(
    ("taint", "hint"),
    [
        ("a.b/xid=79:NoSchedule", 'write `{key: a.b/xid, value: "79", effect: NoSchedule}`'),
        ("a.b/xid:NoExecute", "write `{key: a.b/xid, effect: NoExecute}`"),
        ("xid", "write `{key: KEY, value: VALUE, effect: EFFECT}`"),
    ],
)
def test_a_taint_as_kubectl_writes_it_is_shown_as_an_object(taint: str, hint: str) -> None:
    found = sliced(devices=[{"name": "a", "taints": [taint]}])

    assert found[0][2:] == (f'expected an object, got the string "{taint}"', hint)


def test_plain_values_of_requests_and_constraints_are_shown_as_objects() -> None:
    found = told(claim({"requests": ["gpu.example.com"], "constraints": ["a.b/c"]}))

    assert [hint for _, _, _, hint in found] == [
        "write `{name: NAME, exactly: {deviceClassName: gpu.example.com}}`, with a name of your choice",
        "put it under `matchAttribute:`: `matchAttribute: a.b/c`",
    ]


def test_an_expression_is_no_name_of_an_attribute() -> None:
    requests = [{"name": "a", "exactly": {"deviceClassName": "x", "count": 2}}]
    constraints = [{"matchAttribute": 'device.attributes["gpu.example.com"].parentUUID'}]
    found = told(claim({"requests": requests, "constraints": constraints}))

    assert found[0][2:] == (
        '"device.attributes["gpu.example.com"].parentUUID" is an expression, not a name',
        'did you mean "gpu.example.com/parentUUID"?',
    )


@pytest.mark.parametrize("key", ["oneOf", "subRequests"])
def test_a_list_of_such_objects_can_be_one_field_only(key: str) -> None:
    found = told(claim({"requests": [{"name": "gpu", key: [{"name": "a", "deviceClassName": "g"}]}]}))

    assert found[0][2:] == (f'unknown field "{key}"', 'did you mean "firstAvailable"?')


def test_alternatives_as_names_are_shown_as_objects() -> None:
    found = told(claim({"requests": [{"name": "gpu", "firstAvailable": ["h100"]}]}))

    assert found[0][3] == "write `{name: NAME, deviceClassName: h100}`, with a name of your choice"


def test_an_alternative_alone_is_told_with_its_request() -> None:
    alternatives = [{"name": "big", "deviceClassName": "g"}, {"name": "small", "deviceClassName": "g"}]
    config = [{"requests": ["big"], "opaque": {"driver": "a.b", "parameters": {"a": 1}}}]
    found = told(claim({"requests": [{"name": "gpu", "firstAvailable": alternatives}], "config": config}))

    assert [(rule, hint) for rule, _, _, hint in found] == [("DRA203", 'did you mean "gpu/big"?')]


def test_a_number_of_devices_is_a_count() -> None:
    assert claimed(quantity=2)[0][3] == 'did you mean "count"?'
    rule, path, message, hint = told(claim({"requests": [{"name": "a", "amount": 2}]}))[0]
    assert (rule, path) == ("DRA107", "spec.devices.requests[0].amount")
    assert message.startswith('unknown field "amount", probably "count": in v1 it belongs under `exactly:`')
    assert hint == "write `count`; put `exactly:` below `name`, and move `count` one level deeper, under it"


@pytest.mark.parametrize("key", ["class", "deviceClass", "resourceClassName"])
def test_a_class_under_another_word_is_one_of_the_request(key: str) -> None:
    assert told(claim({"requests": [{"name": "a", key: "x"}]}))[0][3] == (
        "write `deviceClassName`; put `exactly:` below `name`, and move `deviceClassName` one level deeper, under it"
    )


@pytest.mark.parametrize(
    "request_",
    [{"deviceClassNamme": "x", "deviceClassName": "y"}, {"deviceClassNamme": "x", "exactly": {"deviceClassName": "y"}}],
)
def test_of_a_misspelt_field_and_the_right_one_only_one_can_stay(request_: dict[str, Any]) -> None:
    assert told(claim({"requests": [{"name": "a", **request_}]}))[0][2:] == (
        'unknown field "deviceClassNamme"',
        "`deviceClassName` is there as well: keep one of the two",
    )


def test_what_stands_beside_parameters_may_be_one_of_them() -> None:
    requests = [{"name": "a", "exactly": {"deviceClassName": "x"}}]
    config = [{"opaque": {"driver": "a.b", "interface": {"name": "eth1"}}}]

    assert told(claim({"requests": requests, "config": config}))[0][3] == (
        "move it one level deeper, under `parameters:`, if it is for the driver; allowed here: driver, parameters"
    )


def test_references_are_names_alone() -> None:
    requests = [{"name": name, "exactly": {"deviceClassName": "x"}} for name in ("a", "b")]
    constraints = [{"requests": [{"name": "a"}, {"name": "b"}], "matchAttribute": "a.b/c"}]

    assert [hint for _, _, _, hint in told(claim({"requests": requests, "constraints": constraints}))] == [
        "write the name alone: a",
        "write the name alone: b",
    ]


def test_a_device_has_a_name_not_an_id() -> None:
    assert sliced(devices=[{"id": "gpu-0"}])[0][3] == 'did you mean "name"?'


def test_the_lower_limit_of_a_capacity_is_what_is_requested() -> None:
    assert claimed(capacity={"limits": {"memory": "1Gi"}})[0][3] == 'did you mean "requests"?'


CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
BY_EXPRESSION = (
    "a class selects devices by expressions: write `selectors: [{cel: {expression: ...}}]`; allowed here: config, "
    "extendedResourceName, selectors"
)
NO_REFERENCE = "write the parameters themselves, not a reference: `opaque: {driver: DRIVER, parameters: {...}}`"


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        (
            {"suitableNodes": {"nodeSelectorTerms": []}},
            'unknown field "suitableNodes": only v1alpha3 has it',
            "remove it: ResourceSlices say on which nodes the devices are",
        ),
        ({"devices": {"requests": []}}, 'unknown field "devices"', BY_EXPRESSION),
        ({"deviceSelector": {"driver": "a.b"}}, 'unknown field "deviceSelector"', BY_EXPRESSION),
        (
            {"config": [{"parametersRef": {"kind": "A", "name": "b"}}]},
            'unknown field "parametersRef": up to 1.30 a claim and a class had it',
            NO_REFERENCE,
        ),
    ],
)
def test_a_field_of_a_class_that_is_not_one_of_parameters(spec: dict[str, Any], message: str, hint: str) -> None:
    assert told({**CLASS, "spec": spec})[0][2:] == (message, hint)


def test_the_fields_of_parameters_belong_under_their_key_together() -> None:
    opaque = {"driver": "a.b", "apiVersion": "a.b/v1", "kind": "GpuConfig", "sharing": {"strategy": "MPS"}}
    found = told({**CLASS, "spec": {"config": [{"opaque": opaque}]}})

    assert found[0][2:] == (
        'unknown fields "apiVersion", "kind" and "sharing": they belong under `parameters:`',
        "move `apiVersion`, `kind` and `sharing` one level deeper, under `parameters:`",
    )


@pytest.mark.parametrize("key", ["deviceClas", "deviceClss", "clas", "devicClass"])
def test_a_misspelt_word_for_the_class_means_the_class(key: str) -> None:
    found = told(claim({"requests": [{"name": "gpu", key: "g"}]}))

    where = "in v1 it belongs under `exactly:` (only v1alpha3 and v1beta1 have it here)"
    assert (found[0][0], found[0][2]) == ("DRA107", f'unknown field "{key}", probably "deviceClassName": {where}')
