"""How Pods use the claims of drivers with rules on sharing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.drivers.inputs import claim, device_class, rules
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


@pytest.mark.parametrize(("replicas", "expected"), [(1, []), (2, ["DRA814"])])
def test_the_pods_of_a_deployment_share_a_claim_that_it_names(replicas: int, expected: list[str]) -> None:
    objects = [device_class("net", 'device.driver == "dra.net"'), claim("net")]
    template = {"metadata": {"labels": {"app": "a"}}, "spec": pod(CONTAINER)["spec"]}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, "template": template}

    assert rules(*objects, item("Deployment", "a", "ml", spec=spec)) == expected
