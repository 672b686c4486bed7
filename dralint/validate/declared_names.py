"""Names that an object declares and uses itself: finds the meant spelling, and the requests of a claim by name."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Change, Meant, Repair, meant, replaced
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import did_you_mean, is_numbered, is_slip, letters_and_digits, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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
        self._pair: tuple[Declaration, str, bool] | None = None
        if len(self._entries) <= _MOST and len(self._uses) <= _MOST:
            self._pair = self._paired()

    def _paired(self) -> tuple[Declaration, str, bool] | None:
        """Return the entry that is meant by the one name that is used without a declaration, and whether that is sure.

        It is an entry without a use: the only one without a name, or one whose name differs by a typing mistake, if
        several uses agree on the spelling.
        """
        declared = {entry.name for entry in self._entries}
        counts = Counter(use.name for use in self._uses)
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

    @cached_property
    def _used(self) -> Counter[str]:
        return Counter(use.name for use in self._uses)

    @staticmethod
    def _named(entry: Declaration, name: str, sure: bool) -> Repair:
        return Repair((Change("replace" if entry.present else "insert", entry.path, name),), sure)


COMPARED, _HINTS = 300, 40
"""How many names an unknown one is compared with, and how often for one claim."""


class Requests:
    """The requests of one claim by name, and the place of each.

    Of two with the same name, the later counts, as on the API server.
    """

    __slots__ = ("_hints", "_names", "alternatives", "places")

    def __init__(self, claim: Mapping[str, Any], path: Path) -> None:
        self.places: dict[str, Path] = {}
        self.alternatives: dict[str, dict[str, None]] = {}
        self._names: dict[bool, list[str]] = {}
        self._hints = _HINTS
        for position, item in enumerate(claim.get("requests") or ()):
            request: Mapping[str, Any] = item or {}
            name = request.get("name") or ""
            self.places[name] = (*path, "requests", position, "name")
            subs = request.get("firstAvailable") or ()
            self.alternatives[name] = dict.fromkeys((sub or {}).get("name") or "" for sub in subs)

    def known(self, text: str, *, alternatives: bool) -> bool:
        """Say whether the text names a request, or (`request/alternative`) an entry of its firstAvailable."""
        if text in self.places and "/" not in text:
            return True
        parts = text.split("/")
        return alternatives and len(parts) == 2 and parts[1] in self.alternatives.get(parts[0], ())

    def names(self, *, alternatives: bool) -> list[str]:
        """Return everything that can be referred to, in the order of the manifest."""
        out = self._names.get(alternatives)
        if out is None:
            out = self._names[alternatives] = []
            for name in self.places:
                if name:
                    out.append(name)
                    if alternatives:
                        out += [f"{name}/{sub}" for sub in self.alternatives[name] if sub]
        return out

    def meant(self, text: str, path: Path, beside: Collection[str | None], *, alternatives: bool) -> Meant:
        """Return what to write instead; the references `beside` it in the list are left out.

        The number of calls is limited, because comparing many names with many takes long.
        """
        self._hints -= 1
        if self._hints < 0:
            return Meant(None, None)
        names = self.names(alternatives=alternatives)[:COMPARED]
        names = [n for n in names if self.known(n, alternatives=alternatives) and all(map(_is_label, n.split("/")))]
        shortened = "/".join(text.split("/")[:2]) if alternatives else text
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
