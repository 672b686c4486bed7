"""Writes answers as text: the verdict in one line, a table of the nodes, and the reasons in sentences."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.words import counted, some_of
from dralint.records import grouped
from dralint.simulate.cluster import results_in
from dralint.simulate.evictions import FIXED_ALLOCATION
from dralint.simulate.inventory import DeviceId
from dralint.simulate.reasons import trouble
from dralint.simulate.scheduler import CANNOT_ALLOCATE, Filtered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.simulate.answers import Answer, Replicas

    Words = str | tuple[str, str]
    Part = Words | list[list[Words]]
    """A paragraph, or the rows of a table; the second of a pair names its colour."""


WITHOUT = {
    "taints": "the taints did not exist",
    "allocated": "nothing were in use",
    "constraints": "there were no constraints",
    "counters": "the devices shared no counters",
    "capacity": "capacity did not matter",
    "requestSelectors": "the requests had no selectors",
    "classSelectors": "the classes had no selectors",
    "count": "every request wanted one device",
}
"""Cause → what would have to be different."""

_KEPT = "; the scheduler ends no Pod for its devices, whatever the priority"
_MOST_NAMES, _MOST_HOLDERS = 6, 3
TOGETHER = "several limits together prevent it: no single one explains it"


def sentence(one: Filtered, why: Mapping[str, Any] | None) -> str:
    """Return why a node does not fit, in one sentence without its name."""
    if not one.decided:
        return f"not decided: {one.undecided}"
    if one.error:
        return one.error
    if why is None:
        said = one.detail or "; ".join(one.reasons)
        return f"{said}; its devices would do" if one.devices_fit else said
    broken = [pool for pool in why["pools"] if pool["state"] in ("incomplete", "invalid", "obsolete")]
    short = [line for key, fact in why["requests"].items() if (line := shortage(key, fact))]
    if short and not (broken and any(not fact["devices"] for fact in why["requests"].values())):
        return "; ".join(short[:2])
    if broken:
        return "; ".join(pool_state(pool) for pool in broken[:2])
    if why["constraint"] is not None:
        found = why["constraint"]
        if found["hint"]:
            return f"{found['kind']} {found['attribute']}: {found['hint']}"
        return f"together: {found['kind']} {found['attribute']} leaves no combination"
    lacks = (why["nearest"] or {}).get("lacks")
    if lacks:
        return f"{why['nearest']['request']}: {lacks[0]['text']}"
    too_many = together(why)
    if too_many:
        return too_many
    telling = _telling(why["causes"])
    if telling:
        return f"together: would fit if {WITHOUT[telling[0]]}"
    return "; ".join(one.reasons)


def _telling(causes: Sequence[str]) -> list[str]:
    """Return the causes without those that are true of nearly every failure, where there are others."""
    telling = [cause for cause in causes if cause not in ("classSelectors", "count")]
    return telling or [cause for cause in causes if cause == "count"] or list(causes)


def shortage(key: str, fact: Mapping[str, Any]) -> str:
    """Return what a request lacks; empty where it has enough devices alone."""
    free = available(fact)
    wanted = fact["wanted"]
    if wanted != "All" and len(free) >= wanted:
        return ""
    if wanted == "All" and fact["selected"] and len(free) == len(fact["selected"]):
        return ""
    if not fact["devices"]:
        return f"{key}: the node has no devices"
    numbers = {
        f"{fact['class']} of {counted(fact['devices'], 'device')} {_pass(fact['class'])} the class": True,
        f"{len(fact['selected'])} match": fact["class"],
        f"{len(fact['inUse'])} in use": fact["inUse"],
        f"{len(fact['tainted'])} tainted": fact["tainted"],
    }
    said = ", ".join(text for text, is_said in numbers.items() if is_said)
    return f"{key}: {said}; wants {'all' if wanted == 'All' else wanted}"


def together(why: Mapping[str, Any]) -> str:
    """Return how many devices the requests want, where that is more than all of them have; empty otherwise."""
    requests = why["requests"]
    if {"capacity", "counters"} & set(why["causes"]):
        return ""
    numbers = [fact["wanted"] for fact in requests.values()]
    if len(numbers) < 2 or "All" in numbers or any(key.count("/") > 1 for key in requests):
        return ""
    free = {name for fact in requests.values() for name in available(fact)}
    if sum(numbers) <= len(free):
        return ""
    return f"the requests need {sum(numbers)} devices together, {len(free)} {'is' if len(free) == 1 else 'are'} free"


def available(fact: Mapping[str, Any]) -> list[str]:
    """Return the devices selected that are neither in use nor tainted."""
    held = {*fact["inUse"], *fact["tainted"]}
    return [name for name in fact["selected"] if name not in held]


def pool_state(pool: Mapping[str, Any]) -> str:
    """Return what is wrong with a pool."""
    name = pool["pool"]
    if pool["state"] == "incomplete":
        return f"pool {name} is incomplete: {pool['slices']} of {pool['of']} slices are there"
    if pool["state"] == "invalid":
        return f"pool {name} is invalid: {pool['reason']}"
    return f"pool {name} is ignored: it has a newer generation"


def block(one: Filtered, why: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that explain one node, the first as a headline without the node's name."""
    yield headline(one, why)
    short = [(key, fact) for key, fact in why["requests"].items() if shortage(key, fact)]
    for key, fact in short:
        yield from _counts(key, fact, why, named=len(why["requests"]) > 1)
    for pool in why["pools"]:
        if pool["state"] != "ok":
            yield f"  {pool_state(pool)}"
    if why["constraint"] is not None:
        yield from _values(why["constraint"])
    nearest = why["nearest"]
    if nearest is not None and why["constraint"] is None:
        driver, pool_name, device = DeviceId.parse(nearest["device"])
        lacks = [lack["text"] + _held(lack.get("holders") or ()) for lack in nearest["lacks"]]
        yield f"  nearest: {device} of pool {pool_name} ({driver}): {lacks[0]}"
        for text in lacks[1:]:
            yield f"           and {text}"
    causes = _telling(why["causes"])
    if causes:
        yield (
            "  would fit if " + ", or if ".join(WITHOUT[cause] for cause in causes) + _KEPT * (causes == ["allocated"])
        )
    elif why["undecided"]:
        yield "  dralint did not find in time which limit prevents it"
    elif any(fact["devices"] for fact in why["requests"].values()):
        yield f"  {TOGETHER}"


