"""Each field and gate of Dynamic Resource Allocation has a sentence, also those of a release that is added."""

from __future__ import annotations

import json
from pathlib import Path

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import structs

ROOT = Path(__file__).parents[2]
OF_EVERY_OBJECT = {"apiVersion", "kind", "metadata"}
MACHINERY = {"ListMeta", "ManagedFieldsEntry", "ObjectMeta"}
"""Types of which hardly a field is written by people."""


def written() -> set[tuple[str, str]]:
    """Every field of the types of the group, from the release on that has structured parameters (1.31)."""
    return {
        (type_, field)
        for release in shipped.index()["releases"]["releases"]
        if Release.parse(release) >= Release.parse("1.31")
        for types in shipped.openapi(release)["schemas"].values()
        for type_, struct in structs(types).items()
        for field in struct.fields
        if type_ not in MACHINERY and not type_.endswith("List")
    }


def test_every_field_and_gate_has_a_sentence() -> None:
    fields = sorted(f"{type_}.{name}" for type_, name in written() if name not in OF_EVERY_OBJECT)
    told = [field for field in fields if shipped.of_field(*field.rsplit(".", 1)) is not None]

    assert fields == told
    assert [gate for gate in shipped.index()["gates"] if shipped.of_gate(gate) is None] == []


def test_what_types_share_is_written_once() -> None:
    assert shipped.of_field("BasicDevice", "taints") == shipped.of_field("Device", "taints") is not None
    assert shipped.of_field("DeviceSubRequest", "name") != shipped.of_field("DeviceRequest", "name")
    assert shipped.of_field("Device", "nix") is None
    assert shipped.of_type("BasicDevice") is None


def test_an_editor_shows_the_sentences() -> None:
    schema = json.loads((ROOT / "schemas/1.34/resource.k8s.io_v1_ResourceClaim.json").read_bytes())
    request = schema["$defs"]["DeviceRequest"]

    assert schema["description"] == shipped.of_type("ResourceClaim")
    assert request["properties"]["exactly"]["description"] == "The one way to fulfil the request."
    assert "description" not in schema["properties"]["metadata"]
