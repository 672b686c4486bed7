"""Words reasons in one sentence, and in a block of a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.words import plural, some_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.simulate.scheduler import Filtered

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

_SHOWN, _HOLDERS = 6, 3
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
    parts = [f"{fact['class']} of {_count(fact['devices'], 'device')} {_verb(fact['class'], 'pass')} the class"]
    if fact["class"]:
        parts.append(f"{len(fact['selected'])} match")
    if fact["inUse"]:
        parts.append(f"{len(fact['inUse'])} in use")
    if fact["tainted"]:
        parts.append(f"{len(fact['tainted'])} tainted")
    return f"{key}: {', '.join(parts)}; wants {'all' if wanted == 'All' else wanted}"


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
        driver, _, rest = nearest["device"].partition("/")
        pool_name, _, device = rest.rpartition("/")
        lacks = [lack["text"] + _held(lack.get("holders") or ()) for lack in nearest["lacks"]]
        yield f"  nearest: {device} of pool {pool_name} ({driver}): {lacks[0]}"
        for text in lacks[1:]:
            yield f"           and {text}"
    causes = _telling(why["causes"])
    if causes:
        yield "  would fit if " + ", or if ".join(WITHOUT[cause] for cause in causes)
    elif why["undecided"]:
        yield "  dralint did not find in time which limit prevents it"
    elif not one.error and any(fact["devices"] for fact in why["requests"].values()):
        yield f"  {TOGETHER}"


def headline(one: Filtered, why: Mapping[str, Any]) -> str:
    """Return the problem in a few words."""
    if not one.decided:
        return f"not decided: {one.undecided}"
    if one.error:
        return f"the scheduler gives up with an error: {one.error}"
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
    if "CEL compile error" in text:
        return "the selector does not compile: `dralint check` shows where"
    if "currently being updated" in text:
        return "mode All waits until every pool of the node is complete, also those of other drivers"
    if "currently invalid" in text:
        return "mode All fails as long as a pool of the node is invalid, also one of another driver"
    if "claim constraint would not be satisfied" in text:
        return "with mode All every device is taken, so a constraint that one of them breaks can never be met"
    return ""


def _counts(key: str, fact: Mapping[str, Any], why: Mapping[str, Any], *, named: bool) -> Iterator[str]:
    numbers = [fact["devices"], fact["class"], len(fact["selected"]), len(available(fact))]
    width = len(str(max(numbers))) + 1
    usable = sum(pool["state"] == "ok" for pool in why["pools"])
    if named:
        yield f"  {key}"
    yield f"  {numbers[0]:>{width}} {_plural(numbers[0], 'device')} on the node ({_count(usable, 'pool')})"
    if not numbers[0]:
        return
    yield f"  {numbers[1]:>{width}} {_verb(numbers[1], 'pass')} the class"
    if numbers[1]:
        yield f"  {numbers[2]:>{width}} {_verb(numbers[2], 'pass')} the selectors of the request"
    if fact["inUse"] or fact["tainted"]:
        free = available(fact)
        shown = f": {_names(free)}" if free else ""
        yield f"  {numbers[3]:>{width}} {'is' if numbers[3] == 1 else 'are'} free and not tainted{shown}"


def _values(found: Mapping[str, Any]) -> Iterator[str]:
    for key, values in found["values"].items():
        shown = [f"{value or '(without it)'} ×{number}" for value, number in values.items()]
        yield f"  {key}: {some_of(shown, _SHOWN) or 'no free device'}"
    if found["hint"]:
        yield f"  {found['hint']}"


def _held(holders: Sequence[str]) -> str:
    more = " claims" if len(holders) > _HOLDERS else ""
    return f", the rest is given to {some_of(holders, _HOLDERS)}{more}" if holders else ""


def _names(devices: Sequence[str]) -> str:
    return some_of([name.rpartition("/")[2] for name in devices], _SHOWN)


def _count(number: int, noun: str) -> str:
    return f"{number} {_plural(number, noun)}"


def _plural(number: int, noun: str) -> str:
    return noun if number == 1 else plural(noun)


def _verb(number: int, verb: str) -> str:
    return plural(verb) if number == 1 else verb
