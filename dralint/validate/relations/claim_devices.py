"""Checks how many devices a claim requests: more than allowed, or alternatives and constraints without an effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.rule_ids import CONSTRAINT_OVER_ONE_DEVICE, SINGLE_ALTERNATIVE, TOO_MANY_DEVICES
from dralint.finding.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.finding.path import Link
    from dralint.validate.context import Context


class _Part:
    """A request, or one alternative of it: `request` is the name of the request, `number` None for all devices."""

    __slots__ = ("data", "link", "name", "number", "request")

    def __init__(self, link: Link, request: str, name: str, data: dict[str, Any]) -> None:
        exact = data.get("allocationMode") in (None, "", "ExactCount")
        self.link = link
        self.request = request
        self.name = name
        self.number: int | None = data.get("count") or 1 if exact else None
        self.data = data


def devices(value: dict[str, Any], link: Link, context: Context) -> None:
    """Report the problems of the numbers of devices in a claim."""
    requests = value.get("requests") or ()
    parts = list(_parts(requests, (link, "requests")))
    for position, request in enumerate(requests):
        alternatives: Any = (request or {}).get("firstAvailable") or ()
        if len(alternatives) == 1 and request.get("name") and (alternatives[0] or {}).get("name"):
            message = (
                f"firstAvailable of the request {quoted(request['name'])} has one entry: there is nothing to choose "
                "from"
            )
            here: Link = (((link, "requests"), position), "firstAvailable")
            hint = "write it as `exactly`, or add another alternative"
            context.add(SINGLE_ALTERNATIVE, here, None, message, hint, target="key")
    if all(request and request.get("name") for request in requests):
        most = context.limits.limit("DeviceAllocationResult", "results", "maxItems")
        if sum(part.number or 1 for part in parts) > most:
            _too_many(parts, most, context)
        if value.get("constraints"):
            _constraints(value["constraints"], (link, "constraints"), parts, context)


def _parts(requests: Any, link: Link) -> Iterator[_Part]:
    for position, request in enumerate(requests):
        name, here = (request or {}).get("name"), (link, position)
        if not name:
            continue
        alternatives = request.get("firstAvailable")
        if alternatives:
            for number, alternative in enumerate(alternatives):
                if own := (alternative or {}).get("name"):
                    place = ((here, "firstAvailable"), number)
                    yield _Part(place, name, f"{name}/{own}", alternative)
        elif request.get("exactly") is not None:
            yield _Part((here, "exactly"), name, name, request["exactly"])
        else:
            yield _Part(here, name, name, request)


def _too_many(parts: list[_Part], most: int, context: Context) -> None:
    """Report that the requests of a claim together need more devices than one claim may have."""
    requests = len({part.request for part in parts})
    if requests > context.limit("DeviceClaim", "requests", "maxItems"):
        return  # already refused for that
    if (context.root.get("status") or {}).get("allocation"):
        return
    least: dict[str, tuple[int, Link]] = {}
    for part in parts:
        if part.data.get("deviceClassName"):
            count = part.number or 1
            known, link = least.get(part.request, (count, part.link))
            least[part.request] = min(known, count), link
    total = 0
    for count, link in least.values():
        total += count
        if total > most:
            everything = sum(count for count, _ in least.values())
            message = (
                f"the requests need {everything} devices together, and a claim gets at most {most}: Pods that "
                "use it stay Pending (FailedScheduling says `exceeds the claim limit`)"
            )
            context.add(TOO_MANY_DEVICES, (link, "count"), None, message, "spread the requests over several claims")
            return


def _constraints(constraints: list[dict[str, Any] | None], link: Link, parts: list[_Part], context: Context) -> None:
    """Report constraints on a single device, which any device with the attribute meets."""
    entries = (entry or {} for part in parts for entry in part.data.get("derivedAttributes") or ())
    derived = {entry.get("name") for entry in entries}
    named: dict[str, list[_Part]] = {}
    for part in parts:
        for name in {part.name, part.request}:
            named.setdefault(name, []).append(part)
    whole = _is_one_device(parts)
    for position, constraint in enumerate(constraints):
        names = (constraint or {}).get("requests")
        covered = [part for name in dict.fromkeys(names) for part in named.get(name, ())] if names else []
        if constraint and (_is_one_device(covered) if names else whole):
            _over_one_device(constraint, (link, position), derived, context)


def _is_one_device(parts: list[_Part]) -> bool:
    most: dict[str, int] = {}
    for part in parts:
        if part.number is None:
            return False  # all devices
        most[part.request] = max(most.get(part.request, 0), part.number)
    return sum(most.values()) == 1


def _over_one_device(constraint: dict[str, Any], link: Link, derived: set[str | None], context: Context) -> None:
    for key in ("matchAttribute", "distinctAttribute"):
        attribute = constraint.get(key) or ""
        if "/" in attribute and attribute not in derived:
            message = (
                "the constraint covers a single device, so there is nothing to compare; it only requires the attribute"
            )
            hint = (
                "name several requests, or remove `requests` to cover the whole claim, or test the attribute in a "
                "selector"
            )
            context.add(CONSTRAINT_OVER_ONE_DEVICE, (link, key), None, message, hint)
