"""What a check is given: the release that judges, how it behaves, and where to put problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.finding.path import Link, path_of
from dralint.finding.problem import Problem

if TYPE_CHECKING:
    from dralint.finding.repair import Repair
    from dralint.kubernetes.limits import Limits
    from dralint.kubernetes.release import Release
    from dralint.validate.relations.claim_references import Requests
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
