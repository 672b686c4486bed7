"""The world of the rules: the objects of an input by kind and name, and the behaviour of the releases."""

from __future__ import annotations

import itertools
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

from dralint.finding.problem import Problem, replaced
from dralint.finding.words import fits, shared
from dralint.kubernetes import gates
from dralint.kubernetes.near import is_slip
from dralint.kubernetes.release import LAST_CLASSIC, Release
from dralint.kubernetes.workloads import IMPLICIT
from dralint.records import NamedTuple, grouped
from dralint.references.facts import (
    ANY_NAMESPACE,
    ClaimFacts,
    Class,
    Elsewhere,
    Found,
    SliceFacts,
    WorkloadFacts,
    fixed_parts,
    is_open,
)
from dralint.references.misspelt_names import KnownNames

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dralint.finding.problem import Repair
    from dralint.kubernetes.served import ApiVersions
    from dralint.references.available_devices import KnownDevices
    from dralint.references.facts import Entry, Facts, PodSpec, RequestFacts
    from dralint.yaml import Path


_Body = TypeVar("_Body")


class Scope(NamedTuple):
    """What is known in addition to the objects.

    `namespace` is for objects without one (None: it may be any). `complete` means that nothing is missing from the
    input. `classes`, `drivers` and `namespaces` are names, and patterns with `*`, of what exists elsewhere; `charts`
    are the classes that charts of drivers install, `resources` the extended resources that such classes offer, with
    these classes.
    """

    namespace: str | None = None
    complete: bool = False
    classes: frozenset[str] = frozenset()
    drivers: frozenset[str] = frozenset()
    namespaces: frozenset[str] = frozenset()
    charts: frozenset[str] = frozenset()
    resources: Mapping[str, list[str]] = {}

    def namespace_of(self, facts: Facts) -> str | None:
        """Return the namespace of a namespaced object; None where it may be any."""
        if facts.namespace == ANY_NAMESPACE:
            return None
        return facts.namespace or self.namespace or ("default" if self.complete else None)


