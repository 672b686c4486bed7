"""A table of places in manifests, with what an editor must offer there; `|` is the cursor.

The places were written down before anybody looked at the answers.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from dralint.editor import Workspace, complete
from tests.editor.manifests import CLAIM, CLASS, POD, SLICE


class Place(NamedTuple):
    """A place, and the labels there: all of `offers`, none of `never`, and `first` as the first one.

    `nothing` means that the list must be empty. `others` are further documents of the workspace.
    """

    says: str
    text: str
    offers: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    first: str | None = None
    nothing: bool = False
    file: str = "claims.yaml"
    others: tuple[str, ...] = ()


HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
NVIDIA = HEAD + (
    "metadata: {name: train}\n"
    "spec:\n"
    "  devices:\n"
    "    requests:\n"
    "    - name: gpu\n"
    "      exactly:\n"
    "        deviceClassName: gpu.nvidia.com\n"
)


def selector(expression: str) -> str:
    """Return a claim with an expression as it is being typed."""
    return f"{NVIDIA}        selectors:\n        - cel:\n            expression: {expression}\n"


def attribute(name: str) -> str:
    """Return an attribute of the driver of the claim in a selector."""
    return f'device.attributes["gpu.nvidia.com"].{name}'


def parameters(rest: str) -> str:
    """Return a claim with opaque parameters."""
    return f"{NVIDIA}    config:\n    - opaque:\n        driver: gpu.nvidia.com\n        parameters:\n{rest}"


GPU = "          apiVersion: resource.nvidia.com/v1beta1\n          kind: GpuConfig\n"
NIC = "    - name: nic\n      exactly: {deviceClassName: 'gpu.example.com'}\n"
JSON = (
    '{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "a"},\n'
    ' "spec": {"selectors": [{"cel": {"expression": "X"}}]}}\n'
)
SERVER_OWNED = ("creationTimestamp", "deletionTimestamp", "managedFields", "resourceVersion", "uid", "generation")
OTHERS = (CLASS, SLICE, CLAIM)

PLACES = (
    # Fields.
    Place("metadata of a claim", f"{HEAD}metadata:\n  |\n", ("labels",), SERVER_OWNED, "name"),
    Place("devices of a claim", f"{HEAD}spec:\n  devices:\n    |\n", ("constraints", "config"), (), "requests"),
    Place(
        "a request",
        f"{HEAD}spec:\n  devices:\n    requests:\n    - |\n",
        ("exactly", "firstAvailable"),
        ("deviceClassName",),
        "name",
    ),
    Place("exactly", NVIDIA.replace("deviceClassName: gpu.nvidia.com", "|"), ("count",), (), "deviceClassName"),
    Place("a claim of a Pod", POD.replace("    resourceClaimName", "    |\n    resourceClaimName"), (), ("name",)),
    Place("an entry of a Pod's claims", POD.replace("- name: devices\n    r", "- |\n    r"), (), (), "name"),
    Place(
        "the spec of a template",
        HEAD.replace("ResourceClaim", "ResourceClaimTemplate") + "metadata: {name: a}\nspec:\n  spec:\n    |\n",
        ("devices",),
    ),
    Place(
        "the value of an attribute of a device",
        SLICE.replace("attributes: {model: {string: a100}}", "attributes: {model: {|}}", 1),
        ("bool", "int", "string", "version"),
    ),
    # Values.
    Place("a class", NVIDIA.replace("gpu.nvidia.com", "|"), ("gpu.nvidia.com",), (), "gpu.example.com", others=OTHERS),
    Place("the mode", f"{NVIDIA}        allocationMode: |\n", ("All", "ExactCount"), ("true",)),
    Place("admin access", f"{NVIDIA}        adminAccess: |\n", ("true", "false")),
    Place("a request in a constraint", CLAIM.replace("[gpu, nic]", "[gpu, |]"), ("nic",)),
    Place(
        "matchAttribute without slices",
        f"{NVIDIA}    constraints:\n    - matchAttribute: |\n",
        ("gpu.nvidia.com/productName",),
        (),
        "resource.kubernetes.io/pcieRoot",
    ),
    Place(
        "matchAttribute with a beginning",
        f"{NVIDIA}    constraints:\n    - matchAttribute: resource.kubernetes.io/|\n",
        ("resource.kubernetes.io/pcieRoot",),
    ),
    Place(
        "the key of a toleration",
        f"{NVIDIA}        tolerations:\n        - key: |\n",
        others=OTHERS,
        offers=("gpu.example.com/broken",),
    ),
    Place(
        "the operator of a toleration", f"{NVIDIA}        tolerations:\n        - operator: |\n", ("Exists", "Equal")
    ),
    Place("the effect of a taint", SLICE.replace("NoSchedule", "|"), ("NoSchedule", "NoExecute")),
    Place("the claim of a container", POD.replace("- name: devices\n        r", "- name: |\n        r"), ("devices",)),
    Place("the request of a container", POD.replace("request: gpu", "request: |"), ("gpu", "nic"), others=OTHERS),
    Place("the claim of a Pod", POD.replace("Name: train", "Name: |"), ("train",), others=OTHERS),
    Place("a field in braces", SLICE.replace("{name: node-a, generation: 1, ", "{name: node-a, |"), ("generation",)),
    Place("an API version", HEAD.replace("resource.k8s.io/v1", "|"), ("resource.k8s.io/v1",)),
    Place("a kind", HEAD.replace("ResourceClaim", "|"), ("ResourceClaim", "DeviceClass"), ("Pod",)),
    # Expressions.
    Place("an empty expression", selector("|"), ("device",)),
    Place("an operator", selector(attribute("productName |")), ("==",)),
    Place("domains", selector('device.attributes["|'), ('resource.kubernetes.io"]', 'gpu.nvidia.com"]')),
    Place(
        "names of the standard domain",
        selector('device.attributes["resource.kubernetes.io"].|'),
        ("pcieRoot", "pciBusID"),
    ),
    Place(
        "methods of a text",
        selector(attribute("productName.|")),
        ("startsWith(", "matches("),
        ("add(", "asInteger(", "containsCIDR(", "isGreaterThan("),
    ),
    Place(
        "methods of a version",
        selector(attribute("driverVersion.|")),
        ("isGreaterThan(", "major("),
        ("add(", "startsWith(", "containsCIDR("),
    ),
    Place(
        "methods of a quantity",
        selector('device.capacity["gpu.nvidia.com"].memory.|'),
        ("isGreaterThan(", "compareTo("),
        ("startsWith(", "major("),
    ),
    Place("an open single quote", selector("'device.|") + NIC, ("driver", 'attributes["', 'capacity["')),
    Place("an open double quote", selector('"device.|') + NIC, ("driver", 'attributes["', 'capacity["')),
    Place("a domain in an open single quote", selector("'device.attributes[\"|") + NIC, ('gpu.nvidia.com"]',)),
    Place(
        "a name in an open double quote",
        selector('"device.attributes[\\"gpu.nvidia.com\\"].pro|') + NIC,
        ("productName", "profile"),
    ),
    Place("an expression in JSON", JSON.replace("X", "device.|"), ("driver", 'capacity["'), file="class.json"),
    Place("a driver", selector('device.driver == "|'), ('"gpu.nvidia.com"',)),
    Place("values of an attribute", selector(attribute("architecture == |")), ('"Hopper"',)),
    # Opaque parameters.
    Place("parameters", parameters("          |\n"), ("kind",), (), "apiVersion"),
    Place(
        "the kind of parameters",
        parameters(GPU.replace("GpuConfig", "|")),
        ("GpuConfig", "MigDeviceConfig", "VfioDeviceConfig"),
    ),
    Place(
        "a field of parameters", parameters(f"{GPU}          sharing:\n            |\n"), ("mpsConfig",), (), "strategy"
    ),
    Place(
        "a value of parameters",
        parameters(f"{GPU}          sharing:\n            strategy: |\n"),
        ("TimeSlicing", "MPS"),
    ),
    # JSON.
    Place(
        "a key in quotes",
        '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":'
        '{"requests":[{"name":"a","exactly":{"dev|"}}]}}}',
        ("deviceClassName",),
        file="claim.json",
    ),
    Place(
        "an empty key in quotes",
        '{\n  "apiVersion": "resource.k8s.io/v1",\n  "kind": "DeviceClass",\n  "metadata": {\n    "|"\n  }\n}\n',
        ("labels",),
        SERVER_OWNED,
        "name",
        file="class.json",
    ),
    # Other files.
    Place("package.json", '{\n  "name": "a",\n  |\n}\n', nothing=True, file="package.json"),
    Place("docker-compose.yaml", "services:\n  web: {image: a}\nv|\n", nothing=True, file="docker-compose.yaml"),
    Place("an empty JSON file", "|\n", nothing=True, file="new.json"),
    Place("a workflow", "on: push\nj|\n", nothing=True, file=".github/workflows/ci.yaml"),
    # The configuration.
    Place(
        "a key of the configuration",
        "|\n",
        ("kubernetes-version", "ignore"),
        ("apiVersion", "kind", "Pod"),
        file=".dralint.yaml",
    ),
    Place(
        "a value of the configuration",
        "fail-on: |\n",
        ("error", "broken", "warning", "never"),
        ("apiVersion",),
        file=".dralint.yaml",
    ),
    Place("rules in the configuration", "ignore: [DRA20|]\n", ("DRA203",), file=".dralint.yaml"),
    # Comments.
    Place(
        "a comment",
        CLAIM.replace("deviceClassName: gpu.example.com\n", "deviceClassName: a # dralint: |\n", 1),
        ("ignore[", "ignore-file["),
    ),
    Place("rules in a comment", f"# dralint: ignore-file[DRA20|\n{CLAIM}", ("DRA203",)),
    # Whole objects.
    Place("an empty file", "|", ("ResourceClaim", "DeviceClass", "Pod")),
)


def offered(place: Place) -> list[str]:
    """Return the labels at a place."""
    offset = place.text.index("|")
    there = Workspace()
    there.open("others.yaml", "---\n".join(place.others))
    there.open(place.file, place.text[:offset] + place.text[offset + 1 :])
    return [item.label for item in complete(there, place.file, offset)]


def wrong(place: Place) -> str:
    """Return what is wrong with the answer at a place; empty where nothing is."""
    labels = offered(place)
    if place.nothing:
        return f"it offers {labels[:5]}" if labels else ""
    lacking = [label for label in place.offers if label not in labels]
    surplus = [label for label in place.never if label in labels]
    first = labels[0] if labels else None
    if place.first is not None and first != place.first:
        return f"the first one is {first}"
    return f"it lacks {lacking}" if lacking else f"it offers {surplus}" if surplus else ""


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.says)
def test_what_belongs_to_a_place_is_offered_there(place: Place) -> None:
    assert wrong(place) == ""
