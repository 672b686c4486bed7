"""Custom resources with Pods, lists of claims, or whole objects: the paths of these, from rules/workloads.yaml."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from dralint.kubernetes import shipped
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ITEMS, VALUES = "[]", "{}"
"""Parts of a pattern that stand for each item of a list, and for each value of a map."""
CLAIMS = "resourceClaims"

Pattern = tuple[str, ...]
OwnKind = tuple[str, str, tuple[Pattern, ...], tuple[Pattern, ...], tuple[Pattern, ...]]
"""A kind that a user has described: group, kind, and the paths of Pod specs, of their number, and of dropped ones."""

_own: tuple[OwnKind, ...] = ()


class PodPlace(NamedTuple):
    """The place of a Pod spec: `at` has its list of claims; rules/workloads.yaml describes the others."""

    at: Pattern
    containers: tuple[Pattern, ...] = ()
    devices: tuple[Pattern, ...] = ()
    otherwise: tuple[Pattern, ...] = ()
    also: tuple[Pattern, ...] = ()
    patches: tuple[Pattern, ...] = ()
    unless: tuple[Pattern, ...] = ()
    number: tuple[Pattern, ...] = ()
    single: tuple[Pattern, ...] = ()
    layered: bool = False
    list: str = CLAIMS

    @property
    def simple(self) -> bool:
        """Whether the list and all containers are in the Pod spec, as in a Pod."""
        return (
            not (self.containers or self.devices or self.otherwise or self.also or self.patches) and self.list == CLAIMS
        )


class MadeByController(NamedTuple):
    """What a controller makes: for each mapping at `each` that has `when`; texts of the name alternate with paths."""

    kind: str
    each: Pattern
    when: Pattern
    name: tuple[str | Pattern, ...]
    requests: tuple[str, ...]


class CustomKind(NamedTuple):
    """The content of a kind of custom resource."""

    pods: tuple[PodPlace, ...] = ()
    undeclared: tuple[Pattern, ...] = ()
    drops: tuple[Pattern, ...] = ()
    envelope: tuple[Pattern, ...] = ()
    passes_namespace: bool = False
    cluster: bool = False
    refused_by: str = ""
    templates: tuple[Pattern, ...] = ()
    shares: tuple[Pattern, ...] = ()
    makes: tuple[MadeByController, ...] = ()


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    data: Mapping[str, Mapping[str, Any]] = json.loads((shipped.folder("rules") / "workloads.json").read_bytes())
    return data


def use(own: tuple[OwnKind, ...]) -> None:
    """Use these kinds before those of the table, from now on in this process."""
    global _own
    if own != _own:
        _own = own
        custom_kind.cache_clear()


@cache
def custom_kind(group: str, kind: str) -> CustomKind | None:
    """Return what is known of a kind of custom resource; None for an unknown one."""
    for of, name, pods, numbers, drops in _own:
        if (of, name) == (group, kind):
            return CustomKind(pods=tuple(PodPlace(at, number=numbers) for at in pods), drops=drops)
    row = _table().get(group, {}).get(kind)
    return None if row is None else _kind(row)


def _kind(row: Mapping[str, Any]) -> CustomKind:
    return CustomKind(
        pods=tuple(_pod(pod) for pod in row.get("pods", ())),
        undeclared=_patterns(row.get("undeclared")),
        drops=_patterns(row.get("drops")),
        envelope=_patterns(row.get("envelope")),
        passes_namespace=row.get("namespace") == "own",
        cluster=row.get("scope") == "Cluster",
        refused_by=row.get("refused-by", ""),
        templates=_patterns(row.get("templates")),
        shares=_patterns(row.get("shares")),
        makes=tuple(_made(made) for made in row.get("makes", ())),
    )


def _pod(row: Mapping[str, Any]) -> PodPlace:
    return PodPlace(
        at=tuple(row["at"]),
        containers=_patterns(row.get("containers")),
        devices=_patterns(row.get("devices")),
        otherwise=_patterns(row.get("otherwise")),
        also=_patterns(row.get("also")),
        patches=_patterns(row.get("patches")),
        unless=_patterns(row.get("unless")),
        number=_patterns(row.get("number")),
        single=_patterns(row.get("single")),
        layered=row.get("layered", False),
        list=row.get("list", CLAIMS),
    )


def _made(row: Mapping[str, Any]) -> MadeByController:
    name = tuple(part if isinstance(part, str) else tuple(part) for part in row["name"])
    each, when = tuple(row.get("each", ())), tuple(row.get("when", ()))
    return MadeByController(row["kind"], each, when, name, tuple(row.get("requests", ())))


def _patterns(paths: Any) -> tuple[Pattern, ...]:
    return tuple(tuple(path) for path in paths or ())
