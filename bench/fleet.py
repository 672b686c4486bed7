"""Times `dralint simulate` over fleets of equal nodes and Pods, and prints a table of CPU seconds and peak memory.

    python -m bench.fleet [--rows one,many,pending,sequence,dump,hard] [--largest 100000] [--dralint PATH]

The inventories are those that `kubectl get -o json` (or `-o yaml`) writes: one Node, and one ResourceSlice of eight
devices for each node. Compare the figures of one machine in one run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

DRIVER, DEVICES = "gpu.example.com", 8
LIMITS = {
    ("one", 20_000): (15, None),
    ("one", 100_000): (90, 3000),
    ("pending", 5_000): (60, 500),
    ("sequence", 5_000): (60, 500),
    ("hard", 0): (2, None),
}
"""What a row may take: CPU seconds, and MB."""


def node(number: int) -> dict[str, Any]:
    """Return a Node as a live cluster has it, without what simulation does not read."""
    name = f"node-{number:06}"
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
    amounts = {"cpu": "96", "memory": "1024Gi", "pods": "110"}
    metadata = {"name": name, "uid": f"node-{number}", "labels": labels, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {}, "status": {"allocatable": amounts}}


def slice_(number: int) -> dict[str, Any]:
    """Return the ResourceSlice of a node."""
    name = f"node-{number:06}"
    devices = [
        {
            "name": f"gpu-{index}",
            "attributes": {
                "uuid": {"string": f"GPU-{number:08x}-{index:04x}"},
                "model": {"string": "a100"},
                "driverVersion": {"version": "580.1.0"},
                "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{index // 4:02x}"},
            },
            "capacity": {"memory": {"value": "80Gi"}},
        }
        for index in range(DEVICES)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    metadata = {"name": f"{name}-{DRIVER}", "uid": f"slice-{number}", "creationTimestamp": "2026-01-01T00:00:00Z"}
    spec = {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": metadata, "spec": spec}


def shared() -> list[dict[str, Any]]:
    """Return the class and the template that all Pods use."""
    match = f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].model == "a100"'
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}}]
    version = "resource.k8s.io/v1"
    return [
        {
            "apiVersion": version,
            "kind": "DeviceClass",
            "metadata": {"name": "gpu"},
            "spec": {"selectors": [{"cel": {"expression": match}}]},
        },
        {
            "apiVersion": version,
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "two", "namespace": "team"},
            "spec": {"spec": {"devices": {"requests": requests}}},
        },
    ]


def pod(number: int) -> dict[str, Any]:
    """Return a Pod that wants two devices and waits."""
    entry = {"name": "gpu", "resourceClaimTemplateName": "two"}
    container = {
        "name": "main",
        "image": "app",
        "resources": {"claims": [{"name": "gpu"}], "requests": {"cpu": "4", "memory": "16Gi"}},
    }
    metadata = {"name": f"pod-{number:05}", "namespace": "team", "uid": f"pod-{number}", "labels": {"app": "train"}}
    spec = {"resourceClaims": [entry], "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}


def write(path: Path, items: Iterator[dict[str, Any]], *, yaml: bool = False) -> Path:
    """Write a List as kubectl does, one item after the other."""
    with path.open("w", encoding="utf-8") as out:
        if yaml:
            out.write("apiVersion: v1\nitems:\n")
            for item in items:
                out.write("\n".join(yaml_lines([item], "")) + "\n")
            out.write('kind: List\nmetadata:\n  resourceVersion: ""\n')
            return path
        out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
        for index, item in enumerate(items):
            out.write(",\n" if index else "")
            out.write("\n".join(f"        {line}" for line in json.dumps(item, indent=4).split("\n")))
        out.write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n')
    return path


def yaml_lines(value: Any, indent: str) -> list[str]:
    """Return the lines of a value in block style; only strings that need quotes have them."""
    if not isinstance(value, dict | list) or not value:
        plain = isinstance(value, str) and re.fullmatch(
            r"(?!(?:true|false|null|yes|no|on|off|[yn])$)[A-Za-z][\w./-]*", value
        )
        return [f"{indent}{value if plain else json.dumps(value)}"]
    lines = []
    if isinstance(value, list):
        for entry in value:
            first, *rest = yaml_lines(entry, f"{indent}  ")
            lines += [f"{indent}- {first.lstrip()}", *rest]
        return lines
    for key, inner in value.items():
        below = yaml_lines(inner, indent if isinstance(inner, list) else f"{indent}  ")
        nested = isinstance(inner, dict | list) and inner
        lines += [f"{indent}{key}:", *below] if nested else [f"{indent}{key}: {below[0].lstrip()}"]
    return lines


def fleet(nodes: int, pods: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects of a cluster."""
    yield from shared()
    for number in range(nodes):
        yield slice_(number)
    for number in range(nodes):
        yield node(number)
    for number in range(pods):
        yield pod(number)


