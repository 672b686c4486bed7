"""Finds troubles in a dump, sorts them into areas, the worst first, and writes them as text and for JSON.

They are pending Pods, claims, pools, contradictions, faults of the release, and ending API versions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.choice import Choice
from dralint.finding.problem import dict_of, list_of
from dralint.finding.words import counted, plural, some_of
from dralint.kubernetes.release import Release, patch_of
from dralint.kubernetes.served import ApiVersions, known_releases
from dralint.lint.faults_met import faults_met, refused_parameters, world_of
from dralint.records import grouped
from dralint.references.facts import SliceFacts
from dralint.references.nodes import node_state, statuses
from dralint.references.pools import pools
from dralint.report.screen import draw
from dralint.simulate.behaviours import FIRST, behaviour
from dralint.simulate.cluster import claims_made, claims_used, pod_for_claim, results_of, without_pods, workload_of
from dralint.simulate.faults import idle_rules
from dralint.simulate.questions import Questions, has_devices
from dralint.simulate.reasons import trouble
from dralint.simulate.text import sentence, verdict
from dralint.triage.on_nodes import (
    SHOWN_NODES,
    deletions,
    drivers_of,
    drivers_on_nodes,
    name_of,
    outlived_claims,
    stuck_pods,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.references.facts import Found
    from dralint.report import Style
    from dralint.report.screen import Part
    from dralint.simulate.answers import Answer
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.scheduler import Filtered
    from dralint.triage.dump import Component, Dump
    from dralint.triage.on_nodes import Seen

_JUDGES = "these are no live objects: `dralint check` judges manifests, and shows the lines"
_FORBIDDEN = re.compile(r'^pods (?:"[^"]*" is|are) forbidden: ')
_CONTROLLERS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController")


REFUSED, STUCK, PODS, NO_PODS, CLAIMS, DRIVERS, PARAMETERS, POOLS, STATUS, ENDING, CONTROL, FAULTS, VERSIONS = AREAS = (
    "objects that the API server refuses",
    "Pods that do not start or do not end",
    "Pods that wait",
    "Pods that nobody creates",
    "claims that nothing satisfies",
    "drivers on nodes",
    "parameters that a driver refuses",
    "pools",
    "objects that contradict each other",
    "objects that are left over",
    "nodes and control plane",
    "known faults of the release",
    "API versions that end",
)


class Trouble(NamedTuple):
    """One problem: its area in `AREAS`, what it is, the objects, and what to do."""

    area: str
    text: str
    objects: tuple[str, ...]
    hint: str


def troubles(area: str, seen: Iterable[Seen]) -> Iterator[Trouble]:
    """Yield a trouble for each sentence, with the objects that it is about, each once."""
    for (text, hint), names in grouped(((text, hint), name) for text, name, hint in seen).items():
        yield Trouble(area, text, tuple(filter(None, dict.fromkeys(names))), hint)


class Triage(NamedTuple):
    """The result: the release, the troubles, notes, and what the dump lacks."""

    release: Release
    troubles: list[Trouble]
    notes: list[str]
    missing: list[tuple[str, str]]
    undecided: int


def triage(dump: Dump, chosen: Release | None, switched: dict[str, bool], timeout: float) -> Triage:
    """Return the troubles in a dump.

    Args:
        dump: the dump.
        chosen: the release, None for that of the dump.
        switched: feature gates that the user has switched; those of the dump's scheduler come first.
        timeout: seconds for each node.
    """
    known = known_releases()
    named = Release.parse(dump.version) if dump.version else known[-1]
    release = chosen or max(known[0], min(named, known[-1]))
    scheduler = dump.components.get("kube-scheduler")
    gates = {**(scheduler.gates if scheduler is not None else {}), **switched}
    patch = patch_of(dump.version or "")
    patches = {} if patch is None else dict([patch])
    questions = Questions(dump.cluster, _behaviour(release, patches, gates, scheduler, chosen), timeout=timeout)
    answers = [questions.ask(workload) for workload in questions.pending()]
    choice = Choice(dict(drivers_of(dump)), {})
    world = world_of(dump.facts, dump.cluster, release, gates, patches)
    seen: dict[str, Iterable[Seen]] = {
        REFUSED: ((text, name, _JUDGES) for text, name in dump.refused),
        STUCK: stuck_pods(dump),
        PODS: _pods(dump, answers),
        NO_PODS: _not_created(questions),
        CLAIMS: _claims(dump, questions),
        DRIVERS: drivers_on_nodes(dump),
        PARAMETERS: (
            (problem.message, f"{kind} {name}", problem.hint or "")
            for kind, name, problem in refused_parameters(dump.cluster, choice)
        ),
        POOLS: chain(_told(pools(world)), _stale(dump)),
        STATUS: chain(_contradictions(dump), _told(statuses(world))),
        ENDING: chain(outlived_claims(dump), deletions(dump)),
        CONTROL: chain(_told(node_state(world)), _flags(dump), _autoscaler(dump, answers)),
        FAULTS: _told(faults_met(world, dump.cluster, choice)),
        VERSIONS: _ends(dump, release),
    }
    missing = [(kind, what) for kind, what in _needed(dump, answers).items() if not dump.kinds[kind]]
    undecided = sum(answer.answer == "undecided" for answer in answers)
    return Triage(
        release,
        [each for area in AREAS for each in troubles(area, seen[area])],
        [*idle_rules(questions), *without_pods(dump.cluster, dump.custom), *_notes(dump)],
        missing,
        undecided,
    )


def _needed(dump: Dump, answers: Sequence[Answer]) -> dict[str, str]:
    """Return the kinds of objects that can change what is said, and what they say.

    Nobody needs the rules of taints where no Pod waits that fits, or a quota where each Pod has its claims.
    """
    cluster = dump.cluster
    pods = [pod for pod in cluster.of("Pod") if has_devices(pod)]
    claims = [*cluster.of("ResourceClaim"), *cluster.of("ResourceClaimTemplate")]
    kinds = {kind for answer in answers for kind in _kinds_of(dump, answer)}
    fit = any(answer.answer in ("all", "some") for answer in answers)
    wants = bool(answers) or any(not results_of(claim) for claim in claims)
    unmade = "ResourceClaimTemplate" in kinds or any(cluster.of(kind) for kind in _CONTROLLERS)
    rows = (
        ("Node", "where Pods can run", wants),
        ("Namespace", "who may use adminAccess", any("adminAccess" in json.dumps(each.get("spec")) for each in claims)),
        ("Pod", "which Pods wait", True),
        ("ResourceSlice", "which devices there are", True),
        ("ResourceClaim", "which devices are in use", bool(pods)),
        ("ResourceClaimTemplate", "what Pods without a claim want", "ResourceClaimTemplate" in kinds),
        ("DeviceClass", "what claims select", wants),
        ("DeviceTaintRule", "which devices are tainted by rules", fit),
        ("ResourceQuota", "what quotas leave", unmade),
    )
    return {kind: what for kind, what, matters in rows if matters}


def _behaviour(
    release: Release,
    patches: dict[Release, int],
    gates: dict[str, bool],
    scheduler: Component | None,
    chosen: Release | None,
) -> Behaviour:
    """Return how the scheduler of a dump places Pods; it may be of another release than the API server."""
    own = patch_of(scheduler.version) if scheduler is not None and chosen is None else None
    if own is not None:
        release, patches = min(own[0], known_releases()[-1]), dict([own])
    judged = max(release, FIRST)
    return behaviour(judged, gates, patches.get(judged))


def _pods(dump: Dump, answers: Sequence[Answer]) -> Iterator[Seen]:
    """Yield why Pods wait. What a kind of which the dump has no object would say is unknown."""
    for answer in answers:
        if answer.answer in ("all", "some"):
            fits = f"fits on {some_of(answer.fits, SHOWN_NODES)}"
            text = f"{fits}: what keeps it is not in the dump (see the events of the Pod)"
            if said := _condition(answer.pod):
                text = f"{fits}; the scheduler said: {said}"
        else:
            absent = [plural(kind) for kind in _kinds_of(dump, answer) if not dump.kinds[kind]]
            text = f"what keeps it is unknown: the dump has no {_listed(absent)}" if absent else _why(answer)
            said = _condition(answer.pod) if absent or answer.answer == "undecided" else ""
            text += f"; the scheduler said: {said}" if said else ""
        yield text, answer.id.removeprefix("pod "), ""


def _kinds_of(dump: Dump, answer: Answer) -> Iterator[str]:
    """Yield the kinds of objects that decide on a pending Pod."""
    pod = dict_of(dump.cluster.get("Pod", *answer.id.removeprefix("pod ").split("/", 1)))
    made = claims_made(pod)
    for entry in dict_of(pod.get("spec")).get("resourceClaims") or ():
        named = entry.get("resourceClaimName") or str(entry.get("name")) in made
        yield "ResourceClaim" if named else "ResourceClaimTemplate"
    yield from ("DeviceClass", "ResourceSlice")


def _condition(item: Mapping[str, Any], name: str = "PodScheduled", state: str = "False") -> str:
    """Return what an object's own condition says; empty where it says nothing, or has another state."""
    conditions = map(dict_of, list_of(dict_of(item.get("status")).get("conditions")))
    found = (each for each in conditions if (each.get("type"), each.get("status")) == (name, state))
    return str(next(found, {}).get("message") or "")