def headline(one: Filtered, why: Mapping[str, Any]) -> str:
    """Return the problem in a few words."""
    if not one.decided:
        return f"not decided: {one.undecided}"
    for key, fact in why["requests"].items():
        if shortage(key, fact):
            if not fact["devices"]:
                broken = any(pool["state"] in ("incomplete", "invalid") for pool in why["pools"])
                return "no device of the node can be used" if broken else "the node has no devices"
            if fact["wanted"] == "All":
                return f"request {key} needs all devices that match, but cannot get them"
            return f"not enough devices for request {key}, which wants {fact['wanted']}"
    if why["constraint"] is not None:
        found = why["constraint"]
        return f"each request finds devices, the constraint {found['kind']} {found['attribute']} does not"
    if "counters" in why["causes"]:
        return "each request finds devices, but their counters do not suffice for all of them"
    if "capacity" in why["causes"]:
        return "each request finds devices, but not the capacity that it requests"
    too_many = together(why)
    return f"each request alone finds devices, but {too_many or 'not all of them together'}"


def advice(text: str) -> str:
    """Return what to do about an error of the scheduler; empty where unknown."""
    if "no such key" in text:
        key = text.partition("no such key: ")[2].partition(".")[0].split()[0] if "no such key: " in text else "name"
        return (
            f"a selector reads {key} of devices that lack it: write .?{key}.orValue(...) with a value that does not"
            f" match, or put has(...{key}) && before it"
        )
    return next((said for part, said in _ADVICE.items() if part in text), "")


