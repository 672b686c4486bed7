"""Checks what names requests of a claim: constraints, configurations, and the results of an allocation."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import at, path_of, replaced
from dralint.finding.rule_ids import DNS_LABEL, UNKNOWN_REQUEST
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label
from dralint.validate.declared_names import COMPARED, Requests

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.problem import Link
    from dralint.validate.context import Context
    from dralint.yaml import Path


_SHOWN = 10
_TEMPLATES = ("ResourceClaimTemplate",)


def requests_of(context: Context) -> Requests:
    """Return the requests of the judged claim or template."""
    if context.requests is None:
        path: Path = ("spec", "spec", "devices") if context.kind in _TEMPLATES else ("spec", "devices")
        claim: Any = context.root
        for name in path:
            claim = (claim or {}).get(name)
        context.requests = Requests(claim or {}, path)
    return context.requests


def reference(text: str, link: Link, context: Context, what: str, beside: Collection[str | None] = ()) -> None:
    """Report a reference to a missing request, or to one whose name is not allowed.

    `what` is the start of the message and names the referrer; `beside` are the other references of the list, which
    cannot be the repair.
    """
    requests, alternatives = requests_of(context), "prioritized-list" in context.does
    parts = text.split("/") if alternatives else [text]
    if not requests.known(text, alternatives=alternatives):
        _unknown(text, parts, link, context, what, requests, beside)
        return
    for part in parts:
        fault = dns_label(part)
        if fault is not None:
            context.fault(DNS_LABEL, link, part, fault._replace(hint=fault.advice, instead=None), reason="Invalid")
            return


def references(names: list[str | None] | None, link: Link, context: Context, what: str) -> None:
    """Report what is wrong with the entries of `requests`; a list with too many is left to the table of limits."""
    most = context.limit("DeviceConstraint", "requests", "maxItems")  # the same for configuration
    if not names or (len(names) > most and "long-list-hides-items" in context.does):
        return
    for position, name in enumerate(names):
        reference(name or "", (link, position), context, what, names)


def _unknown(
    text: str,
    parts: list[str],
    link: Link,
    context: Context,
    what: str,
    requests: Requests,
    beside: Collection[str | None],
) -> None:
    alternatives = "prioritized-list" in context.does
    names = requests.names(alternatives=alternatives)
    hint, repair = requests.meant(text, path_of(link), beside, alternatives=alternatives)
    declared = context.declared()
    if declared is not None and (instead := declared.declaration(parts[0])) is not None:
        hint, repair = instead
    if len(parts) > 2:
        message = f"{what} names {quoted(text)}, but a reference has at most one slash: REQUEST or REQUEST/ALTERNATIVE"
        context.add(UNKNOWN_REQUEST, link, "Invalid", message, hint or "remove the extra part", repair=repair)
        return
    if not text:
        what = f"{what} has an empty reference to a request; the claim"
        tail = f"has: {_listed(names)}" if names else "has no requests"
        context.add(UNKNOWN_REQUEST, link, "Invalid", f"{what} {tail}", "name a request, or remove the entry")
        return
    if len(parts) == 2 and parts[0] in requests.places:
        known = [name for name in islice(requests.alternatives[parts[0]], COMPARED) if name]
        has = f"it has: {_listed(known)}" if known else "it has no firstAvailable"
        hint = hint or "name one of these, or add the alternative"
        request = at(context.root, requests.places[parts[0]][:-1])
        if not known and isinstance(request, dict) and ("exactly" in request or "deviceClassName" in request):
            hint, repair = f'write "{parts[0]}"', replaced(path_of(link), parts[0])
        wrong = next((one for one in known if dns_label(one) is not None and one.lower() == parts[1].lower()), None)
        if wrong is not None:
            hint = f"did you mean {quoted(parts[1])} where {quoted(wrong)} is declared?"
        message = (
            f"{what} names {quoted(text)}, but request {quoted(parts[0])} has no alternative {quoted(parts[1])}; {has}"
        )
        place = requests.places[parts[0]]
        context.add(UNKNOWN_REQUEST, link, "Invalid", message, hint, related=(("the request", place),), repair=repair)
        return
    has = f"it has: {_listed(names)}" if names else "it has no requests"
    free = [name for name in names if name not in beside]
    way_out = f"name {_one_of(free)}, or add the request" if free else "add the request, or remove this"
    message = f"{what} names the request {quoted(text)}, which this claim does not have; {has}"
    context.add(UNKNOWN_REQUEST, link, "Invalid", message, hint or way_out, repair=repair)


def _one_of(names: list[str]) -> str:
    return quoted(names[0], 130) if len(names) == 1 else "one of these"


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(quoted(name, 130)[1:-1] for name in names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
