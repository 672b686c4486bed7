"""Names that an object declares and uses itself: finds the meant spelling, and the repair of all places.

Such names mean nothing outside of their object. Another spelling changes nothing, as long as the declaration and all
uses agree.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.repair import Change, Repair
from dralint.finding.suggestion import Meant
from dralint.finding.words import quoted
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import is_slip, letters_and_digits, near
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        return sum(use.name == name for use in self._uses)

    @staticmethod
    def _named(entry: Declaration, name: str, sure: bool) -> Repair:
        return Repair((Change("replace" if entry.present else "insert", entry.path, name),), sure)
