"""Reads a dump of a cluster into what matters for devices: reduced objects, facts, and control planes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.files.text_parts import KINDS
from dralint.finding import catalogue
from dralint.finding.problem import dict_of, list_of, path_text
from dralint.finding.report import Failure, unread
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release, patch_of
from dralint.kubernetes.workloads import GROUP
from dralint.lint.inventory_reader import InventoryReader
from dralint.lint.release_judge import judge_object
from dralint.manifest.objects import known_kind
from dralint.references.collect import facts_of
from dralint.simulate.cluster import Cluster, has_ended, last_applied, makers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dralint.files.source import Source
    from dralint.lint.release_judge import Releases
    from dralint.manifest.objects import ApiObject
    from dralint.references.facts import Facts
    from dralint.simulate.cluster import Workload

_COMPONENTS = ("kube-apiserver", "kube-scheduler", "kube-controller-manager")
_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
_UNUSED = frozenset(
    {
        *("command", "args", "env", "envFrom", "volumeMounts", "image", "securityContext", "lifecycle"),
        *("livenessProbe", "readinessProbe", "startupProbe"),
        *("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses", "hostIPs", "podIPs"),
    }
)
"""The long fields of a container and of a Pod's status that no simulation needs."""
_REGISTRY = "/plugins_registry"
"""The folder in which the kubelet looks for plugins (pkg/kubelet/config/defaults.go, v1.37.0)."""


@dataclass
class Component:
    """A program of the control plane: its version, and the feature gates and API versions that its flags switch."""

    version: str
    gates: dict[str, bool]
    served: tuple[str, ...]


@dataclass
class Webhook:
    """A webhook for Pods or objects of DRA."""

    name: str
    kind: str
    resources: tuple[str, ...]
    fails: bool


class Plugin(NamedTuple):
    """A Pod that registers a plugin at its kubelet.

    `owner` is its DaemonSet, `words` what its names, images and arguments say, `images` the names of its images with
    their tags, `waiting` why a container does not run.
    """

    name: str
    node: str
    owner: str
    words: str
    images: dict[str, str]
    waiting: str


