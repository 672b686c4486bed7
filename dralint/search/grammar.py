"""Which fields can be in which, by their names only. This is enough for a search, because a judge checks all
candidates."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.types import pod_types

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Shape


class Grammar(NamedTuple):
    """The names of fields.

    Attributes:
        children: the name of a field → the fields of the objects in it.
        parents: the name of a field → the fields whose objects have it.
        scalars: the names of fields that hold neither an object nor a list.
        lists: the names of fields that hold a list of objects.
    """

    children: Mapping[str, frozenset[str]]
    parents: Mapping[str, frozenset[str]]
    scalars: frozenset[str]
    lists: frozenset[str]


@cache
def grammar() -> Grammar:
    """Return the field names of the newest release, in all API versions that it serves."""
    newest = [*shipped.index()["releases"]["releases"]][-1]
    children: dict[str, set[str]] = {}
    parents: dict[str, set[str]] = {}
    scalars: set[str] = {"apiVersion", "kind"}
    lists: set[str] = set()
    parsed = Release.parse(newest)
    for version in sorted({"v1", *(version for version, _ in shipped.served(newest))}):
        types = shipped.structs_of(newest, version)
        if version == "v1":
            types = pod_types(types, parsed)
        for struct in types.values():
            for name, shape in struct.fields.items():
                inner = _struct(shape)
                if inner is None or inner not in types:
                    if shape.of is None:
                        scalars.add(name)
                    continue
                if shape.shape == "list":
                    lists.add(name)
                for field in types[inner].fields:
                    children.setdefault(name, set()).add(field)
                    parents.setdefault(field, set()).add(name)
    return Grammar(
        {name: frozenset(fields) for name, fields in children.items()},
        {name: frozenset(fields) for name, fields in parents.items()},
        frozenset(scalars),
        frozenset(lists),
    )


def _struct(shape: Shape) -> str | None:
    while shape.of is not None:
        shape = shape.of
    return shape.type if shape.shape == "struct" else None
