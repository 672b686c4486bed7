"""The requests of one claim by name, for references from constraints, configuration and allocation results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.repair import replaced
from dralint.finding.suggestion import Meant, meant
from dralint.kubernetes.formats import dns_label
from dralint.kubernetes.near import did_you_mean, is_numbered, near

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dralint.yaml import Path

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
