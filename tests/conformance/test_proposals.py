"""What conformance reads from Go source: types, tags, feature gates, ends of API versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance import modules
from conformance.propose import gates, go_types, limits, openapi, release
from conformance.propose.lifecycle import Life, lives
from conformance.propose.release import ABSENT, NEW, OTHER, SAME, Fact, counted
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release

NEWEST_HELD = str(
    max(Release.parse(name) for held in ("releases", "previews") for name in shipped.index()["releases"][held])
)

TYPES, META, GATES, LIFE = (
    (Path(__file__).with_name("sources") / f"{name}.go").read_text("utf-8")
    for name in ("types", "meta", "gates", "life")
)


@pytest.fixture
def package(tmp_path: Path) -> go_types.Package:
    """The types above."""
    return parsed(tmp_path, TYPES)


def parsed(folder: Path, text: str) -> go_types.Package:
    (folder / "types.go").write_text(text)
    return go_types.read(folder / "types.go", "a/types.go")


def test_types_have_fields_with_tags_without_their_stage(package: go_types.Package) -> None:
    box = package.types["Box"]

    assert [held.name for held in box.fields] == [
        "",
        "metadata",
        "name",
        "things",
        "limit",
        "labels",
        "a",
        "b",
        "c",
        "sizes",
    ]
    assert box.fields[2].tags == ["+required", "+k8s:required", "+k8s:format=k8s-short-name"]
    assert package.types["Size"].values == ["Small", "Large"]
    assert package.numbers == {"MaxThings": 32}


def test_openapi_has_kinds_properties_and_what_is_required(package: go_types.Package, tmp_path: Path) -> None:
    core = parsed(tmp_path, "type PodResourceClaim struct {\n}\ntype ResourceRequirements struct {\n}\n")
    document = openapi.document("1.99", {"v1": package}, core, parsed(tmp_path, META))
    schemas = document["schemas"]["resource.k8s.io/v1"]
    box = schemas["io.k8s.api.resource.v1.Box"]

    assert document["kinds"] == {"resource.k8s.io/v1": [{"kind": "Box", "namespaced": False, "plural": "boxs"}]}
    assert box["required"] == ["name"]
    assert list(box["properties"])[:4] == ["kind", "apiVersion", "metadata", "name"]
    assert box["properties"]["name"] == {"type": "string", "default": ""}
    assert box["properties"]["limit"] == {"format": "int32", "type": "integer", "default": 100}
    assert box["properties"]["c"] == {"type": "string", "enum": ["Large", "Small"]}
    assert box["properties"]["things"] == {
        "items": {"$ref": "#/components/schemas/io.k8s.api.resource.v1.Thing"},
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }
    assert schemas["io.k8s.api.resource.v1.Thing"]["required"] == ["size"]


def test_validation_tags_become_limits(package: go_types.Package) -> None:
    found = list(limits.proposed(package))
    rows = {(row.field, row.keyword): row.value for row in found if isinstance(row, limits.Row)}

    assert rows == {
        ("name", "required"): True,
        ("name", "format"): "dns-label",
        ("things", "unique"): ["name"],
        ("things", "maxItems"): 32,
        ("limit", "minimum"): 1,
        ("labels", "keys.format"): "dns-label",
        ("labels", "values.maxLength"): 64,
        ("c", "enum"): ["Large", "Small"],
        ("sizes", "items.enum"): ["Large", "Small"],
        ("()", "oneOf"): ["a", "b"],
    }


def test_a_tag_that_is_not_understood_is_listed_with_its_place(package: go_types.Package) -> None:
    (unread,) = (row for row in limits.proposed(package) if isinstance(row, limits.Unread))

    assert unread.tag == 'Box.c: +k8s:dependentRequired("a")'
    assert TYPES.splitlines()[int(unread.source.partition(":")[2]) - 1].startswith("\tC Size")


@pytest.mark.parametrize(
    ("row", "keyword", "held"),
    [
        ({"empty": "Required"}, "required", True),
        ({"required": "Required"}, "required", True),
        ({"empty": "checked"}, "required", None),
        ({"keys": {"format": "dns-label"}}, "keys.format", "dns-label"),
        ({"enum": ["b", "a"]}, "enum", ["a", "b"]),
        ({}, "maxItems", None),
    ],
)
def test_rows_of_the_table_are_read_in_the_form_of_proposals(row: dict[str, Any], keyword: str, held: Any) -> None:
    assert limits.held(row, keyword) == held


@pytest.mark.parametrize(("minor", "stage"), [(34, "alpha off"), (37, "beta on"), (38, "stable locked")])
def test_the_stage_of_a_gate_is_that_of_the_release(minor: int, stage: str, tmp_path: Path) -> None:
    (tmp_path / "gates.go").write_text(GATES)
    found = gates.gates(tmp_path / "gates.go", minor)

    assert found["DRAThings"].stage == stage
    assert found["DRAThings"].needs == ("DRALater", "DynamicResourceAllocation", "Workloads")


def test_gates_are_read_that_concern_claims_and_those_that_they_need(tmp_path: Path) -> None:
    (tmp_path / "gates.go").write_text(GATES)

    assert list(gates.gates(tmp_path / "gates.go", 37)) == ["DRAThings", "DRALater", "Workloads"]
    assert list(gates.gates(tmp_path / "gates.go", 37, {"Another"})) == [
        "DRAThings",
        "DRALater",
        "Workloads",
        "Another",
    ]


def test_a_new_gate_has_its_needs_and_the_fields_of_all_groups(
    package: go_types.Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pkg/features").mkdir(parents=True)
    (tmp_path / "pkg/features/kube_features.go").write_text(GATES)
    (tmp_path / ".go-version").write_text("1.26.1\n")
    monkeypatch.setattr(modules, "source", lambda *_: tmp_path)
    pods = 'type PodSpec struct {\n\t// +featureGate=DRAThings\n\tThings string `json:"things"`\n'
    pods += '\t// +featureGate=VolumeThings\n\tVolumes string `json:"volumes"`\n}\n'
    core = parsed(tmp_path, pods)
    core.file = "k8s.io/api/core/v1/types.go"

    found = {fact.name: (fact.proposed, fact.held) for fact in release.of_gates("1.99.0", [package], [core], [])}

    assert found["DRAThings needs"] == (["DRALater", "Workloads"], None)
    assert found["Workloads stage"] == ("alpha off", None)
    assert found["DRAThings core.PodSpec.things"] == (True, None)
    assert "VolumeThings core.PodSpec.volumes" not in found


@pytest.mark.parametrize(("minor", "against"), [("1.37", "1.37"), ("1.36", "1.36"), ("1.999", NEWEST_HELD)])
def test_a_release_that_is_in_no_table_is_compared_with_the_one_before(minor: str, against: str) -> None:
    assert release.compared_with(minor) == against


def test_a_default_that_needs_a_newer_compatibility_version_does_not_hold(tmp_path: Path) -> None:
    (tmp_path / "gates.go").write_text(GATES)

    assert gates.gates(tmp_path / "gates.go", 37)["DRALater"].stage == "beta off"
    assert gates.gates(tmp_path / "gates.go", 38)["DRALater"].stage == "beta on"


def test_a_field_is_behind_each_gate_of_its_tag(package: go_types.Package) -> None:
    assert [row[:2] for row in gates.fields(package)] == [("DRAThings", "Box.things"), ("DRAOthers", "Box.things")]


def test_the_life_of_a_kind_has_what_is_announced(tmp_path: Path) -> None:
    (tmp_path / "life.go").write_text(LIFE)

    assert lives(tmp_path / "life.go") == {"Box": Life("1.33", None, "1.39")}
    assert lives(tmp_path / "none.go") == {}


def test_facts_are_counted_by_area_and_state() -> None:
    facts = [
        Fact("a", "1", 1, 1, ""),
        Fact("a", "2", 1, 2, ""),
        Fact("a", "3", 1, None, ""),
        Fact("a", "4", None, 1, ""),
    ]

    assert [fact.state for fact in facts] == [SAME, OTHER, NEW, ABSENT]
    assert counted(facts).splitlines()[1].split() == ["a", "1", "1", "1", "1"]
