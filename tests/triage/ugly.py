"""Dumps as people have them: cut off, appended, of two clusters, with logs, in other encodings. Each with its word."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.objects import item
from tests.triage.cluster import claim, device_class, node, pod, secret, slice_of

GPU = "gpu.example.com"
WAITS = "team/big: big/r: 4 of 4 devices pass the class, 4 match; wants 9"


class Ugly(NamedTuple):
    """A dump: how it is written into a folder, and the status and the words of its triage."""

    write: Callable[[Path], None]
    status: int
    says: tuple[str, ...]


def objects(uid: str = "1") -> list[dict[str, Any]]:
    """Return a cluster with a Pod that wants more devices than there are."""
    out = [node("node-a"), device_class(GPU), slice_of(GPU, "node-a", 4), claim("big", GPU, 9), pod("big", None, "big")]
    system = item("Namespace", "kube-system")
    for number, one in enumerate((system, *out)):
        one["metadata"]["uid"] = f"{uid}-{number}"
    return [system, *out]


def as_list(items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}


def as_yaml(items: list[dict[str, Any]]) -> str:
    return str(yaml.safe_dump(as_list(copy.deepcopy(items)), sort_keys=True))


def _text(text: str | bytes, name: str = "dump.yaml") -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)

    return write


def _files(**texts: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for name, text in texts.items():
            (folder / name.replace("_", ".")).write_text(text)

    return write


def _managed() -> list[dict[str, Any]]:
    found = objects()
    for one in found:
        one["metadata"]["managedFields"] = [{"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:spec": {}}}]
    return found


def _damaged() -> list[dict[str, Any]]:
    found = objects()
    found[3]["spec"]["devices"] = {"dev-0": {}}
    return found


def _without(*kinds: str) -> list[dict[str, Any]]:
    return [item for item in objects() if item["kind"] not in kinds]


PLAIN, JSON = as_yaml(objects()), json.dumps(as_list(objects()), indent=4)
TYPED = yaml.safe_dump({"apiVersion": "v1", "kind": "PodList", "items": [{**objects()[-1]}]}, sort_keys=True)

UGLY = {
    "plain": Ugly(_text(PLAIN), 1, (WAITS,)),
    "managed fields": Ugly(_text(as_yaml(_managed())), 1, (WAITS,)),
    "JSON": Ugly(_text(JSON, "dump.json"), 1, (WAITS,)),
    "JSON lines": Ugly(_text("\n".join(map(json.dumps, objects())), "dump.json"), 1, (WAITS,)),
    "flow style": Ugly(_text(json.dumps(as_list(objects()))), 1, (WAITS,)),
    "mark and CRLF": Ugly(_text(b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()), 1, (WAITS,)),
    "UTF-16": Ugly(_text(PLAIN.encode("utf-16")), 1, (WAITS,)),
    "same objects twice": Ugly(_files(a_yaml=PLAIN, b_yaml=PLAIN), 1, (WAITS,)),
    "logs and Secrets": Ugly(
        _files(a_yaml=as_yaml([*objects(), secret()]), b_log="error: {[", c_yaml="- {"), 1, (WAITS,)
    ),
    "cut YAML": Ugly(_text(PLAIN[: PLAIN.index("kind: Pod")]), 3, ("cut off",)),
    "cut JSON": Ugly(_text(JSON[:-400], "dump.json"), 3, ("dump.json",)),
    "two lists appended": Ugly(_text(PLAIN + as_yaml(objects()[:2])), 3, ("`---` is missing before it", WAITS)),
    "two clusters": Ugly(_files(a_yaml=PLAIN, b_yaml=as_yaml(objects("2"))), 3, (WAITS, "dump of two clusters")),
    "compressed": Ugly(_text(gzip.compress(PLAIN.encode()), "dump.yaml.gz"), 3, ("dump.yaml.gz",)),
    "no claims": Ugly(
        _text(as_yaml(_without("ResourceClaim"))), 1, ("what keeps it is unknown: the dump has no ResourceClaims",)
    ),
    "devices as a map": Ugly(_text(as_yaml(_damaged())), 3, ("spec.devices: expected a list",)),
    "a table": Ugly(_text("NAME   READY\nbig    0/1\n", "pods.txt"), 3, ("no object that matters",)),
    "typed list": Ugly(_files(a_yaml=as_yaml(objects()[:-1]), b_yaml=TYPED), 1, (WAITS,)),
    "error at the end": Ugly(_text(PLAIN + "Error from server (Forbidden): nodes is forbidden\n"), 1, (WAITS,)),
    "warning on top": Ugly(_text("Warning: v1 ComponentStatus is deprecated in v1.19+\n" + PLAIN), 1, (WAITS,)),
    "only Secrets": Ugly(_text(as_yaml([secret()])), 3, ("no object that matters",)),
}
