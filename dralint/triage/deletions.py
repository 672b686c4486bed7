"""Finds objects that wait for their deletion, with their finalizers and what holds them.

Source (v1.37.0): pkg/controller/resourceclaim/controller.go (syncClaim).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import dict_of, list_of
from dralint.finding.words import some_of
from dralint.simulate.cluster import has_ended, results_of
from dralint.triage.claims_of_pods import CONTROLLER, gone_users
from dralint.triage.trouble import ENDING, SHOWN_NODES, Trouble, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.triage.dump import Dump

PROTECTION = ("resource.kubernetes.io/delete-protection", "dra.k8s.io/delete-protection")
"""The finalizers of allocated claims, of `resource.k8s.io/v1alpha3` and later, and before."""

_COUNTED_PODS = "batch.kubernetes.io/job-tracking"


def deletions(dump: Dump) -> Iterator[Trouble]:
    """Yield objects that wait for their deletion, grouped by what holds them; a Namespace by what is in it."""
    pods = {pod["metadata"].get("uid"): pod for pod in dump.cluster.of("Pod")}
    groups: dict[tuple[str, str], list[str]] = {}
    inside: dict[str, list[str]] = {}
    for (kind, namespace, _), item in dump.cluster.objects.items():
        metadata = item["metadata"]
        finalizers = [str(name) for name in list_of(metadata.get("finalizers"))]
        if finalizers and namespace:
            inside.setdefault(namespace, []).append(f"{kind} {metadata.get('name')} ({some_of(finalizers, 2)})")
        if not metadata.get("deletionTimestamp") or (kind == "Pod" and not _keeps(item, finalizers)):
            continue
        for finalizer in finalizers:
            text, hint = f"is being deleted, and has the finalizer {finalizer}", "see what sets it, and whether it runs"
            if kind == "ResourceClaim" and finalizer in PROTECTION:
                text, hint = _protected(item, pods, finalizer, whole=bool(dump.kinds["Pod"]) and not dump.incomplete)
            groups.setdefault((text, hint), []).append(f"{kind} {name_of(item)}")
    for (text, hint), names in groups.items():
        yield Trouble(ENDING, text, tuple(names), hint)
    for item in dump.cluster.of("Namespace"):
        held = inside.get(str(item["metadata"].get("name")))
        if item["metadata"].get("deletionTimestamp") and held:
            text = f"is being deleted, and waits for {some_of(held, SHOWN_NODES)}"
            yield Trouble(ENDING, text, (f"Namespace {name_of(item)}",))


def _keeps(pod: Mapping[str, Any], finalizers: list[str]) -> bool:
    """Say whether the finalizers of a Pod with claims matter: those of a Job come off as soon as it has ended."""
    ended = has_ended(pod)
    return not ended and bool(dict_of(pod.get("spec")).get("resourceClaims")) and finalizers != [_COUNTED_PODS]


def _protected(
    claim: Mapping[str, Any], pods: Mapping[Any, Mapping[str, Any]], finalizer: str, *, whole: bool
) -> tuple[str, str]:
    """Return what holds a claim with the finalizer of allocated claims, and what to do."""
    users = [dict_of(user) for user in list_of(dict_of(claim.get("status")).get("reservedFor"))]
    held = f"is being deleted, and has the finalizer {finalizer}"
    gone = gone_users(users, pods) if whole else []
    if gone:
        is_ = "which is" if len(gone) == 1 else "which are"
        return f"{held}: it is reserved for {some_of(gone, SHOWN_NODES)}, {is_} gone", CONTROLLER
    if users:
        namespace = claim["metadata"].get("namespace")
        names = [f"{namespace}/{user.get('name')}" for user in users]
        return f"{held} until {some_of(names, SHOWN_NODES)} end{'s' * (len(names) == 1)}", "delete these Pods"
    still = "allocated" if results_of(claim) else "not allocated"
    return f"{held}: it is {still} and reserved for nobody", CONTROLLER
