"""What Kueue does not admit: workloads of a queue with claims that it does not count; and its own configuration.

Sources: pkg/dra/claims.go, pkg/config/validation.go and apis/config of kubernetes-sigs/kueue (v0.14.0 to v0.19.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import KUEUE_CONFIGURATION, KUEUE_INADMISSIBLE
from dralint.finding.words import quoted
from dralint.references.facts import ClaimFacts, Class
from dralint.references.names import is_open
from dralint.references.other_facts import KueueConfig
from dralint.references.problem import Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts
    from dralint.references.other_facts import Mapped
    from dralint.references.pod_facts import PodSpec
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

_LABEL = "kueue.x-k8s.io/queue-name"
_MOST_MAPPINGS, _MOST_CLASSES = 16, 8
_WAITS = "the workload never starts, and no event is recorded"


def kueue(world: World) -> Iterator[Found]:
    """Yield what Kueue does not admit, and the mistakes in its configuration."""
    configs = [(facts, facts.body) for facts in world.index.facts if isinstance(facts.body, KueueConfig)]
    for facts, config in configs:
        yield from _configuration(world, facts, config)
    mapped = {name: mapping for _, config in configs for mapping in config.mappings for _, name in mapping.classes}
    classes = {body.extended: other for other in world.index.facts if isinstance(body := other.body, Class)}
    seen: set[tuple[int, Path]] = set()
    for facts, workload, pod in world.workloads():
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
    here = Elsewhere(f"the label {_LABEL} gives the workload to Kueue", facts, ("metadata", "labels", _LABEL))
    for entry in pod.entries:
        if entry.claim is not None:
            message = f"Kueue admits no workload with `resourceClaimName`: {_WAITS}"
            hint = "use a ResourceClaimTemplate (resourceClaimTemplateName), or remove the label of the queue"
            yield world.found(facts, KUEUE_INADMISSIBLE, entry.field, message, hint, here, target="key")
            continue
        for target in world.target(facts, entry):
            if isinstance(target.body, ClaimFacts):
                yield from _of_claim(world, target, target.body, here, mapped)
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
        elif mapped is not None and request.device_class not in mapped and not is_open(request.device_class):
            if request.device_class is None:
                continue
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
