"""How Pods use the claims of drivers with rules on sharing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.drivers.inputs import claim, device_class, reported, rules
from tests.objects import item

CPU = {"name": "cpus", "resourceClaimName": "train"}
CONTAINER = {"name": "main", "image": "main", "resources": {"claims": [{"name": "cpus"}]}}


def cpus(**exactly: Any) -> dict[str, Any]:
    out = claim("dra.cpu")
    out["spec"]["devices"]["requests"][0]["exactly"].update(exactly)
    return out


def pod(*containers: dict[str, Any], name: str = "pod", **spec: Any) -> dict[str, Any]:
    spec = {"resourceClaims": [CPU], "containers": list(containers), **spec}
    return item("Pod", name, "ml", spec=spec)


def container(name: str = "main", **resources: Any) -> dict[str, Any]:
    return {"name": name, "image": "main", "resources": {"claims": [{"name": "cpus"}], **resources}}


@pytest.mark.parametrize(
    ("exactly", "resources", "key"),
    [
        ({"count": 4}, {"requests": {"cpu": "1"}, "limits": {"cpu": "4"}}, "requests"),
        ({"count": 4}, {"limits": {"cpu": "8"}}, "limits"),
        ({"count": 4}, {"requests": {"cpu": "3500m"}}, "requests"),
        ({"count": 2, "capacity": {"requests": {"dra.cpu/cpu": "4"}}}, {"requests": {"cpu": 4}}, "requests"),
    ],
)
def test_a_container_requests_as_many_cpus_as_its_claim_has(
    exactly: dict[str, Any], resources: dict[str, Any], key: str
) -> None:
    found = reported(cpus(**exactly), pod(container(**resources)))

    value, total = resources[key]["cpu"], 8 if "capacity" in exactly else 4
    message = (
        f"the claims of the container have {total} CPUs, and the container requests cpu: {value}: the scheduler and "
        "the kubelet count only the request (driver dra.cpu)"
    )
    assert found == [("DRA815", f"spec.containers[0].resources.{key}.cpu", message)]


@pytest.mark.parametrize(
    ("exactly", "resources", "spec"),
    [
        ({"count": 4}, {"requests": {"cpu": "4"}}, {}),
        ({"count": 4}, {"requests": {"cpu": "4000m"}}, {}),
        ({"count": 4}, {}, {}),
        ({"count": 1}, {"requests": {"cpu": "8"}}, {}),
        ({"capacity": {"requests": {"other.example.com/cpu": "4"}}}, {"requests": {"cpu": "8"}}, {}),
        ({"allocationMode": "All"}, {"requests": {"cpu": "8"}}, {}),
        ({"count": 4}, {"requests": {"cpu": "1"}}, {"resources": {"requests": {"cpu": "4"}}}),
        ({"count": 4}, {"requests": {"cpu": "?"}}, {}),
    ],
)
def test_a_request_that_can_be_right_has_no_finding(
    exactly: dict[str, Any], resources: dict[str, Any], spec: dict[str, Any]
) -> None:
    assert "DRA815" not in rules(cpus(**exactly), pod(container(**resources), **spec))


def test_a_claim_of_cpus_is_for_one_container() -> None:
    message = (
        'several containers use the claim "cpus": the driver gives a claim to one container, and the others fail with '
        "CreateContainerError (driver dra.cpu)"
    )

    assert reported(cpus(), pod(container("a"), container("b"))) == [
        ("DRA814", "spec.containers[1].resources.claims[0].name", message)
    ]
    assert rules(cpus(), pod(container("a"), initContainers=[container("b")])) == []
    assert rules(claim("gpu.nvidia.com"), pod(container("a"), container("b"))) == []


def test_a_claim_of_interfaces_is_for_one_pod() -> None:
    objects = [device_class("net", 'device.driver == "dra.net"'), claim("net")]
    message = (
        'several Pods share the claim "train": the driver prepares a claim for one Pod, and the others stay in '
        "ContainerCreating (driver dra.net)"
    )

    found = reported(*objects, pod(CONTAINER, name="a"), pod(CONTAINER, name="b"))

    assert found == [("DRA814", "spec.resourceClaims[0].resourceClaimName", message)]
    assert rules(*objects, pod(CONTAINER, name="a")) == []


@pytest.mark.parametrize(("replicas", "expected"), [(1, []), (2, ["DRA814"])])
def test_the_pods_of_a_deployment_share_a_claim_that_it_names(replicas: int, expected: list[str]) -> None:
    objects = [device_class("net", 'device.driver == "dra.net"'), claim("net")]
    template = {"metadata": {"labels": {"app": "a"}}, "spec": pod(CONTAINER)["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, "template": template}

    assert rules(*objects, item("Deployment", "a", "ml", spec=spec)) == expected
