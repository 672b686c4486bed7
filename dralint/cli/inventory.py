"""Reads the inputs of `dralint simulate`: the inventory, and manifests that the API server accepts."""

from __future__ import annotations

import gc
import sys
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dralint import report as reports
from dralint.cli.output import for_run, tell
from dralint.cli.write_reports import to_stdout
from dralint.config.settings import Settings
from dralint.drivers.shipped import MEANT
from dralint.files.discover import discover
from dralint.files.git import Text
from dralint.files.text_parts import size_of
from dralint.finding.problem import at, dict_of
from dralint.finding.report import PACKED, Report, unread
from dralint.finding.rule_ids import IMMUTABLE_FIELD
from dralint.kubernetes.workloads import POD_SPECS, custom_kind
from dralint.lint.inventory_reader import InventoryReader, fault_of
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.manifest.objects import known_kind, objects_of
from dralint.simulate.cluster import Cluster
from dralint.update.linter import Updates, old_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.cli.simulate import Chosen
    from dralint.drivers.choice import Choice
    from dralint.files.source import Source
    from dralint.finding.report import Failure, LeftOut
    from dralint.kubernetes.release import Release
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Key


_MOST_TOLD = 20


def sources_of(paths: Sequence[str], exclude: Sequence[str] = ()) -> list[Source]:
    """Return the files at the paths; end the command where one cannot be read."""
    found = discover(paths, exclude, documents=False)
    if found.missing:
        raise click.UsageError(f"the path {found.missing[0]!r} does not exist")
    for failure in found.failures:
        tell(f"dralint: {failure.file}: {failure.message}")
        sys.exit(3)
    tell_packed(found.left_out)
    return found.sources


def text_of(source: Source) -> bytes:
    """Return the text of a file; end the command where it cannot be read."""
    try:
        return source.read()
    except OSError as error:
        tell(f"dralint: {source.name} {unread(source.name, error).message}")
        sys.exit(3)


def read_inventory(
    sources: Sequence[Source], gates: tuple[tuple[str, bool], ...], *, quiet: bool
) -> tuple[Cluster, list[tuple[dict[str, Any], bool]], bool]:
    """Return the cluster of the inventory, its Pods and workloads, and whether some of it is left out.

    End the command if the inventory has no object that matters.
    """
    progress = for_run(sum(map(size_of, sources)), quiet=quiet, noun="bytes of the inventory")
    dump = InventoryReader(gates, None if progress is None else progress.advance)
    cluster, originals = Cluster(), []
    gc.disable()  # nothing of the inventory refers to itself, and looking for it takes a fifth of the time
    for source in sources:
        try:
            for item, _ in dump.objects(source):
                cluster.add(item.typed)
                if (item.api_version, item.kind) in POD_SPECS or known_kind(item) is not None:
                    originals.append((item.typed, False))
        except OSError as error:
            tell(f"dralint: {source.name} {unread(source.name, error).message}")
            sys.exit(3)
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000)
    cluster.absent, cluster.in_part = dump.absent, dump.incomplete
    if progress is not None:
        progress.finish()
    tell_faults(dump.faults)
    if not cluster.objects:
        tell("dralint: not simulated: the inventory has no object that matters here")
        sys.exit(3)
    return cluster, originals, bool(dump.faults)


def tell_packed(left_out: Iterable[LeftOut]) -> None:
    """Tell which files of a folder are compressed."""
    for one in left_out:
        if one.reason == PACKED:
            tell(f"dralint: {one.file} cannot be read: {one.reason}")


def tell_faults(faults: Sequence[Failure]) -> None:
    """Tell what of an inventory or a dump is left out, with the place of each."""
    for fault in faults[:_MOST_TOLD]:
        tell(f"dralint: {fault.file}:{fault.line}: {fault.message}")
    if len(faults) > _MOST_TOLD:
        tell(f"dralint: and {len(faults) - _MOST_TOLD} more places of the inventory that are left out")