_ADVICE = {
    "CEL compile error": "the selector does not compile: `dralint check` shows where",
    "currently being updated": "mode All waits until every pool of the node is complete, also those of other drivers",
    "currently invalid": "mode All fails as long as a pool of the node is invalid, also one of another driver",
    "claim constraint would not be satisfied": (
        "with mode All every device is taken, so a constraint that one of them breaks can never be met"
    ),
}
"""A part of an error of the scheduler → what to do about it."""


def _counts(key: str, fact: Mapping[str, Any], why: Mapping[str, Any], *, named: bool) -> Iterator[str]:
    numbers = [fact["devices"], fact["class"], len(fact["selected"]), len(available(fact))]
    width = len(str(max(numbers))) + 1
    usable = sum(pool["state"] == "ok" for pool in why["pools"])
    if named:
        yield f"  {key}"
    yield f"  {numbers[0]:>{width}} device{'' if numbers[0] == 1 else 's'} on the node ({counted(usable, 'pool')})"
    if not numbers[0]:
        return
    yield f"  {numbers[1]:>{width}} {_pass(numbers[1])} the class"
    if numbers[1]:
        yield f"  {numbers[2]:>{width}} {_pass(numbers[2])} the selectors of the request"
    if fact["inUse"] or fact["tainted"]:
        free = available(fact)
        shown = f": {_names(free)}" if free else ""
        yield f"  {numbers[3]:>{width}} {'is' if numbers[3] == 1 else 'are'} free and not tainted{shown}"


def _values(found: Mapping[str, Any]) -> Iterator[str]:
    for key, values in found["values"].items():
        shown = [f"{value or '(without it)'} ×{number}" for value, number in values.items()]
        yield f"  {key}: {some_of(shown, _MOST_NAMES) or 'no free device'}"
    if found["hint"]:
        yield f"  {found['hint']}"


def _held(holders: Sequence[str]) -> str:
    more = " claims" if len(holders) > _MOST_HOLDERS else ""
    return f", the rest is given to {some_of(holders, _MOST_HOLDERS)}{more}" if holders else ""


def _names(devices: Sequence[str]) -> str:
    return some_of([name.rpartition("/")[2] for name in devices], _MOST_NAMES)


def _pass(number: int) -> str:
    return "passes" if number == 1 else "pass"


_ROWS, _SHOWN, _ERRORS, _REASONS = 20, 10, 5, 3
_NEXT = ", the next does not"
_HOLDERS = re.compile(r"(?<=in use by claim ).*|(?<=the rest is given to ).*")
_COLOURS = {"yes": "good", "no": "error", "error": "error", "?": "warning"}


def parts(answers: Sequence[Answer], release: str, *, pending: bool = False) -> Iterator[Part]:
    """Yield the paragraphs and tables of the answers; pending Pods with the same reasons share theirs."""
    if pending and not answers:
        yield "no Pod with claims waits for a node"
    for number, members in enumerate(_groups(answers, pending=pending)):
        if number:
            yield ""
        first, together = members[0], len(members) > 1 and not pending
        claims = ", ".join(_short(name, first) for name in first.claims)
        which = f" (claim{'s' if len(first.claims) != 1 else ''} {claims})" if claims else ""
        name = _pods(members) if pending or together else f"{first.id}{which}"
        said = verdict(first)
        if together and first.eviction is not None:
            said = f"are evicted {first.eviction.when}: {first.eviction.shared}"
        yield (f"{name}, Kubernetes {release}: {said}", "bold")
        if first.like and not pending:
            yield f"  as {first.like}"
        elif not together:
            yield from _body(first)


