"""Finds the place of a field in the types of an API version, for a field that a type does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.types import Struct

_DEEPEST = 3
"""A field is searched this many levels below its type."""
_EVERYWHERE = ("kind", "apiVersion", "metadata", "status", "spec")
"""Fields that so many types have that they do not show where a field belongs."""


class Step(NamedTuple):
    """One level down: a field, and whether it holds a struct, a list or a map of them."""

    field: str
    shape: str


class Tree:
    """The fields of an API version, as seen from any of its types.

    Args:
        gone: (type, field) → gate, for the fields that the release removes: they count where no other has the key.
    """

    def __init__(self, types: Mapping[str, Struct], gone: Mapping[tuple[str, str], str]) -> None:
        self.types = types
        self._gone = gone
        self._below: dict[str, dict[str, list[Step]]] = {}
        self._parents: dict[str, list[tuple[str, Step]]] = {}
        for struct in types.values():
            for step, inner in self._steps(struct.name):
                self._parents.setdefault(inner, []).append((struct.name, step))

    def _steps(self, name: str) -> list[tuple[Step, str]]:
        shapes = [(key, shape, shape.of or shape) for key, shape in self.types[name].fields.items()]
        return [(Step(key, shape.shape), inner.type) for key, shape, inner in shapes if inner.shape == "struct"]

    def below(self, name: str, key: str) -> list[Step]:
        """Return the way from the type down to the nearest type with the field; [] where none or several have it."""
        return self._all_below(name).get(key, [])

    def fields_below(self, name: str) -> list[str]:
        """Return the fields that `below` finds, without those that do not show where they belong."""
        return [key for key in self._all_below(name) if key not in ("name", *_EVERYWHERE)]

    def _all_below(self, name: str) -> dict[str, list[Step]]:
        if name not in self._below:
            self._below[name] = self._ways(name)
        return self._below[name]

    def _ways(self, start: str) -> dict[str, list[Step]]:
        best: dict[str, tuple[tuple[object, ...], list[Step]]] = {}
        tied: set[str] = set()
        level: list[tuple[list[Step], str, bool]] = [([], start, False)]
        for depth in range(1, 2 if start.startswith("core.") else _DEEPEST + 1):
            level = [
                ([*way, step], inner, off or (name, step.field) in self._gone)
                for way, name, off in level
                for step, inner in self._steps(name)
                if inner != "ObjectMeta"
            ]
            for way, name, off in level:
                for key in self.types[name].fields:
                    if depth > 1 and key in ("name", *_EVERYWHERE):
                        continue
                    rank = (
                        off or (name, key) in self._gone,
                        way[0].field == "status",
                        key == "expression" and way[-1].field != "cel",
                        depth,
                        sum(step.shape != "struct" for step in way),
                    )
                    if key not in best or rank < best[key][0]:
                        best[key] = rank, way
                        tied.discard(key)
                    elif rank == best[key][0] and depth > 1:
                        tied.add(key)
        return {key: way for key, (_, way) in best.items() if key not in tied}

    def higher(self, name: str, key: str, path: tuple[str | int, ...]) -> list[Step]:
        """Return the way to an object of the type from its nearest parent with the field; [] for none."""
        if key in (*_EVERYWHERE, "name"):
            return []
        way: list[Step] = []
        end = len(path) - 1
        while (found := self._parent(name, path, end)) is not None:
            name, step = found
            way.insert(0, step)
            if key in self.types[name].fields and (name, key) not in self._gone:
                return way
            end -= 1 if step.shape == "struct" else 2
        return []

    def _parent(self, name: str, path: tuple[str | int, ...], end: int) -> tuple[str, Step] | None:
        """Return the type of the parent of the object that path[:end] leads to, and the step down from it."""
        return next(iter(self._holders(name, path, end)[1]), None)

    def _holders(self, name: str, path: tuple[str | int, ...], end: int) -> tuple[int, list[tuple[str, Step]]]:
        """Return each type that can contain the object, with the step down from it, and how many steps of the path lead
        there.

        Several types can have a field of one name and type (`resources`): the right one matches more of the path. The
        number is negative where the path leads elsewhere.
        """
        parents = self._parents.get(name, ())
        if not parents or not end:
            return 0, []  # the whole object, or an unknown part
        most, best = -1, list[tuple[str, Step]]()
        for parent, step in parents:
            at = end - (1 if step.shape == "struct" else 2)
            steps = self._holders(parent, path, at)[0] + 1 if at >= 0 and path[at] == step.field else 0
            if steps and steps >= most:
                best = [*(best if steps == most else ()), (parent, step)]
                most = steps
        return most, best

    def above(self, name: str, key: str, path: tuple[str | int, ...]) -> Step | None:
        """Return the step that led to an object of the type, if the type above it has the field."""
        if key in _EVERYWHERE:
            return None
        for parent, step in self._holders(name, path, len(path) - 1)[1]:
            if key not in self.types[parent].fields or (parent, key) in self._gone:
                continue
            if key != "name" or step.shape == "struct":
                return step
        return None
