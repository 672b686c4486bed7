"""`dralint new`: what it writes, for each driver, kind and release, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from dralint.api import lint_text
from dralint.cel.device_values import shown
from dralint.drivers.devices import devices
from dralint.drivers.pack import Pack, shipped
from dralint.drivers.shipped import DRIVERS
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions
from dralint.new.from_options import Ask, documents
from dralint.new.objects import AROUND, KINDS, classes_of, text
from tests.conftest import Run

NVIDIA = ("--driver", "gpu.nvidia.com")
RELEASES = ApiVersions().serving("DeviceClass")


def pack_of(driver: str) -> Pack:
    pack = shipped(driver)
    assert pack is not None
    return pack


def reported(written: str, release: Release) -> list[tuple[str, str]]:
    """Return the findings that say that something does not work."""
    found = lint_text(written, kubernetes_version=str(release)).findings
    return [(each.rule, each.message) for each in found if each.severity != "info"]


def some_conditions(pack: Pack) -> Iterator[str]:
    """Yield a condition on each attribute and capacity that a device of the first class has."""
    classes = classes_of(pack, pack.newest)
    several = next(iter(classes.values()), tuple(devices(pack, pack.newest)))
    values = {"bool": "true", "int": "1", "version": "1.2", "quantity": "1", "string": "x"}
    for name, known in several[0].known.items():
        kind, _, items = known.type.partition(" of ")
        value = next((shown(each) for each in (*(known.values or ()), *known.listed)), values.get(items or kind, "x"))
        operator = {"list": "contains", "string": "==", "bool": "=="}.get(kind, ">=")
        if value and known.pattern is None:
            yield f"{name.domain}/{name.name} {operator} {value}"


def namespace_of(driver: str) -> str:
    return driver.replace(".", "-")


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_what_it_writes_is_clean_in_each_release(release: Release) -> None:
    texts = []
    for driver in sorted(DRIVERS):
        pack, name = pack_of(driver), namespace_of(driver)
        for kind in KINDS:
            if kind != "claim" or not pack.data.get("makes"):
                found = documents(kind, [[Ask(pack, pack.newest)]], release, name=f"{name}-{kind}", namespace=name)
                texts.append(text(found))

    assert len(texts) == len(DRIVERS) * len(KINDS) - 1
    assert reported("---\n".join(texts), release) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["class", "template"])
def test_a_condition_on_each_attribute_is_clean(kind: str) -> None:
    texts = []
    for driver in sorted(DRIVERS):
        pack, name = pack_of(driver), namespace_of(driver)
        for number, condition in enumerate(() if pack.data.get("makes") else some_conditions(pack)):
            found = documents(
                kind, [[Ask(pack, pack.newest, where=[condition])]], None, name=f"{name}-{number}", namespace=name
            )
            texts.append(text(found))

    assert len(texts) > 150
    assert reported("---\n".join(texts), RELEASES[-1]) == []


def test_a_claim_says_what_it_is_for(run: Run) -> None:
    outcome = run("new", "claim", *NVIDIA, "--count", 2, "--where", "memory >= 40Gi", "--for", "deployment/train")

    assert (outcome.status, outcome.stderr) == (0, "")
    assert (
        outcome.stdout
        == """\
# A claim for 2 devices of the class gpu.nvidia.com.
# All Pods of the Deployment train share its devices; `dralint new template` gives each Pod its own.
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train-gpu
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
        count: 2
        selectors:
        - cel:
            # memory >= 40Gi
            expression: |-
              "memory" in device.capacity["gpu.nvidia.com"] &&
              device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0