def _listed(names: Sequence[str]) -> str:
    several = list(dict.fromkeys(names))
    return " and no ".join([", no ".join(several[:-1]), several[-1]]) if len(several) > 1 else several[0]


def _why(answer: Answer) -> str:
    """Return in a sentence why a Pod runs on no node: the reason of most nodes that could have its devices."""
    if answer.unsure or answer.out_of_scope:
        return verdict(answer)
    if answer.refused:
        named = f'pod "{answer.id.removeprefix("pod ")}": '
        return "; ".join(filter(None, (answer.refused.removeprefix(named), answer.advice)))
    if answer.gated or answer.error:
        return answer.gated or answer.error
    if answer.outcome is not None:
        return f"{verdict(answer)}: {answer.outcome.text}"
    if answer.eviction is not None or not answer.nodes:
        return verdict(answer)
    searched = Counter(_said(answer, one) for one in answer.nodes if one.node.name in answer.why)
    shut = Counter(_said(answer, one) for one in answer.nodes if one.devices_fit)
    most = [each for found in (shut, searched) for each in _most_common(found, len(answer.nodes))]
    most = most or Counter(_said(answer, one) for one in answer.nodes).most_common(1)
    total = len(answer.nodes)
    return "; ".join(text if number == total else f"{text} ({number} of {total} nodes)" for text, number in most)


