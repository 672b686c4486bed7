"""On how many nodes a claim, template, Pod or workload fits: the simulation, where a workspace has ResourceSlices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.manifest.objects import objects_of
from dralint.simulate.behaviours import FIRST, behaviour
from dralint.simulate.cluster import Cluster, pod_for_claim, workload_of
from dralint.simulate.questions import Questions

if TYPE_CHECKING:
    from dralint.editor.workspace import Workspace
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject

_KINDS = ("ResourceSlice", "DeviceClass", "DeviceTaintRule", "ResourceClaim", "ResourceClaimTemplate", "Node")
_SECONDS_PER_NODE = 0.05
_CLAIMS = ("ResourceClaim", "ResourceClaimTemplate")


class Fits(NamedTuple):
    """On how many of the nodes an object fits."""

    nodes: int
    of: int

    @property
    def sentence(self) -> str:
        """The answer as a title."""
        return f"fits on {self.nodes} of {self.of} node{'' if self.of == 1 else 's'}"


def fits(workspace: Workspace, name: str, item: ApiObject) -> Fits | None:
    """Return on how many nodes an object fits; None where that is not known, or the object wants no devices."""
    if item.name is None:
        return None
    release = _release(workspace, name, item)
    questions = None if release < FIRST else _questions(workspace, str(release))
    if questions is None:
        return None
    namespace = item.namespace or workspace.settings.namespace or "default"
    data = {**item.data, "apiVersion": item.api_version, "kind": item.kind}
    if item.kind in _CLAIMS:
        workload = pod_for_claim(item.kind, {"metadata": {"name": item.name, "namespace": namespace}})
    else:
        found = workload_of(data, namespace)
        if found is None or not (found.pod.get("spec") or {}).get("resourceClaims"):
            return None
        workload = found
    answer = questions.ask(workload)
    if answer.refused or answer.error or not all(one.decided for one in answer.nodes):
        return None
    return Fits(len(answer.fits), len(answer.nodes))


def _release(workspace: Workspace, name: str, item: ApiObject) -> Release:
    releases = workspace.linter(name).releases
    serving = releases.serving(item.api_version, item.kind)
    return serving[-1] if serving else releases.chosen[-1] if releases.chosen else releases.versions.known[-1]


def _questions(workspace: Workspace, release: str) -> Questions | None:
    """Return the questions about all objects of a workspace; None where it has no devices."""
    texts = {**workspace.inventory, **{name: workspace.raw(name) or b"" for name in workspace.names}}
    relevant = {name: raw for name, raw in texts.items() if any(kind.encode() in raw for kind in _KINDS)}

    def make() -> Questions | None:
        cluster = Cluster()
        for raw in relevant.values():
            for _, item in objects_of(raw):
                if item.kind in _KINDS:
                    data = {**item.data, "apiVersion": item.api_version, "kind": item.kind}
                    cluster.add(data, workspace.settings.namespace or "default")
        if not cluster.of("ResourceSlice"):
            return None
        how = behaviour(release, dict(workspace.settings.gates))
        return Questions(cluster, how, timeout=_SECONDS_PER_NODE, explain="never")

    return workspace.kept(f"questions {release}", relevant, make)
