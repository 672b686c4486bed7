"""Selects the schema for the opaque parameters of an object, and checks them."""

from __future__ import annotations

import itertools
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from dralint.finding.path import at
from dralint.finding.problem import Problem
from dralint.finding.rule_ids import DRIVER_SCHEMA
from dralint.finding.words import quoted
from dralint.kubernetes.near import closest
from dralint.opaque.schema_file import LARGEST, Definitions, Schema, SchemaError, load, shown_kinds
from dralint.opaque.words import told
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path

_CONFIGS: tuple[Path, ...] = (
    ("spec", "devices", "config"),
    ("spec", "spec", "devices", "config"),
    ("spec", "config"),
)
"""The paths of configurations in claims, templates and classes."""
_MOST = 40
"""At most this many problems are reported in the parameters of one object."""


class Parameters(NamedTuple):
    """Opaque parameters of a driver; `path` leads to them from the object."""

    path: Path
    driver: str
    value: dict[str, Any]

    @property
    def type(self) -> tuple[str, str, str]:
        """Their own group, version and kind; empty where they have none."""
        version, kind = self.value.get("apiVersion"), self.value.get("kind")
        group, _, name = (version if isinstance(version, str) else "").rpartition("/")
        return group, name, kind if isinstance(kind, str) else ""


def parameters_of(item: ApiObject) -> Iterator[Parameters]:
    """Yield the readable opaque parameters of a claim, template or class."""
    for place in _CONFIGS:
        entries = at(item.data, place)
        for number, entry in enumerate(entries if isinstance(entries, list) else ()):
            path = (*place, number, "opaque")
            opaque = entry.get("opaque") if isinstance(entry, dict) else None
            if isinstance(opaque, dict) and isinstance(opaque.get("parameters"), dict):
                driver = opaque.get("driver")
                name = driver if isinstance(driver, str) else ""
                yield Parameters((*path, "parameters"), name, opaque["parameters"])


class DriverSchemas:
    """Schemas by their key: a driver, GROUP/KIND, or GROUP/VERSION/KIND; the narrowest key judges.

    Raises SchemaError for a file that cannot be read, or has no schema for its key.
    """

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self._schemas: dict[str, Schema | Definitions] = {}
        for key, file in files:
            self._schemas[key] = _loaded(key, FilePath(file))

    def check(self, item: ApiObject) -> list[Problem]:
        """Return the problems that the schemas find in an object's parameters."""
        found: Iterator[Problem] = itertools.chain.from_iterable(map(self._judged, parameters_of(item)))
        return list(itertools.islice(found, _MOST))

    def _judged(self, parameters: Parameters) -> Iterator[Problem]:
        key = key_for(parameters, self._schemas)
        if key is None:
            return
        schema = self._schemas[key]
        if isinstance(schema, Definitions):
            yield from judged_by(schema, parameters, key)
        else:
            yield from told(schema.errors(parameters.value), parameters.path, key)


def key_for(parameters: Parameters, keys: Container[str]) -> str | None:
    """Return the narrowest of the keys that match such parameters; None where none does."""
    group, version, kind = parameters.type
    mine = (f"{group}/{version}/{kind}", f"{group}/{kind}", parameters.driver)
    return next((key for key in mine if key in keys), None)


def judged_by(definitions: Definitions, parameters: Parameters, label: str) -> Iterator[Problem]:
    """Yield the problems of parameters by the definition of a custom resource with their kind and version.

    Args:
        label: the name of the schema in messages.
    """
    group, version, kind = parameters.type
    versions = definitions.kinds.get((group, kind))
    if versions is None and not parameters.value.get("kind") and len(definitions.kinds) == 1:
        versions = next(iter(definitions.kinds.values()))
        version = version or next(reversed(versions))
    if versions is None:
        yield from _unknown_kind(definitions, parameters, label)
        return
    schema = versions.get(version)
    if schema is None:
        path = (*parameters.path, "apiVersion")
        message = f"{quoted(version)} is not a version of {kind} in the schema of {label}"
        yield Problem(DRIVER_SCHEMA, path, message, None, f"it has {', '.join(versions)}")
        return
    yield from told(schema.errors(parameters.value), parameters.path, label)


def _unknown_kind(definitions: Definitions, parameters: Parameters, label: str) -> Iterator[Problem]:
    group, _, kind = parameters.type
    key = "kind" if any(known == group for known, _ in definitions.kinds) else "apiVersion"
    path = (*parameters.path, key)
    value = parameters.value.get(key)
    near = closest(kind, [known for there, known in definitions.kinds if there == group]) if key == "kind" else None
    hint = near or f"it has {shown_kinds(definitions)}"
    if key not in parameters.value:
        yield Problem(DRIVER_SCHEMA, path, f"`{key}` is missing (schema of {label})", None, hint)
    else:
        what = "kind" if key == "kind" else "group"
        yield Problem(DRIVER_SCHEMA, path, f"{quoted(value)} is not a {what} in the schema of {label}", None, hint)


def _loaded(key: str, file: FilePath) -> Schema | Definitions:
    try:
        with file.open("rb") as stream:
            raw = stream.read(LARGEST + 1)
    except OSError as error:
        raise SchemaError(f"{file}: {error.strerror or error}") from error
    try:
        found = load(raw)
        _check_kinds(key, found)
    except SchemaError as error:
        raise SchemaError(f"{file}: {error}") from error
    return found


def _check_kinds(key: str, found: Schema | Definitions) -> None:
    if "/" not in key or not isinstance(found, Definitions):
        return
    group, _, rest = key.partition("/")
    version, _, kind = rest.rpartition("/")
    versions: Mapping[str, Schema] | None = found.kinds.get((group, kind))
    if versions is None or (version and version not in versions):
        raise SchemaError(f"it defines {shown_kinds(found)}, not {key}")


def refused(files: Iterable[tuple[str, str]]) -> tuple[str, str, str] | None:
    """Return the first schema file that does not fit its key: the key, the file, and the reason; None for none."""
    for key, file in files:
        wrong = check_key(key)
        if wrong is None:
            try:
                DriverSchemas([(key, file)])
            except SchemaError as error:
                wrong = str(error)
        if wrong is not None:
            return key, file, wrong
    return None


def check_key(key: str) -> str | None:
    """Return what is wrong with the key of a schema; None where nothing is."""
    parts = key.split("/")
    if len(parts) > 3 or not all(part and not any(char.isspace() for char in part) for part in parts):
        return f"{key!r} is neither a driver nor GROUP/KIND nor GROUP/VERSION/KIND"
    return None