def _most_common(found: Counter[str], total: int) -> list[tuple[str, int]]:
    """Return the most common reason, or two that are each that of half of the nodes."""
    first = found.most_common(2)
    return first if all(2 * number == total for _, number in first) else first[:1]


def _said(answer: Answer, one: Filtered) -> str:
    why = answer.why.get(one.node.name)
    lacks = list_of(dict_of((why or {}).get("nearest")).get("lacks"))
    taint = next((f" ({lack['text']})" for lack in lacks if lack["kind"] == "taint"), "")
    notes = sorted(trouble(one), key=lambda note: "did you mean" in note) if one.error else []
    return f"{'; '.join([sentence(one, why), *notes[-1:]])}{taint}"


def _not_created(questions: Questions) -> Iterator[Seen]:
    """Yield the workloads of which the API server refuses a Pod that they lack."""
    for kind in _CONTROLLERS:
        for item in questions.cluster.of(kind):
            metadata = item["metadata"]
            owners = [str(dict_of(owner).get("kind")) for owner in list_of(metadata.get("ownerReferences"))]
            ends = metadata.get("deletionTimestamp") or "Deployment" in owners
            workload = None if ends else workload_of(item)
            if workload is None or not has_devices(workload.pod):
                continue
            refused = _condition(item, "ReplicaFailure", "True") or questions.refused_pod(workload)
            refused = _FORBIDDEN.sub("", refused)
            if refused:
                yield refused, workload.id, ""


def _claims(dump: Dump, questions: Questions) -> Iterator[Seen]:
    """Yield the unallocated claims that no Pod uses and that nothing can satisfy."""
    users = [w for item in dump.cluster.of("Pod") if (w := workload_of(item)) is not None]
    used, _ = claims_used(users)
    for item in dump.cluster.of("ResourceClaim"):
        metadata = item["metadata"]
        is_used = (metadata.get("namespace"), metadata.get("name")) in used
        if is_used or metadata.get("ownerReferences") or results_of(item):
            continue
        answer = questions.ask(pod_for_claim("ResourceClaim", item))
        in_use = any("allocated" in why["causes"] for why in answer.why.values())
        if answer.answer == "none" and not in_use:  # what others have they give back one day
            yield _why(answer), name_of(item), ""


