"""Says in one sentence whether an object fits anywhere, and if not, why: for findings on manifests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import list_of
from dralint.finding.words import quoted, some_of
from dralint.records import grouped
from dralint.simulate.cluster import pod_for_claim, workload_of
from dralint.simulate.placing import Placing
from dralint.simulate.reasons import SEARCHES, Why, trouble
from dralint.simulate.server import admit
from dralint.simulate.text import headline, sentence, shortage, together

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dralint.simulate.answers import Answer
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.scheduler import Filtered

_TIMEOUT, _SECONDS = 1.0, 5.0
_SHOWN, _MOST_NODES = 4, 500


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a Pod, claim or template fits on some node, None where unknown; `reason` says why it does not.

    `node` is the first node on which it fits. `causes` are the kinds of limits that alone prevent it on some node
    (`claims.RELAXATIONS`). `requests` are those of the claim or template (`gpu`, `gpu/large`) that lack devices,
    `constraint` is the attribute of the constraint that excludes devices, `hint` what to write instead. `apart` are the
    nodes with devices for each request, if no node has them for all. `wanted` is how many devices the requests want, if
    no node has so many. `fails` says that the scheduler stops with an error.
    """

    fits: bool | None
    reason: str = ""
    causes: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    constraint: str = ""
    hint: str = ""
    apart: Mapping[str, list[str]] = field(default_factory=dict)
    wanted: int = 0
    fails: bool = False
    node: str = ""


def fits_anywhere(
    cluster: Cluster,
    item: Mapping[str, Any],
    behaviour: Behaviour,
    *,
    namespace: str = "default",
    seconds: float = _SECONDS,
    placing: Placing | None = None,
) -> Verdict:
    """Say whether some node of a cluster can satisfy a Pod, workload, claim or template.

    Args:
        cluster: the inventory, and the classes, claims and templates that `item` refers to.
        item: the object, in any served API version; a claim or template must be in the cluster, too.
        namespace: for objects without one.
        seconds: for the whole search; the reasons take half of that in addition.
        placing: an earlier one of the same cluster and behaviour, whose results are used again.

    A missing reference gives None, because another finding reports it. A result that depends on an order that the
    release leaves open also gives None.
    """
    workload, made_up = workload_of(item, namespace), False
    if workload is None:
        kind = str(item.get("kind") or "")
        metadata = item.get("metadata") or {}
        named = {"name": str(metadata.get("name") or ""), "namespace": str(metadata.get("namespace") or namespace)}
        workload, made_up = pod_for_claim(kind, {"metadata": named}), True
    if admit(workload.pod, cluster).unread:  # a RuntimeClass may let it tolerate everything
        spec = workload.pod["spec"]
        tolerations = [*list_of(spec.get("tolerations")), {"operator": "Exists"}]
        workload.pod = {**workload.pod, "spec": {**spec, "tolerations": tolerations}}
    placing = placing or Placing(cluster, behaviour, timeout=_TIMEOUT, explain="never")
    answer = placing.until_fit(workload, seconds)
    if answer.refused:
        return Verdict(None, answer.refused)
    if answer.fits:
        return Verdict(fits=True, node=answer.fits[0])
    if not answer.nodes or not all(one.decided for one in answer.nodes):
        why = next((one.undecided for one in answer.nodes if one.undecided), "the inventory has no node")
        return Verdict(None, f"not decided: {why}")
    if answer.several:
        return Verdict(None, "not decided: the release leaves the order of pools open")
    for one in answer.nodes:
        if one.allocator is not None:
            one.allocator.spent = max(one.allocator.spent, SEARCHES - seconds / 2)
    answer.explain(seconds / 2)
    return _why_not(answer, made_up=made_up)


