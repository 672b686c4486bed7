"""Five made-up clusters with three troubles each, as dumps, and the words that lead to each trouble."""

from __future__ import annotations

from tests import objects
from tests.objects import Item, item
from tests.triage.cluster import claim, device_class, node, pod, slice_of

GPU, NIC = "gpu.example.com", "nic.example.com"
Objects = list[Item]


def fleet(*names: str, version: str = "v1.36.3", devices: int = 4) -> Objects:
    """Return a control plane, and nodes on which the plugin of a driver runs and publishes devices."""
    out: Objects = [device_class(GPU), control_plane("kube-apiserver", version), namespace("team")]
    for name in names:
        out += [node(name, version), plugin(name), slice_of(GPU, name, devices)]
    return out


def without(them: Objects, kind: str, name: str) -> Objects:
    """Return the objects without one."""
    return [one for one in them if (one["kind"], one["metadata"]["name"]) != (kind, name)]


def namespace(name: str, phase: str = "Active") -> Item:
    """Return a namespace."""
    metadata = {"uid": f"ns-{name}"}
    if phase == "Terminating":
        metadata["deletionTimestamp"] = "2026-11-02T09:00:00Z"
    return item("Namespace", name, metadata=metadata, spec={}, status={"phase": phase})


def control_plane(program: str, version: str, *flags: str) -> Item:
    """Return the static Pod of a program of the control plane."""
    container = {"name": program, "image": f"registry.k8s.io/{program}:{version}", "command": [program, *flags]}
    spec = {"nodeName": "cp", "containers": [container]}
    metadata = {"uid": f"u-{program}"}
    return item("Pod", f"{program}-cp", "kube-system", metadata=metadata, spec=spec, status={"phase": "Running"})


def plugin(on: str, driver: str = GPU, waiting: str = "") -> Item:
    """Return the Pod of a driver's DaemonSet on a node; `waiting` says why its container does not run."""
    name = f"{driver.replace('.', '-')}-plugin"
    paths = ("/var/lib/kubelet/plugins", "/var/lib/kubelet/plugins_registry")
    volumes = [{"name": f"v{n}", "hostPath": {"path": path}} for n, path in enumerate(paths)]
    container = {"name": "plugin", "image": f"registry.example.com/{driver}/plugin:v1", "args": ["--v=4"]}
    state = {"waiting": {"reason": waiting}} if waiting else {"running": {}}
    statuses = [{"name": "plugin", "ready": not waiting, "restartCount": 31 if waiting else 0, "state": state}]
    metadata = {"uid": f"u-{name}-{on}", "ownerReferences": [objects.owner("DaemonSet", name, f"ds-{name}")]}
    spec = {"nodeName": on, "containers": [container], "volumes": volumes}
    status = {"phase": "Running", "containerStatuses": statuses}
    return item("Pod", f"{name}-{on}", "dra-system", metadata=metadata, spec=spec, status=status)


def owned(made: Item, by: str, entry: str = "c", uid: str = "") -> Item:
    """Return a claim as it is generated for a Pod."""
    made["metadata"] |= objects.generated(by, uid or f"pod-{by}", entry)
    return made


def templated(made: Item, template: str, claim_name: str | None) -> Item:
    """Return a Pod whose claim comes from a template, and is made already where it has a name."""
    made["spec"]["resourceClaims"] = [{"name": "c", "resourceClaimTemplateName": template}]
    made["spec"]["containers"][0]["resources"]["claims"] = [{"name": "c"}]
    if claim_name is not None:
        made["status"]["resourceClaimStatuses"] = [{"name": "c", "resourceClaimName": claim_name}]
    return made


def template(name: str, driver: str = GPU) -> Item:
    """Return a template of one device."""
    spec = {"spec": claim(name, driver)["spec"]}
    return item("ResourceClaimTemplate", name, "team", metadata={"uid": f"t-{name}"}, spec=spec)


