"""Reads packs in YAML files and checks them against their JSON Schema and the rules that a schema cannot express."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.extends import extended
from dralint.drivers.pack import Pack, shipped
from dralint.drivers.patterns import mistake
from dralint.drivers.shipped import DRIVERS
from dralint.kubernetes.near import closest
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.yaml import Document, Path

LARGEST = 4 << 20
"""The largest pack that is read, in bytes."""


class PackMistake(NamedTuple):
    """A mistake in a pack, with the line of its file."""

    line: int
    text: str


class PackError(ValueError):
    """A file that is not a valid pack; the message has the mistake and its line."""


def read_pack(raw: bytes) -> dict[str, Any]:
    """Return the pack of a file.

    Raises:
        PackError: the file is not a valid pack.
    """
    wrong = mistakes(raw)
    if wrong:
        raise PackError(f"line {wrong[0].line}: {wrong[0].text}")
    found: Any = _documents(raw)[0].data
    return _whole(found)


def _whole(data: dict[str, Any]) -> dict[str, Any]:
    """Return a pack with the parts of the one that it extends."""
    base = shipped(str(data.get("extends")))
    return dict(data) if base is None else extended(base.data, data)


def load(file: str) -> Pack:
    """Return the pack of a file that was checked before. Raises PackError or OSError where it has changed since."""
    return Pack(read_pack(FilePath(file).read_bytes()))


def _documents(raw: bytes) -> list[Document]:
    return [document for document in read(raw) if document.state != "empty"]


def mistakes(raw: bytes) -> list[PackMistake]:
    """Return the mistakes in a file as a pack, by line."""
    if len(raw) > LARGEST:
        return [PackMistake(1, f"the file is larger than {LARGEST >> 20} MiB")]
    documents = _documents(raw)
    if len(documents) != 1:
        return [PackMistake(1, "a pack is one YAML document, and the file has " + ("several" if documents else "none"))]
    document = documents[0]
    if document.problems:
        return [PackMistake(problem.span.line, problem.message) for problem in document.problems]
    if document.state != "read" or not isinstance(document.data, dict):
        return [PackMistake(1, document.reason or "a pack is a mapping")]
    extends = document.data.get("extends", "")
    if isinstance(extends, str) and extends and extends not in DRIVERS:
        tip = closest(extends, DRIVERS) or "`dralint pack show` lists the drivers"
        return [_mistake(document, ("extends",), f"dralint has no pack of {extends!r}; {tip}")]
    found = list(_against_schema(document)) or list(_beyond_schema(document))
    return sorted(found, key=lambda mistake: mistake.line)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of packs."""
    found: dict[str, Any] = json.loads((FilePath(__file__).parent / "pack.schema.json").read_bytes())
    return found


def _against_schema(document: Document) -> Iterator[PackMistake]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    for error in Draft202012Validator(schema()).iter_errors(_filled(document.data)):
        inner = best_match([error]) or error
        yield _mistake(document, tuple(inner.absolute_path), inner.message[:200])


def _filled(data: Any) -> dict[str, Any]:
    """Return a pack with the required keys that the extended pack has."""
    base = shipped(str(data.get("extends")))
    if base is None:
        return dict(data)
    filled = {"versions": base.versions, **data}
    if isinstance(data.get("parameters"), dict):
        filled["parameters"] = {**base.data.get("parameters", {}), **data["parameters"]}
    return filled


def _beyond_schema(document: Document) -> Iterator[PackMistake]:
    """Yield names that do not exist: of versions, kinds of devices and gates."""
    data: Any = document.data
    whole = _whole(data)
    known = {
        "since": whole["versions"],
        "until": whole["versions"],
        "unreleased": whole["versions"],
        "kinds": list(whole.get("kinds", {})),
        "devices": list(whole.get("kinds", {})),
        "gate": list(whole.get("gates", {})),
    }
    what = {"kinds": "kind of device", "devices": "kind of device", "gate": "feature gate"}
    for path, key, value in _named(data, ()):
        for name in value if isinstance(value, list) else [value]:
            if key in known and isinstance(name, str) and name not in known[key]:
                tip = closest(name, known[key]) or f"it has {', '.join(known[key]) or 'none'}"
                yield _mistake(document, path, f"the pack has no {what.get(key, 'version')} {name!r}; {tip}")
    for section in ("attributes", "capacities"):
        for number, row in enumerate(data.get(section, ())):
            for key in ("names", "pattern"):
                if key in row and (wrong := mistake(row[key])) is not None:
                    yield _mistake(document, (section, number, key), wrong)


def _named(value: Any, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Yield the values of all keys that are a text or a list, except for names of fields of parameters."""
    if isinstance(value, dict):
        for key, each in value.items():
            if path[-1:] != ("fields",) and (isinstance(each, str) or (isinstance(each, list) and key != "versions")):
                yield (*path, key), key, each
            yield from _named(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _named(each, (*path, number))


def _mistake(document: Document, path: Path, text: str) -> PackMistake:
    place = ".".join(map(str, path))
    return PackMistake(document.span(path).line, f"{place}: {text}" if place else text)
