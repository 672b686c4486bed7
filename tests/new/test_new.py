"""`dralint new`: what it writes, for each driver, kind and release, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
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


def devices_of(written: str) -> Any:
    *_, last = YAML(typ="safe", pure=True).load_all(written)
    return last["spec"]["spec"]["devices"]


def test_a_class_names_the_alternative_and_the_kind_of_parameters(run: Run) -> None:
    written = run("new", "template", "--class", "mig.nvidia.com", "--else", "gpu.nvidia.com").stdout
    (request,) = devices_of(written)["requests"]
    assert [each["deviceClassName"] for each in request["firstAvailable"]] == ["mig.nvidia.com", "gpu.nvidia.com"]

    shared = run("new", "template", "--class", "mig.nvidia.com", "--parameter", "sharing.strategy=MPS").stdout
    assert devices_of(shared)["config"][0]["opaque"]["parameters"]["kind"] == "MigDeviceConfig"


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
