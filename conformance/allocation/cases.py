"""Random clusters with a Pod: nodes, classes, slices and claims, to which a few traits each add something special."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.simulate.behaviours import every_gate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Case = dict[str, Any]
Object = dict[str, Any]

GPU, NIC, FABRIC = "gpu.example.com", "nic.example.com", "fabric.example.com"
ROOT = "resource.kubernetes.io/pcieRoot"
_POD_UID = "99999999-0000-4000-8000-000000000000"
_SHARE = "11111111-0000-4000-8000-{:012d}"


class Trait(NamedTuple):
    """Something special about a cluster, from a minor release on, with the feature gates that it needs."""

    name: str
    add: Callable[[Cluster], None]
    gates: tuple[str, ...]
    since: int


TRAITS: list[Trait] = []


def trait(*needs: str, since: int = 34) -> Callable[[Callable[[Cluster], None]], Callable[[Cluster], None]]:
    """Make a function of a cluster a trait that has the function's name."""

    def made(add: Callable[[Cluster], None]) -> Callable[[Cluster], None]:
        TRAITS.append(Trait(add.__name__.strip("_"), add, needs, since))
        return add

    return made


def cases(release: str, seed: str, count: int) -> Iterator[Case]:
    """Yield `count` clusters of a release. The same seed gives the same clusters."""
    rng = random.Random(f"{seed}/{release}")
    judged = Release.parse(release)
    known = traits_of(judged)
    for number in range(count):
        case = None
        while case is None:
            case = _case(rng, judged, rng.sample(known, rng.choice((1, 1, 2, 2, 3))))
        yield {"id": f"{seed}/{number}", **case}


def traits_of(release: Release) -> list[Trait]:
    """Return the traits whose feature gates a release has."""
    return [
        one for one in TRAITS if release.minor >= one.since and all(gates.stage(gate, release) for gate in one.gates)
    ]


def _case(rng: random.Random, release: Release, chosen: list[Trait]) -> Case | None:
    """Return a cluster with these traits; None where two traits make the same name."""
    cluster = with_traits(rng, release, chosen)
    if cluster is None:
        return None
    needed = {gate for one in chosen for gate in one.gates} | cluster.needs
    return {
        "traits": sorted(one.name for one in chosen),
        "profile": "all" if not on_by_default(needed, release) or rng.random() < 0.3 else "default",
        "features": _off(cluster.off, release),
        "nodes": cluster.nodes,
        "classes": cluster.classes,
        "slices": cluster.slices,
        "claims": cluster.claims,
        "taintRules": cluster.rules,
        "pod": cluster.pod(),
    }


def with_traits(rng: random.Random, release: Release, chosen: Iterable[Trait]) -> Cluster | None:
    """Return a cluster with these traits; None where two of them make the same name."""
    cluster = Cluster(rng, release.minor)
    for one in chosen:
        one.add(cluster)
    names = [("class", one["metadata"]["name"]) for one in cluster.classes]
    names += [("request", request["name"]) for request in cluster.requests]
    return cluster if len(set(names)) == len(names) else None


def on_by_default(needed: Iterable[str], release: Release) -> bool:
    """Say whether a release has all of these gates on by default."""
    stages = [gates.stage(gate, release) for gate in needed]
    return all(stage is not None and stage.default for stage in stages)


def _off(chosen: tuple[str, ...], release: Release) -> dict[str, bool]:
    """Return some gates and those that need them, all off."""
    every = every_gate(release)
    return {gate: False for gate in every if {gate, *gates.needs(gate, release)} & set(chosen)}