def _told(found: Iterator[Found]) -> Iterator[Seen]:
    """Yield the findings of a rule between the objects."""
    for each in found:
        name = "/".join(filter(None, (each.facts.namespace, each.facts.name)))
        yield each.problem.message, f"{each.facts.kind} {name}", each.problem.hint or ""


def _stale(dump: Dump) -> Iterator[Seen]:
    """Yield slices of nodes that do not exist, and slices left over from older generations."""
    nodes = {item["metadata"].get("name") for item in dump.cluster.of("Node")}
    slices = [(f, f.body) for f in dump.facts if isinstance(f.body, SliceFacts)]
    generations = grouped(((body.driver, body.pool), body.generation) for _, body in slices)
    newest = {pool: max(several) for pool, several in generations.items()}
    for facts, body in slices:
        if nodes and body.nodes not in ("*", "?") and body.nodes not in nodes and not dump.incomplete:
            text = f"there are slices of the node {body.nodes}, and no such node"
            yield text, str(facts.name), "delete the slices, or see why the node is gone"
        elif body.generation < newest[body.driver, body.pool]:
            yield "slices of an older generation of their pool are left over", str(facts.name), ""


def _contradictions(dump: Dump) -> Iterator[Seen]:
    """Yield devices that two claims have, and devices that no slice has."""
    published = {
        (body.driver, body.pool, name)
        for facts in dump.facts
        if isinstance(body := facts.body, SliceFacts)
        for name in body.devices.split("\n")
    }
    holders: dict[tuple[str, str, str], list[str]] = {}
    for claim in dump.cluster.of("ResourceClaim"):
        for result in results_of(claim):
            device = str(result.get("driver")), str(result.get("pool")), str(result.get("device"))
            if result.get("adminAccess") is not True and not result.get("shareID"):
                holders.setdefault(device, []).append(name_of(claim))
            if published and device not in published and not dump.incomplete:
                yield f"the device {'/'.join(device)} is allocated, and no slice has it", name_of(claim), ""
    for device, names in holders.items():
        for name in names if len(set(names)) > 1 else ():
            yield f"several claims have the device {'/'.join(device)} alone", name, ""


def _flags(dump: Dump) -> Iterator[Seen]:
    """Yield feature gates that differ between the programs of the control plane."""
    switched = grouped(
        (gate, (name, on))
        for name, component in dump.components.items()
        for gate, on in component.gates.items()
        if gate.startswith("DRA") or gate == "DynamicResourceAllocation"
    )
    for gate, said in ((gate, dict(entries)) for gate, entries in switched.items()):
        others = [name for name in dump.components if name not in said]
        if len(set(said.values())) > 1 or others:
            is_ = ", ".join(f"{name} has {gate}={str(on).lower()}" for name, on in said.items())
            text = f"{is_}{f', {some_of(others, SHOWN_NODES)} the default' if others else ''}"
            yield text, "", "switch a feature gate in all programs that have it"


_BLIND = {
    "ignores": (
        "Karpenter ignores claims: it makes no node for their devices, or one without them",
        "set IGNORE_DRA_REQUESTS=false if its provider knows the devices, or add nodes in another way",
    ),
    "aws": (
        "Karpenter makes no node for claims: its provider describes no devices (aws/karpenter-provider-aws#9519)",
        "add nodes with the devices in another way",
    ),
    "externalgrpc": (
        "it makes no first node for claims: externalgrpc describes no devices (kubernetes/autoscaler#10277)",
        "keep one node in each group with devices",
    ),
}
"""Why an autoscaler makes no node for claims → what to say, and what to do."""


def _autoscaler(dump: Dump, answers: Sequence[Answer]) -> Iterator[Seen]:
    """Yield the autoscalers that make no node for the devices of Pods that wait."""
    waiting = any(answer.answer != "all" for answer in answers)
    for name, reason in dump.autoscalers.items() if waiting else ():
        text, hint = _BLIND[reason]
        yield text, f"Deployment {name}", hint


def _ends(dump: Dump, release: Release) -> Iterator[Seen]:
    """Yield the objects that were applied in an API version that the next release does not serve by default."""
    versions = ApiVersions()
    later = Release(release.major, release.minor + 1)
    for (version, kind), number in sorted(dump.written.items()):
        end = versions.ends(version, kind, release)
        ended = end is not None and end.gone is not None and end.gone <= later
        if later in versions.known:
            ended = (version, kind) not in versions.served(later)
        off = later in versions.known and version not in versions.default(later)
        off = off and versions.by_default(kind, later) is not None
        if ended or off:
            what = f"does not serve {version}" if ended else f"serves {version} only where it is enabled"
            yield f"{later} {what}", counted(number, kind), "`dralint migrate` rewrites the manifests"


