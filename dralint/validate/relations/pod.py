"""The claims of a Pod, of its containers and of its status."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Change, Link, Meant, Problem, Repair, at, list_of, meant, path_of, removed, replaced
from dralint.finding.rule_ids import (
    CLAIMS_NOT_ALLOWED_HERE,
    DNS_SUBDOMAIN,
    DUPLICATE_ENTRY,
    MISSING_FIELD,
    ONE_OF,
    UNKNOWN_POD_CLAIM,
)
from dralint.finding.words import it_has, ordinal, quoted, some_of
from dralint.kubernetes.formats import dns_label, dns_subdomain
from dralint.kubernetes.near import closest
from dralint.kubernetes.types import CONTAINERS
from dralint.validate.constraints import FORMAT_RULES
from dralint.validate.declared_names import DeclaredNames, NameUse, declarations, one_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.kubernetes.shipped import Limits
    from dralint.manifest.objects import ApiObject
    from dralint.validate.constraints import Context
    from dralint.yaml import Path


_DECLARE = "declare the claim under `resourceClaims` of the Pod spec"
_NAMES = ("resourceClaimName", "resourceClaimTemplateName")


def pod_spec(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """The claims' names are unique, and containers use no other."""
    names: dict[str, int] = {}
    claims = (link, "resourceClaims")
    context.naming = partial(_names, value, path_of(link))
    for position, item in enumerate(value.get("resourceClaims") or ()):
        name = (item or {}).get("name")
        if not name:
            continue
        if name in names:
            message = f"`name` {quoted(name)} is already used by the {ordinal(names[name])} entry"
            hint = "give each entry its own name"
            related = (("first used here", (*path_of(claims), names[name], "name")),)
            context.add(DUPLICATE_ENTRY, ((claims, position), "name"), "Duplicate", message, hint, related=related)
        else:
            names[name] = position
    resources = value.get("resources")
    repair = None if resources is None else _into_container(value, path_of(link))
    if resources is not None and resources.get("claims") is not None:
        message = "the resources of the Pod as a whole cannot have claims"
        hint = "list the claim under `resources.claims` of the containers that use it"
        listed: Link = ((link, "resources"), "claims")
        context.add(CLAIMS_NOT_ALLOWED_HERE, listed, "Forbidden", message, hint, target="key", repair=repair)
        if not value.get("resourceClaims"):
            _container_claims(resources["claims"], listed, context, names)
    for kind in ("limits", "requests"):
        for name in (resources or {}).get(kind) or ():
            if "/" in name and not name.partition("/")[0].endswith("kubernetes.io"):
                message = f"the resources of the Pod as a whole are cpu, memory and hugepages only, not {quoted(name)}"
                hint = "write it into the resources of the container that uses the devices"
                where: Link = (((link, "resources"), kind), name)
                context.add(CLAIMS_NOT_ALLOWED_HERE, where, "NotSupported", message, hint, target="key", repair=repair)
    for kind in CONTAINERS:
        for position, container in enumerate(value.get(kind) or ()):
            held = (container or {}).get("resources")
            if held is None or held.get("claims") is None:
                continue
            place = (((link, kind), position), "resources")
            if kind == "ephemeralContainers":
                message = "a manifest cannot have ephemeral containers"
                hint = "`kubectl debug` adds them to a running Pod"
                context.add(CLAIMS_NOT_ALLOWED_HERE, (link, kind), "Forbidden", message, hint, target="key")
                message = "an ephemeral container cannot have resources"
                hint = "remove `resources`: it uses the spare resources of the Pod"
                context.add(CLAIMS_NOT_ALLOWED_HERE, place, "Forbidden", message, hint, target="key")
            _container_claims(held["claims"], (place, "claims"), context, names)
    return (*CONTAINERS, "resources")


def _into_container(value: dict[str, Any], path: Path) -> Repair | None:
    """Return the repair that moves the resources of a Pod into its only container; None where that has its own."""
    containers = list_of(value.get("containers"))
    if len(containers) != 1 or not isinstance(containers[0], dict) or containers[0].get("resources") is not None:
        return None
    return Repair((Change("move", (*path, "resources"), to=(*path, "containers", 0, "resources")),))


def _names(value: dict[str, Any], path: Path) -> DeclaredNames:
    """Return the names that a Pod gives to its claims, with the places where its containers use them."""
    entries = declarations(value.get("resourceClaims"), (*path, "resourceClaims"))
    uses = [
        NameUse((*path, kind, number, "resources", "claims", position, "name"), claim["name"])
        for kind in CONTAINERS
        for number, container in enumerate(value.get(kind) or ())
        for position, claim in enumerate(((container or {}).get("resources") or {}).get("claims") or ())
        if claim and claim.get("name")
    ]
    return DeclaredNames(entries, uses)


