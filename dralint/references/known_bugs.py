"""Known faults of releases that concern the input: the table of rules/known-bugs.yaml, and who meets each."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING

from dralint.finding.rule_ids import KNOWN_BUG, KNOWN_BUG_BLOCKS, KNOWN_BUG_OF_A_PATCH, RARE_KNOWN_BUG
from dralint.kubernetes import gates
from dralint.kubernetes.known_bugs import bugs
from dralint.kubernetes.near import listed
from dralint.kubernetes.release import Release
from dralint.kubernetes.workloads import IMPLICIT, MOST_CONSUMERS, MOST_CONSUMERS_BEFORE, MOST_DEVICES
from dralint.references import known_bugs_of_clusters
from dralint.references.facts import ClaimFacts, Class, Role, TaintRule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.kubernetes.known_bugs import Bug
    from dralint.references.facts import Entry, Facts, PodSpec, RequestFacts, WorkloadFacts
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

_SHOWN = 3


def known_bugs(world: World) -> Iterator[Found]:
    """Yield the faults of the named releases that concern the objects; faults that depend on an unknown patch come
    together."""
    maybe: dict[str, tuple[Facts, Path, Release, Bug]] = {}
    files = {facts.file for facts in (*world.index.facts, *world.inventory)}
    named = {release for several in set(map(world.chosen, files)) for release in several}
    for bug in bugs():
        is_hit = cache(partial(_is_hit, world, bug))
        quiet = bug.every or bug.rare  # nothing is said as long as nobody knows the patch
        if not bug.trigger or not any(hit or (hit is None and not quiet) for hit in map(is_hit, named)):
            continue
        for facts, path in TRIGGERS[bug.trigger](world):
            surely: list[Release] = []
            for release in world.named(facts):
                hit = is_hit(release)
                if hit:
                    surely.append(release)
                elif hit is None and not quiet:
                    maybe.setdefault(f"{release} {bug.name}", (facts, path, release, bug))
            if surely:
                yield _told(world, bug, facts, path, surely)
                if bug.rare:
                    break
    if maybe:
        yield _of_patches(world, list(maybe.values()))


def _on(world: World, bug: Bug, release: Release) -> bool:
    """Say whether the gates that a fault needs are on in a release; a gate that the release lacks does not matter."""
    return all(
        (gate.removeprefix("-") in world.gates(release)) != gate.startswith("-")
        for gate in bug.gates
        if gates.stage(gate.removeprefix("-"), release) is not None
    )


def _is_hit(world: World, bug: Bug, release: Release) -> bool | None:
    """Say whether a release has the fault; None where that depends on its patch, and the patch is unknown."""
    span = bug.span(release)
    if span is None or not _on(world, bug, release):
        return False
    first, last = span
    if last < 0:
        return True
    named = world.patches.get(release)
    return None if named is None else any(first <= patch <= last for patch in named)


def _told(world: World, bug: Bug, facts: Facts, path: Path, releases: list[Release]) -> Found:
    mends = [mend for release in releases if (mend := bug.mend(release))]
    later = [text for text in bug.fixed if Release.parse(text) > max(releases)]
    if bug.change:
        fixed = ""
    elif mends:
        fixed = f", fixed in {' and '.join(mends)}"
    else:
        fixed = f", fixed in {min(later, key=Release.parse)}" if later else ", not fixed in this release"
    update = f"update to {mends[0]}; until then: " if mends else ""
    what = "change" if bug.change else "known fault"
    message = f"{bug.effect} ({what} of the release: {bug.name}{fixed})"
    rule = KNOWN_BUG_BLOCKS if bug.blocks else RARE_KNOWN_BUG if bug.rare else KNOWN_BUG
    return world.found(facts, rule, path, message, f"{update}{bug.until}", releases=releases)


def _of_patches(world: World, maybe: list[tuple[Facts, Path, Release, Bug]]) -> Found:
    """Return the one note on faults that only some patches of a release have."""
    maybe = sorted(maybe, key=lambda one: one[2])
    facts, path, _, _ = maybe[0]
    patches: dict[Bug, list[str]] = {}
    for _, _, release, bug in maybe:
        patches.setdefault(bug, []).append(f"{release} before {bug.mend(release)}")
    said = [f"{listed(each, 'and', '')}: {bug.effect} ({bug.name})" for bug, each in patches.items()]
    others = ", ".join(bug.name for bug in list(patches)[_SHOWN:])
    message = f"some patches have faults that this input meets: {'; '.join(said[:_SHOWN])}"
    message += f"; and {others}" if others else ""
    releases = sorted({release for _, _, release, _ in maybe})
    hint = f"name the patch that runs, for example --kubernetes-version {maybe[0][3].mend(releases[0])}"
    return world.found(facts, KNOWN_BUG_OF_A_PATCH, path, message, hint, releases=releases)


# Claims.


def counts_overflow(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield claims whose counts have a sum beyond 64 bits."""
    for facts, claim in world.claims():
        counts: dict[str, int] = {}
        for request in claim.requests:
            if request.number is not None and request.mode == "ExactCount":
                name = request.parent or request.name
                counts[name] = min(counts.get(name, request.number), request.number)
        if sum(counts.values()) > (1 << 63) - 1:
            yield facts, claim.top