def deleted(made: Item, *finalizers: str) -> Item:
    """Return an object that waits for its deletion."""
    made["metadata"].update(deletionTimestamp="2026-11-02T09:00:00Z", finalizers=[*finalizers])
    return made


TAINTS = "DRADeviceTaintRules=true,DRADeviceTaints=true"
PROTECTED = "resource.kubernetes.io/delete-protection"


def after_an_update() -> Objects:
    """A driver was updated: one node publishes nothing, a claim outlived its Pod, a class is gone."""
    out = without(fleet("node-01", "node-02", "node-03"), "ResourceSlice", f"node-03-{GPU}")
    left = owned(claim("train-7-c-x8k2p", GPU, devices=(("node-01", "dev-0"),)), "train-7")
    left["metadata"]["finalizers"] = [PROTECTED]
    left["status"]["reservedFor"] = [{"resource": "pods", "name": "train-7", "uid": "pod-train-7"}]
    return [*out, left, claim("a100", "gpu-a100"), pod("notebook", claim_name="a100")]


def two_schedulers() -> Objects:
    """Another scheduler places Pods: one without devices, one beside its devices; one Pod came back."""
    out = [*fleet("node-01", "node-02"), template("one-gpu")]
    bypassed = templated(pod("batch-0", "node-01"), "one-gpu", "batch-0-c-aaaaa")
    bypassed["spec"]["schedulerName"] = "volcano"
    bypassed["status"]["phase"] = "Pending"
    beside = claim("beside", GPU, devices=(("node-01", "dev-1"),))
    returned = claim("db", GPU, devices=(("node-02", "dev-0"),))
    returned["status"]["reservedFor"][0]["uid"] = "an-older-uid"
    returned_pod = pod("db", "node-02", "db")
    returned_pod["status"]["phase"] = "Pending"
    out += [bypassed, owned(claim("batch-0-c-aaaaa", GPU), "batch-0")]
    return [*out, beside, pod("beside", "node-02", "beside"), returned, returned_pod]


def uninstalled() -> Objects:
    """A driver was uninstalled: a Pod does not end, a claim and a namespace wait for their deletion."""
    out = [*fleet("node-01", "node-02"), device_class(NIC)]
    on_nic = claim("uplink", NIC, devices=(("node-01", "dev-0"),))
    ending = pod("router", "node-01", "uplink")
    ending["metadata"]["deletionTimestamp"] = "2026-11-02T09:00:00Z"
    on_nic["status"]["reservedFor"] = [{"resource": "pods", "name": "router", "uid": "pod-router"}]
    shared = deleted(claim("shared", GPU, devices=(("node-02", "dev-0"),)), PROTECTED)
    shared["status"]["reservedFor"] = [{"resource": "pods", "name": "reader", "uid": "pod-reader"}]
    kept = deleted(claim("kept", GPU), "example.com/billing")
    kept["metadata"]["namespace"] = "old"
    return [*out, on_nic, ending, shared, pod("reader", "node-02", "shared"), namespace("old", "Terminating"), kept]