def objects_in(raw: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a text, each with its type."""
    for _, item in objects_of(raw):
        yield item.typed


def stop_for_findings(
    texts: dict[str, bytes], release: Release, gates: tuple[tuple[str, bool], ...], chosen: Chosen
) -> None:
    """End the command with the findings on manifests that the API server refuses."""
    settings = Settings(releases=(release,), gates=gates, ignore_status=False)
    linter, whole = Linter(settings, collects=False), Report()
    for name, raw in texts.items():
        whole.extend(judge_bytes(linter, name, raw, Task(settings, excerpts=True)).report)
    whole.findings = [finding for finding in whole.findings if finding.effect in ("unreadable", "rejected")]
    if whole.findings or whole.failures:
        whole.sort()
        sys.exit(_show_report(whole, chosen))
    faults = [
        fault
        for name, raw in texts.items()
        for document, item in objects_of(raw)
        if (fault := fault_of(linter.releases, name, document, item)) is not None
    ]
    if faults:  # in the rest of a Pod, which is not judged
        tell_faults(faults)
        tell("dralint: not simulated: the API server would refuse the objects above")
        sys.exit(1)


def stop_for_changes(
    before: Cluster, keys: Iterable[tuple[Key, str]], texts: dict[str, bytes], behaviour: Behaviour, chosen: Chosen
) -> None:
    """End the command with the findings on manifests that change immutable fields of a live object."""
    old = old_side(before.objects.items(), dict(keys))
    if not old:
        return
    new = [Text(name, name, lambda raw=raw: raw) for name, raw in texts.items()]  # type: ignore[misc]
    settings = Settings(releases=(behaviour.release,), ignore_status=False)
    report = Updates(settings).compare(old, new, excerpts=True)
    report.findings = [f._replace(related=()) for f in report.findings if f.rule == IMMUTABLE_FIELD]
    if report.findings:
        sys.exit(_show_report(report, chosen))


def _show_report(report: Report, chosen: Chosen) -> int:
    format_ = "text" if chosen["format_"] == "text" else "json"
    to_stdout(reports.render(format_, report, reports.Style()), format_)
    for failure in report.failures:
        tell(f"dralint: {failure.file}: {failure.message}")
    tell("dralint: not simulated: the API server would refuse the objects above")
    return 3 if report.failures else 1


def _drivers(cluster: Cluster) -> list[str]:
    """Return the drivers that publish devices in a cluster."""
    return sorted({str(item["spec"].get("driver")) for item in cluster.of("ResourceSlice")})


def add_made(cluster: Cluster, choice: Choice, manifests: Iterable[dict[str, Any]], namespace: str) -> list[str]:
    """Add the templates that the drivers of a cluster make from objects of the manifests; return the notes."""
    notes = []
    rows = [row for driver in _drivers(cluster) if (pack := choice.pack(driver)) for row in pack.data.get("makes", ())]
    for item, row in product(manifests, rows):
        group, made_in = (str(each["apiVersion"]).partition("/")[0] for each in (item, row))
        name = at(item, tuple(row["template"].split(".")))
        if (item["kind"], group) != (row["kind"], made_in) or not isinstance(name, str):
            continue
        metadata = {"name": name, "namespace": str(dict_of(item.get("metadata")).get("namespace") or namespace)}
        if cluster.get("ResourceClaimTemplate", metadata["namespace"], name) is not None:
            continue
        known = custom_kind(group, item["kind"])
        names = [called for made in known.makes for called in made.requests] if known is not None else []
        request = {"name": next(iter(names), "device"), "exactly": {"deviceClassName": row["class"], "count": 1}}
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate"}
        cluster.add({**kind, "metadata": metadata, "spec": {"spec": {"devices": {"requests": [request]}}}})
        notes.append(f"the driver makes the template {name} of a {row['kind']}, for one device of {row['class']}")
    return notes


def add_classes(cluster: Cluster, choice: Choice, manifests: Iterable[dict[str, Any]]) -> list[str]:
    """Add the classes that the charts of a cluster's drivers install, if it has no class; return the notes.

    Classes in the manifests are left out.
    """
    if cluster.of("DeviceClass"):
        return []
    brought = {str(dict_of(item.get("metadata")).get("name")) for item in manifests if item["kind"] == "DeviceClass"}
    notes = []
    for driver in _drivers(cluster):
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
