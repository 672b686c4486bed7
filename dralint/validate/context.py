"""The context of a check: the release that judges, its behaviours, and the list for problems."""

from __future__ import annotations

import marshal
from collections import Counter
from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Link, Problem, path_of, renamed, replaced
from dralint.finding.words import quoted
from dralint.kubernetes.formats import is_open

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.problem import Repair
    from dralint.kubernetes.formats import Fault
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.shipped import Limits
    from dralint.validate.declared_names import DeclaredNames, Requests
    from dralint.yaml import Path

_UNSHARED = 2
"""The version of marshal's format in which a value is written each time that it occurs."""

_MOST_WORDS = 100
"""The texts of problems that are remembered."""


class Context:
    """One object under one release.

    Attributes:
        release: the release that judges.
        does: names of the behaviours (rules/limits.yaml) of the release.
        gates: the enabled feature gates.
        limits: the limits of the release (see `limit`; `limits.total` for those of several fields).
        api_version, kind: of the object; namespaced: whether the kind is namespaced;
            root: its data after decoding, without what a gate removes; dropped: the paths of that.
        problems: the problems so far.
        requests: the requests of the claim, once needed (`claim_references.requests_of`).
        spoken: how often each string occurs in the object, once needed (`_spoken`).
        naming: makes `names`, the names that the object declares and uses, once needed (`declared`).
    """

    __slots__ = (
        "_asked",
        "_link",
        "_path",
        "_words",
        "api_version",
        "does",
        "dropped",
        "gates",
        "kind",
        "limits",
        "names",
        "namespaced",
        "naming",
        "problems",
        "release",
        "requests",
        "root",
        "spoken",
    )

    def __init__(
        self,
        release: Release,
        does: frozenset[str],
        gates: frozenset[str],
        limits: Limits,
        api_version: str,
        kind: str,
        root: dict[str, Any],
        *,
        namespaced: bool = True,
        dropped: frozenset[Path] = frozenset(),
    ) -> None:
        self.release = release
        self.does = does
        self.gates = gates
        self.limits = limits
        self.api_version = api_version
        self.kind = kind
        self.root = root
        self.namespaced = namespaced
        self.dropped = dropped
        self.problems: list[Problem] = []
        self.requests: Requests | None = None
        self.spoken: Counter[str] | None = None
        self._asked = False
        self.naming: Callable[[], DeclaredNames] | None = None
        self.names: DeclaredNames | None = None
        self._link: Link = None
        self._path: Path = ()
        self._words: dict[str, str] = {}

    def over(self, root: dict[str, Any], gates: frozenset[str]) -> Context:
        """Return a context for another state of the object, with these gates on, in which nothing is found yet."""
        return Context(
            self.release,
            self.does,
            gates,
            self.limits,
            self.api_version,
            self.kind,
            root,
            namespaced=self.namespaced,
        )

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
        """Report a problem at `link`; `where` is the place to underline, if that is another one."""
        place = None if where is None else path_of(where)
        message, hint = self._shared(message), None if hint is None else self._shared(hint)
        self.problems.append(
            Problem(rule, self._path_of(link), message, reason, hint, place, target, start, end, related, kind, repair)
        )

    def _shared(self, words: str) -> str:
        """Return the same text as an earlier problem has: of many problems, most say the same."""
        known = self._words
        return known.setdefault(words, words) if len(known) < _MOST_WORDS else known.get(words, words)

    def _path_of(self, link: Link) -> Path:
        """Return the path; among many problems, most are next to the one before."""
        if link is None or len(link) != 2:
            return path_of(link)
        if link[0] is not self._link:
            self._link, self._path = link[0], path_of(link[0])
        return (*self._path, link[1])

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
        """Report that the text at a place (`where`, or else `link`) does not have the required format.

        If one text is proposed, it is the repair, unless several are possible or the object uses the old text
        elsewhere. In the message, `what` comes before the text.
        """
        place = path_of(link if where is None else where)
        repair, names = None, self.declared() if target == "value" else None
        meant = None if names is None else names.declaration_at(place)
        hint = fault.advice
        if meant is not None:
            hint, repair = meant
        elif fault.instead is not None:
            spoken, uses = self._spoken(text), 0 if names is None else names.uses(text)
            if spoken <= 1 + uses and (fault.sure or text in fault.instead or not is_open(text)):
                mend = renamed if target == "key" else replaced
                if names is not None and uses:
                    repair = names.respelt(place, fault.instead, safe=fault.sure)
                elif spoken <= 1:
                    repair = mend(place, fault.instead, safe=fault.sure)
        message = f"{what} {quoted(text)} {fault.text}" if what else f"{quoted(text)} {fault.text}"
        self.add(rule, link, reason or fault.reason, message, hint, where=where, target=target, repair=repair)

    def declared(self) -> DeclaredNames | None:
        """Return the names that the object declares and uses; None where it declares none."""
        if self.names is None and self.naming is not None:
            self.names = self.naming()
        return self.names

    def _spoken(self, text: str) -> int:
        """Return how often a string occurs in the object, alone or as one side of a slash; one means none.

        For the first text, a count of its bytes is mostly enough.
        """
        if self.spoken is None:
            if not self._asked:
                self._asked = True
                try:
                    if marshal.dumps(self.root, _UNSHARED).count(text.encode("utf-8", "surrogatepass")) <= 1:
                        return 1
                except ValueError:
                    pass  # too deep for marshal
            words: list[str] = []
            todo: list[Any] = [self.root]
            while todo:
                value = todo.pop()
                if isinstance(value, dict):
                    todo.extend(value)
                    todo.extend(value.values())
                elif isinstance(value, list):
                    todo.extend(value)
                elif isinstance(value, str):
                    words.extend({value, *value.split("/")} if "/" in value else (value,))
            self.spoken = Counter(words)
        return self.spoken[text]