def new_features() -> Objects:
    """Features that not all know: a list of alternatives, binding conditions, a taint of a rule."""
    out = [*fleet("node-01", "node-02", version="v1.36.1", devices=1), device_class(NIC), slice_of(NIC, "node-01", 1)]
    out[1] = control_plane("kube-apiserver", "v1.36.1", f"--feature-gates={TAINTS}")
    out.append(control_plane("kube-scheduler", "v1.36.1", f"--feature-gates=DRAPrioritizedList=false,{TAINTS}"))
    either = claim("either", GPU)
    exact = either["spec"]["devices"]["requests"][0].pop("exactly")
    either["spec"]["devices"]["requests"][0]["firstAvailable"] = [{"name": "big", **exact}, {"name": "small", **exact}]
    fabric = owned(claim("fab-0-c-bbbbb", NIC, devices=(("node-01", "dev-0"),)), "fab-0")
    fabric["status"]["allocation"]["devices"]["results"][0]["bindingConditions"] = ["fabric.example.com/attached"]
    fabric["status"]["reservedFor"] = [{"resource": "pods", "name": "fab-0", "uid": "pod-fab-0"}]
    waits = templated(pod("fab-0"), "one-nic", "fab-0-c-bbbbb")
    taint = {"key": "example.com/broken", "value": "x", "effect": "NoSchedule"}
    spec = {"deviceSelector": {"driver": GPU, "pool": "node-02"}, "taint": taint}
    rule = item("DeviceTaintRule", "repair", version="resource.k8s.io/v1beta2", metadata={"uid": "r"}, spec=spec)
    taken = claim("taken", GPU, devices=(("node-01", "dev-0"),))
    out += [either, pod("choosy", claim_name="either"), template("one-nic", NIC), fabric, waits, rule]
    return [*out, taken, pod("taken", "node-01", "taken"), claim("plain", GPU), pod("plain", claim_name="plain")]


def old_habits() -> Objects:
    """An extended resource of another name, a pool that is not whole, a plugin that crashes."""
    out = without(fleet("node-01", "node-02", "node-03"), "ResourceSlice", f"node-02-{GPU}")
    out = without(out, "Pod", f"{GPU.replace('.', '-')}-plugin-node-03")
    out += [slice_of(GPU, "node-02", 4, count=2), plugin("node-03", waiting="CrashLoopBackOff")]
    next(one for one in out if one["kind"] == "DeviceClass")["spec"]["extendedResourceName"] = "example.com/gpu"
    asks = pod("legacy")
    asks["spec"]["containers"][0]["resources"] = {"limits": {"example.com/gpus": "1"}}
    started = pod("starts", "node-03", "ready")
    started["status"]["phase"] = "Pending"
    ready = claim("ready", GPU, devices=(("node-03", "dev-0"),))
    ready["status"]["reservedFor"] = [{"resource": "pods", "name": "starts", "uid": "pod-starts"}]
    return [*out, asks, started, ready]


EVENINGS = {
    "after_an_update": (
        after_an_update,
        (
            r"(?=.*node-03)(?=.*(publish|slice))(?=.*gpu\.example\.com)",
            r"(?=.*train-7-c-x8k2p)(?=.*(gone|no longer|does not exist|no such Pod))",
            r"(?=.*team/notebook)(?=.*gpu-a100)",
        ),
    ),
    "two_schedulers": (
        two_schedulers,
        (
            r"(?=.*team/batch-0)(?=.*volcano)(?=.*not allocated)",
            r"(?=.*team/beside)(?=.*node-02)(?=.*node-01)",
            r"(?=.*team/db)(?=.*(another uid|older Pod|reserved))",
        ),
    ),
    "uninstalled": (
        uninstalled,
        (
            r"(?=.*team/router)(?=.*nic\.example\.com)(?=.*(delet|terminat|unprepare))",
            r"(?=.*team/shared)(?=.*team/reader)(?=.*delet)",
            r"(?=.*\bold\b)(?=.*example\.com/billing)",
        ),
    ),
    "new_features": (
        new_features,
        (
            r"(?=.*team/(choosy|either))(?=.*DRAPrioritizedList)",
            r"(?=.*team/fab-0)(?=.*fabric\.example\.com/attached)",
            r"(?=.*team/plain)(?=.*example\.com/broken)",
        ),
    ),
    "old_habits": (
        old_habits,
        (
            r"(?=.*team/legacy)(?=.*example\.com/gpus)(?=.*example\.com/gpu\b)",
            r"(?=.*node-02)(?=.*(1 of 2|incomplete))",
            r"(?=.*node-03)(?=.*(CrashLoop|plugin))(?=.*gpu\.example\.com)",
        ),
    ),
}
"""Name → the dump, and for each trouble what one line of the report with its hint has to say."""
