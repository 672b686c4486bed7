"""Does it fit anywhere, and if not, why: one sentence, for findings on manifests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dralint.simulate.cluster import pod_for_claim, workload_of
from dralint.simulate.questions import Questions
from dralint.simulate.reasons import trouble
from dralint.simulate.sentences import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster
    from dralint.simulate.questions import Answer

_TIMEOUT = 1.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a Pod, claim or template fits on some node, None where that is not known; `reason` why it does not.

    `causes` are the kinds of limits that alone stand in the way on some node (`claims.RELAXATIONS`).
    """

    fits: bool | None
    reason: str = ""
    causes: tuple[str, ...] = ()


def fits_anywhere(
    cluster: Cluster,
    item: Mapping[str, Any],
    behaviour: Behaviour,
    *,
    namespace: str = "default",
    timeout: float = _TIMEOUT,
    questions: Questions | None = None,
) -> Verdict:
    """Say whether a Pod, workload, claim or template can be satisfied on some node of a cluster.

    Args:
        cluster: the inventory, and the classes, claims and templates that `item` refers to.
        item: the object, in any served API version; a claim or template that it is must be in the cluster, too.
        namespace: of objects that name none.
        timeout: seconds for each node.
        questions: those asked before of the same cluster and behaviour; what they have computed is used again.

    A reference that leads nowhere gives None: that is another finding.
    """
    workload = workload_of(item, namespace)
    if workload is None:
        kind = str(item.get("kind") or "")
        metadata = item.get("metadata") or {}
        named = {"name": str(metadata.get("name") or ""), "namespace": str(metadata.get("namespace") or namespace)}
        workload = pod_for_claim(kind, {"metadata": named})
    asked = questions or Questions(cluster, behaviour, timeout=timeout, explain="never")
    answer = asked.ask(workload)
    if answer.answer == "refused":
        return Verdict(None, answer.refused)
    if answer.answer in ("all", "some"):
        return Verdict(fits=True)
    if answer.answer == "undecided" or not answer.nodes:
        why = next((one.undecided for one in answer.nodes if one.undecided), "the inventory has no node")
        return Verdict(None, f"not decided: {why}")
    asked.explain_all(answer)
    causes = dict.fromkeys(cause for why in answer.why.values() for cause in why["causes"])
    return Verdict(fits=False if not answer.fits else None, reason=_reason(answer), causes=tuple(causes))


def _reason(answer: Answer) -> str:
    """Return what stands in the way on most nodes."""
    if answer.error:
        return answer.error
    failed = next((one for one in answer.nodes if one.error and one.decided), None)
    if failed is not None:
        told_more = trouble(failed)
        return f"a selector fails {told_more[-1]}" if len(told_more) > 1 else failed.error
    told = Counter(sentence(one, answer.why.get(one.node.name)) for one in answer.nodes if not one.fits)
    first, number = told.most_common(1)[0]
    if len(told) == 1:
        return first
    return f"{first} ({number} of {len(answer.nodes)} nodes; elsewhere: {told.most_common(2)[1][0]})"
