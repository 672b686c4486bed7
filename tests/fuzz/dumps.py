"""Damaged dumps of a cluster: an object has another value somewhere, or the text is cut."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from dralint.manifest.objects import objects_of
from tests.objects import item
from tests.triage.cluster import claim, device_class, node, pod, slice_of

_GPU = "gpu.example.com"
_ODD: tuple[Any, ...] = (
    *(None, "text", "", 5, -1, 1.5, True, [], {}, ["a"], [None], [[]], [{}], {"a": 1}, {"a": None}, {"": {}}),
    *("0x5", "1Gi", "9" * 30, 10**30, "a/b/c", "\u0000", [{"name": 5}], {"name": {"a": []}}, "2026-13-01T00:00:00Z"),
)
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("triage", "{dump}"),
    ("triage", "{dump}", "--show-all", "--format", "json"),
    ("simulate", "--inventory", "{dump}", "--pending"),
    ("simulate", "--inventory", "{dump}", "--evict"),
    ("simulate", "--inventory", "{dump}", "{file}", "--sequence"),
    ("simulate", "--inventory", "{dump}", "{file}", "--how-many"),
    ("simulate", "--inventory", "{file}", "{dump}"),
    ("check", "--slices", "{dump}", "{file}"),
    ("check", "--complete", "--slices", "{dump}", "{file}"),
    ("diff", "--inventory", "{dump}", "{file}"),
)


def cluster() -> list[dict[str, Any]]:
    """Return a small cluster in which Pods of every kind wait, run, and share devices."""
    out = [copy.deepcopy(item.data) for _, item in objects_of(Path(__file__).with_name("cluster.yaml").read_bytes())]
    spec = next(item["spec"] for item in out if item["metadata"]["name"] == "waits")
    template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    for kind in ("Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job"):
        own: dict[str, Any] = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}}
        if kind == "Job":
            own = {"parallelism": 2, "completions": 3}
        made = item(kind, "web", "team", metadata={"uid": kind}, spec={**own, "template": template})
        out.append(copy.deepcopy(made))
    gpus, tainted, plain = device_class(_GPU), node("node-1"), node("node-2")
    gpus["spec"]["extendedResourceName"] = "example.com/gpu"
    tainted["spec"] = {"taints": [{"key": "a", "effect": "PreferNoSchedule"}], "unschedulable": False}
    for one in (tainted, plain):
        one["metadata"]["labels"]["a"] = "b"
    out += [gpus, tainted, plain, slice_of(_GPU, "node-2", 3), claim("big", _GPU, 9), pod("big", None, "big")]
    return [*out, claim("used", _GPU, devices=(("node-2", "dev-0"),)), pod("shares", "node-2", "used")]


def command_of(chance: random.Random, raw: bytes, folder: Path) -> list[str]:
    """Write a dump and a manifest to a folder; return the command line."""
    dump, file = folder / chance.choice(("a.yaml", "a.json")), folder / "other.yaml"
    dump.write_bytes(raw)
    asked = [item for item in cluster() if item["kind"] in ("Pod", "ResourceClaimTemplate", "Deployment")]
    file.write_text("\n---\n".join(map(json.dumps, asked)))
    return [word.format(dump=dump, file=file) for word in chance.choice(COMMANDS)]


def dump_of(chance: random.Random) -> bytes:
    """Return a damaged dump: up to four values differ; sometimes it is cut, appended twice, or UTF-16."""
    objects = cluster()
    for _ in range(chance.randint(1, 4)):
        places: list[tuple[Any, Any]] = []
        _collect(chance.choice(objects), places)
        holder, key = chance.choice(places)
        what = chance.random()
        if what < 0.15:
            del holder[key]
        elif what < 0.3:
            other, its = chance.choice(places)
            holder[key] = copy.deepcopy(other[its]) if other is not holder and its in _keys(other) else None
        elif what < 0.4:
            holder[key] = [holder[key]]
        else:
            holder[key] = copy.deepcopy(chance.choice(_ODD))
    whole = {"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {"resourceVersion": ""}}
    if chance.random() < 0.5:
        raw = json.dumps(whole, indent=chance.choice((None, 1, 4))).encode("utf-8", "surrogatepass")
    else:
        raw = _yaml(objects).encode()
    way = chance.random()
    if way < 0.15:
        raw = raw[: chance.randrange(len(raw))]
    elif way < 0.2:
        raw += raw
    elif way < 0.25:
        raw = raw.decode().encode("utf-16")
    return raw


def _yaml(objects: list[dict[str, Any]]) -> str:
    items = "".join("- " + json.dumps(item, indent=1).replace("\n", "\n  ") + "\n" for item in objects)
    return f"apiVersion: v1\nitems:\n{items}kind: List\n"


def _keys(holder: Any) -> Any:
    return range(len(holder)) if isinstance(holder, list) else holder


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    for key in list(_keys(value)) if isinstance(value, dict | list) else ():
        places.append((value, key))
        _collect(value[key], places)
