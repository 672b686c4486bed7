"""Finds nodes that look the same to every claim, so that the result on one of them applies to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.simulate.pools import GatherError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dralint.simulate.inventory import Device
    from dralint.simulate.node_selection import ClusterNode
    from dralint.simulate.pools import Pool, Pools
    from dralint.simulate.selection import Selection

_OWN_NODES = ("nodeName", "nodeSelector", "allNodes")


class Likeness:
    """Compares nodes by everything that the objects (all classes, claims and templates) can depend on."""

    def __init__(self, pools: Pools, selection: Selection, objects: Iterable[Mapping[str, Any]]) -> None:
        self._pools = pools
        self._names: set[str] | None = set()
        for key, text in _texts(objects):
            reads = [("attributes", "", text.rpartition("/")[2])]
            if key == "expression":
                found = selection.selector(text).named
                if found is None:
                    self._names = None
                    break
                reads = found
            self._names.update(name for _, _, name in reads)
        self._made: dict[int, object] = {}
        self._nodes: dict[str, int | None] = {}
        self._numbers: dict[object, int] = {}
        self._kept: list[Pool] = []

    def of(self, node: ClusterNode) -> int | None:
        """Return a number for the look of a node: equal numbers mean equal results for the same claim.

        None for a node that equals no other.
        """
        if node.name not in self._nodes:
            look = self._node(node)
            self._nodes[node.name] = None if look is None else self._numbers.setdefault(look, len(self._numbers))
        return self._nodes[node.name]

    def _node(self, node: ClusterNode) -> object:
        try:
            view = self._pools.view(node)
        except GatherError:
            return None
        looks = [self._pool(pool) for pool in view.pools]
        return None if None in looks else (tuple(looks), len(view.obsolete), node.declared)

    def _pool(self, pool: Pool) -> object:
        if id(pool) not in self._made:
            self._kept.append(pool)  # so that no other pool gets its id
            devices = [self._device(device) for device in pool.devices]
            counters = repr(sorted((name, sorted(amounts.items())) for name, amounts in pool.counters.items()))
            look = pool.driver, pool.complete, bool(pool.invalid), counters, tuple(devices)
            self._made[id(pool)] = None if None in devices else look
        return self._made[id(pool)]

    def _device(self, device: Device) -> str | None:
        spec = device.spec
        if any(spec.get(key) is not None for key in _OWN_NODES):
            return None
        rest = {key: value for key, value in spec.items() if key not in ("name", "attributes")}
        return repr((rest, device.extra_taints, sorted(self._attributes(spec.get("attributes") or {}))))

    def _attributes(self, attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for name, value in attributes.items():
            asked = self._names is None or name.rpartition("/")[2] in self._names
            yield name, repr(value) if asked else ""


def _texts(objects: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the expressions and the names of attributes in classes, claims and templates, with their fields."""
    todo: list[Any] = [item.get("spec") for item in objects]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            for key, value in part.items():
                if isinstance(value, str):
                    if key in ("expression", "matchAttribute", "distinctAttribute"):
                        yield key, value
                elif key != "parameters":
                    todo.append(value)
        elif isinstance(part, list):
            todo += part
