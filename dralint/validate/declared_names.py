"""Names that an object declares and uses itself: finds the meant spelling, checks what names requests of a claim."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Change, Meant, Repair, at, meant, path_of, replaced
from dralint.finding.rule_ids import DNS_LABEL, UNKNOWN_REQUEST
from dralint.finding.words import quoted, some_of
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import did_you_mean, is_numbered, is_slip, letters_and_digits, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context
    from dralint.yaml import Path

_MOST = 300
"""The most entries and uses that are compared; with more, there is no proposal."""


class Declaration(NamedTuple):
    """One entry of the list that declares names: the path of its name, the name ("" where there is none).

    `present` says whether the field is there (perhaps as null).
    """

    path: Path
    name: str
    present: bool = True


class NameUse(NamedTuple):
    """One place that uses a name: the path of the string, and the text in it before and after the name."""

    path: Path
    name: str
    before: str = ""
    after: str = ""


def declarations(items: Iterable[dict[str, Any] | None] | None, path: Path) -> list[Declaration]:
    """Return the entries of the list at a path that declare a name."""
    return [
        Declaration((*path, position, "name"), item.get("name") or "", present="name" in item)
        for position, item in enumerate(items or ())
        if item
    ]


class DeclaredNames:
    """The names that one list declares, with all their uses in the object."""

    def __init__(self, entries: Iterable[Declaration], uses: Iterable[NameUse]) -> None:
        self._entries = tuple(entries)
        self._uses = tuple(use for use in uses if use.name)
        self._used = Counter(use.name for use in self._uses)
        self._pair: tuple[Declaration, str, bool] | None = None
        if len(self._entries) <= _MOST and len(self._uses) <= _MOST:
            self._pair = self._paired()

    def _paired(self) -> tuple[Declaration, str, bool] | None:
        """Return the entry that is meant by the one name that is used without a declaration, and whether that is sure.

        It is an entry without a use: the only one without a name, or one whose name differs by a typing mistake, if
        several uses agree on the spelling.
        """
        declared = {entry.name for entry in self._entries}
        counts = self._used
        unknown = [name for name in counts if name not in declared]
        if len(unknown) != 1 or dns_label(unknown[0]) is not None:
            return None
        name = unknown[0]
        unused = [entry for entry in self._entries if entry.name not in counts]
        faulty = [entry for entry in unused if not entry.name or dns_label(entry.name) is not None]
        others = [entry.name for entry in self._entries if entry not in faulty and entry.name]
        slips = [entry for entry in unused if entry not in faulty and is_slip(entry.name, name)]
        if len(faulty) == 1 and not near(name, others):
            sure = counts[name] > 1 or letters_and_digits(faulty[0].name) == letters_and_digits(name)
            return faulty[0], name, sure
        if not faulty and len(slips) == 1 and counts[name] > 1 and len(near(name, others)) == 1:
            return slips[0], name, True
        return None

    def declaration(self, name: str) -> Meant | None:
        """Return hint and repair if an entry is to get the name that is used for it; None otherwise."""
        if self._pair is None or self._pair[1] != name:
            return None
        entry = self._pair[0]
        where = f"where {quoted(entry.name)} is declared" if entry.name else "for the entry that has no name"
        return Meant(f'did you mean "{name}" {where}?', self._named(*self._pair))

    def declaration_at(self, path: Path) -> Meant | None:
        """Return hint and repair for the entry with its name at the path; None where no used name means it."""
        if self._pair is None or self._pair[0].path != path:
            return None
        return Meant(f'did you mean "{self._pair[1]}"? It is used, but not declared', self._named(*self._pair))

    def respelt(self, path: Path, instead: str, *, safe: bool) -> Repair | None:
        """Return the repair that spells the name declared at the path in another way, in all its uses too."""
        entry = next((entry for entry in self._entries if entry.path == path), None)
        if entry is None or len(self._uses) > _MOST:
            return None
        taken = [*(other.name for other in self._entries), *(use.name for use in self._uses)]
        if instead in taken or sum(other.name == entry.name for other in self._entries) > 1:
            return None
        uses = [use for use in self._uses if use.name == entry.name]
        changes = [Change("replace", use.path, f"{use.before}{instead}{use.after}") for use in uses]
        return Repair((Change("replace", path, instead), *changes), safe)

    def place_meant(self, repair: Repair) -> Path | None:
        """Return where the name is declared that a repair of a use, or of the declaration, speaks of."""
        changed = repair.changes[0]
        return next(
            (entry.path for entry in self._entries if entry.path == changed.path or entry.name == changed.value), None
        )

    def uses(self, name: str) -> int:
        """Return how many places use a name."""
        return self._used[name]

    @staticmethod
    def _named(entry: Declaration, name: str, sure: bool) -> Repair:
        return Repair((Change("replace" if entry.present else "insert", entry.path, name),), sure)


COMPARED, _HINTS = 300, 40
"""How many names an unknown one is compared with, and how often for one claim."""


class Requests:
    """The requests of one claim by name, and the place of each.

    Of two with the same name, the later counts, as on the API server. `names_alternatives` says whether references can
    name an entry of firstAvailable.
    """

    def __init__(self, claim: Mapping[str, Any], path: Path, *, names_alternatives: bool) -> None:
        self.places: dict[str, Path] = {}
        self.alternatives: dict[str, dict[str, None]] = {}
        self.names_alternatives = names_alternatives
        self._hints = _HINTS
        for position, item in enumerate(claim.get("requests") or ()):
            request: Mapping[str, Any] = item or {}
            name = request.get("name") or ""
            self.places[name] = (*path, "requests", position, "name")
            subs = request.get("firstAvailable") or ()
            self.alternatives[name] = dict.fromkeys((sub or {}).get("name") or "" for sub in subs)

    def known(self, text: str) -> bool:
        """Say whether the text names a request, or (`request/alternative`) an entry of its firstAvailable."""
        if text in self.places and "/" not in text:
            return True
        parts = text.split("/")
        return self.names_alternatives and len(parts) == 2 and parts[1] in self.alternatives.get(parts[0], ())

    @cached_property
    def names(self) -> list[str]:
        """Everything that can be referred to, in the order of the manifest."""
        out: list[str] = []
        for name in filter(None, self.places):
            subs = self.alternatives[name] if self.names_alternatives else ()
            out += [name, *(f"{name}/{sub}" for sub in subs if sub)]
        return out

    def meant(self, text: str, path: Path, beside: Collection[str | None]) -> Meant:
        """Return what to write instead; the references `beside` it in the list are left out.

        The number of calls is limited, because comparing many names with many takes long.
        """
        self._hints -= 1
        if self._hints < 0:
            return Meant(None, None)
        names = [n for n in self.names[:COMPARED] if self.known(n) and all(map(_is_label, n.split("/")))]
        shortened = "/".join(text.split("/")[:2]) if self.names_alternatives else text
        if shortened in names:
            return Meant(did_you_mean([shortened]), replaced(path, shortened))
        within = [name for name in names if name.endswith(f"/{text}")]
        if len(within) == 1 and within[0] not in beside:
            return Meant(did_you_mean(within), replaced(path, within[0]))
        found = meant(shortened, names, path, taken=beside)
        others = near(shortened, names) if found.repair is None else []
        return Meant(None, None) if len(others) == 1 and is_numbered(shortened, others[0]) else found


def _is_label(part: str) -> bool:
    return dns_label(part) is None


_SHOWN = 10
_TEMPLATES = ("ResourceClaimTemplate",)


def requests_of(context: Context) -> Requests:
    """Return the requests of the judged claim or template."""
    if context.requests is None:
        path: Path = ("spec", "spec", "devices") if context.kind in _TEMPLATES else ("spec", "devices")
        claim: Any = context.root
        for name in path:
            claim = (claim or {}).get(name)
        context.requests = Requests(claim or {}, path, names_alternatives="prioritized-list" in context.does)
    return context.requests


def reference(text: str, link: Link, context: Context, what: str, beside: Collection[str | None] = ()) -> None:
    """Report a reference to a missing request, or to one whose name is not allowed.

    `what` is the start of the message and names the referrer; `beside` are the other references of the list, which
    cannot be the repair.
    """
    requests = requests_of(context)
    parts = text.split("/") if requests.names_alternatives else [text]
    if not requests.known(text):
        _unknown(text, parts, link, context, what, requests, beside)
        return
    for part in parts:
        fault = dns_label(part)
        if fault is not None:
            context.fault(DNS_LABEL, link, part, fault._replace(hint=fault.advice, instead=None), reason="Invalid")
            return


def references(names: list[str | None] | None, link: Link, context: Context, what: str) -> None:
    """Report what is wrong with the entries of `requests`; a list with too many is left to the table of limits."""
    most = context.limits.limit("DeviceConstraint", "requests", "maxItems")  # the same for configuration
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
    names = requests.names
    hint, repair = requests.meant(text, path_of(link), beside)
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
    way_out = f"name {one_of(free)}, or add the request" if free else "add the request, or remove this"
    message = f"{what} names the request {quoted(text)}, which this claim does not have; {has}"
    context.add(UNKNOWN_REQUEST, link, "Invalid", message, hint or way_out, repair=repair)


def one_of(names: Collection[str]) -> str:
    """Return the only name, or `one of these`."""
    return quoted(next(iter(names)), 130) if len(names) == 1 else "one of these"


def _listed(names: list[str]) -> str:
    return some_of([*(quoted(name, 130)[1:-1] for name in names[:_SHOWN]), *names[_SHOWN:]], _SHOWN)