@dataclass
class Dump:
    """The content of a dump.

    Attributes:
        cluster: its objects, as the simulation needs them.
        facts: the facts of its objects that matter to others.
        kinds: how many objects of each kind there are.
        written: (API version, kind) in which objects were applied, with their number.
        components: programs of the control plane that run in static Pods.
        kubelets: versions of kubelets, with their number.
        webhooks: those for Pods and for objects of DRA.
        custom: the Pods of custom resources, such as a JobSet.
        plugins: the Pods on nodes that register a plugin at the kubelet, such as those of drivers.
        incomplete: whether objects may be left out, so that what is not there may be in the cluster.
        live: whether some object is from a cluster: it has a uid.
        autoscalers: the Deployments of autoscalers that make no node for claims, each with the reason.
        refused: objects of manifests that the API server would refuse: message and name.
        files: how many files there are; `unread` has what cannot be used of them, with the reason.
    """

    cluster: Cluster = field(default_factory=Cluster)
    facts: list[Facts] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    written: Counter[tuple[str, str]] = field(default_factory=Counter)
    components: dict[str, Component] = field(default_factory=dict)
    kubelets: Counter[str] = field(default_factory=Counter)
    webhooks: list[Webhook] = field(default_factory=list)
    custom: list[Workload] = field(default_factory=list)
    plugins: list[Plugin] = field(default_factory=list)
    autoscalers: dict[str, str] = field(default_factory=dict)
    files: int = 0
    unread: list[Failure] = field(default_factory=list)
    incomplete: bool = False
    live: bool = False
    refused: list[tuple[str, str]] = field(default_factory=list)
    _seen: set[tuple[str, str, str, str]] = field(default_factory=set)

    @property
    def version(self) -> str | None:
        """The version of the control plane, or else the newest of a kubelet; None where unknown."""
        for name in _COMPONENTS:
            if name in self.components and self.components[name].version:
                return self.components[name].version
        numbered = {version: number for version in self.kubelets if (number := _numbered(version)) is not None}
        return max(numbered, key=numbered.__getitem__, default=None)

    def judge(self, item: ApiObject, releases: Releases) -> None:
        """Note why the API server would refuse an object, as long as no object has a uid: then these are manifests."""
        if self.live or dict_of(item.data.get("metadata")).get("uid"):
            self.live, self.refused = True, []
        if self.live or item.group != GROUP:
            return
        rules = catalogue.rules()
        for problem, _ in judge_object(releases, item) or ():
            if rules[problem.rule].effect == "rejected":
                text = f"{path_text(problem.path)}: {problem.message} ({problem.rule})"
                self.refused.append((text, f"{item.kind} {item.name}"))

    def take(self, item: ApiObject, file: str, document: int) -> None:
        """Add an object; skip one that was there before."""
        key = item.group, item.kind, item.namespace or "", item.name or ""
        if key in self._seen:
            return
        self._seen.add(key)
        if known_kind(item) is not None:
            self.custom += makers(item.typed)
            self.facts += filter(None, [facts_of(item, file, document)])
            return
        if item.kind not in KINDS:
            return
        self.kinds[item.kind] += 1
        data = item.typed
        if item.kind in _WEBHOOKS:
            self.webhooks += _webhooks(item)
            return
        if item.kind == "Pod":
            self._component(data)
            self.plugins += _plugins(data)
            ended = has_ended(data)
            if ended and not dict_of(data.get("spec")).get("resourceClaims"):
                return
        if item.kind == "Deployment" and (reason := _blind(item.name or "", data)):
            self.autoscalers[f"{item.namespace or 'default'}/{item.name}"] = reason
        if item.kind == "Node":
            version = dict_of(dict_of(data.get("status")).get("nodeInfo")).get("kubeletVersion")
            if isinstance(version, str):
                self.kubelets[version] += 1
        if item.group == GROUP:
            self.written[_applied(item), item.kind] += 1
        entry = facts_of(item, file, document)
        if entry is not None:
            self.facts.append(entry)
        self.cluster.add(_trimmed(data))

    def _component(self, pod: dict[str, Any]) -> None:
        """Add the flags of a Pod that runs a program of the control plane."""
        for container in list_of(dict_of(pod.get("spec")).get("containers")):
            container = dict_of(container)
            words = [str(word) for key in ("command", "args") for word in list_of(container.get(key))]
            name = next((name for name in _COMPONENTS if words and words[0].rpartition("/")[2] == name), None)
            if name is None or name in self.components:
                continue
            flags = dict(word.lstrip("-").partition("=")[::2] for word in words if word.startswith("--"))
            try:
                switched = gates.parse(flags.get("feature-gates", ""))
            except ValueError:
                switched = {}
            entries = flags.get("runtime-config", "").split(",")
            served = [entry.partition("=")[0] for entry in entries if entry.endswith("=true")]
            version = str(container.get("image") or "").rpartition(":")[2].partition("@")[0]
            self.components[name] = Component(version if _numbered(version) else "", dict(switched), tuple(served))


def read_dump(sources: Iterable[Source], advance: Callable[[int], None] | None = None) -> Dump:
    """Return the content of the files; a file that cannot be read is noted, not refused."""
    dump, reader = Dump(), InventoryReader((), advance, trims=True)
    for source in sources:
        dump.files += 1
        try:
            for item, document in reader.objects(source):
                dump.judge(item, reader.releases)
                dump.take(item, source.name, document)
        except OSError as error:
            dump.unread.append(unread(source.name, error))
            reader.incomplete = True
    dump.unread += reader.faults
    dump.incomplete = dump.cluster.in_part = reader.incomplete
    dump.cluster.absent = reader.absent
    return dump


def _trimmed(data: dict[str, Any]) -> dict[str, Any]:
    """Return an object without long parts that no simulation needs: a dump can have 20,000 Pods."""
    metadata = dict(dict_of(data.get("metadata")))
    notes = dict_of(metadata.pop("annotations", None)).items()
    metadata["annotations"] = {key: note for key, note in notes if "resource.kubernetes.io" in key}
    made = {**data, "metadata": metadata}
    if data.get("kind") == "Pod":
        spec = made["spec"] = dict(dict_of(data.get("spec")))
        for kind in {"containers", "initContainers", "ephemeralContainers"} & spec.keys():
            spec[kind] = [_shorter(container) for container in list_of(spec[kind])]
        made["status"] = _shorter(data.get("status"))
    return made


def _shorter(part: object) -> dict[str, Any]:
    return {key: value for key, value in dict_of(part).items() if key not in _UNUSED}


_IGNORES = ("IGNORE_DRA_REQUESTS", "--ignore-dra-requests")


