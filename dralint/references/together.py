"""Why requests, or the claims of a Pod, find devices each and not together: on no node, or not on the one wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.words import quoted
from dralint.references.constraints import never_met
from dralint.references.facts import Claim
from dralint.references.fitting import fits
from dralint.references.inventory import ANYWHERE
from dralint.references.names import is_open
from dralint.references.problem import NAME, Elsewhere
from dralint.references.stocked import NO_NODE, PENDING, TOO_FEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Constraint, Entry, Facts, PodSpec
    from dralint.references.problem import Found
    from dralint.references.stocked import Choice, Supply
    from dralint.references.world import World
    from dralint.yaml import Path


def together(stock: Supply, facts: Facts, claim: Claim, wanted: list[list[Choice]]) -> Iterator[Found]:
    """Yield why requests that each find devices do not find them together."""
    nodes = stock.stock.nodes
    single = {node for node in nodes if all(fits(stock, node, [one]) for one in wanted)}
    if not single:
        yield _no_common_node(stock, facts, wanted)
        return
    if any(fits(stock, node, wanted) for node in single):
        for constraint in claim.constraints:
            if not any(fits(stock, node, wanted, [constraint]) for node in single):
                yield never_met(stock, facts, constraint, wanted)
                return
        if claim.constraints:
            yield never_met(stock, facts, claim.constraints[-1], wanted)
        return
    total = sum(min(choice.least for choice in alternatives) for alternatives in wanted)
    most = max(_most(stock, node, wanted) for node in nodes)
    message = (
        f"the requests ask for {total} devices of one node together, and no node has more than {most} that match: "
        f"{PENDING}"
    )
    request = max((a[0] for a in wanted), key=lambda choice: choice.least).request
    yield stock.world.found(facts, TOO_FEW, (*request.path, "count"), message, f"ask for at most {most} together")


def _most(stock: Supply, node: str, wanted: list[list[Choice]]) -> int:
    return len({item.identity for a in wanted for choice in a for item in stock.on(choice.items, node)})


def _no_common_node(stock: Supply, facts: Facts, wanted: list[list[Choice]]) -> Found:
    said = []
    for alternatives in wanted:
        there = [node for node in stock.stock.nodes if fits(stock, node, [alternatives])]
        request = alternatives[0].request
        said.append(f"those of {quoted(request.parent or request.name)} are on {', '.join(there[:4]) or 'none'}")
    request = min(
        (a[0] for a in wanted), key=lambda c: sum(fits(stock, node, [[c]]) for node in stock.stock.nodes)
    ).request
    path = request.selectors[0].path if request.selectors else (*request.path, "deviceClassName")
    message = f"no node has devices for all requests: {'; '.join(said)}; {PENDING}"
    hint = "a claim gets all its devices on one node: use a claim for each, or ask for what one node has"
    return stock.world.found(facts, NO_NODE, path, message, hint)


def pods(stock: Supply, choices: dict[tuple[str, int, Path], list[list[Choice]]]) -> Iterator[Found]:
    """Yield Pods whose claims each find devices, but not all on one node, or not on the node that the Pod wants."""
    for facts, _, pod in stock.world.workloads():
        wanted: list[list[Choice]] = []
        constraints: list[tuple[Constraint, ...]] = []
        targets: list[Facts] = []
        for entry in pod.entries:
            found = _only(stock.world, facts, entry)
            known = None if found is None else choices.get((found.file, found.document, found.path))
            if found is None or known is None or not isinstance(found.body, Claim):
                break
            wanted += known
            constraints.append(found.body.constraints)
            targets.append(found)
        else:
            if wanted:
                yield from _pod(stock, facts, pod, targets, wanted)


def _only(world: World, facts: Facts, entry: Entry) -> Facts | None:
    targets = world.target(facts, entry)
    return targets[0] if len(targets) == 1 else None


def _pod(
    stock: Supply, facts: Facts, pod: PodSpec, targets: list[Facts], wanted: list[list[Choice]]
) -> Iterator[Found]:
    fitting = [node for node in stock.stock.nodes if fits(stock, node, wanted)]
    if not fitting and len(targets) > 1:
        total = sum(min(choice.least for choice in alternatives) for alternatives in wanted)
        most = max(_most(stock, node, wanted) for node in stock.stock.nodes)
        message = (
            f"the claims of the Pod ask for {total} devices of one node together, and no node has more than {most} "
            "that match: the Pod stays Pending (`cannot allocate all claims`)"
        )
        elsewhere = [Elsewhere(f"the {target.kind} {quoted(target.name)}", target, NAME) for target in targets]
        path = (*pod.path, "resourceClaims")
        yield stock.world.found(facts, NO_NODE, path, message, None, *elsewhere, target="key")
    host = pod.host
    if fitting and host is not None and ANYWHERE not in fitting and host not in fitting and not is_open(host):
        if not stock.stock.whole or any(item.node == ANYWHERE for a in wanted for c in a for item in c.items):
            return
        message = (
            f"the Pod wants the node {host}, and the devices that match are on {', '.join(fitting[:5])}: the Pod stays "
            "Pending (`cannot allocate all claims`)"
        )
        path = (*pod.path, "nodeSelector", "kubernetes.io/hostname")
        yield stock.world.found(facts, NO_NODE, path, message, f"choose one of {', '.join(fitting[:5])}")
