"""The greatest size of a value of a device, by its path.

Bounds: k8s.io/api resource/v1 types.go (DeviceMaxDomainLength 63, DeviceMaxIDLength 32, DriverNameMaxLength 63,
DeviceAttributeMaxValueLength 64, ResourceSliceMaxAttributesAndCapacitiesPerDevice 32), as used in
k8s.io/dynamic-resource-allocation cel/compile.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.cel.check.declarations import Declarations

_ENTRIES, _DOMAIN, _ID, _VALUE, _DRIVER = 32, 63, 32, 64, 63


class Path:
    """Field names from a variable on.

    The estimator keeps paths in slices of Go, and two paths that grow from a third may share memory: the later one
    writes over the last name of the earlier one. Estimates depend on it, so it is kept: `_cells` is the shared
    memory, `_length` how much of it belongs to this path.
    """

    __slots__ = ("_cells", "_length")

    def __init__(self, cells: list[str], length: int) -> None:
        self._cells = cells
        self._length = length

    @classmethod
    def root(cls, name: str) -> Path:
        """Return the path of a variable."""
        return cls([name], 1)

    @classmethod
    def extend(cls, path: Path | None, name: str) -> Path:
        """Return the path one name further; None is the empty path."""
        if path is None:
            return cls([name], 1)
        length = path._length
        if length < len(path._cells):
            path._cells[length] = name
            return cls(path._cells, length + 1)
        capacity = 2 * length
        cells = [*path._cells[:length], name]
        return cls(cells + [""] * (capacity - len(cells)), length + 1)

    def names(self) -> Sequence[str]:
        """Return the names as they are now."""
        return self._cells[: self._length]


def size_at(path: Sequence[str], environment: Declarations) -> int | None:
    """Return the greatest size of the value at a path; None where unknown."""
    if path[0] != "device" or environment.kind == "named-resources":
        return None
    where = "device"
    for name in path[1:]:
        if where == "device":
            if name not in environment.device_fields:
                return None
            where = name
        elif where in ("attributes", "capacity"):
            if name in ("@items", "@values"):
                where = "inner attributes" if where == "attributes" else "inner capacity"
            elif name == "@keys":
                where = "domain"
            else:
                return None
        elif where in ("inner attributes", "inner capacity"):
            if name == "@keys":
                where = "id"
            elif name in ("@items", "@values"):
                where = "value" if where == "inner attributes" else "quantity"
            elif where == "inner attributes":
                where = "value"
            else:
                return None
        else:
            return None
    return _BOUNDS[where]


_BOUNDS = {
    "device": 0,
    "driver": _DRIVER,
    "attributes": _ENTRIES,
    "capacity": _ENTRIES,
    "allowMultipleAllocations": 1,
    "inner attributes": _ENTRIES,
    "inner capacity": _ENTRIES,
    "domain": _DOMAIN,
    "id": _ID,
    "value": _VALUE,
    "quantity": 0,
}