class Cluster:
    """A cluster under construction: some GPUs and NICs on every node, and a claim for GPUs."""

    def __init__(self, rng: random.Random, minor: int) -> None:
        self.rng, self.minor = rng, minor
        self.needs: set[str] = set()
        self.off: tuple[str, ...] = ()
        self.nodes: list[Object] = []
        self.classes: list[Object] = []
        self.slices: list[Object] = []
        self.claims: list[Object] = []
        self.rules: list[Object] = []
        self.own: list[str] = []
        self.spec: Object = {"containers": [{"name": "main", "image": "app"}]}
        self.references: list[Object] | None = None
        self.statuses: list[Object] = []
        for name in rng.sample(("node-a", "node-b", "node-c"), rng.choice((1, 1, 2, 3))):
            labels = {"kubernetes.io/hostname": name, "zone": rng.choice("ab"), "gpus": str(rng.choice((0, 4, 8)))}
            self.nodes.append({"name": name, "labels": labels})
            self.publish(GPU, name, self.gpus(rng.randint(2, 6)), {"nodeName": name}, parts=rng.choice((1, 1, 2)))
            if rng.random() < 0.6:
                self.publish(NIC, name, self.nics(rng.randint(1, 4)), {"nodeName": name})
        self.class_("gpu", f'device.driver == "{GPU}"')
        self.class_("nic", f'device.driver == "{NIC}"')
        self.claim("work", [self.request("gpu", "gpu", rng.choice((1, 1, 2, 3)), self.selectors(0.5))])
        if rng.random() < 0.3:
            self.requests.append(self.request("nic", "nic", 1))
        if rng.random() < 0.3:
            self.claim("second", [self.request("gpu", "gpu", rng.choice((1, 2)), self.selectors(0.5))])
        if rng.random() < 0.4:
            self.use_some(0.3)

    @property
    def requests(self) -> list[Object]:
        """The requests of the first claim."""
        requests: list[Object] = self.claims[0]["spec"]["devices"]["requests"]
        return requests

    def sometimes(self, part: float = 0.5) -> bool:
        """Return true in this part of all cases."""
        return self.rng.random() < part

    def node(self) -> str:
        """Return the name of a node."""
        name: str = self.rng.choice(self.nodes)["name"]
        return name

    def devices(self, driver: str | None = None) -> list[tuple[Object, Object]]:
        """Return every device with the spec of its slice."""
        specs = [one["spec"] for one in self.slices if driver in (None, one["spec"]["driver"])]
        return [(spec, device) for spec in specs for device in spec.get("devices", ())]

    # Inventory

    def publish(
        self,
        driver: str,
        pool: str,
        devices: list[Object],
        where: Object,
        *,
        parts: int = 1,
        generation: int = 1,
        count: int | None = None,
        counters: list[Object] | None = None,
    ) -> None:
        """Add a pool of slices, and one for counters; `count` is the slice count that the slices have."""
        bodies = [{"devices": devices[part::parts]} for part in range(parts)] if devices else []
        if counters and self.minor < 35:  # counters and devices stand in one slice
            bodies = [{"devices": devices, "sharedCounters": counters}]
        elif counters:
            bodies.append({"sharedCounters": counters})
        for number, body in enumerate(bodies):
            said = {"name": pool, "generation": generation, "resourceSliceCount": count or len(bodies)}
            name = f"{pool}-{driver}-{generation}-{number}-{len(self.slices)}"
            spec = {"driver": driver, "pool": said, **where, **body}
            self.slices.append({"metadata": {"name": name}, "spec": spec})

    def gpus(self, count: int, start: int = 0) -> list[Object]:
        """Return some GPUs."""
        return [self._gpu(start + number) for number in range(count)]

    def _gpu(self, number: int) -> Object:
        rng = self.rng
        attributes = {
            "index": {"int": number},
            "model": {"string": rng.choice(("A100", "H100", "L40S"))},
            "driverVersion": {"version": rng.choice(("1.2.0", "1.10.3", "2.1.0-rc.1"))},
            "numa": {"int": rng.randint(0, 1)},
            "ecc": {"bool": rng.random() < 0.7},
            ROOT: {"string": f"pci0000:{rng.choice(('00', '40', '80'))}"},
        }
        if rng.random() < 0.3:
            attributes["healthy"] = {"bool": rng.random() < 0.8}
        memory = {"value": rng.choice(("40Gi", "80Gi"))}
        return {"name": f"gpu-{number}", "attributes": attributes, "capacity": {"memory": memory}}

    def nics(self, count: int) -> list[Object]:
        """Return some network interfaces."""
        return [
            {
                "name": f"nic-{number}",
                "attributes": {
                    "speed": {"int": self.rng.choice((25, 100))},
                    ROOT: {"string": f"pci0000:{self.rng.choice(('00', '40'))}"},
                },
            }
            for number in range(count)
        ]

    def class_(self, name: str, *selectors: str, **spec: Any) -> None:
        """Add a class."""
        chosen = {"selectors": [_selector(text) for text in selectors]} if selectors else {}
        self.classes.append({"metadata": {"name": name}, "spec": chosen | spec})

    # Claims

    def selectors(self, part: float) -> list[str]:
        """Return selectors of GPUs in this part of all cases."""
        if not self.sometimes(part):
            return []
        rng = self.rng
        device = f'device.attributes["{GPU}"]'
        every = (
            f'{device}.model == "{rng.choice(("A100", "H100"))}"',
            f'{device}.model in ["A100", "L40S"]',
            f"{device}.index {rng.choice(('<', '>=', '!='))} {rng.randint(0, 4)}",
            f"{device}.index % 2 == 0",
            f"{device}.ecc",
            f"{device}.numa == 1",
            f'{device}.driverVersion.isGreaterThan(semver("1.2.0"))',
            f"has({device}.healthy) && {device}.healthy",
            f"{device}.?healthy.orValue(true)",
            f'device.capacity["{GPU}"].memory.compareTo(quantity("80Gi")) >= 0',
            f'!("{NIC}" in device.attributes)',
        )
        return rng.sample(every, rng.choice((1, 1, 2)))

    def request(self, name: str, of: str, count: int | str, selectors: list[str] | None = None, **more: Any) -> Object:
        """Return a request for devices of a class; `count` can be `All`."""
        return {"name": name, "exactly": self.wanted(of, count, selectors, **more)}

    def wanted(self, of: str, count: int | str, selectors: list[str] | None = None, **more: Any) -> Object:
        """Return the fields of a request or an alternative."""
        body: Object = {"deviceClassName": of}
        if selectors:
            body["selectors"] = [_selector(text) for text in selectors]
        if count == "All":
            body["allocationMode"] = "All"
        elif count != 1 or self.sometimes(0.3):
            body |= {"allocationMode": "ExactCount", "count": count}
        return body | more

    def claim(self, name: str, requests: list[Object], *, own: bool = True) -> Object:
        """Add a claim, of the Pod or of another."""
        uid = f"00000000-0000-4000-8000-{len(self.claims):012d}"
        metadata = {"name": name, "namespace": "default", "uid": uid}
        made: Object = {"metadata": metadata, "spec": {"devices": {"requests": requests}}}
        self.claims.append(made)
        if own:
            self.own.append(name)
        return made

    def constrain(self, attribute: str, *requests: str, distinct: bool = False) -> None:
        """Add a constraint to the first claim."""
        made: Object = {"distinctAttribute" if distinct else "matchAttribute": attribute}
        if requests:
            made["requests"] = list(requests)
        self.claims[0]["spec"]["devices"].setdefault("constraints", []).append(made)

    def allocate(self, claim: Object, devices: list[tuple[Object, Object]], **more: Any) -> Object:
        """Give devices to a claim."""
        request = claim["spec"]["devices"]["requests"][0]["name"]
        results = [
            {
                "request": request,
                "driver": spec["driver"],
                "pool": spec["pool"]["name"],
                "device": device["name"],
                **more,
            }
            for spec, device in devices
        ]
        allocation: Object = {"devices": {"results": results}}
        claim["status"] = {"allocation": allocation}
        return allocation

    def use_some(self, part: float) -> None:
        """Give some devices to claims of other Pods."""
        for spec, device in self.devices():
            if self.sometimes(part) and not device.get("allowMultipleAllocations"):
                other = self.claim(f"other-{len(self.claims)}", [self.request("x", "gpu", 1)], own=False)
                self.allocate(other, [(spec, device)])

    def pod(self) -> Object:
        """Return the Pod with its claims."""
        references = self.references
        if references is None:
            references = [{"name": name, "resourceClaimName": name} for name in self.own]
        metadata = {"name": "worker", "namespace": "default", "uid": _POD_UID}
        made: Object = {
            "metadata": metadata,
            "spec": self.spec | ({"resourceClaims": references} if references else {}),
        }
        if self.statuses:
            made["status"] = {"resourceClaimStatuses": self.statuses}
        return made