def _groups(answers: Sequence[Answer], *, pending: bool) -> list[list[Answer]]:
    """Return the answers that are shown together: Pods that a taint evicts, or pending ones with the same reasons."""
    groups: dict[object, list[Answer]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    for number, answer in enumerate(answers):
        key: object = number
        if pending:
            key = keys[answer.id] = keys.get(answer.like) or _alike(answer)
        elif answer.eviction is not None:
            key = (answer.eviction.when, answer.eviction.shared)
        groups.setdefault(key, []).append(answer)
    return list(groups.values())


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
    if answer.spared:
        return f"is not evicted by {answer.spared}"
    if answer.out_of_scope:
        return f"not decided: {', '.join(answer.not_simulated)} (not simulated)"
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
    if answer.refused and not answer.unsure:
        yield f"  the {'server' if answer.by_server else 'scheduler'} says: {answer.refused}"
    if answer.advice:
        yield f"  {answer.advice}"
    if answer.refused:
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
    yield from (f"  it meets a fault: {fault}" for fault in answer.met)
    if answer.not_simulated and not answer.out_of_scope:
        yield f"  not simulated: {', '.join(answer.not_simulated)}"
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
    leads = {"error": "the scheduler says:", "waits": "the Pod"}
    told = ((f"{leads.get(each.kind, 'the Pod is')} {each.text}", node) for node, each in answer.outcomes.items())
    everywhere = [answer.placed] if answer.placed is not None else answer.fits
    for said, nodes in grouped(told).items():
        yield f"  {said}" if nodes == everywhere else f"  on {_nodes(nodes)}: {said}"
    if answer.outcome is not None and answer.outcome.kind == "error" and FIXED_ALLOCATION in answer.outcome.text:
        yield "    a scheduler before 1.36 allocated the claim, without a time: no other Pod can use it; delete it"


def event(answer: Answer) -> str:
    """Return the event that users see where a Pod fits on no node; empty otherwise."""
    if answer.says:
        return answer.says
    if answer.fits or answer.answer in ("error", "undecided", "waits") or not answer.nodes:
        return ""
    times = Counter(reason for one in answer.nodes for reason in one.reasons or [CANNOT_ALLOCATE])
    texts = ", ".join(sorted(f"{number} {reason}" for reason, number in times.items()))
    total = len(answer.nodes)
    return f"0/{total} nodes are available: {texts}." + (f" {answer.after}" if answer.after else "")


def _errors(answer: Answer) -> Iterator[str]:
    groups: dict[str, list[Filtered]] = {}
    for one in answer.nodes:
        if one.error and one.decided:
            device = str(one.cause.device.id) if one.cause is not None and one.cause.device is not None else "\0"
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
    many = len(nodes) > _ROWS
    groups = grouped((("" if many else one.node.name, _fits(one), _cell(one, answer)), one) for one in others)
    shown = [[one] for one in (fitting[:_SHOWN] if many else fitting)]
    left = len(fitting) - len(shown)
    shown += list(groups.values())[: _SHOWN if many else None]
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
        results = results_in(allocation)
        by_request = grouped(((result["request"], result["pool"]), _device(result)) for result in results)
        parts += [f"{name}/{request}: {', '.join(devices)} ({pool})" for (request, pool), devices in by_request.items()]
    return "; ".join(parts) or "no device needed"


def _device(result: Mapping[str, Any]) -> str:
    """Return how a table names a device of an allocation, with the share of it."""
    taken = ", ".join(f"{name} {amount}" for name, amount in result.get("consumedCapacity", {}).items())
    return f"{result['device']}{f' [{taken}]' * bool(taken)}{' [admin]' * ('adminAccess' in result)}"


def _blocks(nodes: Sequence[Filtered], why: dict[str, dict[str, Any]]) -> Iterator[str]:
    told = [one for one in nodes if one.node.name in why and not one.error]
    groups = grouped((_reason(one, why[one.node.name]), one) for one in told)
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


def _reason(one: Filtered, why: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the lines on a node without its name, which is also in its pools, and without who has its devices."""
    return tuple(_HOLDERS.sub("", line.replace(one.node.name, "\0")) for line in block(one, why))


def _numbers(by_node: Mapping[str, int]) -> Iterator[str]:
    """Yield how many Pods each node gets; nodes with the same number share a line."""
    for number, names in sorted(grouped((number, name) for name, number in by_node.items()).items(), reverse=True):
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