def _container_claims(claims: list[dict[str, Any] | None], link: Link, context: Context, names: dict[str, int]) -> None:
    # Like the API server, names and NAME/REQUEST in one, so that a name with a slash can look like a part.
    used: dict[str, int] = {}
    partly: dict[str, int] = {}
    named = {item.get("name") for item in claims if item}
    for position, item in enumerate(claims):
        claim = item or {}
        name, request = claim.get("name") or "", claim.get("request") or ""
        place = (link, position)
        if not name:
            message = "`name` is missing or empty: it must name an entry of the Pod's resourceClaims"
            hint: str | None = _DECLARE
            if names:
                hint = f"name {one_of(names) if len(names) == 1 else 'one of: ' + some_of(sorted(names), 10)}"
            where = (place, "name") if "name" in claim else place
            context.add(MISSING_FIELD, place, "Required", message, hint, where=where)
            continue
        earlier = used.get(name)
        if earlier is None:
            if request:
                _request_name(request, (place, "request"), context)
            entry = f"{name}/{request}" if request else name
            earlier = used.get(entry)
            if earlier is None and not request and "pod-claim-source" not in context.does:
                earlier = partly.get(name)
            used.setdefault(entry, position)
            if "/" in entry:
                partly.setdefault(entry.partition("/")[0], position)
        if earlier is not None:
            same = claims[earlier] == item and _all_used(names, context)
            _again(name, request, earlier, place, link, context, removed(path_of(place), safe=True) if same else None)
        if name not in names:
            declared = context.declared()
            instead = None if declared is None else declared.declaration(name)
            hint, repair = instead or _declared(name, names, path_of((place, "name")), named)
            message = f"{quoted(name)} is not the name of an entry in the Pod's resourceClaims; {it_has(names)}"
            spot = None if declared is None or repair is None else declared.place_meant(repair)
            related = () if spot is None else (("declared here", spot),)
            at_name = (place, "name")
            context.add(
                UNKNOWN_POD_CLAIM, place, "NotFound", message, hint, where=at_name, related=related, repair=repair
            )


def _all_used(names: Collection[str], context: Context) -> bool:
    """Say whether some container uses each name, so that a repeated entry does not mean one of them."""
    declared = context.declared()
    return declared is not None and all(map(declared.uses, names))


def _request_name(request: str, link: Link, context: Context) -> None:
    """Report an invalid request name; containers cannot name REQUEST/ALTERNATIVE."""
    fault = dns_label(request)
    if fault is None:
        return
    whole, slash, _ = request.partition("/")
    if slash and dns_label(whole) is None:
        hint = f'write "{whole}": a container names a request, not one of its alternatives'
        fault = fault._replace(hint=hint, instead=whole)
    context.fault(FORMAT_RULES["a DNS label"], link, request, fault)


def _declared(name: str, names: Collection[str], path: Path, used: Collection[str | None]) -> Meant:
    """Return what to write instead of a name that the Pod does not declare; names in use are left out."""
    if not names:
        return Meant(_DECLARE, None)
    good = sorted(name for name in names if dns_label(name) is None)
    found = meant(name, good, path, taken=used, otherwise=f"name {one_of(names)}, or declare the claim")
    alone = len(names) == 1 and bool(good) and good[0] not in used and found.repair is None
    return Meant(found.hint, replaced(path, good[0])) if alone else found


def _again(
    name: str, request: str, earlier: int, place: Link, link: Link, context: Context, repair: Repair | None
) -> None:
    what = f"{quoted(f'{name}/{request}')}" if request else quoted(name)
    message = f"{what} is already part of the {ordinal(earlier)} entry"
    hint = "list a claim once as a whole, or once for each of its requests"
    related = (("first used here", (*path_of(link), earlier)),)
    context.add(
        DUPLICATE_ENTRY, place, "Duplicate", message, hint, where=(place, "name"), related=related, repair=repair
    )


def pod_claim(value: dict[str, Any], link: Link, context: Context) -> None:
    """An entry names a claim or a template, not both."""
    if "pod-claim-source" in context.does:
        one_of_names(value.get("source") or {}, (link, "source"), context)
    else:
        one_of_names(value, link, context)