def _selector(text: str) -> Object:
    return {"cel": {"expression": text}}


def _opaque(driver: str, kind: str) -> Object:
    return {"opaque": {"driver": driver, "parameters": {"apiVersion": "example.com/v1", "kind": kind}}}


def _taint(cluster: Cluster, effects: tuple[str, ...] = ("NoSchedule", "NoExecute")) -> Object:
    made = {
        "key": cluster.rng.choice(("example.com/broken", "example.com/drained")),
        "effect": cluster.rng.choice(effects),
    }
    return made | ({"value": cluster.rng.choice(("planned", "now"))} if cluster.sometimes() else {})


def _tolerate(cluster: Cluster, body: Object) -> None:
    effect = {"effect": cluster.rng.choice(("NoSchedule", "NoExecute"))}
    every: tuple[Object, ...] = (
        {"operator": "Exists"},
        {"key": "example.com/broken", "operator": "Exists"},
        {"key": "example.com/drained", "operator": "Equal", "value": "planned"},
        {"key": "example.com/drained", "value": "planned"},
    )
    chosen = cluster.rng.sample(every, cluster.rng.choice((1, 1, 2)))
    # The server of 1.35 refuses a toleration without effect.
    body["tolerations"] = [one | (effect if cluster.minor == 35 or cluster.sometimes(0.4) else {}) for one in chosen]