def _notes(dump: Dump) -> Iterator[str]:
    """Yield notes: facts that are not wrong, but can be a reason of trouble."""
    for webhook in dump.webhooks:
        when = "; while it does not answer, they are refused" if webhook.fails else ""
        what = "change" if webhook.kind.startswith("Mutating") else "refuse"
        yield f"the webhook {webhook.name} can {what} {' and '.join(webhook.resources)}{when}"
    for name, component in dump.components.items():
        gates = [f"{g}={str(on).lower()}" for g, on in component.gates.items() if g.startswith("DRA")]
        served = [version for version in component.served if version.startswith("resource.k8s.io")]
        if gates or served:
            yield f"{name} runs with {', '.join([*gates, *served])}"
    if len(dump.kubelets) > 1:
        versions = ", ".join(f"{version} ({number})" for version, number in sorted(dump.kubelets.items()))
        yield f"kubelets: {versions}"


VERSION = 1
_CALM = "nothing wrong was found; triage does not check the fields of each object, `dralint check` does"
_OBJECTS, _TROUBLES, _NOTES, _UNREAD = 3, 5, 6, 5


def render(dump: Dump, found: Triage, style: Style, *, everything: bool = False) -> str:
    """Return the report; without `everything`, only the first troubles of each area."""
    return draw(_parts(dump, found, everything=everything), style)


def _parts(dump: Dump, found: Triage, *, everything: bool) -> Iterator[Part]:
    yield (_head(dump, found), "bold")
    for area in AREAS:
        entries = [
            (f"  {_objects(one.objects, everything=everything)}{one.text}", f"    hint: {one.hint}" if one.hint else "")
            for one in found.troubles
            if one.area == area
        ]
        yield from _section((area, "warning"), entries, None if everything else _TROUBLES)
    yield from _section("to know", [(f"  {note}",) for note in found.notes], None if everything else _NOTES)
    yield from _section("not in the dump", [(f"  {plural(kind)}: {what}",) for kind, what in found.missing])
    unread = [(f"  {one.file}:{one.line}: {one.message}",) for one in dump.unread]
    yield from _section(("not read in full", "warning"), unread, None if everything else _UNREAD)
    yield ""
    number = len(found.troubles)
    told = [counted(number, "trouble")] if number else []
    if dump.unread:
        told.append("not all of the dump was read")
    yield ("; ".join(told) or _CALM, "warning" if told else "good")


def _section(title: Part, entries: Sequence[tuple[str, ...]], most: int | None = None) -> Iterator[Part]:
    """Yield a section with its title; nothing without entries, and of more than the most only these."""
    shown = entries[:most]
    yield from ("", title) if entries else ()
    yield from (line for entry in shown for line in entry if line)
    if len(shown) < len(entries):
        yield f"  and {len(entries) - len(shown)} more (--show-all)"


def _head(dump: Dump, found: Triage) -> str:
    drivers = {facts.body.driver for facts in dump.facts if isinstance(facts.body, SliceFacts)}
    counts = [
        counted(dump.kinds["Node"], "node"),
        counted(len(drivers), "driver"),
        counted(dump.kinds["Pod"], "Pod"),
        counted(dump.kinds["ResourceClaim"], "claim"),
    ]
    version = f"{dump.version}, " if dump.version and dump.version.lstrip("v") != str(found.release) else ""
    return f"{', '.join(counts)}; Kubernetes {version}judged as {found.release}"


def _objects(names: Sequence[str], *, everything: bool) -> str:
    return f"{some_of(names, len(names) if everything else _OBJECTS)}: " if names else ""


def document(dump: Dump, found: Triage) -> dict[str, Any]:
    """Return the triage as plain values."""
    return {
        "version": VERSION,
        "release": str(found.release),
        "found": dict(sorted(dump.kinds.items())),
        "troubles": [
            {"area": trouble.area, "text": trouble.text, "objects": list(trouble.objects), "hint": trouble.hint or None}
            for trouble in found.troubles
        ],
        "notes": found.notes,
        "missing": [{"kind": kind, "says": what} for kind, what in found.missing],
        "unread": [{"file": one.file, "line": one.line, "reason": one.message} for one in dump.unread],
    }
