"""Checks which requests admission policies and webhooks for resource.k8s.io see.

An API server compares the rules of a policy with the version of a request and, unless `matchPolicy` is Exact, with
every other version in which it serves the same resource. A version that it does not serve matches nothing. Sources:
pkg/admission/plugin/webhook/generic/webhook.go and predicates/rules of k8s.io/apiserver v0.37.0; on a server of 1.37 a
policy for v1beta1 lets a create through v1 pass once v1beta1 is no longer served.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding import rule_ids
from dralint.finding.problem import Problem, at, list_of, meant
from dralint.finding.words import quoted
from dralint.kubernetes.near import listed
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ADMISSION
from dralint.kubernetes.workloads import GROUP
from dralint.yaml.document import PLACEHOLDER_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.kubernetes.served import ApiVersions
    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Path


_POLICIES: dict[str, Path] = {
    "ValidatingAdmissionPolicy": ("spec", "matchConstraints"),
    "MutatingAdmissionPolicy": ("spec", "matchConstraints"),
    "ValidatingAdmissionPolicyBinding": ("spec", "matchResources"),
    "MutatingAdmissionPolicyBinding": ("spec", "matchResources"),
}
"""Kind → the path of its rules, in `resourceRules`, with the `matchPolicy`."""
_WEBHOOKS = frozenset({"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"})
_ANY = "*"
_SHOWN = 5


class PolicyRule(NamedTuple):
    """One rule of a policy: its place and its names; a resource is split at the slash."""

    path: Path
    groups: tuple[str, ...]
    versions: tuple[str, ...]
    resources: tuple[str, ...]
    subresources: tuple[str, ...]


class Matcher(NamedTuple):
    """Rules that are checked together: those of one policy, binding or webhook."""

    path: Path
    rules: tuple[PolicyRule, ...]
    exact: bool


def speaks_of_ours(item: ApiObject) -> bool:
    """Say whether an object is an admission policy or webhook with a rule that names resource.k8s.io."""
    return item.group == ADMISSION and any(matcher.rules for matcher in _matchers(item))


def admission(versions: ApiVersions, item: ApiObject, releases: Sequence[Release]) -> list[tuple[Problem, Release]]:
    """Return the problems that the releases find in the rules of a policy or webhook that `speaks_of_ours`."""
    found: list[tuple[Problem, Release]] = []
    for release in releases:
        serves = _Resources(versions, release)
        for matcher in _matchers(item):
            found += [(problem, release) for problem in _judged(matcher, serves)]
    return found


def _matchers(item: ApiObject) -> Iterator[Matcher]:
    """Yield the sets of rules of an object that name the group; rules for other groups are left out."""
    place = _POLICIES.get(item.kind)
    if place is not None:
        yield _matcher(at(item.data, place), place, "resourceRules")
    elif item.kind in _WEBHOOKS:
        for number, webhook in enumerate(list_of(item.data.get("webhooks"))):
            yield _matcher(webhook, ("webhooks", number), "rules")


def _matcher(value: Any, path: Path, key: str) -> Matcher:
    rules = []
    for number, row in enumerate(list_of(value.get(key)) if isinstance(value, dict) else ()):
        if not isinstance(row, dict):
            continue
        groups = _texts(row.get("apiGroups"))
        versions = _texts(row.get("apiVersions"))
        named = _texts(row.get("resources"))
        if GROUP in groups and versions and named:
            resources = tuple(text.partition("/")[0] for text in named)
            below = tuple(text[len(head) :] for text, head in zip(named, resources, strict=True))
            rules.append(PolicyRule((*path, key, number), groups, versions, resources, below))
    return Matcher(path, tuple(rules), isinstance(value, dict) and value.get("matchPolicy") == "Exact")


def _texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list, none for another value; a text with a placeholder can become anything."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return ()
    return tuple(_ANY if any(mark in text for mark in PLACEHOLDER_MARKS) else text for text in value)


class _Resources:
    """The resources of the group, and the versions in which a release serves them."""

    def __init__(self, versions: ApiVersions, release: Release) -> None:
        self._versions = versions
        self._release = release
        self.kinds = {plural(kind): kind for kind in versions.kinds}
        self._defaults = {version.rpartition("/")[2] for version in versions.default(release)}

    def served(self, resource: str) -> list[str]:
        """Return the versions in which the release can serve a resource, the one to prefer first."""
        kind = self.kinds.get(resource)
        rows = [] if kind is None else self._versions.versions(kind, self._release)
        return [row.rpartition("/")[2] for row in rows]

    def by_default(self, resource: str) -> list[str]:
        """Return the versions of these that the release serves without --runtime-config."""
        return [version for version in self.served(resource) if version in self._defaults]

    def present(self) -> list[str]:
        """Return the resources that the release has."""
        return sorted(resource for resource in self.kinds if self.served(resource))

    def releases(self, resource: str) -> list[Release]:
        """Return all releases that have a resource."""
        return self._versions.serving(self.kinds[resource])

    def ending(self, resource: str, version: str) -> Release | None:
        """Return the next release, where it is announced as the first without this version of the resource."""
        end = self._versions.ends(f"{GROUP}/{version}", self.kinds[resource], self._release)
        following = Release(self._release.major, self._release.minor + 1)
        return following if end is not None and end.gone == following else None


def plural(kind: str) -> str:
    """Return the resource of a kind, as a URL and a rule name it."""
    name = kind.lower()
    if name.endswith("parameters"):
        return name
    return name + ("es" if name.endswith("s") else "s")


def _judged(matcher: Matcher, serves: _Resources) -> Iterator[Problem]:
    """Yield the problems of one set of rules in one release."""
    named: dict[str, set[str]] = defaultdict(set)
    for rule in matcher.rules:
        for resource in rule.resources:
            named[resource].update(rule.versions)
    for rule in matcher.rules:
        yield from _without_resource(rule, serves)
        blind = _blind(rule, named, serves)
        if blind:
            yield _sees_nothing(rule, blind, serves)
        else:
            yield from _ending(rule, named, serves)
    if matcher.exact:
        yield from _left_out(matcher, named, serves)


def _without_resource(rule: PolicyRule, serves: _Resources) -> Iterator[Problem]:
    """Yield the resources of a rule that no release has, and all where the judging release has none of them."""
    if any(group != GROUP for group in rule.groups):
        return  # it may belong to another group
    strange = [name for name in rule.resources if name not in serves.kinds and name not in (_ANY, "")]
    gone = [name for name in rule.resources if name in serves.kinds and not serves.served(name)]
    nothing = len(gone) + len(strange) == len(rule.resources)
    for number, name in enumerate(rule.resources):
        path = (*rule.path, "resources", number)
        if name in strange:
            resources = serves.present()
            kind = next((there for there in resources if serves.kinds[there].lower() == name.lower()), None)
            below = rule.subresources[number]
            meaning = [there + below for there in (resources if kind is None else [kind])]
            otherwise = f"the resources of the group are {', '.join(resources)}"
            hint, repair = meant(name + below, meaning, path, otherwise=otherwise)
            message = f"{GROUP} has no resource {quoted(name)}: the rule sees no request for it"
            yield Problem(rule_ids.ADMISSION_UNKNOWN_RESOURCE, path, message, None, hint, repair=repair)
        elif name in gone and nothing:
            releases = serves.releases(name)
            span = f"only {releases[0]} to {releases[-1]} have" if len(releases) > 1 else f"only {releases[0]} has"
            message = f"{span} the resource {quoted(name)}: elsewhere the rule sees nothing"
            hint = f"remove it, or name one of {', '.join(serves.present())}"
            yield Problem(rule_ids.ADMISSION_UNKNOWN_RESOURCE, path, message, None, hint)


def _blind(rule: PolicyRule, named: dict[str, set[str]], serves: _Resources) -> list[str]:
    """Return the resources whose requests a rule does not see, because no version that it names is served."""
    names = serves.present() if _ANY in rule.resources else [name for name in rule.resources if serves.served(name)]
    unseen = [
        resource
        for resource in dict.fromkeys(names)
        if not _sees(_named(named, resource), serves.by_default(resource) or serves.served(resource))
    ]
    if len(unseen) == len(set(names)):
        return unseen
    # Of several resources, those that are off by default do not matter.
    return [] if _ANY in rule.resources else [name for name in unseen if serves.by_default(name)]


def _named(named: dict[str, set[str]], resource: str) -> set[str]:
    """Return the versions that all rules together name for a resource."""
    return named.get(resource, set()) | named.get(_ANY, set())


def _sees(named: set[str], served: Iterable[str]) -> bool:
    return _ANY in named or not named.isdisjoint(served)


def _sees_nothing(rule: PolicyRule, blind: Sequence[str], serves: _Resources) -> Problem:
    path = (*rule.path, "apiVersions")
    what = "any resource of the group" if _ANY in rule.resources else listed(blind, "or", "")
    known = any(version in serves.served(name) for name in blind for version in rule.versions)
    versions = list(dict.fromkeys(rule.versions))
    shown = [*map(quoted, versions[:_SHOWN]), *([f"{len(versions) - _SHOWN} more"] if len(versions) > _SHOWN else [])]
    verb = "is" if len(versions) == 1 else "are"
    why = f"{listed(shown, 'and', '')} {verb} not served{' by default' if known else ''}"
    message = f"the rule sees no request for {what}: {why}, and the server does not report it"
    instead = serves.by_default(blind[0]) or serves.served(blind[0])
    hint = f'name {listed(instead[:1])} as well, or write apiVersions: ["*"]'
    return Problem(rule_ids.ADMISSION_SEES_NOTHING, path, message, None, hint, (*path, 0))


def _ending(rule: PolicyRule, named: dict[str, set[str]], serves: _Resources) -> Iterator[Problem]:
    """Yield the versions of a rule that end with the next release, unless all versions that are served are named."""
    names = [name for name in rule.resources if serves.served(name)]
    for number, version in enumerate(rule.versions):
        for name in names:
            end = serves.ending(name, version) if version in serves.served(name) else None
            named_here = _named(named, name)
            if end is None or _ANY in named_here or named_here.issuperset(serves.served(name)):
                continue
            path = (*rule.path, "apiVersions", number)
            message = f"{quoted(version)} of {name} is no longer served in {end}"
            left = [other for other in serves.served(name) if other in named_here and other != version]
            first = serves.served(name)[0]
            hint = "the entry can go" if left else f'name "{first}" as well: the rule then sees nothing'
            yield Problem(rule_ids.ADMISSION_VERSION_ENDS, path, message, None, hint)
            break


def _left_out(matcher: Matcher, named: dict[str, set[str]], serves: _Resources) -> Iterator[Problem]:
    """Yield the versions through which requests pass a policy that takes no equivalent ones."""
    names = set(named)
    names = {name for name in (serves.present() if _ANY in names else names) if serves.served(name)}
    passing: dict[tuple[bool, tuple[str, ...]], list[str]] = defaultdict(list)
    for resource in sorted(names):
        versions = _named(named, resource)
        default = serves.by_default(resource)
        if _ANY in versions or not _sees(versions, default or serves.served(resource)):
            continue  # it sees everything, or nothing, which is already reported
        missing = tuple(version for version in serves.served(resource) if version not in versions)
        always = tuple(version for version in missing if version in default)
        if missing:
            passing[bool(always), always or missing].append(resource)
    for (by_default, versions_left_out), resources in passing.items():
        where = "" if by_default else ", where the cluster enables it"
        what = f"for {listed(resources, 'or', '')} through {listed(versions_left_out, 'or')}"
        message = f"with matchPolicy Exact, the rules do not see requests {what}{where}"
        hint = "write matchPolicy: Equivalent, or add these versions to apiVersions"
        yield Problem(
            rule_ids.ADMISSION_SEES_NOTHING if by_default else rule_ids.ADMISSION_EXACT_VERSION,
            (*matcher.path, "matchPolicy"),
            message,
            None,
            hint,
        )
