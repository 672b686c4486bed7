"""Writes answers as text: the verdict in one line, a table of the nodes, and a block for each distinct reason."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.words import some_of
from dralint.simulate.evictions import FIXED_ALLOCATION
from dralint.simulate.reasons import trouble
from dralint.simulate.scheduler import CANNOT_ALLOCATE, Filtered
from dralint.simulate.sentences import advice, block, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.simulate.answers import Answer, Replicas

    Words = str | tuple[str, str]
    Part = Words | list[list[Words]]
    """A paragraph, or the rows of a table; the second of a pair names its colour."""

_ROWS, _SHOWN, _ERRORS, _REASONS = 20, 10, 5, 3
_NEXT = ", the next does not"
_HOLDERS = re.compile(r"(?<=in use by claim ).*|(?<=the rest is given to ).*")
_COLOURS = {"yes": "good", "no": "error", "error": "error", "?": "warning"}


def parts(answers: Sequence[Answer], release: str) -> Iterator[Part]:
    """Yield the paragraphs and tables of the answers."""
    evicted: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        if answer.eviction is not None:
            evicted.setdefault((answer.eviction.when, answer.eviction.shared), []).append(answer)
    for number, answer in enumerate(answers):
        together = (
            evicted.get((answer.eviction.when, answer.eviction.shared), []) if answer.eviction is not None else []
        )
        if together and together[0] is not answer:
            continue
        if number:
            yield ""
        if len(together) > 1 and answer.eviction is not None:
            what = f"are evicted {answer.eviction.when}: {answer.eviction.shared}"
            yield (f"{_pods(together)}, Kubernetes {release}: {what}", "bold")
            continue
        claims = ", ".join(_short(name, answer) for name in answer.claims)
        which = f" (claim{'s' if len(answer.claims) != 1 else ''} {claims})" if claims else ""
        yield (f"{answer.id}{which}, Kubernetes {release}: {verdict(answer)}", "bold")
        if answer.like:
            yield f"  as {answer.like}"
        else:
            yield from _body(answer)


def pending_parts(answers: Sequence[Answer], release: str) -> Iterator[Part]:
    """Yield the paragraphs and tables for pending Pods; Pods with the same reasons share theirs."""
    if not answers:
        yield "no Pod with claims waits for a node"
    groups: dict[tuple[str, ...], list[Answer]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for answer in answers:
        key = keys.get(answer.like) or _alike(answer)
        keys.setdefault(answer.id, key)
        groups.setdefault(key, []).append(answer)
    for position, members in enumerate(groups.values()):
        if position:
            yield ""
        yield (f"{_pods(members)}, Kubernetes {release}: {verdict(members[0])}", "bold")
        yield from _body(members[0])


def _pods(members: Sequence[Answer]) -> str:
    names = some_of([member.id.removeprefix("pod ") for member in members], _SHOWN)
    return f"{'pod' if len(members) == 1 else f'{len(members)} pods'} {names}"


def _alike(answer: Answer) -> tuple[str, ...]:
    """Return the lines of an answer without the names of the Pod and of the claims generated for it."""
    metadata = answer.pod.get("metadata") or {}
    pod, namespace = str(metadata.get("name")), str(metadata.get("namespace"))
    own = [name for full in answer.claims if (name := _short(full, answer)).startswith(f"{pod}-")]
    names = [*sorted(own, key=len, reverse=True), f"{namespace}/{pod}"]
    found = []
    for line in map(str, (verdict(answer), *_body(answer))):
        for number, name in enumerate(names):
            if name in line:
                line = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", f"<{number}>", line)
        found.append(line)
    return tuple(found)


def verdict(answer: Answer) -> str:
    """Return the verdict in a few words."""
    total, fits = len(answer.nodes), len(answer.fits)
    many = answer.replicas
    if answer.unsure:
        return f"not decided: {answer.refused}"
    if answer.refused and (many is None or many.stuck == many.wanted):
        return "the API server refuses it" if answer.by_server else "is not tried on any node"
    if answer.no_scheduling_needed:
        return answer.no_scheduling_needed
    if answer.gated:
        return "waits"
    if answer.eviction is not None:
        return f"is {answer.eviction.text}"
    if many is not None:
        said = _some_run(many)
        return said.removesuffix(_NEXT) if answer.pinned else said
    outcome = answer.outcome
    if outcome is not None and outcome.kind != "error":
        where = answer.placed or (answer.fits[0] if len(answer.fits) == 1 else f"any of {len(answer.fits)} nodes")
        return f"{'waits on' if outcome.kind == 'waits' else 'does not stay on'} {where}"
    if outcome is not None:
        return "the scheduler chooses a node, and cannot bind the Pod"
    if answer.placed is not None:
        return f"goes to node {answer.placed}"
    if answer.answer == "error":
        on = [one.node.name for one in answer.nodes if one.error]
        where = f" (on {_nodes(on)})" if on else ""
        return f"the scheduler gives up with an error{where}" + (
            f", although {fits} of {total} nodes fit" if fits else ""
        )
    if answer.answer == "undecided":
        return "not decided: " + next(one.undecided for one in answer.nodes if one.undecided)
    if not total:
        return "there are no nodes to try"
    if answer.answer == "all":
        return f"fits on {answer.fits[0]}" if total == 1 else f"fits on all {total} nodes"
    if total == 1:
        return f"does not fit on {answer.nodes[0].node.name}"
    return f"fits on {fits or 'none'} of {total} nodes"


def _some_run(many: Replicas) -> str:
    """Return how many Pods of a workload run."""
    runs = many.wanted - many.stuck
    own = f", {many.running} of them run{'s' if many.running == 1 else ''} already" if many.running else ""
    if not many.stuck:
        return f"all {many.wanted} Pods fit{own}" if many.wanted > 1 else "its Pod fits"
    if many.wanted == 1:
        return "its Pod does not fit"
    if not runs:
        return f"none of {many.wanted} Pods fits"
    return f"{runs} of {many.wanted} Pods fit{'s' if runs == 1 else ''}{own}{_NEXT}"


def _body(answer: Answer) -> Iterator[Part]:
    many = answer.replicas
    if many is not None:
        yield from _numbers(many.placed)
        if many.ended:
            yield f"  {many.ended} live {'Pods end' if many.ended > 1 else 'Pod ends'} before"
    if answer.gated:
        yield f"  {answer.gated}"
    if answer.refused:
        if not answer.unsure:
            yield f"  the {'server' if answer.by_server else 'scheduler'} says: {answer.refused}"
        if answer.advice:
            yield f"  {answer.advice}"
        return
    if answer.error:
        yield f"  the scheduler says: {answer.error}"
        if "timed out" in answer.error:
            yield "    its search there takes more than 10 s, finds nothing, and keeps it from using any other node:"
            yield "    keep the Pod from that node (nodeSelector), or request fewer devices under one constraint"
    yield from _errors(answer)
    for name in answer.before:
        yield f"claim {_short(name, answer)}: allocated before"
    for name in answer.given_up:
        yield f"claim {_short(name, answer)}: the scheduler gives up its allocation, which is for other nodes"
    yield from _outcomes(answer)
    for fault in answer.faults:
        yield f"  a fault of the release decides this: {fault}"
    if answer.unread:
        yield f"  not simulated: {', '.join(answer.unread)}"
    if answer.nodes and not (many is not None and many.wanted > 1 and not many.stuck):
        yield ""
        yield from _nodes_table(answer)
    if answer.several:
        yield f"on {_nodes(answer.several)} this release leaves the order of pools open: other devices are possible"
    yield from _blocks(answer.pinned or answer.nodes, answer.why)
    if answer.headroom is not None:
        yield from _how_many(answer)
    said = event(answer)
    if said:
        yield ""
        yield f"the Pod's event will say: {said}"


def _outcomes(answer: Answer) -> Iterator[str]:
    """Yield what happens to the Pod on the nodes where it does not simply run."""
    groups: dict[str, list[str]] = {}
    for node, outcome in answer.outcomes.items():
        lead = {"error": "the scheduler says:", "waits": "the Pod"}.get(outcome.kind, "the Pod is")
        groups.setdefault(f"{lead} {outcome.text}", []).append(node)
    everywhere = [answer.placed] if answer.placed is not None else answer.fits
    for said, nodes in groups.items():
        yield f"  {said}" if nodes == everywhere else f"  on {_nodes(nodes)}: {said}"
    if answer.outcome is not None and answer.outcome.kind == "error" and FIXED_ALLOCATION in answer.outcome.text:
        yield "    a scheduler before 1.36 allocated the claim, without a time: no other Pod can use it; delete it"


def event(answer: Answer) -> str:
    """Return the event that users see where a Pod fits on no node; empty otherwise."""
    if answer.fits or answer.answer in ("error", "undecided", "waits") or not answer.nodes:
        return ""
    counted = Counter(reason for one in answer.nodes for reason in one.reasons or [CANNOT_ALLOCATE])
    texts = ", ".join(sorted(f"{number} {reason}" for reason, number in counted.items()))
    total = len(answer.nodes)
    return f"0/{total} nodes are available: {texts}." + (f" {answer.after}" if answer.after else "")


def _errors(answer: Answer) -> Iterator[str]:
    groups: dict[str, list[Filtered]] = {}
    for one in answer.nodes:
        if one.error and one.decided:
            cause = one.outcome.cause if one.outcome is not None else None
            device = str(cause.device.id) if cause is not None and cause.device is not None else "\0"
            groups.setdefault(one.error.replace(device, ""), []).append(one)
    for members in list(groups.values())[:_ERRORS]:
        yield f"  the scheduler says on {_nodes([one.node.name for one in members])}: {members[0].error}"
        notes = trouble(members[0])
        hint = advice(members[0].error)
        if hint and not any("did you mean" in text for text in notes):
            notes.append(hint)
        for text in notes:
            yield f"    {text}"
    if len(groups) > _ERRORS:
        yield f"  and {len(groups) - _ERRORS} more errors"


def _nodes_table(answer: Answer) -> Iterator[Part]:
    nodes = answer.pinned or answer.nodes
    fitting = [one for one in nodes if one.fits]
    others = [one for one in nodes if not one.fits]
    groups: dict[tuple[str, str, str], list[Filtered]] = {}
    for one in others:
        alone = "" if len(nodes) > _ROWS else one.node.name
        groups.setdefault((alone, _fits(one), _cell(one, answer)), []).append(one)
    shown = [[one] for one in (fitting[:_SHOWN] if len(nodes) > _ROWS else fitting)]
    left = len(fitting) - len(shown)
    shown += list(groups.values())[: _SHOWN if len(nodes) > _ROWS else None]
    rows: list[list[Words]] = [[("node", "bold"), ("fits", "bold"), ("devices", "bold")]]
    for members in shown:
        fits = _fits(members[0])
        names = _nodes([one.node.name for one in members])
        rows.append([names, (fits, _COLOURS[fits]), _cell(members[0], answer)])
    yield rows
    parts = {"that fit": left, "that do not": len(nodes) - left - sum(map(len, shown))}
    more = [f"{number} more {what}" for what, number in parts.items() if number]
    if more:
        yield f"and {', '.join(more)}"


def _fits(one: Filtered) -> str:
    if one.error and one.decided:
        return "error"
    return "yes" if one.fits else "no" if one.decided else "?"


def _cell(one: Filtered, answer: Answer) -> str:
    if one.error and one.decided:
        return "see above"
    if not one.fits:
        return sentence(one, answer.why.get(one.node.name))
    if not one.allocations:
        return "nothing to allocate"
    parts = []
    names = [_short(name, answer) for name in answer.claims[len(answer.before) :]]
    for name, allocation in zip(names, one.allocations, strict=False):
        by_request: dict[tuple[str, str], list[str]] = {}
        for result in (allocation.get("devices") or {}).get("results") or ():
            shared = "consumedCapacity" in result
            taken = ", ".join(f"{k} {v}" for k, v in result["consumedCapacity"].items()) if shared else ""
            device = result["device"] + (f" [{taken}]" if taken else "")
            device += " [admin]" if "adminAccess" in result else ""
            by_request.setdefault((result["request"], result["pool"]), []).append(device)
        parts += [f"{name}/{request}: {', '.join(devices)} ({pool})" for (request, pool), devices in by_request.items()]
    return "; ".join(parts) or "no device needed"


def _blocks(nodes: Sequence[Filtered], why: dict[str, dict[str, Any]]) -> Iterator[str]:
    groups: dict[tuple[str, ...], list[Filtered]] = {}
    for one in nodes:
        found = why.get(one.node.name)
        if found is None or one.error:
            continue
        # The names of the nodes, their own pools and who has their devices do not make a reason another one.
        lines = (line.replace(one.node.name, "\0") for line in block(one, found))
        key = tuple(_HOLDERS.sub("", line) for line in lines)
        groups.setdefault(key, []).append(one)
    shown = sorted(groups.values(), key=len, reverse=True)[:_REASONS]
    for members in shown:
        made = list(block(members[0], why[members[0].node.name]))
        yield ""
        yield f"{_nodes([one.node.name for one in members])}: {made[0]}"
        yield from made[1:]
    left = [one.node.name for members in groups.values() if members not in shown for one in members]
    if left:
        yield ""
        yield f"{_nodes(left)}: other reasons, which --node NAME and --format json show"


def _numbers(by_node: Mapping[str, int]) -> Iterator[str]:
    """Yield how many Pods each node gets; nodes with the same number share a line."""
    by_number: dict[int, list[str]] = {}
    for name, number in by_node.items():
        by_number.setdefault(number, []).append(name)
    for number, names in sorted(by_number.items(), reverse=True):
        yield f"  {number} on {_nodes(sorted(names))}"


def _how_many(answer: Answer) -> Iterator[str]:
    count = answer.headroom
    assert count is not None
    yield ""
    if count.unlimited:
        yield "any number of Pods like this one: they need no devices of their own"
        return
    more = "at least " if count.stopped else ""
    one = count.pods == 1
    yield f"{more}{count.pods} more Pod{'' if one else 's'} like this one fit{'s' if one else ''}"
    yield from _numbers(count.nodes)
    yield from (f"  {line}" for line in count.quotas)
    if count.refused:
        yield f"  then: {count.refused}"
    reasons = Counter(sentence(one, count.then.get(one.node.name)) for one in count.rest)
    if reasons and count.pods:
        yield "  then: " + "; ".join(
            f"{reason} ({number} node{'s' if number != 1 else ''})" for reason, number in reasons.most_common(3)
        )


def _nodes(names: Sequence[str]) -> str:
    if len(names) <= 3:
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return some_of(names, 2)


def _short(name: str, answer: Answer) -> str:
    namespace = ((answer.pod.get("metadata") or {}).get("namespace")) or "default"
    return name.removeprefix(f"{namespace}/")