def _bodies(cluster: Cluster) -> list[Object]:
    """Return the fields of each request or alternative of the Pod's claims."""
    found: list[Object] = []
    for claim in cluster.claims:
        for request in claim["spec"]["devices"]["requests"] if claim["metadata"]["name"] in cluster.own else ():
            found += [request["exactly"]] if "exactly" in request else request["firstAvailable"]
    return found


def _node_selector(cluster: Cluster) -> Object:
    expressions: tuple[Object, ...] = (
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
        {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["b"]}]},
        {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["3"]}]},
        {"matchExpressions": [{"key": "missing", "operator": "DoesNotExist"}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [cluster.node()]}]},
    )
    return {"nodeSelector": {"nodeSelectorTerms": [cluster.rng.choice(expressions)]}}  # a slice has exactly one term


@trait()
def _match(cluster: Cluster) -> None:
    names = [request["name"] for request in cluster.requests]
    attribute = cluster.rng.choice((ROOT, ROOT, f"{GPU}/model", f"{GPU}/numa", f"{GPU}/ecc", f"{GPU}/absent"))
    cluster.constrain(attribute, *cluster.rng.choice(((), ("gpu",), tuple(names))))


@trait("DRAConsumableCapacity")
def _distinct(cluster: Cluster) -> None:
    attribute = f"{GPU}/{cluster.rng.choice(('model', 'numa', 'index'))}"
    cluster.constrain(attribute, *cluster.rng.choice(((), ("gpu",))), distinct=True)


@trait("DRAPrioritizedList")
def _alternatives(cluster: Cluster) -> None:
    names = cluster.rng.sample(("big", "medium", "small"), cluster.rng.choice((2, 3)))
    counts = (1, 2, 3, 4, "All")
    alternatives = [
        {"name": name} | cluster.wanted("gpu", cluster.rng.choice(counts), cluster.selectors(0.6)) for name in names
    ]
    cluster.requests[0] = {"name": "gpu", "firstAvailable": alternatives}
    if cluster.sometimes(0.3):
        cluster.constrain(f"{GPU}/model", cluster.rng.choice(("gpu", f"gpu/{names[0]}")))


@trait()
def _all(cluster: Cluster) -> None:
    more = cluster.request("all", "gpu", "All", cluster.selectors(0.7))
    if cluster.sometimes():
        cluster.requests[0] = more | {"name": "gpu"}
    else:
        cluster.requests.insert(cluster.rng.randint(0, 1), more)


@trait("DRAAdminAccess")
def _admin(cluster: Cluster) -> None:
    cluster.use_some(0.5)
    count = cluster.rng.choice((1, 2, "All"))
    cluster.requests.append(cluster.request("watch", "gpu", count, cluster.selectors(0.3), adminAccess=True))


@trait("DRADeviceTaints")
def _taints(cluster: Cluster) -> None:
    effects = ("NoSchedule", "NoExecute", *(("None",) if cluster.minor >= 35 else ()))
    for _, device in cluster.devices():
        if cluster.sometimes():
            device["taints"] = [_taint(cluster, effects)]
    for body in _bodies(cluster):
        if cluster.sometimes(0.6):
            _tolerate(cluster, body)


