"""A large text is read in parts, and every part has whole objects at the lines of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.fleet import fleet, write, yaml_lines
from dralint.files import text_parts
from dralint.files.source import Source
from dralint.manifest.objects import objects_of

pytestmark = pytest.mark.slow

OBJECTS = list(fleet(20, 5))
WITHOUT_KIND = [
    {key: value for key, value in item.items() if key not in ("kind", "apiVersion")}
    for item in OBJECTS
    if item["kind"] == "ResourceSlice"
]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_parts, "AT_ONCE", 3000)


def text(name: str, folder: Path) -> bytes:
    """Return the objects as programs write them."""
    pretty = write(folder / "pretty", iter(OBJECTS)).read_bytes()
    block = write(folder / "block", iter(OBJECTS), yaml=True).read_bytes()
    dumped = {"apiVersion": "v1", "items": OBJECTS, "kind": "List", "metadata": {"resourceVersion": ""}}
    typed = {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1", "metadata": {}, "items": WITHOUT_KIND}
    return {
        "json": pretty,
        "json twice": pretty + pretty,
        "yaml": block,
        "yaml twice": b"# a dump\n---\n" + block + b"---\n" + block,
        "compact json": json.dumps(dumped).encode(),
        "json of jq": json.dumps(dumped, indent=2).encode(),
        "json of the server": json.dumps(typed, indent=1).encode(),
        "documents": "---\n".join("\n".join(yaml_lines(item, "")) + "\n" for item in OBJECTS).encode(),
        "json, then yaml": pretty + b"---\n" + block,
    }[name]


@pytest.mark.parametrize(
    "name",
    [
        "json",
        "json twice",
        "yaml",
        "yaml twice",
        "compact json",
        "json of jq",
        "json of the server",
        "documents",
        "json, then yaml",
    ],
)
def test_the_parts_have_the_objects_of_the_text(name: str, tmp_path: Path) -> None:
    raw = text(name, tmp_path)
    path = tmp_path / "dump"
    path.write_bytes(raw)
    lines = raw.split(b"\n")

    found: list[Any] = []
    for part in text_parts.parts_of(Source("dump", str(path))):
        for document, item in objects_of(part.raw):
            found.append((item.api_version, item.kind, item.data))
            line = document.span((*item.path, "metadata", "name")).line + part.line
            assert item.data["metadata"]["name"].encode() in lines[line - 1]

    assert found == [(item.api_version, item.kind, item.data) for _, item in objects_of(raw)]


@pytest.mark.parametrize(("name", "number"), [("json", 20), ("yaml", 15), ("compact json", 15), ("documents", 10)])
def test_a_list_is_divided_between_its_items(name: str, number: int, tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(text(name, tmp_path))

    assert len(list(text_parts.parts_of(Source("dump", str(path))))) >= number


def test_a_small_text_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b"a: 1\n---\nb: 2\n")

    assert list(text_parts.parts_of(Source("dump", str(path)))) == [text_parts.TextPart(b"a: 1\n---\nb: 2\n")]


def test_a_list_that_says_its_kind_too_late_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    late = {"apiVersion": "resource.k8s.io/v1", "items": WITHOUT_KIND, "kind": "ResourceSliceList"}
    path.write_text(json.dumps(late, indent=1))

    with pytest.raises(OSError, match="it has more than 128 MiB"):
        list(text_parts.parts_of(Source("dump", str(path))))


def test_what_cannot_be_divided_is_refused_above_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_parts, "LARGEST_FILE", 10_000)
    path = tmp_path / "dump"
    path.write_text("a:\n" + "  - 1\n" * 5000)

    with pytest.raises(OSError, match="split it into several files"):
        list(text_parts.parts_of(Source("dump", str(path))))