def _why_not(answer: Answer, *, made_up: bool) -> Verdict:
    """Return why nothing fits; the claims of a Pod that is `made_up` are named as their requests."""
    causes = tuple(dict.fromkeys(cause for why in answer.why.values() for cause in why["causes"]))
    failed = next((one for one in answer.nodes if one.error), None)
    if failed is not None:
        notes = trouble(failed)
        reason = f"a selector fails {notes[-1]}" if len(notes) > 1 else failed.error
        return Verdict(fits=False, reason=reason, causes=causes, fails=True)
    most, reason = _reason(answer)
    why_most = answer.why.get(most.node.name) or {"requests": {}, "constraint": None, "causes": ()}
    short = [key for key, fact in why_most["requests"].items() if shortage(key, fact)]
    apart = _apart(answer)
    constraint = None if short else why_most["constraint"]
    hint = "" if constraint is None else "request fewer devices, or remove the constraint"
    if constraint is not None and not constraint["hint"]:
        reason = _never_met(constraint, why_most["requests"])
    elif constraint is not None and reason.startswith(constraint["kind"]):
        reason, asks, name = reason.partition("; did you mean ")
        hint = f"did you mean {name}" if asks else "constrain another attribute, or remove the constraint"
    numbers = [fact["wanted"] for fact in why_most["requests"].values()]
    wanted = sum(numbers) if numbers and not short and reason == together(why_most) else 0
    if made_up and answer.claims:
        # The claim of an artificial Pod has a name that no reader knows.
        before = f"{answer.claims[0].partition('/')[2]}/"
        reason = reason.replace(before, "")
        short = [key.removeprefix(before) for key in short]
        apart = {key.removeprefix(before): nodes for key, nodes in apart.items()}
    return Verdict(
        fits=False,
        reason=reason,
        causes=causes,
        requests=tuple(short),
        constraint="" if constraint is None else constraint["attribute"],
        hint=hint,
        apart=apart,
        wanted=wanted,
    )


def _apart(answer: Answer) -> dict[str, list[str]]:
    """Return the nodes that have devices for each request, where each has some and no node has them for all."""
    found: dict[str, list[str]] = {}
    for one in answer.nodes[:_MOST_NODES]:
        if one.allocator is None:
            continue
        why = Why(one.allocator, one.node)
        for want in why.wants:
            nodes = found.setdefault("/".join(want.key.split("/")[:2]), [])
            if one.node.name not in nodes and not shortage(want.key, why.facts(want)):
                nodes.append(one.node.name)
    shared = set.intersection(*map(set, found.values())) if found else set()
    return found if all(found.values()) and not shared and len(answer.nodes) <= _MOST_NODES else {}


def _never_met(constraint: Mapping[str, Any], requests: Mapping[str, Mapping[str, Any]]) -> str:
    """Return which values the devices of the requests of a constraint have."""
    numbers = [requests[key]["wanted"] for key in constraint["values"]]
    number = "" if "All" in numbers else f"{sum(numbers)} "
    how = "the same" if constraint["kind"] == "matchAttribute" else "different"
    alike = grouped((_values(values), key) for key, values in constraint["values"].items())
    parts = [f"{some_of(keys, _SHOWN)} have {values}" for values, keys in alike.items()]
    return f"no {number}devices of a node have {how} {quoted(constraint['attribute'])} ({'; '.join(parts)})"


def _values(values: Iterable[str]) -> str:
    there = [value for value in values if value]
    others = [f"{len(there) - _SHOWN} others"] if len(there) > _SHOWN else []
    return " or ".join([*there[:_SHOWN], *others]) or "none"


def _reason(answer: Answer) -> tuple[Filtered, str]:
    """Return the reason of most of the explained nodes, and the first node that has it."""
    nodes = [one for one in answer.nodes if one.node.name in answer.why or one.allocator is None] or answer.nodes
    with_devices = [one for one in nodes if _has_devices(answer, one)]
    nodes = with_devices or nodes
    said = {one.node.name: _said(one, answer.why.get(one.node.name)) for one in nodes}
    counted = Counter(said.values()).most_common(2)
    first = next(one for one in nodes if said[one.node.name] == counted[0][0])
    if len(counted) == 1:
        return first, counted[0][0]
    other = next(one for one in nodes if said[one.node.name] == counted[1][0])
    return first, f"{counted[0][0]} ({first.node.name}); {counted[1][0]} ({other.node.name})"


def _said(one: Filtered, why: Mapping[str, Any] | None) -> str:
    text = sentence(one, why)
    return text if why is None else text.replace("together: would", f"{headline(one, why)}: would")


def _has_devices(answer: Answer, one: Filtered) -> bool:
    """Say whether a node has any device that passes a class; the reasons of other nodes say nothing new."""
    why = answer.why.get(one.node.name)
    return why is not None and any(fact["class"] for fact in why["requests"].values())
