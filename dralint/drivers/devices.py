"""The devices of a driver in one version: each kind, and what is known of its attributes and capacities."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dralint.cel.values.literals import parse_semver
from dralint.cel.values.values import QuantityValue, Semver
from dralint.drivers.pack import shipped
from dralint.drivers.patterns import is_all_of
from dralint.drivers.shipped import MEANT
from dralint.kubernetes.quantity import stored
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.drivers.pack import Pack

ATTRIBUTES, CAPACITY = "attributes", "capacity"


class Name(NamedTuple):
    """The name of an attribute or capacity, with its domain."""

    which: str
    domain: str
    name: str

    @property
    def text(self) -> str:
        """The attribute as an expression writes it."""
        return f'device.{self.which}["{self.domain}"].{self.name}'


class Known(NamedTuple):
    """What is known of an attribute or capacity of a kind of device.

    `values` are all possible values, None where unknown; `pattern` matches all of them; `listed` are some of them.
    """

    type: str
    always: bool
    values: tuple[Any, ...] | None = None
    pattern: str | None = None
    listed: tuple[Any, ...] = ()


class DeviceKind(NamedTuple):
    """A kind of device of a driver; `open` means that it can have other attributes of any name."""

    driver: str
    kind: str
    known: dict[Name, Known]
    patterns: tuple[tuple[Name, Known], ...]
    open: bool

    def find(self, name: Name) -> Known | None:
        """Return what is known of an attribute or capacity; None where no such device has it."""
        found = self.known.get(name)
        if found is not None:
            return found
        for pattern, known in self.patterns:
            if pattern[:2] == name[:2] and is_all_of(pattern.name, name.name):
                return known
        return Known("any", always=False) if self.open and name.which == ATTRIBUTES else None

    def narrowed(self, asked: Mapping[tuple[str, ...], frozenset[Any]]) -> DeviceKind:
        """Return the device with its attributes limited to the values that selectors allow."""
        known = dict(self.known)
        for key, values in asked.items():
            name = Name(*key) if len(key) == len(Name._fields) else None
            before = None if name is None else known.get(name)
            if name is None or before is None:
                continue
            fitting = tuple(v for v in values if before.values is None or v in before.values)
            if fitting and all(type_of(v) == before.type for v in fitting):
                known[name] = before._replace(values=fitting)
        return self._replace(known=known)


def type_of(value: object) -> str:
    """Return the type of a value in the words of packs; "any" where they have none for it."""
    kinds = {bool: "bool", str: "string", Semver: "version", QuantityValue: "quantity", list: "list", float: "double"}
    return kinds.get(type(value)) or ("int" if isinstance(value, int) else "any")


def full_name(which: str, driver: str, name: str) -> Name:
    """Return a name of a pack with its domain."""
    domain, slash, rest = name.partition("/")
    return Name(which, domain, rest) if slash else Name(which, driver, name)


@lru_cache(maxsize=1024)
def is_published(name: Name) -> bool | None:
    """Say whether the driver whose domain it is publishes an attribute or capacity in some version.

    None where no shipped pack knows that driver, or everybody invents its name.
    """
    pack = shipped(name.domain) if name.domain in MEANT else None
    return None if pack is None else any(each.find(name) for v in pack.versions for each in devices(pack, v))


def devices(pack: Pack, version: str) -> list[DeviceKind]:
    """Return the kinds of devices of a driver in a version."""
    said = pack.at(version)
    kinds: dict[str, dict[str, Any]] = said.get("kinds") or {"": {}}
    return [_device(pack.driver, said, kind, row) for kind, row in kinds.items()]


def _device(driver: str, said: dict[str, Any], kind: str, row: dict[str, Any]) -> DeviceKind:
    known: dict[Name, Known] = {}
    patterns: list[tuple[Name, Known]] = []
    for name, entry in _entries(driver, said, kind):
        rule = _known(entry, name.which)
        text = f"{name.domain}/{name.name}"
        if text in row.get("lacks", ()):
            continue
        if text in row.get("has", ()):
            rule = rule._replace(always=True)
        if text in row.get("where", {}):
            only = row["where"][text]
            rule = rule._replace(always=True, values=tuple(only) if isinstance(only, list) else (only,))
        known[name] = rule
        if "names" in entry:
            patterns.append((name._replace(name=entry["names"]), rule))
    return DeviceKind(driver, kind, known, tuple(patterns), bool(said.get("userAttributes")))


def _entries(driver: str, said: dict[str, Any], kind: str) -> Iterator[tuple[Name, dict[str, Any]]]:
    for which, key in ((ATTRIBUTES, "attributes"), (CAPACITY, "capacities")):
        for entry in said.get(key, ()):
            if kind in entry.get("kinds", (kind,)):
                yield full_name(which, driver, entry["name"]), entry


def _known(entry: dict[str, Any], which: str) -> Known:
    kind = "quantity" if which == CAPACITY else entry["type"]
    listed = tuple(_value(kind, value) for value in entry.get("values", ()))
    closed = listed if entry.get("closed") else None
    return Known(kind, bool(entry.get("always")), closed, entry.get("pattern"), listed)


def _value(kind: str, value: Any) -> Any:
    if kind == "quantity":
        return QuantityValue.of(stored(value))
    return parse_semver(value) if kind == "version" else value


def shown(value: Any) -> str:
    """Return a value as people write it."""
    if isinstance(value, QuantityValue):
        return str(value.value)
    if isinstance(value, bool):
        return str(value).lower()
    parts = [getattr(value, name, None) for name in ("major", "minor", "patch")]
    return str(value) if None in parts else ".".join(map(str, parts))
