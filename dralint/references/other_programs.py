"""What schedulers, queues and operators other than Kubernetes' own do not support in the claims of a Pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.finding.rule_ids import KUEUE_CONFIGURATION, KUEUE_INADMISSIBLE, OTHER_PROGRAM
from dralint.finding.words import quoted
from dralint.kubernetes.release import Release
from dralint.references.facts import Class, Elsewhere, KueueConfig, Role, is_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.references.facts import ClaimFacts, Entry, Facts, Found, Mapped, PodSpec, WorkloadFacts
    from dralint.references.world import World
    from dralint.yaml import Path

    Met = Iterator[tuple[Facts, Path]]

_READS_CLAIMS = Release(1, 34)
"""The first release whose kube-scheduler reads claims by default."""


class User(NamedTuple):
    """A Pod specification with one of its claims, and the claims or templates that it can mean."""

    facts: Facts
    workload: WorkloadFacts
    pod: PodSpec
    entry: Entry
    claims: Sequence[tuple[Facts, ClaimFacts]]


class Limit(NamedTuple):
    """What a program does not support: whose Pods it has, where a claim meets it, and what happens."""

    has: Callable[[User], bool]
    met: Callable[[User], Met]
    message: str
    hint: str


def _scheduled_by(name: str, group: str = "-") -> Callable[[User], bool]:
    return lambda user: user.pod.scheduler == name or (user.pod.scheduler is None and user.facts.group == group)


def _queued(user: User) -> bool:
    return user.workload.queue


def _machine(user: User) -> bool:
    return user.facts.group.endswith("kubevirt.io")


def _alternatives(user: User) -> Met:
    for facts, claim in user.claims:
        yield from ((facts, request.path[:-1]) for request in claim.requests if request.parent is not None)


def _constraints(user: User) -> Met:
    for facts, claim in user.claims:
        yield from ((facts, constraint.path) for constraint in claim.constraints)
        yield from ((facts, config.path) for config in claim.configs)


def _lists(user: User) -> Met:
    for facts, claim in user.claims:
        for request in claim.requests:
            yield from ((facts, each.path) for each in request.selectors if ".includes(" in each.expression)


def _by_name(user: User) -> Met:
    if user.entry.claim is not None:
        yield user.facts, user.entry.field


def _by_template(user: User) -> Met:
    if user.entry.template is not None:
        yield user.facts, user.entry.field


def _several_devices(user: User) -> Met:
    names = {use.request for use in user.pod.uses if use.entry == user.entry.name}
    for facts, claim in user.claims:
        for request in claim.requests:
            if request.name in names and (request.mode == "All" or (request.number or 0) > 1):
                yield facts, (*request.path, "allocationMode" if request.mode == "All" else "count")


def _two_requests(user: User) -> Met:
    uses = [use for use in user.pod.uses if use.entry == user.entry.name]
    if len({use.request for use in uses}) > 1:
        yield user.facts, uses[-1].path


_LIMITS = (
    Limit(
        _scheduled_by("kai-scheduler"),
        _alternatives,
        "KAI does not schedule Pods whose claims have `firstAvailable` (kai-scheduler/KAI-Scheduler#1855)",
        "write one request with `exactly`, or leave the Pod to kube-scheduler",
    ),
    Limit(
        _scheduled_by("kai-scheduler"),
        _by_name,
        "KAI schedules a Pod with a claim by name only if the claim has the same label kai.scheduler/queue as the Pod",
        "write the label into the metadata of the claim",
    ),
    Limit(
        _scheduled_by("volcano", "batch.volcano.sh"),
        _by_template,
        "Volcano binds a Pod without allocating its claims, and the kubelet refuses it (`not allowed to use "
        "ResourceClaim`), unless the plugin `predicates` has DRA switched on (volcano-sh/volcano#5119)",
        "write predicate.DynamicResourceAllocationEnable: true into the arguments of the plugin, or use kube-scheduler",
    ),
    Limit(
        _queued,
        _constraints,
        "Kueue 0.14 to 0.18.1 admits no workload whose template has `constraints` or `config` "
        "(kubernetes-sigs/kueue#12451); later ones do not look at them",
        "update Kueue to 0.18.2 or later",
    ),
    Limit(
        _queued,
        _lists,
        "Kueue up to 0.19 cannot read attributes that are lists: it finds no device for the selector, and admits no "
        "workload (kubernetes-sigs/kueue#14223)",
        "select by another attribute",
    ),
    Limit(
        _machine,
        _by_name,
        "KubeVirt cannot live-migrate a machine that names a ResourceClaim: the Pod on the other node needs a claim of "
        "its own (kubevirt/enhancements#332)",
        "use a ResourceClaimTemplate (resourceClaimTemplateName)",
    ),
    Limit(
        _machine,
        _several_devices,
        "KubeVirt reads one device for each request, and a machine whose request has several does not start "
        "(kubevirt/enhancements#292)",
        "write a request for each device",
    ),
    Limit(
        _machine,
        _two_requests,
        "KubeVirt 1.8 gives a machine only the first of several requests of one claim (kubevirt/kubevirt#17672)",
        "write a claim for each request",
    ),
)


def other_programs(world: World) -> Iterator[Found]:
    """Yield what the scheduler, queue or operator of a Pod does not support, each once in a run."""
    said: set[str] = set()
    for facts, workload, pod in world.workloads:
        for entry in pod.entries:
            if is_open(entry.claim) or is_open(entry.template):
                continue
            user = User(facts, workload, pod, entry, world.claims_of(facts, entry))
            for limit in _LIMITS:
                if limit.message in said or not limit.has(user):
                    continue
                for where, path in limit.met(user):
                    said.add(limit.message)
                    yield world.found(where, OTHER_PROGRAM, path, limit.message, limit.hint)
                    break


def schedulers(world: World) -> Iterator[Found]:
    """Yield roles of schedulers that cannot read claims, if no role of the input lets anybody list slices."""
    roles = [*world.index.holding(Role)]
    granted = {resource for _, role in roles for _, resource, _ in role.rules}
    for facts, role in roles if not granted & {"resourceslices", "*", "*/*"} else ():
        releases = [release for release in world.releases(facts) if release >= _READS_CLAIMS]
        if role.binds is None or not releases:
            continue
        message = (
            "a scheduler that is built on kube-scheduler 1.34 or later also lists deviceclasses, resourceclaims and "
            "resourceslices of resource.k8s.io, and no role here lets it: it schedules no Pod"
        )
        hint = (
            "add a rule for these resources with get, list and watch, and one for resourceclaims/status with update "
            "and patch; or bind the ClusterRole system:kube-scheduler, too"
        )
        yield world.found(facts, OTHER_PROGRAM, role.binds, message, hint, releases=releases)


_QUEUE = "kueue.x-k8s.io/queue-name"
_MOST_MAPPINGS, _MOST_CLASSES = 16, 8
_WAITS = "the workload never starts, and no event is recorded"


def kueue(world: World) -> Iterator[Found]:
    """Yield what Kueue does not admit, and the mistakes in its configuration."""
    configs = [*world.index.holding(KueueConfig)]
    for facts, config in configs:
        yield from _configuration(world, facts, config)
    mapped = {name: mapping for _, config in configs for mapping in config.mappings for _, name in mapping.classes}
    classes = {body.extended: other for other, body in world.index.holding(Class)}
    seen: set[tuple[int, Path]] = set()
    for facts, workload, pod in world.workloads:
        if workload.queue:
            for found in _of_pod(world, facts, pod, mapped if configs else None, classes):
                key = id(found.facts), found.problem.path
                if key not in seen:
                    seen.add(key)
                    yield found


def _of_pod(
    world: World,
    facts: Facts,
    pod: PodSpec,
    mapped: dict[str, Mapped] | None,
    classes: dict[str | None, Facts],
) -> Iterator[Found]:
    here = Elsewhere(f"the label {_QUEUE} gives the workload to Kueue", facts, ("metadata", "labels", _QUEUE))
    for entry in pod.entries:
        if entry.claim is not None:
            message = f"Kueue admits no workload with `resourceClaimName`: {_WAITS}"
            hint = "use a ResourceClaimTemplate (resourceClaimTemplateName), or remove the label of the queue"
            yield world.found(facts, KUEUE_INADMISSIBLE, entry.field, message, hint, here, target="key")
            continue
        for target, claim in world.claims_of(facts, entry):
            yield from _of_claim(world, target, claim, here, mapped)
    for path, name, amount in pod.extended:
        mapping = (mapped or {}).get(str(classes[name].name)) if name in classes else None
        if mapping is not None and mapping.sources is not None and amount != "0":
            message = (
                f"Kueue admits no workload with the extended resource {quoted(name)}: the mapping of its class "
                f"{quoted(classes[name].name)} has sources: {_WAITS}"
            )
            hint = "use a ResourceClaimTemplate for devices of this class"
            yield world.found(facts, KUEUE_INADMISSIBLE, path, message, hint, here, target="key")


def _of_claim(
    world: World, facts: Facts, claim: ClaimFacts, here: Elsewhere, mapped: dict[str, Mapped] | None
) -> Iterator[Found]:
    """Yield what Kueue does not admit in the claims of a template."""
    for request in claim.requests:
        path, what, since = request.path, "", "0.15 and later admit"
        if request.parent is not None:
            path, what = request.path[:-1], "`firstAvailable`"
        elif request.mode == "All":
            path, what = (*request.path, "allocationMode"), "`allocationMode: All`"
        elif request.admin:
            path, what, since = (*request.path, "adminAccess"), "`adminAccess`", "0.15 to 0.19 admit"
        if what:
            message = f"Kueue {since} no workload whose template has {what}: {_WAITS}"
            hint = "write one request with a count, or remove the label of the queue"
            yield world.found(facts, KUEUE_INADMISSIBLE, path, message, hint, here, target="key")
        elif (
            mapped is not None
            and request.device_class is not None
            and request.device_class not in mapped
            and not is_open(request.device_class)
        ):
            message = (
                f"no deviceClassMapping of Kueue's configuration has the class {quoted(request.device_class)}: Kueue "
                f"does not admit the workload, and {_WAITS}"
            )
            hint = "add the class to a mapping under resources.deviceClassMappings"
            place = (*request.path, "deviceClassName")
            yield world.found(facts, KUEUE_INADMISSIBLE, place, message, hint, here)


def _configuration(world: World, facts: Facts, config: KueueConfig) -> Iterator[Found]:
    """Yield the mistakes in a configuration with which Kueue does not start."""
    top: Path = ("resources", "deviceClassMappings")

    def wrong(path: Path, message: str, hint: str) -> Found:
        return world.found(facts, KUEUE_CONFIGURATION, path, f"{message}: Kueue does not start", hint)

    if len(config.mappings) > _MOST_MAPPINGS:
        message = f"{len(config.mappings)} mappings; at most {_MOST_MAPPINGS} are allowed"
        yield wrong(top, message, "join mappings: one can have several classes")
    names: dict[str, Mapped] = {}
    classes: dict[str, Mapped] = {}
    for mapping in config.mappings:
        if names.setdefault(mapping.name, mapping) is not mapping:
            yield wrong((*mapping.path, "name"), f"the name {quoted(mapping.name)} is used twice", "join the mappings")
        if not 0 < len(mapping.classes) <= _MOST_CLASSES:
            message = f"{len(mapping.classes)} classes in a mapping; 1 to {_MOST_CLASSES} are allowed"
            yield wrong(mapping.path, message, "write another mapping for the others")
        if mapping.sources is not None and facts.api_version.endswith("/v1beta1"):
            message = "`sources` is not a field of v1beta1"
            yield wrong((*mapping.path, "sources"), message, "write apiVersion: config.kueue.x-k8s.io/v1beta2")
        for path, name in mapping.classes:
            other = classes.setdefault(name, mapping)
            if other is mapping and [one for _, one in mapping.classes].count(name) > 1:
                yield wrong(path, f"the class {quoted(name)} is twice in the mapping", "remove one")
            elif other is not mapping and not (mapping.sources and other.sources and mapping.sources != other.sources):
                yield wrong(
                    path,
                    f"the class {quoted(name)} is in the mapping {quoted(other.name)} too",
                    "keep one; a class can be in two mappings only with different counters",
                )
