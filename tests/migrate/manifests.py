"""Random manifests: objects of random content, written in a random style, with numbered comments everywhere."""

from __future__ import annotations

import json
import random
from typing import Any

Random = random.Random

NESTED = {"v1beta2", "v1"}
EXPRESSION = 'device.driver == "gpu.example.com" &&\n  device.attributes["gpu.example.com"].model == "a # b"'


def claim(rng: Random, version: str) -> dict[str, Any]:
    """Return a ResourceClaim or ResourceClaimTemplate of an API version (v1alpha3, v1beta1, v1beta2, v1)."""
    requests = [_request(rng, version, f"r{number}") for number in range(rng.randint(1, 3))]
    spec: dict[str, Any] = {"devices": {"requests": requests}}
    if rng.random() < 0.5:
        spec["devices"]["constraints"] = [{"requests": ["r0"], "matchAttribute": "gpu.example.com/numa"}]
    template = rng.random() < 0.4
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaimTemplate" if template else "ResourceClaim",
        "metadata": {"name": "train", "labels": {"app": "on", "tier": "1"}},
        "spec": {"spec": spec} if template else spec,
    }


def _request(rng: Random, version: str, name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"deviceClassName": "gpu.example.com"}
    if rng.random() < 0.5:
        fields |= {"allocationMode": "ExactCount", "count": rng.randint(1, 9)}
    if rng.random() < 0.5:
        fields["selectors"] = [{"cel": {"expression": rng.choice((EXPRESSION, "true", "device.driver == 'x: y'"))}}]
    if rng.random() < 0.3:
        fields["adminAccess"] = False
    shaped = {"exactly": fields} if version in NESTED else fields
    return {"name": name, **shaped} if rng.random() < 0.8 else {**shaped, "name": name}


def slice_(rng: Random, version: str) -> dict[str, Any]:
    """Return a ResourceSlice of an API version."""
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceSlice",
        "metadata": {"name": "node-1-gpus"},
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": "node-1",
            "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
            "devices": [_device(rng, version, f"gpu-{number}") for number in range(rng.randint(1, 4))],
        },
    }


def _device(rng: Random, version: str, name: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"attributes": {"model": {"string": "a100"}, "index": {"int": rng.randint(0, 9)}}}
    if rng.random() < 0.7:
        sizes = {"memory": "80Gi", "example.com/cores": "1.5"}
        fields["capacity"] = {k: v if version == "v1alpha3" else {"value": v} for k, v in sizes.items()}
    shaped = fields if version in NESTED else {"basic": fields}
    return {"name": name, **shaped} if rng.random() < 0.8 else {**shaped, "name": name}


class Style:
    """How to write YAML: indentation, comments, blank lines, quotes, braces, line ends; all by chance.

    Args:
        rng: the chance.
        plain_keys: keys with no comment beside them or their first entry, and no braces around their value.
    """

    def __init__(self, rng: Random, plain_keys: frozenset[str] = frozenset()) -> None:
        self.rng = rng
        self.plain_keys = plain_keys
        self.step = rng.choice((2, 2, 4))
        self.lists = rng.choice((0, self.step))
        self.comments = rng.choice((0.0, 0.3, 0.7))
        self.blanks = rng.choice((0.0, 0.1))
        self.braces = rng.choice((0.0, 0.1, 0.3))
        self.pad = rng.choice(("", " "))
        self.count = 0

    def write(self, data: dict[str, Any]) -> str:
        """Return the object as text."""
        lines = self._mapping(data, 0)
        text = "\n".join(lines) + "\n"
        if self.rng.random() < 0.2:
            text = text.replace("\n", "\r\n")
        if self.rng.random() < 0.2:
            text = text.removesuffix("\n").removesuffix("\r")
        return "\ufeff" + text if self.rng.random() < 0.1 else text

    def _comment(self) -> str:
        self.count += 1
        return f"# c{self.count}"

    def _above(self, left: int) -> list[str]:
        out = [""] if self.rng.random() < self.blanks else []
        return [*out, " " * left + self._comment()] if self.rng.random() < self.comments else out

    def _behind(self) -> str:
        return f"  {self._comment()}" if self.rng.random() < self.comments else ""

    def _mapping(self, data: dict[str, Any], left: int) -> list[str]:
        out: list[str] = []
        for key, value in data.items():
            out += self._above(left) if key not in self.plain_keys else []
            start = (
                f"{' ' * left}{self._scalar(key) if key not in self.plain_keys and self.rng.random() < 0.05 else key}:"
            )
            out += self._value(start, value, left, key)
        return out

    def _value(self, start: str, value: Any, left: int, key: str) -> list[str]:
        plain = key in self.plain_keys
        if isinstance(value, dict | list) and value and (plain or self.rng.random() >= self.braces):
            head = start if plain else start + self._behind()
            if isinstance(value, dict):
                inner = self._mapping(value, left + self.step)
                if plain:  # a comment above the first key would look the same above the key itself
                    first = next(i for i, line in enumerate(inner) if line.strip() and not line.strip().startswith("#"))
                    inner = inner[first:]
                return [head, *inner]
            return [head, *self._list(value, left + self.lists)]
        if isinstance(value, str) and "\n" in value:
            rows = [" " * (left + self.step) + row for row in value.split("\n")]
            return [f"{start} |-{self._behind()}", *rows]
        return [f"{start} {self._flow(value)}{self._behind()}"]

    def _list(self, values: list[Any], left: int) -> list[str]:
        out: list[str] = []
        for value in values:
            out += self._above(left)
            if isinstance(value, dict) and value and self.rng.random() >= self.braces:
                rows = self._mapping(value, left + 2)
                while not rows[0].strip() or rows[0].strip().startswith("#"):
                    out.append(" " * left + rows.pop(0).strip())
                out += [f"{' ' * left}- {rows[0].lstrip()}", *rows[1:]]
            else:
                out.append(f"{' ' * left}- {self._flow(value)}{self._behind()}")
        return out

    def _flow(self, value: Any) -> str:
        if isinstance(value, dict):
            entries = ", ".join(f"{key}: {self._flow(entry)}" for key, entry in value.items())
            return "{" + self.pad + entries + self.pad + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self._flow, value)) + "]"
        return self._scalar(value)

    def _scalar(self, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        quotes = ['"', "'"]
        if value.replace("-", "").replace(".", "").replace("/", "").isalnum() and value not in (
            "on",
            "true",
            "1",
            "1.5",
        ):
            quotes.append("")
        quote = self.rng.choice(quotes)
        if quote == "'" and "\n" not in value:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value) if quote or "\n" in value else value
