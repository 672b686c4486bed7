"""Finds names that are no field, rule or driver: known faults, custom kinds with Pods, API versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.known_bugs import bugs
from dralint.kubernetes.served import ApiVersions
from dralint.kubernetes.workloads import named_kinds
from dralint.report.words import release_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.choice import Choice


def known(topic: str, choice: Choice) -> list[str]:
    """Return the page of a known fault by its issue, of a kind, or of an API version; nothing for another topic."""
    return [*_of_fault(topic, choice), *_of_kind(topic, choice), *_of_version(topic)]


def _of_fault(topic: str, choice: Choice) -> Iterator[str]:
    """Yield the faults of releases and of drivers whose issue has this name, or the end of it."""
    if "#" not in topic:
        return
    for bug in bugs():
        if bug.name == topic:
            yield f"{bug.name}: a known {'change' if bug.change else 'fault'} of Kubernetes"
            yield f"  {bug.effect}"
            yield f"  releases: {', '.join(str(release) for release, _, _ in bug.spans)}"
            yield f"  fixed in: {', '.join(bug.fixed) or 'no release'}"
            yield f"  until then: {bug.until}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("faults", ()):
            if row["issue"] == topic or row["issue"].endswith(f"/{topic}"):
                yield f"{row['issue']}: a known fault of {pack.driver}"
                yield f"  {row['effect']}"
                yield f"  versions: {row.get('since', pack.versions[0])} to {row.get('until', pack.versions[-1])}"
                yield f"  instead: {row['instead']}"


def _of_kind(topic: str, choice: Choice) -> Iterator[str]:
    """Yield where a custom kind has its Pods, and what drivers make of an object of a kind."""
    name, _, field = topic.partition(".")
    for group, kind in named_kinds(name):
        if kind.pods:
            yield f"{name} of {group}: a custom resource with Pods, whose claims dralint checks"
        for pod in kind.pods:
            numbers = " x ".join(map(_text, pod.number))
            yield f"  {_text(pod.at)}{f'; number of Pods: {numbers}' if numbers else ''}"
    for pack in filter(None, map(choice.pack, choice.drivers)):
        for row in pack.data.get("makes", ()):
            if row["kind"].lower() == name.lower():
                yield f"{row['kind']} of {row['apiVersion']}: {pack.driver} makes a ResourceClaimTemplate of it"
                yield f"  {row['template']}: the name of the template, for one device of the class {row['class']}"
                for key, value in row.get("spec", {}).items():
                    yield f"  spec.{key}: `dralint new` writes {value}"
                if field and f"spec.{field.removeprefix('spec.')}" not in (row["template"], *_paths(row)):
                    yield f"  dralint knows no more of {topic}"


def _text(pattern: tuple[str, ...]) -> str:
    return ".".join(pattern).replace(".[]", "[]").replace(".{}", "{}")


def _paths(row: dict[str, dict[str, object]]) -> list[str]:
    return [f"spec.{key}" for key in row.get("spec", {})]


def _of_version(topic: str) -> Iterator[str]:
    """Yield in which releases an API version is served."""
    versions = ApiVersions()
    wanted = topic if "/" in topic else f"resource.k8s.io/{topic}"
    served: dict[str, list[str]] = {}
    off: dict[str, list[str]] = {}
    for release in versions.known:
        for version, kind in versions.served(release):
            if version == wanted and not kind.endswith("List"):
                served.setdefault(kind, []).append(str(release))
                if version not in versions.default(release):
                    off.setdefault(kind, []).append(str(release))
    if served:
        yield f"{wanted}: an API version of Kubernetes"
    for kind, releases in sorted(served.items()):
        yield f"  {_served(versions, wanted, kind, releases, off.get(kind, []))}"


def version_text(api_version: str, kind: str) -> str:
    """Return which releases serve a kind in an API version, and from when none does; empty for an unknown one."""
    versions = ApiVersions()
    serving = [release for release in versions.known if (api_version, kind) in versions.served(release)]
    off = [str(release) for release in serving if api_version not in versions.default(release)]
    return _served(versions, api_version, kind, [*map(str, serving)], off) if serving else ""


def _served(versions: ApiVersions, wanted: str, kind: str, releases: list[str], off: list[str]) -> str:
    end = versions.ends(wanted, kind, versions.known[-1])
    gone = f"; {end.gone} does not serve it" if end is not None and end.gone is not None else ""
    where = f", off by default in {release_spans(off)}" if off else ""
    return f"{kind}: served by {release_spans(releases)}{where}{gone}"