class Index:
    """The objects by kind and name; the same object may occur several times."""

    def __init__(self, facts: Iterable[Facts], scope: Scope) -> None:
        self.scope = scope
        self.facts = list(facts)
        self._kinds: dict[str, dict[str, list[Facts]]] = {}
        self._prefixes: dict[tuple[str, str], list[Facts]] = {}
        self._open: dict[str, set[tuple[str, ...]]] = {}
        self._names: dict[str, dict[str | None, KnownNames]] = {}
        self._places: dict[tuple[str, str], dict[str | None, list[tuple[int, Facts]]]] = {}
        for entry in self.facts:
            if entry.name is None:
                if entry.prefix is not None:
                    self._prefixes.setdefault((entry.kind, entry.prefix.rstrip("-.")), []).append(entry)
            elif is_open(entry.name):
                self._open.setdefault(entry.kind, set()).add(fixed_parts(entry.name))
            else:
                self._kinds.setdefault(entry.kind, {}).setdefault(entry.name, []).append(entry)

    def holding(self, body: type[_Body]) -> Iterator[tuple[Facts, _Body]]:
        """Yield the objects whose body has a type, with the body, in the order of the input."""
        return ((entry, entry.body) for entry in self.facts if isinstance(entry.body, body))

    def all(self, kind: str) -> Iterator[Facts]:
        """Yield the objects of a kind that have a name, in order of their names."""
        for _, entries in sorted(self._kinds.get(kind, {}).items()):
            yield from entries

    def some(self, kind: str) -> list[str]:
        """Return the first three names of a kind, for a suggestion."""
        return list(itertools.islice(self._kinds.get(kind, ()), 3))

    def named(self, kind: str, name: str) -> list[Facts]:
        """Return the objects of a kind and name, in whatever namespace."""
        return self._kinds.get(kind, {}).get(name, [])

    def within(self, kind: str, namespace: str | None, name: str) -> list[Facts]:
        """Return those of them that are, or may be, in the namespace."""
        named = self.named(kind, name)
        if len(named) <= _FEW or namespace is None or is_open(namespace):
            return [entry for entry in named if self.may_be_in(entry, namespace)]
        places = self._places.get((kind, name))
        if places is None:
            pairs = ((self._known_namespace(entry), (position, entry)) for position, entry in enumerate(named))
            places = self._places[kind, name] = grouped(pairs)
        return [entry for _, entry in sorted([*places.get(namespace, ()), *places.get(None, ())])]

    def may_be_in(self, entry: Facts, namespace: str | None) -> bool:
        """Say whether an object is, or may be, in the namespace."""
        own = self._known_namespace(entry)
        return own is None or namespace is None or own == namespace or is_open(namespace)

    def _known_namespace(self, entry: Facts) -> str | None:
        """Return the namespace of an object; None where it may be any, or still has a placeholder."""
        own = self.scope.namespace_of(entry)
        return None if is_open(own) else own

    def may_become(self, kind: str, name: str) -> bool:
        """Say whether an object whose name has placeholders can become the one with that name."""
        return any(fits(name, parts) for parts in self._open.get(kind, ()))

    def generated(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return an object whose name is generated from that name, in that namespace."""
        found = self._prefixes.get((kind, name), ())
        return next((entry for entry in found if self.may_be_in(entry, namespace)), None)

    def names(self, kind: str, namespace: str | None = None) -> list[KnownNames]:
        """Return the names of a kind, of those that may be in the namespace."""
        if kind not in self._names:
            self._names[kind] = self._names_by_namespace(kind)
        groups = self._names[kind]
        return [groups[key] for key in ((_ALL,) if namespace is None else (namespace, None)) if key in groups]

    def _names_by_namespace(self, kind: str) -> dict[str | None, KnownNames]:
        """Return the names of a kind: all, those in each namespace, and under None those that may be in any."""
        pairs = (
            (key, name)
            for name, entries in self._kinds.get(kind, {}).items()
            for key in (_ALL, *map(self._known_namespace, entries))
        )
        return {key: KnownNames(names) for key, names in grouped(pairs).items()}

    def near(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return the object that a misspelt name can only mean."""
        found = (known for names in self.names(kind, namespace) for known in names.near(name))
        return next((self.within(kind, namespace, known)[0] for known in found), None)

    def closest(self, kind: str, namespace: str | None, name: str) -> Facts | None:
        """Return the object that the name resembles most, for a suggestion."""
        found = (known for names in self.names(kind, namespace) for known in names.closest(name))
        return next((self.within(kind, namespace, known)[0] for known in found), None)


def nearest(entries: Iterable[Facts], facts: Facts) -> Facts | None:
    """Return what an author most likely means: a similar name in the same file, then folder, then namespace."""
    here = _folders(facts.file)

    def rank(entry: Facts) -> tuple[int, int]:
        there = _folders(entry.file)
        apart = -1 if entry.file == facts.file else len(here) + len(there) - 2 * shared(here, there)
        return apart, -shared(facts.namespace or "", entry.namespace or "")

    return min(itertools.islice(entries, _MOST_COMPARED), key=rank, default=None)


def _folders(file: str) -> list[str]:
    return file.replace("\\", "/").split("/")[:-1]


_MOST_COMPARED = 100
_FEW = 4
"""Objects of one name among which those of a namespace are found one by one."""
_ALL = ""
"""Stands for all namespaces, and for objects without one."""


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
    return [] if entry.target is None else index.within(entry.kind, namespace, entry.target)


def _meant(index: Index, namespace: str | None, entry: Entry) -> list[Facts]:
    """Return the claim or template that a misspelt name in an entry of a Pod means."""
    near = None if entry.target is None else index.near(entry.kind, namespace, entry.target)
    return [] if near is None else [near]


class World:
    """The objects, and the releases.

    Args:
        index: the objects of the input.
        versions: what the known releases serve.
        chosen: the releases chosen for a file; none where the newest that serves an object judges it.
        switched: the switched feature gates.
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
        stock: KnownDevices | None = None,
        patches: Iterable[tuple[Release, int]] = (),
        inventory: Sequence[Facts] = (),
    ) -> None:
        self.index, self.scope = index, index.scope
        self.stock = stock
        self.inventory = inventory
        self.patches = grouped(patches)
        self.versions = versions
        self.chosen = chosen
        self.gates: Callable[[Release], frozenset[str]] = cache(lambda on: gates.enabled(on, switched))
        """Returns the feature gates that are on in a release."""
        self._releases: dict[int, tuple[Facts, tuple[Release, ...]]] = {}
        self._requests: dict[int, tuple[Facts, Collection[str]]] = {}

    def named(self, facts: Facts) -> tuple[Release, ...]:
        """Return the releases that judge an object and that the user has named."""
        return self.releases(facts) if self.chosen(facts.file) else ()

    def releases(self, facts: Facts) -> tuple[Release, ...]:
        """Return the releases that judge an object: those chosen that serve it, or the newest that does."""
        known = self._releases.get(id(facts))
        if known is None:
            known = self._releases[id(facts)] = facts, self._judging(facts)
        return known[1]

    def _judging(self, facts: Facts) -> tuple[Release, ...]:
        key, chosen = (facts.api_version, facts.kind), self.chosen(facts.file)
        if not self.versions.tracked(*key):
            return chosen or (release_of_claims(self.index, self.versions, facts),)
        if chosen:
            return tuple(release for release in chosen if key in self.versions.served(release))
        return (self.versions.newest_serving(*key) or self.versions.known[-1],)

    def releases_with(self, gate: str, facts: Facts) -> list[Release]:
        """Return the releases that judge an object and have a feature gate on."""
        return [release for release in self.releases(facts) if gate in self.gates(release)]

    # Claims of Pods.

    @cached_property
    def workloads(self) -> list[tuple[Facts, WorkloadFacts, PodSpec]]:
        """The Pod specs of the input with the objects that they are in."""
        return [(facts, body, pod) for facts, body in self.index.holding(WorkloadFacts) for pod in body.pods]

    def target(self, facts: Facts, entry: Entry) -> list[Facts]:
        """Return the claims or templates that an entry of a Pod can mean."""
        return targets(self.index, self.scope.namespace_of(facts), entry)

    def claims_of(self, facts: Facts, entry: Entry) -> list[tuple[Facts, ClaimFacts]]:
        """Return those of them whose requests are known, with these."""
        return [(each, each.body) for each in self.target(facts, entry) if isinstance(each.body, ClaimFacts)]

    def only_claim(self, facts: Facts, entry: Entry) -> tuple[Facts, ClaimFacts] | None:
        """Return the one that it certainly means; None for several, and where not all of its requests are known."""
        claims = self.claims_of(facts, entry)
        return claims[0] if len(self.target(facts, entry)) == 1 and claims and claims[0][1].plain else None

    def drivers_for(self, facts: Facts, entry: Entry) -> set[str]:
        """Return the drivers of the devices that an entry of a Pod gets, as far as they are known."""
        requests = (request for _, claim in self.claims_of(facts, entry) for request in claim.requests)
        return {driver for request in requests for driver in self.drivers_of(request.device_class)}

    @cached_property
    def claims(self) -> list[tuple[Facts, ClaimFacts]]:
        """The claims and templates of the input."""
        return [*self.index.holding(ClaimFacts)]

    @cached_property
    def slices(self) -> list[tuple[Facts, SliceFacts]]:
        """The slices of the input, and those of the inventory that the input does not have."""
        own = [*self.index.holding(SliceFacts)]
        names = {facts.name for facts, _ in own}
        theirs = ((facts, facts.body) for facts in self.inventory if isinstance(facts.body, SliceFacts))
        return [*own, *((facts, body) for facts, body in theirs if facts.name not in names)]

    def requests(self) -> Iterator[tuple[Facts, RequestFacts]]:
        """Yield the requests, and alternatives, of the claims and templates of the input."""
        for facts, claim in self.claims:
            yield from ((facts, request) for request in claim.requests)

    @cached_property
    def named_classes(self) -> frozenset[str]:
        """The names of the classes that requests name."""
        return frozenset(request.device_class for _, request in self.requests() if request.device_class is not None)

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
    def offering(self) -> dict[str, list[tuple[Facts, Class]]]:
        """The extended resources that classes of the input offer, under both names, each with its classes."""
        return grouped(
            (name, (facts, body))
            for facts, body in self.index.holding(Class)
            for name in ((body.extended, f"{IMPLICIT}{facts.name}") if facts.kind == "DeviceClass" else ())
            if name
        )

    @cached_property
    def drivers_of(self) -> Callable[[str | None], frozenset[str]]:
        """Returns the drivers that the classes of a name select, if known; answers are kept."""
        from dralint.references.selectors import drivers_of_class

        @cache
        def found(name: str | None) -> frozenset[str]:
            return frozenset(str(one) for _, body in self.classes(name) for one in drivers_of_class(body) or ())

        return found

    @cached_property
    def of_driver(self) -> dict[str, Facts]:
        """Each driver with a class that selects only its devices."""
        from dralint.references.selectors import drivers_of_class

        out: dict[str, Facts] = {}
        for facts in self.index.all("DeviceClass"):
            drivers = drivers_of_class(facts.body) if isinstance(facts.body, Class) else None
            if drivers is not None and len(drivers) == 1:
                out.setdefault(str(next(iter(drivers))), facts)
        return out

    @cached_property
    def of_domain(self) -> dict[str, list[Facts]]:
        """The classes by the domain after the first dot of their names."""
        return grouped((str(facts.name).partition(".")[2], facts) for facts in self.index.all("DeviceClass"))

    def charts_like(self, name: str) -> list[str]:
        """Return the classes of drivers' charts that a name can only be a misspelling of."""
        return [each for each in sorted(self.scope.charts) if is_slip(name, each)]

    @cached_property
    def stocked_classes(self) -> bool:
        """Whether the inventory of the whole cluster has classes as well as slices."""
        if self.stock is None or not self.stock.whole:
            return False
        return any(facts.file in self.stock.files for facts in self.index.all("DeviceClass"))

    @cached_property
    def users(self) -> dict[tuple[str | None, str], list[tuple[Facts, Entry]]]:
        """Namespace and name of each claim that Pods name → the Pods that do."""
        return grouped(
            ((self.scope.namespace_of(facts), entry.claim), (facts, entry))
            for facts, _, pod in self.workloads
            for entry in pod.entries
            if entry.claim is not None
        )

    def others_use(self, facts: Facts, claim: str | None) -> bool:
        """Say whether objects other than that of these facts use a claim of their namespace."""
        users = [] if claim is None else self.users.get((self.scope.namespace_of(facts), claim), [])
        return bool(users) and not (users[0][0] is users[-1][0] is facts)  # those of one object are next to each other

    @cached_property
    def template_uses(self) -> dict[tuple[str | None, str, str | None], list[Facts]]:
        """Namespace, template and request that containers of Pods use, with the objects of these Pods."""
        pods = ((facts, pod, grouped((use.entry, use.request) for use in pod.uses)) for facts, _, pod in self.workloads)
        return grouped(
            ((self.scope.namespace_of(facts), entry.template, request), facts)
            for facts, pod, requests in pods
            for entry in pod.entries
            if entry.template is not None
            for request in requests.get(entry.name, ())
        )

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