@trait("DRADeviceTaints", "DRADeviceTaintRules", since=35)
def _taint_rules(cluster: Cluster) -> None:
    for _ in range(cluster.rng.choice((1, 1, 2))):
        spec, device = cluster.rng.choice(cluster.devices())
        every = {"driver": spec["driver"], "pool": spec["pool"]["name"], "device": device["name"]}
        fields = cluster.rng.sample(sorted(every), cluster.rng.choice((1, 2, 3)))
        chosen = {"deviceSelector": {field: every[field] for field in fields}} if cluster.sometimes(0.9) else {}
        cluster.rules.append({"spec": chosen | {"taint": _taint(cluster)}})
    for body in _bodies(cluster):
        if cluster.sometimes(0.3):
            _tolerate(cluster, body)


def _partitionable(cluster: Cluster, gpus: int, slots: int) -> tuple[list[Object], list[Object]]:
    """Return GPUs with their partitions, which share counters."""

    def device(name: str, number: int, first: int, width: int) -> Object:
        amounts = {"memory": {"value": f"{width * 10}Gi"}} | {
            f"slice-{at}": {"value": "1"} for at in range(first, first + width)
        }
        return {
            "name": name,
            "attributes": {"width": {"int": width}, "parent": {"int": number}, "index": {"int": first}},
            "capacity": {"memory": {"value": f"{width * 10}Gi"}},
            "consumesCounters": [{"counterSet": f"set-{number}", "counters": amounts}],
        }

    devices, sets = [], []
    for number in range(gpus):
        counters = {"memory": {"value": f"{slots * 10}Gi"}} | {f"slice-{at}": {"value": "1"} for at in range(slots)}
        sets.append({"name": f"set-{number}", "counters": counters})
        devices.append(device(f"part-{number}", number, 0, slots))
        for width in (1, 2):
            devices += [
                device(f"part-{number}-{width}-{at}", number, at, width) for at in range(0, slots - width + 1, width)
            ]
    return devices, sets


def _add_partitions(cluster: Cluster) -> list[Object]:
    where = cluster.node()
    devices, sets = _partitionable(cluster, cluster.rng.choice((1, 1, 2)), cluster.rng.choice((3, 4)))
    cluster.publish(FABRIC, f"{where}-parts", devices, {"nodeName": where}, counters=sets)
    cluster.class_("part", f'device.driver == "{FABRIC}"')
    width = f'device.attributes["{FABRIC}"].width == {cluster.rng.choice((1, 2))}'
    cluster.requests.append(
        cluster.request("part", "part", cluster.rng.choice((1, 1, 2)), [width] if cluster.sometimes() else None)
    )
    if cluster.sometimes(0.4):
        other = cluster.claim("other-part", [cluster.request("x", "part", 1)], own=False)
        spec = next(one["spec"] for one in reversed(cluster.slices) if "devices" in one["spec"])
        cluster.allocate(other, [(spec, cluster.rng.choice(devices))])
    return devices


@trait("DRAPartitionableDevices")
def _partitions(cluster: Cluster) -> None:
    _add_partitions(cluster)
    if cluster.sometimes(0.3):
        cluster.constrain(f"{FABRIC}/parent", "part")


@trait("DRAPartitionableDevices", "DRADeviceCompatibilityGroups", since=37)
def _groups(cluster: Cluster) -> None:
    for device in _add_partitions(cluster):
        if cluster.sometimes(0.6):
            groups = cluster.rng.sample(("mig", "vgpu", "mps"), cluster.rng.choice((1, 2)))
            device["consumesCounters"][0]["compatibilityGroups"] = groups


def _shared(cluster: Cluster, policies: tuple[Object | None, ...], amounts: tuple[str, ...], value: str) -> None:
    where = cluster.node()
    devices = cluster.nics(cluster.rng.randint(1, 3))
    for device in devices:
        policy = cluster.rng.choice(policies)
        device["capacity"] = {"bandwidth": {"value": value} | ({"requestPolicy": policy} if policy else {})}
        device["allowMultipleAllocations"] = True
    cluster.publish(FABRIC, f"{where}-shared", devices, {"nodeName": where})
    cluster.class_("shared", f'device.driver == "{FABRIC}" && device.allowMultipleAllocations')
    for number in range(cluster.rng.choice((1, 1, 2))):
        asked = {"requests": {"bandwidth": cluster.rng.choice(amounts)}}
        more: Object = {"capacity": asked} if cluster.sometimes(0.8) else {}
        cluster.requests.append(cluster.request(f"share-{number}", "shared", cluster.rng.choice((1, 1, 2)), **more))
    for number, device in enumerate(devices):
        if cluster.sometimes(0.4):
            other = cluster.claim(f"other-share-{number}", [cluster.request("x", "shared", 1)], own=False)
            used = {"shareID": _SHARE.format(number), "consumedCapacity": {"bandwidth": cluster.rng.choice(amounts)}}
            cluster.allocate(other, [(cluster.slices[-1]["spec"], device)], **used)


