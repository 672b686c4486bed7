"""Adds the classes of drivers' charts to an inventory that has devices but no class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.drivers.shipped import MEANT
from dralint.finding.path import dict_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.drivers.choice import Choice
    from dralint.simulate.cluster import Cluster


def add_classes(cluster: Cluster, choice: Choice, manifests: Iterable[dict[str, Any]]) -> list[str]:
    """Add the classes that the charts of a cluster's drivers install, if it has no class; return the notes.

    Classes in the manifests are left out.
    """
    if cluster.of("DeviceClass"):
        return []
    brought = {str(dict_of(item.get("metadata")).get("name")) for item in manifests if item["kind"] == "DeviceClass"}
    notes = []
    for driver in sorted({str(item["spec"].get("driver")) for item in cluster.of("ResourceSlice")}):
        pack = choice.pack(driver) if driver in MEANT.union(choice.own) else None
        classes = () if pack is None else pack.at(pack.newest).get("classes", ())
        rows = [row for row in classes if "cel" in row and row["name"] not in brought]
        for row in rows:
            spec: dict[str, Any] = {"selectors": [{"cel": {"expression": row["cel"]}}]}
            if "extendedResource" in row:
                spec["extendedResourceName"] = row["extendedResource"]
            kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass"}
            cluster.add({**kind, "metadata": {"name": row["name"]}, "spec": spec})
        if pack is not None and rows:
            names = ", ".join(row["name"] for row in rows)
            chart = f"those of the chart of {driver} {pack.newest}: {names}"
            notes.append(f"the inventory has no DeviceClasses; dralint uses {chart}")
    return notes
