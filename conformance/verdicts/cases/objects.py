"""The valid objects that cases begin with, for each release: what its OpenAPI documents know of them."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml import YAML

from dralint.kubernetes import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

Path_ = tuple[str | int, ...]
WORKLOADS = ("Pod", "Deployment", "Job", "CronJob", "StatefulSet")
_SINCE = {
    "claim-rich": 33,
    "claim-status": 33,
    "template-rich": 33,
    "slice-counters": 33,
    "slice-partitions": 33,
    "claim-distinct": 34,
    "slice-new": 36,
    "claim-derived": 37,
}
"""Objects that mean nothing without their newest fields, and the first minor release with these."""

_OF_WORKLOADS: dict[str, dict[str, Any]] = {
    "resourceClaims": {"type": "array", "items": {"$ref": "io.k8s.api.core.v1.PodResourceClaim"}},
    "resources": {"$ref": "io.k8s.api.core.v1.ResourceRequirements"},
}


class Node(NamedTuple):
    """A value of an object that the schema describes."""

    path: Path_
    schema: dict[str, Any]
    type: str
    value: Any


class Base(NamedTuple):
    """A valid object, with the schemas of its API version."""

    name: str
    data: dict[str, Any]
    schemas: Schemas

    @property
    def kind(self) -> str:
        """The kind of the object."""
        return str(self.data["kind"])

    def nodes(self, data: dict[str, Any]) -> list[Node]:
        """Return the values of an object of this kind; of a workload only what concerns claims."""
        if self.kind not in WORKLOADS:
            return list(self.schemas.nodes(self.schemas.of_kind(self.kind), data, ()))
        return list(self._of_workload(data, ()))

    def _of_workload(self, value: Any, path: Path_) -> Iterator[Node]:
        if isinstance(value, dict):
            for key, below in value.items():
                schema = _OF_WORKLOADS.get(key)
                if schema is None:
                    yield from self._of_workload(below, (*path, key))
                else:
                    yield from self.schemas.nodes(schema, below, (*path, key))
        elif isinstance(value, list):
            for index, below in enumerate(value):
                yield from self._of_workload(below, (*path, index))


class Schemas:
    """The OpenAPI schemas of one API version."""

    def __init__(self, schemas: dict[str, dict[str, Any]], kinds: list[str]) -> None:
        self._schemas = schemas
        self._kinds = {name.rpartition(".")[2]: name for name in schemas if name.rpartition(".")[2] in kinds}

    def __contains__(self, kind: str) -> bool:
        return kind in self._kinds

    def of_kind(self, kind: str) -> dict[str, Any]:
        """Return the schema of a kind."""
        return self._schemas[self._kinds[kind]]

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema that a reference means."""
        while True:
            if "$ref" in schema:
                schema = self._schemas[schema["$ref"].rpartition("/")[2]]
            elif len(schema.get("allOf", ())) == 1:
                schema = schema["allOf"][0]
            else:
                return schema

    def nodes(self, schema: dict[str, Any], value: Any, path: Path_) -> Iterator[Node]:
        """Yield a value and the values below it that the schema describes."""
        name = _name(schema)
        schema = self.resolved(schema)
        yield Node(path, schema, name, value)
        if isinstance(value, dict):
            for key, below in value.items():
                inner = schema.get("properties", {}).get(key) or schema.get("additionalProperties")
                if inner:
                    yield from self.nodes(inner, below, (*path, key))
        elif isinstance(value, list) and schema.get("items"):
            for index, below in enumerate(value):
                yield from self.nodes(schema["items"], below, (*path, index))

    def known(self, schema: dict[str, Any], value: Any) -> Any:
        """Return a value without the fields that the schema lacks."""
        name = _name(schema)
        schema = self.resolved(schema)
        if name == "Quantity" and isinstance(value, dict):
            return value["value"]  # a capacity, before it became an object
        if isinstance(value, dict) and schema.get("properties"):
            fields = schema["properties"]
            return {key: self.known(fields[key], below) for key, below in value.items() if key in fields}
        if isinstance(value, dict) and schema.get("additionalProperties"):
            return {key: self.known(schema["additionalProperties"], below) for key, below in value.items()}
        if isinstance(value, list) and schema.get("items"):
            return [self.known(schema["items"], below) for below in value]
        return value


def _name(schema: dict[str, Any]) -> str:
    reference = schema.get("$ref") or (schema.get("allOf") or [{}])[0].get("$ref", "")
    return str(reference).rpartition(".")[2]


@cache
def _file(name: str) -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name(name))
    return loaded


def bases(release: str, folder: Path | None = None) -> list[Base]:
    """Return the objects of a release; `folder` holds the OpenAPI documents of releases not yet shipped."""
    minor = int(release.partition(".")[2])
    document = shipped.openapi(release, folder)
    found = []
    for version, schemas in document["schemas"].items():
        kinds = Schemas(schemas, [known["kind"] for known in document["kinds"].get(version, ())])
        if version == "v1":
            found += [Base(name, data, kinds) for name, data in _workloads(minor).items()]
            continue
        for name, data in _of_version(version, minor).items():
            if data["kind"] in kinds:
                pruned = kinds.known(kinds.of_kind(data["kind"]), data)
                found.append(Base(f"{version.partition('/')[2]}/{name}", pruned, kinds))
    return found


def _of_version(api_version: str, minor: int) -> dict[str, dict[str, Any]]:
    version = api_version.partition("/")[2]
    if version in ("v1alpha1", "v1alpha2"):
        return copy.deepcopy(_file(f"{version}.yaml"))
    objects = copy.deepcopy(_file("modern.yaml"))
    for name, since in _SINCE.items():
        if minor < since:
            del objects[name]
    if version == "v1alpha3" and minor < 33:
        objects |= copy.deepcopy(_file("v1alpha3.yaml"))
    if 33 <= minor < 35:  # before, counters and their consumers are in one slice
        objects["slice-partitions"]["spec"]["sharedCounters"] = copy.deepcopy(
            objects["slice-counters"]["spec"]["sharedCounters"]
        )
    for data in objects.values():
        data["apiVersion"] = api_version
        if version in ("v1alpha3", "v1beta1"):
            _flatten(data)
    return objects


def _flatten(data: dict[str, Any]) -> None:
    spec = data["spec"]
    if data["kind"] == "ResourceSlice":
        devices = spec.get("devices", [])
        devices[:] = [{"name": device.pop("name"), "basic": device} for device in devices]
    claim = spec["spec"] if data["kind"] == "ResourceClaimTemplate" else spec
    for request in claim["devices"]["requests"] if data["kind"].startswith("ResourceClaim") else ():
        request.update(request.pop("exactly", {}))


def _workloads(minor: int) -> dict[str, dict[str, Any]]:
    objects = copy.deepcopy(_file("workloads.yaml"))
    if minor < 31:
        _use_source(objects)
    return objects


def _use_source(value: Any) -> None:
    """Write claims of Pods as they were before 1.31: with `source`, and without requests."""
    for key, below in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key == "resourceClaims":
            value[key] = [{"name": claim.pop("name"), "source": claim} for claim in below]
        elif key == "claims":
            value[key] = [{"name": name} for name in dict.fromkeys(claim["name"] for claim in below)]
        else:
            _use_source(below)


def at(data: Any, path: Path_) -> Any:
    """Return the value at a path."""
    for part in path:
        data = data[part]
    return data
