"""What a check is given: the release that judges, how it behaves, and where to put problems."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.path import Link, path_of
from dralint.finding.problem import Problem
from dralint.finding.words import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.repair import Repair
    from dralint.kubernetes.formats import Fault
    from dralint.kubernetes.limits import Limits
    from dralint.kubernetes.release import Release
    from dralint.validate.declared_names import Names
    from dralint.validate.requests_by_name import Requests
    from dralint.yaml import Path


@dataclass(slots=True)
class Context:
    """One object under one release.

    Attributes:
        release: the release that judges.
        does: names of the behaviours (rules/limits.yaml) that hold in it.
        gates: the feature gates that are on.
        limits: the limits that hold in it (see `limit`; `limits.total` for those of several fields).
        api_version, kind: of the object; namespaced: whether the kind lives in namespaces;
            root: its data after decoding, without what a gate removes; dropped: the paths of that.
        problems: what has been found so far.
        requests: the requests of the claim, once they have been asked for (`claim_references.requests_of`).
        spoken: how often each string occurs in the object, once that has been asked for (`speaks_of`).
        naming: makes `names`, the names that the object declares and uses, once they are asked for (`declared`).
    """

    release: Release
    does: frozenset[str]
    gates: frozenset[str]
    limits: Limits
    api_version: str
    kind: str
    root: dict[str, Any]
    namespaced: bool = True
    dropped: frozenset[Path] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    requests: Requests | None = None
    spoken: Counter[str] | None = None
    naming: Callable[[], Names] | None = None
    names: Names | None = None

    def limit(self, type_name: str, field: str, keyword: str) -> int:
        """Return a number of the table of limits, such as `limit("DeviceRequest", "firstAvailable", "maxItems")`."""
        return self.limits.limit(type_name, field, keyword)

    def add(
        self,
        rule: str,
        link: Link,
        reason: str | None,
        message: str,
        hint: str | None = None,
        *,
        where: Link = None,
        target: str = "value",
        start: int = 0,
        end: int = 0,
        related: tuple[tuple[str, Path], ...] = (),
        kind: str = "",
        repair: Repair | None = None,
    ) -> None:
        """Report a problem at `link` (underlined at `where` when that lies elsewhere)."""
        place = None if where is None else path_of(where)
        self.problems.append(
            Problem(rule, path_of(link), message, reason, hint, place, target, start, end, related, kind, repair)
        )

    def fault(
        self,
        rule: str,
        link: Link,
        text: str,
        fault: Fault,
        *,
        reason: str | None = None,
        what: str = "",
        where: Link = None,
        target: str = "value",
    ) -> None:
        """Report that the text at a place (`where`, or else `link`) lacks the format it should have.

        Where one text is proposed for it, that is the repair, unless several could be meant, or the object speaks of
        the old one elsewhere.

        Args:
            what: goes before the text in the message.
        """
        place = path_of(link if where is None else where)
        repair = self._respelt(place, text, fault.instead) if target == "value" else None
        if repair is None and fault.instead is not None and not self.speaks_of(text):
            from dralint.finding.repair import renamed, replaced
            from dralint.kubernetes.formats import is_open

            mend = renamed if target == "key" else replaced
            if fault.sure or text in fault.instead or not is_open(text):
                repair = mend(place, fault.instead, safe=fault.sure)
        message = f"{what} {quoted(text)} {fault.text}" if what else f"{quoted(text)} {fault.text}"
        self.add(rule, link, reason or fault.reason, message, fault.advice, where=where, target=target, repair=repair)

    def declared(self) -> Names | None:
        """Return the names that the object declares and uses; None for one that declares none."""
        if self.names is None and self.naming is not None:
            self.names = self.naming()
        return self.names

    def _respelt(self, place: Path, text: str, instead: str | None) -> Repair | None:
        """Return the repair of a name where it is declared, with all its uses; None where nothing uses it."""
        names = self.declared()
        if names is None:
            return None
        if (repair := names.declaration_at(place)) is not None:
            return repair
        uses = names.uses(text)
        if instead is None or not uses or self._spoken(text) != 1 + uses:
            return None
        return names.respelt(place, instead)

    def speaks_of(self, text: str) -> bool:
        """Say whether a string occurs in the object more than once, by itself or as one side of a slash."""
        return self._spoken(text) > 1

    def _spoken(self, text: str) -> int:
        if self.spoken is None:
            self.spoken = Counter()
            todo: list[Any] = [self.root]
            while todo:
                value = todo.pop()
                if isinstance(value, dict):
                    todo.extend(value)
                    todo.extend(value.values())
                elif isinstance(value, list):
                    todo.extend(value)
                elif isinstance(value, str):
                    self.spoken.update({value, *value.split("/")} if "/" in value else (value,))
        return self.spoken[text]
