"""The world of the rules: the objects of an input, and the behaviour of the releases that judge it."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

from dralint.finding.problem import Problem
from dralint.finding.repair import replaced
from dralint.kubernetes import gates
from dralint.kubernetes.near import is_slip
from dralint.kubernetes.release import LAST_CLASSIC, Release
from dralint.references.facts import ClaimFacts, Class
from dralint.references.other_facts import SliceFacts
from dralint.references.pod_facts import WorkloadFacts
from dralint.references.problem import Elsewhere, Found

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path as FilePath

    from dralint.finding.repair import Repair
    from dralint.kubernetes.served import ApiVersions
    from dralint.references.facts import Facts, RequestFacts
    from dralint.references.index import Index, Scope
    from dralint.references.inventory import KnownDevices
    from dralint.references.pod_facts import Entry, PodSpec
    from dralint.yaml import Path

CLASSIC = ("resource.k8s.io/v1alpha1", "resource.k8s.io/v1alpha2")
"""The API versions of the classic API."""

FIRST_STRUCTURED = Release(1, 31)


def release_of_claims(index: Index, versions: ApiVersions, facts: Facts) -> Release:
    """Return the release that judges a Pod or workload if the user has chosen none.

    It is the newest. If the object has the form of the classic API, and so has a claim or template that it names or
    certainly means, it is the newest that serves that one.
    """
    pods = facts.body.pods if isinstance(facts.body, WorkloadFacts) else ()
    namespace = index.scope.namespace_of(facts)
    classic = [
        release
        for pod in pods
        if pod.old
        for entry in pod.entries
        for target in targets(index, namespace, entry) or _meant(index, namespace, entry)
        if (release := versions.newest_serving(target.api_version, target.kind)) is not None and release <= LAST_CLASSIC
    ]
    return max(classic, default=versions.known[-1])


def targets(index: Index, namespace: str | None, entry: Entry) -> list[Facts]:
    """Return the claims or templates that an entry of a Pod in the namespace can mean."""
    kind = "ResourceClaim" if entry.claim is not None else "ResourceClaimTemplate"
    name = entry.claim or entry.template
    return [] if name is None else index.within(kind, namespace, name)


def _meant(index: Index, namespace: str | None, entry: Entry) -> list[Facts]:
    """Return the claim or template that a misspelt name in an entry of a Pod means."""
    kind, name = (
        ("ResourceClaim", entry.claim) if entry.claim is not None else ("ResourceClaimTemplate", entry.template)
    )
    near = None if name is None else index.near(kind, namespace, name)
    return [] if near is None else [near]


class World:
    """The objects, and the releases.

    Args:
        index: the objects of the input.
        versions: what the known releases serve.
        chosen: the releases chosen for a file; none where the newest that serves an object judges it.
        switched: the switched feature gates.
        catalogue: a compiled catalogue other than the shipped one.
        stock: the devices of the cluster, if known.
        patches: the named patches, by release; several, if a release was named with several.
        inventory: the objects of the inventory.
    """

    def __init__(
        self,
        index: Index,
        versions: ApiVersions,
        chosen: Callable[[str], tuple[Release, ...]],
        switched: Mapping[str, bool],
        catalogue: FilePath | None = None,
        stock: KnownDevices | None = None,
        patches: Iterable[tuple[Release, int]] = (),
        inventory: Sequence[Facts] = (),
    ) -> None:
        self.index = index
        self.stock = stock
        self.inventory = inventory
        self.patches: dict[Release, list[int]] = {}
        for release, patch in patches:
            self.patches.setdefault(release, []).append(patch)
        self.versions = versions
        self.chosen = chosen
        self._switched = dict(switched)
        self._catalogue = catalogue
        self._gates: dict[Release, frozenset[str]] = {}
        self._releases: dict[int, tuple[Facts, tuple[Release, ...]]] = {}
        self._requests: dict[int, tuple[Facts, Collection[str]]] = {}

    @property
    def scope(self) -> Scope:
        """What is known in addition to the objects."""
        return self.index.scope

    def gates(self, release: Release) -> frozenset[str]:
        """Return the feature gates that are on in a release."""
        found = self._gates.get(release)
        if found is None:
            found = self._gates[release] = frozenset(gates.enabled(release, self._switched, self._catalogue))
        return found

    def named(self, facts: Facts) -> tuple[Release, ...]:
        """Return the releases that judge an object and that the user has named."""
        return self.releases(facts) if self.chosen(facts.file) else ()

    def releases(self, facts: Facts) -> tuple[Release, ...]:
        """Return the releases that judge an object: those chosen that serve it, or the newest that does."""
        known = self._releases.get(id(facts))
        if known is None:
            known = self._releases[id(facts)] = facts, self._judging(facts)
        return known[1]

    def releases_with(self, gate: str, facts: Facts) -> list[Release]:
        """Return the releases that judge an object and have a feature gate on."""
        return [release for release in self.releases(facts) if gate in self.gates(release)]

    def _judging(self, facts: Facts) -> tuple[Release, ...]:
        key = facts.api_version, facts.kind
        chosen = self.chosen(facts.file)
        if self.versions.tracked(*key):
            if chosen:
                return tuple(release for release in chosen if key in self.versions.served(release))
            newest = self.versions.newest_serving(*key)
            return (self.versions.known[-1] if newest is None else newest,)
        if chosen:
            return chosen
        return (release_of_claims(self.index, self.versions, facts),)

    # Claims of Pods.

    def workloads(self) -> Iterator[tuple[Facts, WorkloadFacts, PodSpec]]:
        """Yield the Pod specs of the input with the objects that they are in."""
        return iter(self._workloads)

    @cached_property
    def _workloads(self) -> list[tuple[Facts, WorkloadFacts, PodSpec]]:
        found = ((facts, facts.body) for facts in self.index.facts if isinstance(facts.body, WorkloadFacts))
        return [(facts, body, pod) for facts, body in found for pod in body.pods]

    def target(self, facts: Facts, entry: Entry) -> list[Facts]:
        """Return the claims or templates that an entry of a Pod can mean."""
        return targets(self.index, self.scope.namespace_of(facts), entry)

    def claims(self) -> Iterator[tuple[Facts, ClaimFacts]]:
        """Yield the claims and templates of the input."""
        return iter(self._claims)

    @cached_property
    def _claims(self) -> list[tuple[Facts, ClaimFacts]]:
        return [(facts, facts.body) for facts in self.index.facts if isinstance(facts.body, ClaimFacts)]

    @cached_property
    def slices(self) -> list[tuple[Facts, SliceFacts]]:
        """The slices of the input, and those of the inventory that the input does not have."""
        own = [(facts, facts.body) for facts in self.index.facts if isinstance(facts.body, SliceFacts)]
        names = {facts.name for facts, _ in own}
        theirs = ((facts, facts.body) for facts in self.inventory if isinstance(facts.body, SliceFacts))
        return [*own, *((facts, body) for facts, body in theirs if facts.name not in names)]

    def requests(self) -> Iterator[tuple[Facts, RequestFacts]]:
        """Yield the requests, and alternatives, of the claims and templates of the input."""
        for facts, claim in self.claims():
            yield from ((facts, request) for request in claim.requests)

    def request_names(self, facts: Facts) -> Collection[str]:
        """Return the names of the requests of a claim or template, in order; an answer is kept."""
        known = self._requests.get(id(facts))
        if known is None:
            requests = facts.body.requests if isinstance(facts.body, ClaimFacts) else ()
            names = dict.fromkeys(request.name for request in requests if request.parent is None)
            known = self._requests[id(facts)] = facts, names
        return known[1]

    def classes(self, name: str | None) -> list[tuple[Facts, Class]]:
        """Return the DeviceClasses of that name: several, if a chart has it for several clusters."""
        found = () if name is None else self.index.named("DeviceClass", name)
        return [(facts, facts.body) for facts in found if isinstance(facts.body, Class)]

    @cached_property
    def drivers_of(self) -> Callable[[str | None], frozenset[str]]:
        """Returns the drivers that the classes of a name select, if known; answers are kept."""
        from dralint.references.drivers import drivers_of_class

        @cache
        def found(name: str | None) -> frozenset[str]:
            return frozenset(str(one) for _, body in self.classes(name) for one in drivers_of_class(body) or ())

        return found

    @cached_property
    def of_driver(self) -> dict[str, Facts]:
        """Each driver with a class that selects only its devices."""
        from dralint.references.drivers import drivers_of_class

        out: dict[str, Facts] = {}
        for facts in self.index.all("DeviceClass"):
            drivers = drivers_of_class(facts.body) if isinstance(facts.body, Class) else None
            if drivers is not None and len(drivers) == 1:
                out.setdefault(str(next(iter(drivers))), facts)
        return out

    @cached_property
    def of_domain(self) -> dict[str, list[Facts]]:
        """The classes by the domain after the first dot of their names."""
        out: dict[str, list[Facts]] = {}
        for facts in self.index.all("DeviceClass"):
            out.setdefault(str(facts.name).partition(".")[2], []).append(facts)
        return out

    def charts_like(self, name: str) -> list[str]:
        """Return the classes of drivers' charts that a name can only be a misspelling of."""
        lengths = range(len(name) - 1, len(name) + 2)
        return [each for length in lengths for each in self._charts.get(length, ()) if is_slip(name, each)]

    @cached_property
    def _charts(self) -> dict[int, list[str]]:
        """The classes of drivers' charts by the length of their names, which a typing mistake hardly changes."""
        out: dict[int, list[str]] = {}
        for name in sorted(self.scope.charts):
            out.setdefault(len(name), []).append(name)
        return out

    @cached_property
    def stocked_classes(self) -> bool:
        """Whether the inventory of the whole cluster has classes as well as slices."""
        if self.stock is None or not self.stock.whole:
            return False
        files = {item.facts.file for item in self.stock.items}
        return any(facts.file in files for facts in self.index.all("DeviceClass"))

    @cached_property
    def users(self) -> dict[tuple[str | None, str], list[tuple[Facts, Entry]]]:
        """Namespace and name of each claim that Pods name → the Pods that do."""
        out: dict[tuple[str | None, str], list[tuple[Facts, Entry]]] = {}
        for facts, _, pod in self.workloads():
            for entry in pod.entries:
                if entry.claim is not None:
                    out.setdefault((self.scope.namespace_of(facts), entry.claim), []).append((facts, entry))
        return out

    def others_use(self, facts: Facts, claim: str | None) -> bool:
        """Say whether objects other than that of these facts use a claim of their namespace."""
        users = [] if claim is None else self.users.get((self.scope.namespace_of(facts), claim), [])
        return bool(users) and not (users[0][0] is users[-1][0] is facts)  # those of one object are next to each other

    @cached_property
    def template_uses(self) -> dict[tuple[str | None, str, str | None], list[Facts]]:
        """Namespace, template and request that containers of Pods use, with the objects of these Pods."""
        out: dict[tuple[str | None, str, str | None], list[Facts]] = {}
        for facts, _, pod in self.workloads():
            requests: dict[str, list[str | None]] = {}
            for use in pod.uses:
                requests.setdefault(use.entry, []).append(use.request)
            for entry in pod.entries:
                if entry.template is not None:
                    for request in requests.get(entry.name, ()):
                        out.setdefault((self.scope.namespace_of(facts), entry.template, request), []).append(facts)
        return out

    def respelt(self, path: Path, name: str, kind: str, namespace: str | None) -> Repair | None:
        """Return the repair of a name that means one other; it is safe if the input is complete."""
        near = {known for names in self.index.names(kind, namespace) for known in names.near(name)}
        if len(near) != 1:
            return None
        meant = near.pop()
        return replaced(path, meant, safe=self.scope.complete and is_slip(name, meant))

    def found(
        self,
        facts: Facts,
        rule: str,
        path: Path,
        message: str,
        hint: str | None = None,
        *elsewhere: Elsewhere,
        reason: str | None = None,
        target: str = "value",
        releases: Sequence[Release] | None = None,
        repair: Repair | None = None,
        span: tuple[int, int] = (0, 0),
    ) -> Found:
        """Return a problem of an object, in all releases that judge it unless `releases` are given."""
        start, end = span
        problem = Problem(rule, path, message, reason, hint, target=target, start=start, end=end, repair=repair)
        return Found(facts, problem, elsewhere, tuple(self.releases(facts) if releases is None else releases))


def where(namespace: str | None) -> str:
    """Return how a message names the namespace of an object."""
    return "" if namespace is None else f' in namespace "{namespace}"'