def _all(world: World) -> Iterator[tuple[Facts, RequestFacts]]:
    return ((facts, request) for facts, request in world.requests() if request.mode == "All")


def all_mode(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield requests for all devices."""
    return ((facts, (*request.path, "allocationMode")) for facts, request in _all(world))


def all_after_the_first(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield alternatives that want all devices, other than the first."""
    for facts, request in _all(world):
        if request.parent is not None and request.path[-1] != 0:
            yield facts, (*request.path, "allocationMode")


def all_before_the_last(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield alternatives that want all devices, other than the last."""
    for facts, claim in world.claims():
        last = {request.parent: request for request in claim.requests}
        for request in claim.requests:
            if request.mode == "All" and request.parent is not None and last[request.parent] is not request:
                yield facts, (*request.path, "allocationMode")


def all_of_a_selecting_class(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield requests for all devices of a class with selectors."""
    for facts, request in _all(world):
        if any(body.selectors for _, body in world.classes(request.device_class)):
            yield facts, (*request.path, "allocationMode")


def all_with_counters(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield requests for all devices of a driver that has devices with counters."""
    drivers = {body.driver for _, body in world.slices if body.consumes}
    for facts, request in _all(world):
        if drivers & world.drivers_of(request.device_class):
            yield facts, (*request.path, "allocationMode")


def _distinct(world: World, least: int) -> Iterator[tuple[Facts, Path]]:
    """Yield constraints by distinctAttribute over a request with at least that many devices."""
    for facts, claim in world.claims():
        if not any(constraint.distinct for constraint in claim.constraints):
            continue
        many = [request for request in claim.requests if request.mode == "All" or (request.number or 0) >= least]
        names = {name for request in many for name in (request.full_name, request.parent)}
        for constraint in claim.constraints:
            if constraint.distinct and many and (not constraint.requests or not names.isdisjoint(constraint.requests)):
                yield facts, constraint.path


def tolerates_eviction(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield tolerations that can match NoExecute; with an inventory, where a device has such a taint."""
    if world.stock is not None and not any(
        taint.spec.get("effect") == "NoExecute" for item in world.stock.items for taint in item.taints
    ):
        return
    for facts, request in world.requests():
        for position, toleration in enumerate(request.tolerations):
            if isinstance(toleration, dict) and toleration.get("effect") in (None, "", "NoExecute"):
                yield facts, (*request.path, "tolerations", position)


def more_than_sixteen(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield counts that 1.33.0 cannot serve: the devices of earlier requests and twice their own pass 33."""
    for facts, claim in world.claims():
        before = 0
        for request in claim.requests:
            if request.parent is None and request.number is not None and request.mode == "ExactCount":
                if request.number <= MOST_DEVICES and before + 2 * request.number - 1 > MOST_DEVICES:
                    yield facts, (*request.path, "count")
                    break
                before += request.number


def several_admin_devices(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield requests with admin access and a count."""
    for facts, request in world.requests():
        if request.admin and request.mode == "ExactCount" and (request.number or 0) > 1:
            yield facts, (*request.path, "count")


def class_config_for_all(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield requests of a class with configuration, in a claim with another class of the same driver."""
    for facts, claim in world.claims():
        classes = {request.device_class for request in claim.requests if request.device_class}
        if len(classes) < 2:
            continue
        users = Counter(driver for name in classes for driver in world.drivers_of(name))
        for request in claim.requests:
            drivers = {c.driver for _, body in world.classes(request.device_class) for c in body.configs}
            own = world.drivers_of(request.device_class) if drivers else ()
            if any(users[driver] > (driver in own) for driver in drivers):
                yield facts, (*request.path, "deviceClassName")
                break


# Pods.


def any_pod(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield the first Pod with claims: a fault of a kubelet concerns all of them alike."""
    for facts, _, pod in world.workloads():
        if pod.entries and pod.uses:
            yield facts, pod.entries[0].path
            return


def _shares(world: World, facts: Facts, workload: WorkloadFacts, pod: PodSpec, entry: Entry) -> bool:
    """Say whether other Pods use the claim of an entry, too."""
    if entry.claim is None:
        return False
    return workload.replicas * pod.number > 1 or world.others_use(facts, entry.claim)


def claim_after_a_shared_one(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield entries that follow one whose claim other Pods use."""
    for facts, workload, pod in world.workloads():
        shared = [n for n, entry in enumerate(pod.entries) if _shares(world, facts, workload, pod, entry)]
        if shared and shared[0] + 1 < len(pod.entries):
            yield facts, pod.entries[shared[0]].path


def shared_by_nodes_and_new(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield entries with a shared claim, beside one of their own, whose devices several nodes reach."""
    wide = {body.driver for _, body in world.slices if body.nodes == "*"}
    for facts, workload, pod in world.workloads() if wide else ():
        shared = [entry for entry in pod.entries if _shares(world, facts, workload, pod, entry)]
        for entry in shared if len(shared) < len(pod.entries) else ():
            claims = [target.body for target in world.target(facts, entry) if isinstance(target.body, ClaimFacts)]
            names = {request.device_class for claim in claims for request in claim.requests}
            if any(world.drivers_of(name) & wide for name in names if name is not None):
                yield facts, entry.field


def more_than_32_pods(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield claims that more than 32 Pods of one workload use."""
    for facts, workload, pod in world.workloads():
        for entry in pod.entries:
            if entry.claim is not None and MOST_CONSUMERS_BEFORE < workload.replicas * pod.number <= MOST_CONSUMERS:
                yield facts, entry.field


def shared_by_pods(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield entries whose claim several Pods use."""
    for facts, workload, pod in world.workloads():
        for entry in pod.entries:
            if _shares(world, facts, workload, pod, entry):
                yield facts, entry.field


def template_of_a_group(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield entries of Pods with a template that the group of the Pod names as well."""
    of_groups = {
        (world.scope.namespace_of(facts), entry.template)
        for facts, _, pod in world.workloads()
        if facts.kind == "PodGroup"
        for entry in pod.entries
    }
    for facts, _, pod in world.workloads() if of_groups else ():
        for entry in pod.entries if pod.group is not None and pod.group[0] == "schedulingGroup" else ():
            if entry.template is not None and (world.scope.namespace_of(facts), entry.template) in of_groups:
                yield facts, entry.field


def _grouped(world: World, field: str) -> Iterator[tuple[Facts, Path]]:
    """Yield the second Pod of a group that uses a claim by name; `field` is what names the group."""
    seen: dict[tuple[str | None, str, str], Facts] = {}
    for facts, workload, pod in world.workloads():
        if pod.group is None or pod.group[0] != field:
            continue
        for entry in pod.entries:
            if entry.claim is not None:
                key = world.scope.namespace_of(facts), pod.group[1], entry.claim
                if seen.setdefault(key, facts) is not facts or workload.replicas > 1:
                    yield facts, entry.field


def _extended(world: World) -> Iterator[tuple[Facts, PodSpec, list[tuple[Path, str]]]]:
    """Yield Pods that request extended resources of classes."""
    offered = _offered(world)
    for facts, _, pod in world.workloads() if offered else ():
        asked = [(path, name) for path, name, amount in pod.extended if name in offered and amount != "0"]
        if asked:
            yield facts, pod, asked


def _offered(world: World) -> dict[str, set[str]]:
    """Return the extended resources that classes of the input offer, under both names, with the drivers."""
    out: dict[str, set[str]] = {}
    for facts, body in _classes(world):
        for name in (body.extended, f"{IMPLICIT}{facts.name}"):
            if name:
                out.setdefault(name, set()).update(world.drivers_of(facts.name))
    return out


def extended_of_native(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield extended resources of a driver whose devices take resources of their node."""
    native = {body.driver for _, body in world.slices if body.native}
    offered = _offered(world) if native else {}
    for facts, _, asked in _extended(world) if native else ():
        yield from ((facts, path) for path, name in asked if offered[name] & native)


def extended_in_init(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield extended resources of init containers, where a container has one too."""
    for facts, pod, asked in _extended(world):
        depth = len(pod.path)
        inits = [path for path, _ in asked if path[depth] == "initContainers"]
        if inits and any(path[depth] == "containers" for path, _ in asked):
            yield facts, inits[0]


def extended_in_job(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield extended resources of Pods that end."""
    for facts, _, asked in _extended(world):
        if facts.kind in ("Job", "CronJob"):
            yield facts, asked[0][0]


# Rules, slices, roles.


def _rules(world: World) -> Iterator[tuple[Facts, TaintRule]]:
    return ((facts, facts.body) for facts in world.index.facts if isinstance(facts.body, TaintRule))


def any_rule(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield DeviceTaintRules."""
    return ((facts, ("spec",)) for facts, _ in _rules(world))


def rule_without_selector(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield DeviceTaintRules without a selector whose taint keeps Pods away."""
    for facts, rule in _rules(world):
        if not rule.selects and dict(rule.taint).get("effect") in ("NoSchedule", "NoExecute"):
            yield facts, ("spec",)


def evicts_extended(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield DeviceTaintRules that evict, where a Pod has an extended resource of the driver."""
    names = {name for _, _, asked in _extended(world) for _, name in asked}
    wanted: set[str] = set()
    for facts, body in _classes(world) if names else ():
        if body.extended in names:
            wanted |= world.drivers_of(facts.name)
    for facts, rule in _rules(world):
        if dict(rule.taint).get("effect") == "NoExecute" and rule.driver in wanted:
            yield facts, ("spec", "taint", "effect")


def pools_of_one_name(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield pools with counters of two drivers that have one name and reach one node."""
    first: dict[tuple[str, str], str] = {}
    for facts, body in world.slices:
        if body.consumes and first.setdefault((body.pool, body.nodes), body.driver) != body.driver:
            yield facts, ("spec", "pool", "name")


def role_for_status_only(world: World) -> Iterator[tuple[Facts, Path]]:
    """Yield roles that may write the status of claims, but have neither of the additional rights that 1.36 requires."""
    for facts in world.index.facts:
        if not isinstance(facts.body, Role):
            continue
        resources = {resource for _, resource, _ in facts.body.rules}
        if resources & {"*", "*/*", "resourceclaims/*", "resourceclaims/binding", "resourceclaims/driver"}:
            continue
        for path, resource, verbs in facts.body.rules:
            if resource == "resourceclaims/status" and {"update", "patch", "*"} & {*verbs}:
                yield facts, (*path, "resources")


def _classes(world: World) -> Iterator[tuple[Facts, Class]]:
    return ((facts, facts.body) for facts in world.index.facts if isinstance(facts.body, Class))


TRIGGERS: dict[str, Callable[[World], Iterator[tuple[Facts, Path]]]] = {
    trigger.__name__: trigger
    for trigger in (
        counts_overflow,
        all_mode,
        all_after_the_first,
        all_before_the_last,
        all_of_a_selecting_class,
        all_with_counters,
        tolerates_eviction,
        more_than_sixteen,
        several_admin_devices,
        class_config_for_all,
        any_pod,
        claim_after_a_shared_one,
        shared_by_nodes_and_new,
        more_than_32_pods,
        shared_by_pods,
        template_of_a_group,
        extended_in_init,
        extended_in_job,
        extended_of_native,
        any_rule,
        rule_without_selector,
        evicts_extended,
        pools_of_one_name,
        role_for_status_only,
    )
}
TRIGGERS |= {
    "distinct_in_one_request": partial(_distinct, least=3),
    "distinct_alone": partial(_distinct, least=0),
    "gang_shares_claim": partial(_grouped, field="workloadRef"),
    "pod_group_shares_claim": partial(_grouped, field="schedulingGroup"),
    **known_bugs_of_clusters.TRIGGERS,
}
"""`trigger` of rules/known-bugs.yaml → the objects that meet the fault, each with the path to blame."""
