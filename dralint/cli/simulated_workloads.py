"""The Pods and claims that `dralint simulate` simulates, and the answers on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.cli.simulate_output import Chosen
    from dralint.simulate import Answer, Questions
    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.cluster import Cluster, Workload
    from dralint.simulate.quotas import Quotas
    from dralint.simulate.server import ApiServer


def workloads_asked(
    cluster: Cluster,
    own: Cluster,
    originals: Sequence[tuple[dict[str, Any], bool]],
    namespace: str,
    chosen: Chosen,
) -> list[Workload] | None:
    """Return the workloads that the options choose; None for the pending Pods of the inventory."""
    from dralint.simulate.cluster import pod_for_claim, workload_of
    from dralint.simulate.questions import workloads_of

    if chosen["pending"]:
        return None
    if not (chosen["pods"] or chosen["claims"]):
        return workloads_of(own, [item for item, mine in originals if mine], namespace)
    asked: list[Workload] = []
    every = [w for item, _ in originals if (w := workload_of(item, namespace)) is not None]
    for name in chosen["pods"]:
        hits = [w for w in every if name in _names(w)]
        if not hits:
            raise click.UsageError(f"--pod: there is no Pod {name!r}; {_some(n for w in every for n in _names(w)[:1])}")
        asked.append(hits[-1])
    for name in chosen["claims"]:
        for kind in ("ResourceClaim", "ResourceClaimTemplate"):
            keys = [k for k in cluster.objects if k[0] == kind and name in (f"{k[1]}/{k[2]}", k[2])]
            if keys:
                asked.append(pod_for_claim(kind, cluster.objects[keys[-1]]))
                break
        else:
            there = (f"{k[1]}/{k[2]}" for k in cluster.objects if k[0] in ("ResourceClaim", "ResourceClaimTemplate"))
            raise click.UsageError(f"--claim: there is no claim {name!r}; {_some(there)}")
    return asked


def _names(workload: Workload) -> list[str]:
    """Return the names by which --pod can name a Pod."""
    whole, kind = f"{workload.namespace}/{workload.name}", workload.kind.lower()
    if kind == "pod":
        return [whole, workload.name]
    return [f"{kind}/{workload.name}", f"{kind}/{whole}"]


def _some(names: Iterator[str]) -> str:
    shown = sorted(set(names))
    return f"there are {', '.join(shown[:8])}{' and more' if len(shown) > 8 else ''}" if shown else "there are none"


def refusals(server: ApiServer) -> list[Answer]:
    """Return the objects that the API server refuses."""
    from dralint.simulate.answers import Answer

    return [
        Answer(f"{kind.lower()} {namespace}/{name}", refused=said, by_server=True)
        for (kind, namespace, name), said in server.refused.items()
    ]


def questions_on(cluster: Cluster, quotas: Quotas, behaviour: Behaviour, chosen: Chosen) -> Questions:
    """Return the questions on a cluster; raise a UsageError if no node has the chosen name."""
    from dralint.simulate.questions import Questions

    questions = Questions(
        cluster,
        behaviour,
        nodes=chosen["nodes"],
        timeout=chosen["timeout"],
        explain=chosen["explain"],
        quotas=quotas,
    )
    if chosen["nodes"] and not questions.nodes:
        names = _some(node.name for node in questions.inventory.nodes)
        raise click.UsageError(f"--node: no node of the inventory has such a name; {names}")
    return questions


def ask(
    questions: Questions,
    before: Cluster | None,
    workloads: list[Workload] | None,
    chosen: Chosen,
) -> list[Answer]:
    """Return the answer on each workload, then the Pods that the manifests evict; `before` lacks the manifests."""
    from dralint.cli.progress import for_run

    if chosen["evict"]:
        return questions.evictions()
    if workloads is None:
        workloads = questions.pending()
    progress = for_run(len(workloads) * len(questions.nodes), quiet=chosen["quiet"], noun="nodes")
    if progress is not None:
        questions.advance = progress.advance
    try:
        answers = _answers(questions, workloads, chosen)
        if not (chosen["sequence"] or chosen["how_many"]) and any(answer.answer != "all" for answer in answers):
            from dralint.simulate.faults import name_faults  # most answers are good

            name_faults(questions, list(zip(workloads, answers, strict=True)))
        return [*answers, *(questions.evictions(before) if before is not None else ())]
    finally:
        if progress is not None:
            progress.finish()


def _answers(questions: Questions, workloads: list[Workload], chosen: Chosen) -> list[Answer]:
    if chosen["sequence"]:
        return questions.sequence(workloads)
    one: Callable[[Workload], Answer] = questions.how_many if chosen["how_many"] else questions.ask
    return [one(workload) for workload in workloads]