def one_of_names(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report an entry that names neither a claim nor a template, or both."""
    named = [key for key in _NAMES if value.get(key) is not None]
    if not named:
        message = "neither resourceClaimName nor resourceClaimTemplateName is set"
        context.add(ONE_OF, link, "Invalid", message, "name an existing claim, or a template to make one from")
    elif len(named) > 1:
        empty = [key for key in named if value[key] == ""]
        context.add(
            ONE_OF,
            link,
            "Invalid",
            "resourceClaimName and resourceClaimTemplateName are both set; only one can be",
            "keep the intended one",
            where=(link, _NAMES[1]),
            target="key",
            related=(("the other one", (*path_of(link), _NAMES[0])),),
            repair=removed((*path_of(link), empty[0]), safe=True) if len(empty) == 1 else None,
        )


_MIRROR = "kubernetes.io/config.mirror"
_GENERATED, _LONGEST_PREFIX = "x2x4x", 58


def pod_metadata(does: frozenset[str], item: ApiObject, part: Path, view: dict[str, Any]) -> list[Problem]:
    """Return the problems that depend on the metadata of a Pod (the template of a Pod has none yet)."""
    metadata = item.data.get("metadata")
    claims = view.get("resourceClaims")
    if not isinstance(metadata, dict) or not claims:
        return []
    problems: list[Problem] = []
    here = (*part, "resourceClaims")
    annotations = metadata.get("annotations")
    if "mirror-pod-without-claims" in does and isinstance(annotations, dict) and _MIRROR in annotations:
        message = "a Pod that mirrors a static Pod cannot have claims"
        hint = "static Pods cannot use claims: create an ordinary Pod"
        related = (("marks it as a mirror", ("metadata", "annotations", _MIRROR)),)
        problems.append(
            Problem(CLAIMS_NOT_ALLOWED_HERE, here, message, "Forbidden", hint, target="key", related=related)
        )
    if "pod-claim-name-combined" in does:
        name, prefix = item.data["metadata"].get("name"), metadata.get("generateName")
        if not name and isinstance(prefix, str) and prefix:
            name = prefix[:_LONGEST_PREFIX] + _GENERATED
        for position, claim in enumerate(claims):
            entry = claim or {}
            if entry.get("name") and (entry.get("source") or {}).get("resourceClaimTemplateName") is not None:
                combined = f"{name}-{entry['name']}"
                fault = dns_subdomain(combined) if isinstance(name, str) and name else None
                if fault is not None and dns_subdomain(entry["name"]) is None:
                    message = f"the claim made from the template would be called {quoted(combined)}, which {fault.text}"
                    hint = "give the Pod, or this entry, another name"
                    problems.append(Problem(DNS_SUBDOMAIN, (*here, position, "name"), message, "Invalid", hint))
    return problems


_PATH = ("status", "resourceClaimStatuses")


def claim_statuses(does: frozenset[str], limits: Limits, item: ApiObject, status: dict[str, Any]) -> list[Problem]:
    """Return the problems of the status entries: unknown or repeated names."""
    statuses = status.get("resourceClaimStatuses") or []
    group = item.kind == "PodGroup"
    if group and len(statuses) > limits.limit("PodGroupStatus", _PATH[-1], "maxItems"):
        return []  # the table reports that, and no entry counts
    claims = at(item.data, ("spec", "resourceClaims"))
    names = {
        claim["name"]
        for claim in (claims if isinstance(claims, list) else [])
        if isinstance(claim, dict) and isinstance(claim.get("name"), str)
    }
    out: list[Problem] = []
    seen: dict[str, int] = {}
    for position, entry in enumerate(statuses):
        value = entry or {}
        place = (*_PATH, position)
        name, made = value.get("name") or "", value.get("resourceClaimName")
        if name not in names:
            text = f"{quoted(name)} is not the name of an entry in resourceClaims of the spec; {it_has(names)}"
            hint = closest(name, names) or "name an entry of spec.resourceClaims"
            out.append(Problem(UNKNOWN_POD_CLAIM, (*place, "name"), text, "Invalid", hint))
        if name in seen:
            text = f"`name` {quoted(name)} is already used by the {ordinal(seen[name])} entry"
            out.append(Problem(DUPLICATE_ENTRY, place if group else (*place, "name"), text, "Duplicate", "remove it"))
        seen.setdefault(name, position)
        fault = None if made is None else dns_subdomain(made)
        if fault is not None:
            blamed = "name" if "pod-status-blames-name" in does else "resourceClaimName"
            text = f"{quoted(made)} {fault.text}"
            where = (*place, "resourceClaimName")
            rule = FORMAT_RULES["a DNS subdomain"]
            out.append(Problem(rule, (*place, blamed), text, fault.reason, fault.advice, where))
    return out
