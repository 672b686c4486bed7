"""Finds known faults of a release that change an answer, and rules without an effect, for the notes of `simulate`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dralint.finding.words import some_of
from dralint.kubernetes.served import ApiVersions, asked_for
from dralint.kubernetes.shipped import bugs
from dralint.simulate.answers import Answer
from dralint.simulate.evictions import SPARES_EXTENDED, Staying, live_evictions
from dralint.simulate.questions import Questions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dralint.kubernetes.shipped import Bug
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster, Workload

_MOST = 8
"""At most this many answers are computed again without a fault, and this many Pods are named."""
_WRONG = ("none", "error", "evicted", "some")


def name_faults(questions: Questions, asked: Sequence[tuple[Workload, Answer]]) -> None:
    """Add the faults of the release that change the answers of `questions` to Pods."""
    wrong = [(workload, answer) for workload, answer in asked if answer.answer in _WRONG and not answer.like][:_MOST]
    for bug in _simulated(questions.behaviour) if wrong else ():
        name = bug.simulated.removeprefix("-")
        named = questions.behaviour.named ^ {name}
        other = Questions(
            questions.cluster,
            replace(questions.behaviour, named=frozenset(named)),
            nodes=[node.name for node in questions.nodes],
            timeout=questions.timeout,
            explain="never",
        )
        for workload, answer in wrong:
            without = other.ask(workload)
            if without.answer != answer.answer and len(without.fits) >= len(answer.fits):
                answer.faults.append(_told(bug))


def _told(bug: Bug) -> str:
    fixed = f", fixed in {bug.fixed[0]}" if bug.fixed else ""
    return f"{bug.effect} ({bug.name}{fixed})"


def spared(questions: Questions, before: Cluster | None = None) -> Iterator[Answer]:
    """Yield the running Pods that a taint would end if the release did not have a fault.

    With `before`, the cluster without the manifests: only those that the taints of the manifests would end.
    """
    how, cluster, now = questions.behaviour, questions.cluster, questions.staying.now
    bug = next((bug for bug in _simulated(how) if bug.simulated == SPARES_EXTENDED), None)
    if bug is None:
        return
    without = replace(how, named=how.named - {SPARES_EXTENDED})
    ended = live_evictions(cluster, questions.staying)
    would = live_evictions(cluster, Staying(questions.inventory, without, now))
    anyway = {}
    if would.keys() - ended and before is not None:
        anyway = live_evictions(before, Staying(Questions(before, how, explain="never").inventory, without, now))
    for namespace, name in sorted(would.keys() - ended.keys() - anyway.keys()):
        pod = cluster.get("Pod", namespace, name) or {}
        yield Answer(f"pod {namespace}/{name}", spared=f"{would[namespace, name].cause}: {_told(bug)}", pod=pod)


def _simulated(behaviour: Behaviour) -> Iterator[Bug]:
    """Yield the faults that the simulation of a release has."""
    for bug in bugs():
        if not bug.simulated or bug.span(behaviour.release) is None:
            continue
        absent = bug.simulated.startswith("-")
        if behaviour.has(bug.simulated.removeprefix("-")) != absent:
            yield bug


def notes(questions: Questions) -> Iterator[str]:
    """Yield what the answers do not show: Pods that come first, taint rules without an effect, and kubelets that cannot
    read claims."""
    cluster, behaviour = questions.cluster, questions.behaviour
    if questions.came_first:
        named = some_of([f"{pod} on {node}" for pod, node in questions.came_first.items()], _MOST)
        yield f"these Pods of the inventory wait, and get their devices first: {named}"
    yield from idle_rules(questions)
    served = ApiVersions().default(behaviour.release)
    with_slices = {str((item.get("spec") or {}).get("nodeName")) for item in cluster.of("ResourceSlice")}
    for item in cluster.of("Node"):
        name = str(item["metadata"]["name"])
        info = (item.get("status") or {}).get("nodeInfo")
        kubelet = info.get("kubeletVersion") if isinstance(info, dict) else None
        version = asked_for(kubelet if isinstance(kubelet, str) else None)
        if version is not None and version not in served and name in with_slices:
            what = f"reads claims as {version}, which {behaviour.release} serves only where it is enabled"
            yield f"the kubelet of {name} ({kubelet}) {what}: it prepares no device"


def idle_rules(questions: Questions) -> Iterator[str]:
    """Yield the DeviceTaintRules without an effect: the release does not read them, or a gate is off."""
    cluster, behaviour = questions.cluster, questions.behaviour
    rules = [str(item["metadata"]["name"]) for item in cluster.of("DeviceTaintRule")]
    if rules and not (behaviour.has("taints") and behaviour.has("taint_rules")):
        gate = "DRADeviceTaintRules" if behaviour.has("taints") else "DRADeviceTaints"
        more = f" and {len(rules) - 1} more" if len(rules) > 1 else ""
        yield f"DeviceTaintRule {rules[0]}{more}: no effect in {behaviour.release}, the feature gate {gate} is off"