def _blind(name: str, data: dict[str, Any]) -> str | None:
    """Return why an autoscaler makes no node for claims: it `ignores` them, or its provider knows no devices.

    Sources: pkg/operator/options/options.go of kubernetes-sigs/karpenter (v1.7.0 to v1.14.0), where ignoring is the
    default; aws/karpenter-provider-aws v1.14.0, which makes no ResourceSliceTemplate; cloudprovider/externalgrpc of
    kubernetes/autoscaler, whose protocol has no slices.
    """
    pod = dict_of(dict_of(dict_of(data.get("spec")).get("template")).get("spec"))
    words: list[str] = []
    for container in map(dict_of, list_of(pod.get("containers"))):
        words += [str(word) for key in ("command", "args") for word in list_of(container.get(key))]
        words += [f"{one.get('name')}={one.get('value')}" for one in map(dict_of, list_of(container.get("env")))]
        words.append(str(container.get("image")))
    if "karpenter" in name:
        said = (word.partition("=") for word in words)
        if not any(name in _IGNORES and value.lower() == "false" for name, _, value in said):
            return "ignores"
        return "aws" if any(word.startswith("public.ecr.aws/karpenter/") for word in words) else None
    return "externalgrpc" if "autoscaler" in name and "--cloud-provider=externalgrpc" in words else None


def _plugins(pod: dict[str, Any]) -> Iterator[Plugin]:
    """Yield a Pod on a node that registers a plugin at the kubelet and is none of a driver for storage."""
    spec, metadata = dict_of(pod.get("spec")), dict_of(pod.get("metadata"))
    paths = [str(dict_of(dict_of(one).get("hostPath")).get("path")) for one in list_of(spec.get("volumes"))]
    if not spec.get("nodeName") or not any(path.rstrip("/").endswith(_REGISTRY) for path in paths):
        return
    containers = [*map(dict_of, (*list_of(spec.get("containers")), *list_of(spec.get("initContainers"))))]
    images = [str(one.get("image") or "").partition("@")[0] for one in containers]
    names = dict(image.rpartition("/")[2].partition(":")[::2] for image in images)
    if any("csi" in name for name in names):
        return
    owners = [dict_of(owner) for owner in list_of(metadata.get("ownerReferences"))]
    owner = next((str(one.get("name")) for one in owners if one.get("controller")), str(metadata.get("name")))
    namespace = str(metadata.get("namespace") or "default")
    words = [namespace, owner, *(image.partition("/")[2] for image in images), *paths]
    for one in containers:
        words += [str(one.get("name")), *map(str, list_of(one.get("command"))), *map(str, list_of(one.get("args")))]
    status = dict_of(pod.get("status"))
    ran = map(dict_of, (*list_of(status.get("initContainerStatuses")), *list_of(status.get("containerStatuses"))))
    states = [dict_of(dict_of(one.get("state")).get("waiting")).get("reason") for one in ran]
    waiting = next((str(reason) for reason in states if reason), "")
    name = f"{namespace}/{metadata.get('name')}"
    yield Plugin(name, str(spec["nodeName"]), f"{namespace}/{owner}", " ".join(words), names, waiting)


def _applied(item: ApiObject) -> str:
    """Return the API version in which an object was applied, or else the one in which it was saved."""
    version = last_applied(item.data).get("apiVersion")
    return version if isinstance(version, str) else item.api_version


def _webhooks(item: ApiObject) -> Iterator[Webhook]:
    for webhook in map(dict_of, list_of(item.data.get("webhooks"))):
        touched: set[str] = set()
        for rule in map(dict_of, list_of(webhook.get("rules"))):
            groups, resources = list_of(rule.get("apiGroups")), [str(one) for one in list_of(rule.get("resources"))]
            if {"", "*"} & {*map(str, groups)} and {"pods", "*", "*/*"} & {*resources}:
                touched.add("pods")
            if {GROUP, "*"} & {*map(str, groups)}:
                touched |= {one for one in resources if one in ("*", "resourceclaims", "resourceclaimtemplates")}
        if touched:
            fails = webhook.get("failurePolicy", "Fail") == "Fail"
            yield Webhook(str(webhook.get("name")), item.kind, tuple(sorted(touched)), fails)


def _numbered(version: str) -> tuple[Release, int] | None:
    """Return the release and the patch of a version; None for a text that is not one."""
    try:
        return patch_of(version) or (Release.parse(version), 0)
    except ValueError:
        return None