@trait("DRAConsumableCapacity")
def _shares(cluster: Cluster) -> None:
    policies = (
        None,
        {"default": "5Gi"},
        {"default": "1Gi", "validValues": ["1Gi", "5Gi", "20Gi"]},
        {"default": "1Gi", "validRange": {"min": "1Gi"}},
        {"default": "2Gi", "validRange": {"min": "2Gi", "step": "2Gi", "max": "20Gi"}},
    )
    _shared(cluster, policies, ("1Gi", "3Gi", "10Gi", "2500Mi", "5000000000"), "40Gi")


@trait("DRAConsumableCapacity", "DRAFractionalCapacityRange", since=37)
def _fractions(cluster: Cluster) -> None:
    policies = (
        {"default": "500m", "validRange": {"min": "500m", "step": "500m", "max": "4"}},
        {"default": "0.1", "validRange": {"min": "0.1", "step": "0.2", "max": "1.9"}},
    )
    _shared(cluster, policies, ("300m", "700m", "1", "1.1", "2.25", "50m"), "10500m")


@trait()
def _pools(cluster: Cluster) -> None:
    where = {"nodeName": cluster.node()}
    kind = cluster.rng.choice(("stale", "incomplete", "twice", "too many", "elsewhere", "everywhere"))
    if kind == "stale":
        cluster.publish(GPU, "pool", cluster.gpus(3), where, generation=1)
        cluster.publish(GPU, "pool", cluster.gpus(2), where, generation=2)
    elif kind == "incomplete":
        cluster.publish(GPU, "pool", cluster.gpus(2), where, count=2)
    elif kind == "twice":
        for start in (0, cluster.rng.choice((1, 2))):
            cluster.publish(GPU, "pool", cluster.gpus(2, start), where, count=2)
    elif kind == "too many":
        cluster.publish(GPU, "pool", cluster.gpus(4), where, parts=2, count=1)
    elif kind == "elsewhere":
        cluster.publish(GPU, "pool", cluster.gpus(2), where, generation=cluster.rng.choice((3, 4)), count=2)
        cluster.publish(GPU, "pool", cluster.gpus(2, 2), {"nodeName": "elsewhere"}, generation=4, count=2)
    else:
        cluster.publish(GPU, "pool", cluster.gpus(2), {"allNodes": True}, generation=cluster.rng.choice((1, 2)))
        cluster.publish(GPU, "pool", cluster.gpus(1, 2), where, generation=2)


@trait()
def _places(cluster: Cluster) -> None:
    for number in range(cluster.rng.choice((1, 2, 3))):
        where = cluster.rng.choice(({"allNodes": True}, _node_selector(cluster)))
        channels = [
            {"name": f"channel-{at}", "attributes": {"id": {"int": at}}} for at in range(cluster.rng.randint(1, 3))
        ]
        cluster.publish(FABRIC, f"fabric-{number}", channels, where)
    cluster.class_("fabric", f'device.driver == "{FABRIC}"')
    cluster.requests.append(cluster.request("fabric", "fabric", cluster.rng.choice((1, 1, 2, "All"))))


@trait("DRAPartitionableDevices")
def _each_place(cluster: Cluster) -> None:
    devices = [
        device | cluster.rng.choice(({"nodeName": cluster.node()}, {"allNodes": True}, _node_selector(cluster)))
        for device in cluster.gpus(cluster.rng.randint(2, 5))
    ]
    cluster.publish(GPU, "rack", devices, {"perDeviceNodeSelection": True}, parts=cluster.rng.choice((1, 2)))


