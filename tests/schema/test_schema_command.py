"""`dralint schema`: list, show, export, generate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dralint.kubernetes import shipped
from tests.schema.test_openapi import document

Run = Callable[..., Any]
FOLDER = Path(__file__).parents[2] / "schemas"


def test_list_names_releases_versions_and_kinds(run: Run) -> None:
    lines = run("schema", "list").stdout.splitlines()

    assert lines[0] == "1.26  resource.k8s.io/v1alpha1  PodScheduling ResourceClaim ResourceClaimTemplate ResourceClass"
    assert "1.34  resource.k8s.io/v1  DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice" in lines


def test_show_prints_the_committed_schema(run: Run) -> None:
    out = run("schema", "show", "1.34", "resource.k8s.io/v1/ResourceClaim")

    assert out.status == 0
    assert out.stdout == (FOLDER / "1.34" / "resource.k8s.io_v1_ResourceClaim.json").read_text("utf-8")
    assert run("schema", "show", "v1.34.4", "v1/resourceclaim").stdout == out.stdout


def test_show_latest(run: Run) -> None:
    newest = list(shipped.index()["releases"]["releases"])[-1]

    schema = json.loads(run("schema", "show", "latest", "v1/DeviceClass").stdout)
    assert schema["title"] == f"DeviceClass of resource.k8s.io/v1 (Kubernetes {newest})"


def test_export_writes_the_layout_of_kubeconform(run: Run, tmp_path: Path) -> None:
    out = run("schema", "export", "--kubernetes-version", "1.34", "--output", tmp_path / "out")

    assert out.status == 0
    assert (out.stdout + out.stderr).rstrip().endswith("out: 13 schemas written")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert len(names) == 13
    assert names[:2] == ["deviceclass-resource-v1.json", "deviceclass-resource-v1beta1.json"]
    assert (tmp_path / "out" / "resourceclaim-resource-v1.json").read_bytes() == (
        FOLDER / "1.34" / "resource.k8s.io_v1_ResourceClaim.json"
    ).read_bytes()


@pytest.mark.slow
def test_export_does_not_replace_files_unasked(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "resourceclaim-resource-v1.json"
    target.write_text("mine")
    plain = run("schema", "export", "--output", tmp_path)

    assert plain.status == 2
    assert f"{target} is there already; replace with --force" in plain.stderr
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert run("schema", "export", "--output", tmp_path, "--force").status == 0
    assert json.loads(target.read_text())["type"] == "object"
    assert run("schema", "export", "--output", tmp_path).status == 0


@pytest.mark.slow
def test_export_bundle(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "dra.json"
    assert run("schema", "export", "--bundle", file).status == 0

    schema = json.loads(file.read_text())
    Draft202012Validator.check_schema(schema)
    assert run("schema", "export", "--bundle", "-").stdout == file.read_text()
    several = run("schema", "export", "--bundle", "-", "--kubernetes-version", "1.33", "--kubernetes-version", "1.34")
    assert several.status == 2
    assert "a bundle is of one release" in several.stderr


def test_export_that_cannot_write_is_not_finished(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    out = run("schema", "export", "--output", tmp_path / "file" / "below")

    assert out.status == 3
    assert str(tmp_path / "file") in out.stderr


@pytest.fixture
def openapi(tmp_path: Path) -> Path:
    """A document of 1.38 in which claims have the fields `names` (a set), `wait`, `port` and `counts`."""
    file = tmp_path / "v1.json"
    file.write_text(json.dumps(document()))
    return file


def test_generate_adds_a_release_that_check_judges_by(run: Run, check: Run, tmp_path: Path, openapi: Path) -> None:
    folder = tmp_path / "own"
    made = run("schema", "generate", openapi, "--output", folder)
    manifest = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nnames: x\nfoo: 1\n"
    judged = check("--schemas", folder, "--kubernetes-version", "1.38", "-", stdin=manifest)

    assert (made.status, made.stderr) == (0, "")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json")) == [
        "1.38/resource.k8s.io_v1_ResourceClaim.json",
        "index.json",
        "upstream/1.38.json",
    ]
    assert judged.findings == [("DRA102", "names", 4, 8), ("DRA101", "foo", 5, 1)]
    assert judged.report["findings"][0]["releases"] == ["1.38"]


@pytest.mark.parametrize(
    ("version", "name"),
    [("v1.38.0", ""), ("v1.38.0-beta.1+x", "1.38 (beta.1)"), ("unversioned", ""), ("v1.37.0-rc.1", "")],
)
def test_a_generated_release_has_the_name_of_the_server_that_was_asked(
    run: Run, tmp_path: Path, openapi: Path, version: str, name: str
) -> None:
    asked = json.loads(openapi.read_text()) | {"info": {"title": "Kubernetes", "version": version}}
    openapi.write_text(json.dumps(asked))
    folder = tmp_path / "own"
    run("schema", "generate", openapi, "--output", folder, "--kubernetes-version", "1.38")
    manifest = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nnames: x\n"
    out = run("check", "--schemas", folder, "--kubernetes-version", "1.38", "-", stdin=manifest).stdout

    assert f"rejected by Kubernetes {name or '1.38'}: ResourceClaim a, names" in out
    assert ("alpha.2" in out, "preview" in out) == (False, bool(name))


def test_generated_release_is_listed_shown_and_exported(run: Run, tmp_path: Path, openapi: Path) -> None:
    folder = tmp_path / "own"
    run("schema", "generate", openapi, "--output", folder)

    assert run("schema", "list", "--schemas", folder).stdout.splitlines()[-1] == (
        "1.38  resource.k8s.io/v1  ResourceClaim"
    )
    shown = run("schema", "show", "latest", "v1/ResourceClaim", "--schemas", folder).stdout
    assert shown == (folder / "1.38" / "resource.k8s.io_v1_ResourceClaim.json").read_text()
    out = tmp_path / "out"
    run("schema", "export", "--schemas", folder, "--kubernetes-version", "1.38", "--output", out)
    assert [path.name for path in out.iterdir()] == ["resourceclaim-resource-v1.json"]


def test_generate_keeps_what_is_there(run: Run, tmp_path: Path, openapi: Path) -> None:
    folder = tmp_path / "own"
    assert run("schema", "generate", openapi, "--output", folder, "--kubernetes-version", "1.38").status == 0
    other = document()
    del other["components"]["schemas"]["io.k8s.api.resource.v1.ResourceClaim"]["properties"]["wait"]
    openapi.write_text(json.dumps(other))
    again = run("schema", "generate", openapi, "--output", folder)
    next_one = run("schema", "generate", openapi, "--output", folder, "--kubernetes-version", "1.39")
    forced = run("schema", "generate", openapi, "--output", folder, "--force")

    assert again.status == 2
    assert "is there already (and 1 more); replace with --force" in again.stderr
    assert (next_one.status, forced.status) == (0, 0)
    assert set(json.loads((folder / "index.json").read_text())) == {"1.38", "1.39"}
    assert "wait" not in (folder / "upstream" / "1.38.json").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: ResourceClaim\n", "v1.json is not JSON (Expecting value: line 1 column 1 (char 0))"),
        ('{"swagger": "2.0"}', "v1.json is an OpenAPI v2 document, dralint reads v3"),
        ("{}", "v1.json is not an OpenAPI v3 document"),
        ('{"paths": {"/apis/apps/v1/": {}}, "components": {"schemas": {}}}', "the documents do not name their release"),
    ],
)
def test_generate_from_something_else_is_wrong_usage(run: Run, openapi: Path, text: str, message: str) -> None:
    openapi.write_text(text)
    out = run("schema", "generate", openapi, "--output", openapi.parent / "own")

    assert out.status == 2
    assert message in out.stderr
    assert not (openapi.parent / "own").exists()


def test_generate_without_its_file(run: Run, tmp_path: Path) -> None:
    out = run("schema", "generate", tmp_path / "absent.json", "--output", tmp_path)

    assert out.status == 2
    assert f"{tmp_path / 'absent.json'}: no such file or directory" in out.stderr


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data["schemas"].pop("v1"),
        lambda data: data["schemas"]["resource.k8s.io/v1"].clear(),
        lambda data: data["schemas"]["resource.k8s.io/v1"]["io.k8s.api.resource.v1.Device"]["properties"].update(
            x={"allOf": [{}]}
        ),
        lambda data: data["schemas"]["resource.k8s.io/v1"].pop("io.k8s.api.resource.v1.Device"),
        lambda data: data["schemas"].update({"resource.k8s.io/v1": []}),
        lambda data: data["kinds"]["resource.k8s.io/v1"].append({"kind": "Nothing", "namespaced": True}),
        lambda data: data["kinds"].update({"resource.k8s.io/v9": [{"kind": "Device", "namespaced": True}]}),
    ],
)
@pytest.mark.parametrize("command", [["check", "--kubernetes-version", "1.38"], ["schema", "list"]])
@pytest.mark.slow
def test_a_folder_whose_types_do_not_hold_together_is_wrong_usage(
    run: Run, tmp_path: Path, damage: Callable[[dict[str, Any]], object], command: list[str]
) -> None:
    data = json.loads((shipped.folder("schemas") / "upstream/1.37.json").read_bytes())
    damage(data)
    (tmp_path / "upstream").mkdir()
    (tmp_path / "upstream/1.38.json").write_text(json.dumps(data))
    out = run(*command, "--schemas", tmp_path)

    assert out.status == 2
    assert f"{tmp_path}/upstream/1.38.json is not what `dralint schema generate` writes" in out.stderr


@pytest.mark.parametrize(
    "make", [Path.mkdir, lambda path: path.symlink_to("/dev/zero"), lambda path: path.symlink_to(path)]
)
def test_a_release_of_a_folder_that_is_no_file_is_wrong_usage(
    run: Run, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    (tmp_path / "upstream").mkdir()
    make(tmp_path / "upstream/1.38.json")
    out = run("check", "--schemas", tmp_path, "--kubernetes-version", "1.38")

    assert out.status == 2
    assert f"{tmp_path}/upstream/1.38.json is not what `dralint schema generate` writes" in out.stderr


def test_generate_does_not_replace_a_table_of_contents_of_others(run: Run, tmp_path: Path, openapi: Path) -> None:
    (tmp_path / "out").mkdir()
    contents = tmp_path / "out/index.json"
    contents.write_text('{"mine": 1}')
    out = run("schema", "generate", openapi, "--output", tmp_path / "out")

    assert out.status == 2
    assert f"{contents} is there already, and no table of contents of schemas; replace with --force" in out.stderr
    assert contents.read_text() == '{"mine": 1}'
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["index.json"]
    assert run("schema", "generate", openapi, "--output", tmp_path / "out", "--force").status == 0
    assert list(json.loads(contents.read_text())) == ["1.38"]


def test_generate_from_types_that_do_not_hold_together_is_wrong_usage(run: Run, tmp_path: Path, openapi: Path) -> None:
    broken = json.loads(openapi.read_text())
    for schema in broken["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            field["x-kubernetes-list-type"] = {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Gone"}
    openapi.write_text(json.dumps(broken))
    out = run("schema", "generate", openapi, "--kubernetes-version", "1.38", "--output", tmp_path / "out")

    assert (out.status, out.stdout) == (2, "")
    assert not (tmp_path / "out").exists()