# Add this to the Deployment train:
#
#   spec:
#     template:
#       spec:
#         resourceClaims:
#         - name: gpu
#           resourceClaimName: train-gpu
#         containers:
#         - name: YOUR_CONTAINER
#           resources:
#             claims:
#             - name: gpu
"""
    )


def test_a_pod_comes_with_its_template_in_the_api_version_of_the_release(run: Run) -> None:
    outcome = run("new", "pod", *NVIDIA, "--namespace", "team-a", "--kubernetes-version", "1.32")

    template, pod = YAML(typ="safe", pure=True).load_all(outcome.stdout)
    assert template["apiVersion"] == "resource.k8s.io/v1beta1"
    assert template["metadata"] == {"name": "app-gpu", "namespace": "team-a"}
    assert template["spec"]["spec"]["devices"]["requests"] == [
        {"name": "gpu", "deviceClassName": "gpu.nvidia.com", "count": 1}
    ]
    assert pod["spec"]["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": "app-gpu"}]
    assert "resource.k8s.io/v1beta1 is only served where" in outcome.stderr


def devices_of(written: str) -> Any:
    *_, last = YAML(typ="safe", pure=True).load_all(written)
    return last["spec"]["spec"]["devices"]


def test_alternatives_other_devices_a_shared_attribute_and_parameters_go_into_one_claim(run: Run) -> None:
    where = (
        "--where",
        "memory >= 80Gi",
        "--else",
        "2 where memory >= 40Gi",
        "--with",
        "dra.net where rdma and virtual",
    )
    outcome = run(
        "new", "template", *NVIDIA, *where, "--same", "pcieRoot", "--parameter", "sharing.strategy=TimeSlicing"
    )

    devices = devices_of(outcome.stdout)
    assert [request["name"] for request in devices["requests"]] == ["gpu", "net"]
    assert [
        (each["name"], each["deviceClassName"], each["count"]) for each in devices["requests"][0]["firstAvailable"]
    ] == [("first", "gpu.nvidia.com", 1), ("second", "gpu.nvidia.com", 2)]
    assert devices["constraints"] == [{"matchAttribute": "resource.kubernetes.io/pcieRoot"}]
    assert devices["config"] == [
        {
            "requests": ["gpu"],
            "opaque": {
                "driver": "gpu.nvidia.com",
                "parameters": {
                    "apiVersion": "resource.nvidia.com/v1beta1",
                    "kind": "GpuConfig",
                    "sharing": {"strategy": "TimeSlicing"},
                },
            },
        }
    ]
    assert "one device of the class gpu.nvidia.com or else 2 devices of" in outcome.stdout.replace("\n# ", " ")
    assert "TimeSlicing needs the driver's gate TimeSlicingSettings" in outcome.stderr


def test_a_class_names_the_alternative_and_the_kind_of_parameters(run: Run) -> None:
    written = run("new", "template", "--class", "mig.nvidia.com", "--else", "gpu.nvidia.com").stdout
    (request,) = devices_of(written)["requests"]
    assert [each["deviceClassName"] for each in request["firstAvailable"]] == ["mig.nvidia.com", "gpu.nvidia.com"]

    shared = run("new", "template", "--class", "mig.nvidia.com", "--parameter", "sharing.strategy=MPS").stdout
    assert devices_of(shared)["config"][0]["opaque"]["parameters"]["kind"] == "MigDeviceConfig"


def test_several_devices_of_one_parent_are_proposed(run: Run) -> None:
    arguments = ("template", *NVIDIA, "--count", "2", "--where", "profile == 1g.5gb")

    asked = run("new", *arguments)
    assert asked.stderr == "note: the devices can have different parents; `--same parentUUID` asks for those of one\n"
    done = run("new", *arguments, "--same", "parentUUID")
    assert (devices_of(done.stdout)["constraints"], done.stderr) == (
        [{"matchAttribute": "gpu.nvidia.com/parentUUID"}],
        "",
    )


def test_a_quota_limits_the_devices_of_classes(run: Run) -> None:
    written = run("new", "quota", *NVIDIA, "--count", "8", "--with", "2 mig.nvidia.com", "--namespace", "team").stdout

    assert YAML(typ="safe", pure=True).load(written)["spec"]["hard"] == {
        "gpu.nvidia.com.deviceclass.resource.k8s.io/devices": 8,
        "mig.nvidia.com.deviceclass.resource.k8s.io/devices": 2,
    }


def test_a_class_offers_its_devices_as_an_extended_resource(run: Run) -> None:
    written = run("new", "class", *NVIDIA, "--extended-resource", "example.com/gpu").stdout

    assert YAML(typ="safe", pure=True).load(written)["spec"]["extendedResourceName"] == "example.com/gpu"


@pytest.mark.parametrize("kind", AROUND)
def test_a_workload_comes_with_its_template(run: Run, kind: str) -> None:
    template, workload = YAML(typ="safe", pure=True).load_all(run("new", kind, *NVIDIA, "--name", "train").stdout)

    api_version, spelled, path = AROUND[kind]
    assert (workload["apiVersion"], workload["kind"], workload["metadata"]["name"]) == (api_version, spelled, "train")
    pod = workload
    for step in path:
        pod = pod[step]
    assert pod["resourceClaims"] == [{"name": "gpu", "resourceClaimTemplateName": template["metadata"]["name"]}]
    assert pod["containers"][0]["resources"] == {"claims": [{"name": "gpu"}]}


def test_a_driver_without_a_class_gets_one(run: Run) -> None:
    written = run("new", "template", "--driver", "dra.net", "--where", "ifName == eth1").stdout

    own, template = YAML(typ="safe", pure=True).load_all(written)
    assert own["kind"] == "DeviceClass"
    assert own["spec"]["selectors"][0]["cel"]["expression"] == 'device.driver == "dra.net"'
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    assert request["exactly"]["deviceClassName"] == own["metadata"]["name"] == "net-class"


def test_a_template_that_the_driver_makes_is_not_written(run: Run) -> None:
    made, pod = YAML(typ="safe", pure=True).load_all(run("new", "pod", "--driver", "compute-domain.nvidia.com").stdout)

    assert (made["kind"], made["spec"]["channel"]) == (
        "ComputeDomain",
        {"resourceClaimTemplate": {"name": "app-compute-domain"}},
    )
    assert pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] == "app-compute-domain"


@pytest.mark.parametrize(
    ("condition", "expression"),
    [
        ("architecture = Hopper", 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"'),
        ('productName contains "H100"', 'device.attributes["gpu.nvidia.com"].productName.contains("H100")'),
        (
            "cudaComputeCapability >= 8",
            'device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("8.0.0")) >= 0',
        ),
        (
            "brand in Tesla,Nvidia",
            'device.attributes["gpu.nvidia.com"].brand in ["Tesla", "Nvidia"]',
        ),
    ],
)
def test_a_condition_becomes_cel_of_the_type_of_the_attribute(run: Run, condition: str, expression: str) -> None:
    written = run("new", "claim", *NVIDIA, "--where", condition).stdout

    assert selectors(written) == [{"cel": {"expression": expression}}]


def test_the_class_is_the_one_whose_devices_have_the_attribute(run: Run) -> None:
    written = run("new", "claim", *NVIDIA, "--where", "profile == 1g.5gb").stdout

    assert "deviceClassName: mig.nvidia.com\n" in written
    assert selectors(written) == [{"cel": {"expression": 'device.attributes["gpu.nvidia.com"].profile == "1g.5gb"'}}]


def selectors(written: str) -> Any:
    data = YAML(typ="safe", pure=True).load(written)
    return data["spec"]["devices"]["requests"][0]["exactly"]["selectors"]


def test_a_pack_of_the_configuration_is_used(run: Run, workdir: Path) -> None:
    (workdir / "acme.yaml").write_text(
        "pack: 1\ndriver: gpu.acme.example\nversions: [v1]\n"
        "attributes: [{name: cores, type: int, always: true}]\n"
        "classes: [{name: acme, cel: 'device.driver == \"gpu.acme.example\"'}]\n"
    )
    (workdir / ".dralint.yaml").write_text("driver-packs: [acme.yaml]\n")

    written = run("new", "claim", "--class", "acme", "--where", "cores > 4").stdout

    assert selectors(written) == [{"cel": {"expression": 'device.attributes["gpu.acme.example"].cores > 4'}}]


def test_it_asks_a_person_for_what_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dralint.cli.new._at_terminal", lambda: True)

    outcome = run("new", stdin="template\ngpu.nvidia.com\n2\nmemroy > 1\nmemory > 1Gi\n\n")

    assert "count: 2\n" in outcome.stdout
    assert 'memory.compareTo(quantity("1Gi")) > 0' in outcome.stdout
    assert "have no attribute or capacity 'memroy'; did you mean" in outcome.stderr
    assert outcome.stdout.startswith("# A template for claims")


def test_it_asks_nothing_where_kind_and_driver_are_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dralint.cli.new._at_terminal", lambda: True)

    assert run("new", "claim", *NVIDIA).status == 0