@trait("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus")
def _binding(cluster: Cluster) -> None:
    conditions = {"bindingConditions": ["example.com/ready"], "bindingFailureConditions": ["example.com/failed"]}
    far = [
        device
        | (conditions if cluster.sometimes(0.8) else {})
        | ({"bindsToNode": True} if cluster.sometimes(0.4) else {})
        for device in cluster.gpus(cluster.rng.randint(1, 3))
    ]
    for device in far:
        if "bindingConditions" not in device:
            device.pop("bindsToNode", None)
    cluster.publish(GPU, "a-fabric", far, cluster.rng.choice(({"allNodes": True}, _node_selector(cluster))))
    for _, device in cluster.devices(GPU)[:2]:
        if cluster.sometimes(0.4):
            device |= conditions


@trait()
def _config(cluster: Cluster) -> None:
    cluster.classes[0]["spec"]["config"] = [_opaque(GPU, "OfClass")] * cluster.rng.choice((1, 2))
    names = [request["name"] for request in cluster.requests]
    entries = []
    for _ in range(cluster.rng.randint(1, 3)):
        chosen = cluster.rng.sample(names, cluster.rng.randint(0, len(names)))
        entries.append(({"requests": chosen} if chosen else {}) | _opaque(cluster.rng.choice((GPU, NIC)), "OfClaim"))
    cluster.claims[0]["spec"]["devices"]["config"] = entries


@trait("DRAListTypeAttributes", since=36)
def _lists(cluster: Cluster) -> None:
    for _, device in cluster.devices(GPU):
        links = cluster.rng.sample(("l0", "l1", "l2"), cluster.rng.randint(1, 2))
        device["attributes"]["links"] = {"strings": links} if cluster.sometimes(0.8) else {"string": links[0]}
    distinct = cluster.sometimes(0.3)
    if distinct:
        cluster.needs.add("DRAConsumableCapacity")
    cluster.constrain(f"{GPU}/links", *cluster.rng.choice(((), ("gpu",))), distinct=distinct)
    if cluster.sometimes(0.3):
        cluster.requests[0].get("exactly", {})["selectors"] = [
            _selector(f'device.attributes["{GPU}"].links.includes("l0")')
        ]


@trait("DRADerivedAttributes", since=37)
def _derived(cluster: Cluster) -> None:
    device = f'device.attributes["{GPU}"]'
    text = cluster.rng.choice(
        (f"{device}.index / 2", f"{device}.model.substring(0, 1)", f"{device}.healthy", f"{device}.driverVersion")
    )
    name = "derived.example.com/value"
    for body in _bodies(cluster)[:1]:
        body["derivedAttributes"] = [{"name": name, "expression": text}]
    cluster.constrain(name, cluster.requests[0]["name"])


@trait("DRAOptionalNodeOperations", since=37)
def _skipped_operations(cluster: Cluster) -> None:
    for node in cluster.nodes:
        if cluster.sometimes():
            node["declaredFeatures"] = ["DRAOptionalNodeOperations"]
    for one in cluster.slices:
        if cluster.sometimes():
            one["spec"]["skipNodeOperations"] = [cluster.rng.choice(("*", "NodeUnprepareResources"))]


@trait("DRAExtendedResource")
def _extended(cluster: Cluster) -> None:
    name = "example.com/gpu"
    cluster.classes[0]["spec"]["extendedResourceName"] = name
    if cluster.sometimes(0.2):
        name = "deviceclass.resource.kubernetes.io/gpu"

    def container(called: str, **more: Any) -> Object:
        amounts = {name: str(cluster.rng.randint(1, 3))}
        return {"name": called, "image": "app", "resources": {"requests": amounts, "limits": amounts}, **more}

    cluster.spec = {"containers": [container("main"), *([container("side")] if cluster.sometimes(0.3) else [])]}
    if cluster.minor >= 35 and cluster.sometimes(0.4):
        more = {"restartPolicy": "Always"} if cluster.sometimes(0.3) else {}
        cluster.spec["initContainers"] = [container("prepare", **more)]
    if cluster.sometimes(0.6):
        cluster.references = []
    for node in cluster.nodes:
        if cluster.sometimes(0.3):
            node["allocatable"] = {"cpu": "8", "example.com/gpu": str(cluster.rng.choice((0, 4)))}


