"""The differences between two patch releases: the files with the verdicts, and recorded verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance import modules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from conformance.recording import Row

DECIDE: dict[str, dict[str, tuple[str, ...]]] = {
    "verdicts": {
        modules.KUBERNETES: (
            "pkg/apis/resource",
            "pkg/apis/core",
            "pkg/api/pod",
            "pkg/registry/resource",
            "pkg/registry/core/pod",
            "pkg/features",
        ),
        "k8s.io/api": ("resource", "core/v1"),
        "k8s.io/apimachinery": ("pkg",),
        "k8s.io/apiserver": ("pkg/registry/rest", "pkg/cel"),
    },
    "cel": {"k8s.io/dynamic-resource-allocation": ("cel",), "k8s.io/apiserver": ("pkg/cel",)},
    "allocation": {
        "k8s.io/dynamic-resource-allocation": ("structured", "resourceclaim", "resourceslice"),
        modules.KUBERNETES: ("pkg/scheduler/framework/plugins/dynamicresources",),
    },
    "control-plane": {
        modules.KUBERNETES: (
            "pkg/controller/devicetainteviction",
            "pkg/controller/resourceclaim",
            "pkg/quota",
            "pkg/scheduler",
        ),
        "k8s.io/apiserver": ("pkg/admission/plugin/resourcequota",),
        "k8s.io/dynamic-resource-allocation": ("resourceclaim", "resourceslice"),
    },
}
"""The files with the verdicts, by judge and module."""
BY_CHANCE = ("inventory",)
"""The parts of a row that always differ, because they have times and random names."""


def differing(first: str, second: str) -> Iterator[tuple[str, str]]:
    """Yield the judge and the file of each difference between two patch releases, without tests."""
    for judge, deciding in DECIDE.items():
        for module, folders in deciding.items():
            one, other = _source(module, first), _source(module, second)
            for folder in folders:
                yield from ((judge, f"{module}/{file}") for file in _differing(one, other, folder))


def _source(module: str, release: str) -> Path:
    wanted = f"v{modules.version(release)}" if module == modules.KUBERNETES else modules.staging(release)
    return modules.source(module, wanted)


def _differing(first: Path, second: Path, folder: str) -> list[str]:
    files = {
        file.relative_to(place).as_posix()
        for place in (first, second)
        for file in (place / folder).rglob("*.go")
        if not file.name.endswith("_test.go")
    }
    return sorted(file for file in files if _text(first / file) != _text(second / file))


def _text(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def changed(first: Iterable[Row], second: Iterable[Row]) -> list[tuple[Row, Row]]:
    """Return the cases that two recordings of the same seed judge in another way."""
    known = {row["id"]: row for row in first}
    return [(known[row["id"]], row) for row in second if not _agree(known.get(row["id"], row), row)]


def _agree(first: Row, second: Row) -> bool:
    """Say whether two rows agree; of several possible results on a node, one in common is enough."""
    nodes = zip(first.get("expect", ()), second.get("expect", ()), strict=True)
    common = all(any(one in second["outcomes"] for one in first["outcomes"]) for first, second in nodes)
    apart = dict.fromkeys(("expect", *BY_CHANCE))
    return common and first | apart == second | apart