def hard() -> Iterator[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Yield claims with constraints whose search is long, each with its inventory."""

    def devices(number: int, attributes: Any) -> dict[str, Any]:
        made = slice_(0)
        made["spec"]["devices"] = [{"name": f"d-{i}", "attributes": attributes(i)} for i in range(number)]
        return made

    def claim(name: str, requests: list[dict[str, Any]], constraints: list[dict[str, Any]]) -> dict[str, Any]:
        spec = {"devices": {"requests": requests, "constraints": constraints}}
        metadata = {"name": name, "namespace": "team"}
        return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata, "spec": spec}

    any_device = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "any"},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{DRIVER}"'}}]},
    }

    def ask(number: int, count: int = 1) -> list[dict[str, Any]]:
        exactly = {"deviceClassName": "any", "allocationMode": "ExactCount", "count": count}
        return [{"name": f"r{i}", "exactly": exactly} for i in range(number)]

    a, b = f"{DRIVER}/a", f"{DRIVER}/b"
    names = [f"r{i}" for i in range(32)]
    one = [any_device, devices(64, lambda i: {"a": {"int": i % 3}})]
    yield "32 requests under one matchAttribute", claim("one", ask(32), [{"matchAttribute": a}]), one
    two = [any_device, devices(64, lambda i: {"a": {"int": i % 2}, "b": {"int": i // 2 % 2}})]
    both = [{"requests": names, "matchAttribute": a}, {"requests": names, "matchAttribute": b}]
    yield "32 requests under two matchAttributes", claim("two", ask(32), both), two
    few = [any_device, devices(40, lambda i: {"a": {"int": i % 7}})]
    yield "8 requests that must differ in 7 values", claim("few", ask(8), [{"distinctAttribute": a}]), few
    half = [any_device, devices(24, lambda i: {"a": {"int": i % 2}, "b": {"int": i % 3}})]
    mixed = [{"requests": names[:6], "matchAttribute": a}, {"requests": names[3:12], "matchAttribute": b}]
    yield "12 requests under overlapping constraints", claim("mixed", ask(12), mixed), half


def measure(command: list[str], folder: Path) -> tuple[float, float, int]:
    """Run a command; return CPU seconds, MB and exit status."""
    with (folder / "out.txt").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6, process.returncode


def main() -> None:
    """Make the inventories, run each row once and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="one,many,pending,sequence,dump,hard")
    parser.add_argument("--largest", type=int, default=100_000, help="the largest number of nodes")
    parser.add_argument("--dralint", default=shutil.which("dralint") or "dralint")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'row':<46}{'CPU s':>8}{'MB':>8}{'status':>8}  limit", flush=True)

        def row(kind: str, size: int, text: str, *command: str | Path) -> None:
            seconds, megabytes, status = measure([chosen.dralint, *map(str, command)], folder)
            limit = LIMITS.get((kind, size))
            shown = "" if limit is None else f"{limit[0]} s" + (f", {limit[1]} MB" if limit[1] else "")
            print(f"{text:<46}{seconds:>8.1f}{megabytes:>8.0f}{status:>8}  {shown}", flush=True)

        def dump(nodes: int, pods: int = 0, *, yaml: bool = False) -> Path:
            path = folder / f"{nodes}-{pods}.{'yaml' if yaml else 'json'}"
            return path if path.exists() else write(path, fleet(nodes, pods), yaml=yaml)

        one_pod = write(folder / "pod.json", iter([pod(0)]))
        pods = write(folder / "pods.json", (pod(number) for number in range(1000)))
        rows = chosen.rows.split(",")
        if "one" in rows:
            for nodes in (1_250, 5_000, 20_000, 100_000):
                if nodes <= chosen.largest:
                    row("one", nodes, f"one Pod, {nodes:,} nodes", "simulate", one_pod, "--inventory", dump(nodes))
        if "many" in rows:
            for nodes in (625, 1_250, 2_500, 5_000):
                if nodes <= chosen.largest:
                    command = ("simulate", one_pod, "--inventory", dump(nodes), "--how-many")
                    row("many", nodes, f"--how-many, {nodes:,} nodes", *command)
        for kind in ("pending", "sequence"):
            for nodes, number in ((200, 1000), (625, 1000), (5_000, 1000)):
                if kind not in rows or nodes > chosen.largest:
                    continue
                there = dump(nodes, number if kind == "pending" else 0)
                what = () if kind == "pending" else (pods,)
                command = ("simulate", *what, "--inventory", there, f"--{kind}")
                row(kind, nodes, f"--{kind}, {number:,} Pods, {nodes:,} nodes", *command)
        if "dump" in rows and chosen.largest >= 100_000:
            path = dump(100_000, yaml=True)
            text = f"one Pod, a YAML dump of {path.stat().st_size / 1e6:.0f} MB"
            row("one", 100_000, text, "simulate", one_pod, "--inventory", path)
        if "hard" in rows:
            for text, claim, slices in hard():
                manifest = write(folder / "claim.json", iter([claim]))
                inventory = write(folder / "hard.json", iter(slices))
                row("hard", 0, text, "check", manifest, "--slices", inventory)


if __name__ == "__main__":
    main()