@trait()
def _states(cluster: Cluster) -> None:
    first = cluster.claims[0]
    kind = cluster.rng.choice(
        ("absent", "waiting", "needless", "owner", "deleted", "allocated", "allocated", "reserved", "full")
    )
    reference = {"name": "work", "resourceClaimName": "work"}
    template = {"name": "work", "resourceClaimTemplateName": "template"}
    if kind == "absent":
        cluster.references = [reference, {"name": "net", "resourceClaimName": "absent"}]
    elif kind == "waiting":
        cluster.references = [reference, {"name": "net", "resourceClaimTemplateName": "template"}]
    elif kind == "needless":
        cluster.references, cluster.statuses = [template], [{"name": "work"}]
    elif kind == "owner":
        cluster.references, cluster.statuses = [template], [{"name": "work", "resourceClaimName": "work"}]
        uid = cluster.rng.choice((_POD_UID, "88888888-0000-4000-8000-000000000000"))
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "worker", "uid": uid, "controller": True}
        first["metadata"]["ownerReferences"] = [owner]
    elif kind == "deleted":
        finalizers = ["resource.kubernetes.io/delete-protection"]
        first["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": finalizers}
    else:
        node = cluster.node()
        there = [pair for pair in cluster.devices(GPU) if pair[0].get("nodeName") == node]
        allocation = cluster.allocate(first, there[: cluster.rng.choice((1, 2))])
        if cluster.sometimes(0.8):
            fields = [{"key": "metadata.name", "operator": "In", "values": [node]}]
            allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": fields}]}
        if kind in ("reserved", "full"):
            others = [
                {"resource": "pods", "name": f"pod-{number}", "uid": f"77777777-0000-4000-8000-{number:012d}"}
                for number in range(256 if kind == "full" else 2)
            ]
            first["status"]["reservedFor"] = others


@trait()
def _failing(cluster: Cluster) -> None:
    device = f'device.attributes["{GPU}"]'
    kind = cluster.rng.choice(("key", "key", "domain", "class", "class selector"))
    if kind == "key":
        cluster.requests.append(
            cluster.request("late", "gpu", cluster.rng.choice((1, 2, "All")), [f"{device}.healthy"])
        )
    elif kind == "domain":
        cluster.class_("everything")
        cluster.requests.append(cluster.request("late", "everything", 1, [f"{device}.index >= 0"]))
    elif kind == "class":
        cluster.requests.append(cluster.request("late", "absent", 1))
    else:
        cluster.class_("fragile", f"{device}.healthy")
        cluster.requests.insert(0, cluster.request("early", "fragile", cluster.rng.choice((1, "All"))))


@trait()
def _many(cluster: Cluster) -> None:
    where = cluster.node()
    cluster.publish(GPU, "many", cluster.gpus(36, 10), {"nodeName": where}, parts=2)
    cluster.requests[0] = cluster.request("gpu", "gpu", cluster.rng.choice((20, 31, 32, "All")))
    if cluster.sometimes():
        cluster.requests.append(cluster.request("more", "gpu", cluster.rng.choice((1, 2, 12))))


@trait()
def _greedy(cluster: Cluster) -> None:
    device = f'device.attributes["{GPU}"]'
    cluster.requests[:0] = [cluster.request("any", "gpu", cluster.rng.choice((1, 2)))]
    cluster.requests.append(cluster.request("low", "gpu", 1, [f"{device}.index == 0"]))
    if cluster.sometimes():
        cluster.requests.append(cluster.request("middle", "gpu", 1, [f"{device}.index <= 1"]))
    if cluster.sometimes(0.3):
        cluster.constrain(f"{GPU}/numa", "any", "low")


@trait()
def _gate_off(cluster: Cluster) -> None:
    """Objects that were stored while a gate was on."""
    if cluster.minor >= 36:
        _taints(cluster)
        part = cluster.rng.choice((_partitions, _shares, _binding, _match))
        part(cluster)
        every = ("DRADeviceTaints", "DRAPartitionableDevices", "DRAConsumableCapacity", "DRADeviceBindingConditions")
        cluster.off = cluster.rng.choice((*((gate,) for gate in every), every[2:]))
    elif cluster.sometimes():
        _admin(cluster)
        cluster.off = ("DRAAdminAccess",)
    else:
        _alternatives(cluster)
        cluster.off = ("DRAPrioritizedList",)
